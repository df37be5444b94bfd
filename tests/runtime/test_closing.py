"""Closing: what was accepted is finished, the rest refused."""

from __future__ import annotations

import asyncio

from lane_runtime import LaneReentryError, StateLane

from .conftest import Held, outcome, settle, until


def test_close_finishes_what_was_accepted_and_refuses_the_rest(run):
    async def main():
        lane = StateLane()
        order: list[str] = []
        async with Held(lane) as held:
            waiting = asyncio.create_task(lane.run(order.append, "waiting"))
            await settle()
            lane.try_post(order.append, "posted")
            closing = asyncio.create_task(lane.close())
            await settle()
            assert lane.stats().closed
            assert not closing.done()
            assert lane.try_post(order.append, "late") is False
            held.release()
            await closing
            assert order == ["waiting", "posted"]
        await waiting
        assert lane.stats().queued == 0

    run(main())


def test_close_works_from_many_tasks_and_twice(run):
    async def main():
        lane = StateLane()
        async with Held(lane) as held:
            tasks = [asyncio.create_task(lane.close()) for _ in range(3)]
            await settle()
            held.release()
            await asyncio.gather(*tasks)
        await lane.close()
        await lane.close()

    run(main())


def test_close_inside_a_turn_is_reentry(run):
    async def main():
        lane = StateLane("mine")
        assert isinstance(await outcome(lane.run(lane.close)), LaneReentryError)
        assert not lane.stats().closed
        assert await lane.run(lambda: 1) == 1

    run(main())


def test_a_cancelled_close_leaves_the_lane_closed_and_draining(run):
    async def main():
        lane = StateLane()
        order: list[str] = []
        async with Held(lane):
            lane.try_post(order.append, "posted")
            closing = asyncio.create_task(outcome(lane.close()))
            await settle()
            closing.cancel()
            assert isinstance(await closing, asyncio.CancelledError)
            assert lane.stats().closed
        await lane.close()
        assert order == ["posted"]

    run(main())


def test_async_with_closes(run):
    async def main():
        order: list[str] = []
        async with StateLane() as lane:
            lane.try_post(order.append, "posted")
        assert order == ["posted"]
        assert lane.try_post(print) is False

    run(main())


def test_withdrawing_the_last_request_of_a_closed_lane_lets_close_finish(run):
    async def main():
        lane = StateLane()
        async with Held(lane) as held:
            waiting = asyncio.create_task(outcome(lane.run(int)))
            await settle()
            closing = asyncio.create_task(lane.close())
            await settle()
            held.release()
            await until(lambda: lane.stats().queued == 0)
            waiting.cancel()  # granted, not started
            await closing
        assert isinstance(await waiting, asyncio.CancelledError)

    run(main())
