"""The mechanics of a lane: who holds it, who is next, and how it passes from one to the other.

The token is a list of one element. `list.pop` and `list.append` are atomic in both builds of
CPython, and a try that fails costs nothing but an exception on the slow path. Whoever took the
element owns the lane. Everything else, the line above all, changes under a mutex only; that mutex
is re-entrant because a finalizer or a signal handler may post to a lane at any time.
"""

from __future__ import annotations

import itertools
import os
import sysconfig
import threading
from _thread import start_new_thread
from asyncio import AbstractEventLoop
from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING, Final

from lane_runtime._context import ThreadMarks, here
from lane_runtime._line import GRANTED, WITHDRAWN, Book, Line, Ticket
from lane_runtime._observe import LaneEvent, Options, tell
from lane_runtime._room import ensure_room_for_a_call, ensure_room_to_end, ensure_room_to_wake
from lane_runtime._turn import Turn

if TYPE_CHECKING:
    from lane_runtime._observe import EventKind

# Without a GIL, "is the line empty, free the token, look again" needs the mutex at both ends.
FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))

_serials = itertools.count(1)

# Lanes share mutexes: one of its own would be a quarter of an idle lane. Under the GIL one is enough,
# and a finalizer that uses a second lane while the first is being changed cannot block anybody.
_MASK: Final = 63 if FREE_THREADED else 0
_MUTEXES: Final = [threading.RLock() for _ in range(_MASK + 1)]


def _renew_mutexes() -> None:
    # After a fork the threads that may have held them are gone.
    _MUTEXES[:] = [threading.RLock() for _ in _MUTEXES]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_mutexes)


class LaneCore:
    """The part of a lane that knows nothing of tasks and threads, only of tickets and owners."""

    __slots__ = (
        "__weakref__", "_book", "_line", "_name", "_options", "_outer", "_owner", "_serial",
        "_since", "_token", "_turns", "_work",
    )  # fmt: skip

    def __init__(self, name: str | None, options: Options | None) -> None:
        self._serial = next(_serials)
        self._name = name
        self._token: list[None] = [None]
        self._owner: ThreadMarks | Turn | Ticket | None = None
        self._outer: LaneCore | None = None
        self._work: object = None
        self._since = 0.0
        self._turns = 0
        self._options = options
        self._book: Book | None = None
        is_observed = options is not None and options.observer is not None
        self._line: Line | None = Line(is_kept=True) if is_observed else None

    @property
    def name(self) -> str:
        """The name given, or a distinct one made from the number of the lane."""
        return self._name if self._name is not None else f"lane-{self._serial}"

    def _mutex(self) -> threading.RLock:
        return _MUTEXES[self._serial & _MASK]

    # Entering and leaving, by whoever owns the token.

    def _take_if_free(self) -> bool:
        """Take a free lane that nobody is queued for.

        Returns:
            Whether it is the caller's now.

        Raises:
            RecursionError: The stack has no room to end a turn; nothing was taken.
        """
        ensure_room_for_a_call()
        if self._line is not None:
            return False
        try:
            self._token.pop()
        except IndexError:
            return False
        is_first = self._line is None
        if not is_first:  # somebody queued just now and goes first
            self._token.append(None)
            self._look_again()
        return is_first

    def _enter(self, work: object) -> ThreadMarks:
        """Mark this thread as being in a plain turn."""
        marks = here.marks
        self._outer = marks.lane
        self._work = work
        self._owner = marks
        self._since = monotonic()
        marks.lane = self
        return marks

    def _leave(self, marks: ThreadMarks) -> None:
        """Take the mark of a plain turn off this thread; the lane is still owned."""
        marks.lane = self._outer
        self._outer = self._work = self._owner = None

    def _leave_counted(self, marks: ThreadMarks, work: object) -> None:
        """End a plain turn, but keep the lane for the next one."""
        self._turns += 1
        if self._options is not None:  # still marked: an observer that asks for the lane is refused
            self._tell("ended", work, ran=monotonic() - self._since)
        marks.lane = self._outer
        self._outer = self._work = self._owner = None

    def _end_plain(self, marks: ThreadMarks, work: object) -> None:
        """End a plain turn and hand the lane on."""
        if self._options is None:  # `_leave_counted`, written out for turns that waited in line
            self._turns += 1
            marks.lane = self._outer
            self._outer = self._work = self._owner = None
        else:
            self._leave_counted(marks, work)
        try:
            self._release()
        except RecursionError:
            start_new_thread(self._release, ())

    def _become(self, turn: Turn, marks: ThreadMarks) -> None:
        """Go from the plain part of a turn to its coroutine without letting go of the lane."""
        self._leave(marks)
        self._owner = turn

    def _give_up_turn(self, turn: Turn) -> None:
        """Hand the lane on at the end of a coroutine turn, unless it was taken over already."""
        if self._owner is not turn:
            return
        ensure_room_to_end()
        ran = monotonic() - self._since
        self._owner = None
        self._turns += 1
        try:
            self._release()
        except RecursionError:
            start_new_thread(self._release, ())
        if self._options is not None:
            self._tell("ended", turn.work, ran=ran)

    def _release(self) -> None:
        """Free the lane, or hand it to the first in line.

        Raises:
            RecursionError: The stack has no room for it; the lane is still held.
        """
        if self._line is None and not FREE_THREADED:
            self._token.append(None)
            if self._line is not None:
                self._look_again()
            return
        with _MUTEXES[self._serial & _MASK]:
            self._pass_on(None)

    def _look_again(self) -> None:
        """Give a lane that was freed while somebody queued to the first in line."""
        try:
            self._hand_on_if_free()
        except RecursionError:
            start_new_thread(self._hand_on_if_free, ())

    def _hand_on_if_free(self, arriving: Ticket | None = None) -> bool:
        """Give a free lane to the first in line, if anybody is; see `_pass_on`."""
        with _MUTEXES[self._serial & _MASK]:
            if not self._token:
                return False
            try:
                self._token.pop()
            except IndexError:  # somebody on the fast path was faster, and looks at the line next
                return False
            try:
                return self._pass_on(arriving)
            except RecursionError:
                self._token.append(None)
                raise

    def _pass_on(self, arriving: Ticket | None) -> bool:
        """Hand the held lane to the first in line who can still be reached, else free it.

        Returns:
            Whether the lane went to `arriving`, which is not woken: it is the caller's own.

        Raises:
            RecursionError: The stack has no room to wake anybody; the lane is still held.
        """
        while (line := self._line) is not None and line.tickets:
            head = line.tickets.popitem(last=False)[0]
            try:
                is_to_be_woken = head is not arriving and (not head.is_woken or head.is_stranded())
                if is_to_be_woken:
                    ensure_room_to_wake()
                since = monotonic()
            except RecursionError:
                line.tickets[head] = None
                line.tickets.move_to_end(head, last=False)
                raise
            # From here on nothing is called that the stack may have no room for.
            self._owner = head
            self._since = since
            head.state = GRANTED
            if not is_to_be_woken:
                return head is arriving
            if head.wake():
                line.wake_ahead(head)
                return False
            head.state = WITHDRAWN
            self._owner = None
        if line is not None:
            (ensure_room_to_wake if line.drains else ensure_room_to_end)()
        self._token.append(None)
        if line is not None:
            self._settle(line)
        # A finalizer may have queued something since the last look.
        if self._line is not None and self._line.tickets:
            self._look_again()
        return False

    def _settle(self, line: Line) -> None:
        """Nobody waits and nobody runs: forget the line, or report a closed lane as drained."""
        self._drop_if_idle(line)
        while line.drains:
            line.drains.pop(0).wake()

    def _drop_if_idle(self, line: Line) -> None:
        # No call stands between test and assignment, so that no finalizer can queue in between.
        if not line.tickets and not line.closed and not line.is_kept:
            self._line = None

    def _pass_on_to_post(self, loop: AbstractEventLoop) -> Ticket | None:
        """Hand the held lane on; a post of `loop` that is first in line is given back, not woken."""
        with _MUTEXES[self._serial & _MASK]:
            line = self._line
            head = line.tickets.popitem(last=False)[0] if line is not None and line.tickets else None
            if line is None or head is None:
                self._pass_on(None)
                return None
            if not head.is_post or head.loop is not loop:
                line.tickets[head] = None
                line.tickets.move_to_end(head, last=False)
                self._pass_on(None)
                return None
            head.state = GRANTED
            self._owner = head
            self._since = monotonic()
            self._drop_if_idle(line)
            return head

    def _take_over_stranded(self) -> None:
        """Free the lane when its owner can never go on because its loop was closed under it.

        Source: decision table, "closed loops".
        """
        owner = self._owner
        if owner is None or isinstance(owner, ThreadMarks) or not owner.is_stranded():
            return
        if isinstance(owner, Ticket) and owner.rescue():
            return
        if isinstance(owner, Turn):
            self._counts().abandoned += 1
        self._owner = None
        self._release()

    def _new_line(self) -> Line:
        line = Line()
        if self._line is None:  # else a finalizer was faster
            self._line = line
        return self._line

    def _counts(self) -> Book:
        if self._book is None:
            self._book = Book()
        return self._book

    def _tell(self, kind: EventKind, work: object, *, waited: float = 0.0, ran: float = 0.0) -> None:
        options = self._options
        observer: Callable[[LaneEvent], None] | None = None if options is None else options.observer
        if observer is not None:
            tell(observer, self, kind, work, waited, ran)
