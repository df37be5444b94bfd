"""LAN102 stale-write-after-await."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lane_lint.finding import Finding
from lane_lint.flow.stale import Shape
from lane_lint.rule import Rule

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts


class StaleWriteAfterAwait(Rule):
    """A shared value is read, a suspension passes, and a value computed from the old one is written back.

    What another task wrote in between is lost. `self.n += await f()` reads `self.n` before it waits.

    Bad:
        class Counter:
            def __init__(self, source):
                self._source = source
                self.total = 0

            async def count(self):
                self.total += await self._source.size()

            def reset(self):
                self.total = 0

    Good:
        class Counter:
            def __init__(self, source):
                self._source = source
                self.total = 0

            async def count(self):
                size = await self._source.size()
                self.total += size

            def reset(self):
                self.total = 0

    Silent on: locals, objects that nobody else has, a lock or a lane's turn held over both, values
        compared again with the present state before the write.
    Source: state lane contract, section 3; the two-payments trace of the actor re-entrancy document.
    Since: 0.1
    """

    code = "LAN102"
    name = "stale-write-after-await"
    message = (
        "'{state}' {passage} and is written here from that old value; what {rival} wrote in between is lost"
    )
    hint = (
        "put the awaited value in a local first and read the state after the await, or hold a lock over both"
    )

    def check(self, function: FunctionFacts) -> Iterator[Finding]:
        for act in function.stale_acts():
            if act.shape is Shape.VALUE:
                yield self.finding(
                    act.act.span,
                    path=function.file,
                    confidence=function.confidence_of(act),
                    related=(act.read.related("read here"), act.suspension.related("other tasks run here")),
                    state=function.display(act.path),
                    passage=function.passage(act),
                    rival=function.rival_text(act.path),
                )
