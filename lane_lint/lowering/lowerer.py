"""What lowers one function: its builder, and the tables from node types to functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import libcst as cst

from lane_lint.lowering.builder import GraphBuilder
from lane_lint.model.instructions import Combine, EndStatement

if TYPE_CHECKING:
    from lane_lint.model.graph import FunctionBody
    from lane_lint.model.instructions import Temp

ExpressionTable: TypeAlias = "Mapping[type[cst.CSTNode], Callable[[Lowerer, Any], Temp]]"
StatementTable: TypeAlias = "Mapping[type[cst.CSTNode], Callable[[Lowerer, Any], None]]"


class Tables(NamedTuple):
    """What lowers each type of node. They are handed in, for what they lead to makes lowerers again."""

    expressions: ExpressionTable
    statements: StatementTable


class Lowerer(GraphBuilder):
    """Walks one function's statements and expressions, by tables from node type to function."""

    def __init__(self, body: FunctionBody, tables: Tables) -> None:
        super().__init__(body)
        self.tables = tables
        self.yields = False
        self.lookups: list[cst.BaseExpression] | None = None
        self.last_call: tuple[cst.Call, tuple[Temp, ...]] | None = None
        # Variable that holds the outcome of a test -> what `presence` says of that test.
        self.outcomes: dict[str, bool | None] = {}

    def expression(self, node: cst.BaseExpression) -> Temp:
        """Emit what evaluating `node` does; its value is in the temporary returned."""
        lower = self.tables.expressions.get(type(node))
        return lower(self, node) if lower else self.unknown()

    def statements(self, nodes: Sequence[cst.BaseStatement | cst.BaseSmallStatement]) -> None:
        """Emit what running the statements does, one after the other."""
        for node in nodes:
            if isinstance(node, cst.SimpleStatementLine):
                self.statements(node.body)
                self.emit(EndStatement())
            elif lower := self.tables.statements.get(type(node)):
                lower(self, node)

    def suite(self, node: cst.BaseSuite) -> None:
        """The body of a compound statement."""
        self.statements(node.body)

    def given_to(self, node: cst.BaseExpression) -> tuple[Temp, ...]:
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
