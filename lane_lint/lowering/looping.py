"""Lowering of loops: `for`, `while`, and comprehensions as the loops they are."""

from __future__ import annotations

import ast

from lane_lint.lowering.branching import lower_condition
from lane_lint.lowering.lowerer import Lowerer
from lane_lint.lowering.targets import bind
from lane_lint.model.graph import Block, Comprehension, Part, Site
from lane_lint.model.instructions import Fetch, Keep, Step, Suspend, Temp, Walk, Why


def lower_while(low: Lowerer, node: ast.While) -> None:
    """The test that ends the loop goes on to decide about what comes after it."""
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


def lower_for(low: Lowerer, node: ast.For | ast.AsyncFor) -> None:
    """The iterable is evaluated once, before the loop; each pass takes an element in the header."""
    after, otherwise = low.new_block(), low.new_block()
    iterable = _iterate(low, node.iter)
    is_async = isinstance(node, ast.AsyncFor)
    with low.inside_loop(low.new_block(), after, node, is_for=True) as key:
        element = _next_element(low, iterable, key, node, otherwise, is_async=is_async)
        bind(low, node.target, element)
        low.suite(node.body)
    _loop_else(low, node.orelse, otherwise, after)


def _loop_else(low: Lowerer, orelse: list[ast.stmt], otherwise: Block, after: Block) -> None:
    low.start(otherwise)
    otherwise.joins |= after.joins
    low.suite(orelse)
    low.goto(after)
    low.start(after)


def lower_break(low: Lowerer, node: ast.Break) -> None:
    """Go to the end of the loop, by way of the cleanups inside it."""
    low.exit_loop("break")


def lower_continue(low: Lowerer, node: ast.Continue) -> None:
    """Go to the next pass, by way of the cleanups inside the loop."""
    low.exit_loop("continue")


def lower_comprehension(low: Lowerer, node: Comprehension) -> Temp:
    """A comprehension as the loop it is; the value depends on what is iterated and collected."""
    name = low.hidden_name()
    low.emit(Keep(name, low.unknown()))
    walked = _comprehension_clause(low, node, 0, name)
    result = low.temp()
    low.emit(Fetch(result, name))
    made = low.combine((result,), fresh=True)
    return _walk_lazily(low, walked, made) if isinstance(node, ast.GeneratorExp) else made


def _walk_lazily(low: Lowerer, walked: str, made: Temp) -> Temp:
    """A generator expression is a live view of what it walks."""
    iterable, result = low.temp(), low.temp()
    low.emit(Fetch(iterable, walked))
    low.emit(Walk(result, iterable, made))
    return result


def _comprehension_clause(low: Lowerer, node: Comprehension, number: int, name: str) -> str:
    """Lower one `for` of a comprehension; the name returned keeps what it walks."""
    clause, place = node.generators[number], Part(node, number)
    is_async = bool(clause.is_async)
    iterable, after = _iterate(low, clause.iter), low.new_block()
    with low.inside_loop(low.new_block(), after, place, is_for=True) as key:
        element = _next_element(low, iterable, key, place, after, is_async=is_async)
        bind(low, clause.target, element)
        for condition in clause.ifs:
            low.expression(condition)
        if number + 1 < len(node.generators):
            _comprehension_clause(low, node, number + 1, name)
        else:
            nodes = _collected(node)
            values = [low.expression(n) for n in nodes]
            collected = low.temp()
            low.emit(Fetch(collected, name))
            # What is collected depends on the element, also when that is not what is collected.
            seen = low.combine((element,), fresh=False)
            low.emit(Keep(name, low.combine((collected, seen, *values), fresh=True)))
    low.start(after)
    return iterable


def _collected(node: Comprehension) -> tuple[ast.expr, ...]:
    return (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)


def _iterate(low: Lowerer, node: ast.expr) -> str:
    """Evaluate an iterable; the name returned keeps it for the loop's header."""
    name = low.hidden_name()
    low.emit(Keep(name, low.expression(node)))
    return name


def _next_element(low: Lowerer, iterable: str, key: int, node: Site, after: Block, *, is_async: bool) -> Temp:
    """In a loop's header: take the next element and go to the body, or leave for `after`."""
    source = low.temp()
    low.emit(Fetch(source, iterable))
    if is_async:
        waited = low.temp()
        low.emit(Suspend(waited, source, Why.NEXT, low.place(node)))
    result = low.temp()
    low.emit(Step(result, source, key, low.place(node)))
    element = low.hidden_name()
    low.emit(Keep(element, result))
    body = low.new_block()
    low.goto(body)
    low.goto(after)
    low.start(body)
    fetched = low.temp()
    low.emit(Fetch(fetched, element))
    return fetched
