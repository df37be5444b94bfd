"""`path:line:column: CODE message`, one line a finding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from lane_lint.finding import Finding
from lane_lint.report.content import Report


def render(report: Report) -> str:
    """The findings, then the counts by code when they are wanted, then a closing line."""
    findings = [finding for finding, _ in report.findings()]
    lines = [_line_of(finding) for finding in findings]
    if report.has_statistics:
        lines += _statistics(findings)
    if report.has_statistics or report.has_summary:
        lines.append(_summary(report, findings))
    return "".join(f"{line}\n" for line in lines)


def _line_of(finding: Finding) -> str:
    span = finding.span
    return f"{finding.path}:{span.line}:{span.column + 1}: {finding.code} {finding.message}"


def _statistics(findings: Sequence[Finding]) -> list[str]:
    counts = Counter((finding.code, finding.name) for finding in findings)
    return [f"{count:<5} {code} {name}" for (code, name), count in sorted(counts.items())]


def _summary(report: Report, findings: Sequence[Finding]) -> str:
    files = _counted(len(report.files), "file")
    if not findings:
        return f"no findings in {files}"
    touched = len({finding.path for finding in findings})
    return f"{_counted(len(findings), 'finding')} in {touched} of {files}"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
