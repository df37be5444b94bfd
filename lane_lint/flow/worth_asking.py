"""Which functions of other modules are worth being asked for, by their sketches and those of what they call.

An answer costs an analysis of the other module. Most functions can tell nothing that changes a finding
here: they touch what nobody here touches, take no lock, and are given nothing of ours.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from lane_lint.flow import hooks
from lane_lint.method_names import is_listener_name
from lane_lint.reachable import reachable

if TYPE_CHECKING:
    from lane_lint.flow.program import Program
    from lane_lint.outline import FunctionOutline


class Worth:
    """Decides for the functions that other modules lend to one program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._known: dict[FunctionOutline, frozenset[FunctionOutline]] = {}

    def is_worth_asking(self, function: FunctionOutline) -> bool:
        """Whether what a function of another module tells may change a finding here."""
        if self._program.module_has_lanes:
            return True
        if not self._written.isdisjoint(function.sketch.references):
            return True
        return any(map(self._may_matter, self._reached(function)))

    def _reached(self, function: FunctionOutline) -> frozenset[FunctionOutline]:
        return reachable(function, self._called, self._known)

    def _called(self, function: FunctionOutline) -> Iterator[FunctionOutline]:
        module, sketch = self._program.module, function.sketch
        if function.origin is not None:
            for name in sketch.name_calls.keys() & function.origin.functions:
                found = module.function_named(f"{function.origin.module}.{name}")
                if found is not None:
                    yield found
            for name in sketch.handed_to:
                if module.foreign is not None:
                    found = module.foreign.function_in(function.origin, name)
                    if found is not None:
                        yield found
        if function.owner is not None:
            for each in module.family(function.owner):
                for name in sketch.references & each.methods.keys():
                    yield each.methods[name]

    def _may_matter(self, function: FunctionOutline) -> bool:
        sketch = function.sketch
        if sketch.waits or sketch.submits or sketch.starts_tasks or sketch.has_nested:
            return True
        if sketch.contexts and (function.owner is None or sketch.contexts - sketch.references):
            return True  # only its own module knows whether that is a lock
        if sketch.declared or sketch.free_writes.keys() - sketch.stores.keys():
            return True
        if any(map(is_listener_name, sketch.references)) or hooks.may_hold(self._program, function):
            return True
        if any(w.attribute in self._touched for w in sketch.writes):
            return True
        names = {a.arg for a in function.node.args.args}
        return bool(sketch.other_writes) or any(w.attribute in names for w in sketch.name_writes)

    @cached_property
    def _written(self) -> frozenset[str]:
        """Attributes that functions of this module change."""
        return frozenset(w.attribute for f in self._own() for w in f.sketch.writes)

    @cached_property
    def _touched(self) -> frozenset[str]:
        """Attributes that functions of this module read or change, or that inherited ones which they call read."""
        found = {name for f in self._own() for name in f.sketch.reads} | self._written
        return frozenset(found)

    def _own(self) -> Iterator[FunctionOutline]:
        return self._program.module.all_functions()
