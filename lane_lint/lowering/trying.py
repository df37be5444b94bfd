"""Lowering of `try`: handlers see every state of the body, `finally` runs on every way out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext

import libcst as cst

from lane_lint.lowering.builder import Frame
from lane_lint.lowering.lowerer import Lowerer
from lane_lint.lowering.spelling import dotted_name, identifier
from lane_lint.model.graph import Block
from lane_lint.model.instructions import BindName, Decide

LOOKUP_ERRORS = frozenset({"KeyError", "IndexError", "LookupError", "AttributeError"})
CATCH_ALL = frozenset({"BaseException"})
CATCH_ERRORS = frozenset({"Exception"})
MAX_LOOKUPS = 4


def lower_try(low: Lowerer, node: cst.Try | cst.TryStar) -> None:
    """`try` with its handlers, its `else` and its `finally`; the latter is lowered once a kind of exit."""
    if node.finalbody is None:
        _lower_handled(low, node)
        return
    final = node.finalbody.body

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


def _lower_handled(low: Lowerer, node: cst.Try | cst.TryStar) -> None:
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
    if node.orelse is not None:
        low.suite(node.orelse.body)
    body_falls_through = low.is_live
    low.goto(after)
    handlers: Sequence[cst.ExceptHandler | cst.ExceptStarHandler] = node.handlers
    for entry, handler in zip(entries, handlers, strict=True):
        entry.joins.update(inside)
        low.start(entry)
        decision = _lower_handler(low, handler, lookups or [])
        if decision is not None and body_falls_through and low.is_live:
            after.joins.add(decision)
        low.goto(after)
    low.start(after)


def _beyond(low: Lowerer, node: cst.Try | cst.TryStar) -> tuple[int, ...]:
    """Where an exception goes that no handler takes: to the handlers around, or out of the function.

    Where all errors are caught, a block of its own stands in front that only cancellations reach.
    """
    catches_errors = any(h.type is not None and _names(h.type) & CATCH_ERRORS for h in node.handlers)
    if low.handlers and not catches_errors:
        return low.handlers
    return (low.escape(only_cancelled=catches_errors),)


def _catches_all(node: cst.Try | cst.TryStar) -> bool:
    return any(h.type is None or _names(h.type) & CATCH_ALL for h in node.handlers)


def _lower_handler(
    low: Lowerer, handler: cst.ExceptHandler | cst.ExceptStarHandler, lookups: list[cst.BaseExpression]
) -> int | None:
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
    if handler.name is not None and isinstance(handler.name.name, cst.Name):
        low.body.bound.add(identifier(handler.name.name))
        low.emit(BindName(identifier(handler.name.name), low.unknown(), low.place(handler)))
    low.suite(handler.body)
    return decision


def _names(node: cst.BaseExpression) -> frozenset[str]:
    """The last names of the exception classes in an `except` clause."""
    nodes = [e.value for e in node.elements] if isinstance(node, cst.Tuple) else [node]
    return frozenset(name.rpartition(".")[2] for name in map(dotted_name, nodes) if name)


def _is_pure(node: cst.BaseExpression) -> bool:
    """Whether evaluating the look-up again has no effect of its own."""
    if isinstance(node, cst.Subscript):
        indexes = [e.slice.value for e in node.slice if isinstance(e.slice, cst.Index)]
        return len(indexes) == len(node.slice) and all(map(_is_pure, [node.value, *indexes]))
    if isinstance(node, cst.Attribute):
        return _is_pure(node.value)
    return isinstance(node, (cst.Name, cst.SimpleString, cst.Integer))
