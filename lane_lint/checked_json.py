"""A checked file as JSON: for summaries, which travel, and for whatever keeps findings between runs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from lane_lint.finding import Confidence, Finding, Related, Span
from lane_lint.fingerprint import Mark, path_from
from lane_lint.run import CheckedFile


def as_json(file: CheckedFile) -> dict[str, Any]:
    """A file with its path from here, parted by `/`, and what was found in it."""
    path = path_from(os.curdir, file.path)
    entry: dict[str, Any] = {"path": path}
    if file.error is not None:
        entry["error"] = file.error
    if file.findings:
        entry["lines"] = file.lines
        entry["findings"] = [
            _finding(finding, mark) for finding, mark in zip(file.findings, file.marks, strict=True)
        ]
    return entry


def _finding(finding: Finding, mark: Mark) -> dict[str, Any]:
    return {
        "span": _place(finding.span),
        "code": finding.code,
        "name": finding.name,
        "message": finding.message,
        "confidence": str(finding.confidence),
        "related": [[_place(other.span), other.message] for other in finding.related],
        "mark": [mark.function, mark.text, mark.count],
    }


def _place(span: Span) -> Sequence[int]:
    return (span.line, span.column, span.end_line, span.end_column)


def from_json(entry: Mapping[str, Any]) -> CheckedFile:
    """The file that `as_json` was given, by its path from here.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: The entry is nothing that `as_json` makes.
    """
    path: str = entry["path"]
    found = entry.get("findings", ())
    findings = tuple(_restored_finding(path, each) for each in found)
    marks = tuple(Mark(each["code"], *each["mark"]) for each in found)
    return CheckedFile(
        path,
        findings,
        tuple(mark.fingerprint(path) for mark in marks),
        entry.get("error"),
        {int(number): text for number, text in entry.get("lines", {}).items()},
        marks=marks,
    )


def _restored_finding(path: str, entry: Mapping[str, Any]) -> Finding:
    return Finding(
        path,
        Span(*entry["span"]),
        entry["code"],
        entry["name"],
        entry["message"],
        Confidence[entry["confidence"].upper()],
        tuple(Related(Span(*place), message) for place, message in entry["related"]),
    )
