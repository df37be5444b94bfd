"""LAN203 lane-owned-off-lane."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lane_lint.finding import Finding, Related
from lane_lint.rule import Rule

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts
    from lane_lint.flow.owned import OffLane


class LaneOwnedOffLane(Rule):
    """A field that turns of a lane own is read or written outside any turn.

    The lane keeps turns apart from each other, not from code that goes past it: this access can fall
    between the steps of a turn, or make a later turn work on what it did not expect.

    Bad:
        from lane_runtime import StateLane

        class Pairs:
            def __init__(self):
                self._lane = StateLane()
                self._left = {}
                self._right = {}

            async def tie(self, a, b):
                def tie_on_lane():
                    self._left[a] = b
                    self._right[b] = a

                await self._lane.run(tie_on_lane)

            def count(self):
                return len(self._left)

    Good:
        from lane_runtime import StateLane

        class Pairs:
            def __init__(self):
                self._lane = StateLane()
                self._left = {}
                self._right = {}

            async def tie(self, a, b):
                def tie_on_lane():
                    self._left[a] = b
                    self._right[b] = a

                await self._lane.run(tie_on_lane)

            async def count(self):
                return await self._lane.run(lambda: len(self._left))

    Silent on: construction, references that are set once, what is read by turns and outside but
        written by neither, collections that are handed to the lane as they are, functions that
        assert that they are on the lane, the time after the lane was closed.
    Source: state lane contract, sections 2 and 4.
    Since: 0.1
    """

    code = "LAN203"
    name = "lane-owned-off-lane"
    message = "'{state}' is {touched} outside any turn, and the turn '{turn}' {owns} it on line {turn_line}"
    hint = "{remedy}"

    def check(self, function: FunctionFacts) -> Iterator[Finding]:
        for touch in function.touches_off_lane():
            turn = touch.owned.turn
            span = turn.span(touch.owned.site)
            owns = "writes" if touch.owned.is_written else "reads"
            yield self.finding(
                touch.place.span,
                path=function.file,
                confidence=function.confidence_off_lane(),
                related=(Related(span, f"the turn '{turn.label}' {owns} it here"),),
                state=_name(function, touch),
                touched=_touched(touch),
                turn=turn.label,
                owns=owns,
                turn_line=span.line,
                remedy=_remedy(touch),
            )


def _name(function: FunctionFacts, touch: OffLane) -> str:
    if touch.helper is not None:
        return function.name_of_field(touch.field)
    return function.display(touch.path)


def _touched(touch: OffLane) -> str:
    verb = "written" if touch.is_write else "read"
    return f"{verb} by '{touch.helper}', which is called" if touch.helper is not None else verb


def _remedy(touch: OffLane) -> str:
    if touch.helper is not None:
        return f"Run it as a turn: lane.run({touch.helper}, ...)"
    return "Change it in a turn" if touch.is_write else "Ask for it in a turn: lane.run(...)"
