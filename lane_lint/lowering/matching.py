"""Lowering of `match`."""

from __future__ import annotations

import ast

from lane_lint.lowering.branching import lower_condition, meet
from lane_lint.lowering.lowerer import Lowerer
from lane_lint.model.graph import Part
from lane_lint.model.instructions import BindName, Fetch, Keep


def lower_match(low: Lowerer, node: ast.Match) -> None:
    """Each case is a test of the subject; an irrefutable case has no way past it."""
    subject, after = low.hidden_name(), low.new_block()
    low.emit(Keep(subject, low.expression(node.subject)))
    arms: list[tuple[range, bool]] = []
    for number, case in enumerate(node.cases):
        first, place = low.next_branch, Part(node, number)
        body, otherwise = low.new_block(), low.new_block()
        value = low.temp()
        low.emit(Fetch(value, subject))
        names = _captures(case.pattern)
        for name in names:
            low.body.bound.add(name)
            low.emit(BindName(name, value, low.place(place)))
        if not _is_irrefutable(case.pattern):
            guarded = low.new_block()
            low.branch(value, guarded, otherwise, low.place(place))
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


def _is_irrefutable(pattern: ast.pattern) -> bool:
    return isinstance(pattern, ast.MatchAs) and pattern.pattern is None


def _captures(pattern: ast.pattern) -> list[str]:
    """The names a pattern binds."""
    names = []
    if isinstance(pattern, (ast.MatchAs, ast.MatchStar)) and pattern.name is not None:
        names.append(pattern.name)
    if isinstance(pattern, ast.MatchMapping) and pattern.rest is not None:
        names.append(pattern.rest)
    for child in ast.iter_child_nodes(pattern):
        if isinstance(child, ast.pattern):
            names.extend(_captures(child))
    return names
