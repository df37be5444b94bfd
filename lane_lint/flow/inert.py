"""Inert functions: what calls need not follow, since it has no effect but its result."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lane_lint.flow.sharing import Sharing
    from lane_lint.outline import FunctionOutline, ModuleOutline


class Inertness:
    """Answers from sketches, so that an inert function need not be lowered."""

    def __init__(self, module: ModuleOutline, sharing: Sharing) -> None:
        self._module = module
        self._sharing = sharing
        self._inert: dict[FunctionOutline, bool] = {}

    def is_inert(self, function: FunctionOutline) -> bool:
        """Whether calling a function can be taken for a call of something foreign.

        It writes nothing that is shared, looks at nothing that anybody changes, takes no lock and
        enters no lane, and neither does what it calls; so it need not be lowered.
        """
        if function not in self._inert:
            self._inert[function] = True
            self._inert[function] = self._find_inert(function)
        return self._inert[function]

    def _find_inert(self, function: FunctionOutline) -> bool:
        sketch, owner = function.sketch, function.owner
        if sketch.writes or sketch.other_writes or sketch.contexts or sketch.acquires or sketch.has_nested:
            return False
        if sketch.declared or sketch.free_writes.keys() - sketch.stores.keys() or sketch.starts_tasks:
            return False
        if function.decorators or (function.is_async and not sketch.suspensions):
            return False
        if any(name in self._module.global_makers for name in sketch.free_writes):
            return False
        called = [self._module.functions[n] for n in sketch.name_calls if n in self._module.functions]
        if owner is not None:
            if any(self._sharing.attribute_writes(owner, name) for name in sketch.references):
                return False
            called += [
                f for n in sketch.references for c in self._module.family(owner) if (f := c.methods.get(n))
            ]
        elif self._reads_shared_global:
            return False
        return all(self.is_inert(f) for f in called)

    @cached_property
    def _reads_shared_global(self) -> bool:
        """Whether a plain function may read a module global that some function changes."""
        return any(self._sharing.global_writers(name) for name in self._module.global_makers)
