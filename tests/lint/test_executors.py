"""`check_paths(..., executor=...)`: the same findings whoever does the work."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import pytest
from fixture_cases import CASES, FIXTURES

from lane_lint import Settings, check_paths
from lane_lint.batches import FILES_A_BATCH, check_on_executor


class Counting(Executor):
    """Runs a task when it is given one; notes how many files it had."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def submit(self, task: Callable[..., object], /, *arguments: object, **_: object) -> Future[object]:
        paths = arguments[0]
        assert isinstance(paths, tuple)
        self.sizes.append(len(paths))
        future: Future[object] = Future()
        future.set_result(task(*arguments))
        return future


@pytest.fixture(scope="module")
def expected():
    return check_paths([FIXTURES / "LAN103", FIXTURES / "LAN106"])


def test_threads_find_the_same(expected) -> None:
    with ThreadPoolExecutor(4) as executor:
        found = check_paths([FIXTURES / "LAN103", FIXTURES / "LAN106"], executor=executor)
    assert found == expected
    assert len(found) > 20


def test_processes_find_the_same(expected) -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        assert check_paths([FIXTURES / "LAN103", FIXTURES / "LAN106"], executor=executor) == expected


def test_a_cluster_of_dask_finds_the_same(expected) -> None:
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        executor = client.get_executor()
        assert check_paths([FIXTURES / "LAN103", FIXTURES / "LAN106"], executor=executor) == expected


def test_a_task_is_many_files() -> None:
    files = [str(case) for case in CASES[: 2 * FILES_A_BATCH + 1]]
    executor = Counting()
    checked = list(check_on_executor(files, Settings(), executor))
    assert [file.path for file in checked] == files
    assert executor.sizes == [FILES_A_BATCH, FILES_A_BATCH, 1]


def test_what_is_not_asked_for_any_more_is_cancelled() -> None:
    class Busy(Counting):
        """Does the first task; the others wait."""

        def __init__(self) -> None:
            super().__init__()
            self.waiting: list[Future[object]] = []

        def submit(self, task: Callable[..., object], /, *arguments: object, **_: object) -> Future[object]:
            if not self.sizes:
                return super().submit(task, *arguments)
            self.waiting.append(Future())
            return self.waiting[-1]

    executor = Busy()
    answers = check_on_executor([str(case) for case in CASES[: 3 * FILES_A_BATCH]], Settings(), executor)
    next(answers)
    answers.close()
    assert [future.cancelled() for future in executor.waiting] == [True, True]


def test_an_executor_that_breaks_is_heard() -> None:
    class Broken(Executor):
        def submit(self, task: object, /, *arguments: object, **_: object) -> Future[object]:
            raise RuntimeError("the cluster has gone")

    with pytest.raises(RuntimeError, match="the cluster has gone"):
        check_paths([FIXTURES / "LAN103"], executor=Broken())


def test_jobs_beside_an_executor_are_refused() -> None:
    with pytest.raises(ValueError, match="the executor decides"):
        check_paths([FIXTURES / "LAN103"], jobs=2, executor=Counting())


def test_a_file_that_cannot_be_read_is_an_error(tmp_path) -> None:
    (tmp_path / "gone.py").symlink_to(tmp_path / "nowhere.py")
    with pytest.raises(OSError, match=r"cannot read .*gone\.py"):
        check_paths([tmp_path / "gone.py"], executor=Counting())
