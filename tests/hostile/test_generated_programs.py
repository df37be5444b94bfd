"""Programs that nobody would write end in findings, the same ones in each face and each time."""

from __future__ import annotations

import ast
import warnings

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from programs import program

from lane_lint import Confidence, Finding, Settings, check_source
from lane_lint.engine import check_module
from lane_lint.source import Source

PROGRAMS = st.randoms(use_true_random=False).map(program)
EVERY_FINDING = Settings(min_confidence=Confidence.LOW)


def findings_as_flake8_asks(text: str) -> list[Finding]:
    source = Source.from_lines("<source>", text.splitlines(keepends=True))
    return check_module(source, EVERY_FINDING, ast.parse(text))


def is_python(text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "made", "exec", dont_inherit=True)
        except SyntaxError:
            return False
    return True


def assert_read(text: str) -> None:
    found = check_source(text, settings=EVERY_FINDING)
    assert [finding for finding in found if finding.code == "LAN901"] == []
    assert findings_as_flake8_asks(text) == found
    assert check_source(text, settings=EVERY_FINDING) == found


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(PROGRAMS)
def test_made_programs_are_read_alike_by_both_faces(text) -> None:
    assume(is_python(text))
    assert_read(text)


@pytest.mark.slow
@pytest.mark.timeout(900)
@settings(max_examples=1_500, deadline=None, suppress_health_check=list(HealthCheck))
@given(PROGRAMS)
def test_many_made_programs_are_read_alike_by_both_faces(text) -> None:
    assume(is_python(text))
    assert_read(text)
