"""LAN201 c2-behind-concurrent-map."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lane_lint.finding import Finding
from lane_lint.rule import Rule

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts
    from lane_lint.flow.together import Synchronisation


class C2BehindConcurrentMap(Rule):
    """Two collections of one component that are synchronised apart are changed together in one operation.

    A concurrent map, a lock or a lane of its own makes each change atomic. What holds between the two
    collections is broken between the two changes, for everybody to see.

    Bad:
        from lane_runtime import ConcurrentMap

        class Seats:
            def __init__(self):
                self._seat_of = ConcurrentMap()
                self._guest_on = ConcurrentMap()

            def take(self, guest, seat):
                self._seat_of.set(guest, seat)
                self._guest_on.set(seat, guest)

    Good:
        from lane_runtime import StateLane

        class Seats:
            def __init__(self):
                self._lane = StateLane()
                self._seat_of = {}
                self._guest_on = {}

            async def take(self, guest, seat):
                def take_on_lane():
                    self._seat_of[guest] = seat
                    self._guest_on[seat] = guest

                await self._lane.run(take_on_lane)

    Silent on: changes under one lock or in one turn, collections that no operation changes together,
        counters, changes on branches that exclude each other, roll-backs in handlers of exceptions.
    Source: state lane contract, section 4: a component with a class C2 part is C2 as a whole.
    Since: 0.1
    """

    code = "LAN201"
    name = "c2-behind-concurrent-map"
    message = (
        "'{second}' ({second_by}) is changed here and '{first}' ({first_by}) {before} on line {line}, "
        "each synchronised by itself; others see and change them in between"
    )
    hint = "let one lane own both as plain collections, and do this in one turn"

    def check(self, function: FunctionFacts) -> Iterator[Finding]:
        for torn in function.torn_changes():
            before = "was tested" if torn.is_tested else "was changed"
            yield self.finding(
                torn.second_place.span,
                path=function.file,
                confidence=torn.confidence,
                related=(torn.first_place.related(f"'{function.display(torn.first)}' {before} here"),),
                second=function.display(torn.second),
                second_by=_how(function, torn.second_how),
                first=function.display(torn.first),
                first_by=_how(function, torn.first_how),
                before=before,
                line=torn.first_place.line,
            )


def _how(function: FunctionFacts, how: Synchronisation) -> str:
    """A concurrent map, the lock or the lane, by its name."""
    names = [function.display(guard) for guard in sorted(how.guards) if guard[0][0] != "%"]
    return f"{how.by.value} '{names[0]}'" if names else how.by.value
