"""The text of a module by the positions of its syntax, whose columns count bytes of UTF-8."""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

# One string or bytes literal; what the parser joins from several is longer.
_ONE_STRING = re.compile(
    r"[a-zA-Z]{0,2}(?:'''(?:[^\\]|\\.)*?'''|\"\"\"(?:[^\\]|\\.)*?\"\"\"|'(?:[^\\'\n]|\\.)*'|\"(?:[^\\\"\n]|\\.)*\")",
    re.DOTALL,
)


class Point(NamedTuple):
    """A place between two characters: line 1-based, column 0-based in characters."""

    line: int
    column: int


class Text:
    """Answers for one module.

    Args:
        lines: Its lines with their ends.
    """

    def __init__(self, lines: tuple[str, ...]) -> None:
        self._lines = lines

    def _line(self, number: int) -> str:
        # Python 3.11 may place what stands in an f-string of several lines outside of the file.
        return self._lines[number - 1] if number <= len(self._lines) else ""

    def point(self, line: int, offset: int) -> Point:
        """The place that is so many bytes behind the start of a line."""
        text = self._line(line)
        if not text.isascii():
            offset = len(text.encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "replace"))
        return Point(line, offset)

    def start(self, node: ast.expr | ast.stmt | ast.excepthandler | ast.pattern) -> Point:
        """Where a node begins."""
        return self.point(node.lineno, node.col_offset)

    def end(self, node: ast.expr | ast.stmt | ast.excepthandler | ast.pattern) -> Point:
        """Where a node ends."""
        return self.point(node.end_lineno or node.lineno, node.end_col_offset or 0)

    def between(self, start: Point, end: Point) -> str:
        """The text from one place to another."""
        lines = self._lines[start.line - 1 : end.line]
        if not lines:
            return ""
        if len(lines) == 1:
            return lines[0][start.column : end.column]
        return "".join((lines[0][start.column :], *lines[1:-1], lines[-1][: end.column]))

    def of(self, node: ast.expr) -> str:
        """The source of an expression without the parentheses around it."""
        if node.lineno == node.end_lineno and (line := self._line(node.lineno)).isascii():
            return line[node.col_offset : node.end_col_offset]
        return self.between(self.start(node), self.end(node))

    def of_constant(self, node: ast.Constant) -> str | None:
        """The source of None, True, False, a number or one string; None for what else is constant."""
        value = node.value
        if value is None or isinstance(value, bool):
            return repr(value)
        if isinstance(value, (int, float)):
            return self.of(node)
        if not isinstance(value, (str, bytes)):
            return None
        text = self.of(node)
        found = _ONE_STRING.match(text)
        return text if found is not None and found.end() == len(text) else None

    def is_elif(self, node: ast.If) -> bool:
        """Whether an `if` in the `else` of another is spelled as a part of that."""
        start = self.start(node)
        return self._line(start.line).startswith("elif", start.column)

    # What stands between two nodes: white space, comments, parentheses, operators and keywords

    def gap(self, start: Point, end: Point) -> list[tuple[Point, str]]:
        """The text from one place to another without comments, line by line, with where each piece begins."""
        pieces = []
        for number in range(start.line, end.line + 1):
            first = start.column if number == start.line else 0
            last = end.column if number == end.line else len(self._line(number))
            pieces.append((Point(number, first), self._line(number)[first:last].partition("#")[0]))
        return pieces

    def opened(self, start: Point, end: Point) -> list[Point]:
        """The parentheses that open right before `end`, after the last other sign behind `start`."""
        found: list[Point] = []
        for place, text in reversed(self.gap(start, end)):
            for column in range(len(text) - 1, -1, -1):
                if text[column] == "(":
                    found.append(Point(place.line, place.column + column))
                elif not text[column].isspace():
                    return found[::-1]
        return found[::-1]

    def closed(self, end: Point, count: int) -> Point:
        """Behind so many closing parentheses that come next after `end`."""
        for number in range(end.line, len(self._lines) + 1):
            first = end.column if number == end.line else 0
            text = self._line(number)
            for column in range(first, len(text)):
                if count == 0:
                    return end
                if text[column] == ")":
                    count, end = count - 1, Point(number, column + 1)
                elif text[column] == "#":
                    break
        return end

    def keyword(self, pattern: re.Pattern[str], start: Point, end: Point) -> Point:
        """Where the first match stands between two places; `end` when there is none."""
        for place, text in self.gap(start, end):
            if (found := pattern.search(text)) is not None:
                return Point(place.line, place.column + found.start())
        return end
