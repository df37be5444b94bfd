"""Every syntax of the grammar is read: programs that hypothesmith makes. `nox -s odd_input` installs it."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from lane_lint import Confidence, Settings, check_source

hypothesmith = pytest.importorskip("hypothesmith", reason="hypothesmith is not installed")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1_800)]

EVERY_FINDING = Settings(min_confidence=Confidence.LOW)
# The gate would let hardly any of these in; a class that suspends and shares state opens it.
FRAME = """\
class Service:
    async def work(self):
        if self.state is None:
            self.state = await self.made()
{}
    async def reset(self):
        self.state = None
"""


@settings(max_examples=500, deadline=None, suppress_health_check=list(HealthCheck))
@given(hypothesmith.from_grammar() | hypothesmith.from_node())
def test_any_syntax_is_read(text) -> None:
    findings = check_source(text, settings=EVERY_FINDING)
    assert [finding for finding in findings if "internal error" in finding.message] == []


@settings(max_examples=500, deadline=None, suppress_health_check=list(HealthCheck))
@given(hypothesmith.from_node())
def test_any_syntax_in_a_coroutine_is_read(text) -> None:
    body = "".join(f"        {line}\n" for line in text.splitlines())
    findings = check_source(FRAME.format(body), settings=EVERY_FINDING)
    assert [finding for finding in findings if "internal error" in finding.message] == []
