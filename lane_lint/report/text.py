"""`path:line:column: CODE message`, one line a finding, and its source when it is wanted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from lane_lint.finding import Finding
from lane_lint.report.content import Report
from lane_lint.report.painter import Painter
from lane_lint.report.places import one_line, shown_path


def render(report: Report) -> str:
    """The findings, then the counts by code when they are wanted, then a closing line."""
    findings = [finding for finding, _ in report.findings()]
    painter = Painter(report.is_colored)
    sources = {file.path: file.lines for file in report.files} if report.has_source else {}
    lines = [line for each in findings for line in _lines_of(each, painter, sources.get(each.path))]
    if report.has_statistics:
        lines += _statistics(findings)
    if report.has_statistics or report.has_summary:
        lines.append(_summary(report, findings))
    return "".join(f"{line}\n" for line in lines)


def render_statistics(report: Report) -> str:
    """The counts and the closing line alone."""
    findings = [finding for finding, _ in report.findings()]
    return "".join(f"{line}\n" for line in (*_statistics(findings), _summary(report, findings)))


def _lines_of(finding: Finding, painter: Painter, source: Mapping[int, str] | None) -> Iterator[str]:
    span = finding.span
    place = painter.place(f"{shown_path(finding.path)}:{span.line}:{span.column + 1}:")
    yield f"{place} {painter.defect(finding.code)} {one_line(finding.message)}"
    if source is not None:
        from lane_lint.report.excerpt import excerpt_of

        yield from excerpt_of(finding, source, painter)
        yield ""


def _statistics(findings: Sequence[Finding]) -> list[str]:
    counts = Counter((finding.code, finding.name) for finding in findings)
    return [f"{count:<5} {code} {name}" for (code, name), count in sorted(counts.items())]


def _summary(report: Report, findings: Sequence[Finding]) -> str:
    files = _counted(len(report.files), "file")
    held_back = sum(file.held_back for file in report.files)
    rest = f"; {held_back} more in the baseline" if held_back else ""
    if not findings:
        return f"no findings in {files}{rest}"
    touched = len({finding.path for finding in findings})
    return f"{_counted(len(findings), 'finding')} in {touched} of {files}{rest}"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
