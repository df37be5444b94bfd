"""GitLab's Code Quality report."""

from __future__ import annotations

import hashlib
import json
from collections import Counter

from lane_lint.finding import Confidence, Finding
from lane_lint.report.content import Report
from lane_lint.report.places import one_line, path_from_here

_SEVERITIES = {Confidence.HIGH: "major", Confidence.MEDIUM: "minor", Confidence.LOW: "info"}


def render(report: Report) -> str:
    """A list with an entry for each finding; no two have the same fingerprint.

    Source: GitLab documentation, "Code Quality", "Code Quality report format".
    """
    seen: Counter[str] = Counter()
    entries = []
    for finding, fingerprint in report.findings():
        entries.append(_entry(finding, _unique(fingerprint, seen[fingerprint])))
        seen[fingerprint] += 1
    return json.dumps(entries, indent=2) + "\n"


def _unique(fingerprint: str, earlier: int) -> str:
    """Files that were given by two names have findings with the same fingerprint, of which GitLab shows one."""
    if not earlier:
        return fingerprint
    return hashlib.blake2b(f"{fingerprint} {earlier}".encode(), digest_size=16).hexdigest()


def _entry(finding: Finding, fingerprint: str) -> dict[str, object]:
    return {
        "description": f"{finding.code} {finding.message}",
        "check_name": f"{finding.code} {finding.name}",
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[finding.confidence],
        "location": {
            "path": one_line(path_from_here(finding.path)),
            "lines": {"begin": finding.span.line, "end": finding.span.end_line},
        },
    }
