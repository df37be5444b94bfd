"""`# noqa` means to the command what it means to flake8."""

from __future__ import annotations

import argparse

import pytest
from flake8.defaults import NOQA_FILE
from flake8.processor import FileProcessor
from flake8.violation import Violation

from lane_lint.finding import Confidence, Finding, Span
from lane_lint.source import Source
from lane_lint.suppress import is_file_suppressed, without_suppressed

COMMENTS = [
    "# noqa", "#noqa", "# NOQA", "# NoQa: LAN103", "# noqa:LAN103", "# noqa : LAN103", "# noqa: LAN1", "# noqa: E501",
    "# noqa: E501,LAN103", "# noqa: E501 LAN103", "# noqa: E501, LAN103 because", "# noqa: because", "# noqa:  LAN103",
    "# noqa: lan103", "# noqa LAN101", "# type: ignore # noqa: LAN103", "# noqa: LAN103 # more", "# noqa:LAN101,,LAN103",
    "# noqa-line", "## noqa", "# no qa", "# noqa: LAN",
]  # fmt: skip
FILE_COMMENTS = [
    "# flake8: noqa", "# flake8=noqa", "  # FLAKE8: NOQA", "# flake8:noqa", "# flake8: noqa: LAN103", "x = 1  # flake8: noqa",
    "#flake8: noqa", "# flake8: noqa and more",
]  # fmt: skip
TEXTS = [
    "x = '''\na\n'''  # noqa\ny = 1\n",
    "x = '''  # noqa\na\n'''\ny = 1\n",
    "x = 1 + \\\n    2  # noqa\ny = 1\n",
    "x = (\n    1,  # noqa\n    2,\n)\ny = 1\n",
    "f(\n    '''\n    a\n    ''',  # noqa: LAN103\n)\n",
    "def f():\n    x = f'''{1}\n    a'''  # noqa\n    return x\n",
    "\f\nx = 1  # noqa\n",
    "x = (  # noqa\n",
    "if x:\n    pass  # noqa\n  y\n",
    "x = 1\n# noqa\ny = 2\n",
    "x = '# noqa'\n",
]


def finding_on(line: int) -> Finding:
    return Finding("a.py", Span(line, 0, line, 1), "LAN103", "name", "message", Confidence.HIGH)


def flake8_shows(text: str, line: int) -> bool:
    options = argparse.Namespace(
        hang_closing=False,
        indent_size=4,
        max_line_length=79,
        max_doc_length=None,
        verbose=0,
        disable_noqa=False,
    )
    lines = list(Source.from_text("a.py", text).lines)
    physical = FileProcessor("a.py", options, lines).noqa_line_for(line)
    if physical is None:  # flake8 looks the line up in the file then
        physical = lines[line - 1]
    return not Violation("LAN103", "a.py", line, 1, "message", physical).is_inline_ignored(False)


@pytest.mark.parametrize("text", [*(f"x = 1  {comment}\n" for comment in COMMENTS), *TEXTS])
def test_the_same_lines_are_covered(text) -> None:
    lines = Source.from_text("a.py", text).lines
    for number in range(1, len(lines) + 1):
        is_shown = without_suppressed([finding_on(number)], lines) != []
        assert is_shown == flake8_shows(text, number), f"line {number}"


@pytest.mark.parametrize("comment", FILE_COMMENTS)
def test_the_same_files_are_covered(comment) -> None:
    assert is_file_suppressed([f"{comment}\n"]) == bool(NOQA_FILE.match(comment))
