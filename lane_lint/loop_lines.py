"""What a loop walks, as far as its lines tell."""

from __future__ import annotations

import ast

from lane_lint.sketch import LoopLines, Sketch

COPIERS = frozenset({"list", "tuple", "sorted", "set", "frozenset", "range", "dict"})


def walked(sketch: Sketch, iterable: ast.expr, first: int, last: int) -> LoopLines:
    """What a `for` walks; a copy made on the spot is walked by nobody else."""
    if isinstance(iterable, ast.Call) and isinstance(iterable.func, ast.Name) and iterable.func.id in COPIERS:
        return LoopLines(first, last)
    inner = list(ast.walk(iterable))
    attributes = {
        node.attr
        for node in inner
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and sketch.is_own(node.value.id)
    }
    names = {node.id for node in inner if isinstance(node, ast.Name) and not sketch.is_own(node.id)}
    methods = {n.func.attr for n in inner if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)}
    return LoopLines(first, last, frozenset(attributes), frozenset(names), frozenset(methods))
