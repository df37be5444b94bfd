"""Coroutines that run through without a suspension, as the sketches of them and of all they await tell.

Such a one is known by little: what it awaits is spelled plainly, and leads to methods and functions of the
project that are no promises and await nothing else. What is not known to run through may suspend.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lane_lint.outline import ClassOutline, FunctionOutline, ModuleOutline

# Decorators that leave what a coroutine does as it is.
_PLAIN = frozenset({"staticmethod", "classmethod", "override", "final"})


class NeverSuspending:
    """Answers for one module and what others lend it."""

    def __init__(self, module: ModuleOutline) -> None:
        self._module = module
        self._known: dict[FunctionOutline, bool] = {}

    def method(self, types: Iterable[str], name: str) -> bool:
        """Whether a method of an object that is of one of these types, which are named absolutely, runs through."""
        foreign = self._module.foreign
        owners = [foreign.class_named(each) for each in types] if foreign is not None else []
        called = _methods_of_all(self._module, owners, name)
        return bool(called) and all(map(self.function, called))

    def function(self, function: FunctionOutline) -> bool:
        """Whether awaiting a call of a function lets no other task run."""
        if function not in self._known:
            self._known[function] = self._runs_through(function)
        return self._known[function]

    def _runs_through(self, function: FunctionOutline) -> bool:
        seen, pending = {function}, [function]
        while pending:
            current = pending.pop()
            if not _is_plain(current):
                return False
            for name in sorted(current.sketch.awaited_calls):
                called = list(self._called(current, name))
                if not called:
                    return False
                pending += [each for each in called if each not in seen]
                seen.update(called)
        return True

    def _called(self, function: FunctionOutline, name: str) -> list[FunctionOutline]:
        """What a call may mean that is spelled so inside a function; nothing when that is not known."""
        head, *links = name.split(".")
        owner = function.owner
        if owner is not None and head == function.sketch.self_name and links:
            owners: list[ClassOutline | None] = [owner]
            for attribute in links[:-1]:
                owners = [made for each in owners for made in self._made(each, attribute)] or [None]
            return _methods_of_all(self._module, owners, links[-1])
        found = self._plain_function(function, name)
        return [found] if found is not None else []

    def _made(self, owner: ClassOutline | None, attribute: str) -> Iterator[ClassOutline | None]:
        """The classes of what an attribute holds; None for one that is not known."""
        order = self._module.class_order(owner) if owner is not None else []
        makers = next(filter(None, (each.makers.get(attribute) for each in order)), ())
        for maker in sorted(makers):
            own = self._module.classes.get(maker)
            foreign = self._module.foreign
            yield own or (foreign.class_named(maker) if foreign is not None else None)

    def _plain_function(self, function: FunctionOutline, name: str) -> FunctionOutline | None:
        module, origin = self._module, function.origin
        if origin is None:
            return module.function_named(name)
        if module.foreign is None:
            return None
        if name in origin.functions:
            return module.foreign.function_named(f"{origin.module}.{name}")
        return module.foreign.function_in(origin, name)


def _methods_of_all(
    module: ModuleOutline, owners: list[ClassOutline | None], name: str
) -> list[FunctionOutline]:
    """What a method means on objects of each of the classes, also as heirs have it; nothing when one has none."""
    found: list[FunctionOutline] = []
    for owner in owners:
        method = module.method(owner, name) if owner is not None else None
        if owner is None or method is None:
            return []
        found += [method, *_overrides(module, owner, name)]
    return found


def _overrides(module: ModuleOutline, owner: ClassOutline, name: str) -> Iterator[FunctionOutline]:
    for each in module.family(owner):
        if name in each.methods and owner in module.class_order(each):
            yield each.methods[name]
    if owner.origin is not None and module.foreign is not None:
        yield from module.foreign.overrides(owner, name)


def _is_plain(function: FunctionOutline) -> bool:
    """Whether a function is a coroutine that does something itself: no promise, no default for others to override."""
    sketch = function.sketch
    if not function.is_async or function.is_stub or "" in sketch.awaited_calls:
        return False
    if any(d.rpartition(".")[2] not in _PLAIN for d in function.decorators):
        return False
    return bool(sketch.references or sketch.other_reads or sketch.name_calls or sketch.method_calls)
