"""Mutators that say the same decision in another way."""

from __future__ import annotations

import libcst as cst
import libcst.matchers as m
from mutating import FunctionBodies, Statement, block, leaves, only_small_statement, transformed


def negated(test: cst.BaseExpression) -> cst.BaseExpression:
    """The opposite of a test, without a second `not`."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return test.expression
    if not isinstance(test, cst.Name | cst.Attribute | cst.Call) and not test.lpar:
        test = test.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return cst.UnaryOperation(operator=cst.Not(), expression=test)


def _with_space(node: cst.If) -> cst.If:
    """`if(a)` is an `if` too, but not after the parentheses went."""
    return node.with_changes(whitespace_before_test=cst.SimpleWhitespace(" "))


class _ElseAfterLeaving(FunctionBodies):
    def rewritten(self, statements: list[Statement]) -> list[Statement]:
        for at in range(len(statements) - 2, -1, -1):
            statement = statements[at]
            if m.matches(statement, m.If(orelse=None, body=m.IndentedBlock())) and leaves(
                statement.body.body[-1]
            ):
                rest = cst.Else(body=block(statements[at + 1 :]))
                statements = [*statements[:at], statement.with_changes(orelse=rest)]
        return statements


def else_instead_of_early_exit(text: str) -> str | None:
    return transformed(text, _ElseAfterLeaving(), needs="if ")


class _Inverted(cst.CSTTransformer):
    """`if done: return` and a rest become `if not done: rest`, where falling off the end is the same exit."""

    def leave_FunctionDef(self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef) -> Statement:
        return self._inverted(updated_node, m.Return(value=None))

    def leave_For(self, original_node: cst.For, updated_node: cst.For) -> Statement:
        return self._inverted(updated_node, m.Continue())

    def leave_While(self, original_node: cst.While, updated_node: cst.While) -> Statement:
        return self._inverted(updated_node, m.Continue())

    def _inverted(self, node: Statement, leaving: m.BaseMatcherNode) -> Statement:
        if not isinstance(node.body, cst.IndentedBlock):
            return node
        statements = list(node.body.body)
        for at in range(len(statements) - 2, -1, -1):
            each = statements[at]
            if not isinstance(each, cst.If) or each.orelse or not isinstance(each.body, cst.IndentedBlock):
                continue
            small = only_small_statement(each.body.body[0])
            if len(each.body.body) == 1 and small is not None and m.matches(small, leaving):
                rest = each.body.with_changes(body=statements[at + 1 :])
                inverted = _with_space(each).with_changes(test=negated(each.test), body=rest)
                statements = [*statements[:at], inverted]
        return node.with_changes(body=node.body.with_changes(body=statements))


def inverted_early_exit(text: str) -> str | None:
    return transformed(text, _Inverted(), needs="if ")


class _Nested(cst.CSTTransformer):
    def leave_If(self, original_node: cst.If, updated_node: cst.If) -> cst.If:
        body, test = updated_node.body, updated_node.test
        if updated_node.orelse or not m.matches(test, m.BooleanOperation(operator=m.And(), lpar=[])):
            return updated_node
        if not isinstance(body, cst.IndentedBlock):
            return updated_node
        inner = cst.If(test=test.right, body=body)
        return updated_node.with_changes(test=test.left, body=block([inner]).with_changes(header=body.header))


def nested_ifs_instead_of_and(text: str) -> str | None:
    return transformed(text, _Nested(), needs=" and ")


class _LeftLast(FunctionBodies):
    """`if done: leave` and a rest become `if not done: rest` and `else: leave`."""

    def rewritten(self, statements: list[Statement]) -> list[Statement]:
        for at in range(len(statements) - 2, -1, -1):
            each = statements[at]
            if not m.matches(each, m.If(orelse=None, body=m.IndentedBlock())) or not leaves(
                each.body.body[-1]
            ):
                continue
            header, plain = each.body.header, cst.TrailingWhitespace()
            leaving = cst.Else(body=each.body.with_changes(header=plain))
            rest = block(statements[at + 1 :]).with_changes(header=header)
            inverted = _with_space(each).with_changes(test=negated(each.test), body=rest, orelse=leaving)
            statements = [*statements[:at], inverted]
        return statements


def early_exit_in_the_else(text: str) -> str | None:
    return transformed(text, _LeftLast(), needs="if ")
