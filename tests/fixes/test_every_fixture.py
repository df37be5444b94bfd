"""What holds for every fix, shown on the bad fixtures of the codes that have one."""

from __future__ import annotations

import ast
from collections import Counter
from difflib import SequenceMatcher
from pathlib import Path

import pytest
from fixture_cases import FIXTURES, case_name

from lane_lint import check_source
from lane_lint.fixes import fixable_codes
from lane_lint.fixes.files import fix_bytes
from lane_lint.fixes.fixing import Fixed
from lane_lint.settings import Settings

CASES = [case for code in fixable_codes() for case in sorted((FIXTURES / code).glob("bad_*.py"))]
LINE_ENDS = ["\n", "\r\n", "\r"]


def fixed(data: bytes) -> Fixed:
    return fix_bytes("case.py", data, Settings())


def codes_in(data: bytes) -> Counter[str]:
    return Counter(finding.code for finding in check_source(data, path="case.py"))


@pytest.fixture(params=CASES, ids=case_name)
def case(request: pytest.FixtureRequest) -> Path:
    return request.param


def test_some_cases_of_every_code_are_mended() -> None:
    mended = {finding.code for case in CASES for finding in fixed(case.read_bytes()).mended}
    assert mended == set(fixable_codes())


def test_fixing_twice_changes_nothing(case: Path) -> None:
    once = fixed(case.read_bytes()).data
    assert fixed(once).data == once


def test_a_finding_goes_or_is_said_and_all_others_stay(case: Path) -> None:
    data = case.read_bytes()
    done = fixed(data)
    mended = Counter(finding.code for finding in done.mended)
    assert codes_in(done.data) == codes_in(data) - mended
    found = [finding for finding in check_source(data, path="case.py") if finding.code in fixable_codes()]
    assert sorted(found) == sorted([*done.mended, *(finding for finding, _ in done.left)])


def test_only_statements_with_a_mended_finding_and_imports_change(case: Path) -> None:
    data = case.read_bytes()
    done = fixed(data)
    old, new = statements(data), statements(done.data)
    spans = [finding.span for finding in done.mended]
    for kind, first, last, _, _ in SequenceMatcher(
        None, [text for _, text in old], [text for _, text in new]
    ).get_opcodes():
        if kind == "equal":
            continue
        for node, text in old[first:last]:
            holds = any(node.lineno <= span.line <= (node.end_lineno or 0) for span in spans)
            assert holds or "lane_runtime" in text, text


def statements(data: bytes) -> list[tuple[ast.stmt, str]]:
    """The statements that hold no others, in the order of the text; of compound ones their heads."""
    nodes = [node for node in ast.walk(ast.parse(data)) if isinstance(node, ast.stmt)]
    found = []
    for node in sorted(nodes, key=lambda each: (each.lineno, each.col_offset)):
        head = {
            name: value
            for name, value in ast.iter_fields(node)
            if name not in ("body", "orelse", "finalbody")
        }
        found.append((node, str([type(node), *map(dump, head.values())])))
    return found


def dump(value: object) -> str:
    if isinstance(value, list):
        return str([dump(each) for each in value])
    return ast.dump(value) if isinstance(value, ast.AST) else repr(value)


@pytest.mark.parametrize("end", LINE_ENDS[1:], ids=repr)
def test_other_line_ends_make_no_difference(case: Path, end: str) -> None:
    data = case.read_bytes()
    expected = fixed(data).data.replace(b"\n", end.encode())
    assert fixed(data.replace(b"\n", end.encode())).data == expected


def test_lines_outside_of_the_change_keep_their_bytes(case: Path) -> None:
    """Each line gets an end of its own kind in turn; every old line that is there still has its own."""
    lines = case.read_bytes().split(b"\n")
    mixed = b"".join(line + LINE_ENDS[number % 3].encode() for number, line in enumerate(lines[:-1]))
    done = fixed(mixed)
    old, new = split(mixed), split(done.data)
    matched = sum(
        block.size for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    )
    changed = len(old) - matched
    assert changed <= sum(1 + finding.span.end_line - finding.span.line for finding in done.mended) + 1
    assert fixed(done.data).data == done.data


def split(data: bytes) -> list[bytes]:
    return (
        data.replace(b"\r\n", b"\0")
        .replace(b"\n", b"\n\1")
        .replace(b"\r", b"\r\1")
        .replace(b"\0", b"\r\n\1")
        .split(b"\1")
    )
