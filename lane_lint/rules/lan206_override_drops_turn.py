"""LAN206 override-drops-turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lane_lint.finding import Finding
from lane_lint.rule import Rule

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts


class OverrideDropsTurn(Rule):
    """A subclass overrides a method that is a turn with one that touches owned state without a turn.

    A decorator is not inherited: callers of the subclass go past the lane and do not see it.

    Bad:
        from lane_runtime import StateLane, turn

        class Basket:
            def __init__(self):
                self._lane = StateLane()
                self._items = {}

            @turn
            def put(self, key, item):
                self._items[key] = item

        class LimitedBasket(Basket):
            async def put(self, key, item):
                if len(self._items) < 10:
                    self._items[key] = item

    Good:
        from lane_runtime import StateLane, turn

        class Basket:
            def __init__(self):
                self._lane = StateLane()
                self._items = {}

            @turn
            def put(self, key, item):
                self._items[key] = item

        class LimitedBasket(Basket):
            @turn
            def put(self, key, item):
                if len(self._items) < 10:
                    self._items[key] = item

    Silent on: overrides that enter the lane themselves, that leave owned state to super(), or that
        override a body which is run inside somebody else's turn.
    Source: state lane contract, sections 4 and 5.
    Since: 0.1
    """

    code = "LAN206"
    name = "override-drops-turn"
    message = (
        "'{override}' overrides '{base}' of '{owner}', which is a turn of the lane, "
        "but touches '{state}' on line {line} outside any turn"
    )
    hint = "make the override a turn too: with @turn, or with lane.run(...) around its body"

    def check(self, function: FunctionFacts) -> Iterator[Finding]:
        for dropped in function.dropped_turns():
            related = dropped.related()
            yield self.finding(
                dropped.span,
                path=function.file,
                confidence=function.confidence_off_lane(),
                related=related,
                override=function.label,
                base=dropped.base.name,
                owner=dropped.base.owner.name if dropped.base.owner is not None else "",
                state=function.display(dropped.access.path),
                line=related[0].span.line,
            )
