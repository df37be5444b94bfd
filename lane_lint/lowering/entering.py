"""Lowering of `with`: each item is left on every way out of its body."""

from __future__ import annotations

import ast

from lane_lint.lowering.builder import Frame
from lane_lint.lowering.calling import awaited_name
from lane_lint.lowering.lowerer import Lowerer
from lane_lint.lowering.spelling import dotted_name
from lane_lint.lowering.targets import bind
from lane_lint.model.graph import Part
from lane_lint.model.instructions import Enter, Exit, Suspend, Why

SWALLOWERS = frozenset({"suppress"})


def lower_with(low: Lowerer, node: ast.With | ast.AsyncWith) -> None:
    """Enter the items one by one, then run the body; errors leave them too, where somebody may catch them."""
    _with_items(low, node, 0)


def _with_items(low: Lowerer, node: ast.With | ast.AsyncWith, number: int) -> None:
    if number == len(node.items):
        low.suite(node.body)
        return
    item, is_async = node.items[number], isinstance(node, ast.AsyncWith)
    key = low.place(Part(node, number))
    _enter(low, item, key, is_async=is_async)
    after, swallows = low.new_block(), _swallows(item.context_expr)
    frame = Frame(lambda: _exit(low, key, is_async=is_async), low.handlers)
    on_error = low.new_block() if low.handlers or swallows else None
    with low.frame(frame):
        if on_error is None:
            _with_items(low, node, number + 1)
        else:
            with low.guarded_by((on_error.index,)):
                _with_items(low, node, number + 1)
            _leave_guard(low)
    _exit(low, key, is_async=is_async)
    low.goto(after)
    if on_error is not None:
        low.start(on_error)
        _exit(low, key, is_async=is_async)
        for handler in low.handlers:
            low.link(low.current, handler)
        if swallows:
            low.goto(after)
    low.start(after)


def _leave_guard(low: Lowerer) -> None:
    """Go on in a block that has the outer handlers again."""
    block = low.new_block()
    low.goto(block)
    low.start(block)


def _enter(low: Lowerer, item: ast.withitem, key: int, *, is_async: bool) -> None:
    context = low.expression(item.context_expr)
    if is_async:
        given = low.given_to(item.context_expr)
        low.emit(Suspend(low.temp(), context, Why.ENTER, key, awaited_name(item.context_expr), given))
    result = low.temp()
    low.emit(Enter(result, context, key, is_async, key))
    if item.optional_vars is not None:
        bind(low, item.optional_vars, result)


def _exit(low: Lowerer, key: int, *, is_async: bool) -> None:
    low.emit(Exit(key, is_async, key))


def _swallows(node: ast.expr) -> bool:
    name = dotted_name(node)
    return name is not None and name.rpartition(".")[2] in SWALLOWERS
