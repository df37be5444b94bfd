"""The bridge from threads: what it runs, and what it refuses."""

from __future__ import annotations

import asyncio
import threading
from contextlib import closing

import pytest

from lane_runtime import (
    LaneAffinityError,
    LaneClosedError,
    LaneMisuseError,
    LaneReentryError,
    StateLane,
    _blocking,
)

from .conftest import HeldByThread, poll, settle

pytestmark = pytest.mark.timeout(20)


def in_thread(function, *args, **kwargs) -> tuple[threading.Thread, list[object]]:
    results: list[object] = []

    def call() -> None:
        try:
            results.append(function(*args, **kwargs))
        except BaseException as error:
            results.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    return thread, results


def test_plain_work_runs_in_the_calling_thread():
    lane = StateLane()
    assert lane.run_blocking(threading.get_ident) == threading.get_ident()
    assert lane.run_blocking(lambda: (StateLane.current(), lane.is_on_lane)) == (lane, True)
    with pytest.raises(ZeroDivisionError):
        lane.run_blocking(divmod, 1, 0)
    assert not lane.stats().active


def test_coroutine_work_runs_on_the_loop_of_the_runtime():
    lane = StateLane()

    async def work(value: int):
        await asyncio.sleep(0)
        return value, StateLane.current(), threading.current_thread() is threading.main_thread()

    assert lane.run_blocking(work, 3) == (3, lane, False)

    async def fail():
        raise ValueError("turn")

    with pytest.raises(ValueError, match="turn"):
        lane.run_blocking(fail)

    def generator():
        yield

    with pytest.raises(LaneMisuseError):
        lane.run_blocking(generator)
    assert not lane.stats().active


def test_threads_get_the_lane_in_the_order_of_their_calls():
    lane = StateLane()
    order: list[int] = []
    with HeldByThread(lane):
        threads = []
        for i in range(5):
            threads.append(in_thread(lane.run_blocking, order.append, i)[0])
            poll(lambda i=i: lane.stats().queued == i + 1)
    for thread in threads:
        thread.join()
    assert order == list(range(5))


def test_a_thread_and_a_loop_share_a_lane(run):
    async def main():
        lane = StateLane()
        with HeldByThread(lane) as held:
            task = asyncio.create_task(lane.run(lambda: "task"))
            await asyncio.sleep(0)
            assert lane.stats().queued == 1
            held.may_end.set()
            assert await task == "task"

    run(main())


def test_it_is_refused_on_a_thread_whose_loop_runs(run):
    async def main():
        lane = StateLane("main")
        with pytest.raises(LaneAffinityError, match=r"lane 'main'.*await lane.run"):
            lane.run_blocking(lambda: None)

    run(main())


def test_it_is_refused_in_a_turn_of_the_lane():
    lane = StateLane("mine")
    with pytest.raises(LaneReentryError, match="lane 'mine'"):
        lane.run_blocking(lane.run_blocking, int)

    async def coroutine():
        await asyncio.to_thread(lane.run_blocking, int)

    with pytest.raises(LaneReentryError, match="thread 'asyncio"):
        lane.run_blocking(coroutine)
    assert lane.run_blocking(lambda: 1) == 1


@pytest.mark.parametrize("kind", ["run", "post"])
def test_it_is_refused_when_the_turn_ahead_lives_on_the_paused_loop_of_this_thread(loop_factory, kind):
    lane = StateLane("paused")
    may_end = asyncio.Event()

    async def main() -> object:
        if kind == "post":
            lane.try_post(may_end.wait)
            task = None
        else:
            task = asyncio.ensure_future(lane.run(may_end.wait))
        await settle()
        return task

    with closing(loop_factory()) as loop:
        kept = loop.run_until_complete(main())
        with pytest.raises(LaneAffinityError, match=r"lane 'paused'.*paused on this thread"):
            lane.run_blocking(lambda: None)
        may_end.set()
        loop.run_until_complete(lane.run(lambda: kept))
        assert lane.run_blocking(lambda: 1) == 1


def test_it_is_refused_when_a_request_ahead_lives_on_the_paused_loop_of_this_thread(loop_factory):
    lane = StateLane("paused")

    async def queue() -> asyncio.Future[int]:
        task = asyncio.ensure_future(lane.run(lambda: 2))
        await settle()
        return task

    with closing(loop_factory()) as loop:
        with HeldByThread(lane):
            task = loop.run_until_complete(queue())
            with pytest.raises(LaneAffinityError, match=r"lane 'paused'.*paused on this thread"):
                lane.run_blocking(lambda: None)
        # Granted by now, but the loop that could use the grant is still paused.
        with pytest.raises(LaneAffinityError, match=r"lane 'paused'.*paused on this thread"):
            lane.run_blocking(lambda: None)
        assert loop.run_until_complete(task) == 2


def test_a_closed_lane_refuses():
    lane = StateLane()
    asyncio.run(lane.close())
    with pytest.raises(LaneClosedError):
        lane.run_blocking(lambda: None)


def test_a_component_shows_both_surfaces_and_the_blocking_one_is_complete_at_return():
    class Switch:
        def __init__(self) -> None:
            self._lane = StateLane("switch")
            self.level = 0

        async def set_level(self, level: int) -> None:
            await self._lane.run(self._set_level, level)

        def set_level_blocking(self, level: int) -> None:
            self._lane.run_blocking(self._set_level, level)

        def _set_level(self, level: int) -> None:
            self.level = level

    switch = Switch()
    switch.set_level_blocking(2)
    assert switch.level == 2
    asyncio.run(switch.set_level(3))
    assert switch.level == 3


def test_a_post_of_this_thread_is_waited_for_while_the_runtime_loop_is_only_starting(monkeypatch):
    may_serve = threading.Event()

    class SlowToStart(_blocking._RuntimeLoop):
        @staticmethod
        def _serve(loop):
            may_serve.wait()
            _blocking._RuntimeLoop._serve(loop)

    monkeypatch.setattr(_blocking, "_runtime", starting := SlowToStart())
    starter = threading.Thread(target=starting.get)
    starter.start()
    poll(lambda: starting._loop is not None)
    lane = StateLane()
    order: list[str] = []

    def post_and_wait():
        lane.try_post(order.append, "post")
        try:
            lane.run_blocking(order.append, "blocking")
        except LaneAffinityError as error:
            order.append(str(error))

    caller = threading.Thread(target=post_and_wait)
    caller.start()
    poll(lambda: lane.stats().queued == 1 or not caller.is_alive())
    may_serve.set()
    starter.join()
    caller.join()
    assert order == ["post", "blocking"]
    starting.stop()
