"""Slices: one definition, lowered, with the positions and the texts of its places on demand."""

from __future__ import annotations

import ast
import re

from lane_lint.finding import Span
from lane_lint.lowering.expressions import EXPRESSIONS
from lane_lint.lowering.functions import lower_function
from lane_lint.lowering.lowerer import Tables
from lane_lint.lowering.statements import STATEMENTS
from lane_lint.lowering.text import Point, Text
from lane_lint.model.graph import Block, Comprehension, FunctionBody, Kind, Part, Site

MAX_TEXT = 60
TABLES = Tables(EXPRESSIONS, STATEMENTS)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_IN = re.compile(r"\b(?:not|in)\b")
_FOR = re.compile(r"\b(?:async|for)\b")
_CASE = re.compile(r"\bcase\b")


class Slice:
    """A definition's lowered body, and what its places are in the source."""

    def __init__(self, text: Text, body: FunctionBody) -> None:
        self.body = body
        self._text = text

    def span(self, site: Site) -> Span:
        """Where a place stands in the file, without parentheses around it. Lines 1-based, columns 0-based in characters."""
        start, end = self._bounds(site)
        return Span(start.line, start.column, end.line, end.column)

    def _bounds(self, site: Site) -> tuple[Point, Point]:
        text = self._text
        if isinstance(site, Part):
            return self._bounds_of_part(site)
        start, end = text.start(site), text.end(site)
        if isinstance(site, ast.BoolOp):
            # The first sides of a longer chain end with their last one.
            before, last = site.values[-2:]
            end = text.closed(text.end(last), len(text.opened(text.end(before), text.start(last))))
        return start, end

    def _bounds_of_part(self, part: Part) -> tuple[Point, Point]:
        node, number, text = part.node, part.number, self._text
        if isinstance(node, ast.Compare):
            left = node.comparators[number - 1] if number else node.left
            right = node.comparators[number]
            return text.keyword(_IN, text.end(left), text.start(right)), self._end(text.end(left), right)
        if isinstance(node, (ast.With, ast.AsyncWith)):
            return self._bounds_of_item(node, number)
        if isinstance(node, ast.Match):
            case = node.cases[number]
            pattern = text.start(case.pattern)
            return text.keyword(_CASE, Point(pattern.line, 0), pattern), text.end(case.body[-1])
        return self._bounds_of_clause(node, number)

    def _bounds_of_item(self, node: ast.With | ast.AsyncWith, number: int) -> tuple[Point, Point]:
        item, text = node.items[number], self._text
        before = text.start(node)
        if number:
            previous = node.items[number - 1]
            before = text.end(previous.optional_vars or previous.context_expr)
        start = text.start(item.context_expr)
        if item.optional_vars is None:
            opened = text.opened(before, start)
            return opened[0] if opened else start, text.closed(text.end(item.context_expr), len(opened))
        opened = text.opened(before, start)
        closing = text.closed(text.end(item.context_expr), len(opened))
        return opened[0] if opened and closing < text.start(item.optional_vars) else start, self._end(
            closing, item.optional_vars
        )

    def _bounds_of_clause(self, node: Comprehension, number: int) -> tuple[Point, Point]:
        """From `for` to the end of the comprehension's last clause."""
        text, clause = self._text, node.generators[number]
        if number:
            earlier = node.generators[number - 1]
            before = text.end((earlier.iter, *earlier.ifs)[-1])
        else:
            before = text.end(node.value if isinstance(node, ast.DictComp) else node.elt)
        last = node.generators[-1]
        parts = (last.target, last.iter, *last.ifs)
        end = self._end(text.end(parts[-2]), parts[-1])
        return text.keyword(_FOR, before, text.start(clause.target)), end

    def _end(self, before: Point, node: ast.expr) -> Point:
        """Where an expression ends, with the parentheses around it that open behind `before`."""
        text = self._text
        return text.closed(text.end(node), len(text.opened(before, text.start(node))))

    # Texts

    def iterable_text(self, site: Site) -> str:
        """The source of what a `for` statement or a comprehension's clause iterates, on one line."""
        loop = _loop_at(site)
        return self._enclosed(self._text.end(loop.target), loop.iter) if loop is not None else ""

    def _enclosed(self, before: Point, node: ast.expr, *, of_others: int = 0) -> str:
        """The source on one line, with the parentheses around it that open behind `before`, but for the first ones."""
        text = self._text
        opened = text.opened(before, text.start(node))[of_others:]
        start = opened[0] if opened else text.start(node)
        return " ".join(text.between(start, text.closed(text.end(node), len(opened))).split())

    def subject_text(self, site: Site) -> str:
        """The source of what a place calls, awaits, enters or walks, on one line and without arguments."""
        before, node = self._inner(site)
        if node is None:
            return "None"
        while isinstance(node, (ast.Await, ast.Lambda, ast.Call)):
            before, inner = self._inner(node)
            assert inner is not None
            node = inner
        text = self._enclosed(before, node)
        return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}..."

    def _inner(self, site: Site) -> tuple[Point, ast.expr | None]:
        """The part of a place that says what it is about, and where what stands before that begins."""
        text = self._text
        if isinstance(site, Part) and isinstance(site.node, (ast.With, ast.AsyncWith)):
            return text.start(site.node), site.node.items[site.number].context_expr
        if (loop := _loop_at(site)) is not None:
            return text.end(loop.target), loop.iter
        if isinstance(site, (ast.Await, ast.Return)):
            return text.start(site), site.value
        if isinstance(site, ast.Lambda):
            return text.start(site), site.body
        if isinstance(site, ast.Call):
            return text.start(site), site.func
        assert isinstance(site, ast.expr)
        return text.start(site), site

    def first_argument_text(self, site: Site) -> str:
        """The source of what a call is given first, or of the call when it is given nothing."""
        if not isinstance(site, ast.Call) or not (site.args or site.keywords):
            return self.subject_text(site)
        argument = site.args[0] if site.args else site.keywords[0].value
        return self.subject_text(argument.value if isinstance(argument, ast.Starred) else argument)


def _loop_at(site: Site) -> ast.For | ast.AsyncFor | ast.comprehension | None:
    if isinstance(site, Part):
        return site.node.generators[site.number] if isinstance(site.node, COMPREHENSIONS) else None
    return site if isinstance(site, (ast.For, ast.AsyncFor)) else None


def lower_definition(lines: tuple[str, ...], node: ast.FunctionDef | ast.AsyncFunctionDef) -> Slice:
    """Lower a definition.

    Args:
        lines: The file's lines with their ends.

    Raises:
        RecursionError: The definition is nested too deeply for the room that the stack has left.
    """
    text = Text(lines)
    return Slice(text, lower_function(node, None, node.lineno, TABLES, text))


def empty_slice(name: str, line: int) -> Slice:
    """What stands for a definition that could not be lowered: a function that does nothing."""
    body = FunctionBody(name, Kind.SYNC, (), line, None, ())
    body.blocks.append(Block(0))
    return Slice(Text(()), body)
