"""Lowering of what stands left of an assignment."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from lane_lint.lowering.branching import note_outcome
from lane_lint.lowering.spelling import elements_of
from lane_lint.model.instructions import (
    BindName,
    DeleteAttribute,
    DeleteItem,
    DeleteName,
    LoadItem,
    StoreAttribute,
    StoreItem,
)

if TYPE_CHECKING:
    from lane_lint.lowering.lowerer import Lowerer
    from lane_lint.model.instructions import Temp


def bind(low: Lowerer, target: ast.expr, value: Temp, *, step: bool = False) -> None:
    """Assign `value` to `target`; what the target's own parts read is read now, after the value.

    Args:
        step: The assignment is augmented, so the old value went into the new one.
    """
    if isinstance(target, ast.Name):
        name = target.id
        low.body.bound.add(name)
        low.outcomes.pop(name, None)
        low.emit(BindName(name, value, low.place(target)))
    elif isinstance(target, ast.Attribute):
        base = low.expression(target.value)
        low.emit(StoreAttribute(base, target.attr, value, step, low.place(target)))
    elif isinstance(target, ast.Subscript):
        _store_item(low, target, value, step=step)
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack(low, target, value)
    elif isinstance(target, ast.Starred):
        bind(low, target.value, value)


def _store_item(low: Lowerer, target: ast.Subscript, value: Temp, *, step: bool) -> None:
    base = low.expression(target.value)
    key = low.unknown()
    for element in elements_of(target):
        if not isinstance(element, ast.Slice):
            key = low.expression(element)
    low.emit(StoreItem(base, low.subscript_key(target), key, value, step, low.place(target)))


def _unpack(low: Lowerer, target: ast.Tuple | ast.List, value: Temp) -> None:
    nothing = low.unknown()
    for number, element in enumerate(target.elts):
        part = low.temp()
        low.emit(LoadItem(part, value, str(number), nothing, low.place(target)))
        bind(low, element, part)


def assign(low: Lowerer, targets: list[ast.expr], value: ast.expr) -> None:
    """`a = b, c = value`; a display assigned to as many targets is assigned part by part."""
    last = targets[-1]
    if len(targets) == 1 and _pairs_up(last, value):
        assert isinstance(last, (ast.Tuple, ast.List))
        assert isinstance(value, (ast.Tuple, ast.List))
        values = [low.expression(element) for element in value.elts]
        for element, part in zip(last.elts, values, strict=True):
            bind(low, element, part)
        return
    result = low.expression(value)
    for target in targets:
        bind(low, target, result, step=_is_step(target, value))
        note_outcome(low, target, value)


def _is_step(target: ast.expr, value: ast.expr) -> bool:
    """`self.n = self.n + 1` says `self.n += 1` in other words."""
    return (
        isinstance(value, ast.BinOp)
        and isinstance(value.op, (ast.Add, ast.Sub))
        and _is_same(target, value.left)
    )


def _is_same(target: ast.expr, value: ast.expr) -> bool:
    """Whether a target and a value are the same place; only one of them is stored to."""
    if isinstance(target, ast.Attribute) and isinstance(value, ast.Attribute):
        return target.attr == value.attr and _is_same(target.value, value.value)
    if isinstance(target, ast.Subscript) and isinstance(value, ast.Subscript):
        return ast.dump(target.slice) == ast.dump(value.slice) and _is_same(target.value, value.value)
    if isinstance(target, ast.Name) and isinstance(value, ast.Name):
        return target.id == value.id
    return ast.dump(target) == ast.dump(value)


def _pairs_up(target: ast.expr, value: ast.expr) -> bool:
    if not (isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List))):
        return False
    starred = any(isinstance(e, ast.Starred) for e in (*target.elts, *value.elts))
    return not starred and len(target.elts) == len(value.elts)


def augment(low: Lowerer, target: ast.expr, value: ast.expr) -> None:
    """`target += value`: the old value is read before `value` is evaluated."""
    old = low.expression(target)
    right = low.expression(value)
    bind(low, target, low.combine((old, right), fresh=False), step=True)


def delete(low: Lowerer, target: ast.expr) -> None:
    """`del target`; the parts of the target are read first."""
    if isinstance(target, ast.Name):
        low.emit(DeleteName(target.id, low.place(target)))
    elif isinstance(target, ast.Attribute):
        low.emit(DeleteAttribute(low.expression(target.value), target.attr, low.place(target)))
    elif isinstance(target, ast.Subscript):
        base = low.expression(target.value)
        low.emit(DeleteItem(base, low.subscript_key(target), low.place(target)))
    elif isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            delete(low, element)
