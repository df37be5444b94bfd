"""Lowering of expressions, in CPython's order of evaluation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst

from lane_lint.lowering.lowerer import Lowerer, dotted_name, lower_lambda
from lane_lint.lowering.targets import bind
from lane_lint.model.instructions import (
    Argument,
    CallMethod,
    CallName,
    Fetch,
    Keep,
    Literal,
    LoadAttribute,
    LoadItem,
    LoadName,
    MakeFunction,
    Step,
    Suspend,
    Temp,
    Why,
)

RESET_NAMES = frozenset({"None", "True", "False"})
RESET_NUMBERS = frozenset({"0", "0.0"})
THREAD_BRIDGES = frozenset(
    {"to_thread", "run_sync", "run_in_executor", "wait_for", "shield", "async_add_executor_job"}
)
EMPTY_STRINGS = frozenset({'""', "''", 'b""', "b''"})


def lower_name(low: Lowerer, node: cst.Name) -> Temp:
    result = low.temp()
    if node.value in RESET_NAMES:
        low.emit(Literal(result, node.value, reset=node.value != "True", collection=False))
    else:
        low.emit(LoadName(result, node.value, low.place(node)))
    return result


def lower_constant(low: Lowerer, node: cst.Integer | cst.Float | cst.SimpleString) -> Temp:
    result = low.temp()
    is_reset = node.value in RESET_NUMBERS or node.value in EMPTY_STRINGS
    low.emit(Literal(result, node.value, reset=is_reset, collection=False))
    return result


def lower_attribute(low: Lowerer, node: cst.Attribute) -> Temp:
    base = low.expression(node.value)
    result = low.temp()
    low.emit(LoadAttribute(result, base, node.attr.value, low.place(node)))
    return result


def lower_subscript(low: Lowerer, node: cst.Subscript) -> Temp:
    if low.lookups is not None:
        low.lookups.append(node)
    base = low.expression(node.value)
    index = low.combine(_slice_values(low, node), fresh=False)
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


def subscript_key(node: cst.Subscript) -> str | None:
    """The text of the key when it names the same entry each time it is evaluated, else None."""
    parts = []
    for element in node.slice:
        if not isinstance(element.slice, cst.Index):
            return None
        text = stable_text(element.slice.value)
        if text is None:
            return None
        parts.append(text)
    return ", ".join(parts)


def stable_text(node: cst.BaseExpression) -> str | None:
    """The source of a name, a constant, a dotted name or a tuple of such; else None."""
    if isinstance(node, (cst.Name, cst.Integer, cst.SimpleString)):
        return node.value
    if isinstance(node, cst.Attribute):
        base = stable_text(node.value)
        return f"{base}.{node.attr.value}" if base else None
    if isinstance(node, cst.Tuple):
        texts = [stable_text(element.value) for element in node.elements]
        return ", ".join(text or "" for text in texts) if all(texts) else None
    return None


def lower_call(low: Lowerer, node: cst.Call) -> Temp:
    if isinstance(node.func, cst.Attribute):
        return lower_method_call(low, node, node.func, is_awaited=False)
    callee = low.expression(node.func)
    arguments = _arguments(low, node)
    name = node.func.value if isinstance(node.func, cst.Name) else None
    result = low.temp()
    low.emit(CallName(result, callee, name, arguments, low.place(node)))
    return result


def lower_method_call(low: Lowerer, node: cst.Call, function: cst.Attribute, *, is_awaited: bool) -> Temp:
    base = low.expression(function.value)
    arguments = _arguments(low, node)
    result = low.temp()
    low.emit(CallMethod(result, base, function.attr.value, arguments, low.place(node), is_awaited))
    return result


def _arguments(low: Lowerer, node: cst.Call) -> tuple[Argument, ...]:
    arguments = tuple(
        Argument(
            low.expression(argument.value),
            argument.keyword.value if argument.keyword else None,
            stable_text(argument.value),
            bool(argument.star),
        )
        for argument in node.args
    )
    low.last_call = (node, tuple(argument.value for argument in arguments))
    return arguments


def lower_await(low: Lowerer, node: cst.Await) -> Temp:
    inner = node.expression
    if isinstance(inner, cst.Call) and isinstance(inner.func, cst.Attribute):
        source = lower_method_call(low, inner, inner.func, is_awaited=True)
    else:
        source = low.expression(inner)
    result = low.temp()
    callee = awaited_name(inner)
    given = low.given_to(inner)
    low.emit(Suspend(result, source, Why.AWAIT, low.place(node), callee, given))
    return result


def awaited_name(node: cst.BaseExpression) -> str | None:
    """The last name of an awaited call; of the function that `to_thread` or an executor is given."""
    if not isinstance(node, cst.Call):
        return None
    name = (dotted_name(node.func) or "").rpartition(".")[2]
    if name in THREAD_BRIDGES:
        for argument in node.args:
            if inner := dotted_name(argument.value):
                name = inner.rpartition(".")[2]
    return name or None


def lower_yield(low: Lowerer, node: cst.Yield) -> Temp:
    low.yields = True
    value: cst.BaseExpression | None = None
    if isinstance(node.value, cst.From):
        value = node.value.item
    elif node.value is not None:
        value = node.value
    source = low.expression(value) if value is not None else low.unknown()
    result = low.temp()
    low.emit(Suspend(result, source, Why.YIELD, low.place(node)))
    return result


def lower_binary(low: Lowerer, node: cst.BinaryOperation) -> Temp:
    """Left to right; the left spine is walked in a loop, since a sum may have hundreds of terms."""
    rights: list[cst.BaseExpression] = []
    left: cst.BaseExpression = node
    while isinstance(left, cst.BinaryOperation):
        rights.append(left.right)
        left = left.left
    values = [low.expression(left)]
    values.extend(low.expression(right) for right in reversed(rights))
    return low.combine(tuple(values), fresh=False)


def lower_unary(low: Lowerer, node: cst.UnaryOperation) -> Temp:
    return low.combine((low.expression(node.expression),), fresh=False)


def lower_comparison(low: Lowerer, node: cst.Comparison) -> Temp:
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


def lower_boolean(low: Lowerer, node: cst.BooleanOperation) -> Temp:
    """`a and b`, `a or b` as values: the right side is evaluated on one side of a branch only."""
    name = low.hidden_name()
    right, join = low.new_block(), low.new_block()
    first = low.next_branch
    left_value = low.expression(node.left)
    low.emit(Keep(name, left_value))
    sides = (right, join) if isinstance(node.operator, cst.And) else (join, right)
    low.branch(left_value, *sides, low.place(node), presence(node.left))
    low.start(right)
    low.emit(Keep(name, low.expression(node.right)))
    low.goto(join)
    return _joined_value(low, name, join, first)


def lower_conditional(low: Lowerer, node: cst.IfExp) -> Temp:
    name = low.hidden_name()
    on_true, on_false, join = low.new_block(), low.new_block(), low.new_block()
    first = low.next_branch
    lower_condition(low, node.test, on_true, on_false)
    for block, value in ((on_true, node.body), (on_false, node.orelse)):
        low.start(block)
        low.emit(Keep(name, low.expression(value)))
        low.goto(join)
    return _joined_value(low, name, join, first)


def _joined_value(low: Lowerer, name: str, join: Any, first: int) -> Temp:
    join.joins.update(range(first + 1, low.next_branch + 1))
    low.start(join)
    result = low.temp()
    low.emit(Fetch(result, name))
    return result


def lower_condition(low: Lowerer, node: cst.BaseExpression, on_true: Any, on_false: Any) -> None:
    """Emit a test that goes to `on_true` or `on_false`, with short-circuits as edges."""
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
        lower_condition(low, node.expression, on_false, on_true)
    elif isinstance(node, cst.BooleanOperation):
        right = low.new_block()
        sides = (right, on_false) if isinstance(node.operator, cst.And) else (on_true, right)
        lower_condition(low, node.left, *sides)
        low.start(right)
        lower_condition(low, node.right, on_true, on_false)
    elif isinstance(node, cst.Name) and node.value in ("True", "False"):
        low.goto(on_true if node.value == "True" else on_false)
    elif isinstance(node, cst.Integer):
        low.goto(on_false if node.value == "0" else on_true)
    else:
        low.branch(low.expression(node), on_true, on_false, low.place(node), presence(node))


def presence(node: cst.BaseExpression) -> bool | None:
    """The outcome of a test that finds what it looks at present; None for tests of another kind."""
    if isinstance(node, (cst.Name, cst.Attribute, cst.Subscript, cst.Call, cst.NamedExpr)):
        return True
    if not isinstance(node, cst.Comparison) or len(node.comparisons) != 1:
        return None
    operator, right = node.comparisons[0].operator, node.comparisons[0].comparator
    if isinstance(operator, (cst.In, cst.NotIn)):
        return isinstance(operator, cst.In)
    is_empty = isinstance(right, (cst.Name, cst.Integer)) and right.value in ("None", "False", "0")
    if is_empty and isinstance(operator, (cst.Is, cst.Equal)):
        return False
    if is_empty and isinstance(operator, (cst.IsNot, cst.NotEqual, cst.GreaterThan)):
        return True
    return None


def lower_walrus(low: Lowerer, node: cst.NamedExpr) -> Temp:
    value = low.expression(node.value)
    bind(low, node.target, value)
    return value


def lower_display(low: Lowerer, node: cst.List | cst.Set | cst.Tuple) -> Temp:
    return _display(low, [e.value for e in node.elements], is_tuple=isinstance(node, cst.Tuple))


def lower_dict(low: Lowerer, node: cst.Dict) -> Temp:
    values: list[cst.BaseExpression] = []
    for element in node.elements:
        if isinstance(element, cst.DictElement):
            values.append(element.key)
        values.append(element.value)
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


def lower_comprehension(low: Lowerer, node: cst.BaseSimpleComp | cst.DictComp) -> Temp:
    """A comprehension as the loop it is; the value depends on what is iterated, tested and collected."""
    name = low.hidden_name()
    low.emit(Keep(name, low.unknown()))
    _comprehension_clause(low, node.for_in, node, name)
    result = low.temp()
    low.emit(Fetch(result, name))
    return low.combine((result,), fresh=True)


def _comprehension_clause(low: Lowerer, clause: cst.CompFor, node: Any, name: str) -> None:
    is_async = clause.asynchronous is not None
    iterable, after = iterate(low, clause.iter), low.new_block()
    with low.inside_loop(low.new_block(), after, clause, is_for=True) as key:
        element = next_element(low, iterable, key, clause, after, is_async=is_async)
        bind(low, clause.target, element)
        conditions = [_filter(low, condition.test) for condition in clause.ifs]
        if clause.inner_for_in is not None:
            _comprehension_clause(low, clause.inner_for_in, node, name)
        else:
            nodes = (node.key, node.value) if isinstance(node, cst.DictComp) else (node.elt,)
            values = [low.expression(n) for n in nodes]
            collected = low.temp()
            low.emit(Fetch(collected, name))
            low.emit(Keep(name, low.combine((collected, element, *values, *conditions), fresh=True)))
    low.start(after)


def _filter(low: Lowerer, test: cst.BaseExpression) -> Temp:
    """A filter's value; the elements it lets through depend on it."""
    return low.expression(test)


def iterate(low: Lowerer, node: cst.BaseExpression) -> str:
    """Evaluate an iterable; the name returned keeps it for the loop's header."""
    name = low.hidden_name()
    low.emit(Keep(name, low.expression(node)))
    return name


def next_element(low: Lowerer, iterable: str, key: int, node: Any, after: Any, *, is_async: bool) -> Temp:
    """In a loop's header: take the next element and go to the body, or leave for `after`."""
    source = low.temp()
    low.emit(Fetch(source, iterable))
    if is_async:
        waited = low.temp()
        low.emit(Suspend(waited, source, Why.NEXT, low.place(node)))
    result = low.temp()
    low.emit(Step(result, source, key, low.place(node)))
    element = low.hidden_name()
    low.emit(Keep(element, result))
    body = low.new_block()
    low.goto(body)
    low.goto(after)
    low.start(body)
    fetched = low.temp()
    low.emit(Fetch(fetched, element))
    return fetched


def lower_lambda_value(low: Lowerer, node: cst.Lambda) -> Temp:
    low.body.nested.append(lower_lambda(node, low.body))
    result = low.temp()
    low.emit(MakeFunction(result, len(low.body.nested) - 1, low.place(node)))
    return result


def lower_formatted(low: Lowerer, node: cst.FormattedString) -> Temp:
    parts = [p.expression for p in node.parts if isinstance(p, cst.FormattedStringExpression)]
    return low.combine(tuple(low.expression(part) for part in parts), fresh=False)


def lower_concatenated(low: Lowerer, node: cst.ConcatenatedString) -> Temp:
    return low.combine((low.expression(node.left), low.expression(node.right)), fresh=False)


def lower_starred(low: Lowerer, node: cst.StarredElement) -> Temp:
    return low.expression(node.value)


EXPRESSIONS: dict[type[cst.CSTNode], Callable[[Lowerer, Any], Temp]] = {
    cst.Name: lower_name,
    cst.Integer: lower_constant,
    cst.Float: lower_constant,
    cst.SimpleString: lower_constant,
    cst.Attribute: lower_attribute,
    cst.Subscript: lower_subscript,
    cst.Call: lower_call,
    cst.Await: lower_await,
    cst.Yield: lower_yield,
    cst.BinaryOperation: lower_binary,
    cst.UnaryOperation: lower_unary,
    cst.Comparison: lower_comparison,
    cst.BooleanOperation: lower_boolean,
    cst.IfExp: lower_conditional,
    cst.NamedExpr: lower_walrus,
    cst.List: lower_display,
    cst.Set: lower_display,
    cst.Tuple: lower_display,
    cst.Dict: lower_dict,
    cst.ListComp: lower_comprehension,
    cst.SetComp: lower_comprehension,
    cst.DictComp: lower_comprehension,
    cst.GeneratorExp: lower_comprehension,
    cst.Lambda: lower_lambda_value,
    cst.FormattedString: lower_formatted,
    cst.ConcatenatedString: lower_concatenated,
    cst.StarredElement: lower_starred,
}
