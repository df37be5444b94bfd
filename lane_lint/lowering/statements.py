"""Lowering of statements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst

from lane_lint.lowering.builder import Frame
from lane_lint.lowering.expressions import awaited_name, iterate, lower_condition, next_element
from lane_lint.lowering.lowerer import Lowerer, dotted_name, lower_function
from lane_lint.lowering.targets import assign, augment, bind, delete
from lane_lint.lowering.trying import lower_try
from lane_lint.model.graph import Block
from lane_lint.model.instructions import (
    BindName,
    Enter,
    Exit,
    Fetch,
    Keep,
    MakeFunction,
    Return,
    Suspend,
    Why,
)

SWALLOWERS = frozenset({"suppress"})


def lower_expression_statement(low: Lowerer, node: cst.Expr) -> None:
    low.expression(node.value)


def lower_assign(low: Lowerer, node: cst.Assign) -> None:
    assign(low, [target.target for target in node.targets], node.value)


def lower_annotated(low: Lowerer, node: cst.AnnAssign) -> None:
    if node.value is not None:
        bind(low, node.target, low.expression(node.value))


def lower_augmented(low: Lowerer, node: cst.AugAssign) -> None:
    augment(low, node.target, node.value)


def lower_delete(low: Lowerer, node: cst.Del) -> None:
    delete(low, node.target)


def lower_return(low: Lowerer, node: cst.Return) -> None:
    value = low.expression(node.value) if node.value is not None else None
    low.emit(Return(value, low.place(node)))
    low.exit_function()


def lower_raise(low: Lowerer, node: cst.Raise) -> None:
    for part in (node.exc, node.cause.item if node.cause else None):
        if part is not None:
            low.expression(part)
    low.leave()


def lower_assert(low: Lowerer, node: cst.Assert) -> None:
    holds, fails = low.new_block(), low.new_block()
    lower_condition(low, node.test, holds, fails)
    low.start(holds)


def lower_break(low: Lowerer, node: cst.Break) -> None:
    low.exit_loop("break")


def lower_continue(low: Lowerer, node: cst.Continue) -> None:
    low.exit_loop("continue")


def lower_global(low: Lowerer, node: cst.Global) -> None:
    low.body.declared_global.update(item.name.value for item in node.names)


def lower_nonlocal(low: Lowerer, node: cst.Nonlocal) -> None:
    low.body.declared_nonlocal.update(item.name.value for item in node.names)


def lower_if(low: Lowerer, node: cst.If) -> None:
    """An `if` with its `elif` chain, in a loop: a chain may have a thousand arms.

    A test's decision is over where its two sides meet again; when one side leaves, it holds on.
    """
    after = low.new_block()
    arms: list[tuple[range, bool]] = []
    arm: cst.If | cst.Else | None = node
    while isinstance(arm, cst.If):
        first = low.next_branch
        body, otherwise = low.new_block(), low.new_block()
        lower_condition(low, arm.test, body, otherwise)
        tests = range(first + 1, low.next_branch + 1)
        low.start(body)
        low.suite(arm.body)
        arms.append((tests, low.is_live))
        _note_break(low, tests, arm.body)
        low.goto(after)
        low.start(otherwise)
        arm = arm.orelse
    if arm is not None:
        low.suite(arm.body)
    rest_falls_through = low.is_live
    low.goto(after)
    after.lingers = True
    for tests, falls_through in reversed(arms):
        if falls_through and rest_falls_through:
            after.joins.update(tests)
        rest_falls_through = rest_falls_through or falls_through
    low.start(after)


def _note_break(low: Lowerer, tests: range, suite: cst.BaseSuite) -> None:
    """A test that leaves its loop decides about what comes after the loop."""
    last = suite.body[-1] if suite.body else None
    if isinstance(last, cst.SimpleStatementLine):
        last = last.body[-1]
    if isinstance(last, cst.Break):
        low.broken_out.update(tests)


def lower_while(low: Lowerer, node: cst.While) -> None:
    after, otherwise = low.new_block(), low.new_block()
    with low.inside_loop(low.new_block(), after, node, is_for=False):
        body = low.new_block()
        first = low.next_branch
        lower_condition(low, node.test, body, otherwise)
        tests = range(first + 1, low.next_branch + 1)
        low.broken_out.update(tests)
        low.body.loop_tests.update(tests)
        low.start(body)
        low.suite(node.body)
    _loop_else(low, node.orelse, otherwise, after)


def lower_for(low: Lowerer, node: cst.For) -> None:
    after, otherwise = low.new_block(), low.new_block()
    iterable = iterate(low, node.iter)
    is_async = node.asynchronous is not None
    with low.inside_loop(low.new_block(), after, node, is_for=True) as key:
        element = next_element(low, iterable, key, node, otherwise, is_async=is_async)
        bind(low, node.target, element)
        low.suite(node.body)
    _loop_else(low, node.orelse, otherwise, after)


def _loop_else(low: Lowerer, orelse: cst.Else | None, otherwise: Block, after: Block) -> None:
    low.start(otherwise)
    otherwise.joins |= after.joins
    if orelse is not None:
        low.suite(orelse.body)
    low.goto(after)
    low.start(after)


def lower_with(low: Lowerer, node: cst.With) -> None:
    _with_items(low, node, 0)


def _with_items(low: Lowerer, node: cst.With, number: int) -> None:
    if number == len(node.items):
        low.suite(node.body)
        return
    item, is_async = node.items[number], node.asynchronous is not None
    key = low.place(item)
    _enter(low, item, key, is_async=is_async)
    after, swallows = low.new_block(), _swallows(item.item)
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


def _enter(low: Lowerer, item: cst.WithItem, key: int, *, is_async: bool) -> None:
    context = low.expression(item.item)
    if is_async:
        given = low.given_to(item.item)
        low.emit(Suspend(low.temp(), context, Why.ENTER, key, awaited_name(item.item), given))
    result = low.temp()
    low.emit(Enter(result, context, key, is_async, key))
    if item.asname is not None:
        bind(low, item.asname.name, result)


def _exit(low: Lowerer, key: int, *, is_async: bool) -> None:
    low.emit(Exit(key, is_async, key))


def _swallows(node: cst.BaseExpression) -> bool:
    name = dotted_name(node)
    return name is not None and name.rpartition(".")[2] in SWALLOWERS


def lower_match(low: Lowerer, node: cst.Match) -> None:
    """Each case is a test of the subject; an irrefutable case has no way past it."""
    subject, after = low.hidden_name(), low.new_block()
    low.emit(Keep(subject, low.expression(node.subject)))
    first = low.next_branch
    for case in node.cases:
        body, otherwise = low.new_block(), low.new_block()
        value = low.temp()
        low.emit(Fetch(value, subject))
        names = _captures(case.pattern)
        for name in names:
            low.body.bound.add(name)
            low.emit(BindName(name, value, low.place(case)))
        if not _is_irrefutable(case.pattern):
            guarded = low.new_block()
            low.branch(value, guarded, otherwise, low.place(case))
            low.start(guarded)
        if case.guard is not None:
            lower_condition(low, case.guard, body, otherwise)
        else:
            low.goto(body)
        low.start(body)
        low.suite(case.body)
        low.goto(after)
        low.start(otherwise)
    low.goto(after)
    after.joins.update(range(first + 1, low.next_branch + 1))
    low.start(after)


def _is_irrefutable(pattern: cst.MatchPattern) -> bool:
    return isinstance(pattern, cst.MatchAs) and pattern.pattern is None


def _captures(pattern: cst.CSTNode) -> list[str]:
    """The names a pattern binds."""
    names = []
    if isinstance(pattern, (cst.MatchAs, cst.MatchStar)) and pattern.name is not None:
        names.append(pattern.name.value)
    if isinstance(pattern, cst.MatchMapping) and pattern.rest is not None:
        names.append(pattern.rest.value)
    for child in pattern.children:
        if not isinstance(child, cst.BaseExpression):
            names.extend(_captures(child))
    return names


def lower_nested_function(low: Lowerer, node: cst.FunctionDef) -> None:
    for decorator in node.decorators:
        low.expression(decorator.decorator)
    low.body.nested.append(lower_function(node, low.body, low.body.line))
    result = low.temp()
    low.emit(MakeFunction(result, len(low.body.nested) - 1, low.place(node)))
    low.body.bound.add(node.name.value)
    low.emit(BindName(node.name.value, result, low.place(node)))


def lower_nested_class(low: Lowerer, node: cst.ClassDef) -> None:
    low.body.bound.add(node.name.value)
    low.emit(BindName(node.name.value, low.unknown(), low.place(node)))


def lower_import(low: Lowerer, node: cst.Import | cst.ImportFrom) -> None:
    if isinstance(node.names, cst.ImportStar):
        return
    for alias in node.names:
        name = alias.evaluated_alias or alias.evaluated_name.partition(".")[0]
        low.body.bound.add(name)


STATEMENTS: dict[type[cst.CSTNode], Callable[[Lowerer, Any], None]] = {
    cst.Expr: lower_expression_statement,
    cst.Assign: lower_assign,
    cst.AnnAssign: lower_annotated,
    cst.AugAssign: lower_augmented,
    cst.Del: lower_delete,
    cst.Return: lower_return,
    cst.Raise: lower_raise,
    cst.Assert: lower_assert,
    cst.Break: lower_break,
    cst.Continue: lower_continue,
    cst.Global: lower_global,
    cst.Nonlocal: lower_nonlocal,
    cst.If: lower_if,
    cst.While: lower_while,
    cst.For: lower_for,
    cst.With: lower_with,
    cst.Try: lower_try,
    cst.TryStar: lower_try,
    cst.Match: lower_match,
    cst.FunctionDef: lower_nested_function,
    cst.ClassDef: lower_nested_class,
    cst.Import: lower_import,
    cst.ImportFrom: lower_import,
}
