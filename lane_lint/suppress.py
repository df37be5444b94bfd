"""flake8's `# noqa` grammar, so that the command is silent where flake8 is."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lane_lint.finding import Finding

# Source: flake8, `flake8.defaults`; a test holds both to the same answers.
INLINE = re.compile(r"# noqa(?::[\s]?(?P<codes>([A-Z]+[0-9]+(?:[,\s]+)?)+))?", re.IGNORECASE)
WHOLE_FILE = re.compile(r"\s*# flake8[:=]\s*noqa", re.IGNORECASE)
_SEPARATORS = re.compile(r"[,\s]")


@dataclass(frozen=True, slots=True)
class Stretch:
    """Physical lines that share a `# noqa` comment: one line, or those of a multi-line string or a backslash.

    Attributes:
        first: 1-based.
        last: The last line, which belongs to it.
        comments: (line, column) of each comment in it.
    """

    first: int
    last: int
    comments: tuple[tuple[int, int], ...]


def is_file_suppressed(lines: Iterable[str]) -> bool:
    """Whether a line begins with `# flake8: noqa`."""
    return any(WHOLE_FILE.match(line) for line in lines if "flake8" in line.lower())


def without_suppressed(findings: Sequence[Finding], lines: Sequence[str]) -> list[Finding]:
    """The findings whose line no `# noqa` comment covers.

    A comment covers the physical line it stands on; in a multi-line string or across a backslash
    it covers all of those lines.
    """
    if not findings or is_file_suppressed(lines):
        return []
    if not any(INLINE.search(line) for line in lines):
        return list(findings)
    searched = _searched_text(lines)
    return [
        finding
        for finding in findings
        if not _is_covered(finding.code, _text_for(finding.span.line, searched, lines))
    ]


def _text_for(line_number: int, searched: dict[int, str], lines: Sequence[str]) -> str:
    if line_number in searched:
        return searched[line_number]
    return lines[line_number - 1] if 0 < line_number <= len(lines) else ""


def _is_covered(code: str, text: str) -> bool:
    match = INLINE.search(text)
    if match is None:
        return False
    listed = match["codes"]
    if listed is None:
        return True
    return code.startswith(tuple(listed_codes(listed)))


def listed_codes(text: str) -> list[str]:
    """The codes of a comment, as they are written."""
    return [word for word in _SEPARATORS.split(text) if word]


def _searched_text(lines: Sequence[str]) -> dict[int, str]:
    """Line number -> the physical lines that are searched for a comment on its behalf."""
    result: dict[int, str] = {}
    for stretch in stretches_of(lines):
        numbers = range(stretch.first, stretch.last + 1)
        result.update(dict.fromkeys(numbers, "".join(lines[stretch.first - 1 : stretch.last])))
    return result


def stretches_of(lines: Sequence[str]) -> list[Stretch]:
    """The stretches of a text; none of text that does not tokenize, whose lines stand alone.

    Source: flake8, `FileProcessor._noqa_line_mapping`.
    """
    result: list[Stretch] = []
    first, last = len(lines) + 2, -1
    comments: list[tuple[int, int]] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO("".join(lines)).readline):
            if token.type in (tokenize.ENDMARKER, tokenize.DEDENT):
                continue
            first, last = min(first, token.start[0]), max(last, token.end[0])
            if token.type == tokenize.COMMENT:
                comments.append(token.start)
            if token.type in (tokenize.NL, tokenize.NEWLINE):
                result.append(Stretch(first, last, tuple(comments)))
                first, last, comments = len(lines) + 2, -1, []
    except (tokenize.TokenError, SyntaxError):
        return []
    return result
