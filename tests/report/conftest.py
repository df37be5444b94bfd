"""Reports to render: without a file, with clean files only, with findings, with odd names and texts."""

from __future__ import annotations

from pathlib import Path

import pytest
from samples import ODD_NAME, ODD_TEXT, finding_at

from lane_lint.finding import Confidence, Finding, Span
from lane_lint.report.content import Report
from lane_lint.run import CheckedFile


@pytest.fixture(autouse=True)
def _stand_in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def empty() -> Report:
    return Report([])


@pytest.fixture
def clean() -> Report:
    return Report([CheckedFile("a.py"), CheckedFile("b.py")])


@pytest.fixture
def full() -> Report:
    """A finding of each confidence, one over two lines, one of a whole file; the last file could not be read."""
    findings = (
        finding_at("src/pool.py", Span(3, 4, 3, 9)),
        finding_at("src/pool.py", Span(5, 0, 6, 2), Confidence.MEDIUM),
        finding_at("src/pool.py", Span(7, 0, 7, 3), Confidence.LOW),
    )
    whole = Finding("broken.py", Span(1, 0, 1, 0), "LAN901", "not-analysed", "no Python", Confidence.HIGH)
    files = [
        CheckedFile("src/pool.py", findings, ("f1", "f2", "f3")),
        CheckedFile("broken.py", (whole,), ("f4",)),
        CheckedFile("clean.py"),
        CheckedFile("gone.py", error="No such file or directory"),
    ]
    return Report(files, [("gone.py", "No such file or directory")])


@pytest.fixture
def odd() -> Report:
    """A file whose name is no text and has an end of line, a message with what no format can write as it is."""
    found = finding_at(ODD_NAME, Span(3, 4, 3, 9), text=ODD_TEXT)
    return Report([CheckedFile(ODD_NAME, (found,), ("f1",))], [(ODD_NAME, ODD_TEXT)])


@pytest.fixture(params=["empty", "clean", "full", "odd"])
def any_report(request: pytest.FixtureRequest) -> Report:
    report = request.getfixturevalue(request.param)
    assert isinstance(report, Report)
    return report
