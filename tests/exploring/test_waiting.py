"""Time is virtual; what waits for ever is reported with its line; what never ends is cut off."""

from __future__ import annotations

import asyncio
import threading

import pytest

from lane_runtime.testing import DivergedError, ExplorationError, OutsideRefusedError, World, explore, replay

from .components import Account, two_additions


def test_an_hour_passes_at_once_and_in_order() -> None:
    def scenario(world: World) -> list[tuple[str, float]]:
        seen: list[tuple[str, float]] = []

        async def sleep(name: str, seconds: float) -> None:
            await asyncio.sleep(seconds)
            seen.append((name, asyncio.get_running_loop().time()))

        world.call(sleep, "long", 3600)
        world.call(sleep, "short", 60)
        return seen

    report = explore(scenario, stop_at_first=False)
    assert report.exhausted
    states = [found.outcome.state for found in (*report.serial, *report.overlapped)]
    assert [("long", 3600.0), ("short", 3660.0)] in states
    assert [("short", 60.0), ("long", 3600.0)] in states


def test_a_time_out_fires_or_does_not() -> None:
    def scenario(world: World) -> None:
        async def ask() -> str:
            try:
                async with asyncio.timeout(5):
                    await world.outside("slow")
            except TimeoutError:
                return "late"
            return "in time"

        world.call(ask)

    report = explore(scenario)
    assert report.exhausted
    assert [found.outcome.calls[0].value for found in report.serial] == ["in time", "late"]


def test_a_background_loop_does_not_keep_a_run_from_ending() -> None:
    def scenario(world: World) -> None:
        async def beat() -> None:
            while True:  # noqa: ASYNC110 - a loop without end is what is tested
                await asyncio.sleep(1)

        async def start() -> None:
            world.beating = asyncio.ensure_future(beat())  # type: ignore[attr-defined]

        world.call(start)

    assert explore(scenario, max_schedules=20).is_clean


def test_every_task_that_waits_for_ever_is_named_with_its_line() -> None:
    def scenario(world: World) -> None:
        locks = asyncio.Lock(), asyncio.Lock()

        async def take(first: int, second: int) -> None:
            async with locks[first]:
                await world.outside("io")
                async with locks[second]:
                    pass

        world.call(take, 0, 1)
        world.call(take, 1, 0)

    report = explore(scenario)
    assert report.problem is not None
    assert report.problem.kind == "every task waits"
    assert len(report.problem.outcome.stuck) == 2
    for name, line in zip(("take#1", "take#2"), sorted(report.problem.outcome.stuck), strict=True):
        assert line.startswith(f"{name} waits at test_waiting.py:")
        assert line.endswith("async with locks[second]:")
    assert report.problem.schedule == "take#1 starts; take#2 starts; io#1 ends; io#2 ends"


def test_a_wait_for_an_event_that_nobody_sets_is_reported() -> None:
    async def scenario(world: World) -> None:
        await asyncio.Event().wait()

    report = explore(scenario)
    assert report.problem is not None
    assert "scenario waits at test_waiting.py:" in report.problem.message


def test_a_run_without_end_is_cut_off() -> None:
    def scenario(world: World) -> None:
        async def spin() -> None:
            while True:  # noqa: ASYNC110 - a loop without end is what is tested
                await asyncio.sleep(0)

        world.call(spin)

    report = explore(scenario, max_steps=100)
    assert report.problem is not None
    assert report.problem.kind == "no end"
    assert "spin#1 goes on without end at test_waiting.py:" in report.problem.message


@pytest.mark.parametrize("swallows", [False, True])
def test_a_thread_is_refused_even_when_the_error_is_swallowed(swallows: bool) -> None:
    def scenario(world: World) -> None:
        async def work() -> None:
            try:
                await asyncio.to_thread(len, "abc")
            except RuntimeError:
                if not swallows:
                    raise

        world.call(work)

    with pytest.raises(
        OutsideRefusedError, match=r"run_in_executor was called at test_waiting.py:\d+; to_thread and"
    ):
        explore(scenario)


def test_real_sockets_and_processes_are_refused() -> None:
    def connecting(world: World) -> None:
        world.call(asyncio.open_connection, "localhost", 80)

    def executing(world: World) -> None:
        world.call(asyncio.create_subprocess_exec, "true")

    with pytest.raises(
        OutsideRefusedError, match=r"loop.create_connection was called .* sockets and pipes are real I/O"
    ):
        explore(connecting)
    with pytest.raises(OutsideRefusedError, match=r"world.fake\(...\) in its place"):
        explore(executing)


def test_a_thread_that_calls_into_the_loop_is_refused() -> None:
    errors: list[BaseException] = []

    def scenario(world: World) -> None:
        def from_a_thread() -> None:
            try:
                world.loop.call_soon_threadsafe(int)
            except ExplorationError as error:
                errors.append(error)

        thread = threading.Thread(target=from_a_thread)
        thread.start()
        thread.join()

    explore(scenario)
    assert "threads cannot be explored" in str(errors[0])


def test_an_exploration_inside_a_running_loop_is_refused() -> None:
    async def inside() -> None:
        explore(two_additions(Account))

    with pytest.raises(ExplorationError, match="started inside a running one"):
        asyncio.run(inside())


def test_a_scenario_that_changes_from_run_to_run_is_refused() -> None:
    runs: list[None] = []

    def scenario(world: World) -> None:
        runs.append(None)
        for number in range(2):
            world.call(world.fake("io"), name=f"run {len(runs)}.{number}")

    with pytest.raises(DivergedError, match="depends on something else than the schedule"):
        explore(scenario)


def test_queues_and_conditions_work() -> None:
    def scenario(world: World) -> list[int]:
        got: list[int] = []
        queue: asyncio.Queue[int] = asyncio.Queue(1)

        async def give() -> None:
            for number in range(3):
                await queue.put(number)

        async def take() -> None:
            for _ in range(3):
                got.append(await queue.get())
                await world.outside("work")

        async def both() -> None:
            await asyncio.gather(give(), take())

        world.call(both)
        return got

    report = explore(scenario)
    assert report.exhausted
    assert [found.outcome.state for found in report.serial] == [[0, 1, 2]]
    assert replay(scenario, "").outcome.state == [0, 1, 2]
