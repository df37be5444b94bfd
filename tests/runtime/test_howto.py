"""Every example of docs/runtime.md is a whole program that asserts its own outcome."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import lane_runtime

pytestmark = pytest.mark.timeout(30)

PAGE = Path(__file__).resolve().parents[2] / "docs" / "runtime.md"
TEXT = PAGE.read_text(encoding="utf-8")
EXAMPLES = [
    (TEXT.count("\n", 0, found.start(1)), found[1])
    for found in re.finditer(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
]


@pytest.mark.parametrize(("line", "code"), EXAMPLES, ids=[f"line {line}" for line, _ in EXAMPLES])
def test_the_example_does_what_it_says(line: int, code: str) -> None:
    assert "assert " in code
    program = compile("\n" * line + code, str(PAGE), "exec")
    exec(program, {"__name__": "__main__"})


def test_each_public_name_is_on_the_page() -> None:
    names = [name for name in lane_runtime.__all__ if name != "__version__"]
    assert [name for name in names if not re.search(rf"\b{name}\b", TEXT)] == []


def test_no_other_code_block_is_left_out() -> None:
    assert len(EXAMPLES) * 2 == TEXT.count("```")


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
