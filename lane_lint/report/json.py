"""One JSON object, for other tools."""

from __future__ import annotations

import json
from collections import Counter

from lane_lint.finding import Finding
from lane_lint.report.content import Report
from lane_lint.rule import page_of

SCHEMA_VERSION = 1


def render(report: Report) -> str:
    """The object with `schema_version`, `findings` and what could not be checked.

    Lines and columns are 1-based, columns in characters, ends exclusive.
    """
    pairs = list(report.findings())
    document = {
        "schema_version": SCHEMA_VERSION,
        "findings": [_finding(finding, fingerprint) for finding, fingerprint in pairs],
        "errors": [{"path": path, "message": reason} for path, reason in report.errors],
        "statistics": {
            "files": len(report.files),
            "held_back": sum(file.held_back for file in report.files),
            "findings": dict(sorted(Counter(finding.code for finding, _ in pairs).items())),
        },
    }
    return json.dumps(document, indent=2) + "\n"


def _finding(finding: Finding, fingerprint: str) -> dict[str, object]:
    span = finding.span
    return {
        "path": finding.path,
        "line": span.line,
        "column": span.column + 1,
        "end_line": span.end_line,
        "end_column": span.end_column + 1,
        "code": finding.code,
        "name": finding.name,
        "message": finding.message,
        "confidence": str(finding.confidence),
        "related": [
            {"line": other.span.line, "column": other.span.column + 1, "message": other.message}
            for other in finding.related
        ],
        "fingerprint": fingerprint,
        "url": page_of(finding.code),
    }
