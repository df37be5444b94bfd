"""Lowering of simple statements, and the table of all."""

from __future__ import annotations

import ast

from lane_lint.lowering.branching import lower_assert, lower_if
from lane_lint.lowering.entering import lower_with
from lane_lint.lowering.functions import lower_nested_function
from lane_lint.lowering.looping import lower_break, lower_continue, lower_for, lower_while
from lane_lint.lowering.lowerer import Lowerer, StatementTable
from lane_lint.lowering.matching import lower_match
from lane_lint.lowering.targets import assign, augment, bind, delete
from lane_lint.lowering.trying import lower_try
from lane_lint.model.instructions import BindName, Return


def _lower_expression_statement(low: Lowerer, node: ast.Expr) -> None:
    low.expression(node.value)


def _lower_assign(low: Lowerer, node: ast.Assign) -> None:
    assign(low, node.targets, node.value)


def _lower_annotated(low: Lowerer, node: ast.AnnAssign) -> None:
    if node.value is not None:
        bind(low, node.target, low.expression(node.value))


def _lower_augmented(low: Lowerer, node: ast.AugAssign) -> None:
    augment(low, node.target, node.value)


def _lower_delete(low: Lowerer, node: ast.Delete) -> None:
    for target in node.targets:
        delete(low, target)


def _lower_return(low: Lowerer, node: ast.Return) -> None:
    value = low.expression(node.value) if node.value is not None else None
    low.emit(Return(value, low.place(node)))
    low.exit_function()


def _lower_raise(low: Lowerer, node: ast.Raise) -> None:
    for part in (node.exc, node.cause):
        if part is not None:
            low.expression(part)
    low.leave()


def _lower_global(low: Lowerer, node: ast.Global) -> None:
    low.body.declared_global.update(node.names)


def _lower_nonlocal(low: Lowerer, node: ast.Nonlocal) -> None:
    low.body.declared_nonlocal.update(node.names)


def _lower_nested_class(low: Lowerer, node: ast.ClassDef) -> None:
    low.body.bound.add(node.name)
    low.emit(BindName(node.name, low.unknown(), low.place(node)))


def _lower_import(low: Lowerer, node: ast.Import | ast.ImportFrom) -> None:
    low.body.bound.update(alias.asname or alias.name.partition(".")[0] for alias in node.names)


STATEMENTS: StatementTable = {
    ast.Expr: _lower_expression_statement,
    ast.Assign: _lower_assign,
    ast.AnnAssign: _lower_annotated,
    ast.AugAssign: _lower_augmented,
    ast.Delete: _lower_delete,
    ast.Return: _lower_return,
    ast.Raise: _lower_raise,
    ast.Assert: lower_assert,
    ast.Break: lower_break,
    ast.Continue: lower_continue,
    ast.Global: _lower_global,
    ast.Nonlocal: _lower_nonlocal,
    ast.If: lower_if,
    ast.While: lower_while,
    ast.For: lower_for,
    ast.AsyncFor: lower_for,
    ast.With: lower_with,
    ast.AsyncWith: lower_with,
    ast.Try: lower_try,
    ast.TryStar: lower_try,
    ast.Match: lower_match,
    ast.FunctionDef: lower_nested_function,
    ast.AsyncFunctionDef: lower_nested_function,
    ast.ClassDef: _lower_nested_class,
    ast.Import: _lower_import,
    ast.ImportFrom: _lower_import,
}
