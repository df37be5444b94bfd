"""What the mutators share: a text is parsed once, and a mutation is a libcst transformer that keeps the comments."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

import libcst as cst

Mutator = Callable[[str], str | None]
Statement = cst.BaseStatement


@cache
def parsed(text: str) -> cst.Module:
    return cst.parse_module(text)


def transformed(
    text: str, transformer: cst.CSTTransformer, *, needs: str = "", head: tuple[str, ...] = ()
) -> str | None:
    """The text after the transformer, or None when there was nothing for it to do.

    Args:
        needs: A pattern of what a text has where there is something to do.
        head: Statements that the changed text gets in front.
    """
    if not re.search(needs, text):
        return None
    changed = parsed(text).visit(transformer)
    return _with_head(changed, head).code if changed.code != text else None


def _with_head(module: cst.Module, head: tuple[str, ...]) -> cst.Module:
    """Statements in front stand behind the docstring and the `__future__` imports."""
    body = list(module.body)
    first = next((at for at, each in enumerate(body) if not _must_stay_first(each)), len(body))
    added = [cst.parse_statement(each) for each in head]
    return module.with_changes(body=[*body[:first], *added, *body[first:]])


def _must_stay_first(statement: cst.CSTNode) -> bool:
    return is_docstring(statement) or "from __future__" in cst.Module([]).code_for_node(statement)


def line(code: str) -> cst.SimpleStatementLine:
    """One simple statement."""
    statement = cst.parse_statement(code)
    assert isinstance(statement, cst.SimpleStatementLine)
    return statement


def block(statements: Sequence[Statement]) -> cst.IndentedBlock:
    return cst.IndentedBlock(body=list(statements))


def only_small_statement(statement: cst.CSTNode) -> cst.BaseSmallStatement | None:
    """The one small statement of a line such as `return x`."""
    if isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1:
        return statement.body[0]
    return None


def is_docstring(statement: cst.CSTNode) -> bool:
    small = only_small_statement(statement)
    return isinstance(small, cst.Expr) and isinstance(small.value, cst.SimpleString | cst.ConcatenatedString)


def is_stub(function: cst.FunctionDef) -> bool:
    """Whether the body says that somebody else has to give one; a statement more would make it a body."""
    return all(is_docstring(each) or _is_placeholder(each) for each in function.body.body)


def _is_placeholder(statement: cst.CSTNode) -> bool:
    small = statement if isinstance(statement, cst.BaseSmallStatement) else only_small_statement(statement)
    return isinstance(small, cst.Pass | cst.Raise) or (
        isinstance(small, cst.Expr) and isinstance(small.value, cst.Ellipsis)
    )


def leaves(statement: cst.CSTNode) -> bool:
    """Whether control never goes from this statement to the next."""
    return isinstance(only_small_statement(statement), cst.Return | cst.Raise | cst.Continue | cst.Break)


def comment_of(statement: cst.CSTNode) -> cst.TrailingWhitespace:
    """The end of the line on which a statement starts."""
    match statement:
        case cst.SimpleStatementLine(trailing_whitespace=end):
            return end
        case cst.With(body=body) | cst.If(body=body) | cst.For(body=body) if isinstance(
            body, cst.IndentedBlock
        ):
            return body.header
    return cst.TrailingWhitespace()


class FunctionBodies(cst.CSTTransformer):
    """Gives every list of statements inside a function to `rewritten`, the inner ones first."""

    def __init__(self) -> None:
        super().__init__()
        self._scopes: list[cst.FunctionDef | cst.ClassDef] = []

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        self._scopes.append(node)
        return not self.is_left_alone(node)

    def leave_FunctionDef(self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef) -> Statement:
        self._scopes.pop()
        return updated_node

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self._scopes.append(node)

    def leave_ClassDef(self, original_node: cst.ClassDef, updated_node: cst.ClassDef) -> Statement:
        self._scopes.pop()
        return updated_node

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.BaseSuite:
        if self._scopes and isinstance(self._scopes[-1], cst.FunctionDef):
            return updated_node.with_changes(body=self.rewritten(list(updated_node.body)))
        return updated_node

    def is_left_alone(self, function: cst.FunctionDef) -> bool:
        return is_stub(function)

    def rewritten(self, statements: list[Statement]) -> list[Statement]:
        raise NotImplementedError
