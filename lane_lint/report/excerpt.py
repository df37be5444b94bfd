"""The lines of a finding with what matters in them underlined."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from lane_lint.finding import Finding, Span
from lane_lint.report.painter import Painter
from lane_lint.report.places import one_line

# Of a longer line only the part around the place is shown.
LONGEST_LINE = 160
_BEFORE_PLACE = 60


class _Mark(NamedTuple):
    line: int
    column: int
    end: int
    sign: str
    message: str


def excerpt_of(finding: Finding, lines: Mapping[int, str], painter: Painter) -> Iterator[str]:
    """The place (`^`) and the related places (`~`), in the order of their lines.

    Args:
        lines: The file's lines by number; a place whose line is missing is left out.
    """
    marks = sorted(_marks_of(finding, lines), key=lambda mark: mark.line)
    gutter = max((len(str(mark.line)) for mark in marks), default=0)
    for number, group in groupby(marks, key=lambda mark: mark.line):
        text, on_line = _cut(_harmless(lines[number].rstrip()), list(group))
        yield f"  {painter.margin(f'{number:>{gutter}} |')} {text}"
        for mark in on_line:
            paint = painter.defect if mark.sign == "^" else painter.related
            yield f"  {painter.margin(' ' * gutter + ' |')} {_blank(text[: mark.column])}{paint(_label(mark, text))}"


def _marks_of(finding: Finding, lines: Mapping[int, str]) -> Iterator[_Mark]:
    places = [(finding.span, "^", ""), *((other.span, "~", other.message) for other in finding.related)]
    for span, sign, message in places:
        if span.line in lines and not _is_empty(span):
            length = len(lines[span.line].rstrip())
            end = span.end_column if span.line == span.end_line else length
            yield _Mark(span.line, span.column, max(end, span.column + 1), sign, message)


def _is_empty(span: Span) -> bool:
    return (span.line, span.column) == (span.end_line, span.end_column)


def _cut(text: str, marks: Sequence[_Mark]) -> tuple[str, list[_Mark]]:
    """The part of a line that is shown, with its marks moved to where they are in it."""
    if len(text) <= LONGEST_LINE:
        return text, list(marks)
    start = max(0, marks[0].column - _BEFORE_PLACE)
    end = start + LONGEST_LINE
    shown = f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"
    by = start - 1 if start else 0
    moved = [mark._replace(column=mark.column - by, end=min(mark.end - by, len(shown))) for mark in marks]
    return shown, [mark for mark in moved if 0 <= mark.column < mark.end]


def _label(mark: _Mark, text: str) -> str:
    width = sum(map(_width, text[mark.column : mark.end])) or 1
    return f"{mark.sign * width} {one_line(mark.message)}".rstrip()


def _blank(text: str) -> str:
    """What takes as much room as the text; a tab stays one, since only the terminal knows its width."""
    return "".join("\t" if character == "\t" else " " * _width(character) for character in text)


def _harmless(text: str) -> str:
    """The line with a sign in place of each character that would steer a terminal or turn its direction."""
    return "".join(
        c if c == "\t" or c.isprintable() or unicodedata.category(c) == "Zs" else "\ufffd" for c in text
    )


def _width(character: str) -> int:
    """Columns of a terminal that a character takes.

    Source: Unicode Standard Annex 11, "East Asian Width".
    """
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
