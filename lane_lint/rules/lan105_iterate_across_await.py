"""LAN105 iterate-across-await."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lane_lint.finding import Finding
from lane_lint.rule import Rule

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts


class IterateAcrossAwait(Rule):
    """A shared collection is iterated while the loop's body suspends.

    Another task may add or remove items meanwhile; the loop then raises or skips items.

    Bad:
        class Room:
            def __init__(self):
                self._members = set()

            def leave(self, member):
                self._members.discard(member)

            async def say(self, text):
                for member in self._members:
                    await member.send(text)

    Good:
        class Room:
            def __init__(self):
                self._members = set()

            def leave(self, member):
                self._members.discard(member)

            async def say(self, text):
                for member in list(self._members):
                    await member.send(text)

    Silent on: copies, collections that nobody changes in place, loops whose body cannot suspend or
        ends the loop when it has, loops under a lock.
    Source: Python library reference, "Dictionary view objects".
    Since: 0.1
    """

    code = "LAN105"
    name = "iterate-across-await"
    message = (
        "'{state}' is iterated across the {why} on line {suspension_line}; {changer} can change it there, "
        "and the loop then raises, skips or repeats items"
    )
    hint = "iterate a copy: list({iterable})"

    def check(self, function: FunctionFacts) -> Iterator[Finding]:
        for loop in function.loops_over_shared_state():
            yield self.finding(
                loop.place.span,
                path=function.file,
                confidence=function.confidence_of_loop(loop),
                related=(loop.suspension.related("other tasks run here"),),
                state=function.display(loop.path),
                why=function.why_at(loop.suspension),
                suspension_line=loop.suspension.line,
                iterable=function.source_of(loop),
                changer=function.name_of(loop.changer),
            )
