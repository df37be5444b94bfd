"""The lowering of one function: its builder, and the tables of node types."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from lane_lint.lowering.builder import GraphBuilder
from lane_lint.model.graph import FunctionBody, Kind, Parameter
from lane_lint.model.instructions import Combine, EndStatement, Return

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lane_lint.model.instructions import Temp


class Lowerer(GraphBuilder):
    """Walks one function's statements and expressions, by tables from node type to function."""

    def __init__(self, body: FunctionBody) -> None:
        super().__init__(body)
        self.yields = False
        self.lookups: list[cst.BaseExpression] | None = None
        self.last_call: tuple[cst.Call, tuple[Temp, ...]] | None = None

    def expression(self, node: cst.BaseExpression) -> Temp:
        """Emit what evaluating `node` does; its value is in the temporary returned."""
        from lane_lint.lowering.expressions import EXPRESSIONS

        lower = EXPRESSIONS.get(type(node))
        return lower(self, node) if lower else self.unknown()

    def statements(self, nodes: Sequence[cst.BaseStatement | cst.BaseSmallStatement]) -> None:
        from lane_lint.lowering.statements import STATEMENTS

        for node in nodes:
            if isinstance(node, cst.SimpleStatementLine):
                self.statements(node.body)
                self.emit(EndStatement())
            elif lower := STATEMENTS.get(type(node)):
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


def lower_function(node: cst.FunctionDef, parent: FunctionBody | None, line: int) -> FunctionBody:
    """Lower a definition and what is nested in it.

    Args:
        line: The line of the definition's `def`, 1-based.
    """
    body = FunctionBody(
        name=node.name.value,
        kind=Kind.SYNC,
        parameters=tuple(_parameters(node.params)),
        line=line,
        parent=parent,
        decorators=tuple(filter(None, (dotted_name(d.decorator) for d in node.decorators))),
    )
    lowerer = Lowerer(body)
    body.bound.update(p.name for p in body.parameters)
    lowerer.suite(node.body)
    lowerer.emit(Return(None, lowerer.place(node)))
    body.kind = _kind(is_async=node.asynchronous is not None, yields=lowerer.yields)
    return body


def lower_lambda(node: cst.Lambda, parent: FunctionBody) -> FunctionBody:
    """Lower a lambda as a function that returns its expression."""
    body = FunctionBody(
        name="<lambda>",
        kind=Kind.SYNC,
        parameters=tuple(_parameters(node.params)),
        line=parent.line,
        parent=parent,
        decorators=(),
    )
    lowerer = Lowerer(body)
    body.bound.update(p.name for p in body.parameters)
    result = lowerer.expression(node.body)
    lowerer.emit(Return(result, lowerer.place(node)))
    return body


def _kind(*, is_async: bool, yields: bool) -> Kind:
    if is_async:
        return Kind.ASYNC_GENERATOR if yields else Kind.ASYNC
    return Kind.GENERATOR if yields else Kind.SYNC


def _parameters(parameters: cst.Parameters) -> list[Parameter]:
    found = [*parameters.posonly_params, *parameters.params]
    if isinstance(parameters.star_arg, cst.Param):
        found.append(parameters.star_arg)
    found.extend(parameters.kwonly_params)
    if parameters.star_kwarg is not None:
        found.append(parameters.star_kwarg)
    return [Parameter(p.name.value, _annotation(p.annotation)) for p in found]


def _annotation(node: cst.Annotation | None) -> str | None:
    if node is None:
        return None
    inner: cst.BaseExpression = node.annotation
    if isinstance(inner, cst.SimpleString):
        return inner.value.strip("\"'")
    return dotted_name(inner)


def dotted_name(node: cst.BaseExpression) -> str | None:
    """`a.b.c` for names and attributes, the callee of a call, the container of a subscript; else None."""
    if isinstance(node, (cst.Call, cst.Subscript)):
        return dotted_name(node.func if isinstance(node, cst.Call) else node.value)
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute):
        base = dotted_name(node.value)
        return f"{base}.{node.attr.value}" if base else None
    return None
