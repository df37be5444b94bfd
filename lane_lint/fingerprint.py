"""Fingerprints: what tells a finding from others after lines have moved."""

from __future__ import annotations

import ast
import hashlib
import os
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lane_lint.finding import Finding, Span
from lane_lint.source import Source

# What statements stand in: only these lead to further definitions.
_HOLDERS = (ast.stmt, ast.excepthandler, ast.match_case)


@dataclass(frozen=True, slots=True)
class Mark:
    """What stays the same of a finding when lines move and other functions change.

    Attributes:
        code: The finding's code.
        function: Qualified name of the innermost definition around it; empty in the module's own lines.
        text: The first line with single spaces; empty when more than its line is meant.
        count: How many findings of the file before it are equal in all of that.
    """

    code: str
    function: str
    text: str
    count: int

    def fingerprint(self, path: str) -> str:
        """A hash with the file's path, which `/` parts; white space in the line makes no difference."""
        parts = (self.code, path, self.function, self.text.replace(" ", ""), str(self.count))
        data = "\0".join(parts).encode("utf-8", "surrogatepass")
        return hashlib.blake2b(data, digest_size=16).hexdigest()


def marks_of(findings: Sequence[Finding], source: Source) -> tuple[Mark, ...]:
    """One mark for each finding, no two of them equal, the same in every process.

    Args:
        findings: Those of one file, in order, also those that comments suppress: a comment more or less
            changes no other mark.
        source: The file's text; it need not be Python.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    result = []
    for finding, function in zip(findings, enclosing_names(findings, source), strict=True):
        parts = (finding.code, function, _text_of(finding.span, source.lines))
        key = (*parts[:2], parts[2].replace(" ", ""))
        result.append(Mark(*parts, seen[key]))
        seen[key] += 1
    return tuple(result)


def enclosing_names(findings: Sequence[Finding], source: Source) -> tuple[str, ...]:
    """The qualified name of the definition around each finding, "" outside of all."""
    functions = _functions_of(source) if findings else []
    return tuple(_innermost(functions, finding.span.line) for finding in findings)


def path_from(folder: str, path: str) -> str:
    """The file's path from a folder with `/`, however the user spelled it."""
    try:
        path = os.path.relpath(path, folder)
    except ValueError:  # on another drive
        path = os.path.abspath(path)
    return path.replace(os.path.sep, "/")


def _text_of(span: Span, lines: Sequence[str]) -> str:
    """The first line's text with single spaces; a span without width means more than its line."""
    has_width = (span.line, span.column) != (span.end_line, span.end_column)
    return " ".join(lines[span.line - 1].split()) if has_width and span.line <= len(lines) else ""


def _functions_of(source: Source) -> list[tuple[int, int, str]]:
    """First line, last line and qualified name of every definition; none of text that is no Python."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes in the code that is read
        try:
            return list(_definitions(ast.parse(source.text)))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return []


def _definitions(tree: ast.Module) -> Iterator[tuple[int, int, str]]:
    pending: list[tuple[ast.AST, str]] = [(tree, "")]
    while pending:
        node, prefix = pending.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            yield first, node.end_lineno or first, prefix + node.name
            prefix += f"{node.name}."
        pending += [(child, prefix) for child in ast.iter_child_nodes(node) if isinstance(child, _HOLDERS)]


def _innermost(functions: Sequence[tuple[int, int, str]], line: int) -> str:
    around = [(first, -last, name) for first, last, name in functions if first <= line <= last]
    return max(around, default=(0, 0, ""))[2]
