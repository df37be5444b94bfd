"""Which class a parameter without an annotation can be: one that has all that is used of it."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

_Function = ast.FunctionDef | ast.AsyncFunctionDef


class Shapes:
    """What classes of a module offer, and what its functions ask of their parameters."""

    def __init__(self, text: bytes) -> None:
        tree = ast.parse(text)
        self._offers: dict[str, set[str]] = {}
        self._asks: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._iterates: set[tuple[str, str]] = set()
        classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
        by_name = {node.name: node for node in classes}
        for node in classes:
            self._offers[node.name] = set(_offers_of(node, by_name, 0))
        self._walk(tree, "", None)

    def class_for(self, function: str, parameter: str) -> str | None:
        """Name of the one class that fits, or None."""
        asked = self._asks.get((function, parameter))
        if not asked:
            return None
        fitting = [name for name, offered in self._offers.items() if asked <= offered]
        return fitting[0] if fitting and function.rpartition(".")[0] not in fitting[:1] else None

    def _walk(self, node: ast.AST, prefix: str, owner: ast.ClassDef | None) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef):
                self._walk(child, f"{prefix}{child.name}.", child)
            elif isinstance(child, _Function):
                self._note(child, f"{prefix}{child.name}", owner)
                self._walk(child, f"{prefix}{child.name}.<locals>.", None)
            else:
                self._walk(child, prefix, owner)

    def _note(self, function: _Function, name: str, owner: ast.ClassDef | None) -> None:
        arguments = function.args
        names = {one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)} - {
            "self",
            "cls",
        }
        for node in ast.walk(function):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id in names
            ):
                self._asks[name, node.value.id].add(node.attr)
        if owner is None or function.name != "__init__":
            return
        for field, parameter in _kept_parameters(function, names):
            for node in ast.walk(owner):
                if _is_field(node, field):
                    self._asks[name, parameter].add(node.attr)  # type: ignore[attr-defined]  # _is_field has looked


def _is_field(node: ast.AST, field: str) -> bool:
    """Whether the node is `self.field.something`."""
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Attribute)
        and node.value.attr == field
        and isinstance(node.value.value, ast.Name)
        and node.value.value.id == "self"
    )


def _kept_parameters(function: _Function, names: set[str]) -> Iterator[tuple[str, str]]:
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id in names:
            for target in node.targets:
                if isinstance(target, ast.Attribute):
                    yield target.attr, node.value.id


def _offers_of(node: ast.ClassDef, by_name: dict[str, ast.ClassDef], depth: int) -> Iterator[str]:
    for base in node.bases:
        if isinstance(base, ast.Name) and base.id in by_name and depth < 5:
            yield from _offers_of(by_name[base.id], by_name, depth + 1)
    for child in ast.walk(node):
        if isinstance(child, _Function):
            yield child.name
        elif isinstance(child, ast.AnnAssign) and isinstance(child.target, ast.Name):
            yield child.target.id
        elif _is_own_field(child):
            yield child.attr  # type: ignore[attr-defined]  # _is_own_field has looked


def _is_own_field(node: ast.AST) -> bool:
    """Whether the node stores `self.something`."""
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    )
