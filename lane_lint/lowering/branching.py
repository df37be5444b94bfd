"""Lowering of tests: conditions with their short-circuits, `if`, and choices between values."""

from __future__ import annotations

import ast

from lane_lint.lowering.lowerer import Lowerer
from lane_lint.lowering.spelling import is_named_constant, is_zero
from lane_lint.model.graph import Block
from lane_lint.model.instructions import Fetch, Keep, Temp


def lower_condition(low: Lowerer, node: ast.expr, on_true: Block, on_false: Block) -> None:
    """Emit a test that goes to `on_true` or `on_false`, with short-circuits as edges."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        lower_condition(low, node.operand, on_false, on_true)
    elif isinstance(node, ast.BoolOp):
        right = low.new_block()
        sides = (right, on_false) if isinstance(node.op, ast.And) else (on_true, right)
        lower_condition(low, _left_of(node), *sides)
        low.start(right)
        lower_condition(low, node.values[-1], on_true, on_false)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        low.goto(on_true if node.value else on_false)
    else:
        tested = low.expression(node)
        is_outcome = isinstance(node, ast.Name) and node.id in low.outcomes
        sides = (on_true, on_false)
        low.branch(tested, *sides, low.place(node), presence(low, node), was_made_before=is_outcome)


def _left_of(node: ast.BoolOp) -> ast.expr:
    """The sides of a chain before the last one, as Python groups them."""
    if len(node.values) == 2:
        return node.values[0]
    left = ast.BoolOp(node.op, node.values[:-1])
    return ast.copy_location(left, node)


def presence(low: Lowerer, node: ast.expr) -> bool | None:
    """The outcome of a test that finds what it looks at present; None for tests of another kind."""
    if isinstance(node, ast.Name):
        return low.outcomes.get(node.id, True)
    if isinstance(node, (ast.Attribute, ast.Subscript, ast.Call, ast.NamedExpr)) or is_named_constant(node):
        return True
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return None
    operator, right = node.ops[0], node.comparators[0]
    if isinstance(operator, (ast.In, ast.NotIn)):
        return isinstance(operator, ast.In)
    is_empty = is_zero(right) or (is_named_constant(right) and not right.value)
    if is_empty and isinstance(operator, (ast.Is, ast.Eq)):
        return False
    if is_empty and isinstance(operator, (ast.IsNot, ast.NotEq, ast.Gt)):
        return True
    return None


def note_outcome(low: Lowerer, target: ast.expr, value: ast.expr) -> None:
    """`is_new = self.conn is None`: a branch on the variable is a branch on the test."""
    if not isinstance(target, ast.Name):
        return
    is_opposite = False
    while isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not):
        value, is_opposite = value.operand, not is_opposite
    if is_opposite or isinstance(value, (ast.Compare, ast.BoolOp)):
        found = presence(low, value)
        low.outcomes[target.id] = found if found is None else found != is_opposite


def lower_boolean(low: Lowerer, node: ast.BoolOp) -> Temp:
    """`a and b`, `a or b` as values: the right side is evaluated on one side of a branch only."""
    name = low.hidden_name()
    right, join = low.new_block(), low.new_block()
    first = low.next_branch
    left = _left_of(node)
    left_value = low.expression(left)
    low.emit(Keep(name, left_value))
    sides = (right, join) if isinstance(node.op, ast.And) else (join, right)
    low.branch(left_value, *sides, low.place(node), presence(low, left))
    low.start(right)
    low.emit(Keep(name, low.expression(node.values[-1])))
    low.goto(join)
    return _joined_value(low, name, join, first)


def lower_conditional(low: Lowerer, node: ast.IfExp) -> Temp:
    """`a if test else b`: only the chosen side is evaluated."""
    name = low.hidden_name()
    on_true, on_false, join = low.new_block(), low.new_block(), low.new_block()
    first = low.next_branch
    lower_condition(low, node.test, on_true, on_false)
    for block, value in ((on_true, node.body), (on_false, node.orelse)):
        low.start(block)
        low.emit(Keep(name, low.expression(value)))
        low.goto(join)
    return _joined_value(low, name, join, first)


def _joined_value(low: Lowerer, name: str, join: Block, first: int) -> Temp:
    join.joins.update(range(first + 1, low.next_branch + 1))
    low.start(join)
    result = low.temp()
    low.emit(Fetch(result, name))
    return result


def lower_if(low: Lowerer, node: ast.If) -> None:
    """An `if` with its `elif` chain, in a loop: a chain may have a thousand arms.

    A test's decision is over where its two sides meet again; when one side leaves, it holds on.
    """
    after = low.new_block()
    arms: list[tuple[range, bool]] = []
    arm: ast.If | None = node
    while arm is not None:
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
        rest = arm.orelse
        arm = _elif(low, rest)
    low.suite(rest)
    meet(low, after, arms)


def meet(low: Lowerer, after: Block, arms: list[tuple[range, bool]]) -> None:
    """Go on where the arms of a choice meet: there the tests are over that have a way on from both sides.

    Args:
        arms: For each arm but the last, its tests and whether it falls through to `after`.
    """
    rest_falls_through = low.is_live
    low.goto(after)
    after.lingers = True
    for tests, falls_through in reversed(arms):
        if falls_through and rest_falls_through:
            after.joins.update(tests)
        rest_falls_through = rest_falls_through or falls_through
    low.start(after)


def _elif(low: Lowerer, rest: list[ast.stmt]) -> ast.If | None:
    """The `elif` that an `else` consists of."""
    first = rest[0] if rest else None
    return first if isinstance(first, ast.If) and low.text.is_elif(first) else None


def _note_break(low: Lowerer, tests: range, suite: list[ast.stmt]) -> None:
    """A test that leaves its loop decides about what comes after the loop."""
    if isinstance(suite[-1], ast.Break):
        low.broken_out.update(tests)


def lower_assert(low: Lowerer, node: ast.Assert) -> None:
    """What follows runs only where the test holds."""
    if presence(low, node.test) is True:
        # `assert self.x is not None` tells a type checker something; nobody decides by it.
        low.expression(node.test)
        return
    holds, fails = low.new_block(), low.new_block()
    lower_condition(low, node.test, holds, fails)
    low.start(holds)
