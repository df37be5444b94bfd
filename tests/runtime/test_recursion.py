"""A function that calls itself for ever meets the recursion limit inside the lane; the lane stays usable."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
from collections.abc import Iterator

import pytest

from lane_runtime import StateLane

from .conftest import outcome, until

pytestmark = pytest.mark.timeout(20)


def leaf() -> None: ...


def calling() -> None:
    leaf()


def failing() -> None:
    raise KeyError


async def coroutine() -> None: ...


async def suspending() -> None:
    await asyncio.sleep(0)


async def failing_coroutine() -> None:
    raise KeyError


WORKS = [leaf, calling, dict, {}.popitem, failing, coroutine, suspending, failing_coroutine]
each_work = pytest.mark.parametrize("work", WORKS, ids=lambda work: work.__name__)


@pytest.fixture
def low_limit() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(400)
    yield
    sys.setrecursionlimit(before)


async def below(frames: int, pending) -> None:
    """Shift where exactly the limit is met."""
    await (below(frames - 1, pending) if frames else pending)


@each_work
@pytest.mark.parametrize("options", [{}, {"observer": lambda event: None}], ids=["plain", "observed"])
@pytest.mark.parametrize("frames", range(4))
@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited")
def test_the_lane_is_free_after_an_endless_recursion(low_limit, work, options, frames):
    async def main():
        # What the loop logs on the way is its own want of room.
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
        lane = StateLane(**options)

        async def walk():
            with contextlib.suppress(KeyError):
                await lane.run(work)
            await walk()

        # 3.12 in development mode: a weak reference made at the limit ends in a SystemError of CPython.
        with pytest.raises((RecursionError, SystemError)):
            await below(frames, walk())
        await asyncio.wait_for(until(lambda: not lane.stats().active, steps=10**6), 10)
        assert await asyncio.wait_for(lane.run(lambda: "free"), 10) == "free"

    asyncio.run(main())


@each_work
@pytest.mark.parametrize("frames", range(4))
@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited")
def test_no_request_is_lost_when_an_endless_recursion_waits_in_line(low_limit, work, frames):
    async def main():
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
        lane = StateLane()
        is_over = False

        async def keep_the_lane_busy():
            while not is_over:
                await lane.run(suspending)

        async def walk():
            with contextlib.suppress(KeyError):
                await lane.run(work)
            await walk()

        others = [asyncio.create_task(keep_the_lane_busy()) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises((RecursionError, SystemError)):
            await below(frames, walk())
        is_over = True
        await asyncio.wait_for(asyncio.gather(*others), 10)
        assert await asyncio.wait_for(lane.run(lambda: "free"), 10) == "free"
        assert not lane.stats().queued

    asyncio.run(main())


@pytest.mark.parametrize("frames", range(4))
@pytest.mark.parametrize("is_busy", [False, True])
@pytest.mark.parametrize("is_in_a_loop", [False, True])
def test_every_accepted_post_of_an_endless_recursion_runs(low_limit, is_in_a_loop, is_busy, frames):
    lane = StateLane()
    accepted: list[int] = []
    ran: list[int] = []

    def walk(number: int = 0) -> None:
        if lane.try_post(ran.append, number):
            accepted.append(number)
        walk(number + 1)

    def start(frames: int) -> None:
        if frames:
            start(frames - 1)
        else:
            walk()

    async def in_this_thread(function, argument):
        with pytest.raises(RecursionError) as failure:
            function(argument)
        return failure.value

    async def main():
        holder = asyncio.create_task(lane.run(asyncio.sleep, 0.01 if is_busy else 0))
        await asyncio.sleep(0)
        if not is_busy:
            await holder
        failure = await (
            in_this_thread(start, frames) if is_in_a_loop else outcome(asyncio.to_thread(start, frames))
        )
        assert isinstance(failure, RecursionError)
        await asyncio.wait_for(holder, 10)
        await asyncio.wait_for(lane.close(), 10)

    asyncio.run(main())
    assert ran == accepted
    assert len(accepted) > 50


@pytest.mark.parametrize("frames", range(4))
def test_a_post_to_a_free_lane_at_the_limit_is_refused_or_runs(low_limit, frames):
    accepted: list[StateLane] = []
    lanes: list[StateLane] = []
    ran: list[StateLane] = []

    def walk() -> None:
        lanes.append(lane := StateLane())
        if lane.try_post(ran.append, lane):
            accepted.append(lane)
        walk()

    def start(frames: int) -> None:
        if frames:
            start(frames - 1)
        else:
            walk()

    async def main():
        with pytest.raises(RecursionError):
            start(frames)
        for lane in lanes:
            await asyncio.wait_for(lane.close(), 10)

    asyncio.run(main())
    assert ran == accepted


@pytest.mark.parametrize("frames", range(4))
def test_a_turn_at_the_limit_that_leaves_a_request_behind_hands_the_lane_on(low_limit, frames):
    async def main():
        lane = StateLane()
        posted: list[int] = []
        ran: list[int] = []

        async def walk():
            def post() -> None:
                if lane.try_post(ran.append, 1):
                    posted.append(1)

            await lane.run(post)
            await walk()

        with pytest.raises(RecursionError):
            await below(frames, walk())
        await asyncio.wait_for(lane.close(), 10)
        assert ran == posted

    asyncio.run(main())


@each_work
def test_the_lane_is_free_after_an_endless_recursion_of_blocking_calls(low_limit, work):
    lane = StateLane()

    def walk():
        with contextlib.suppress(KeyError):
            lane.run_blocking(work)
        walk()

    def start(frames):
        return start(frames - 1) if frames else walk()

    for frames in range(4):
        with pytest.raises(RecursionError):
            start(frames)
        assert lane.run_blocking(lambda: "free", timeout=10) == "free"


def test_a_turn_that_fails_at_the_limit_wakes_the_thread_that_waits(low_limit):
    lane = StateLane()
    got: list[object] = []
    waiting = threading.Thread(target=lambda: got.append(lane.run_blocking(lambda: "next", timeout=10)))

    async def main():
        def work():
            if not waiting.is_alive():
                waiting.start()
                while not lane.stats().queued:
                    pass
            work()

        with pytest.raises(RecursionError):
            await lane.run(work)

    asyncio.run(main())
    waiting.join(10)
    assert got == ["next"]
