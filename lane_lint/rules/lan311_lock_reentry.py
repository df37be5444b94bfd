"""LAN311 lock-reentry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lane_lint.finding import Confidence, Finding
from lane_lint.rule import Rule

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts


class LockReentry(Rule):
    """While a lock that its holder cannot take twice is held, a call takes it again.

    The call waits for a release that only its own caller can make: a deadlock.

    Bad:
        import asyncio

        class Feed:
            def __init__(self, broker):
                self._broker = broker
                self._lock = asyncio.Lock()

            async def login(self, secret):
                async with self._lock:
                    await self._broker.login(secret)

            async def reconnect(self, secret):
                async with self._lock:
                    await self._broker.drop()
                    await self.login(secret)

    Good:
        import asyncio

        class Feed:
            def __init__(self, broker):
                self._broker = broker
                self._lock = asyncio.Lock()

            async def login(self, secret):
                async with self._lock:
                    await self._login_locked(secret)

            async def _login_locked(self, secret):
                await self._broker.login(secret)

            async def reconnect(self, secret):
                async with self._lock:
                    await self._broker.drop()
                    await self._login_locked(secret)

    Silent on: threading.RLock, semaphores with more permits, locks of other objects, work that is
        only started.
    Source: state lane contract, section 6; Python library reference, asyncio.Lock.
    Since: 0.1
    """

    code = "LAN311"
    name = "lock-reentry"
    message = "{call} takes the lock '{lock}', which is held here since '{root}' ({root_at}) took it, and waits for itself"
    hint = "move what it does into a private function that takes no lock, and call that"

    def check(self, function: FunctionFacts) -> Iterator[Finding]:
        for reentry in function.lock_reentries():
            yield self.finding(
                reentry.place.span,
                path=function.file,
                confidence=Confidence.HIGH,
                call=f"'{reentry.callee}'" if reentry.callee else "this",
                lock=function.display(reentry.held),
                root=reentry.root,
                root_at=reentry.root_at,
            )
