"""Concurrent collections: each operation is synchronised by itself, two of them in a row are not."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lane_lint.flow.locks import lock_kind
from lane_lint.model.path import Path
from lane_lint.outline import CONSTRUCTION
from lane_lint.sketch import dotted

if TYPE_CHECKING:
    from collections.abc import Iterator

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
# Methods that say something about the object and are no operation on its content.
NO_OPERATIONS = frozenset(
    {"__repr__", "__str__", "__enter__", "__exit__", "__del__", "__getstate__", "__reduce__"}
)


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
                targets, value = [ast.Name(name)], node.annotation
            else:
                continue
            made = self._module.resolve(dotted(value) or "")
            if made in MANAGERS and any(isinstance(t, ast.Name) and t.id == name for t in targets):
                return True
        return False

    # Classes of the module

    def is_synchronised(self, owner: ClassOutline) -> bool:
        """Whether an own class is a collection whose every public method is one critical section."""
        if owner not in self._own:
            self._own[owner] = False
            self._own[owner] = self._find_synchronised(owner)
        return self._own[owner]

    def _find_synchronised(self, owner: ClassOutline) -> bool:
        order = self._module.class_order(owner)
        locks = {n for c in order for n, made in c.makers.items() if _is_lock(made)}
        contents = self.contents(owner)
        methods = [m for c in order for m in c.functions() if _is_operation(m)]
        if not locks or not contents or len(methods) < 2:
            return False
        if not any(self.changes(owner, m) for m in methods):
            return False
        return all(_is_one_section(m, locks) for m in methods)

    def contents(self, owner: ClassOutline) -> set[str]:
        """The attributes of a class that are collections."""
        order = self._module.class_order(owner)
        return {n for c in order for n, made in c.makers.items() if _is_container(made)}

    def changes(self, owner: ClassOutline, function: FunctionOutline) -> bool:
        """Whether a method changes the content of its object, itself or through a method that it calls."""
        written = {w.attribute for each in _with_called(owner, function) for w in each.sketch.writes}
        return bool(written & self.contents(owner))


def _is_lock(makers: set[str]) -> bool:
    kind = lock_kind(makers)
    return kind is not None and kind.is_exclusive


def _is_container(makers: set[str]) -> bool:
    return any(maker.rpartition(".")[2] in CONTAINERS for maker in makers)


def _is_operation(function: FunctionOutline) -> bool:
    is_special = function.name.startswith("__")
    is_public = not function.name.startswith("_") or is_special
    return is_public and function.name not in CONSTRUCTION | NO_OPERATIONS and not function.is_static


def _is_one_section(function: FunctionOutline, locks: set[str]) -> bool:
    """Whether everything that a method touches of its object is under one `with` of one lock."""
    own = function.sketch.self_name
    inside: set[int] = set()
    sections = 0
    for node in ast.walk(function.node):
        if isinstance(node, (ast.With, ast.AsyncWith)) and any(
            _enters(item, own, locks) for item in node.items
        ):
            sections += 1
            inside.update(id(inner) for inner in ast.walk(node))
    outside = [
        node
        for node in ast.walk(function.node)
        if isinstance(node, ast.Attribute) and _is_name(node.value, own) and id(node) not in inside
    ]
    if sections == 0:
        # One call of another method is that method's section.
        return len(outside) == 1 and function.sketch.own_calls.keys() == {outside[0].attr}
    return sections == 1 and not outside


def _enters(item: ast.withitem, own: str | None, locks: set[str]) -> bool:
    context = item.context_expr
    return isinstance(context, ast.Attribute) and context.attr in locks and _is_name(context.value, own)


def _is_name(node: ast.expr, name: str | None) -> bool:
    return isinstance(node, ast.Name) and node.id == name


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
