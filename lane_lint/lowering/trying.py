"""Lowering of `try`: handlers see every state of the body, `finally` runs on every way out."""

from __future__ import annotations

import ast
from collections.abc import Callable
from contextlib import nullcontext

from lane_lint.lowering.builder import Frame
from lane_lint.lowering.lowerer import Lowerer
from lane_lint.lowering.spelling import dotted_name, elements_of
from lane_lint.model.graph import Block
from lane_lint.model.instructions import BindName, Decide

LOOKUP_ERRORS = frozenset({"KeyError", "IndexError", "LookupError", "AttributeError"})
CATCH_ALL = frozenset({"BaseException"})
CATCH_ERRORS = frozenset({"Exception"})
MAX_LOOKUPS = 4


def lower_try(low: Lowerer, node: ast.Try | ast.TryStar) -> None:
    """`try` with its handlers, its `else` and its `finally`; the latter is lowered once a kind of exit."""
    if not node.finalbody:
        _lower_handled(low, node)
        return
    final = node.finalbody

    def cleanup() -> None:
        low.suite(final)

    outer, on_error = low.handlers, low.new_block()
    with low.frame(Frame(cleanup, outer)), low.guarded_by((on_error.index,)):
        _lower_handled(low, node)
    normal = low.new_block()
    low.goto(normal)
    low.start(normal)
    low.suite(final)
    after = low.new_block()
    low.goto(after)
    _lower_error_exit(low, on_error, cleanup)
    low.start(after)


def _lower_error_exit(low: Lowerer, on_error: Block, cleanup: Callable[[], None]) -> None:
    """The copy of `finally` for an exception: it goes on to the handlers around."""
    low.start(on_error)
    cleanup()
    for handler in low.handlers:
        low.link(low.current, handler)
    low.leave()


def _lower_handled(low: Lowerer, node: ast.Try | ast.TryStar) -> None:
    after = low.new_block()
    entries = [low.new_block() for _ in node.handlers]
    outer = _beyond(low, node) if entries and not _catches_all(node) else ()
    lookups_around, low.lookups = low.lookups, []
    first = low.next_branch
    guard = low.guarded_by((*(e.index for e in entries), *outer)) if entries else nullcontext()
    with guard:
        low.suite(node.body)
    for escape in outer:
        low.pass_on(escape)
    lookups, low.lookups = low.lookups, lookups_around
    inside = range(first + 1, low.next_branch + 1)
    block = low.new_block()
    low.goto(block)
    low.start(block)
    low.suite(node.orelse)
    body_falls_through = low.is_live
    low.goto(after)
    for entry, handler in zip(entries, node.handlers, strict=True):
        entry.joins.update(inside)
        low.start(entry)
        decision = _lower_handler(low, handler, lookups or [])
        if decision is not None and body_falls_through and low.is_live:
            after.joins.add(decision)
        low.goto(after)
    low.start(after)


def _beyond(low: Lowerer, node: ast.Try | ast.TryStar) -> tuple[int, ...]:
    """Where an exception goes that no handler takes: to the handlers around, or out of the function.

    Where all errors are caught, a block of its own stands in front that only cancellations reach.
    """
    catches_errors = any(h.type is not None and _names(h.type) & CATCH_ERRORS for h in node.handlers)
    if low.handlers and not catches_errors:
        return low.handlers
    return (low.escape(only_cancelled=catches_errors),)


def _catches_all(node: ast.Try | ast.TryStar) -> bool:
    return any(h.type is None or _names(h.type) & CATCH_ALL for h in node.handlers)


def _lower_handler(low: Lowerer, handler: ast.ExceptHandler, lookups: list[ast.expr]) -> int | None:
    """Lower one handler. A handler of a failed look-up runs because of what was looked up.

    Returns:
        The key of that decision, if there is one.
    """
    decision = None
    if handler.type is not None and lookups and _names(handler.type) & LOOKUP_ERRORS:
        decision = low.new_branch_key()
        for lookup in lookups[:MAX_LOOKUPS]:
            if _is_pure(lookup):
                low.emit(Decide(decision, low.expression(lookup), low.place(lookup)))
    if handler.name is not None:
        low.body.bound.add(handler.name)
        low.emit(BindName(handler.name, low.unknown(), low.place(handler)))
    low.suite(handler.body)
    return decision


def _names(node: ast.expr) -> frozenset[str]:
    """The last names of the exception classes in an `except` clause."""
    nodes = node.elts if isinstance(node, ast.Tuple) else [node]
    return frozenset(name.rpartition(".")[2] for name in map(dotted_name, nodes) if name)


def _is_pure(node: ast.expr) -> bool:
    """Whether evaluating the look-up again has no effect of its own."""
    if isinstance(node, ast.Subscript):
        return all(map(_is_pure, [node.value, *elements_of(node)]))
    if isinstance(node, ast.Attribute):
        return _is_pure(node.value)
    return isinstance(node, (ast.Name, ast.Constant))
