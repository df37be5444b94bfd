"""Slices: the lines of one definition, parsed by libcst alone, and positions inside them.

libcst takes about ten times as long as `ast` for a line, so only the definitions that can hold a
finding are given to it, and positions are computed only for a slice that has one.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import cast

import libcst as cst
from libcst.metadata import CodeRange, PositionProvider

from lane_lint.finding import Span
from lane_lint.lowering.expressions import EXPRESSIONS
from lane_lint.lowering.functions import lower_function
from lane_lint.lowering.lowerer import Tables
from lane_lint.lowering.spelling import identifier
from lane_lint.lowering.statements import STATEMENTS
from lane_lint.model.graph import Block, FunctionBody, Kind

WRAPPER = "class _:\n"
# Python counts indentation from the last form feed on; libcst refuses one before code.
_FORM_FEEDS = re.compile(r"[ \t\f]*\f")
_REFUSED_AT = re.compile(r"error at (\d+):")
MAX_TEXT = 60
TABLES = Tables(EXPRESSIONS, STATEMENTS)


class SliceError(Exception):
    """A definition that libcst cannot parse; the text says why."""


class Slice:
    """A definition's own module: its tree, lowered body, and positions on demand.

    Args:
        offset: How many lines of the file stand before the first one of the module.
        cut: Line of the file -> how many characters the module lacks at its start.
    """

    def __init__(self, module: cst.Module, body: FunctionBody, offset: int, cut: Mapping[int, int]) -> None:
        self.body = body
        self._module = module
        self._offset = offset
        self._cut = cut
        self._positions: Mapping[cst.CSTNode, CodeRange] | None = None

    def span(self, node: cst.CSTNode) -> Span:
        """Where a node stands in the file. Lines 1-based, columns 0-based in characters."""
        if self._positions is None:
            self._positions = _Positions().of(self._module)
        place = self._positions[node]
        line, column = start_of_code(self._module, node, place.start.line, place.start.column)
        first, last = line + self._offset, place.end.line + self._offset
        return Span(
            first,
            column + self._cut.get(first, 0),
            last,
            place.end.column + self._cut.get(last, 0),
        )

    def iterable_text(self, node: cst.CSTNode) -> str:
        """The source of what a `for` statement or a comprehension's clause iterates, on one line."""
        if isinstance(node, (cst.For, cst.CompFor)):
            return " ".join(self._module.code_for_node(node.iter).split())
        return ""

    def subject_text(self, node: cst.CSTNode) -> str:
        """The source of what a place calls, awaits, enters or walks, on one line and without arguments."""
        while isinstance(
            node, (cst.Await, cst.WithItem, cst.For, cst.CompFor, cst.Return, cst.Lambda, cst.Call)
        ):
            node = _inner(node)
        text = " ".join(self._module.code_for_node(node).split())
        return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}..."

    def first_argument_text(self, node: cst.CSTNode) -> str:
        """The source of what a call is given first, or of the call when it is given nothing."""
        arguments = node.args if isinstance(node, cst.Call) else ()
        return self.subject_text(arguments[0].value if arguments else node)


def start_of_code(module: cst.Module, node: cst.CSTNode, line: int, column: int) -> tuple[int, int]:
    """Where a node begins behind the white space that libcst counts to it."""
    if isinstance(node, cst.CompFor):
        space = node.whitespace_before
    elif isinstance(node, cst.ComparisonTarget):
        space = node.operator.whitespace_before  # type: ignore[attr-defined]  # each operator has it
    else:
        return line, column
    before, end, behind = module.code_for_node(space).rpartition("\n")
    return (line + before.count("\n") + 1, len(behind)) if end else (line, column + len(behind))


def _inner(node: cst.CSTNode) -> cst.CSTNode:
    """The part of a node that says what it is about."""
    if isinstance(node, cst.Await):
        return node.expression
    if isinstance(node, cst.WithItem):
        return node.item
    if isinstance(node, (cst.For, cst.CompFor)):
        return node.iter
    if isinstance(node, cst.Return):
        return node.value or cst.Name("None")
    if isinstance(node, cst.Lambda):
        return node.body
    return node.func if isinstance(node, cst.Call) else node


class _Positions(PositionProvider):
    """libcst's own positions, from writing the tree once; a `MetadataWrapper` would walk it twice more."""

    def of(self, module: cst.Module) -> Mapping[cst.CSTNode, CodeRange]:
        self._gen_impl(module)
        return cast("Mapping[cst.CSTNode, CodeRange]", self._computed)  # none of them is lazy


def lower_definition(lines: tuple[str, ...], node: ast.FunctionDef | ast.AsyncFunctionDef) -> Slice:
    """Parse and lower the definition that `node` outlines.

    Args:
        lines: The file's lines with their ends.

    Raises:
        SliceError: libcst refuses the text.
        RecursionError: The definition is nested too deeply for the room that the stack has left.
    """
    first = _first_line(lines, node)
    text, cut = _without_form_feeds(lines[first - 1 : node.end_lineno], first)
    indented = text[:1] in " \t"
    try:
        module = cst.parse_module(WRAPPER + text if indented else text)
    except cst.ParserSyntaxError as error:
        raise SliceError(_refusal(error, first - indented)) from error
    definition = _definition(module, node.name, is_wrapped=indented)
    body = lower_function(definition, None, node.lineno, TABLES)
    return Slice(module, body, first - 1 - indented, cut)


def _refusal(error: cst.ParserSyntaxError, first: int) -> str:
    """Why a text was refused that begins on line `first` of the file; libcst's own line is one too high."""
    place = _REFUSED_AT.search(error.message)
    where = f"line {int(place[1]) + first - 1}: " if place else ""
    return f"{where}libcst cannot parse it"


def _first_line(lines: tuple[str, ...], node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The line of the first decorator's `@`, which may stand above its expression, or of the `def`."""
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    if node.decorator_list:
        while first > 1 and not lines[first - 1].lstrip().startswith("@"):
            first -= 1
    return first


def _without_form_feeds(lines: tuple[str, ...], first: int) -> tuple[str, dict[int, int]]:
    """The lines' text from their last leading form feed on, and how much was cut from which line."""
    text = "".join(lines)
    if "\f" not in text:
        return text, {}
    cut = {
        number: match.end() for number, line in enumerate(lines, first) if (match := _FORM_FEEDS.match(line))
    }
    return "".join(line[cut.get(number, 0) :] for number, line in enumerate(lines, first)), cut


def empty_slice(name: str, line: int) -> Slice:
    """What stands for a definition that could not be parsed: a function that does nothing."""
    body = FunctionBody(name, Kind.SYNC, (), line, None, ())
    body.blocks.append(Block(0))
    return Slice(cst.Module([]), body, line, {})


def _definition(module: cst.Module, name: str, *, is_wrapped: bool) -> cst.FunctionDef:
    statements = module.body
    if is_wrapped and isinstance(statements[0], cst.ClassDef):
        statements = statements[0].body.body  # type: ignore[assignment]  # an IndentedBlock's statements
    for statement in statements:
        if isinstance(statement, cst.FunctionDef) and identifier(statement.name) == name:
            return statement
    raise SliceError(f"the lines of {name!r} do not hold its definition alone")
