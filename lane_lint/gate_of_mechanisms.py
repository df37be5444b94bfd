"""The gate for state behind the wrong mechanism: concurrent collections, and semaphores in the place of locks."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property

from lane_lint.flow.concurrent import Concurrent, ConcurrentTypes
from lane_lint.flow.operations import QUEUE_CHANGES, QUEUE_LOOKS
from lane_lint.outline import ClassOutline, FunctionOutline, ModuleOutline
from lane_lint.sketch import dotted

ONE_PERMIT = "(1)"


class MechanismGate:
    """Decides for the definitions of one module, from their sketches.

    Args:
        configured: A project's own names of concurrent collections.
    """

    def __init__(self, module: ModuleOutline, configured: tuple[str, ...]) -> None:
        self._module = module
        self._types = ConcurrentTypes(module, configured)
        self._attributes: dict[ClassOutline, dict[str, Concurrent]] = {}

    def lets_pass(self, function: FunctionOutline) -> bool:
        """Whether a definition may act on a concurrent collection in two steps, or guard fields by a semaphore."""
        return self._combines_operations(function) or self._guards_fields(function)

    def _combines_operations(self, function: FunctionOutline) -> bool:
        functions = [function, *self._called(function)]
        touched = [kind for each in functions for kind in self._touched(each)]
        if not touched:
            return False
        if not all(kind.is_queue for kind in touched):
            return True
        methods = set().union(*(each.sketch.method_calls for each in functions))
        return bool(methods & QUEUE_LOOKS) and bool(methods & QUEUE_CHANGES)

    def _called(self, function: FunctionOutline) -> Iterator[FunctionOutline]:
        if function.owner is not None:
            for each in self._module.family(function.owner):
                for name in function.sketch.own_calls.keys() & each.methods.keys():
                    yield each.methods[name]
        for name in function.sketch.name_calls.keys() & self._module.functions.keys():
            yield self._module.functions[name]

    def _touched(self, function: FunctionOutline) -> Iterator[Concurrent]:
        """The concurrent collections that a function mentions."""
        if function.owner is not None:
            attributes = self._attributes_of(function.owner)
            if self._types.extends_map(function.owner):
                yield Concurrent(None)
            names = function.sketch.references | {w.attribute for w in function.sketch.writes}
            yield from (kind for name, kind in attributes.items() if name in names)
        if self._globals:
            names = {node.id for node in ast.walk(function.node) if isinstance(node, ast.Name)}
            yield from (kind for name, kind in self._globals.items() if name in names)
        for annotation in _annotations(function):
            kind = self._types.of_makers(None, frozenset({self._module.resolve(annotation)}))
            if kind is not None:
                yield kind

    def _attributes_of(self, owner: ClassOutline) -> dict[str, Concurrent]:
        if owner not in self._attributes:
            found = {}
            for each in self._module.family(owner):
                for name, makers in each.makers.items():
                    kind = self._types.of_makers(owner, frozenset(makers))
                    if kind is not None:
                        found[name] = kind
            self._attributes[owner] = found
        return self._attributes[owner]

    @cached_property
    def _globals(self) -> dict[str, Concurrent]:
        kinds = {
            name: self._types.of_makers(None, frozenset(makers))
            for name, makers in self._module.global_makers.items()
        }
        return {name: kind for name, kind in kinds.items() if kind is not None}

    def _guards_fields(self, function: FunctionOutline) -> bool:
        """Whether a function takes a semaphore with one permit and touches more than that one attribute."""
        sketch = function.sketch
        if not sketch.contexts and not sketch.acquires:
            return False
        makers = list(self._module.global_makers.items())
        if function.owner is not None:
            makers += [item for c in self._module.family(function.owner) for item in c.makers.items()]
        semaphores = {name for name, made in makers if any(maker.endswith(ONE_PERMIT) for maker in made)}
        return bool(semaphores) and (
            sketch.acquires or bool(semaphores & (sketch.contexts | sketch.references))
        )


def _annotations(function: FunctionOutline) -> Iterator[str]:
    arguments = function.node.args
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        if argument.annotation is not None and (name := dotted(argument.annotation)):
            yield name
