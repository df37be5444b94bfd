"""LAN205 owned-state-escapes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lane_lint.finding import Finding, Related
from lane_lint.rule import Rule

if TYPE_CHECKING:
    from lane_lint.flow.escapes import Escape
    from lane_lint.flow.facts import FunctionFacts


class OwnedStateEscapes(Rule):
    """A turn returns the collection that its lane owns, or a live entry of it, instead of a copy or a claim.

    Whoever gets it reads it while later turns change it, and may change it without a turn.

    Bad:
        from lane_runtime import StateLane

        class Catalogue:
            def __init__(self):
                self._lane = StateLane()
                self._prices = {}

            async def put(self, item, price):
                await self._lane.run(lambda: self._prices.update({item: price}))

            async def prices(self):
                return await self._lane.run(lambda: self._prices)

    Good:
        from lane_runtime import StateLane

        class Catalogue:
            def __init__(self):
                self._lane = StateLane()
                self._prices = {}

            async def put(self, item, price):
                await self._lane.run(lambda: self._prices.update({item: price}))

            async def prices(self):
                return await self._lane.run(lambda: dict(self._prices))

    Silent on: copies, numbers and texts, what was taken out of the collection, what nobody changes in
        place, and entries that are handles: sessions, futures, objects of foreign classes.
    Source: state lane contract, section 3: what leaves a turn is a claim, not mutable state.
    Since: 0.1
    """

    code = "LAN205"
    name = "owned-state-escapes"
    message = "{what} '{state}' is {way} by the turn '{turn}' as it is, and {why}"
    hint = "let {remedy} leave the turn"

    def check(self, function: FunctionFacts) -> Iterator[Finding]:
        for escape in function.escapes_from_turn():
            related: tuple[Related, ...] = ()
            why = "whoever gets it can change what the lane owns"
            if escape.changer is not None:
                unit, site = escape.changer
                span = unit.span(site)
                why = f"'{unit.label}' (line {span.line}) changes it in place while others read it"
                related = (Related(span, f"'{unit.label}' changes it here"),)
            is_entry = escape.path[-1][0] == "["
            yield self.finding(
                escape.place.span,
                path=function.file,
                confidence=escape.confidence,
                related=related,
                what=_what(escape, is_entry=is_entry),
                state=function.display(escape.path),
                way="returned" if escape.given_to is None else f"given to '{escape.given_to}'",
                turn=escape.turn,
                why=why,
                remedy="a frozen copy or the values that are needed" if is_entry else "a copy",
            )


def _what(escape: Escape, *, is_entry: bool) -> str:
    thing = "the live entry" if is_entry else "the live object"
    return f"a new collection with {thing} in it," if escape.is_inside else thing
