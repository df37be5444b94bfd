"""An event loop without an outside world: asyncio's own ready queue, a clock that is told the time."""

from __future__ import annotations

import asyncio
import heapq
import threading
from asyncio import Handle, TimerHandle
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from contextvars import Context
from typing import Any, TypeVar

from lane_runtime.testing._refusals import REFUSED, refusal
from lane_runtime.testing.errors import ExplorationError, OutsideRefusedError

T = TypeVar("T")


class ExploredTask(asyncio.Task[T]):
    """A task whose place in a set follows from its number, so that sets of tasks have one order."""

    def __init__(self, number: int, coroutine: Any, **options: Any) -> None:
        self.number = number
        super().__init__(coroutine, **options)

    __eq__ = object.__eq__

    def __hash__(self) -> int:
        return self.number


class ExplorationLoop(asyncio.BaseEventLoop):
    """Runs callbacks in the order in which they became ready, as asyncio does.

    Between two cycles `before_cycle` is asked, in the place where asyncio looks for I/O: it may make
    something happen, which joins the end of the ready queue, move the clock, or stop the loop.

    Attributes:
        before_cycle: Called before each cycle.
        tasks: Every task that was seen, with its number, in the order of first sight.
        history: A running hash of all steps so far: what has happened, as far as schedules go.
        refused: What was refused; code that swallows the error must not hide it.
        unseen: Contexts that came to the exception handler.
    """

    before_cycle: Callable[[], None]
    _ready: deque[Handle]
    _scheduled: list[TimerHandle]
    _stopping: bool

    def __init__(self) -> None:
        super().__init__()
        self.set_debug(False)
        self._now = 0.0
        self._thread = threading.get_ident()
        self.tasks: dict[asyncio.Task[Any], int] = {}
        self.history = 0
        self.refused: list[OutsideRefusedError] = []
        self.unseen: list[dict[str, Any]] = []
        self.set_exception_handler(lambda _, context: self.unseen.append(context))

    def time(self) -> float:
        """Seconds of the virtual clock."""
        return self._now

    def create_task(
        self,
        coro: Generator[Any, None, T] | Coroutine[Any, Any, T],
        *,
        name: object = None,
        context: Context | None = None,
        **options: Any,
    ) -> asyncio.Task[T]:
        """A numbered task; a task factory of the scenario's own is honoured."""
        if self.get_task_factory() is not None:
            # The declaration of what a loop takes differs from version to version.
            plain: Any = super().create_task
            created: asyncio.Task[T] = plain(coro, name=name, context=context, **options)
            return created
        self._check_open()
        number = len(self.tasks) + 1
        task: asyncio.Task[T] = ExploredTask(
            number,
            coro,
            loop=self,
            name=f"task {number}" if name is None else name,
            context=context,
            **options,
        )
        self.tasks[task] = number
        return task

    def _check_open(self) -> None:
        if self.is_closed():
            raise RuntimeError("Event loop is closed")

    def _write_to_self(self) -> None:
        if threading.get_ident() != self._thread:
            raise ExplorationError(
                "a thread called call_soon_threadsafe on the loop of an exploration; threads cannot be explored"
            )

    @property
    def has_ready(self) -> bool:
        """Whether something can go on without anything happening outside."""
        return bool(self._ready) or (bool(self._scheduled) and self._scheduled[0].when() <= self._now)

    def next_timer(self) -> float | None:
        """The time of the earliest timer that is not cancelled."""
        timers = self._scheduled
        while timers and timers[0].cancelled():
            timer = heapq.heappop(timers)
            timer._scheduled = False  # type: ignore[attr-defined]  # not in the stubs
        return timers[0].when() if timers else None

    def set_clock(self, now: float) -> None:
        """Move the virtual clock on; timers up to then are due."""
        self._now = now

    def position(self) -> tuple[object, ...]:
        """What has happened and what is ready: with the open operations, the state of a run."""
        return self.history, self._now, tuple([self._label(handle) for handle in self._ready])

    def _run_once(self) -> None:
        if not self._stopping:
            self.before_cycle()
        self._take_due_timers()
        ready = self._ready
        for _ in range(len(ready)):
            handle = ready.popleft()
            if not handle.cancelled():
                self.history = hash((self.history, self._label(handle)))
                handle._run()

    def _take_due_timers(self) -> None:
        while (when := self.next_timer()) is not None and when <= self._now:
            timer = heapq.heappop(self._scheduled)
            timer._scheduled = False  # type: ignore[attr-defined]  # not in the stubs
            self._ready.append(timer)

    def _label(self, handle: Handle) -> int | str:
        callback: Any = handle._callback  # type: ignore[attr-defined]  # not in the stubs
        owner = getattr(callback, "__self__", None)
        if isinstance(owner, asyncio.Task):
            number = self.tasks.get(owner)
            if number is None:  # made by hand, past create_task
                number = self.tasks[owner] = len(self.tasks) + 1
            return number
        return getattr(callback, "__qualname__", None) or type(callback).__qualname__


for _name in REFUSED:
    setattr(ExplorationLoop, _name, refusal(_name))
