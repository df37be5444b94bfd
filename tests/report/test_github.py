"""GitHub's workflow commands: one line each, whatever is in the message or the name."""

from __future__ import annotations

from lane_lint.report import github
from lane_lint.report.content import Report


def test_a_run_without_findings_prints_nothing(empty: Report, clean: Report) -> None:
    assert github.render(empty) == github.render(clean) == ""


def test_a_finding_is_a_command_of_its_confidence(full: Report) -> None:
    title = "title=LAN103 check-await-act::what, why"
    assert github.render(full).splitlines() == [
        "::error file=broken.py,line=1,endLine=1,title=LAN901 not-analysed::no Python",
        f"::error file=src/pool.py,line=3,endLine=3,col=5,endColumn=10,{title}",
        f"::warning file=src/pool.py,line=5,endLine=6,{title}",
        f"::notice file=src/pool.py,line=7,endLine=7,col=1,endColumn=4,{title}",
        "::error file=gone.py,title=lane-lint::gone.py: No such file or directory",
    ]


def test_what_would_end_a_line_or_a_property_is_escaped(odd: Report) -> None:
    command, error, *rest = github.render(odd).split("\n")
    assert rest == [""]
    assert command.startswith(r"::error file=sp ace/%2541%3A%2C\n\x1b")
    properties, _, message = command.removeprefix("::error ").partition("::")
    assert [word.partition("=")[0] for word in properties.split(",")] == [
        "file", "line", "endLine", "col", "endColumn", "title",
    ]  # fmt: skip
    assert message.startswith("1 %25 2, <a & b>: 'x'%0D%0A")
    assert "%0D%0A" in error
