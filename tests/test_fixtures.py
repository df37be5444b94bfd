"""Every case of fixtures/LANnnn: findings on the marked lines, and on no other."""

from __future__ import annotations

from pathlib import Path

import pytest
from fixture_cases import CASES, case_name, due_codes

from lane_lint import Settings, check_source
from lane_lint.finding import Confidence

# Rules that are shown only to those who ask for findings of low confidence.
QUIET_RULES = frozenset({"LAN310"})

each_case = pytest.mark.parametrize("case", CASES, ids=case_name)


def test_there_are_cases() -> None:
    assert CASES


@each_case
def test_findings_are_on_the_marked_lines_only(case: Path) -> None:
    text = case.read_text(encoding="utf-8")
    due = due_codes(text)
    minimum = Confidence.LOW if case.parent.name in QUIET_RULES else Confidence.MEDIUM
    settings = Settings(min_confidence=minimum)
    findings = [(f.span.line, f.code) for f in check_source(text, path=str(case), settings=settings)]
    wrong = [(line, code) for line, code in findings if code not in due.get(line, ())]
    missed = {line: sorted(codes) for line, codes in due.items() if not any(at == line for at, _ in findings)}
    assert not wrong, f"false alarms: {wrong}"
    assert not missed, f"missed: {missed}"
    assert len(findings) == len(set(findings)), f"reported twice: {findings}"


@each_case
def test_bad_cases_are_marked_with_their_code_and_good_ones_are_not(case: Path) -> None:
    codes = {code for due in due_codes(case.read_text(encoding="utf-8")).values() for code in due}
    if case.stem.startswith("bad_"):
        assert case.parent.name in codes
    else:
        assert case.stem.startswith("good_"), "a case is called bad_... or good_..."
        assert not codes
