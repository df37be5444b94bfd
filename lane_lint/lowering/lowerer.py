"""What lowers one function: its builder, and the tables from node types to functions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from lane_lint.lowering.builder import GraphBuilder
from lane_lint.model.instructions import Combine, EndStatement

if TYPE_CHECKING:
    from lane_lint.lowering.text import Text
    from lane_lint.model.graph import FunctionBody
    from lane_lint.model.instructions import Temp

ExpressionTable: TypeAlias = "Mapping[type[ast.AST], Callable[[Lowerer, Any], Temp]]"
StatementTable: TypeAlias = "Mapping[type[ast.AST], Callable[[Lowerer, Any], None]]"


COMPOUND = frozenset(
    {ast.If, ast.While, ast.For, ast.AsyncFor, ast.With, ast.AsyncWith, ast.Try, ast.TryStar}
    | {ast.Match, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef}
)


class Tables(NamedTuple):
    """What lowers each type of node. They are handed in, for what they lead to makes lowerers again."""

    expressions: ExpressionTable
    statements: StatementTable


class Lowerer(GraphBuilder):
    """Walks one function's statements and expressions, by tables from node type to function."""

    def __init__(self, body: FunctionBody, tables: Tables, text: Text) -> None:
        super().__init__(body)
        self.tables = tables
        self.text = text
        self.yields = False
        self.lookups: list[ast.expr] | None = None
        self.last_call: tuple[ast.Call, tuple[Temp, ...]] | None = None
        # Variable that holds the outcome of a test -> what `presence` says of that test.
        self.outcomes: dict[str, bool | None] = {}

    def expression(self, node: ast.expr) -> Temp:
        """Emit what evaluating `node` does; its value is in the temporary returned."""
        lower = self.tables.expressions.get(type(node))
        return lower(self, node) if lower else self.unknown()

    def suite(self, nodes: Sequence[ast.stmt]) -> None:
        """Emit what running the statements does, one after the other."""
        for node in nodes:
            if lower := self.tables.statements.get(type(node)):
                lower(self, node)
            if type(node) not in COMPOUND:
                self.emit(EndStatement())

    def stable_text(self, node: ast.expr) -> str | None:
        """The source of a name, a constant, a dotted name or a tuple of such; else None."""
        if isinstance(node, ast.Name):
            return node.id
        if isinstance(node, ast.Constant):
            return None if isinstance(node.value, float) else self.text.of_constant(node)
        if isinstance(node, ast.Attribute):
            base = self.stable_text(node.value)
            return f"{base}.{node.attr}" if base else None
        if isinstance(node, ast.Tuple):
            texts = [self.stable_text(element) for element in node.elts]
            return ", ".join(text or "" for text in texts) if all(texts) else None
        return None

    def subscript_key(self, node: ast.Subscript) -> str | None:
        """The text of the key when it names the same entry each time it is evaluated, else None."""
        return self.stable_text(node.slice)

    def given_to(self, node: ast.expr) -> tuple[Temp, ...]:
        """The arguments of the call that has just been lowered, if `node` is that call."""
        if self.last_call is None or self.last_call[0] is not node:
            return ()
        return self.last_call[1]

    def unknown(self) -> Temp:
        """A value that nothing is known of."""
        return self.combine((), fresh=False)

    def combine(self, sources: tuple[Temp, ...], *, fresh: bool) -> Temp:
        result = self.temp()
        self.emit(Combine(result, sources, fresh))
        return result
