"""What every format reports on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lane_lint.finding import Finding
from lane_lint.run import CheckedFile


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of one run.

    Attributes:
        files: In the order they were given.
        errors: (path, reason) of what could not be checked.
        has_source: Whether the lines of a finding are wanted.
        has_statistics: Whether counts are wanted.
        has_summary: Whether a closing line is wanted.
        is_colored: Whether it is for a terminal that shows colours.
    """

    files: Sequence[CheckedFile]
    errors: Sequence[tuple[str, str]] = ()
    has_source: bool = False
    has_statistics: bool = False
    has_summary: bool = False
    is_colored: bool = False

    def findings(self) -> Iterator[tuple[Finding, str]]:
        """Every finding with its fingerprint, sorted by path, line, column and code."""
        pairs = [pair for file in self.files for pair in zip(file.findings, file.fingerprints, strict=True)]
        pairs.sort(key=lambda pair: (pair[0].path, pair[0].span.line, pair[0].span.column, pair[0].code))
        return iter(pairs)
