"""LAN108 lock-evicted-while-held."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lane_lint.finding import Finding
from lane_lint.rule import Rule

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts


class LockEvictedWhileHeld(Rule):
    """A per-key lock is removed from its registry while a task may hold it or wait for it.

    The next caller makes a new lock for the same key and runs beside those that have the old one.

    Bad:
        import asyncio

        class Uploads:
            def __init__(self, bucket):
                self._bucket = bucket
                self._locks = {}

            async def upload(self, key, data):
                async with self._locks.setdefault(key, asyncio.Lock()):
                    await self._bucket.put(key, data)

            def forget(self, key):
                self._locks.pop(key, None)

    Good:
        import asyncio
        import weakref

        class Uploads:
            def __init__(self, bucket):
                self._bucket = bucket
                self._locks = weakref.WeakValueDictionary()

            async def upload(self, key, data):
                lock = self._locks.setdefault(key, asyncio.Lock())
                async with lock:
                    await self._bucket.put(key, data)

    Silent on: removals in a function that asks whether the lock is locked.
    Source: rule catalogue; the per-key form of the contract's section 3.
    Since: 0.1
    """

    code = "LAN108"
    name = "lock-evicted-while-held"
    message = (
        "a lock is removed from '{registry}' while a task may hold it or wait for it; the next caller makes a new "
        "lock for the same key and runs beside the old one's holder"
    )
    hint = "keep the locks, use a WeakValueDictionary, or count their users and remove the last one's"

    def check(self, function: FunctionFacts) -> Iterator[Finding]:
        for eviction in function.lock_evictions():
            yield self.finding(
                eviction.place.span,
                path=function.file,
                confidence=function.confidence_in(eviction.path),
                registry=function.display(eviction.path),
            )
