"""`StateLane`: the public face of a lane."""

from __future__ import annotations

import asyncio
from asyncio import _get_running_loop
from collections.abc import Callable, Coroutine
from contextvars import copy_context
from time import monotonic
from types import TracebackType
from typing import Never, Self, TypeVar, TypeVarTuple, Unpack, cast, overload

from lane_runtime import _blocking
from lane_runtime._context import current_lane, here, is_held_by_caller
from lane_runtime._core import FREE_THREADED
from lane_runtime._deadlock import NestedWait
from lane_runtime._line import Drain
from lane_runtime._observe import LaneEvent, LaneStats, Options, snapshot
from lane_runtime._posts import PostTicket
from lane_runtime._room import ensure_room_to_wake
from lane_runtime._tasks import TaskSide
from lane_runtime._turn import outcome_of
from lane_runtime._wording import describe_turn
from lane_runtime._work import VALUE_TYPES, body_of
from lane_runtime.errors import LaneClosedError

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class StateLane(TaskSide):
    """A serial, first-in first-out, non-reentrant executor of turns that owns a component's state.

    One turn runs at a time, in the order of arrival, from any number of tasks, loops and threads.
    Collections that only turns touch need no lock. The caller runs its turn itself, in its own
    task and thread; a coroutine turn gets a task of its own, so that it is never torn.

    Limits of what can be noticed: a turn that waits for an event, a gate, or a thread it joins can
    hang for ever and no error comes; poll `stats().active_age` and `oldest_age` for that. A tight
    loop of uncontended turns never yields to the event loop, as with a free `asyncio.Lock`.

    Args:
        name: For messages; each lane without one gets a distinct one.
        capacity: Most requests that may wait, the running turn not counted; None for no limit.
        on_post_error: Called with the exception of a posted turn that failed, after the turn;
            None hands it to the exception handler of the event loop.
        observer: Called with a `LaneEvent` for each step of each turn; without it nothing is paid.

    Source: state lane contract, section 5.
    """

    __slots__ = ()

    def __init__(
        self,
        name: str | None = None,
        *,
        capacity: int | None = None,
        on_post_error: Callable[[BaseException], None] | None = None,
        observer: Callable[[LaneEvent], None] | None = None,
    ) -> None:
        if capacity is not None and (not isinstance(capacity, int) or capacity < 0):
            raise ValueError(f"capacity of a lane must be None or an integer of 0 or more, not {capacity!r}")
        has_options = capacity is not None or on_post_error is not None or observer is not None
        super().__init__(name, Options(capacity, on_post_error, observer) if has_options else None)

    @staticmethod
    def current() -> StateLane | None:
        """The lane whose turn the caller is in, the innermost of nested ones, else None."""
        return cast("StateLane | None", current_lane())

    @property
    def is_on_lane(self) -> bool:
        """True exactly when `run` here would raise `LaneReentryError`."""
        return is_held_by_caller(self._owner)

    def throw_if_reentrant(self) -> None:
        """Raise at once when the caller is in a turn of this lane.

        Raises:
            LaneReentryError: It is.

        Source: state lane contract, section 7.
        """
        self._refuse_reentry(None)

    @overload
    async def run(self, work: Callable[[Unpack[Ts]], Coroutine[object, Never, T]], /, *args: *Ts) -> T: ...
    @overload
    async def run(self, work: Callable[[Unpack[Ts]], T], /, *args: *Ts) -> T: ...
    async def run(self, work: Callable[..., object], /, *args: object) -> object:
        """Run `work(*args)` as one turn and give its result.

        When `work` returns a coroutine, that is run to its end within the turn; a future is a result.
        A cancellation or time-out before the start withdraws the request: the turn does not run. After
        it the turn goes on to its end, then that is delivered; a failure of the turn is its `__cause__`.

        Raises:
            LaneReentryError: The caller is in a turn of this lane, its own or an inherited one.
            LaneClosedError: The lane is closed.
            LaneFullError: `capacity` requests are waiting.
            LaneDeadlockError: The lane's turn waits, over any number of steps, for the caller's.
            LaneMisuseError: `work` returned a generator.

        Source: state lane contract, section 5.
        """
        marks, since = here.marks, monotonic()
        if not self._take_if_free():
            since = await self._wait_in_line(work, since)
        # `_enter`, `_leave` and `_release` are written out: this is the price of every turn.
        self._outer, marks.lane = marks.lane, self
        self._work, self._owner, self._since = work, marks, since
        try:
            result = work(*args) if args else work()
            body = None if type(result) in VALUE_TYPES else body_of(self, work, result)
        except BaseException:
            self._end_plain(marks, work)
            raise
        if body is not None:
            return await outcome_of(self._begin_turn(work, body, marks))
        if self._line is not None or FREE_THREADED:
            self._end_plain(marks, work)
            return result
        marks.lane = self._outer
        self._outer = self._work = self._owner = None
        self._turns += 1
        self._token.append(None)
        if self._line is not None:  # somebody queued between the last look and the release
            self._look_again()
        return result

    def try_post(self, work: Callable[[Unpack[Ts]], object], /, *args: *Ts) -> bool:
        """Queue `work(*args)` as one turn and return at once; the turn never runs inside this call.

        It runs in a callback of the running loop, or on the runtime's own loop when this thread
        has none. A failure goes to `on_post_error`, else to the loop's exception handler. When
        the loop is closed first, the runtime's own loop runs the turn, at the latest when the
        next request arrives.

        Returns:
            False when the lane is closed, else True.

        Raises:
            LaneFullError: `capacity` requests are waiting.

        Source: state lane contract, section 5.
        """
        if self._token:
            ensure_room_to_wake()
        loop = _get_running_loop() or _blocking.runtime_loop()
        ticket = PostTicket(self, work, args, loop, copy_context())
        try:
            is_granted = self._admit(ticket)
        except LaneClosedError:
            return False
        if is_granted:
            ticket.wake()
        return True

    @overload
    def run_blocking(
        self,
        work: Callable[[Unpack[Ts]], Coroutine[object, Never, T]],
        /,
        *args: *Ts,
        timeout: float | None = None,
    ) -> T: ...
    @overload
    def run_blocking(
        self, work: Callable[[Unpack[Ts]], T], /, *args: *Ts, timeout: float | None = None
    ) -> T: ...
    def run_blocking(
        self, work: Callable[..., object], /, *args: object, timeout: float | None = None
    ) -> object:
        """Run `work(*args)` as one turn and block this thread until it has ended.

        For plain threads, tools and tests; code on an event loop uses `run`. A coroutine that
        `work` returns runs on the runtime's own loop. Do not call it while holding something
        that the turn needs.

        Args:
            timeout: Seconds to wait; None waits without limit. A time-out while queued means the
                turn did not run, one after the start that it did and goes on to its end. Plain
                work runs in this thread and is not interrupted.

        Raises:
            LaneReentryError: Called from a turn of this lane, which would wait for itself.
            LaneAffinityError: Called on a thread whose event loop runs and would stop, or on one
                whose paused event loop the turn ahead needs.
            LaneClosedError: The lane was closed before the turn was accepted.
            LaneFullError: `capacity` requests are waiting.
            LaneDeadlockError: The lane's turn waits, over any number of steps, for the caller's.
            LaneMisuseError: `work` returned a generator.
            TimeoutError: `timeout` passed.

        Source: state lane contract, section 5, "blocking compatibility boundary".
        """
        return _blocking.run_blocking(self, work, args, timeout)

    async def close(self) -> None:
        """Refuse new requests, and wait until the accepted ones have ended.

        May be called from many tasks and more than once. When it is cancelled the lane stays
        closed and goes on to drain.

        Raises:
            LaneReentryError: Called from a turn of this lane, whose end it would wait for.
            LaneDeadlockError: The lane's turn waits for the turn that the caller is in.

        Source: state lane contract, section 5.
        """
        self._refuse_reentry(self.close)
        drain = Drain(asyncio.get_running_loop())
        if self._shut(drain):
            return
        try:
            with NestedWait(self, self.close):
                await drain.future
        finally:
            self._forget_drain(drain)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    def stats(self) -> LaneStats:
        """A snapshot of the lane's figures, from any thread; ages in seconds."""
        return snapshot(self)

    def __repr__(self) -> str:
        figures = self.stats()
        parts = ["closed"] if figures.closed else []
        parts.append(f"in {describe_turn(self)}" if figures.active else "idle")
        if figures.queued:
            parts.append(f"{figures.queued} queued")
        return f"<{type(self).__name__} {self.name!r} {', '.join(parts)}, {figures.turns} turns>"

    def __reduce__(self) -> tuple[object, ...]:
        """Copies and pickles are fresh, idle lanes with the same settings: a turn belongs to one lane.

        A shallow copy of a component shares its lane, as it shares the collections behind it.
        """
        options = self._options or Options(None, None, None)
        return _fresh, (type(self), self._name, options.capacity, options.on_post_error, options.observer)


def _fresh(
    kind: type[StateLane],
    name: str | None,
    capacity: int | None,
    on_post_error: Callable[[BaseException], None] | None,
    observer: Callable[[LaneEvent], None] | None,
) -> StateLane:
    return kind(name, capacity=capacity, on_post_error=on_post_error, observer=observer)
