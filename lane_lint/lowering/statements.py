"""Lowering of simple statements, and the table of all."""

from __future__ import annotations

import libcst as cst

from lane_lint.lowering.branching import lower_assert, lower_if
from lane_lint.lowering.entering import lower_with
from lane_lint.lowering.functions import lower_nested_function
from lane_lint.lowering.looping import lower_break, lower_continue, lower_for, lower_while
from lane_lint.lowering.lowerer import Lowerer, StatementTable
from lane_lint.lowering.matching import lower_match
from lane_lint.lowering.spelling import identifier, normalised
from lane_lint.lowering.targets import assign, augment, bind, delete
from lane_lint.lowering.trying import lower_try
from lane_lint.model.instructions import BindName, Return


def _lower_expression_statement(low: Lowerer, node: cst.Expr) -> None:
    low.expression(node.value)


def _lower_assign(low: Lowerer, node: cst.Assign) -> None:
    assign(low, [target.target for target in node.targets], node.value)


def _lower_annotated(low: Lowerer, node: cst.AnnAssign) -> None:
    if node.value is not None:
        bind(low, node.target, low.expression(node.value))


def _lower_augmented(low: Lowerer, node: cst.AugAssign) -> None:
    augment(low, node.target, node.value)


def _lower_delete(low: Lowerer, node: cst.Del) -> None:
    delete(low, node.target)


def _lower_return(low: Lowerer, node: cst.Return) -> None:
    value = low.expression(node.value) if node.value is not None else None
    low.emit(Return(value, low.place(node)))
    low.exit_function()


def _lower_raise(low: Lowerer, node: cst.Raise) -> None:
    for part in (node.exc, node.cause.item if node.cause else None):
        if part is not None:
            low.expression(part)
    low.leave()


def _lower_global(low: Lowerer, node: cst.Global) -> None:
    low.body.declared_global.update(identifier(item.name) for item in node.names)


def _lower_nonlocal(low: Lowerer, node: cst.Nonlocal) -> None:
    low.body.declared_nonlocal.update(identifier(item.name) for item in node.names)


def _lower_nested_class(low: Lowerer, node: cst.ClassDef) -> None:
    low.body.bound.add(identifier(node.name))
    low.emit(BindName(identifier(node.name), low.unknown(), low.place(node)))


def _lower_import(low: Lowerer, node: cst.Import | cst.ImportFrom) -> None:
    if isinstance(node.names, cst.ImportStar):
        return
    for alias in node.names:
        name = normalised(alias.evaluated_alias or alias.evaluated_name.partition(".")[0])
        low.body.bound.add(name)


STATEMENTS: StatementTable = {
    cst.Expr: _lower_expression_statement,
    cst.Assign: _lower_assign,
    cst.AnnAssign: _lower_annotated,
    cst.AugAssign: _lower_augmented,
    cst.Del: _lower_delete,
    cst.Return: _lower_return,
    cst.Raise: _lower_raise,
    cst.Assert: lower_assert,
    cst.Break: lower_break,
    cst.Continue: lower_continue,
    cst.Global: _lower_global,
    cst.Nonlocal: _lower_nonlocal,
    cst.If: lower_if,
    cst.While: lower_while,
    cst.For: lower_for,
    cst.With: lower_with,
    cst.Try: lower_try,
    cst.TryStar: lower_try,
    cst.Match: lower_match,
    cst.FunctionDef: lower_nested_function,
    cst.ClassDef: _lower_nested_class,
    cst.Import: _lower_import,
    cst.ImportFrom: _lower_import,
}
