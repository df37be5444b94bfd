"""Lowering of expressions, in CPython's order of evaluation."""

from __future__ import annotations

import ast

from lane_lint.lowering.branching import lower_boolean, lower_conditional
from lane_lint.lowering.calling import lower_await, lower_call, lower_yield
from lane_lint.lowering.functions import lower_lambda
from lane_lint.lowering.looping import lower_comprehension
from lane_lint.lowering.lowerer import ExpressionTable, Lowerer
from lane_lint.lowering.spelling import elements_of, is_named_constant
from lane_lint.lowering.targets import bind
from lane_lint.model.graph import Part
from lane_lint.model.instructions import Combine, Literal, LoadAttribute, LoadItem, LoadName, Temp

RESETS = frozenset({"None", "False", "0", "0.0", '""', "''", 'b""', "b''"})


def _lower_name(low: Lowerer, node: ast.Name) -> Temp:
    result = low.temp()
    low.emit(LoadName(result, node.id, low.place(node)))
    return result


def _lower_constant(low: Lowerer, node: ast.Constant) -> Temp:
    text = low.text.of_constant(node)
    if text is None:
        return low.unknown()
    result = low.temp()
    low.emit(Literal(result, text, reset=text in RESETS, collection=False))
    return result


def _lower_attribute(low: Lowerer, node: ast.Attribute) -> Temp:
    base = low.expression(node.value)
    result = low.temp()
    low.emit(LoadAttribute(result, base, node.attr, low.place(node)))
    return result


def _lower_subscript(low: Lowerer, node: ast.Subscript) -> Temp:
    if low.lookups is not None:
        low.lookups.append(node)
    base = low.expression(node.value)
    index = low.combine(_slice_values(low, node), fresh=False)
    if any(isinstance(element, ast.Slice) for element in elements_of(node)):
        # A slice is a copy.
        return low.combine((base, index), fresh=True)
    result = low.temp()
    low.emit(LoadItem(result, base, low.subscript_key(node), index, low.place(node)))
    return result


def _slice_values(low: Lowerer, node: ast.Subscript) -> tuple[Temp, ...]:
    values: list[Temp] = []
    for element in elements_of(node):
        if isinstance(element, ast.Slice):
            parts = (element.lower, element.upper, element.step)
            values.extend(low.expression(part) for part in parts if part is not None)
        else:
            values.append(low.expression(element))
    return tuple(values)


def _lower_binary(low: Lowerer, node: ast.BinOp) -> Temp:
    """Left to right; the left spine is walked in a loop, since a sum may have hundreds of terms."""
    rights: list[ast.expr] = []
    left: ast.expr = node
    while isinstance(left, ast.BinOp):
        rights.append(left.right)
        left = left.left
    values = [low.expression(left)]
    values.extend(low.expression(right) for right in reversed(rights))
    return low.combine(tuple(values), fresh=False)


def _lower_unary(low: Lowerer, node: ast.UnaryOp) -> Temp:
    source, result = low.expression(node.operand), low.temp()
    low.emit(Combine(result, (source,), fresh=False, negates=isinstance(node.op, ast.Not)))
    return result


def _lower_comparison(low: Lowerer, node: ast.Compare) -> Temp:
    """`key in rows` is a look at that entry; other comparisons depend on both sides."""
    values = [low.expression(node.left)]
    left = node.left
    for number, (operator, comparator) in enumerate(zip(node.ops, node.comparators, strict=True)):
        right = low.expression(comparator)
        if isinstance(operator, (ast.In, ast.NotIn)):
            entry, at = low.temp(), low.place(Part(node, number))
            low.emit(LoadItem(entry, right, low.stable_text(left), values[-1], at))
            right = entry
        values.append(right)
        left = comparator
    return low.combine(tuple(values), fresh=False)


def _lower_walrus(low: Lowerer, node: ast.NamedExpr) -> Temp:
    value = low.expression(node.value)
    bind(low, node.target, value)
    return value


def _lower_display(low: Lowerer, node: ast.List | ast.Set | ast.Tuple) -> Temp:
    return _display(low, node.elts, is_tuple=isinstance(node, ast.Tuple))


def _lower_dict(low: Lowerer, node: ast.Dict) -> Temp:
    values: list[ast.expr] = []
    for key, value in zip(node.keys, node.values, strict=True):
        values += [ast.Starred(value)] if key is None else [key, value]
    return _display(low, values, is_tuple=False)


def _display(low: Lowerer, nodes: list[ast.expr], *, is_tuple: bool) -> Temp:
    if not nodes and not is_tuple:
        result = low.temp()
        low.emit(Literal(result, "", reset=True, collection=True))
        return result
    values = tuple(
        low.expression(n) for n in nodes if not isinstance(n, ast.Constant) or is_named_constant(n)
    )
    return low.combine(values, fresh=True)


def _lower_formatted(low: Lowerer, node: ast.JoinedStr) -> Temp:
    parts = [p.value for p in node.values if isinstance(p, ast.FormattedValue)]
    return low.combine(tuple(low.expression(part) for part in parts), fresh=False)


def _lower_starred(low: Lowerer, node: ast.Starred) -> Temp:
    """What is spread out is not in the display itself, only its elements are."""
    return low.combine((low.expression(node.value),), fresh=False)


EXPRESSIONS: ExpressionTable = {
    ast.Name: _lower_name,
    ast.Constant: _lower_constant,
    ast.Attribute: _lower_attribute,
    ast.Subscript: _lower_subscript,
    ast.Call: lower_call,
    ast.Await: lower_await,
    ast.Yield: lower_yield,
    ast.YieldFrom: lower_yield,
    ast.BinOp: _lower_binary,
    ast.UnaryOp: _lower_unary,
    ast.Compare: _lower_comparison,
    ast.BoolOp: lower_boolean,
    ast.IfExp: lower_conditional,
    ast.NamedExpr: _lower_walrus,
    ast.List: _lower_display,
    ast.Set: _lower_display,
    ast.Tuple: _lower_display,
    ast.Dict: _lower_dict,
    ast.ListComp: lower_comprehension,
    ast.SetComp: lower_comprehension,
    ast.DictComp: lower_comprehension,
    ast.GeneratorExp: lower_comprehension,
    ast.Lambda: lower_lambda,
    ast.JoinedStr: _lower_formatted,
    ast.Starred: _lower_starred,
}
