"""`# noqa` comments that name our codes and silence nothing."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from lane_lint.finding import Finding
from lane_lint.suppress import INLINE, WHOLE_FILE, Stretch, listed_codes, stretches_of

_OURS = re.compile(r"LAN[0-9]+", re.IGNORECASE)
_WHOLE_FILE_CODES = re.compile(
    rf"{WHOLE_FILE.pattern}[:\s]+(?P<codes>([A-Z]+[0-9]+(?:[,\s]+)?)+)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, order=True)
class UnusedNoqa:
    """A comment that silences nothing with some of its codes.

    Attributes:
        line: 1-based.
        column: 0-based, in characters.
        message: What is wrong with which codes, and what to do; one line without a full stop.
    """

    line: int
    column: int
    message: str


@dataclass(frozen=True, slots=True)
class _Comment:
    line: int
    column: int
    text: str
    codes: tuple[str, ...]
    reach: range


def names_our_codes(lines: Sequence[str]) -> bool:
    """Whether a text may have a comment to judge; quick, and now and then wrongly true."""
    return any("noqa" in line.lower() and _OURS.search(line) for line in lines)


def unused_noqa(
    lines: Sequence[str], findings: Collection[Finding], selected: Collection[str], known: Collection[str]
) -> tuple[UnusedNoqa, ...]:
    """The comments with a code of ours that no finding has there.

    A prefix is judged only when all of its codes are selected, since what is not looked for is not found.
    Codes of other tools, and comments without a code, are not judged.

    Args:
        findings: All of the file, those that are suppressed too.
        selected: The codes that were looked for.
        known: The codes of all rules.
    """
    result = []
    for comment in _comments_in(lines):
        found = {finding.code for finding in findings if finding.span.line in comment.reach}
        ours = [code for code in comment.codes if _OURS.fullmatch(code)]
        unused = [code for code in ours if not any(one.startswith(code) for one in found)]
        if reasons := [reason for code in unused if (reason := _reason(code, selected, known))]:
            message = f"'{comment.text}': {'; '.join(reasons)}"
            result.append(UnusedNoqa(comment.line, comment.column, message))
    return tuple(result)


def _reason(code: str, selected: Collection[str], known: Collection[str]) -> str | None:
    if not any(one.startswith(code.upper()) for one in known):
        return f"no rule has the code {code}; remove it"
    if code != code.upper():
        return f"{code} silences nothing, since case counts; write {code.upper()}, or remove it"
    if not all(one in selected for one in known if one.startswith(code)):
        return None
    return f"{code} silences nothing; remove it"


def _comments_in(lines: Sequence[str]) -> Iterator[_Comment]:
    """The comments with codes that flake8 goes by: the first of each stretch, or the one for the whole file."""
    for number, line in enumerate(lines, 1):
        if WHOLE_FILE.match(line):
            if match := _WHOLE_FILE_CODES.match(line):
                yield _comment(match, number, match[0].index("#"), range(1, len(lines) + 1))
            return
    for stretch in stretches_of(lines):
        text = "".join(lines[stretch.first - 1 : stretch.last])
        match = INLINE.search(text)
        if match and match["codes"]:
            number = stretch.first + text.count("\n", 0, match.start())
            column = match.start() - (text.rfind("\n", 0, match.start()) + 1)
            if _is_comment(number, column, stretch):
                yield _comment(match, number, column, range(stretch.first, stretch.last + 1))


def _comment(match: re.Match[str], line: int, column: int, reach: range) -> _Comment:
    return _Comment(line, column, match[0].strip(), tuple(listed_codes(match["codes"])), reach)


def _is_comment(line: int, column: int, stretch: Stretch) -> bool:
    """Whether a place is in a comment; flake8 finds its words in strings as well."""
    return any(number == line and start <= column for number, start in stretch.comments)
