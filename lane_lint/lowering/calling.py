"""Lowering of calls and of what waits: `await` and `yield`."""

from __future__ import annotations

import libcst as cst

from lane_lint.lowering.lowerer import Lowerer
from lane_lint.lowering.spelling import dotted_name, identifier, stable_text
from lane_lint.model.instructions import Argument, CallMethod, CallName, Suspend, Temp, Why

THREAD_BRIDGES = frozenset(
    {"to_thread", "run_sync", "run_in_executor", "wait_for", "shield", "async_add_executor_job"}
)
WAITERS = frozenset({"wait_for", "shield"})


def lower_call(low: Lowerer, node: cst.Call) -> Temp:
    """Evaluate the callee, then the arguments, then call."""
    if isinstance(node.func, cst.Attribute):
        return _method_call(low, node, node.func, is_awaited=False)
    return _call(low, node, is_awaited=False)


def _call(low: Lowerer, node: cst.Call, *, is_awaited: bool) -> Temp:
    callee = low.expression(node.func)
    arguments = _arguments(low, node)
    name = identifier(node.func) if isinstance(node.func, cst.Name) else None
    result = low.temp()
    low.emit(CallName(result, callee, name, arguments, low.place(node), is_awaited))
    return result


def _method_call(low: Lowerer, node: cst.Call, function: cst.Attribute, *, is_awaited: bool) -> Temp:
    base = low.expression(function.value)
    arguments = _arguments(low, node)
    result = low.temp()
    low.emit(CallMethod(result, base, identifier(function.attr), arguments, low.place(node), is_awaited))
    return result


def _arguments(low: Lowerer, node: cst.Call) -> tuple[Argument, ...]:
    arguments = tuple(
        Argument(
            low.expression(argument.value),
            identifier(argument.keyword) if argument.keyword else None,
            stable_text(argument.value),
        )
        for argument in node.args
    )
    low.last_call = (node, tuple(argument.value for argument in arguments))
    return arguments


def lower_await(low: Lowerer, node: cst.Await) -> Temp:
    """Evaluate what is awaited, then wait for it."""
    inner = node.expression
    if isinstance(inner, cst.Call) and isinstance(inner.func, cst.Attribute):
        source = _method_call(low, inner, inner.func, is_awaited=True)
    elif isinstance(inner, cst.Call):
        source = _call(low, inner, is_awaited=True)
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
            if name in WAITERS and not isinstance(argument.value, cst.Call):
                continue  # a task or a future, not what is called
            if inner := dotted_name(argument.value):
                name = inner.rpartition(".")[2]
    return name or None


def lower_yield(low: Lowerer, node: cst.Yield) -> Temp:
    """A `yield` hands control to the caller; `yield from` counts as one."""
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
