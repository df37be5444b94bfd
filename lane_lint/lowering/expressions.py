"""Lowering of expressions, in CPython's order of evaluation."""

from __future__ import annotations

import libcst as cst

from lane_lint.lowering.branching import lower_boolean, lower_conditional
from lane_lint.lowering.calling import lower_await, lower_call, lower_yield
from lane_lint.lowering.functions import lower_lambda
from lane_lint.lowering.looping import lower_comprehension
from lane_lint.lowering.lowerer import ExpressionTable, Lowerer
from lane_lint.lowering.spelling import identifier, stable_text, subscript_key
from lane_lint.lowering.targets import bind
from lane_lint.model.instructions import Combine, Literal, LoadAttribute, LoadItem, LoadName, Temp

RESET_NAMES = frozenset({"None", "True", "False"})
RESET_NUMBERS = frozenset({"0", "0.0"})
EMPTY_STRINGS = frozenset({'""', "''", 'b""', "b''"})


def _lower_name(low: Lowerer, node: cst.Name) -> Temp:
    result = low.temp()
    if node.value in RESET_NAMES:
        low.emit(Literal(result, node.value, reset=node.value != "True", collection=False))
    else:
        low.emit(LoadName(result, identifier(node), low.place(node)))
    return result


def _lower_constant(low: Lowerer, node: cst.Integer | cst.Float | cst.SimpleString) -> Temp:
    result = low.temp()
    is_reset = node.value in RESET_NUMBERS or node.value in EMPTY_STRINGS
    low.emit(Literal(result, node.value, reset=is_reset, collection=False))
    return result


def _lower_attribute(low: Lowerer, node: cst.Attribute) -> Temp:
    base = low.expression(node.value)
    result = low.temp()
    low.emit(LoadAttribute(result, base, identifier(node.attr), low.place(node)))
    return result


def _lower_subscript(low: Lowerer, node: cst.Subscript) -> Temp:
    if low.lookups is not None:
        low.lookups.append(node)
    base = low.expression(node.value)
    index = low.combine(_slice_values(low, node), fresh=False)
    if any(isinstance(element.slice, cst.Slice) for element in node.slice):
        # A slice is a copy.
        return low.combine((base, index), fresh=True)
    result = low.temp()
    low.emit(LoadItem(result, base, subscript_key(node), index, low.place(node)))
    return result


def _slice_values(low: Lowerer, node: cst.Subscript) -> tuple[Temp, ...]:
    values = []
    for element in node.slice:
        if isinstance(element.slice, cst.Index):
            values.append(low.expression(element.slice.value))
        elif isinstance(element.slice, cst.Slice):
            parts = (element.slice.lower, element.slice.upper, element.slice.step)
            values.extend(low.expression(part) for part in parts if part is not None)
    return tuple(values)


def _lower_binary(low: Lowerer, node: cst.BinaryOperation) -> Temp:
    """Left to right; the left spine is walked in a loop, since a sum may have hundreds of terms."""
    rights: list[cst.BaseExpression] = []
    left: cst.BaseExpression = node
    while isinstance(left, cst.BinaryOperation):
        rights.append(left.right)
        left = left.left
    values = [low.expression(left)]
    values.extend(low.expression(right) for right in reversed(rights))
    return low.combine(tuple(values), fresh=False)


def _lower_unary(low: Lowerer, node: cst.UnaryOperation) -> Temp:
    source, result = low.expression(node.expression), low.temp()
    low.emit(Combine(result, (source,), fresh=False, negates=isinstance(node.operator, cst.Not)))
    return result


def _lower_comparison(low: Lowerer, node: cst.Comparison) -> Temp:
    """`key in rows` is a look at that entry; other comparisons depend on both sides."""
    values = [low.expression(node.left)]
    left = node.left
    for part in node.comparisons:
        right = low.expression(part.comparator)
        if isinstance(part.operator, (cst.In, cst.NotIn)):
            entry = low.temp()
            low.emit(LoadItem(entry, right, stable_text(left), values[-1], low.place(part)))
            right = entry
        values.append(right)
        left = part.comparator
    return low.combine(tuple(values), fresh=False)


def _lower_walrus(low: Lowerer, node: cst.NamedExpr) -> Temp:
    value = low.expression(node.value)
    bind(low, node.target, value)
    return value


def _lower_display(low: Lowerer, node: cst.List | cst.Set | cst.Tuple) -> Temp:
    values = [e if isinstance(e, cst.StarredElement) else e.value for e in node.elements]
    return _display(low, values, is_tuple=isinstance(node, cst.Tuple))


def _lower_dict(low: Lowerer, node: cst.Dict) -> Temp:
    values: list[cst.BaseExpression] = []
    for element in node.elements:
        if isinstance(element, cst.DictElement):
            values.append(element.key)
            values.append(element.value)
        else:
            values.append(cst.StarredElement(element.value))
    return _display(low, values, is_tuple=False)


def _display(low: Lowerer, nodes: list[cst.BaseExpression], *, is_tuple: bool) -> Temp:
    if not nodes and not is_tuple:
        result = low.temp()
        low.emit(Literal(result, "", reset=True, collection=True))
        return result
    values = tuple(
        low.expression(n) for n in nodes if not isinstance(n, (cst.SimpleString, cst.Integer, cst.Float))
    )
    return low.combine(values, fresh=True)


def _lower_formatted(low: Lowerer, node: cst.FormattedString) -> Temp:
    parts = [p.expression for p in node.parts if isinstance(p, cst.FormattedStringExpression)]
    return low.combine(tuple(low.expression(part) for part in parts), fresh=False)


def _lower_concatenated(low: Lowerer, node: cst.ConcatenatedString) -> Temp:
    return low.combine((low.expression(node.left), low.expression(node.right)), fresh=False)


def _lower_starred(low: Lowerer, node: cst.StarredElement) -> Temp:
    """What is spread out is not in the display itself, only its elements are."""
    return low.combine((low.expression(node.value),), fresh=False)


EXPRESSIONS: ExpressionTable = {
    cst.Name: _lower_name,
    cst.Integer: _lower_constant,
    cst.Float: _lower_constant,
    cst.SimpleString: _lower_constant,
    cst.Attribute: _lower_attribute,
    cst.Subscript: _lower_subscript,
    cst.Call: lower_call,
    cst.Await: lower_await,
    cst.Yield: lower_yield,
    cst.BinaryOperation: _lower_binary,
    cst.UnaryOperation: _lower_unary,
    cst.Comparison: _lower_comparison,
    cst.BooleanOperation: lower_boolean,
    cst.IfExp: lower_conditional,
    cst.NamedExpr: _lower_walrus,
    cst.List: _lower_display,
    cst.Set: _lower_display,
    cst.Tuple: _lower_display,
    cst.Dict: _lower_dict,
    cst.ListComp: lower_comprehension,
    cst.SetComp: lower_comprehension,
    cst.DictComp: lower_comprehension,
    cst.GeneratorExp: lower_comprehension,
    cst.Lambda: lower_lambda,
    cst.FormattedString: _lower_formatted,
    cst.ConcatenatedString: _lower_concatenated,
    cst.StarredElement: _lower_starred,
}
