"""Workflow commands of GitHub Actions: each finding becomes an annotation of its line."""

from __future__ import annotations

from collections.abc import Mapping

from lane_lint.finding import Confidence, Finding
from lane_lint.report.content import Report
from lane_lint.report.places import one_line, path_from_here

_COMMANDS = {Confidence.HIGH: "error", Confidence.MEDIUM: "warning", Confidence.LOW: "notice"}


def render(report: Report) -> str:
    """One command a line; what could not be read is an error without a line.

    Source: GitHub documentation, "Workflow commands for GitHub Actions".
    """
    lines = [
        _command(_COMMANDS[finding.confidence], _place(finding), finding.message)
        for finding, _ in report.findings()
    ]
    lines += [
        _command("error", {"file": _file(path), "title": "lane-lint"}, f"{one_line(path)}: {reason}")
        for path, reason in report.errors
    ]
    return "".join(f"{line}\n" for line in lines)


def _place(finding: Finding) -> dict[str, str]:
    span = finding.span
    place = {"file": _file(finding.path), "line": str(span.line), "endLine": str(span.end_line)}
    if span.line == span.end_line and span.column < span.end_column:  # columns count within one line only
        place |= {"col": str(span.column + 1), "endColumn": str(span.end_column + 1)}
    return {**place, "title": f"{finding.code} {finding.name}"}


def _file(path: str) -> str:
    return one_line(path_from_here(path))


def _command(name: str, properties: Mapping[str, str], message: str) -> str:
    words = ",".join(f"{key}={_escaped_property(value)}" for key, value in properties.items())
    return f"::{name} {words}::{_escaped(message)}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escaped_property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
