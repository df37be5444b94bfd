"""LAN104 await-holding-thread-lock."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lane_lint.finding import Confidence, Finding
from lane_lint.rule import Rule

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts


class AwaitHoldingThreadLock(Rule):
    """A coroutine suspends while it holds a lock that blocks threads.

    The next task that wants the lock blocks the whole event loop, the holder too: a deadlock.

    Bad:
        import threading

        class Counter:
            def __init__(self, store):
                self._store = store
                self._mutex = threading.Lock()
                self._count = 0

            async def bump(self):
                with self._mutex:
                    self._count += 1
                    await self._store.save(self._count)

    Good:
        import threading

        class Counter:
            def __init__(self, store):
                self._store = store
                self._mutex = threading.Lock()
                self._count = 0

            async def bump(self):
                with self._mutex:
                    self._count += 1
                    count = self._count
                await self._store.save(count)

    Silent on: asynchronous locks, and suspensions after the release.
    Source: Python documentation, "Developing with asyncio", concurrency and multithreading.
    Since: 0.1
    """

    code = "LAN104"
    name = "await-holding-thread-lock"
    message = (
        "this suspends while the thread lock '{lock}' has been held since line {hold_line}; any other task that wants it "
        "blocks the event loop, and this one with it"
    )
    hint = "release the lock before the await, or use an asyncio.Lock"

    def check(self, function: FunctionFacts) -> Iterator[Finding]:
        for place, hold in function.suspensions_under_thread_locks():
            held = function.place(hold.site)
            yield self.finding(
                place.span,
                path=function.file,
                confidence=Confidence.HIGH,
                related=(held.related("acquired here"),),
                lock=function.display(hold.lock),
                hold_line=held.line,
            )
