"""Mutators that add what does nothing."""

from __future__ import annotations

from itertools import chain

import libcst as cst
from mutating import FunctionBodies, Statement, block, is_docstring, is_stub, line, transformed, with_head


class _Padded(FunctionBodies):
    def __init__(self, code: str) -> None:
        super().__init__()
        self._code = code

    def rewritten(self, statements: list[Statement]) -> list[Statement]:
        head = [each for each in statements[:1] if is_docstring(each)]
        return head + list(chain.from_iterable((line(self._code), each) for each in statements[len(head) :]))


def passes_everywhere(text: str) -> str | None:
    return transformed(text, _Padded("pass"))


def locals_everywhere(text: str) -> str | None:
    return transformed(text, _Padded("unrelated = 1"))


def log_lines_everywhere(text: str) -> str | None:
    padded = transformed(text, _Padded('_case_log.debug("here")'))
    return padded and with_head(padded, ["import logging", "_case_log = logging.getLogger(__name__)"])


class _Documented(cst.CSTTransformer):
    def leave_FunctionDef(self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef) -> Statement:
        body = updated_node.body
        if is_stub(original_node) or not isinstance(body, cst.IndentedBlock) or is_docstring(body.body[0]):
            return updated_node
        documented = [line('"""Part of the case."""'), *body.body]
        return updated_node.with_changes(body=body.with_changes(body=documented))


def docstrings_everywhere(text: str) -> str | None:
    return transformed(text, _Documented())


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


class _Based(cst.CSTTransformer):
    def leave_ClassDef(self, original_node: cst.ClassDef, updated_node: cst.ClassDef) -> Statement:
        if updated_node.bases or updated_node.keywords:
            return updated_node
        return updated_node.with_changes(bases=[cst.Arg(cst.Name("CaseBase"))])


def empty_base_class(text: str) -> str | None:
    """Every class without a base gets one that has nothing."""
    based = transformed(text, _Based())
    return based and with_head(based, ["class CaseBase:\n    pass\n"])
