"""A state machine over one lane: any sequence of steps keeps order, closing and cancellation right."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from lane_runtime import LaneClosedError, LaneFullError, StateLane

from .conftest import until


class LaneMachine(RuleBasedStateMachine):
    """The model: numbers in line, the one that runs, and what has ended, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.capacity: int | None = None
        self.number = 0
        self.line: list[int] = []
        self.running: int | None = None
        self.is_running_cancelled = False
        self.is_closed = False
        self.expected: list[int] = []
        self.ended: list[int] = []
        self.tasks: dict[int, asyncio.Task[int]] = {}
        self.gates: dict[int, asyncio.Event] = {}
        self.closers: list[asyncio.Task[None]] = []

    @initialize(capacity=st.sampled_from([None, None, 0, 1, 3]))
    def make(self, capacity: int | None) -> None:
        self.capacity = capacity
        self.lane = StateLane(capacity=capacity)

    def settle(self) -> None:
        async def steps() -> None:
            for _ in range(8):
                await asyncio.sleep(0)

        self.loop.run_until_complete(steps())

    async def work(self, number: int) -> int:
        await self.gates[number].wait()
        self.ended.append(number)
        return number

    def next_number(self) -> int:
        self.number += 1
        self.gates[self.number] = asyncio.Event()
        return self.number

    def is_refused(self) -> bool:
        is_full = self.capacity is not None and self.running is not None and len(self.line) >= self.capacity
        return self.is_closed or is_full

    def accept(self, number: int) -> None:
        if self.running is None:
            self.running = number
        else:
            self.line.append(number)

    def advance(self) -> None:
        self.running = self.line.pop(0) if self.line else None
        self.is_running_cancelled = False

    @rule()
    def call(self) -> None:
        number = self.next_number()
        refused = self.is_refused()

        async def start() -> asyncio.Task[int]:
            return asyncio.ensure_future(self.lane.run(self.work, number))

        task = self.loop.run_until_complete(start())
        self.settle()
        if refused:
            expected = LaneClosedError if self.is_closed else LaneFullError
            assert isinstance(task.exception(), expected)
            return
        self.tasks[number] = task
        self.accept(number)

    @rule()
    def post(self) -> None:
        number = self.next_number()
        refused = self.is_refused()

        async def start() -> bool:
            return self.lane.try_post(self.work, number)

        if refused and not self.is_closed:
            with pytest.raises(LaneFullError):
                self.loop.run_until_complete(start())
            return
        assert self.loop.run_until_complete(start()) is not refused
        self.settle()
        if not refused:
            self.accept(number)

    @precondition(lambda self: self.running is not None)
    @rule()
    def finish(self) -> None:
        number = self.running
        assert number is not None
        was_cancelled = self.is_running_cancelled
        self.gates[number].set()
        self.settle()
        self.expected.append(number)
        self.advance()
        if number in self.tasks:
            task = self.tasks.pop(number)
            assert task.cancelled() if was_cancelled else task.result() == number

    @precondition(lambda self: any(number in self.tasks for number in self.line))
    @rule(data=st.data())
    def cancel_a_queued_call(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from([n for n in self.line if n in self.tasks]))
        self.tasks[number].cancel()
        self.settle()
        assert self.tasks.pop(number).cancelled()
        self.line.remove(number)

    @precondition(lambda self: self.running in self.tasks)
    @rule()
    def cancel_the_running_call(self) -> None:
        self.tasks[self.running].cancel()
        self.settle()
        assert not self.tasks[self.running].done()
        self.is_running_cancelled = True

    @precondition(lambda self: self.running is not None and any(n in self.tasks for n in self.line[:1]))
    @rule()
    def cancel_between_grant_and_start(self) -> None:
        """Finish the running turn and cancel its successor in the very cycle of the grant."""
        number, successor = self.running, self.line[0]

        async def race() -> None:
            self.gates[number].set()
            await until(lambda: self.lane.stats().queued < len(self.line))
            self.tasks[successor].cancel()

        was_cancelled = self.is_running_cancelled
        self.loop.run_until_complete(race())
        self.settle()
        self.expected.append(number)
        assert self.tasks.pop(successor).cancelled()
        self.line.pop(0)
        self.advance()
        if number in self.tasks:
            task = self.tasks.pop(number)
            assert task.cancelled() if was_cancelled else task.result() == number

    @rule()
    def close(self) -> None:
        async def start() -> asyncio.Task[None]:
            return asyncio.ensure_future(self.lane.close())

        self.closers.append(self.loop.run_until_complete(start()))
        self.is_closed = True
        self.settle()

    @precondition(lambda self: any(not closer.done() for closer in self.closers))
    @rule()
    def cancel_a_close(self) -> None:
        closer = next(closer for closer in self.closers if not closer.done())
        closer.cancel()
        self.settle()
        assert closer.cancelled()

    @invariant()
    def figures_agree(self) -> None:
        if not hasattr(self, "lane"):
            return
        figures = self.lane.stats()
        assert self.ended == self.expected
        assert figures.active is (self.running is not None)
        assert figures.queued == len(self.line)
        assert figures.closed is self.is_closed
        assert figures.turns == len(self.expected)
        if self.running is None:
            assert all(closer.done() for closer in self.closers)
        else:
            assert all(not closer.done() or closer.cancelled() for closer in self.closers)

    def teardown(self) -> None:
        while self.running is not None:
            self.finish()
        self.loop.close()


LaneMachine.TestCase.settings = settings(
    max_examples=60,
    stateful_step_count=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
TestLaneMachine = LaneMachine.TestCase
