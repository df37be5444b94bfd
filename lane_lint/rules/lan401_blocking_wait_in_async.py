"""LAN401 blocking-wait-in-async."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lane_lint.finding import Confidence, Finding
from lane_lint.rule import Rule

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts
    from lane_lint.flow.pausing import BlockingWait


class BlockingWaitInAsync(Rule):
    """A coroutine waits in a way that blocks the thread, and the event loop with it.

    Every other task stands still meanwhile. When what is waited for needs the loop, as a coroutine
    that was handed to it or a thread that calls back into it does, it never comes.

    Bad:
        from concurrent.futures import ThreadPoolExecutor

        class Archive:
            def __init__(self, reader):
                self._reader = reader
                self._pool = ThreadPoolExecutor(2)

            async def page(self, number):
                job = self._pool.submit(self._reader.read, number)
                return job.result()

    Good:
        import asyncio
        from concurrent.futures import ThreadPoolExecutor

        class Archive:
            def __init__(self, reader):
                self._reader = reader
                self._pool = ThreadPoolExecutor(2)

            async def page(self, number):
                loop = asyncio.get_running_loop()
                return await loop.run_in_executor(self._pool, self._reader.read, number)

    Silent on: results of tasks and of futures that are known to be done, waits with a timeout of
        zero, plain functions that no coroutine of the module calls, and what runs in a thread.
    Source: state lane contract, section 5, "blocking compatibility boundary"; Python documentation,
        "Developing with asyncio", running blocking code.
    Since: 0.1
    """

    code = "LAN401"
    name = "blocking-wait-in-async"
    message = "'{call}' waits {reason}{through} and blocks the event loop; no other task of it runs meanwhile, nor can any bring about the end of the wait"
    hint = "await it instead, or have it wait in a thread with asyncio.to_thread"

    def check(self, function: FunctionFacts) -> Iterator[Finding]:
        for wait in function.blocking_waits():
            yield self.finding(
                wait.place.span,
                path=function.file,
                confidence=_confidence(wait, is_in_test=function.is_in_test),
                call=wait.call,
                reason=wait.reason,
                through=f", by '{wait.through}'," if wait.through else "",
            )


def _confidence(wait: BlockingWait, *, is_in_test: bool) -> Confidence:
    if is_in_test:
        return Confidence.LOW
    return Confidence.MEDIUM if wait.is_timed or wait.through else Confidence.HIGH
