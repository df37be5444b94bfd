"""The gate for calls: which definitions may call what blocks, what waits for an executor, or listeners."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from lane_lint.mentions import Mentions
from lane_lint.method_names import is_listener_name
from lane_lint.outline import FunctionOutline, ModuleOutline
from lane_lint.sketch import Sketch

BUILTINS = frozenset(dir(builtins))


class CallGate:
    """Decides by the names of what functions call.

    Args:
        reachable: A function and those of the module that it calls, at any distance.
    """

    def __init__(
        self,
        module: ModuleOutline,
        mentions: Mentions,
        reachable: Callable[[FunctionOutline], Iterable[FunctionOutline]],
    ) -> None:
        self._module = module
        self._has_blocking = mentions.blocking
        self._has_pools = mentions.pools
        self._reachable = reachable

    def may_notify(self, function: FunctionOutline) -> bool:
        """Whether a function, or one that it calls, speaks of listeners or calls what it finds in a collection."""
        if not function.sketch.method_calls.isdisjoint(self._notifiers):
            return True
        return any(map(self._notifies, self._reachable(function)))

    @cached_property
    def _notifiers(self) -> frozenset[str]:
        """Methods that may tell listeners something, themselves or further down, by their names."""
        methods = (method for each in self._module.classes.values() for method in each.methods.values())
        return frozenset(
            method.name for method in methods if any(map(self._notifies, self._reachable(method)))
        )

    def _notifies(self, function: FunctionOutline) -> bool:
        sketch = function.sketch
        return self._calls_entries(sketch) or any(map(is_listener_name, _names_in(sketch)))

    def _calls_entries(self, sketch: Sketch) -> bool:
        if not any(loop.attributes for loop in sketch.loops):
            return False
        return any(
            name not in self._module.functions
            and name not in self._module.classes
            and name not in self._module.imports
            and name not in BUILTINS
            for name in sketch.name_calls
        )

    def may_block(self, function: FunctionOutline) -> bool:
        """A coroutine that calls what blocks the thread, itself or through plain functions of the module."""
        sketch = function.sketch
        if not self._has_blocking or not (function.is_async or sketch.suspensions):
            return False
        if sketch.waits or not sketch.method_calls.isdisjoint(self._waiters):
            return True
        return any(each.sketch.waits for each in self._reachable(function))

    @cached_property
    def _waiters(self) -> frozenset[str]:
        """Plain methods that may block the thread, themselves or further down, by their names."""
        return frozenset(
            name
            for each in self._module.classes.values()
            for name, method in each.methods.items()
            if not method.is_async and any(f.sketch.waits for f in self._reachable(method))
        )

    def may_wait_for_pool(self, function: FunctionOutline) -> bool:
        """Work is given to executors, and somebody who does so waits for what it gives."""
        return self._has_pools and function.sketch.submits and self._waits_for_pools

    @cached_property
    def _waits_for_pools(self) -> bool:
        return any(
            any(each.sketch.submits for each in reached) and any(each.sketch.waits for each in reached)
            for reached in map(self._reachable, self._module.all_functions())
        )


def _names_in(sketch: Sketch) -> Iterator[str]:
    """The names of what a function calls and mentions."""
    yield from sketch.references
    yield from sketch.name_calls
    yield from sketch.method_calls
