"""Every refusal names the lane or gate, the turn, and the way out, on one line without a full stop."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable

import pytest

from lane_runtime import (
    LaneError,
    LaneReentryError,
    OperationGate,
    StateLane,
    on_lane,
    run_all,
    start_detached,
    turn,
)

from .conftest import Held, outcome, settle, until


class Store:
    def __init__(self) -> None:
        self._lane = StateLane("store", capacity=0)

    @turn
    async def again(self) -> None:
        await self.read()

    @turn
    def read(self) -> int:
        return self._read()

    @on_lane
    def _read(self) -> int:
        return 1

    @turn
    def each(self):
        yield 1

    @turn
    async def with_child(self) -> None:
        await asyncio.create_task(self.read(), name="child")


async def own_turn() -> object:
    return await Store().again()


async def inherited() -> object:
    return await Store().with_child()


async def generator() -> object:
    return await Store().each()


async def outside() -> object:
    return Store()._read()


async def closed() -> object:
    store = Store()
    await store._lane.close()
    return await store.read()


async def full() -> object:
    store = Store()
    async with Held(store._lane):
        return await outcome(store.read())


async def blocking_on_a_loop() -> object:
    return Store()._lane.run_blocking(int)


async def circle() -> object:
    first, second = StateLane("first"), StateLane("second")

    async def enter_second() -> None:
        await until(lambda: second.stats().active)
        await second.run(int)

    async def enter_first() -> object:
        await until(lambda: second.stats().queued == 1)
        return await outcome(first.run(int))

    task = asyncio.create_task(first.run(enter_second))
    await settle(1)
    error = await second.run(enter_first)
    await task
    return error


async def gate_in_turn() -> object:
    return await StateLane("store").run(OperationGate("socket").__aenter__)


async def gate_twice() -> object:
    gate = OperationGate("socket")
    async with gate:
        return await outcome(gate.__aenter__())


async def gate_left_by_a_stranger() -> object:
    return await OperationGate("socket").__aexit__(None, None, None)


async def gate_disposed() -> object:
    gate = OperationGate("socket")
    await gate.dispose(int)
    return await gate.__aenter__()


async def detached_without_coroutine() -> object:
    return await start_detached(int)


async def no_lane() -> object:
    store = Store()
    store._lane = None
    return await store.read()


MESSAGES = {
    own_turn: "lane 'store' is running this very turn (Store.again (F:N), entered in own_turn (F:N)); "
    "call the ..._on_lane body directly instead of running Store.read (F:N)",
    inherited: "lane 'store' is still in the turn Store.with_child (F:N), entered in inherited (F:N), which "
    "task 'child' inherited; start it with start_detached(...) or under suppress_lane_context() instead of "
    "running Store.read (F:N) inside the turn",
    generator: "lane 'store' got a generator from Store.each (F:N), whose body would run after the turn; "
    "collect its items inside the turn and return a list",
    outside: "Store._read (F:N) may only run inside a turn of lane 'store'; call it from a @turn method or "
    "hand it to lane.run",
    closed: "lane 'store' is closed and refused Store.read (F:N); stop its callers before close(), or make "
    "a new lane",
    full: "lane 'store' has 0 waiting requests, its capacity, behind Held._turn (F:N) and refused "
    "Store.read (F:N); retry later or raise the capacity",
    blocking_on_a_loop: "run_blocking(int) on lane 'store' would stop the event loop of this thread; "
    "use 'await lane.run(...)' here",
    circle: "lane 'first' cannot be entered for int inside the turn of lane 'second' "
    "(circle.<locals>.enter_first (F:N), entered in circle (F:N)): the turns wait for each other, "
    "'second' -> 'first' -> 'second'; enter the lanes in one order with run_all([...], work)",
    gate_in_turn: "gate 'socket' cannot be entered inside a turn of lane 'store' "
    "(OperationGate.__aenter__ (F:N), entered in gate_in_turn (F:N)); enter the gate first and the lane "
    "inside it",
    gate_twice: "gate 'socket' is held by this very task 'T', which would wait for itself; do the inner "
    "part without the gate, or leave it first",
    gate_left_by_a_stranger: "gate 'socket' was left by a task that does not hold it; enter and leave it in "
    "one task with 'async with'",
    gate_disposed: "gate 'socket' was disposed of; make a new resource and a new gate for it",
    detached_without_coroutine: "start_detached got int from <class 'int'> instead of a coroutine; pass the "
    "async function itself and its arguments",
    no_lane: "Store.read (F:N) was called on a Store whose '_lane' is no lane but NoneType; set self._lane = "
    "StateLane() in __init__",
}


@pytest.mark.parametrize("case", MESSAGES, ids=lambda case: case.__name__)
def test_refusals_name_the_lane_the_turn_and_the_way_out(case: Callable[[], Awaitable[object]]) -> None:
    error = asyncio.run(outcome(case()))
    assert isinstance(error, LaneError)
    text = re.sub(r"\w+\.py:\d+", "F:N", str(error))
    text = re.sub(r"'Task-\d+'", "'T'", text)
    assert text == MESSAGES[case]
    assert "\n" not in text
    assert not text.endswith(".")


def test_run_all_names_the_lane_that_was_given_twice() -> None:
    lane = StateLane("store")
    error = asyncio.run(outcome(run_all([lane, lane], int)))
    assert str(error) == "lane 'store' was given to run_all twice; give each lane once"


def test_a_transfer_that_enters_one_of_its_lanes_again_is_named_with_the_right_way_out(run):
    async def main():
        giver, taker = StateLane("giver"), StateLane("taker")
        said = []

        async def transfer():
            said.append(str(await outcome(giver.run(int))))
            said.append(str(await outcome(taker.run(int))))

        await run_all([giver, taker], transfer)
        for name, text in zip(["giver", "taker"], said, strict=True):
            assert text.startswith(f"lane {name!r} is running this very turn (")
            assert "transfer (test_messages.py" in text
            assert "call the ..._on_lane body directly" in text
            assert "_run_all.py" not in text

    run(main())


def test_the_observer_of_a_lane_of_a_transfer_hears_the_name_of_the_work(run):
    async def main():
        names = []
        lanes = [StateLane(observer=lambda event: names.append(event.work)) for _ in range(2)]
        await run_all(lanes, str)
        assert set(names) == {"str"}

    run(main())


def test_the_message_names_lane_turn_entry_and_the_way_out(run):
    class Pool:
        def __init__(self) -> None:
            self._lane = StateLane("pool")

        async def take(self):
            return await self._lane.run(self._take)

        async def _take(self):
            return await self.give()

        async def give(self):
            return await self._lane.run(self._give)

        def _give(self): ...

    async def main():
        with pytest.raises(LaneReentryError) as caught:
            await Pool().take()
        message = str(caught.value)
        assert message.startswith("lane 'pool' is running this very turn (")
        assert "Pool._take (test_messages.py:" in message
        assert "entered in" in message
        assert "Pool.take (test_messages.py:" in message
        assert "call the ..._on_lane body directly instead of running" in message
        assert "Pool._give (test_messages.py:" in message
        assert not message.endswith(".")

    run(main())


def test_unnamed_lanes_have_distinct_names():
    names = {StateLane().name for _ in range(100)}
    assert len(names) == 100
    assert StateLane("given").name == "given"
