"""Mutators that take two statements for one."""

from __future__ import annotations

import libcst as cst
import libcst.matchers as m
from mutating import FunctionBodies, Statement, block, comment_of, only_small_statement, transformed

_PLAIN = (cst.Name, cst.SimpleString, cst.Integer, cst.Float, cst.Ellipsis)
_STORES = m.Assign(targets=[m.AssignTarget(target=m.Attribute() | m.Subscript())])
_OPERATORS = {cst.AddAssign: cst.Add, cst.SubtractAssign: cst.Subtract}


def _assigned(name: str, value: cst.BaseExpression, like: Statement) -> cst.SimpleStatementLine:
    """`name = value`, with the comments of the statement that it was part of."""
    if isinstance(value, cst.GeneratorExp):
        value = value.with_changes(
            lpar=value.lpar or [cst.LeftParen()], rpar=value.rpar or [cst.RightParen()]
        )
    assignment = cst.Assign(targets=[cst.AssignTarget(cst.Name(name))], value=value)
    return cst.SimpleStatementLine(
        body=[assignment], leading_lines=like.leading_lines, trailing_whitespace=comment_of(like)
    )


class _Split(FunctionBodies):
    def __init__(self) -> None:
        super().__init__()
        self._names = 0

    def new_name(self, base: str) -> str:
        """A name that is not used yet."""
        self._names += 1
        return f"case_{base}_{self._names}"

    def rewritten(self, statements: list[Statement]) -> list[Statement]:
        return [part for each in statements for part in self.parts(each)]

    def parts(self, statement: Statement) -> list[Statement]:
        raise NotImplementedError


class _ThroughLocals(_Split):
    def parts(self, statement: Statement) -> list[Statement]:
        small = only_small_statement(statement)
        if isinstance(statement, cst.If) and not isinstance(statement.test, _PLAIN):
            return self._tested(statement)
        if isinstance(small, cst.Return) and small.value is not None:
            return self._split(statement, small, "answer")
        if small is not None and m.matches(small, _STORES):
            return self._split(statement, small, "value")
        return [statement]

    def _split(self, statement: Statement, small: cst.Return | cst.Assign, base: str) -> list[Statement]:
        if isinstance(small.value, _PLAIN):
            return [statement]
        name = self.new_name(base)
        first = _assigned(name, small.value, statement)
        return [first, _without_lead(statement, small.with_changes(value=cst.Name(name)))]

    def _tested(self, statement: cst.If) -> list[Statement]:
        name = self.new_name("test")
        first = _assigned(name, statement.test, statement)
        tested = statement.with_changes(
            test=cst.Name(name), leading_lines=[], whitespace_before_test=cst.SimpleWhitespace(" ")
        )
        return [first, tested]


def values_through_locals(text: str) -> str | None:
    """What is returned, stored in an attribute or an entry, or tested, is bound to a variable first."""
    return transformed(text, _ThroughLocals())


def _without_lead(statement: Statement, small: cst.BaseSmallStatement) -> Statement:
    return statement.with_changes(body=[small], leading_lines=[])


class _SpelledOut(_Split):
    """Numbers only: `+=` on a list is no assignment."""

    def parts(self, statement: Statement) -> list[Statement]:
        small = only_small_statement(statement)
        if not isinstance(small, cst.AugAssign) or not isinstance(small.value, cst.Integer | cst.Await):
            return [statement]
        if (operator := _OPERATORS.get(type(small.operator))) is None:
            return [statement]
        value = cst.BinaryOperation(left=small.target, operator=operator(), right=small.value)
        assignment = cst.Assign(targets=[cst.AssignTarget(small.target)], value=value)
        return [statement.with_changes(body=[assignment])]


def augmented_assignments_spelled_out(text: str) -> str | None:
    return transformed(text, _SpelledOut(), needs=r"[+-]= ")


class _NamedTurns(_Split):
    """`await lane.run(lambda: work)` becomes a nested function that is handed over."""

    def parts(self, statement: Statement) -> list[Statement]:
        small = only_small_statement(statement)
        turn = m.Call(args=[m.Arg(value=m.Lambda(params=m.Parameters(params=[])), keyword=None)])
        if small is None or len(calls := m.findall(small, turn)) != 1:
            return [statement]
        (call,) = calls
        body = call.args[0].value.body
        if m.findall(small, m.NamedExpr() | m.Yield() | m.CompFor()) or m.findall(body, m.Lambda()):
            return [statement]
        name = self.new_name("work")
        named = cst.parse_statement(f"def {name}():\n    return 0\n")
        answer = cst.SimpleStatementLine([cst.Return(body)], trailing_whitespace=comment_of(statement))
        named = named.with_changes(body=block([answer]), leading_lines=statement.leading_lines)
        handed = small.with_deep_changes(call, args=[cst.Arg(cst.Name(name))])
        return [named, _without_lead(statement, handed)]


def lambdas_named(text: str) -> str | None:
    return transformed(text, _NamedTurns(), needs="lambda")
