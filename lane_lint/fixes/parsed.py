"""A module as fixers see it: libcst nodes with their exact places, and the `ast` for questions about names."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from functools import cached_property
from typing import TypeVar

import libcst as cst
from libcst.metadata import (
    CodeRange,
    MetadataWrapper,
    ParentNodeProvider,
    PositionProvider,
    WhitespaceInclusivePositionProvider,
)

from lane_lint.finding import Span
from lane_lint.fixes.fixer import NotSafeError
from lane_lint.fixes.names import ModuleNames
from lane_lint.source import Source

Node = TypeVar("Node", bound=cst.CSTNode)
Other = TypeVar("Other", bound=cst.CSTNode)


class ParsedModule:
    """The text of one module and what stands where in it.

    Raises:
        NotSafeError: libcst does not read the text, though Python does.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        try:
            wrapper = MetadataWrapper(cst.parse_module(source.text), unsafe_skip_copy=True)
            self._spans = wrapper.resolve(PositionProvider)
            self._whole_spans = wrapper.resolve(WhitespaceInclusivePositionProvider)
            self._parents = wrapper.resolve(ParentNodeProvider)
        except (cst.ParserSyntaxError, RecursionError, MemoryError):
            raise NotSafeError("libcst cannot read this file") from None
        self.root = wrapper.module

    @cached_property
    def names(self) -> ModuleNames:
        """What the module's names are bound to and where they are mentioned."""
        return ModuleNames(self.source)

    @cached_property
    def tree(self) -> ast.Module:
        """The module's `ast`."""
        return self.names.tree

    def nodes(self, kind: type[Node]) -> Iterator[Node]:
        """Every node of a kind."""
        return (node for node in self._spans if isinstance(node, kind))

    def node_at(self, span: Span, kind: type[Node], other: type[Other] | None = None) -> Node | Other:
        """The node of one of these kinds that takes exactly this place.

        Raises:
            NotSafeError: There is none.
        """
        for node, place in self._spans.items():
            if (place.end.line, place.end.column) == (span.end_line, span.end_column):
                start = _start_of_code(self.root, node, place.start.line, place.start.column)
                if start != (span.line, span.column):
                    continue
                if isinstance(node, kind):
                    return node
                if other is not None and isinstance(node, other):
                    return node
        raise NotSafeError("the code there has another form than the one that is known to be safe to change")

    def span(self, node: cst.CSTNode) -> Span:
        """Where a node stands, without parentheses around it."""
        return _span(self._spans[node])

    def outer_span(self, node: cst.CSTNode) -> Span:
        """Where a node stands with the parentheses around it."""
        return _span(self._whole_spans[node])

    def parent(self, node: cst.CSTNode) -> cst.CSTNode:
        """What a node is a part of."""
        return self._parents[node]

    def ancestors(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """What a node is a part of, from the inside out."""
        while node in self._parents:
            node = self._parents[node]
            yield node

    def indent_of(self, line: int) -> str:
        """The white space that a line begins with."""
        text = self.source.lines[line - 1]
        # A form feed makes Python count from the left edge anew.
        return text[: len(text) - len(text.lstrip(" \t\f"))].rpartition("\f")[2]

    def is_alone(self, statement: cst.CSTNode) -> bool:
        """Whether a small statement is all that its line has, but for a comment."""
        line = self.parent(statement)
        return isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1

    def code(self, node: cst.CSTNode) -> str:
        """The text of a node."""
        return self.root.code_for_node(node)

    def syntax(self, node: cst.BaseExpression) -> ast.expr:
        """The `ast` of an expression."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes in the code that is read
            return ast.parse(f"({self.code(node)}\n)", mode="eval").body


def _span(place: CodeRange) -> Span:
    return Span(place.start.line, place.start.column, place.end.line, place.end.column)


def _start_of_code(module: cst.Module, node: cst.CSTNode, line: int, column: int) -> tuple[int, int]:
    """Where a node begins behind the white space that libcst counts to it."""
    if isinstance(node, cst.CompFor):
        space = node.whitespace_before
    elif isinstance(node, cst.ComparisonTarget):
        space = node.operator.whitespace_before  # type: ignore[attr-defined]  # each operator has it
    else:
        return line, column
    before, end, behind = module.code_for_node(space).rpartition("\n")
    return (line + before.count("\n") + 1, len(behind)) if end else (line, column + len(behind))
