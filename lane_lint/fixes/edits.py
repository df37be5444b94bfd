"""Changes of a text: stretches that are replaced, everything else kept as it is."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from lane_lint.finding import Span


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    r"""Put `text` in the place of what is at `span`; an empty span inserts. Line ends in it are `\n`."""

    span: Span
    text: str


def insertion(line: int, column: int, text: str) -> Edit:
    """Put text before a column of a line."""
    return Edit(Span(line, column, line, column), text)


def are_apart(edits: Collection[Edit], others: Iterable[Edit]) -> bool:
    """Whether none of the edits touches what one of the others touches; equal ones are one."""
    return all(one == other or _is_apart(one.span, other.span) for other in others for one in edits)


def _is_apart(one: Span, other: Span) -> bool:
    first, second = sorted((one, other))
    return (first.end_line, first.end_column) <= (second.line, second.column) and first != second


def edited(lines: Iterable[str], edits: Collection[Edit]) -> str:
    r"""The text of `lines`, which keep their ends, with the edits made.

    A line end that an edit brings is written as that of the line it stands on.
    """
    kept = list(lines)
    for edit in sorted(edits, reverse=True):
        span = edit.span
        head, tail = kept[span.line - 1][: span.column], kept[span.end_line - 1][span.end_column :]
        text = edit.text.replace("\n", _line_end(kept, span.line))
        kept[span.line - 1 : span.end_line] = [head + text + tail, *[""] * (span.end_line - span.line)]
    return "".join(kept)


def _line_end(lines: list[str], number: int) -> str:
    r"""The end of a line; of one that has none, the end of the line before it."""
    for line in (lines[number - 1], lines[number - 2] if number > 1 else ""):
        text = line.rstrip("\r\n")
        if end := line[len(text) :]:
            return end[:2] if end.startswith("\r\n") else end[:1]
    return "\n"
