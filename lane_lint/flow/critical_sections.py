"""Critical sections of classes: methods that do all they do with their object under one hold of its lock."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from lane_lint.flow.locks import lock_kind
from lane_lint.outline import CONSTRUCTION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lane_lint.outline import ClassOutline, FunctionOutline, ModuleOutline

# Methods that say something about the object and are no operation on its content.
NO_OPERATIONS = frozenset(
    {"__repr__", "__str__", "__enter__", "__exit__", "__del__", "__getstate__", "__reduce__"}
)


class CriticalSections:
    """Answers from the `ast` for one class with its bases in the module.

    Attributes:
        locks: The attributes that are locks with one holder.
        operations: The public methods, construction apart.
    """

    def __init__(self, module: ModuleOutline, owner: ClassOutline) -> None:
        order = module.class_order(owner)
        functions = [f for c in order for f in c.functions()]
        self._module = module
        self.locks = {n for c in order for n, made in c.makers.items() if _is_lock(made)}
        self.operations = [f for f in functions if _is_operation(f)]
        later = [f for f in functions if f.name not in CONSTRUCTION]
        # What nobody changes after construction needs no lock; what a method does may need one.
        self._delicate = {w.attribute for f in later for w in f.sketch.writes} - self.locks
        self._delicate |= {f.name for f in functions}

    def is_one(self, function: FunctionOutline) -> bool:
        """Whether a method is one critical section, or leaves all to one that is, or touches nothing."""
        if any(self._is_locking_decorator(name) for name in function.decorators):
            return True
        own = function.sketch.self_name
        sections = list(self._sections(function, own))
        inside = {id(node) for section in sections for node in ast.walk(section)}
        outside = [
            node
            for node in ast.walk(function.node)
            if isinstance(node, ast.Attribute)
            and _is_name(node.value, own)
            and node.attr in self._delicate
            and id(node) not in inside
        ]
        if sections:
            return len(sections) == 1 and not outside
        return not outside or (len(outside) == 1 and outside[0].attr in function.sketch.own_calls)

    def _sections(self, function: FunctionOutline, own: str | None) -> Iterator[ast.AST]:
        for node in ast.walk(function.node):
            if isinstance(node, (ast.With, ast.AsyncWith)):
                if any(self._is_lock(item.context_expr, own) for item in node.items):
                    yield node
            elif isinstance(node, ast.Try) and any(self._lets_go(each, own) for each in node.finalbody):
                yield node

    def _is_lock(self, node: ast.expr, own: str | None) -> bool:
        return isinstance(node, ast.Attribute) and node.attr in self.locks and _is_name(node.value, own)

    def _lets_go(self, node: ast.stmt, own: str | None) -> bool:
        """Whether a statement is `self.lock.release()`, as behind an acquisition by hand."""
        if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
            return False
        function = node.value.func
        return (
            isinstance(function, ast.Attribute)
            and function.attr == "release"
            and self._is_lock(function.value, own)
        )

    def _is_locking_decorator(self, name: str) -> bool:
        """Whether a decorator of this module holds a lock of that name around what it wraps."""
        decorator = self._module.functions.get(name)
        return decorator is not None and bool(decorator.sketch.contexts & self.locks)


def _is_lock(makers: set[str]) -> bool:
    kind = lock_kind(makers)
    return kind is not None and kind.is_exclusive


def _is_operation(function: FunctionOutline) -> bool:
    is_special = function.name.startswith("__")
    is_public = not function.name.startswith("_") or is_special
    return is_public and function.name not in CONSTRUCTION | NO_OPERATIONS and not function.is_static


def _is_name(node: ast.expr, name: str | None) -> bool:
    return isinstance(node, ast.Name) and node.id == name
