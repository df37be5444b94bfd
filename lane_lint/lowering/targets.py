"""Lowering of what stands left of an assignment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from lane_lint.lowering.branching import note_outcome
from lane_lint.lowering.spelling import identifier, subscript_key
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


def bind(low: Lowerer, target: cst.BaseExpression, value: Temp, *, step: bool = False) -> None:
    """Assign `value` to `target`; what the target's own parts read is read now, after the value.

    Args:
        step: The assignment is augmented, so the old value went into the new one.
    """
    if isinstance(target, cst.Name):
        name = identifier(target)
        low.body.bound.add(name)
        low.outcomes.pop(name, None)
        low.emit(BindName(name, value, low.place(target)))
    elif isinstance(target, cst.Attribute):
        base = low.expression(target.value)
        low.emit(StoreAttribute(base, identifier(target.attr), value, step, low.place(target)))
    elif isinstance(target, cst.Subscript):
        _store_item(low, target, value, step=step)
    elif isinstance(target, (cst.Tuple, cst.List)):
        _unpack(low, target, value)
    elif isinstance(target, cst.StarredElement):
        bind(low, target.value, value)


def _store_item(low: Lowerer, target: cst.Subscript, value: Temp, *, step: bool) -> None:
    base = low.expression(target.value)
    key = low.unknown()
    for element in target.slice:
        if isinstance(element.slice, cst.Index):
            key = low.expression(element.slice.value)
    low.emit(StoreItem(base, subscript_key(target), key, value, step, low.place(target)))


def _unpack(low: Lowerer, target: cst.Tuple | cst.List, value: Temp) -> None:
    nothing = low.unknown()
    for number, element in enumerate(target.elements):
        part = low.temp()
        low.emit(LoadItem(part, value, str(number), nothing, low.place(target)))
        bind(low, element.value, part)


def assign(low: Lowerer, targets: list[cst.BaseExpression], value: cst.BaseExpression) -> None:
    """`a = b, c = value`; a display assigned to as many targets is assigned part by part."""
    last = targets[-1]
    if len(targets) == 1 and _pairs_up(last, value):
        assert isinstance(last, (cst.Tuple, cst.List))
        assert isinstance(value, (cst.Tuple, cst.List))
        values = [low.expression(element.value) for element in value.elements]
        for element, part in zip(last.elements, values, strict=True):
            bind(low, element.value, part)
        return
    result = low.expression(value)
    for target in targets:
        bind(low, target, result, step=_is_step(target, value))
        note_outcome(low, target, value)


def _is_step(target: cst.BaseExpression, value: cst.BaseExpression) -> bool:
    """`self.n = self.n + 1` says `self.n += 1` in other words."""
    return (
        isinstance(value, cst.BinaryOperation)
        and isinstance(value.operator, (cst.Add, cst.Subtract))
        and target.deep_equals(value.left)
    )


def _pairs_up(target: cst.BaseExpression, value: cst.BaseExpression) -> bool:
    if not (isinstance(target, (cst.Tuple, cst.List)) and isinstance(value, (cst.Tuple, cst.List))):
        return False
    starred = any(isinstance(e, cst.StarredElement) for e in (*target.elements, *value.elements))
    return not starred and len(target.elements) == len(value.elements)


def augment(low: Lowerer, target: cst.BaseExpression, value: cst.BaseExpression) -> None:
    """`target += value`: the old value is read before `value` is evaluated."""
    old = low.expression(target)
    right = low.expression(value)
    bind(low, target, low.combine((old, right), fresh=False), step=True)


def delete(low: Lowerer, target: cst.BaseExpression) -> None:
    """`del target`; the parts of the target are read first."""
    if isinstance(target, cst.Name):
        low.emit(DeleteName(identifier(target), low.place(target)))
    elif isinstance(target, cst.Attribute):
        low.emit(DeleteAttribute(low.expression(target.value), identifier(target.attr), low.place(target)))
    elif isinstance(target, cst.Subscript):
        base = low.expression(target.value)
        low.emit(DeleteItem(base, subscript_key(target), low.place(target)))
    elif isinstance(target, (cst.Tuple, cst.List)):
        for element in target.elements:
            delete(low, element.value)
