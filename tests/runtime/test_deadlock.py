"""Nested lanes: circles are refused at the call that closes them; `run_all` has none."""

from __future__ import annotations

import asyncio
import random
import threading

import pytest

from lane_runtime import LaneDeadlockError, LaneReentryError, StateLane, run_all

from .conftest import Held, outcome, settle, until

pytestmark = pytest.mark.timeout(20)


def test_nested_turns_in_one_direction_finish(run):
    async def main():
        first, second = StateLane(), StateLane()

        async def outer(i: int) -> int:
            return await second.run(lambda: i)

        assert await asyncio.gather(*(first.run(outer, i) for i in range(20))) == list(range(20))

    run(main())


@pytest.mark.parametrize("size", [2, 3, 6])
def test_a_circle_of_turns_is_refused_at_the_call_that_closes_it(run, size):
    async def main():
        lanes = [StateLane(f"L{i}") for i in range(size)]
        entered = [asyncio.Event() for _ in lanes]

        async def hold_and_enter_next(i: int) -> str:
            entered[i].set()
            for event in entered:
                await event.wait()
            for _ in range(i):  # in order, so that the last one closes the circle
                await settle()
            return await lanes[(i + 1) % size].run(lambda: f"reached from {i}")

        results = await asyncio.gather(*(outcome(lanes[i].run(hold_and_enter_next, i)) for i in range(size)))
        errors = [result for result in results if isinstance(result, LaneDeadlockError)]
        assert len(errors) == 1
        assert results[-1] is errors[0]
        assert errors[0].path == (f"L{size - 1}", *(f"L{i}" for i in range(size)))
        message = str(errors[0])
        assert " -> ".join(repr(name) for name in errors[0].path) in message
        assert "run_all" in message
        assert results[0] == "reached from 0"
        assert all(not lane.stats().active and not lane.stats().queued for lane in lanes)

    run(main())


@pytest.mark.parametrize("kind", ["task", "gather"])
def test_a_circle_through_children_of_turns_is_found(run, kind):
    async def main():
        first, second = StateLane("first"), StateLane("second")
        both = asyncio.Barrier(2)

        async def enter(other: StateLane):
            await both.wait()
            if kind == "task":
                return await asyncio.create_task(other.run(lambda: "ran"))
            return (await asyncio.gather(asyncio.sleep(0), other.run(lambda: "ran")))[1]

        results = await asyncio.gather(outcome(first.run(enter, second)), outcome(second.run(enter, first)))
        assert sorted(type(result) for result in results if result != "ran") == [LaneDeadlockError]

    run(main())


def test_a_circle_behind_queued_turns_is_found(run):
    async def main():
        first, second = StateLane("first"), StateLane("second")
        order: list[str] = []

        async def from_first():
            await until(lambda: second.stats().queued == 1)
            return await second.run(order.append, "nested in first")

        async def nested_in_second():
            return await first.run(order.append, "never")

        async with Held(second) as held:
            ahead = asyncio.create_task(outcome(second.run(nested_in_second)))
            task = asyncio.create_task(outcome(first.run(from_first)))
            await until(lambda: second.stats().queued == 2)
            held.release()
        assert isinstance(await ahead, LaneDeadlockError)
        assert await task is None
        assert order == ["nested in first"]

    run(main())


def test_waiting_for_close_counts_as_waiting_for_the_lane(run):
    async def main():
        first, second = StateLane("first"), StateLane("second")
        both = asyncio.Barrier(2)

        async def close_second():
            await both.wait()
            await second.close()

        async def enter_first():
            await both.wait()
            await settle()
            await first.run(lambda: None)

        results = await asyncio.gather(outcome(first.run(close_second)), outcome(second.run(enter_first)))
        assert [type(result) for result in results] == [type(None), LaneDeadlockError]

    run(main())


def test_a_circle_of_threads_is_found():
    first, second = StateLane("first"), StateLane("second")
    barrier = threading.Barrier(2)
    results: list[object] = []

    def enter(own: StateLane, other: StateLane) -> None:
        def work() -> str:
            barrier.wait()
            return other.run_blocking(lambda: "ran")

        try:
            results.append(own.run_blocking(work))
        except LaneDeadlockError as error:
            results.append(error)

    threads = [threading.Thread(target=enter, args=pair) for pair in ((first, second), (second, first))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(isinstance(result, LaneDeadlockError) for result in results) == [False, True]
    assert "ran" in results


def test_a_circle_of_a_thread_and_a_task_is_found(run):
    async def main():
        first, second = StateLane("first"), StateLane("second")
        thread_is_in = threading.Event()

        def hold_second_and_enter_first() -> str:
            thread_is_in.set()
            return first.run_blocking(lambda: "ran")

        async def hold_first_and_enter_second():
            thread = asyncio.create_task(
                asyncio.to_thread(contextless, second.run_blocking, hold_second_and_enter_first)
            )
            await asyncio.to_thread(thread_is_in.wait)
            await until(lambda: first.stats().queued == 1, steps=100_000)
            with pytest.raises(LaneDeadlockError):
                await second.run(lambda: None)
            return thread

        thread = await first.run(hold_first_and_enter_second)
        assert await thread == "ran"

    def contextless(function, *args):
        import contextvars

        return contextvars.Context().run(function, *args)

    run(main())


def test_the_way_back_through_a_coroutine_on_the_runtime_loop_is_reentry():
    first, second = StateLane("first"), StateLane("second")

    async def back():
        await first.run(lambda: None)

    with pytest.raises(LaneReentryError, match="lane 'first'"):
        first.run_blocking(lambda: second.run_blocking(back))
    assert first.run_blocking(lambda: 1) == second.run_blocking(lambda: 1)


def test_a_wait_that_was_withdrawn_leaves_no_edge(run):
    async def main():
        first, second = StateLane("first"), StateLane("second")
        gave_up = asyncio.Event()

        async def try_second():
            await until(lambda: second.stats().active)
            try:
                async with asyncio.timeout(0):
                    await second.run(lambda: None)
            except TimeoutError:
                gave_up.set()
            await settle()

        async def enter_first():
            await gave_up.wait()
            return await first.run(lambda: "ran")

        results = await asyncio.gather(first.run(try_second), second.run(enter_first))
        assert results == [None, "ran"]

    run(main())


# run_all


class Account:
    def __init__(self, balance: int) -> None:
        self._lane = StateLane()
        self.balance = balance


def test_transfers_in_opposite_directions_finish_and_keep_the_sum(run):
    async def main():
        accounts = [Account(100) for _ in range(4)]

        async def transfer(source: Account, target: Account, amount: int) -> None:
            def move() -> None:
                source.balance -= amount
                target.balance += amount

            async def move_slowly() -> None:
                seen = source.balance, target.balance
                await asyncio.sleep(0)
                source.balance, target.balance = seen[0] - amount, seen[1] + amount

            await run_all([source._lane, target._lane], move if amount % 2 else move_slowly)

        dice = random.Random(3)
        await asyncio.gather(*(transfer(*dice.sample(accounts, 2), dice.randrange(9)) for _ in range(200)))
        assert sum(account.balance for account in accounts) == 400

    run(main())


def test_run_all_holds_every_lane_and_gives_the_result(run):
    async def main():
        lanes = [StateLane() for _ in range(3)]

        def look(*args: int) -> tuple[object, ...]:
            return (*args, *(lane.is_on_lane for lane in lanes))

        async def look_slowly(*args: int) -> tuple[object, ...]:
            await asyncio.sleep(0)
            return look(*args)

        assert await run_all(reversed(lanes), look, 1) == (1, True, True, True)
        assert await run_all(lanes, look_slowly, 2) == (2, True, True, True)
        assert await run_all(lanes[:1], look) == (True, False, False)

    run(main())


def test_run_all_refuses_duplicates_nothing_and_reentry(run):
    async def main():
        first, second = StateLane("first"), StateLane("second")
        with pytest.raises(ValueError, match=r"'first'.*twice"):
            await run_all([first, second, first], lambda: None)
        with pytest.raises(ValueError, match="at least one"):
            await run_all([], lambda: None)

        async def work():
            await run_all([first, second], lambda: None)

        with pytest.raises(LaneReentryError, match="'second'"):
            await second.run(work)
        assert first.stats().turns == 0

    run(main())
