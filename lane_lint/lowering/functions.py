"""Lowering of whole functions: definitions, lambdas, and those nested in others."""

from __future__ import annotations

import ast

from lane_lint.lowering.lowerer import Lowerer, Tables
from lane_lint.lowering.spelling import annotation_name, dotted_name
from lane_lint.lowering.text import Text
from lane_lint.model.graph import FunctionBody, Kind, Parameter
from lane_lint.model.instructions import BindName, EndFunction, MakeFunction, Return, Temp


def lower_function(
    node: ast.FunctionDef | ast.AsyncFunctionDef,
    parent: FunctionBody | None,
    line: int,
    tables: Tables,
    text: Text,
) -> FunctionBody:
    """Lower a definition and what is nested in it.

    Args:
        line: The line of the definition's `def`, 1-based.
    """
    body = FunctionBody(
        name=node.name,
        kind=Kind.SYNC,
        parameters=tuple(_parameters(node.args)),
        line=line,
        parent=parent,
        decorators=tuple(filter(None, map(dotted_name, node.decorator_list))),
    )
    lowerer = Lowerer(body, tables, text)
    body.bound.update(p.name for p in body.parameters)
    lowerer.suite(node.body)
    lowerer.emit(Return(None, lowerer.place(node)))
    lowerer.emit(EndFunction())
    body.kind = _kind(is_async=isinstance(node, ast.AsyncFunctionDef), yields=lowerer.yields)
    return body


def lower_lambda(low: Lowerer, node: ast.Lambda) -> Temp:
    """Lower a lambda as a nested function that returns its expression."""
    body = FunctionBody(
        name="<lambda>",
        kind=Kind.SYNC,
        parameters=tuple(_parameters(node.args)),
        line=low.body.line,
        parent=low.body,
        decorators=(),
    )
    inner = Lowerer(body, low.tables, low.text)
    body.bound.update(p.name for p in body.parameters)
    value = inner.expression(node.body)
    inner.emit(Return(value, inner.place(node)))
    return _made(low, body, node)


def lower_nested_function(low: Lowerer, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    """Bind a definition to its name; its decorators are evaluated but not applied."""
    for decorator in node.decorator_list:
        low.expression(decorator)
    result = _made(low, lower_function(node, low.body, low.body.line, low.tables, low.text), node)
    low.body.bound.add(node.name)
    low.emit(BindName(node.name, result, low.place(node)))


def _made(
    low: Lowerer, body: FunctionBody, node: ast.Lambda | ast.FunctionDef | ast.AsyncFunctionDef
) -> Temp:
    low.body.nested.append(body)
    result = low.temp()
    low.emit(MakeFunction(result, len(low.body.nested) - 1, low.place(node)))
    return result


def _kind(*, is_async: bool, yields: bool) -> Kind:
    if is_async:
        return Kind.ASYNC_GENERATOR if yields else Kind.ASYNC
    return Kind.GENERATOR if yields else Kind.SYNC


def _parameters(given: ast.arguments) -> list[Parameter]:
    found = [*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg]
    return [Parameter(p.arg, annotation_name(p.annotation)) for p in found if p is not None]
