"""LAN109 stale-reset."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lane_lint.finding import Finding
from lane_lint.flow.stale import Shape
from lane_lint.rule import Rule

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts


class StaleReset(Rule):
    """After a suspension a field that others may have set anew is reset unconditionally.

    The reset was meant for the old value; it wipes the one that was put there in between.

    Bad:
        class Runner:
            def __init__(self):
                self._task = None

            def start(self, task):
                self._task = task

            async def stop(self):
                if self._task is None:
                    return
                self._task.cancel()
                await self._task.finished()
                self._task = None

    Good:
        class Runner:
            def __init__(self):
                self._task = None

            def start(self, task):
                self._task = task

            async def stop(self):
                task, self._task = self._task, None
                if task is None:
                    return
                task.cancel()
                await task.finished()

    Silent on: values swapped out before the suspension, resets behind a comparison with the present
        value, resets of what the same call reserved.
    Source: state lane contract, section 3; rule catalogue, "constant reset".
    Since: 0.1
    """

    code = "LAN109"
    name = "stale-reset"
    message = (
        "'{state}' is reset here because of {before} on line {before_line}, before the {why} on line "
        "{suspension_line}; a newer value put there by {rival} meanwhile is wiped"
    )
    hint = "{remedy}"

    def check(self, function: FunctionFacts) -> Iterator[Finding]:
        for act in function.stale_acts():
            if act.shape is Shape.RESET:
                yield self.finding(
                    act.act.span,
                    path=function.file,
                    confidence=function.confidence_of(act),
                    related=(act.read.related("tested here"), act.suspension.related("other tasks run here")),
                    state=function.display(act.path),
                    before="the read" if act.is_waited_for else "the test",
                    before_line=act.read.line,
                    why=function.why_at(act.suspension),
                    suspension_line=act.suspension.line,
                    rival=function.setter_text(act.path),
                    remedy="Swap the value out before the await, or reset only if it is still the same",
                )
        for reset in function.stale_resets():
            yield self.finding(
                reset.place.span,
                path=function.file,
                confidence=function.confidence_of_reset(reset),
                related=(
                    reset.before.related("set or waited for here"),
                    reset.suspension.related("other tasks run here"),
                ),
                state=function.display(reset.path),
                before="the wait" if reset.is_event else "the value that this call put there",
                before_line=reset.before.line,
                why=function.why_at(reset.suspension),
                suspension_line=reset.suspension.line,
                rival=function.setter_text(reset.path),
                remedy="Clear it directly after the wait"
                if reset.is_event
                else "Reset it only if it is still that value",
            )
