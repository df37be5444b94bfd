"""LAN107 half-built-state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lane_lint.finding import Finding
from lane_lint.rule import Rule

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts


class HalfBuiltState(Rule):
    """A shared collection is emptied and then filled across suspensions.

    Whoever looks at it in between sees an empty or half-filled collection and takes it for the truth.

    Bad:
        class Shelf:
            def __init__(self, store):
                self._store = store
                self._items = {}

            async def reload(self):
                self._items.clear()
                async for item in self._store.items():
                    self._items[item.key] = item

            def find(self, key):
                return self._items.get(key)

    Good:
        class Shelf:
            def __init__(self, store):
                self._store = store
                self._items = {}

            async def reload(self):
                items = {}
                async for item in self._store.items():
                    items[item.key] = item
                self._items = items

            def find(self, key):
                return self._items.get(key)

    Silent on: collections that nobody else reads, readers that take the lock which the refill holds.
    Source: state lane contract, section 8, "cross invariants".
    Since: 0.1
    """

    code = "LAN107"
    name = "half-built-state"
    message = (
        "'{state}' is emptied here and filled on line {fill_line}, after a suspension; "
        "{reader} can read it half built in between"
    )
    hint = "fill a new collection and put it in place in one step"

    def check(self, function: FunctionFacts) -> Iterator[Finding]:
        for refill in function.refills():
            yield self.finding(
                refill.place.span,
                path=function.file,
                confidence=function.confidence_in(refill.path),
                related=(refill.fill.related("filled here"),),
                state=function.display(refill.path),
                fill_line=refill.fill.line,
                reader=function.name_of(refill.reader),
            )
