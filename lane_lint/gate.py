"""The gate: which definitions can hold a finding at all, by the cheap look of their sketches.

The dear look costs about fifty times as much for a line. A definition passes when the order of its
lines allows a read, a suspension and an act on one piece of state, when it may hold a lock over a
suspension or a call, or when it has to do with a lane. What passes for nothing costs time only; what
is kept out wrongly would be a missed finding, so every doubt opens the gate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from lane_lint.call_gate import CallGate
from lane_lint.gate_of_mechanisms import MechanismGate
from lane_lint.imported_names import imported_functions, imported_makers
from lane_lint.mentions import Mentions
from lane_lint.outline import CONSTRUCTION, FunctionOutline, ModuleOutline
from lane_lint.reachable import reachable
from lane_lint.sketch import Sketch, window_of_waits

ENTERS = ("__aenter__", "__enter__")
LOCK_CONSTRUCTORS = frozenset(
    {"Lock", "RLock", "Condition", "Semaphore", "BoundedSemaphore", "CapacityLimiter"}
)
LOCK = re.compile(r"(?:lock|mutex|semaphore|condition|limiter)", re.IGNORECASE)


class Gate:
    """Decides for the definitions of one module.

    Args:
        only_locks: Stale reads are not asked for, only what locks and lanes do.
    """

    def __init__(self, module: ModuleOutline, mentions: Mentions, *, only_locks: bool = False) -> None:
        self._only_locks = only_locks
        self._module = module
        self._has_lanes = mentions.lanes
        self._has_locks = mentions.locks
        self._calls = CallGate(module, mentions, self._reachable)
        self._lock_types = mentions.lock_types
        self._mechanisms = MechanismGate(module, mentions.concurrent_map_types)
        self._known: dict[FunctionOutline, frozenset[FunctionOutline]] = {}

    def selected(self) -> list[FunctionOutline]:
        """The definitions that are worth the dear look, in order of the source."""
        return [f for f in self._module.all_functions() if self.lets_pass(f)]

    def lets_pass(self, function: FunctionOutline) -> bool:
        """Whether a definition may hold a finding; a clean one that passes costs time only."""
        if function.name in CONSTRUCTION:
            return False
        sketch = function.sketch
        if self._has_lanes or self._may_hold_lock(function) or self._may_evict_lock(function):
            return True
        if self._only_locks:
            return False
        if self._calls.may_block(function) or self._calls.may_wait_for_pool(function):
            return True
        if self._mechanisms.lets_pass(function):
            return True
        return bool(sketch.suspensions) and (self._walks_shared(function) or self._acts_late(function))

    def _may_hold_lock(self, function: FunctionOutline) -> bool:
        """A lock held over a suspension, over another acquisition or over a call that acquires."""
        sketch = function.sketch
        if not self._has_locks or not self._takes_lock(function):
            return False
        if sketch.suspensions or sketch.has_nested or sketch.acquires or sketch.context_count > 1:
            return True
        if sketch.contexts and function.decorators and self._is_wrapped_here(function):
            return True
        names = sketch.own_calls.keys() | sketch.references | {w.attribute for w in sketch.writes}
        called = [method for name in names for method in self._methods(function, name)]
        called += [m for name in sketch.method_calls & self._lockers.keys() for m in self._lockers[name]]
        called += self._called_functions(function)
        return self._calls.may_notify(function) or any(self._reaches_lock(each) for each in called)

    def _takes_lock(self, function: FunctionOutline) -> bool:
        """Whether a function enters or acquires what may be a lock, itself or through its decorators."""
        sketch = function.sketch
        if sketch.acquires or self._is_wrapped_here(function):
            return True
        if sketch.contexts and not LOCK_CONSTRUCTORS.isdisjoint(
            sketch.name_calls.keys() | sketch.method_calls
        ):
            return True
        return any(self._may_be_lock(function, name) for name in sketch.contexts)

    def _is_wrapped_here(self, function: FunctionOutline) -> bool:
        return any(d in self._module.functions for d in function.decorators)

    def _may_be_lock(self, function: FunctionOutline, name: str) -> bool:
        """Whether a context is named or made like a lock, or is an own method that may wrap one."""
        if LOCK.search(name) or name in self._lock_attributes:
            return True
        if any(self._makes_lock(maker) for maker in self._makers(function, name)):
            return True
        if name in function.sketch.aliases or LOCK.search(function.annotation_of(name)):
            return True
        if function.sketch.is_own(name):
            return any(True for enter in ENTERS for _ in self._methods(function, enter))
        module = self._module
        wrapper = module.function_named(name) if name in module.imports else module.functions.get(name)
        wrappers = (*self._methods(function, name), *((wrapper,) if wrapper is not None else ()))
        return any(each.sketch.contexts or each.sketch.acquires for each in wrappers)

    @cached_property
    def _lock_attributes(self) -> frozenset[str]:
        """The attributes of any class of the module that are made as locks."""
        return frozenset(
            name
            for each in self._module.classes.values()
            for name, makers in each.makers.items()
            if any(map(self._makes_lock, makers))
        )

    def _makes_lock(self, maker: str) -> bool:
        return LOCK.search(maker) is not None or maker.rpartition(".")[2] in self._lock_types

    def _reaches_lock(self, function: FunctionOutline) -> bool:
        """Whether calling a function may take a lock, itself or through own methods."""
        return any(self._takes_lock(each) for each in self._reachable(function))

    @cached_property
    def _lockers(self) -> dict[str, list[FunctionOutline]]:
        """Methods that may take a lock, themselves or further down, by their names."""
        found: dict[str, list[FunctionOutline]] = {}
        for each in self._module.classes.values():
            for name, method in each.methods.items():
                if self._reaches_lock(method):
                    found.setdefault(name, []).append(method)
        return found

    def _makers(self, function: FunctionOutline, name: str) -> Iterator[str]:
        yield from self._module.global_makers.get(name, ())
        yield from imported_makers(self._module, name)
        yield from self._item_makers(function, name)
        if function.owner is not None:
            for each in self._module.family(function.owner):
                yield from each.makers.get(name, ())

    def _may_evict_lock(self, function: FunctionOutline) -> bool:
        """Something is taken out of a collection whose entries look like locks."""
        if not self._has_locks:
            return False
        names = {
            w.attribute for w in function.sketch.writes if w.link == "[]"
        } | function.sketch.free_writes.keys()
        return any(LOCK.search(name) for name in names) or any(
            self._makes_lock(maker) for name in names for maker in self._item_makers(function, name)
        )

    def _item_makers(self, function: FunctionOutline, name: str) -> Iterator[str]:
        yield from self._module.global_item_makers.get(name, ())
        if function.owner is not None:
            for each in self._module.family(function.owner):
                yield from each.item_makers.get(name, ())

    def _walks_shared(self, function: FunctionOutline) -> bool:
        """A suspension inside a `for` over something that may be shared."""
        sketch = function.sketch
        for loop in sketch.loops:
            if any(loop.first <= line <= loop.last for line in sketch.suspensions):
                if any(self._is_plain_shared(function, name) for name in loop.names):
                    return True
                if any(self._is_changed(function, name) for name in loop.attributes):
                    return True
                if any(loop.methods & each.methods.keys() for each in self._module.classes.values()):
                    return True
        return False

    def _is_plain_shared(self, function: FunctionOutline, name: str) -> bool:
        """Whether a plain name may be a global, an outer variable, or another name of an attribute."""
        sketch = function.sketch
        if name in self._module.global_makers or name in sketch.aliases:
            return True
        return name in sketch.free_writes or (sketch.has_nested and name not in sketch.stores)

    def _is_changed(self, function: FunctionOutline, attribute: str) -> bool:
        """Whether anybody changes the collection in place, or the attribute is a method's name."""
        if function.owner is None:
            return True
        return any(
            attribute in each.methods
            or any(w.attribute == attribute and w.link for f in each.functions() for w in f.sketch.writes)
            for each in self._module.family(function.owner)
        )

    def _acts_late(self, function: FunctionOutline) -> bool:
        """Something is touched before (or in one loop with) a suspension and written after it."""
        sketch = function.sketch
        if set(sketch.suspensions) <= set(sketch.last_waits):
            return self._acts_at_the_end(function)
        first, last = window_of_waits(sketch)
        late = {w.attribute for w in sketch.writes if w.line >= first}
        early = {name for name, line in sketch.reads.items() if line <= last}
        early |= {w.attribute for w in sketch.writes if w.line <= last}
        if late & early or self._acts_on_names(sketch, first):
            return True
        if {"clear", "wait"} <= sketch.method_calls or (early and self._stores_elsewhere(sketch, first)):
            return True
        late |= self._by_helpers(function, first, last=None, writes_only=True)
        return bool(late & (early | self._by_helpers(function, 0, last=last, writes_only=False)))

    def _acts_at_the_end(self, function: FunctionOutline) -> bool:
        """Every suspension ends the function: only a helper that is waited for there can act after it."""
        sketch = function.sketch
        first = min(sketch.last_waits)
        late = self._by_helpers(function, first, last=None, writes_only=True)
        early = sketch.reads.keys() | {w.attribute for w in sketch.writes}
        early |= self._by_helpers(function, 0, last=None, writes_only=False)
        return bool(late & early) or (sketch.nested_suspends and bool(sketch.nested_writes))

    def _stores_elsewhere(self, sketch: Sketch, first: int) -> bool:
        return any(line >= first for line in sketch.other_writes.values())

    def _acts_on_names(self, sketch: Sketch, first: int) -> bool:
        """A late write of a global, of an outer variable, or of an attribute of a parameter."""
        rebound = sketch.declared & sketch.stores.keys()
        changed = {n for n, line in sketch.free_writes.items() if line >= first}
        if (
            changed & sketch.aliases
            or rebound
            or (changed - sketch.stores.keys()) & self._module.global_makers.keys()
        ):
            return True
        if sketch.nested_suspends and sketch.nested_writes:
            return True
        last = window_of_waits(sketch)[1]
        return any(
            line >= first and sketch.other_reads.get(name, last + 1) <= last and name in self._written_names
            for name, line in sketch.other_writes.items()
        )

    @cached_property
    def _written_names(self) -> frozenset[str]:
        """Attributes that more than one function of the module stores."""
        seen: set[str] = set()
        often: set[str] = set()
        for function in self._module.all_functions():
            sketch = function.sketch
            names = sketch.other_writes.keys() | {w.attribute for w in sketch.writes}
            often |= seen & names
            seen |= names
        return frozenset(often)

    def _by_helpers(
        self, function: FunctionOutline, first: int, *, last: int | None, writes_only: bool
    ) -> set[str]:
        """Attributes that own methods touch which are called, or read as properties, between two lines."""
        sketch = function.sketch
        names = {name for name, line in sketch.own_calls.items() if line >= first}
        names |= sketch.references - sketch.own_calls.keys()
        if last is not None:
            names = {name for name in names if sketch.reads.get(name, 0) <= last}
        functions = [f for name in names for f in self._methods(function, name)]
        for each in self._module.classes.values():
            if each is not function.owner:
                functions += [each.methods[n] for n in sketch.method_calls & each.methods.keys()]
        functions += self._called_functions(function)
        functions += imported_functions(self._module, function)
        found: set[str] = set()
        for helper in functions:
            found |= self._reach(helper, writes_only=writes_only)
        return found

    def _methods(self, function: FunctionOutline, name: str) -> Iterator[FunctionOutline]:
        if function.owner is None:
            return
        for each in self._module.family(function.owner):
            for table in (each.methods, each.setters):
                if name in table:
                    yield table[name]

    def _reach(self, function: FunctionOutline, *, writes_only: bool) -> set[str]:
        """What a method writes, or touches at all, itself or through own methods."""
        found: set[str] = set()
        for each in self._reachable(function):
            found.update(w.attribute for w in each.sketch.writes)
            if not writes_only:
                found |= each.sketch.reads.keys()
        return found

    def _reachable(self, function: FunctionOutline) -> frozenset[FunctionOutline]:
        """The function and the own methods and functions that it calls or mentions, at any distance."""
        return reachable(function, self._mentioned, self._known)

    def _mentioned(self, function: FunctionOutline) -> Iterator[FunctionOutline]:
        for name in function.sketch.own_calls.keys() | function.sketch.references:
            yield from self._methods(function, name)
        yield from self._called_functions(function)

    def _called_functions(self, function: FunctionOutline) -> list[FunctionOutline]:
        functions = self._module.functions
        return [functions[name] for name in function.sketch.name_calls if name in functions]
