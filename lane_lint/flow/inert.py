"""Inert functions: what calls need not follow, since it has no effect but its result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from lane_lint.flow.locks import lock_kind
from lane_lint.method_names import is_listener_name
from lane_lint.reachable import reachable

if TYPE_CHECKING:
    from lane_lint.flow.sharing import Sharing
    from lane_lint.outline import ClassOutline, FunctionOutline, ModuleOutline
    from lane_lint.sketch import Sketch


def _acts(sketch: Sketch) -> bool:
    """Whether a function does by itself what callers must know: writes, takes, waits, starts, tells listeners."""
    if sketch.writes or sketch.other_writes or sketch.declared:
        return True
    if sketch.contexts or sketch.acquires or sketch.waits or sketch.submits or sketch.starts_tasks:
        return True
    if sketch.has_nested or sketch.free_writes.keys() - sketch.stores.keys():
        return True
    return any(map(is_listener_name, sketch.references))


class Inertness:
    """Answers from sketches, so that an inert function need not be lowered.

    Args:
        entering: Names of methods that give work to a lane.
        has_lanes: What a function waits for, calls or hands out matters too, since it may do so in a turn.
        is_lending: Other modules ask, which the module's globals are no matter of.
    """

    def __init__(
        self,
        module: ModuleOutline,
        sharing: Sharing,
        entering: Iterable[str],
        *,
        has_lanes: bool,
        is_lending: bool = False,
    ) -> None:
        self._entering = frozenset(entering)
        self._has_lanes = has_lanes
        self._is_lending = is_lending
        self._module = module
        self._sharing = sharing
        self._harmless: dict[FunctionOutline, bool] = {}
        self._known: dict[FunctionOutline, frozenset[FunctionOutline]] = {}

    def forget(self) -> None:
        """Drop answers that may be half done."""
        self._harmless.clear()
        self._known.clear()

    def is_inert(self, function: FunctionOutline) -> bool:
        """Whether calling a function can be taken for a call of something foreign.

        It writes nothing that is shared, looks at nothing that anybody changes, takes no lock and
        enters no lane, and neither does what it calls or what overrides it; so it need not be lowered.
        """
        if self._has_lanes:
            return False
        return all(
            self._does_nothing(reached)
            for each in self._meant(function)
            for reached in reachable(each, self._called, self._known)
        )

    def _meant(self, function: FunctionOutline) -> list[FunctionOutline]:
        """The function, and the methods of the class's relatives that a call of it may mean instead."""
        if function.owner is None:
            return [function]
        family = self._module.family(function.owner)
        named = [each.methods[function.name] for each in family if function.name in each.methods]
        return [function, *(each for each in named if each is not function)]

    def _does_nothing(self, function: FunctionOutline) -> bool:
        if function not in self._harmless:
            self._harmless[function] = self._find_harmless(function)
        return self._harmless[function]

    def _called(self, function: FunctionOutline) -> Iterator[FunctionOutline]:
        """The functions and own methods that a function calls or mentions."""
        if function.origin is None:
            for name in function.sketch.name_calls.keys() & self._module.functions.keys():
                yield self._module.functions[name]
            yield from self._called_elsewhere(function)
        if function.owner is not None:
            for each in self._module.family(function.owner):
                for name in function.sketch.references & each.methods.keys():
                    yield each.methods[name]

    def _called_elsewhere(self, function: FunctionOutline) -> Iterator[FunctionOutline]:
        """Functions of other modules that are given the object itself."""
        module = self._module
        for name in function.sketch.handed_to:
            if (
                name.partition(".")[0] in module.imports
                and (found := module.function_named(name)) is not None
            ):
                yield found

    def _find_harmless(self, function: FunctionOutline) -> bool:
        sketch, owner = function.sketch, function.owner
        if _acts(sketch) or sketch.method_calls & self._entering:
            return False
        if function.origin is not None and (
            sketch.handed_to or function.origin.functions & sketch.name_calls.keys()
        ):
            return False  # only its own module knows what they do
        if function.decorators or (function.is_async and not sketch.suspensions):
            return False
        if any(name in self._module.global_makers for name in sketch.free_writes):
            return False
        if owner is not None:
            return not self._touches_state(owner, sketch)
        reads_shared = self._reads_shared_global and not self._is_lending
        return not reads_shared and not self._sharing.has_global_lane

    def _touches_state(self, owner: ClassOutline, sketch: Sketch) -> bool:
        """Whether a method calls a stored callable, or mentions what anybody changes, a lane or a lock."""
        if any(self._is_stored(owner, name) for name in sketch.own_calls):
            return True
        if self._sharing.content_writers(owner):
            return True
        family = self._module.family(owner)
        return any(
            self._sharing.attribute_writes(owner, name)
            or self._sharing.is_lane(owner, name)
            or any(lock_kind(each.makers.get(name, ())) for each in family)
            for name in sketch.references
        )

    def _is_stored(self, owner: ClassOutline, name: str) -> bool:
        """Whether a call of that name is one of a callable that the object stores."""
        if self._module.method(owner, name) is not None:
            return False
        return any(name in each.makers for each in self._module.family(owner))

    @cached_property
    def _reads_shared_global(self) -> bool:
        """Whether a plain function may read a module global that some function changes."""
        return any(self._sharing.global_writers(name) for name in self._module.global_makers)
