"""Section 8 of the state lane contract, one test for each item, on what is public alone."""

from __future__ import annotations

import asyncio
import random

import pytest

from lane_runtime import LaneClosedError, LaneReentryError, StateLane, on_lane, start_detached, turn

from .conftest import Held, settle


class Counter:
    def __init__(self) -> None:
        self._lane = StateLane("counter")
        self.value = 0

    @turn
    async def add_slowly(self) -> None:
        seen = self.value
        await asyncio.sleep(0)
        self.value = seen + 1

    @turn
    def add(self) -> None:
        self.value += 1

    @turn
    def read(self) -> int:
        return self.value


# Single execution and order


def test_no_update_is_lost_between_concurrent_callers(run):
    async def main():
        counter = Counter()
        calls = [counter.add_slowly() if i % 2 else counter.add() for i in range(200)]
        random.Random(1).shuffle(calls)
        await asyncio.gather(*calls)
        assert await counter.read() == 200

    run(main())


def test_turns_run_in_the_order_posted(run):
    async def main():
        lane = StateLane("ordered")
        order: list[int] = []

        async def slow(i: int) -> None:
            await asyncio.sleep(0)
            order.append(i)

        tasks = []
        for i in range(60):
            if i % 3 == 0:
                assert lane.try_post(order.append, i)
            elif i % 3 == 1:
                tasks.append(asyncio.create_task(lane.run(order.append, i)))
                await asyncio.sleep(0)
            else:
                tasks.append(asyncio.create_task(lane.run(slow, i)))
                await asyncio.sleep(0)
        await asyncio.gather(*tasks)
        await lane.close()
        assert order == list(range(60))

    run(main())


def test_a_closed_lane_raises_for_run_and_returns_false_for_try_post(run):
    async def main():
        lane = StateLane("shut")
        await lane.close()
        with pytest.raises(LaneClosedError, match="lane 'shut' is closed"):
            await lane.run(lambda: 1)
        assert lane.try_post(lambda: 1) is False
        assert lane.stats().turns == 0

    run(main())


# Re-entry


class Table:
    def __init__(self) -> None:
        self._lane = StateLane("table")
        self.rows: dict[str, int] = {}

    @turn
    def put(self, key: str, value: int) -> None:
        self._put_on_lane(key, value)

    @on_lane
    def _put_on_lane(self, key: str, value: int) -> None:
        self.rows[key] = value

    @turn
    async def put_through_the_public_door(self, key: str, value: int) -> None:
        await self.put(key, value)

    @turn
    def put_directly(self, key: str, value: int) -> None:
        self._put_on_lane(key, value)


@pytest.mark.timeout(10)
def test_reentry_ends_with_an_error_at_the_call(run):
    async def main():
        table = Table()
        with pytest.raises(LaneReentryError, match=r"lane 'table'.*put_through_the_public_door.*Table.put"):
            await table.put_through_the_public_door("a", 1)
        await table.put_directly("a", 2)
        assert table.rows == {"a": 2}

    run(main())


def test_a_long_task_started_in_a_turn_enters_the_lane_after_it(run):
    async def main():
        counter = Counter()
        turn_is_over = asyncio.Event()

        async def retry_later() -> None:
            await turn_is_over.wait()
            await counter.add()

        def start() -> asyncio.Task[None]:
            return asyncio.create_task(retry_later())

        async def start_in_coroutine() -> asyncio.Task[None]:
            return asyncio.create_task(retry_later())

        tasks = [await counter._lane.run(start), await counter._lane.run(start_in_coroutine)]
        turn_is_over.set()
        await asyncio.gather(*tasks)
        assert await counter.read() == 2

    run(main())


def test_a_long_task_with_a_synchronous_prefix_enters_the_lane_after_the_turn(run):
    async def main():
        counter = Counter()
        seen: list[bool] = []

        async def enter_at_once() -> None:
            seen.append(counter._lane.is_on_lane)
            await counter.add()

        async def start() -> asyncio.Future[None]:
            future = start_detached(enter_at_once)
            await settle()
            counter.value += 10
            return future

        await (await counter._lane.run(start))
        assert seen == [False]
        assert counter.value == 11

    run(main())


def test_an_external_callback_runs_outside_the_turn_and_sees_the_whole_transition(run):
    async def main():
        lane = StateLane("session")
        state = {"phase": "idle", "owner": None}
        seen: list[object] = []

        async def callback() -> str:
            seen.append((lane.is_on_lane, await lane.run(lambda: dict(state))))
            return "result"

        def claim() -> None:
            state.update(phase="opening", owner="placeholder")

        await lane.run(claim)
        result = await callback()
        await lane.run(lambda: state.update(phase="open", owner=result))
        assert seen == [(False, {"phase": "opening", "owner": "placeholder"})]
        assert state == {"phase": "open", "owner": "result"}

    run(main())


# Boundaries of completion


def test_a_completion_signalled_inside_a_turn_continues_without_reentry(run):
    async def main():
        counter = Counter()
        ready = asyncio.get_running_loop().create_future()

        async def dependent() -> int:
            await ready
            await counter.add()
            return await counter.read()

        async def signal() -> None:
            ready.set_result(None)
            await settle()  # the dependent runs meanwhile, and queues behind this turn
            assert counter.value == 0

        waiting = asyncio.create_task(dependent())
        await settle()
        await counter._lane.run(signal)
        assert await waiting == 1

    run(main())


def test_the_continuation_of_a_turn_never_runs_inside_it(run):
    async def main():
        lane = StateLane("done")
        async with Held(lane) as held:
            tasks = [asyncio.create_task(lane.run(asyncio.sleep, 0)) for _ in range(3)]
            seen: list[bool] = []
            for task in tasks:
                task.add_done_callback(lambda _: seen.append(lane.is_on_lane))
            held.release()
            await asyncio.gather(*tasks)
        await settle()
        assert seen == [False] * 3

    run(main())


def test_a_registration_is_complete_when_the_caller_sees_the_return(run):
    async def main():
        lane = StateLane("waiters")
        waiters: set[str] = set()

        async def register(key: str) -> bool:
            await lane.run(waiters.add, key)
            return key in waiters

        async with Held(lane):
            pending = [asyncio.create_task(register(str(i))) for i in range(5)]
            await settle()
            assert not waiters
        assert await asyncio.gather(*pending) == [True] * 5

    run(main())
