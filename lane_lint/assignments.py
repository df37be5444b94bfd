"""What assignments tell a sketch: resets, other names of state, and what attributes are made from."""

from __future__ import annotations

import ast

from lane_lint.method_names import EMPTY_MAKERS
from lane_lint.sketch import Sketch, dotted

LOOK_UPS = frozenset({"get", "setdefault", "values", "items", "keys"})


def note_assign(sketch: Sketch, node: ast.Assign) -> None:
    """Every target is given the same value."""
    for target in node.targets:
        _note_value(sketch, target, node.value, None)


def note_annotated(sketch: Sketch, node: ast.AnnAssign) -> None:
    """The annotation tells what the target is, also without a value."""
    _note_value(sketch, node.target, node.value, node.annotation)


def note_walrus(sketch: Sketch, node: ast.NamedExpr) -> None:
    """An assignment inside an expression tells the same as a statement."""
    _note_value(sketch, node.target, node.value, None)


def note_item(sketch: Sketch, container: ast.expr, value: ast.expr) -> None:
    """An entry of an own attribute or of a plain name is given a value."""
    if found := sketch.own_attribute(container):
        sketch.attribute_items.append((found[0], value))
    elif isinstance(container, ast.Name):
        sketch.name_items.append((container.id, value))


def _note_value(
    sketch: Sketch, target: ast.expr, value: ast.expr | None, annotation: ast.expr | None
) -> None:
    if _is_reset(value):
        sketch.resets.add(id(target))
    if isinstance(target, ast.Name):
        sketch.local_values[target.id] = None if target.id in sketch.local_values else value
    if isinstance(target, ast.Name) and isinstance(value, (ast.Attribute, ast.Subscript, ast.Call)):
        _note_alias(sketch, target.id, value)
    if isinstance(target, ast.Attribute) and (found := sketch.own_attribute(target)) and not found[1]:
        sketch.attribute_values.append((found[0], value, annotation))
    elif isinstance(target, ast.Subscript) and value is not None:
        note_item(sketch, target.value, value)
    elif isinstance(target, ast.Tuple):
        values = value.elts if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts) else None
        for number, part in enumerate(target.elts):
            _note_value(sketch, part, values[number] if values else None, None)


def _note_alias(sketch: Sketch, name: str, value: ast.Attribute | ast.Subscript | ast.Call) -> None:
    """A variable that is another name of an attribute or an entry, perhaps looked up by a method."""
    is_look_up = (
        isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in LOOK_UPS
    )
    if is_look_up or not isinstance(value, ast.Call):
        sketch.aliases.add(name)


def _is_reset(value: ast.expr | None) -> bool:
    """None, False, 0 or an empty display or string."""
    if isinstance(value, ast.Constant):
        return not value.value
    if isinstance(value, (ast.List, ast.Tuple, ast.Set)):
        return not value.elts
    if isinstance(value, ast.Call):
        name = (dotted(value.func) or "").rpartition(".")[2]
        most = 1 if name == "defaultdict" else 0
        return name in EMPTY_MAKERS and len(value.args) <= most and not value.keywords
    return isinstance(value, ast.Dict) and not value.keys
