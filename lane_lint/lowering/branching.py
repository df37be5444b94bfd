"""Lowering of tests: conditions with their short-circuits, `if`, and choices between values."""

from __future__ import annotations

import libcst as cst

from lane_lint.lowering.lowerer import Lowerer
from lane_lint.model.graph import Block
from lane_lint.model.instructions import Fetch, Keep, Temp


def lower_condition(low: Lowerer, node: cst.BaseExpression, on_true: Block, on_false: Block) -> None:
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
        tested = low.expression(node)
        is_outcome = isinstance(node, cst.Name) and node.value in low.outcomes
        sides = (on_true, on_false)
        low.branch(tested, *sides, low.place(node), presence(low, node), was_made_before=is_outcome)


def presence(low: Lowerer, node: cst.BaseExpression) -> bool | None:
    """The outcome of a test that finds what it looks at present; None for tests of another kind."""
    if isinstance(node, cst.Name):
        return low.outcomes.get(node.value, True)
    if isinstance(node, (cst.Attribute, cst.Subscript, cst.Call, cst.NamedExpr)):
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


def note_outcome(low: Lowerer, target: cst.BaseExpression, value: cst.BaseExpression) -> None:
    """`is_new = self.conn is None`: a branch on the variable is a branch on the test."""
    if not isinstance(target, cst.Name):
        return
    is_opposite = False
    while isinstance(value, cst.UnaryOperation) and isinstance(value.operator, cst.Not):
        value, is_opposite = value.expression, not is_opposite
    if is_opposite or isinstance(value, (cst.Comparison, cst.BooleanOperation)):
        found = presence(low, value)
        low.outcomes[target.value] = found if found is None else found != is_opposite


def lower_boolean(low: Lowerer, node: cst.BooleanOperation) -> Temp:
    """`a and b`, `a or b` as values: the right side is evaluated on one side of a branch only."""
    name = low.hidden_name()
    right, join = low.new_block(), low.new_block()
    first = low.next_branch
    left_value = low.expression(node.left)
    low.emit(Keep(name, left_value))
    sides = (right, join) if isinstance(node.operator, cst.And) else (join, right)
    low.branch(left_value, *sides, low.place(node), presence(low, node.left))
    low.start(right)
    low.emit(Keep(name, low.expression(node.right)))
    low.goto(join)
    return _joined_value(low, name, join, first)


def lower_conditional(low: Lowerer, node: cst.IfExp) -> Temp:
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


def _note_break(low: Lowerer, tests: range, suite: cst.BaseSuite) -> None:
    """A test that leaves its loop decides about what comes after the loop."""
    last = suite.body[-1] if suite.body else None
    if isinstance(last, cst.SimpleStatementLine):
        last = last.body[-1]
    if isinstance(last, cst.Break):
        low.broken_out.update(tests)


def lower_assert(low: Lowerer, node: cst.Assert) -> None:
    """What follows runs only where the test holds."""
    if presence(low, node.test) is True:
        # `assert self.x is not None` tells a type checker something; nobody decides by it.
        low.expression(node.test)
        return
    holds, fails = low.new_block(), low.new_block()
    lower_condition(low, node.test, holds, fails)
    low.start(holds)
