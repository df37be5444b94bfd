"""Who may come in: admission, withdrawal, closing."""

from __future__ import annotations

from _thread import start_new_thread
from time import monotonic

from lane_runtime._context import ThreadMarks, is_held_by_caller
from lane_runtime._core import _MASK, _MUTEXES, LaneCore
from lane_runtime._line import GRANTED, WAITING, WITHDRAWN, Drain, Ticket
from lane_runtime._room import ensure_room_to_wake
from lane_runtime._turn import Turn
from lane_runtime._wording import closed_message, full_message, reentry_message
from lane_runtime.errors import LaneClosedError, LaneFullError, LaneReentryError


class Admission(LaneCore):
    """The part of a lane that accepts, refuses and takes back requests."""

    __slots__ = ()

    def _refuse_reentry(self, work: object) -> None:
        if is_held_by_caller(self._owner):
            raise LaneReentryError(reentry_message(self, work))

    def _admit(self, ticket: Ticket) -> bool:
        """Take `ticket` into the line.

        Returns:
            True when the lane was free and is the ticket's now, without a call of its `wake`.

        Raises:
            LaneClosedError: The lane is closed.
            LaneFullError: `capacity` requests are waiting already.
        """
        with _MUTEXES[self._serial & _MASK]:
            line = self._line
            owner = self._owner
            is_stranded = owner is not None and not isinstance(owner, ThreadMarks) and owner.is_stranded()
            if line is None or line.closed or is_stranded or self._options is not None:
                refusal = self._refusal(ticket)
                line = self._line or self._new_line()
            else:
                refusal = None
            if refusal is None:
                tickets = line.tickets
                book = self._book or self._counts()
                tickets[ticket] = None
                is_granted = bool(self._token) and self._hand_to_first(ticket)
                if not is_granted and len(tickets) > book.max_queued:
                    book.max_queued = len(tickets)
        if refusal is not None:
            self._tell("rejected", ticket.work)
            raise refusal
        if self._options is not None:
            self._tell("queued", ticket.work)
        return is_granted

    def _hand_to_first(self, arriving: Ticket) -> bool:
        """Give a free lane to the first in line; whether that was `arriving`."""
        try:
            return self._hand_on_if_free(arriving)
        except RecursionError:
            if self._line is not None:
                self._line.tickets.pop(arriving, None)
            raise

    def _refusal(self, ticket: Ticket) -> LaneClosedError | LaneFullError | None:
        refusal: LaneClosedError | LaneFullError | None = None
        if self._line is not None and self._line.closed:
            refusal = LaneClosedError(closed_message(self, ticket.work))
        elif not self._token:
            self._take_over_stranded()
            options = self._options
            limit = None if options is None else options.capacity
            queued = 0 if self._line is None else len(self._line.tickets)
            if limit is not None and queued >= limit and not self._token:
                refusal = LaneFullError(full_message(self, ticket.work, limit))
        if refusal is not None:
            self._counts().rejected += 1
        return refusal

    def _withdraw(self, ticket: Ticket) -> None:
        """Take a request back, or hand on the lane that it was granted and has not used."""
        with self._mutex():
            if ticket.state is WAITING:
                self._strike_out(ticket)
            elif self._owner is ticket:
                ticket.state = WITHDRAWN
                self._owner = None
                self._release()
            self._counts().withdrawn += 1
        self._tell("withdrawn", ticket.work, waited=monotonic() - ticket.queued_at)

    def _withdraw_anywhere(self, ticket: Ticket) -> None:
        """The same, in a thread of its own if this stack has no room for it."""
        try:
            ensure_room_to_wake()
        except RecursionError:
            start_new_thread(self._withdraw, (ticket,))
        else:
            self._withdraw(ticket)

    def _withdraw_unless_granted(self, ticket: Ticket) -> bool:
        """Take a request back, unless the lane was granted to it just now; whether it was."""
        with self._mutex():
            if ticket.state is GRANTED:
                return True
            self._strike_out(ticket)
            self._counts().withdrawn += 1
        self._tell("withdrawn", ticket.work, waited=monotonic() - ticket.queued_at)
        return False

    def _strike_out(self, ticket: Ticket) -> None:
        ticket.state = WITHDRAWN
        line = self._line
        if line is not None:
            line.tickets.pop(ticket, None)
            self._drop_if_idle(line)

    def _ahead(self) -> list[Turn | Ticket]:
        """Everything that is to be over before a new request gets the lane, plain turns left out."""
        with self._mutex():
            if self._token:
                return []
            self._take_over_stranded()
            owner = self._owner
            ahead: list[Turn | Ticket] = [owner] if isinstance(owner, Turn | Ticket) else []
            return ahead if self._line is None else [*ahead, *self._line.tickets]

    def _shut(self, drain: Drain) -> bool:
        """Close the lane; True when nothing is left to run, else `drain` is woken after the last turn."""
        with self._mutex():
            line = self._line or self._new_line()
            line.closed = True
            if not self._token:
                self._take_over_stranded()
            if self._token and not line.tickets:
                return True
            line.drains.append(drain)
            return False

    def _forget_drain(self, drain: Drain) -> None:
        with self._mutex():
            if self._line is not None and drain in self._line.drains:
                self._line.drains.remove(drain)
