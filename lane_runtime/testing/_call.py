"""A call of the scenario, which starts when the schedule says so."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Generator
from contextvars import ContextVar, copy_context
from typing import Any, Final, Generic, TypeVar

from lane_runtime.testing._frozen import frozen
from lane_runtime.testing._loop import ExplorationLoop
from lane_runtime.testing._outcome import CallOutcome

T = TypeVar("T")

# Numbers of the tasks of calls, out of the way of the others; -1 and -2 have the same hash.
FIRST_CALL: Final = 1_000_000

_current_call: ContextVar[Call[Any] | None] = ContextVar("lane_runtime.testing.call", default=None)


def current_call() -> Call[Any] | None:
    """The call that the running code belongs to, through all tasks that it has started."""
    return _current_call.get()


class Call(Generic[T]):
    """One call of the scenario. Awaiting it gives its result; it starts when the schedule says so."""

    def __init__(
        self,
        loop: ExplorationLoop,
        number: int,
        name: str,
        function: Callable[[], T | Awaitable[T]],
        *,
        cancellable: bool,
    ) -> None:
        self.name = name
        self.can_be_cancelled = cancellable
        self.task: asyncio.Task[T] | None = None
        self._loop = loop
        self._number = number
        self._function = function
        self._waiters: list[asyncio.Future[None]] = []

    def __await__(self) -> Generator[Any, None, T]:
        """Wait until the call has ended, and give its result or its error."""
        while self.task is None or not self.task.done():
            waiter = self._loop.create_future()
            self._waiters.append(waiter)
            self._wake_at_the_end()
            yield from waiter
        return self.task.result()

    def start(self) -> None:
        """Make its task, which runs in the next cycle."""
        context = copy_context()
        context.run(_current_call.set, self)
        self.task = self._loop.create_task(self._run(), name=self.name, context=context)
        # Known by its place among the calls: which of two is first to start must not make them the same.
        self._loop.tasks[self.task] = FIRST_CALL + self._number
        self._wake_at_the_end()

    def cancel(self) -> None:
        """Cancel it, once."""
        assert self.task is not None
        self.can_be_cancelled = False
        self.task.cancel()

    def outcome(self) -> CallOutcome:
        """How it has ended, if it has."""
        task = self.task
        if task is None:
            return CallOutcome(self.name, "not started")
        if not task.done():
            return CallOutcome(self.name, "waits")
        if task.cancelled():
            return CallOutcome(self.name, "cancelled")
        error = task.exception()
        if error is not None:
            return CallOutcome(self.name, "raised", frozen(error))
        return CallOutcome(self.name, "returned", frozen(task.result()))

    async def _run(self) -> T:
        made = self._function()
        return await made if inspect.isawaitable(made) else made

    def _wake_at_the_end(self) -> None:
        # Only for somebody who waits: a callback is a step of its own, and multiplies the schedules.
        if self.task is not None and self._waiters:
            self.task.add_done_callback(self._wake)

    def _wake(self, _: object) -> None:
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)
