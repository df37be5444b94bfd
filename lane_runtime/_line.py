"""The line in front of a lane, and the tickets that stand in it."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from asyncio import _get_running_loop
from collections import OrderedDict
from typing import Final

WAITING: Final = 0
GRANTED: Final = 1
WITHDRAWN: Final = 2


class Ticket:
    """One request for a turn. It is the lane's owner between the grant and the start."""

    __slots__ = ("loop", "queued_at", "state", "thread", "work")

    loop: asyncio.AbstractEventLoop | None

    def __init__(self, work: object) -> None:
        self.work = work
        self.state = WAITING
        self.queued_at = time.monotonic()
        self.thread = threading.get_ident()

    def wake(self) -> bool:
        """Tell the requester that the lane is its own; False when it is gone."""
        raise NotImplementedError

    def is_stranded(self) -> bool:
        """Whether the loop was closed before a granted request could start."""
        return self.loop is not None and self.loop.is_closed()

    def rescue(self) -> bool:
        """Move a stranded request to another loop; False when only its requester could run it."""
        return False


class TaskTicket(Ticket):
    """A task waits for its turn."""

    __slots__ = ("future",)

    loop: asyncio.AbstractEventLoop

    def __init__(self, work: object, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(work)
        self.loop = loop
        self.future: asyncio.Future[None] = loop.create_future()

    def wake(self) -> bool:
        if _get_running_loop() is self.loop:
            return self._resolve()
        try:
            self.loop.call_soon_threadsafe(self._resolve)
        except RuntimeError:  # the loop is closed
            return False
        return True

    def _resolve(self) -> bool:
        if self.future.done():
            return False
        self.future.set_result(None)
        return True


class ThreadTicket(Ticket):
    """A thread is blocked until its turn."""

    __slots__ = ("_gate",)

    def __init__(self, work: object) -> None:
        super().__init__(work)
        self.loop = None
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

    def take_first(self) -> Ticket | None:
        return self.tickets.popitem(last=False)[0] if self.tickets else None


class Book:
    """What a lane counts once something else than uncontended turns has happened."""

    __slots__ = ("abandoned", "max_queued", "post_errors", "rejected", "withdrawn")

    def __init__(self) -> None:
        self.abandoned = self.max_queued = self.post_errors = self.rejected = self.withdrawn = 0
