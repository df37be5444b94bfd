"""SARIF 2.1.0, for code scanning services and editors."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, metadata

import lane_lint
from lane_lint.finding import Confidence, Finding, Span
from lane_lint.report.content import Report
from lane_lint.report.explanation import as_markdown, as_text
from lane_lint.report.places import one_line, uri_of
from lane_lint.rule import Rule, page_of
from lane_lint.rules import all_rules

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
FINGERPRINT = "laneLint/v1"
_ROOT = "%SRCROOT%"
_LEVELS = {Confidence.HIGH: "error", Confidence.MEDIUM: "warning", Confidence.LOW: "note"}


def render(report: Report) -> str:
    """A log of one run, with every rule and whatever could not be read.

    Source: OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0".
    """
    rules = all_rules()
    places = {rule.code: index for index, rule in enumerate(rules)}
    run = {
        "tool": {"driver": _driver(rules)},
        "invocations": [_invocation(report.errors)],
        "originalUriBaseIds": {
            _ROOT: {"description": {"text": "The folder in which lane-lint was started."}}
        },
        "columnKind": "unicodeCodePoints",
        "results": [_result(*pair, places[pair[0].code]) for pair in report.findings()],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _driver(rules: Sequence[Rule]) -> dict[str, object]:
    base = _base_of_pages()
    return {
        "name": "lane-lint",
        "version": lane_lint.__version__,
        **({"informationUri": base} if base else {}),
        "rules": [_rule(rule, base) for rule in rules],
    }


def _base_of_pages() -> str | None:
    """Where the documentation stands, as the installed distribution says; pages are relative to it."""
    try:
        addresses = metadata("state-lane").get_all("Project-URL", [])
    except PackageNotFoundError:
        return None
    pairs = (address.partition(",") for address in addresses)
    return next((url.strip().rstrip("/") for label, _, url in pairs if label == "Documentation"), None)


def _rule(rule: Rule, base: str | None) -> dict[str, object]:
    doc = rule.documentation()
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": doc.summary},
        "fullDescription": {"text": doc.explanation or doc.summary},
        "help": {"text": as_text(rule), "markdown": as_markdown(rule)},
        **({"helpUri": f"{base}/{page_of(rule.code)}"} if base else {}),
        "defaultConfiguration": {"level": "warning"},
    }


def _invocation(errors: Sequence[tuple[str, str]]) -> dict[str, object]:
    return {
        "executionSuccessful": not errors,
        "toolExecutionNotifications": [
            {
                "level": "error",
                "message": {"text": f"{one_line(path)}: {one_line(reason)}"},
                "locations": [{"physicalLocation": {"artifactLocation": _artifact(path)}}],
            }
            for path, reason in errors
        ],
    }


def _result(finding: Finding, fingerprint: str, index: int) -> dict[str, object]:
    return {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": _LEVELS[finding.confidence],
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": _physical(finding.path, finding.span)}],
        "relatedLocations": [
            {
                "id": number,
                "physicalLocation": _physical(finding.path, other.span),
                "message": {"text": other.message},
            }
            for number, other in enumerate(finding.related, 1)
        ],
        "partialFingerprints": {FINGERPRINT: fingerprint},
        "properties": {"confidence": str(finding.confidence)},
    }


def _physical(path: str, span: Span) -> dict[str, object]:
    return {"artifactLocation": _artifact(path), "region": _region(span)}


def _artifact(path: str) -> dict[str, str]:
    uri = uri_of(path)
    return {"uri": uri} if uri.startswith("file:") else {"uri": uri, "uriBaseId": _ROOT}


def _region(span: Span) -> dict[str, int]:
    """The span; one without width is all of its line."""
    if (span.line, span.column) == (span.end_line, span.end_column):
        return {"startLine": span.line}
    return {
        "startLine": span.line,
        "startColumn": span.column + 1,
        "endLine": span.end_line,
        "endColumn": span.end_column + 1,
    }
