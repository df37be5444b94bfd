"""GitLab's Code Quality report: a list, each entry with a fingerprint of its own."""

from __future__ import annotations

import json

from samples import finding_at

from lane_lint.finding import Span
from lane_lint.report import gitlab
from lane_lint.report.content import Report
from lane_lint.run import CheckedFile


def test_a_run_without_findings_is_an_empty_list(empty: Report, clean: Report) -> None:
    assert gitlab.render(empty) == gitlab.render(clean) == "[]\n"


def test_an_entry_has_what_gitlab_asks_for(full: Report) -> None:
    entries = json.loads(gitlab.render(full))
    assert entries[1] == {
        "description": "LAN103 what, why",
        "check_name": "LAN103 check-await-act",
        "fingerprint": "f1",
        "severity": "major",
        "location": {"path": "src/pool.py", "lines": {"begin": 3, "end": 3}},
    }
    assert [entry["severity"] for entry in entries] == ["major", "major", "minor", "info"]


def test_a_path_has_no_dot_in_front() -> None:
    found = finding_at("./src/pool.py", Span(1, 0, 1, 1))
    (entry,) = json.loads(gitlab.render(Report([CheckedFile("./src/pool.py", (found,), ("f1",))])))
    assert entry["location"]["path"] == "src/pool.py"


def test_no_two_entries_share_a_fingerprint() -> None:
    names = ("pool.py", "./pool.py", "a/../pool.py")
    files = [CheckedFile(name, (finding_at(name, Span(1, 0, 1, 1)),), ("f1",)) for name in names]
    first, again = (json.loads(gitlab.render(Report(files))) for _ in range(2))
    assert len({entry["fingerprint"] for entry in first}) == 3
    assert first == again
    assert "f1" in {entry["fingerprint"] for entry in first}


def test_odd_names_and_texts_are_json(odd: Report) -> None:
    (entry,) = json.loads(gitlab.render(odd))
    assert entry["location"]["path"].startswith(r"sp ace/%41:,\n\x1b")
