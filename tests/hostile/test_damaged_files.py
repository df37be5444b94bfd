"""A damaged file ends in findings or in one LAN901 that says what is wrong with it."""

from __future__ import annotations

import random
import warnings
from importlib.util import decode_source

import pytest
from damage import DAMAGES
from fixture_cases import CASES, case_name

from lane_lint import Confidence, Settings, check_source

EVERY_FINDING = Settings(min_confidence=Confidence.LOW)


def is_python(data: bytes) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            # Given bytes, compile() lets comments pass that are not in the file's encoding.
            compile(decode_source(data), "damaged", "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return False
    return True


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_damaged_files_are_findings_or_one_that_says_why(damage) -> None:
    outcomes = set()
    for case in CASES:
        damaged = damage(case.read_bytes(), random.Random(f"{damage.__name__} {case_name(case)}"))
        findings = check_source(damaged, settings=EVERY_FINDING)
        unread = [f for f in findings if f.code == "LAN901" and "this file was not analysed" in f.message]
        assert not any("internal error" in f.message for f in findings), case
        assert not unread or findings == unread, case
        if is_python(damaged):
            assert not unread, case
        outcomes.add(bool(unread))
    assert outcomes == {True, False}  # neither kind of damage is without effect, nor fatal each time
