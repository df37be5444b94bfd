"""Files in processes of their own, so that every core works and a file that kills one ends no run."""

from __future__ import annotations

import functools
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from lane_lint.project.project import Project, project_of
from lane_lint.run import CheckedFile, check_file, died_while_read
from lane_lint.settings import Settings

_BATCHES_PER_JOB = 8


def check_in_processes(
    files: Sequence[str], settings: Settings, jobs: int, cache: str | None
) -> Iterator[CheckedFile]:
    """Check batches of files in `jobs` processes; one that dies costs its batch a second try.

    Args:
        cache: The folder that keeps what is found out about modules; None keeps nothing.
    """
    size = max(1, -(-len(files) // (jobs * _BATCHES_PER_JOB)))
    batches = [tuple(files[start : start + size]) for start in range(0, len(files), size)]
    done = 0
    while done < len(batches):
        for checked in _until_a_process_dies(batches[done:], settings, jobs, cache):
            yield from checked
            done += 1
        if done < len(batches):
            for path in batches[done]:
                yield _checked_alone(path, settings, cache)
            done += 1


def _until_a_process_dies(
    batches: Sequence[tuple[str, ...]], settings: Settings, jobs: int, cache: str | None
) -> Iterator[list[CheckedFile]]:
    executor = ProcessPoolExecutor(min(jobs, len(batches)), initializer=_die_quietly_on_interrupt)
    is_interrupted = True
    try:
        for future in [executor.submit(_check_batch, batch, settings, cache) for batch in batches]:
            yield future.result()
        is_interrupted = False
    except BrokenProcessPool:
        is_interrupted = False
    finally:
        executor.shutdown(wait=not is_interrupted, cancel_futures=True)


def _die_quietly_on_interrupt() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@functools.lru_cache(maxsize=1)
def _project(settings: Settings, cache: str | None) -> Project | None:
    """The project that all batches of this process share."""
    return project_of(settings, cache)


def _check_batch(paths: tuple[str, ...], settings: Settings, cache: str | None) -> list[CheckedFile]:
    project = _project(settings, cache)
    return [check_file(path, settings, project) for path in paths]


def _checked_alone(path: str, settings: Settings, cache: str | None) -> CheckedFile:
    """Check a file in a process of its own, after one of those around it has ended a worker."""
    with ProcessPoolExecutor(1) as executor:
        try:
            return executor.submit(_check_batch, (path,), settings, cache).result()[0]
        except BrokenProcessPool:
            return died_while_read(path, settings)
