"""Work that is started in a turn and is not to be part of it."""

from __future__ import annotations

import asyncio
import sys

import pytest

from lane_runtime import (
    LaneAffinityError,
    LaneMisuseError,
    LaneReentryError,
    StateLane,
    start_detached,
    suppress_lane_context,
)

from .conftest import outcome, settle, until


@pytest.mark.parametrize("way", ["task", "thread"])
def test_what_is_started_under_suppress_waits_for_the_lane_instead_of_being_refused(run, way):
    async def main():
        lane = StateLane()
        order: list[str] = []

        async def parent():
            with suppress_lane_context():
                if way == "task":
                    child = asyncio.create_task(lane.run(order.append, "child"))
                else:
                    child = asyncio.create_task(asyncio.to_thread(lane.run_blocking, order.append, "child"))
            await until(lambda: lane.stats().queued == 1, steps=100_000)
            order.append("parent")
            return child

        await (await lane.run(parent))
        assert order == ["parent", "child"]

    run(main())


@pytest.mark.timeout(10)
def test_the_task_that_suppresses_is_still_on_its_lane(run):
    async def main():
        lane, other = StateLane("mine"), StateLane()

        async def work():
            with suppress_lane_context():
                assert lane.is_on_lane
                assert StateLane.current() is lane
                with pytest.raises(LaneReentryError, match="lane 'mine'"):
                    await lane.run(lambda: None)
                with suppress_lane_context():
                    assert lane.is_on_lane
                assert await other.run(lambda: lane.is_on_lane)
                assert isinstance(await outcome(other.run(lane.run, int)), LaneReentryError)
            assert lane.is_on_lane

        await lane.run(work)
        with suppress_lane_context():
            assert await lane.run(lambda: 1) == 1

    run(main())


def test_start_detached_runs_even_the_first_steps_outside_the_turn(run):
    async def main():
        lane = StateLane()
        order: list[str] = []

        async def loop_of_retries(name: str) -> str:
            order.append(name)
            assert StateLane.current() is None
            return await lane.run(lambda: "in " + name)

        def plain():
            future = start_detached(loop_of_retries, "plain")
            order.append("after plain")
            return future

        async def coroutine():
            future = start_detached(loop_of_retries, "coroutine")
            order.append("after coroutine")
            await settle()
            return future

        assert await (await lane.run(plain)) == "in plain"
        assert await (await lane.run(coroutine)) == "in coroutine"
        assert order == ["after plain", "plain", "after coroutine", "coroutine"]

    run(main())


def test_start_detached_is_outside_of_a_plain_turn_under_an_eager_task_factory():
    if sys.version_info < (3, 12):
        pytest.skip("eager tasks exist from 3.12 on")

    async def main():
        asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)
        lane = StateLane()

        async def enter() -> bool:
            is_on = lane.is_on_lane
            await lane.run(lambda: None)
            return is_on

        assert await (await lane.run(lambda: start_detached(enter))) is False

    asyncio.run(main())


def test_the_future_of_start_detached_cancels_its_task_and_gives_its_errors(run):
    async def main():
        seen: list[str] = []

        async def wait_long():
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                seen.append("cancelled")
                raise

        future = start_detached(wait_long)
        await settle()
        future.cancel()
        assert isinstance(await outcome(future), asyncio.CancelledError)
        assert seen == ["cancelled"]

        unstarted = start_detached(wait_long)
        unstarted.cancel()
        assert isinstance(await outcome(unstarted), asyncio.CancelledError)

        async def fail():
            raise KeyError("detached")

        assert isinstance(await outcome(start_detached(fail)), KeyError)
        assert isinstance(await outcome(start_detached(lambda: 3)), LaneMisuseError)

    run(main())


def test_start_detached_needs_a_running_loop():
    async def never():
        raise AssertionError

    with pytest.raises(LaneAffinityError, match="running event loop"):
        start_detached(never)
