"""LAN101 lock-snapshot-await."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lane_lint.finding import Finding
from lane_lint.flow.stale import Shape
from lane_lint.rule import Rule

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts


class LockSnapshotAwait(Rule):
    """State is read under a lock, the lock is let go, and the value is acted on across a suspension.

    The lock is free from then on, so another task may change or remove what was read before the
    awaited call uses it, before the decision is carried out, or before the value is written back.

    Bad:
        import asyncio

        class Router:
            def __init__(self, wire):
                self._wire = wire
                self._lock = asyncio.Lock()
                self._routes = {}

            async def drop(self, key):
                async with self._lock:
                    self._routes.pop(key, None)

            async def send(self, key, body):
                async with self._lock:
                    route = self._routes.get(key)
                await self._wire.send(route, body)

    Good:
        import asyncio

        class Router:
            def __init__(self, wire):
                self._wire = wire
                self._lock = asyncio.Lock()
                self._routes = {}

            async def drop(self, key):
                async with self._lock:
                    self._routes.pop(key, None)

            async def send(self, key, body):
                async with self._lock:
                    await self._wire.send(self._routes.get(key), body)

    Silent on: values taken out under the lock (pop, swap), futures and tasks, values compared again
        with the present state before they are used, state that is never changed after construction.
    Source: state lane contract, section 3.
    Since: 0.1
    """

    code = "LAN101"
    name = "lock-snapshot-await"
    message = (
        "'{state}' was read under a lock on line {read_line}, and the lock is free again when the value is used here; "
        "{rival} can change it in between"
    )
    hint = "take the value out under the lock, hold the lock over both, or test again before the act"

    def check(self, function: FunctionFacts) -> Iterator[Finding]:
        for act in function.stale_acts():
            if act.shape in (Shape.RELEASED, Shape.GIVEN):
                yield self.finding(
                    act.act.span,
                    path=function.file,
                    confidence=function.confidence_of(act),
                    related=(act.read.related("read here, under the lock"),),
                    state=function.display(act.path),
                    read_line=act.read.line,
                    rival=function.rival_text(act.path),
                )
