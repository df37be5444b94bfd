"""Mutators that add what does nothing."""

from __future__ import annotations

from itertools import chain, cycle

import libcst as cst
from mutating import FunctionBodies, Statement, block, is_docstring, is_stub, line, transformed

_IDLE_LINES = ("pass", "unrelated = 1", '_case_log.debug("here")')


class _Padded(FunctionBodies):
    """An idle line in front of each statement, one kind after another, and a docstring for each function."""

    def __init__(self) -> None:
        super().__init__()
        self._idle = cycle(map(line, _IDLE_LINES))

    def rewritten(self, statements: list[Statement]) -> list[Statement]:
        head = [each for each in statements[:1] if is_docstring(each)]
        return head + list(chain.from_iterable(zip(self._idle, statements[len(head) :], strict=False)))

    def leave_FunctionDef(self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef) -> Statement:
        super().leave_FunctionDef(original_node, updated_node)
        body = updated_node.body
        if is_stub(original_node) or not isinstance(body, cst.IndentedBlock) or is_docstring(body.body[0]):
            return updated_node
        documented = [line('"""Part of the case."""'), *body.body]
        return updated_node.with_changes(body=body.with_changes(body=documented))


def idle_lines_everywhere(text: str) -> str | None:
    head = ("import logging", "_case_log = logging.getLogger(__name__)")
    return transformed(text, _Padded(), head=head)


class _Tried(cst.CSTTransformer):
    def leave_FunctionDef(self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef) -> Statement:
        body = updated_node.body
        if is_stub(original_node) or not isinstance(body, cst.IndentedBlock):
            return updated_node
        head = [each for each in body.body[:1] if is_docstring(each)]
        tried = cst.Try(body=block(body.body[len(head) :]), finalbody=cst.Finally(body=block([line("pass")])))
        return updated_node.with_changes(body=body.with_changes(body=[*head, tried]))


def bodies_in_try_finally(text: str) -> str | None:
    return transformed(text, _Tried())
