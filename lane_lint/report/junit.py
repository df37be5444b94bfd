"""JUnit's XML, for whatever shows test results."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from xml.etree.ElementTree import Element, SubElement

from lane_lint.finding import Finding
from lane_lint.report.content import Report
from lane_lint.report.places import shown_path

# Source: XML 1.0, section 2.2, "Characters".
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(report: Report) -> str:
    """One suite: a failed case for each finding, a passed one for each clean file, an erring one for the others."""
    findings = [finding for finding, _ in report.findings()]
    unread = {path for path, _ in report.errors}
    clean = [file.path for file in report.files if not file.findings and file.path not in unread]
    counts = {
        "tests": str(len(findings) + len(report.errors) + len(clean)),
        "failures": str(len(findings)),
        "errors": str(len(report.errors)),
    }
    root = Element("testsuites", {"name": "lane-lint", **counts})
    suite = SubElement(root, "testsuite", {"name": "lane-lint", **counts})
    for path in clean:
        _case(suite, path, "no findings")
    for finding in findings:
        _fail(suite, finding)
    for path, reason in report.errors:
        case = _case(suite, path, "could not be read")
        SubElement(case, "error", _legal({"message": reason, "type": "unreadable"}))
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


def _fail(suite: Element, finding: Finding) -> None:
    span = finding.span
    case = _case(suite, finding.path, f"{finding.code} {finding.name} (line {span.line}:{span.column + 1})")
    failure = SubElement(case, "failure", _legal({"message": finding.message, "type": finding.code}))
    place = f"{shown_path(finding.path)}:{span.line}:{span.column + 1}"
    failure.text = _legal_text(f"{place}: {finding.code} {finding.message}")


def _case(suite: Element, path: str, name: str) -> Element:
    return SubElement(suite, "testcase", _legal({"name": name, "classname": shown_path(path)}))


def _legal(attributes: Mapping[str, str]) -> dict[str, str]:
    return {name: _legal_text(value) for name, value in attributes.items()}


def _legal_text(text: str) -> str:
    r"""XML has no way at all to write most control characters; they are spelled as `\x1b`."""
    return _ILLEGAL.sub(lambda found: repr(found[0])[1:-1], text)
