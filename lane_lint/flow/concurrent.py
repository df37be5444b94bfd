"""Concurrent collections: each operation is synchronised by itself, two of them in a row are not."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lane_lint.flow.critical_sections import CriticalSections
from lane_lint.sketch import dotted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lane_lint.model.path import Path
    from lane_lint.outline import ClassOutline, FunctionOutline, ModuleOutline

MAP_TYPES = frozenset(
    {
        "lane_runtime.ConcurrentMap",
        "multiprocessing.Manager.dict",
        "multiprocessing.Manager.list",
        "multiprocessing.managers.DictProxy",
        "multiprocessing.managers.ListProxy",
    }
)
QUEUE_TYPES = frozenset(
    f"{module}.{name}"
    for module in ("queue", "multiprocessing")
    for name in ("Queue", "LifoQueue", "PriorityQueue", "SimpleQueue", "JoinableQueue")
)
MANAGERS = frozenset({"multiprocessing.Manager", "multiprocessing.managers.SyncManager"})
MANAGED = ("dict", "list")
CONTAINERS = frozenset({"dict", "list", "set", "deque", "defaultdict", "OrderedDict", "Counter"})


@dataclass(frozen=True, slots=True)
class Concurrent:
    """A concurrent collection.

    Attributes:
        own: The class of this module that it is an instance of; None for one of a library.
        is_queue: Taking from it is its reading.
    """

    own: ClassOutline | None
    is_queue: bool = False


class ConcurrentTypes:
    """Which types of a module are concurrent collections, by what objects are made from.

    Args:
        configured: Dotted names that a project counts among them.
    """

    def __init__(self, module: ModuleOutline, configured: tuple[str, ...]) -> None:
        self._module = module
        self._configured = frozenset(configured)
        self._own: dict[ClassOutline, bool] = {}

    def of_makers(self, owner: ClassOutline | None, makers: frozenset[str]) -> Concurrent | None:
        """The concurrent collection that one of the makers makes.

        Args:
            owner: The class whose attribute it is, if it is one.
        """
        for maker in sorted(makers):
            if (own := self._module.classes.get(maker)) is not None:
                if self.extends_map(own):
                    return Concurrent(None)
                if self.is_synchronised(own):
                    return Concurrent(own)
            elif maker in QUEUE_TYPES:
                return Concurrent(None, is_queue=True)
            elif maker in MAP_TYPES | self._configured or self._is_managed(owner, maker):
                return Concurrent(None)
        return None

    def _is_managed(self, owner: ClassOutline | None, maker: str) -> bool:
        """Whether the maker is `manager.dict` of a multiprocessing manager."""
        manager, _, name = maker.rpartition(".")
        if name not in MANAGED or not manager:
            return False
        head, _, attribute = manager.partition(".")
        if attribute and owner is not None:
            return any(
                attribute in c.makers and MANAGERS & c.makers[attribute] for c in self._module.family(owner)
            )
        if MANAGERS & self._module.global_makers.get(manager, set()):
            return True
        return (
            not attribute
            and owner is not None
            and any(
                self._makes_manager(function, head)
                for c in self._module.family(owner)
                for function in c.functions()
            )
        )

    def _makes_manager(self, function: FunctionOutline, name: str) -> bool:
        """Whether a local variable or a parameter of the function is a manager."""
        for node in ast.walk(function.node):
            if isinstance(node, ast.Assign):
                targets, value = node.targets, node.value
            elif isinstance(node, ast.withitem):
                targets, value = [node.optional_vars] if node.optional_vars else [], node.context_expr
            elif isinstance(node, ast.arg) and node.annotation is not None and node.arg == name:
                targets, value = [ast.Name(name, ast.Store())], node.annotation
            else:
                continue
            made = self._module.resolve(dotted(value) or "")
            if made in MANAGERS and any(isinstance(t, ast.Name) and t.id == name for t in targets):
                return True
        return False

    # Classes of the module

    def extends_map(self, owner: ClassOutline) -> bool:
        """Whether objects of a class are concurrent maps of a library themselves."""
        known = MAP_TYPES | self._configured
        order = self._module.class_order(owner)
        return any(self._module.resolve(base) in known for each in order for base in each.bases)

    def is_synchronised(self, owner: ClassOutline) -> bool:
        """Whether an own class is a collection whose every public method is one critical section."""
        if owner not in self._own:
            self._own[owner] = False
            self._own[owner] = self._find_synchronised(owner)
        return self._own[owner]

    def _find_synchronised(self, owner: ClassOutline) -> bool:
        sections = CriticalSections(self._module, owner)
        operations = sections.operations
        if not sections.locks or len(operations) < 2:
            return False
        if not any(self.changes(owner, function) for function in operations):
            return False
        return all(map(sections.is_one, operations))

    def contents(self, owner: ClassOutline) -> set[str]:
        """The attributes of a class that are collections."""
        order = self._module.class_order(owner)
        return {n for c in order for n, made in c.makers.items() if _is_container(made)}

    def changes(self, owner: ClassOutline, function: FunctionOutline) -> bool:
        """Whether a method changes the content of its object, itself or through a method that it calls."""
        written = {w.attribute for each in _with_called(owner, function) for w in each.sketch.writes}
        return bool(written & self.contents(owner))


def _is_container(makers: set[str]) -> bool:
    return any(maker.rpartition(".")[2] in CONTAINERS for maker in makers)


def _with_called(owner: ClassOutline, function: FunctionOutline) -> Iterator[FunctionOutline]:
    yield function
    for name in function.sketch.own_calls:
        called = owner.methods.get(name)
        if called is not None and called is not function:
            yield called


def map_path(path: Path) -> Path:
    """The name of a concurrent collection's content among read tokens; no other path is in its way."""
    return ("~" + path[0], *path[1:])


def is_map_path(path: Path) -> bool:
    return path[0][0] == "~"


def plain_path(path: Path) -> Path:
    """The path behind the name that `map_path` gave it."""
    return (path[0][1:], *path[1:]) if is_map_path(path) else path
