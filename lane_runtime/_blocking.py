"""The one bridge from threads: a lazily made loop for work that has no loop, and the blocking wait.

Source: state lane contract, section 5, "blocking compatibility boundary".
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from asyncio import _get_running_loop
from collections.abc import Callable, Coroutine
from contextvars import copy_context
from time import monotonic
from typing import TYPE_CHECKING

from lane_runtime._context import ThreadMarks
from lane_runtime._deadlock import NestedWait
from lane_runtime._line import ThreadTicket
from lane_runtime._report import report
from lane_runtime._room import ensure_much_room
from lane_runtime._turn import Turn
from lane_runtime._wording import describe_turn, label
from lane_runtime._work import body_of
from lane_runtime.errors import LaneAffinityError, LaneReentryError

if TYPE_CHECKING:
    from lane_runtime._lane import StateLane


class _RuntimeLoop:
    """The loop of plain threads, on a daemon thread that starts when it is first needed."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._lock = threading.RLock()

    def get(self) -> asyncio.AbstractEventLoop:
        loop = self._loop
        if loop is not None and not loop.is_closed():
            return loop
        with self._lock:
            if self._loop is None or self._loop.is_closed():
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=self._serve, args=(self._loop,), name="lane_runtime", daemon=True
                )
                self._thread.start()
                started = threading.Event()
                self._loop.call_soon_threadsafe(started.set)
                started.wait()
            return self._loop

    def serves(self, loop: asyncio.AbstractEventLoop) -> bool:
        """Whether `loop` is the runtime's own; its thread may only be about to run it."""
        return loop is self._loop

    @staticmethod
    def _serve(loop: asyncio.AbstractEventLoop) -> None:
        asyncio.set_event_loop(loop)
        loop.run_forever()

    def stop(self) -> None:
        """Run what was scheduled before, then close the loop; turns that still wait are torn by the exit."""
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is None or thread is None:
            return
        loop.call_soon_threadsafe(loop.stop)
        thread.join(timeout=1.0)
        if not loop.is_running():
            loop.close()

    def forget(self) -> None:
        """After a fork the thread is gone; the loop's descriptors belong to the parent too."""
        self.__init__()  # type: ignore[misc]  # start again from nothing


_runtime = _RuntimeLoop()
atexit.register(_runtime.stop)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_runtime.forget)


def runtime_loop() -> asyncio.AbstractEventLoop:
    """The loop shared by all plain threads."""
    return _runtime.get()


def run_blocking(
    lane: StateLane, work: Callable[..., object], args: tuple[object, ...], timeout: float | None
) -> object:
    """Run one turn for a thread; see `StateLane.run_blocking`."""
    ensure_much_room()
    deadline = None if timeout is None else monotonic() + timeout
    if deadline != deadline:
        raise ValueError(f"timeout of run_blocking must be seconds or None, not {timeout!r}")
    if _get_running_loop() is not None:
        raise LaneAffinityError(
            f"run_blocking({label(work)}) on lane {lane.name!r} would stop the event loop of this thread; "
            f"use 'await lane.run(...)' here"
        )
    lane._refuse_reentry(work)
    ticket = ThreadTicket(work)
    _refuse_waiting_for_this_thread(lane, work)
    if not lane._admit(ticket):
        _wait_for_turn(lane, ticket, deadline)
    marks = lane._enter(work)
    lane._tell("started", work, waited=monotonic() - ticket.queued_at)
    try:
        result = work(*args)
        body = body_of(lane, work, result)
    except BaseException:
        lane._end_plain(marks, work)
        raise
    if body is None:
        lane._end_plain(marks, work)
        return result
    return _run_on_runtime_loop(lane, work, body, marks, deadline)


def _left(deadline: float | None) -> float:
    if deadline is None:
        return -1
    return min(max(deadline - monotonic(), 0.0), threading.TIMEOUT_MAX)


def _wait_for_turn(lane: StateLane, ticket: ThreadTicket, deadline: float | None) -> None:
    try:
        with NestedWait(lane, ticket.work):
            is_granted = ticket.wait(_left(deadline))
    except BaseException:
        lane._withdraw(ticket)
        raise
    if is_granted or lane._withdraw_unless_granted(ticket):
        return
    raise TimeoutError(
        f"lane {lane.name!r} did not come free in time for {label(ticket.work)}, which did not run; "
        f"it is held by {describe_turn(lane)}"
    )


def _refuse_waiting_for_this_thread(lane: StateLane, work: object) -> None:
    """Refuse when something ahead can only go on once this very thread does, or runs its loop again."""
    for holder in lane._ahead():
        loop = holder.loop
        if isinstance(holder, ThreadTicket) and holder.thread == threading.get_ident():
            # Called by an observer or a signal handler in the middle of this thread's own request.
            raise LaneReentryError(
                f"run_blocking({label(work)}) on lane {lane.name!r} would wait for {label(holder.work)}, "
                f"which this very thread has asked for; hand the work over with try_post"
            )
        if (
            loop is not None
            and holder.thread == threading.get_ident()
            and not loop.is_running()
            and not loop.is_closed()
            and not _runtime.serves(loop)
        ):
            raise LaneAffinityError(
                f"run_blocking({label(work)}) on lane {lane.name!r} would wait for {label(holder.work)}, "
                f"whose event loop is paused on this thread; run it on that loop with 'await lane.run(...)'"
            )


def _run_on_runtime_loop(
    lane: StateLane,
    work: object,
    body: Coroutine[object, object, object],
    marks: ThreadMarks,
    deadline: float | None,
) -> object:
    turn = Turn(lane, work, body, runtime_loop())
    caller = _BlockedCaller(turn)
    turn.on_end = caller.notice_end
    lane._become(turn, marks)
    if marks.lane is not None:  # plain turns of this thread enclose the coroutine
        turn.caller = marks
    turn.loop.call_soon_threadsafe(turn.start, context=copy_context())
    try:
        is_ended = caller.ended.wait(None if deadline is None else _left(deadline))
    except BaseException:
        caller.leave()
        raise
    if not is_ended and caller.leave():
        raise TimeoutError(
            f"turn {label(work)} of lane {lane.name!r} was not over in time; "
            f"it did start and ends by itself, do not repeat it blindly"
        )
    try:
        if turn.error is not None:
            raise turn.error
        return turn.result
    finally:
        turn.error = None  # the traceback holds this frame: no cycle


class _BlockedCaller:
    """A thread that waits for the end of a coroutine turn and may go away before it."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._lock = threading.Lock()
        self._is_gone = False
        self.ended = threading.Event()

    def notice_end(self) -> None:
        with self._lock:
            if not self._is_gone:
                self.ended.set()
                return
        error, self._turn.error = self._turn.error, None
        if error is not None:
            report(f"a turn of lane {self._turn.lane.name!r} failed after its caller had gone", error)

    def leave(self) -> bool:
        """Stop waiting; False when the turn has ended just now. A later failure is reported."""
        with self._lock:
            if self.ended.is_set():
                return False
            self._is_gone = True
        self._turn.caller = None
        return True
