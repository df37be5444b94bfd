"""LAN106 lock-bypass."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lane_lint.finding import Finding, Related
from lane_lint.rule import Rule

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts


class LockBypass(Rule):
    """A field that a lock guards across a suspension in one function is written without it in another.

    The holder of the lock relies on the field not to change while it waits; this write changes it.

    Bad:
        import asyncio

        class Stock:
            def __init__(self, supplier):
                self._supplier = supplier
                self._lock = asyncio.Lock()
                self._items = 0

            async def refill(self):
                async with self._lock:
                    have = self._items
                    self._items = have + await self._supplier.ship(have)

            def clear(self):
                self._items = 0

    Good:
        import asyncio

        class Stock:
            def __init__(self, supplier):
                self._supplier = supplier
                self._lock = asyncio.Lock()
                self._items = 0

            async def refill(self):
                async with self._lock:
                    have = self._items
                    self._items = have + await self._supplier.ship(have)

            async def clear(self):
                async with self._lock:
                    self._items = 0

    Silent on: construction, reads, helpers whose callers all hold the lock, locks that only put the
        users of a wire in order.
    Source: state lane contract, section 4; lockset analysis (Savage and others, Eraser, 1997).
    Since: 0.1
    """

    code = "LAN106"
    name = "lock-bypass"
    message = (
        "'{state}' is written here without '{lock}', which '{holder}' ({hold_at}) holds over a suspension "
        "while it relies on that state"
    )
    hint = "{remedy}"

    def check(self, function: FunctionFacts) -> Iterator[Finding]:
        for write in function.unguarded_writes():
            guard = write.guard
            origin = guard.unit.outline.origin
            span = guard.unit.slice.span(guard.unit.body.places[guard.site])
            yield self.finding(
                write.place.span,
                path=function.file,
                confidence=function.confidence_of_bypass(write),
                related=()
                if origin is not None
                else (Related(span, f"'{guard.unit.label}' takes the lock here"),),
                state=function.display(write.path),
                lock=function.display(guard.lock),
                holder=guard.unit.label,
                hold_at=f"{origin.file} line {span.line}" if origin is not None else f"line {span.line}",
                remedy="Take the lock for this write too"
                if function.can_take(write)
                else f"Write where the lock is held, or let '{guard.unit.label}' read again after it waits",
            )
