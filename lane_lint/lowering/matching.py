"""Lowering of `match`."""

from __future__ import annotations

import libcst as cst

from lane_lint.lowering.branching import lower_condition, meet
from lane_lint.lowering.lowerer import Lowerer
from lane_lint.lowering.spelling import identifier
from lane_lint.model.instructions import BindName, Fetch, Keep


def lower_match(low: Lowerer, node: cst.Match) -> None:
    """Each case is a test of the subject; an irrefutable case has no way past it."""
    subject, after = low.hidden_name(), low.new_block()
    low.emit(Keep(subject, low.expression(node.subject)))
    arms: list[tuple[range, bool]] = []
    for case in node.cases:
        first = low.next_branch
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
        tests = range(first + 1, low.next_branch + 1)
        low.start(body)
        low.suite(case.body)
        arms.append((tests, low.is_live))
        low.goto(after)
        low.start(otherwise)
    meet(low, after, arms)


def _is_irrefutable(pattern: cst.MatchPattern) -> bool:
    return isinstance(pattern, cst.MatchAs) and pattern.pattern is None


def _captures(pattern: cst.CSTNode) -> list[str]:
    """The names a pattern binds."""
    names = []
    if isinstance(pattern, (cst.MatchAs, cst.MatchStar)) and pattern.name is not None:
        names.append(identifier(pattern.name))
    if isinstance(pattern, cst.MatchMapping) and pattern.rest is not None:
        names.append(identifier(pattern.rest))
    for child in pattern.children:
        if not isinstance(child, cst.BaseExpression):
            names.extend(_captures(child))
    return names
