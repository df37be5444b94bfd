"""Every example of docs/testing.md is a whole program that asserts its own outcome."""

from __future__ import annotations

import inspect
import linecache
import re
from pathlib import Path

import pytest

import lane_runtime.testing
from lane_runtime.testing import explore

PAGE = Path(__file__).resolve().parents[2] / "docs" / "testing.md"
TEXT = PAGE.read_text(encoding="utf-8")
EXAMPLES = [
    (TEXT.count("\n", 0, found.start(1)), found[1])
    for found in re.finditer(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
]


def run(line: int, code: str) -> dict[str, object]:
    names: dict[str, object] = {"__name__": "__main__"}
    exec(compile("\n" * line + code, str(PAGE), "exec"), names)
    return names


@pytest.mark.parametrize(("line", "code"), EXAMPLES, ids=[f"line {line}" for line, _ in EXAMPLES])
def test_the_example_does_what_it_says(line: int, code: str) -> None:
    assert "assert " in code
    for name, value in run(line, code).items():
        if name.startswith("test_") and inspect.isfunction(value):
            value(explore)


def test_the_printed_report_is_what_is_printed() -> None:
    shown = re.search(r"^```text\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    assert shown is not None
    code = EXAMPLES[0][1]
    linecache.cache["account.py"] = (len(code), None, code.splitlines(keepends=True), "account.py")
    names: dict[str, object] = {}
    exec(compile(code, "account.py", "exec"), names)
    assert str(names["report"]) + "\n" == shown[1]


def test_the_kinds_of_problems_are_on_the_page() -> None:
    from typing import get_args

    from lane_runtime.testing._report import ProblemKind

    assert [kind for kind in get_args(ProblemKind) if f"`{kind}`" not in TEXT] == []


def test_the_page_says_what_is_public() -> None:
    names = ["explore", "replay", "OutsideRefusedError", "DivergedError", "Outcome"]
    assert [name for name in names if name not in TEXT or name not in lane_runtime.testing.__all__] == []


@pytest.mark.parametrize(("line", "code"), EXAMPLES, ids=[f"line {line}" for line, _ in EXAMPLES])
def test_the_checker_finds_what_the_example_says_and_nothing_else(line: int, code: str) -> None:
    pytest.importorskip("libcst")
    from lane_lint import check_source

    found = {(finding.span.line, finding.code) for finding in check_source(code)}
    said = {
        (number, name)
        for number, text in enumerate(code.splitlines(), 1)
        for name in re.findall(r"LAN\d{3}", text)
    }
    assert found == said
