"""Cancellation and time-outs: before the grant, between grant and start, and during a turn."""

from __future__ import annotations

import asyncio
import gc
import sys
import time

import pytest

from lane_runtime import StateLane

from .conftest import Held, outcome, settle, until


def test_a_caller_cancelled_while_queued_is_withdrawn_exactly(run):
    async def main():
        lane = StateLane()
        ran: list[int] = []
        async with Held(lane):
            tasks = [asyncio.create_task(outcome(lane.run(ran.append, i))) for i in range(5)]
            await settle()
            for i in (1, 4):
                tasks[i].cancel()
            await settle()
            assert lane.stats().queued == 3
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert ran == [0, 2, 3]
        assert [isinstance(result, asyncio.CancelledError) for result in results] == [
            False, True, False, False, True,
        ]  # fmt: skip
        assert lane.stats().withdrawn == 2

    run(main())


def test_a_time_out_while_queued_means_that_the_turn_did_not_run(run):
    async def main():
        lane = StateLane()
        ran: list[int] = []
        async with Held(lane):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0):
                    await lane.run(ran.append, 1)
            assert asyncio.current_task().cancelling() == 0
            assert lane.stats().queued == 0
        assert ran == []

    run(main())


@pytest.mark.timeout(20)
def test_withdrawal_takes_constant_time(run):
    async def main():
        async def cancel_all(count: int) -> float:
            lane = StateLane()
            async with Held(lane):
                tasks = [asyncio.create_task(lane.run(int)) for _ in range(count)]
                await until(lambda: lane.stats().queued == count)
                begun = time.process_time()
                for task in reversed(tasks):
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                assert lane.stats().withdrawn == count
                assert lane.stats().queued == 0
                return time.process_time() - begun

        few = 100 if sys.flags.dev_mode else 1000  # the debug mode of asyncio is slow itself
        small = min([await cancel_all(few) for _ in range(3)])
        large = min([await cancel_all(20 * few) for _ in range(3)])
        assert large < 20 * small * 6  # linear in all; a scan for each withdrawal would be 20 times that

    run(main())


def test_a_turn_cancelled_between_grant_and_start_does_not_run_and_hands_the_lane_on(run):
    async def main():
        lane = StateLane()
        ran: list[str] = []
        async with Held(lane) as held:
            first = asyncio.create_task(outcome(lane.run(ran.append, "first")))
            second = asyncio.create_task(outcome(lane.run(ran.append, "second")))
            await settle()
            held.release()
            # The holder ends and grants in the next step of its task; cancel before the grantee's step.
            await until(lambda: lane.stats().queued == 1)
            first.cancel()
        assert isinstance(await first, asyncio.CancelledError)
        assert await second is None
        assert ran == ["second"]
        assert not lane.stats().active
        assert await lane.run(lambda: 3) == 3

    run(main())


def test_a_turn_cancelled_while_running_is_finished_first(run):
    async def main():
        lane = StateLane()
        go_on = asyncio.Event()
        steps: list[str] = []

        async def work():
            steps.append("begun")
            await go_on.wait()
            steps.append("ended")
            return "result"

        task = asyncio.create_task(lane.run(work))
        await until(lambda: steps == ["begun"])
        task.cancel("enough")
        task.cancel()
        for _ in range(3):
            await settle()
            assert not task.done()
            task.cancel()
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert steps == ["begun", "ended"]
        assert task.cancelled()
        assert lane.stats().turns == 1

    run(main())


def test_a_time_out_while_running_is_delivered_after_the_turn_and_leaves_no_trace(run):
    async def main():
        lane = StateLane()
        steps: list[str] = []
        scope = asyncio.timeout(None)

        async def work():
            scope.reschedule(0)
            await until(scope.expired)
            await settle()
            steps.append("ended")

        with pytest.raises(TimeoutError):
            async with scope:
                await lane.run(work)
        assert steps == ["ended"]
        assert asyncio.current_task().cancelling() == 0
        assert await lane.run(lambda: 1) == 1

    run(main())


def test_a_failure_of_a_cancelled_turn_becomes_the_cause_and_counts_as_retrieved(run):
    async def main():
        lane = StateLane()
        go_on = asyncio.Event()

        async def work():
            await go_on.wait()
            raise ValueError("turn")

        task = asyncio.create_task(lane.run(work))
        await until(lambda: lane.stats().active)
        await settle()
        task.cancel("enough")
        await settle()
        go_on.set()
        error = await outcome(task)
        assert isinstance(error, asyncio.CancelledError)
        assert isinstance(error.__cause__, ValueError)
        del error, task
        gc.collect()  # the fixture fails on "exception was never retrieved"

    run(main())


@pytest.mark.parametrize("messages", [["only"], ["first", "last"]])
def test_the_message_of_the_last_cancellation_arrives(run, messages):
    async def main():
        lane = StateLane()
        go_on = asyncio.Event()
        seen: list[object] = []

        async def call():
            try:
                await lane.run(go_on.wait)
            except asyncio.CancelledError as error:
                seen.append(error.args)
                raise

        task = asyncio.create_task(call())
        await settle()
        for message in messages:
            task.cancel(message)
            await settle()
        go_on.set()
        await outcome(task)
        assert seen == [(messages[-1],)]

    run(main())


@pytest.mark.parametrize("was_cancelled_before", [False, True])
def test_a_cancellation_between_the_end_and_the_next_step_is_delivered(run, was_cancelled_before):
    async def main():
        lane = StateLane()
        go_on = asyncio.Event()

        async def work():
            await go_on.wait()

        task = asyncio.create_task(lane.run(work))
        await settle()
        if was_cancelled_before:
            task.cancel()
            await settle()
        go_on.set()
        await until(lambda: not lane.stats().active)
        assert not task.done()
        task.cancel()
        assert isinstance(await outcome(task), asyncio.CancelledError)
        assert lane.stats().turns == 1

    run(main())


def test_a_task_group_that_fails_waits_for_the_running_turn_of_its_child(run):
    async def main():
        lane = StateLane()
        steps: list[str] = []

        async def work():
            await settle()
            steps.append("ended")

        async def fail():
            await settle(2)
            raise KeyError

        async def both():
            async with asyncio.TaskGroup() as group:
                group.create_task(lane.run(work))
                group.create_task(fail())

        assert isinstance(await outcome(both()), ExceptionGroup)
        assert steps == ["ended"]

    run(main())


def test_the_memory_of_the_line_is_given_back(run):
    async def main():
        lane = StateLane()
        async with Held(lane):
            tasks = [asyncio.create_task(lane.run(int)) for _ in range(10)]
            await settle()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            assert lane._line is None
        assert lane._line is None

    run(main())
