"""Lowering of whole functions: definitions, lambdas, and those nested in others."""

from __future__ import annotations

import libcst as cst

from lane_lint.lowering.lowerer import Lowerer, Tables
from lane_lint.lowering.spelling import annotation_name, dotted_name, identifier
from lane_lint.model.graph import FunctionBody, Kind, Parameter
from lane_lint.model.instructions import BindName, EndFunction, MakeFunction, Return, Temp


def lower_function(
    node: cst.FunctionDef, parent: FunctionBody | None, line: int, tables: Tables
) -> FunctionBody:
    """Lower a definition and what is nested in it.

    Args:
        line: The line of the definition's `def`, 1-based.
    """
    body = FunctionBody(
        name=identifier(node.name),
        kind=Kind.SYNC,
        parameters=tuple(_parameters(node.params)),
        line=line,
        parent=parent,
        decorators=tuple(filter(None, (dotted_name(d.decorator) for d in node.decorators))),
    )
    lowerer = Lowerer(body, tables)
    body.bound.update(p.name for p in body.parameters)
    lowerer.suite(node.body)
    lowerer.emit(Return(None, lowerer.place(node)))
    lowerer.emit(EndFunction())
    body.kind = _kind(is_async=node.asynchronous is not None, yields=lowerer.yields)
    return body


def lower_lambda(low: Lowerer, node: cst.Lambda) -> Temp:
    """Lower a lambda as a nested function that returns its expression."""
    body = FunctionBody(
        name="<lambda>",
        kind=Kind.SYNC,
        parameters=tuple(_parameters(node.params)),
        line=low.body.line,
        parent=low.body,
        decorators=(),
    )
    inner = Lowerer(body, low.tables)
    body.bound.update(p.name for p in body.parameters)
    value = inner.expression(node.body)
    inner.emit(Return(value, inner.place(node)))
    return _made(low, body, node)


def lower_nested_function(low: Lowerer, node: cst.FunctionDef) -> None:
    """Bind a definition to its name; its decorators are evaluated but not applied."""
    for decorator in node.decorators:
        low.expression(decorator.decorator)
    result = _made(low, lower_function(node, low.body, low.body.line, low.tables), node)
    low.body.bound.add(identifier(node.name))
    low.emit(BindName(identifier(node.name), result, low.place(node)))


def _made(low: Lowerer, body: FunctionBody, node: cst.CSTNode) -> Temp:
    low.body.nested.append(body)
    result = low.temp()
    low.emit(MakeFunction(result, len(low.body.nested) - 1, low.place(node)))
    return result


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
    return [Parameter(identifier(p.name), annotation_name(p.annotation)) for p in found]
