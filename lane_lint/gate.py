"""The gate: which definitions can hold a finding at all, by the cheap look of their sketches.

The dear look costs about fifty times as much for a line. A definition passes when the order of its
lines allows a read, a suspension and an act on one piece of state, when it may hold a lock over a
suspension or a call, or when it has to do with a lane. What passes for nothing costs time only; what
is kept out wrongly would be a missed finding, so every doubt opens the gate.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lane_lint.outline import CONSTRUCTION, FunctionOutline, ModuleOutline
from lane_lint.sketch import Sketch

WORTH_A_LOOK = re.compile(r"\b(?:await|async|\w*Lock|\w*Semaphore|Condition|StateLane)\b|lane\.|_lane\b")
LANE = re.compile(r"\bStateLane\b|\blane_runtime\b|lane\.(?:run|try_post|run_blocking)\b|_on_lane\b|@(?:\w+\.)*(?:turn|on_lane)\b")
LOCK = re.compile(r"(?:lock|mutex|semaphore|condition|limiter)", re.IGNORECASE)


class Gate:
    """Decides for the definitions of one module.

    Args:
        lane_words: A project's own names for lanes and for what enters them.
    """

    def __init__(self, module: ModuleOutline, text: str, lane_words: Iterable[str] = ()) -> None:
        self._module = module
        self._has_lanes = LANE.search(text) is not None or any(word in text for word in lane_words)
        self._has_locks = LOCK.search(text) is not None
        self._touched: dict[FunctionOutline, frozenset[str]] = {}
        self._written: dict[FunctionOutline, frozenset[str]] = {}

    def selected(self) -> list[FunctionOutline]:
        """The definitions that are worth the dear look, in order of the source."""
        return [f for f in self._module.all_functions() if self.lets_pass(f)]

    def lets_pass(self, function: FunctionOutline) -> bool:
        if function.name in CONSTRUCTION:
            return False
        sketch = function.sketch
        if self._has_lanes or self._may_hold_lock(sketch) or self._may_evict_lock(function):
            return True
        return bool(sketch.suspensions) and (self._walks_shared(sketch) or self._acts_late(function))

    def _may_hold_lock(self, sketch: Sketch) -> bool:
        """A lock held over a suspension, over another acquisition or over a call of an own method."""
        if not self._has_locks or not (sketch.contexts or sketch.acquires):
            return False
        return bool(sketch.suspensions or sketch.own_calls or sketch.has_nested) or len(sketch.contexts) > 1

    def _may_evict_lock(self, function: FunctionOutline) -> bool:
        """Something is taken out of a collection whose entries look like locks."""
        if not self._has_locks:
            return False
        names = {w.attribute for w in function.sketch.writes if w.link == "[]"} | function.sketch.free_writes.keys()
        return any(LOCK.search(name) for name in names) or any(
            LOCK.search(maker) for name in names for maker in self._item_makers(function, name)
        )

    def _item_makers(self, function: FunctionOutline, name: str) -> Iterator[str]:
        yield from self._module.global_item_makers.get(name, ())
        if function.owner is not None:
            for each in self._module.family(function.owner):
                yield from each.item_makers.get(name, ())

    def _walks_shared(self, sketch: Sketch) -> bool:
        """A suspension inside a `for` over more than literals."""
        return any(
            loop.walks_shared and loop.first <= line <= loop.last
            for loop in sketch.loops
            for line in sketch.suspensions
        )

    def _acts_late(self, function: FunctionOutline) -> bool:
        """Something is touched before (or in one loop with) a suspension and written after it."""
        sketch = function.sketch
        first, last = _window(sketch)
        late = {w.attribute for w in sketch.writes if w.line >= first}
        late |= self._by_helpers(function, first, writes_only=True)
        early = {name for name, line in sketch.reads.items() if line <= last}
        early |= {w.attribute for w in sketch.writes if w.line <= last}
        early |= self._by_helpers(function, 0, writes_only=False)
        if late & early:
            return True
        if any(line >= first for line in sketch.other_writes.values()) and (early or sketch.has_nested):
            return True
        free = {*sketch.free_writes, *(sketch.declared & sketch.stores.keys())}
        shared = free & (self._module.global_makers.keys() | sketch.declared)
        return bool(shared) or (bool(free) and sketch.has_nested) or "clear" in sketch.method_calls

    def _by_helpers(self, function: FunctionOutline, first: int, *, writes_only: bool) -> set[str]:
        """Attributes that own methods touch which are called, or read as properties, from line `first` on."""
        sketch = function.sketch
        names = {name for name, line in sketch.own_calls.items() if line >= first}
        names |= sketch.references - sketch.own_calls.keys()
        functions = [f for name in names for f in self._methods(function, name)]
        functions += [self._module.functions[n] for n in sketch.name_calls if n in self._module.functions]
        found: set[str] = set()
        for helper in functions:
            found |= self._reach(helper, writes_only=writes_only)
        return found

    def _methods(self, function: FunctionOutline, name: str) -> Iterator[FunctionOutline]:
        if function.owner is not None:
            for each in self._module.family(function.owner):
                for table in (each.methods, each.setters):
                    if name in table:
                        yield table[name]

    def _reach(self, function: FunctionOutline, *, writes_only: bool) -> frozenset[str]:
        """What a method writes, or touches at all, itself or through own methods."""
        known = self._written if writes_only else self._touched
        if function in known:
            return known[function]
        known[function] = frozenset()
        sketch = function.sketch
        found = {w.attribute for w in sketch.writes}
        if not writes_only:
            found |= sketch.reads.keys()
        for name in sketch.own_calls.keys() | sketch.references:
            for helper in self._methods(function, name):
                found |= self._reach(helper, writes_only=writes_only)
        known[function] = frozenset(found)
        return known[function]


def _window(sketch: Sketch) -> tuple[int, int]:
    """The lines from which on something comes after a suspension, and up to which before one.

    A loop with a suspension in it makes every line of it both.
    """
    first, last = min(sketch.suspensions), max(sketch.suspensions)
    for loop in sketch.loops:
        if any(loop.first <= line <= loop.last for line in sketch.suspensions):
            first, last = min(first, loop.first), max(last, loop.last)
    return first, last
