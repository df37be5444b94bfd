"""The line in front of a lane, and the tickets that stand in it."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import threading
from asyncio import _get_running_loop
from collections import OrderedDict
from inspect import CO_COROUTINE
from threading import get_ident
from time import monotonic
from types import CodeType
from typing import Final

WAITING: Final = 0
GRANTED: Final = 1
WITHDRAWN: Final = 2

# More wake-ups at once gain nothing that can be measured; each may be for nothing.
WOKEN_AHEAD: Final = 64


class Ticket:
    """One request for a turn. It is the lane's owner between the grant and the start."""

    __slots__ = ("is_woken", "loop", "queued_at", "state", "thread", "work")

    is_post = False
    loop: asyncio.AbstractEventLoop | None

    def __init__(self, work: object, loop: asyncio.AbstractEventLoop | None) -> None:
        self.work = work
        self.loop = loop
        self.state = WAITING
        self.is_woken = False
        self.queued_at = monotonic()
        self.thread = get_ident()

    def wake(self) -> bool:
        """Tell the requester that the lane is its own; False when it is gone."""
        raise NotImplementedError

    def is_stranded(self) -> bool:
        """Whether the loop was closed before a granted request could start."""
        return self.loop is not None and self.loop.is_closed()

    def rescue(self) -> bool:
        """Move a stranded request to another loop; False when only its requester could run it."""
        return False


def is_coroutine_function(work: object) -> bool:
    """A guess from the flags of a function or method; when it is wrong a wake-up is lost, nothing else."""
    code = getattr(work, "__code__", None)
    return type(code) is CodeType and code.co_flags & CO_COROUTINE != 0


class TaskTicket(Ticket):
    """A task waits for its turn."""

    __slots__ = ("future",)

    loop: asyncio.AbstractEventLoop

    def __init__(self, work: object, loop: asyncio.AbstractEventLoop, queued_at: float) -> None:
        # Written out, not through super(): this is the price of every queued turn.
        self.work = work
        self.loop = loop
        self.state = WAITING
        self.is_woken = False
        self.queued_at = queued_at
        self.thread = get_ident()
        self.future: asyncio.Future[None] = loop.create_future()

    def wake(self) -> bool:
        if _get_running_loop() is self.loop:
            return self.resolve()
        try:
            self.loop.call_soon_threadsafe(self.resolve)
        except RuntimeError:  # the loop is closed
            return False
        return True

    def resolve(self) -> bool:
        """Let the task go on in the next cycle; False when it was cancelled or is about to go on."""
        if self.future.done():
            return False
        self.future.set_result(None)
        self.is_woken = True
        return True

    def rearm(self) -> None:
        """Make ready to wait again, after a wake-up ahead of a grant that did not come."""
        self.future = self.loop.create_future()
        self.is_woken = False


class ThreadTicket(Ticket):
    """A thread is blocked until its turn."""

    __slots__ = ("_gate",)

    def __init__(self, work: object) -> None:
        super().__init__(work, None)
        self._gate = threading.Lock()
        self._gate.acquire()

    def wake(self) -> bool:
        self._gate.release()
        return True

    def wait(self, timeout: float) -> bool:
        """Block until woken, `timeout` seconds at most; -1 means without limit."""
        return self._gate.acquire(timeout=timeout)


class Drain:
    """A task waits until a closed lane has run its last turn."""

    __slots__ = ("_loop", "future")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self.future: asyncio.Future[None] = loop.create_future()

    def wake(self) -> None:
        if _get_running_loop() is self._loop:
            self._resolve()
            return
        with contextlib.suppress(RuntimeError):  # the loop is closed, nobody waits
            self._loop.call_soon_threadsafe(self._resolve)

    def _resolve(self) -> None:
        if not self.future.done():
            self.future.set_result(None)


class Line:
    """Requests in the order in which they came. It exists only while somebody waits or it must be remembered.

    Attributes:
        tickets: An ordered dictionary used as a queue from which any ticket can be taken in O(1).
        drains: Woken, each once, when the lane was closed and its last turn has ended.
        is_kept: An observed lane keeps its line, which keeps it off the fast path.
    """

    __slots__ = ("closed", "drains", "is_kept", "tickets")

    def __init__(self, *, is_kept: bool = False) -> None:
        self.tickets: OrderedDict[Ticket, None] = OrderedDict()
        self.closed = False
        self.drains: list[Drain] = []
        self.is_kept = is_kept

    def wake_ahead(self, head: Ticket) -> None:
        """Wake the tasks behind `head`, just woken, as long as the turns before theirs look plain.

        They go on in the same cycle of the loop, each finding the lane granted by the one before.
        One cycle for each turn would cost more than the turn. Who finds no grant waits again.
        """
        loop = head.loop
        if (
            type(head) is not TaskTicket
            or _get_running_loop() is not loop
            or is_coroutine_function(head.work)
        ):
            return
        for ticket in itertools.islice(self.tickets, WOKEN_AHEAD):
            if type(ticket) is not TaskTicket or ticket.loop is not loop:
                return
            future = ticket.future
            if not future.done():
                future.set_result(None)
                ticket.is_woken = True
            if is_coroutine_function(ticket.work):
                return


class Book:
    """What a lane counts once something else than uncontended turns has happened."""

    __slots__ = ("abandoned", "max_queued", "post_errors", "rejected", "withdrawn")

    def __init__(self) -> None:
        self.abandoned = self.max_queued = self.post_errors = self.rejected = self.withdrawn = 0
