"""Mutators that take two statements for one, or one way to write a `with` for another."""

from __future__ import annotations

import re

import libcst as cst
import libcst.matchers as m
from mutating import FunctionBodies, Statement, block, comment_of, line, only_small_statement, transformed

_PLAIN = (cst.Name, cst.SimpleString, cst.Integer, cst.Float, cst.Ellipsis)
_OPERATORS = {cst.AddAssign: cst.Add, cst.SubtractAssign: cst.Subtract}
_LOCK_NAME = re.compile(r"(?:^|_)(?:lock|mutex)$")


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


class _ReturnedThroughALocal(_Split):
    def parts(self, statement: Statement) -> list[Statement]:
        small = only_small_statement(statement)
        if not isinstance(small, cst.Return) or small.value is None or isinstance(small.value, _PLAIN):
            return [statement]
        name = self.new_name("answer")
        first = _assigned(name, small.value, statement)
        return [first, _without_lead(statement, small.with_changes(value=cst.Name(name)))]


def returned_through_a_local(text: str) -> str | None:
    return transformed(text, _ReturnedThroughALocal())


class _StoredThroughALocal(_Split):
    def parts(self, statement: Statement) -> list[Statement]:
        small = only_small_statement(statement)
        stores = m.Assign(targets=[m.AssignTarget(target=m.Attribute() | m.Subscript())])
        if small is None or not m.matches(small, stores) or isinstance(small.value, _PLAIN):
            return [statement]
        name = self.new_name("value")
        first = _assigned(name, small.value, statement)
        return [first, _without_lead(statement, small.with_changes(value=cst.Name(name)))]


def stored_through_a_local(text: str) -> str | None:
    return transformed(text, _StoredThroughALocal())


def _without_lead(statement: Statement, small: cst.BaseSmallStatement) -> Statement:
    return statement.with_changes(body=[small], leading_lines=[])


class _TestedThroughALocal(_Split):
    def parts(self, statement: Statement) -> list[Statement]:
        if not isinstance(statement, cst.If) or isinstance(statement.test, _PLAIN):
            return [statement]
        name = self.new_name("test")
        first = _assigned(name, statement.test, statement)
        tested = statement.with_changes(
            test=cst.Name(name), leading_lines=[], whitespace_before_test=cst.SimpleWhitespace(" ")
        )
        return [first, tested]


def tested_through_a_local(text: str) -> str | None:
    return transformed(text, _TestedThroughALocal())


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
    return transformed(text, _SpelledOut())


class _AliasedLock(_Split):
    def parts(self, statement: Statement) -> list[Statement]:
        if not m.matches(statement, m.With(items=[m.WithItem(item=m.Attribute(), asname=None)])):
            return [statement]
        (item,) = statement.items
        name = self.new_name("entered")
        alias = line(f"{name} = 0").body[0].with_changes(value=item.item)
        first = cst.SimpleStatementLine(body=[alias], leading_lines=statement.leading_lines)
        entered = item.with_changes(item=cst.Name(name))
        return [first, statement.with_changes(items=[entered], leading_lines=[])]


def aliased_locks(text: str) -> str | None:
    return transformed(text, _AliasedLock())


class _AcquiredByHand(_Split):
    """Plain locks only, known by their names; what else can be entered may have no `acquire`."""

    def parts(self, statement: Statement) -> list[Statement]:
        if not m.matches(statement, m.With(items=[m.WithItem(item=m.Attribute(), asname=None)])):
            return [statement]
        lock = statement.items[0].item
        if not _LOCK_NAME.search(lock.attr.value) or not isinstance(statement.body, cst.IndentedBlock):
            return [statement]
        code = cst.Module([]).code_for_node(lock)
        acquire = line(f"{'await ' if statement.asynchronous else ''}{code}.acquire()")
        acquire = acquire.with_changes(
            leading_lines=statement.leading_lines, trailing_whitespace=comment_of(statement)
        )
        body = statement.body.with_changes(header=cst.TrailingWhitespace())
        release = cst.Finally(body=block([line(f"{code}.release()")]))
        return [acquire, cst.Try(body=body, finalbody=release)]


def locks_acquired_by_hand(text: str) -> str | None:
    return transformed(text, _AcquiredByHand())


class _NestedWiths(cst.CSTTransformer):
    def leave_With(self, original_node: cst.With, updated_node: cst.With) -> cst.With:
        *outer, last = updated_node.items
        if not outer:
            return updated_node
        inner = updated_node.with_changes(items=[_alone(last)], leading_lines=[], lpar="", rpar="")
        for item in reversed(outer):
            inner = updated_node.with_changes(
                items=[_alone(item)],
                body=block([inner]).with_changes(header=comment_of(updated_node)),
                lpar=cst.MaybeSentinel.DEFAULT,
                rpar=cst.MaybeSentinel.DEFAULT,
            )
        return inner


def _alone(item: cst.WithItem) -> cst.WithItem:
    return item.with_changes(comma=cst.MaybeSentinel.DEFAULT)


def nested_withs(text: str) -> str | None:
    return transformed(text, _NestedWiths())


class _JoinedWiths(cst.CSTTransformer):
    def leave_With(self, original_node: cst.With, updated_node: cst.With) -> cst.With:
        only = updated_node.body.body[0] if len(updated_node.body.body) == 1 else None
        if not isinstance(only, cst.With) or bool(only.asynchronous) != bool(updated_node.asynchronous):
            return updated_node
        if comment_of(updated_node).comment or comment_of(only).comment:
            return updated_node
        items = [_alone(item) for item in (*updated_node.items, *only.items)]
        return updated_node.with_changes(items=items, body=only.body)


def joined_withs(text: str) -> str | None:
    return transformed(text, _JoinedWiths())


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
    return transformed(text, _NamedTurns())
