"""LAN103 check-await-act."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lane_lint.finding import Finding
from lane_lint.flow.stale import Shape
from lane_lint.rule import Rule

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts


class CheckAwaitAct(Rule):
    """A test of shared state before a suspension decides a change of the same state after it.

    Two tasks can both pass the test before either of them makes the change: the cache is filled
    twice, two connections are opened, the balance is spent twice.

    Bad:
        class Pool:
            def __init__(self, connect):
                self._connect = connect
                self._connection = None

            async def get(self):
                if self._connection is None:
                    self._connection = await self._connect()
                return self._connection

            def drop(self):
                self._connection = None

    Good:
        import asyncio

        class Pool:
            def __init__(self, connect):
                self._connect = connect
                self._connection = None
                self._lock = asyncio.Lock()

            async def get(self):
                async with self._lock:
                    if self._connection is None:
                        self._connection = await self._connect()
                    return self._connection

            async def drop(self):
                async with self._lock:
                    self._connection = None

    Silent on: a placeholder written before the suspension, a second test after it, a lock or a lane's
        turn held over both.
    Source: state lane contract, sections 3 and 4; the two-payments trace of the actor re-entrancy document.
    Since: 0.1
    """

    code = "LAN103"
    name = "check-await-act"
    message = (
        "'{state}' was tested on line {read_line}, before the {why} on line {suspension_line}, and the test decides "
        "{act}; {rival} can {harm} in between"
    )
    hint = "hold a lock over both, reserve before the await, or test again after it"

    def check(self, function: FunctionFacts) -> Iterator[Finding]:
        for act in function.stale_acts():
            if act.shape is Shape.DECISION:
                yield self.finding(
                    act.act.span,
                    path=function.file,
                    confidence=function.confidence_of(act),
                    related=(act.read.related("tested here"), act.suspension.related("other tasks run here")),
                    state=function.display(act.path),
                    read_line=act.read.line,
                    why=function.why_at(act.suspension),
                    suspension_line=act.suspension.line,
                    act=f"what '{act.helper}' changes here" if act.helper else "this change",
                    rival=function.rival_text(act.path, act.helper),
                    harm="pass the same test"
                    if function.is_its_own_rival(act.path, act.helper)
                    else "change it",
                )
