"""Text: a line for a finding, its source below it on request, colours for who sees them."""

from __future__ import annotations

import dataclasses

import pytest
from samples import finding_at

from lane_lint.finding import Confidence, Finding, Related, Span
from lane_lint.report import text
from lane_lint.report.content import Report
from lane_lint.report.excerpt import LONGEST_LINE, excerpt_of
from lane_lint.report.painter import Painter
from lane_lint.run import CheckedFile, check_bytes
from lane_lint.settings import Settings


def excerpt(line: str, marked: str, *related: Related) -> list[str]:
    """The excerpt for a finding on `marked` in line 10."""
    start = line.index(marked)
    span = Span(10, start, 10, start + len(marked))
    finding = Finding("a.py", span, "LAN103", "check-await-act", "what", Confidence.HIGH, related)
    return list(excerpt_of(finding, {9: "nine\n", 10: f"{line}\n", 11: "eleven\n"}, Painter()))


def test_a_run_without_findings_prints_nothing(empty: Report, clean: Report) -> None:
    assert text.render(empty) == text.render(clean) == ""


def test_a_finding_is_one_line_whatever_its_name_and_text(odd: Report) -> None:
    (line,) = text.render(odd).splitlines()
    assert line.startswith(r"sp ace/%41:,\n\x1b")
    assert r":3:5: LAN103 1 % 2, <a & b>: 'x'\r\n\x1b[31m \x00" in line


def test_the_source_shows_the_place_and_what_belongs_to_it() -> None:
    related = (Related(Span(11, 0, 11, 6), "act here"), Related(Span(9, 1, 9, 3), "read here"))
    assert excerpt("    self.size = 1", "self.size", *related) == [
        "   9 | nine",
        "     |  ~~ read here",
        "  10 |     self.size = 1",
        "     |     ^^^^^^^^^",
        "  11 | eleven",
        "     | ~~~~~~ act here",
    ]


def test_two_places_on_one_line_show_it_once() -> None:
    shown = excerpt("x = await f(x)", "x", Related(Span(10, 4, 10, 14), "other tasks run here"))
    assert shown == ["  10 | x = await f(x)", "     | ^", "     |     ~~~~~~~~~~ other tasks run here"]


def test_a_span_over_several_lines_is_marked_to_the_end_of_the_first() -> None:
    finding = Finding("a.py", Span(1, 2, 4, 1), "LAN103", "check-await-act", "what", Confidence.HIGH)
    assert list(excerpt_of(finding, {1: "  call(  \n"}, Painter())) == ["  1 |   call(", "    |   ^^^^^"]


@pytest.mark.parametrize(
    ("line", "underline"),
    [
        ("\tx\t= 1", "\t^"),
        ("'\N{CJK UNIFIED IDEOGRAPH-4E16}\N{CJK UNIFIED IDEOGRAPH-754C}' + x", "         ^"),
        ("'e\N{COMBINING ACUTE ACCENT}' + x", "      ^"),
        ("'\N{PILE OF POO}' + x", "       ^"),
        ("'\x1b[31m' + x", "          ^"),
    ],
    ids=["tab", "wide", "combining", "emoji", "control"],
)
def test_a_caret_stands_below_what_it_marks(line: str, underline: str) -> None:
    assert excerpt(line, "x") == [f"  10 | {line}".replace("\x1b", "\ufffd"), f"     | {underline}"]


def test_a_wide_name_is_underlined_to_its_width() -> None:
    name = "\N{CJK UNIFIED IDEOGRAPH-4E16}\N{CJK UNIFIED IDEOGRAPH-754C}"
    assert excerpt(f"self.{name} = 1", name)[1] == "     |      ^^^^"


def test_what_turns_the_direction_of_text_is_not_shown() -> None:
    (shown, _) = excerpt("x = 1  # \N{RIGHT-TO-LEFT OVERRIDE}", "x")
    assert shown == "  10 | x = 1  # \ufffd"


@pytest.mark.parametrize("before", [0, 30, 500])
def test_of_a_long_line_the_part_around_the_place_is_shown(before: int) -> None:
    line = "a" * before + " here " + "b" * 500
    shown, marked = excerpt(line, "here", Related(Span(10, before + 400, 10, before + 410), "too far away"))
    assert len(shown) <= LONGEST_LINE + len("  10 | ……")
    assert shown[marked.index("^") :].startswith("here")
    assert marked.endswith(" ^^^^")


def test_a_file_as_a_whole_has_no_excerpt(full: Report) -> None:
    broken = check_bytes("broken.py", b"x = (\n", Settings())
    lines = text.render(Report([broken], has_source=True)).splitlines()
    assert len(lines) == 2
    assert lines[1] == ""


def test_a_line_that_is_not_there_has_no_excerpt() -> None:
    finding = finding_at("a.py", Span(7, 0, 7, 3))
    report = Report([CheckedFile("a.py", (finding,), ("f1",))], has_source=True)
    assert text.render(report) == "a.py:7:1: LAN103 what, why\n\n"


def test_colours_change_nothing_but_colours(full: Report) -> None:
    import re

    files = [dataclasses.replace(file, lines={3: "    self.size = 1\n"}) for file in full.files]
    plain = Report(files, has_source=True)
    colored = text.render(dataclasses.replace(plain, is_colored=True))
    assert "\x1b[1;31mLAN103\x1b[0m" in colored
    assert "\x1b" not in text.render(plain)
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == text.render(plain)


def test_the_lines_of_a_finding_come_with_it() -> None:
    data = (
        b"class A:\n    def __init__(self):\n        self.x = None\n\n    async def get(self):\n"
        b"        if self.x is None:\n            self.x = await f()\n        return self.x\n"
    )
    checked = check_bytes("a.py", data, Settings())
    assert checked.lines == {6: "        if self.x is None:\n", 7: "            self.x = await f()\n"}
