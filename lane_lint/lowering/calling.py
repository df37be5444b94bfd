"""Lowering of calls and of what waits: `await` and `yield`."""

from __future__ import annotations

import ast

from lane_lint.lowering.lowerer import Lowerer
from lane_lint.lowering.spelling import dotted_name
from lane_lint.model.instructions import Argument, CallMethod, CallName, Suspend, Temp, Why

THREAD_BRIDGES = frozenset(
    {"to_thread", "run_sync", "run_in_executor", "wait_for", "shield", "async_add_executor_job"}
)
WAITERS = frozenset({"wait_for", "shield"})


def lower_call(low: Lowerer, node: ast.Call) -> Temp:
    """Evaluate the callee, then the arguments, then call."""
    if isinstance(node.func, ast.Attribute):
        return _method_call(low, node, node.func, is_awaited=False)
    return _call(low, node, is_awaited=False)


def _call(low: Lowerer, node: ast.Call, *, is_awaited: bool) -> Temp:
    callee = low.expression(node.func)
    arguments = _arguments(low, node)
    name = node.func.id if isinstance(node.func, ast.Name) else None
    result = low.temp()
    low.emit(CallName(result, callee, name, arguments, low.place(node), is_awaited))
    return result


def _method_call(low: Lowerer, node: ast.Call, function: ast.Attribute, *, is_awaited: bool) -> Temp:
    base = low.expression(function.value)
    arguments = _arguments(low, node)
    result = low.temp()
    low.emit(CallMethod(result, base, function.attr, arguments, low.place(node), is_awaited))
    return result


def _arguments(low: Lowerer, node: ast.Call) -> tuple[Argument, ...]:
    arguments = tuple(
        Argument(low.expression(value), keyword, low.stable_text(value)) for keyword, value in _in_order(node)
    )
    low.last_call = (node, tuple(argument.value for argument in arguments))
    return arguments


def _in_order(node: ast.Call) -> list[tuple[str | None, ast.expr]]:
    """The arguments as they are written, each with its keyword; an unpacked one stands for what is unpacked."""
    given = [(None, a.value if isinstance(a, ast.Starred) else a) for a in node.args]
    named = [(keyword.arg, keyword.value) for keyword in node.keywords]
    if given and named and isinstance(node.args[-1], ast.Starred):
        # Only what is unpacked may stand behind a keyword.
        return sorted([*given, *named], key=lambda each: (each[1].lineno, each[1].col_offset))
    return [*given, *named]


def lower_await(low: Lowerer, node: ast.Await) -> Temp:
    """Evaluate what is awaited, then wait for it."""
    inner = node.value
    if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute):
        source = _method_call(low, inner, inner.func, is_awaited=True)
    elif isinstance(inner, ast.Call):
        source = _call(low, inner, is_awaited=True)
    else:
        source = low.expression(inner)
    result = low.temp()
    callee = awaited_name(inner)
    given = low.given_to(inner)
    low.emit(Suspend(result, source, Why.AWAIT, low.place(node), callee, given))
    return result


def awaited_name(node: ast.expr) -> str | None:
    """The last name of an awaited call; of the function that `to_thread` or an executor is given."""
    if not isinstance(node, ast.Call):
        return None
    name = (dotted_name(node.func) or "").rpartition(".")[2]
    if name in THREAD_BRIDGES:
        for _, argument in _in_order(node):
            if name in WAITERS and not isinstance(argument, ast.Call):
                continue  # a task or a future, not what is called
            if inner := dotted_name(argument):
                name = inner.rpartition(".")[2]
    return name or None


def lower_yield(low: Lowerer, node: ast.Yield | ast.YieldFrom) -> Temp:
    """A `yield` hands control to the caller; `yield from` counts as one."""
    low.yields = True
    source = low.expression(node.value) if node.value is not None else low.unknown()
    result = low.temp()
    low.emit(Suspend(result, source, Why.YIELD, low.place(node)))
    return result
