"""A coroutine turn: its task, its mark, its end."""

from __future__ import annotations

import asyncio
import functools
import sys
import types
from collections.abc import Callable, Coroutine, Generator
from threading import get_ident
from types import CodeType
from typing import TYPE_CHECKING, Any

from lane_runtime._context import ThreadMarks, current_task, turn_mark, visible_turn
from lane_runtime._in_place import start_in_place
from lane_runtime._report import report

if TYPE_CHECKING:
    from lane_runtime._core import LaneCore


class Turn:
    """One coroutine turn: the mark that its context holds, and what comes out of it.

    Attributes:
        caller: Marks of the thread that blocks until the turn ends, if one does; its plain turns
            enclose this turn.
        parent: The coroutine turn this one is nested in.
        waiter: What a task waits on for the end; woken after the lane was given up.
        on_end: Called once after the lane was given up, when no task waits.
        waits: Lanes that code inside this turn is queued for, for the wait-for graph.
    """

    # Most turns leave these alone: values on the class cost them nothing.
    caller: ThreadMarks | None = None
    site: tuple[CodeType, int] | None = None
    task: asyncio.Future[None] | None = None
    waiter: asyncio.Future[None] | None = None
    on_end: Callable[[], object] | None = None
    ended = False
    result: object = None
    error: BaseException | None = None
    _base: LaneCore | None = None
    _base_since = 0.0

    def __init__(
        self,
        lane: LaneCore,
        work: object,
        body: Coroutine[object, Any, object],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self.lane = lane
        self.work = work
        self.body = body
        self.loop = loop
        self.thread = get_ident()
        self.parent = visible_turn()
        self.waits: list[LaneCore] = []
        if lane._outer is not None:  # this is made while the plain part of the turn is still marked
            self._base = lane._outer
            self._base_since = lane._outer._since

    def active_parent(self) -> Turn | None:
        """The nearest enclosing turn that has not ended; forgets those that have."""
        parent = self.parent
        while parent is not None and parent.ended:
            parent = parent.parent
        self.parent = parent
        return parent

    def was_started_inside(self, lane: LaneCore) -> bool:
        """Whether this turn began within the plain turn that `lane` is in on this thread."""
        return self._base is lane and self._base_since == lane._since

    def is_run_by_caller(self) -> bool:
        """Whether the calling code is the turn's own task, not something that inherited its mark."""
        task = current_task()
        return task is not None and (self.task is None or self.task is task)

    def is_stranded(self) -> bool:
        """Whether the loop was closed under the turn, so that it can never end."""
        return self.loop.is_closed()

    def start(self) -> None:
        """Start the task; without a task factory, a coroutine that does not suspend has ended on return."""
        has_factory = self.loop.get_task_factory() is not None  # it is honoured; no start in place then
        coroutine = self.drive(waits_at_gate=has_factory)
        try:
            if has_factory:
                coroutine.send(None)
                self.task = self.loop.create_task(coroutine)
            elif sys.version_info >= (3, 12):
                self.task = asyncio.Task(coroutine, loop=self.loop, eager_start=True)
            else:
                self.task = start_in_place(coroutine, self.loop)
        except BaseException:
            self.body.close()
            self._end()
            coroutine.close()
            raise

    async def drive(self, *, waits_at_gate: bool) -> None:
        """Run the body, keep its outcome, give the lane up.

        Args:
            waits_at_gate: For a task that starts later: the caller steps to the gate, the task goes
                on from there. A task cancelled before its first step throws into the coroutine it
                has; one that has not begun would see nothing of it, and the lane would be lost.
        """
        try:
            if waits_at_gate:
                await _gate()
            turn_mark.set(self)
            self.result = await self.body
        except (KeyboardInterrupt, SystemExit, GeneratorExit) as error:
            self._fail(error)
            raise
        except BaseException as error:  # delivered to the caller, CancelledError too
            self._fail(error)
        else:
            self._end()

    def _fail(self, error: BaseException) -> None:
        self.error = error
        try:
            self.body.close()  # it may not have begun
        finally:
            self._end()

    def _end(self) -> None:
        if self.ended and self.lane._owner is not self:
            return
        self.ended = True
        self.lane._give_up_turn(self)
        # Contexts of long tasks keep this object: nothing big may hang on it, no chain of ended turns.
        if self.parent is not None:
            self.active_parent()
        self.work = self.task = self.site = None
        waiter = self.waiter
        if waiter is not None:
            self.waiter = None
            if not waiter.done() and not self.loop.is_closed():
                waiter.set_result(None)
        elif self.on_end is not None:
            notify, self.on_end = self.on_end, None
            notify()


@types.coroutine
def _gate() -> Generator[None, None, None]:
    yield


class StubbornFuture(asyncio.Future[None]):
    """What the cancelled caller of a running turn waits on: it is not woken by further cancellations.

    `Task.cancel` asks the future it waits on first, so a caller that is cancelled over and over,
    as an anyio scope does in each cycle of the loop, costs one call each time and no wake-up.
    """

    cancellation: tuple[object, ...] | None = None

    def cancel(self, msg: object = None) -> bool:
        if self.done():
            return False
        self.cancellation = () if msg is None else (msg,)
        return True


async def outcome_of(turn: Turn) -> object:
    """Wait until `turn` has ended, whatever happens to the waiting task, and give its outcome.

    Raises:
        CancelledError: The waiting task was cancelled meanwhile; a failure of the turn is its cause.
    """
    if not turn.ended:
        turn.waiter = waiter = turn.loop.create_future()
        try:
            await waiter
        except asyncio.CancelledError as first:
            last = first if turn.ended else await _outlast(turn, first)
            error, turn.error = turn.error, None
            raise last from error
        except GeneratorExit:  # the caller was destroyed: nobody is left to be told of a failure
            # One task alone waits for a turn, and `_outlast` waits in its stead.
            turn.waiter, turn.on_end = None, functools.partial(_report_lonely, turn)  # noqa: LAN109
            raise
    if turn.error is None:
        result, turn.result = turn.result, None
        return result
    try:
        raise turn.error
    finally:
        turn.error = None  # the traceback holds this frame: no cycle


def _report_lonely(turn: Turn) -> None:
    error, turn.error = turn.error, None
    if error is not None:
        report(f"a turn of lane {turn.lane.name!r} failed after its caller had gone", error, turn.loop)


async def _outlast(turn: Turn, first: asyncio.CancelledError) -> asyncio.CancelledError:
    """Wait on after a first cancellation; the last one is to be delivered."""
    turn.waiter = waiter = StubbornFuture(loop=turn.loop)
    try:
        await waiter
    except asyncio.CancelledError as late:
        # Cancelled between the end of the turn and the next step of this task.
        return late
    return first if waiter.cancellation is None else asyncio.CancelledError(*waiter.cancellation)
