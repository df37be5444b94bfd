"""LAN402 same-pool-wait."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lane_lint.finding import Confidence, Finding
from lane_lint.rule import Rule

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts


class SamePoolWait(Rule):
    """Work that runs on an executor gives more work to the same executor and waits for it.

    As soon as every worker waits like that, nobody is left to do what they wait for.

    Bad:
        from concurrent.futures import ThreadPoolExecutor

        class Tree:
            def __init__(self, store):
                self._store = store
                self._pool = ThreadPoolExecutor(4)

            def measure(self, node):
                return self._pool.submit(self._size, node)

            def _size(self, node):
                parts = [self._pool.submit(self._size, child) for child in self._store.children(node)]
                return 1 + sum(part.result() for part in parts)

    Good:
        from concurrent.futures import ThreadPoolExecutor

        class Tree:
            def __init__(self, store):
                self._store = store
                self._pool = ThreadPoolExecutor(4)

            def measure(self, node):
                return self._pool.submit(self._size, node)

            def _size(self, node):
                return 1 + sum(self._size(child) for child in self._store.children(node))

    Silent on: waits by who is not on the executor, other executors, and futures that are handed on.
    Source: Python library reference, concurrent.futures, ThreadPoolExecutor, "Deadlocks can occur".
    Since: 0.1
    """

    code = "LAN402"
    name = "same-pool-wait"
    message = "'{call}' waits for work of '{pool}' in '{root}', which runs on '{pool}' itself (given to it on line {line}); when every worker waits, none is left to do the work"
    hint = "do the work here, chain it with a callback, or give it to another executor"

    def check(self, function: FunctionFacts) -> Iterator[Finding]:
        for wait in function.same_pool_waits():
            confidence = Confidence.MEDIUM if wait.is_timed else Confidence.HIGH
            yield self.finding(
                wait.place.span,
                path=function.file,
                confidence=Confidence.LOW if function.is_in_test else confidence,
                call=wait.call,
                pool=wait.pool,
                root=wait.root,
                line=wait.line,
            )
