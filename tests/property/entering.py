"""Mutators that enter the same contexts in another way."""

from __future__ import annotations

import re

import libcst as cst
import libcst.matchers as m
from mutating import FunctionBodies, Statement, block, comment_of, line, transformed

_LOCK_NAME = re.compile(r"(?:^|_)(?:lock|mutex)$")
_ONE_ATTRIBUTE = m.With(items=[m.WithItem(item=m.Attribute(), asname=None)], body=m.IndentedBlock())
_NULL = cst.parse_expression("contextlib.nullcontext()")


class _Entering(FunctionBodies):
    """Rewrites each `with` that enters one bare attribute."""

    def __init__(self) -> None:
        super().__init__()
        self._names = 0

    def new_name(self, base: str) -> str:
        """A name that is not used yet."""
        self._names += 1
        return f"case_{base}_{self._names}"

    def rewritten(self, statements: list[Statement]) -> list[Statement]:
        return [part for each in statements for part in self._parts(each)]

    def _parts(self, statement: Statement) -> list[Statement]:
        if not isinstance(statement, cst.With) or not m.matches(statement, _ONE_ATTRIBUTE):
            return [statement]
        return self.entered(statement, statement.items[0].item)

    def entered(self, statement: cst.With, context: cst.Attribute) -> list[Statement]:
        raise NotImplementedError


class _Aliased(_Entering):
    def entered(self, statement: cst.With, context: cst.Attribute) -> list[Statement]:
        name = cst.Name(self.new_name("entered"))
        alias = cst.Assign(targets=[cst.AssignTarget(name)], value=context)
        first = cst.SimpleStatementLine(body=[alias], leading_lines=statement.leading_lines)
        return [first, statement.with_changes(items=[cst.WithItem(name)], leading_lines=[])]


def aliased_locks(text: str) -> str | None:
    return transformed(text, _Aliased(), needs="with ")


class _AcquiredByHand(_Entering):
    """Plain locks only, known by their names; what else can be entered may have no `acquire`."""

    def entered(self, statement: cst.With, context: cst.Attribute) -> list[Statement]:
        if not _LOCK_NAME.search(context.attr.value):
            return [statement]
        code = cst.Module([]).code_for_node(context)
        acquire = line(f"{'await ' if statement.asynchronous else ''}{code}.acquire()").with_changes(
            leading_lines=statement.leading_lines, trailing_whitespace=comment_of(statement)
        )
        body = statement.body.with_changes(header=cst.TrailingWhitespace())
        release = cst.Finally(body=block([line(f"{code}.release()")]))
        return [acquire, cst.Try(body=body, finalbody=release)]


def locks_acquired_by_hand(text: str) -> str | None:
    return transformed(text, _AcquiredByHand(), needs="with ")


class _BesideNull(_Entering):
    def entered(self, statement: cst.With, context: cst.Attribute) -> list[Statement]:
        return [statement.with_changes(items=[cst.WithItem(_NULL), cst.WithItem(context)])]


def null_context_beside(text: str) -> str | None:
    """`with lock:` becomes `with nullcontext(), lock:`."""
    return transformed(text, _BesideNull(), needs="with ", head=("import contextlib",))


class _AroundNull(_Entering):
    def entered(self, statement: cst.With, context: cst.Attribute) -> list[Statement]:
        inner = statement.with_changes(leading_lines=[])
        return [statement.with_changes(items=[cst.WithItem(_NULL)], body=block([inner]))]


def null_context_around(text: str) -> str | None:
    """`with lock:` moves into a `with nullcontext():`."""
    return transformed(text, _AroundNull(), needs="with ", head=("import contextlib",))


class _OnAStack(_Entering):
    def entered(self, statement: cst.With, context: cst.Attribute) -> list[Statement]:
        name, prefix = self.new_name("stack"), "Async" if statement.asynchronous else ""
        entering = "await {}.enter_async_context" if statement.asynchronous else "{}.enter_context"
        code = f"{entering.format(name)}({cst.Module([]).code_for_node(context)})"
        stack = cst.parse_expression(f"contextlib.{prefix}ExitStack()")
        first = line(code).with_changes(trailing_whitespace=comment_of(statement))
        body = statement.body.with_changes(
            body=[first, *statement.body.body], header=cst.TrailingWhitespace()
        )
        item = cst.WithItem(stack, cst.AsName(cst.Name(name)))
        return [statement.with_changes(items=[item], body=body)]


def entered_on_a_stack(text: str) -> str | None:
    return transformed(text, _OnAStack(), needs="with ", head=("import contextlib",))


class _BehindAManager(cst.CSTTransformer):
    """`with self.lock:` becomes `with self.case_hold_lock():`, a context manager of the same class.

    Public methods only: where a private one takes the lock, the place of an acquisition is its call.
    """

    def __init__(self) -> None:
        super().__init__()
        self._wanted: list[dict[str, str]] = []

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        return not node.name.value.startswith("_")

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self._wanted.append({})

    def leave_With(self, original_node: cst.With, updated_node: cst.With) -> cst.With:
        own = m.WithItem(item=m.Attribute(value=m.Name("self")), asname=None)
        if not self._wanted or not m.matches(updated_node, m.With(items=[own])):
            return updated_node
        lock = updated_node.items[0].item.attr.value
        if not _LOCK_NAME.search(lock):
            return updated_node
        kind = "async " if updated_node.asynchronous else ""
        self._wanted[-1][lock] = kind
        entered = cst.parse_expression(f"self.case_hold{lock}()")
        return updated_node.with_changes(items=[cst.WithItem(entered)])

    def leave_ClassDef(self, original_node: cst.ClassDef, updated_node: cst.ClassDef) -> Statement:
        managers = [
            cst.parse_statement(
                f"@contextlib.{'async' if kind else ''}contextmanager\n"
                f"{kind}def case_hold{lock}(self):\n    {kind}with self.{lock}:\n        yield\n"
            )
            for lock, kind in self._wanted.pop().items()
        ]
        body = updated_node.body
        return updated_node.with_changes(body=body.with_changes(body=[*body.body, *managers]))


def locks_behind_a_context_manager(text: str) -> str | None:
    return transformed(text, _BehindAManager(), needs="with ", head=("import contextlib",))
