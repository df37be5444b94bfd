"""How names and keys are spelled: texts that mean the same thing each time they are evaluated."""

from __future__ import annotations

import ast
from typing import TypeGuard


def dotted_name(node: ast.expr) -> str | None:
    """`a.b.c` for names and attributes, the callee of a call, the container of a subscript; else None."""
    if isinstance(node, (ast.Call, ast.Subscript)):
        return dotted_name(node.func if isinstance(node, ast.Call) else node.value)
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted_name(node.value)
        return f"{base}.{node.attr}" if base else None
    return repr(node.value) if is_named_constant(node) else None


def is_named_constant(node: ast.expr) -> TypeGuard[ast.Constant]:
    """Whether it is None, True or False, which are spelled as names are."""
    return isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, bool))


def is_zero(node: ast.expr) -> bool:
    """Whether it is the integer 0."""
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value == 0


def annotation_name(node: ast.expr | None) -> str | None:
    """The dotted name of an annotation, the container of a generic one, the text of a quoted one."""
    if node is None:
        return None
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value.partition("|")[0].partition("[")[0].strip()
    if isinstance(node, ast.BinOp):
        # `Lock | None`, either way round
        sides = [dotted_name(side) for side in (node.left, node.right)]
        return next((name for name in sides if name not in (None, "None")), None)
    if isinstance(node, ast.Subscript) and (dotted_name(node) or "").rpartition(".")[2] == "Optional":
        return dotted_name(node.slice)
    return dotted_name(node)


def elements_of(node: ast.Subscript) -> list[ast.expr]:
    """What stands between the brackets, part by part."""
    return node.slice.elts if isinstance(node.slice, ast.Tuple) and node.slice.elts else [node.slice]
