"""`OperationGate`: one operation at a time, one direction only, one disposal ever."""

from __future__ import annotations

import asyncio
import threading

import pytest

from lane_runtime import LaneAffinityError, LaneClosedError, LaneOrderError, OperationGate, StateLane

from .conftest import Held, outcome, settle, until

pytestmark = pytest.mark.timeout(20)


def test_waiting_for_a_lane_while_holding_a_gate_returns(run):
    async def main():
        gate, lane = OperationGate(), StateLane()

        async def operate(i: int) -> int:
            async with gate:
                claim = await lane.run(lambda: i)
                await asyncio.sleep(0)
                return await lane.run(lambda: claim)

        async with Held(lane) as held:
            tasks = [asyncio.create_task(operate(i)) for i in range(5)]
            await settle()
            held.release()
        assert await asyncio.gather(*tasks) == list(range(5))

    run(main())


def test_operations_run_one_at_a_time_in_the_order_of_arrival(run):
    async def main():
        gate = OperationGate()
        order: list[str] = []

        async def operate(i: int) -> None:
            async with gate:
                order.append(f"{i} begun")
                await settle(3)
                order.append(f"{i} ended")

        await asyncio.gather(*(operate(i) for i in range(4)))
        assert order == [f"{i} {what}" for i in range(4) for what in ("begun", "ended")]
        assert not gate.is_held

    run(main())


@pytest.mark.parametrize("kind", ["plain", "coroutine", "child"])
def test_the_gate_is_refused_inside_a_turn_even_when_it_is_free(run, kind):
    async def main():
        gate, lane = OperationGate("socket"), StateLane("state")

        async def enter():
            async with gate:
                raise AssertionError

        async def work():
            return await outcome(asyncio.create_task(enter()) if kind == "child" else enter())

        def plain():
            with pytest.raises(LaneOrderError):
                enter().send(None)

        if kind == "plain":
            await lane.run(plain)
            return
        error = await lane.run(work)
        assert isinstance(error, LaneOrderError)
        assert "gate 'socket'" in str(error)
        assert "lane 'state'" in str(error)
        assert "enter the gate first" in str(error)
        assert isinstance(await outcome(lane.run(gate.dispose, print)), LaneOrderError)
        assert not gate.is_held
        assert not gate.is_disposed

    run(main())


def test_the_holder_cannot_enter_again(run):
    async def main():
        gate = OperationGate("socket")
        async with gate:
            with pytest.raises(LaneOrderError, match="gate 'socket' is held by this very task"):
                await gate.__aenter__()
            with pytest.raises(LaneOrderError, match="gate 'socket'"):
                await gate.dispose(print)
        assert not gate.is_held

    run(main())


def test_a_task_that_does_not_hold_the_gate_cannot_leave_it(run):
    async def main():
        gate = OperationGate()
        async with gate:
            error = await asyncio.create_task(outcome(gate.__aexit__(None, None, None)))
            assert isinstance(error, LaneOrderError)
            assert gate.is_held

    run(main())


def test_only_a_task_can_enter():
    with pytest.raises(LaneAffinityError):
        OperationGate().__aenter__().send(None)


def test_a_cancelled_waiter_passes_the_gate_on(run):
    async def main():
        gate = OperationGate()
        order: list[int] = []

        async def operate(i: int) -> None:
            async with gate:
                order.append(i)

        async with gate:
            tasks = [asyncio.create_task(outcome(operate(i))) for i in range(3)]
            await settle()
            tasks[0].cancel()  # still queued
            await settle()
        tasks[1].cancel()  # granted, not started
        await asyncio.gather(*tasks, return_exceptions=True)
        assert order == [2]
        assert not gate.is_held

    run(main())


def test_disposal_happens_exactly_once_after_the_accepted_operations(run):
    async def main():
        gate = OperationGate("socket")
        order: list[str] = []

        async def operate(name: str) -> None:
            async with gate:
                await settle(3)
                order.append(name)

        async def close_socket(name: str) -> str:
            order.append(name)
            await asyncio.sleep(0)
            return name

        accepted = [asyncio.create_task(operate(name)) for name in "ab"]
        await asyncio.sleep(0)
        disposals = [asyncio.create_task(gate.dispose(close_socket, f"close {i}")) for i in range(3)]
        await asyncio.sleep(0)
        late = await outcome(operate("late"))
        assert isinstance(late, LaneClosedError)
        assert "gate 'socket'" in str(late)
        assert await asyncio.gather(*disposals) == ["close 0"] * 3
        assert await gate.dispose(close_socket, "again") == "close 0"
        await asyncio.gather(*accepted)
        assert order == ["a", "b", "close 0"]
        assert gate.is_disposed

    run(main())


def test_disposal_survives_the_cancellation_of_its_caller(run):
    async def main():
        gate = OperationGate()
        go_on = asyncio.Event()

        async def close_socket() -> str:
            await go_on.wait()
            return "closed"

        first = asyncio.create_task(outcome(gate.dispose(close_socket)))
        second = asyncio.create_task(gate.dispose(close_socket))
        await settle()
        first.cancel()
        await settle()
        go_on.set()
        assert isinstance(await first, asyncio.CancelledError)
        assert await second == "closed"

    run(main())


def test_a_failed_disposal_reaches_every_caller_and_is_not_repeated(run):
    async def main():
        gate = OperationGate()
        calls: list[int] = []

        def fail() -> None:
            calls.append(1)
            raise OSError("broken")

        for error in await asyncio.gather(gate.dispose(fail), gate.dispose(fail), return_exceptions=True):
            assert isinstance(error, OSError)
        assert isinstance(await outcome(gate.dispose(fail)), OSError)
        assert calls == [1]

    run(main())


def test_a_failed_disposal_that_nobody_waits_for_is_reported(loop_factory):
    async def main():
        seen: list[object] = []
        asyncio.get_running_loop().set_exception_handler(
            lambda loop, context: seen.append(type(context["exception"]))
        )
        gate = OperationGate()

        async def fail():
            await settle(5)
            raise OSError

        task = asyncio.create_task(outcome(gate.dispose(fail)))
        await settle(2)
        task.cancel()
        await task
        await until(lambda: bool(seen))
        assert seen == [OSError]

    with asyncio.Runner(loop_factory=loop_factory) as runner:
        runner.run(main())


def test_tasks_of_several_loops_share_a_gate(loop_factory):
    gate = OperationGate()
    inside = 0

    async def operate():
        nonlocal inside
        for _ in range(50):
            async with gate:
                inside += 1
                assert inside == 1
                await asyncio.sleep(0)
                inside -= 1

    def serve():
        with asyncio.Runner(loop_factory=loop_factory) as runner:
            runner.run(operate())

    threads = [threading.Thread(target=serve) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert inside == 0
    assert not gate.is_held


def test_a_gate_held_by_a_task_of_a_closed_loop_is_taken_over(loop_factory):
    gate = OperationGate()
    dying, living = loop_factory(), loop_factory()

    async def hold():
        await gate.__aenter__()

    async def use():
        async with gate:
            return "used"

    dying.run_until_complete(hold())
    dying.close()
    assert living.run_until_complete(use()) == "used"
    living.close()


def test_gates_show_name_and_state(run):
    async def main():
        gate = OperationGate("socket")
        assert repr(gate) == "<OperationGate 'socket' free, 0 waiting>"
        async with gate:
            assert repr(gate) == "<OperationGate 'socket' held, 0 waiting>"
        await gate.dispose(int)
        assert repr(gate) == "<OperationGate 'socket' disposed, 0 waiting>"
        assert OperationGate().name != OperationGate().name

    run(main())
