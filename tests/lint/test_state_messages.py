"""What the rules on the wrong mechanism say: one whole message each, for the bad example of the rule's page."""

from __future__ import annotations

import pytest

from lane_lint import check_source
from lane_lint.rules import rule_of_code

MESSAGES = {
    "LAN201": (
        "'self._guest_on' (a concurrent map) is changed here and 'self._seat_of' (a concurrent map) was changed on "
        "line 9, each synchronised by itself; others see and change them in between. Let one lane own both as plain "
        "collections, and do this in one turn [docs/rules/LAN201.md]"
    ),
    "LAN202": (
        "the semaphore 'self._permit' guards 'self._notes' and 'self._sum' together. Let one lane own them, and "
        "change and read them in its turns [docs/rules/LAN202.md]"
    ),
    "LAN203": (
        "'self._left' is read outside any turn, and the turn 'tie_on_lane' writes it on line 11. Ask for it in a "
        "turn: lane.run(...) [docs/rules/LAN203.md]"
    ),
    "LAN204": (
        "'self._owners' is changed here because of a look at it on line 8; each operation is atomic, but others can "
        "change it between the two. Use one operation that does both, such as add_if_absent, setdefault or "
        "compare_and_set [docs/rules/LAN204.md]"
    ),
    "LAN205": (
        "the live object 'self._prices' is returned by the turn 'the lambda' as it is, and 'put' (line 9) changes it "
        "in place while others read it. Let a copy leave the turn [docs/rules/LAN205.md]"
    ),
    "LAN206": (
        "'put' overrides 'put' of 'Basket', which is a turn of the lane, but touches 'self._items' on line 14 outside "
        "any turn. Make the override a turn too: with @turn, or with lane.run(...) around its body "
        "[docs/rules/LAN206.md]"
    ),
}


@pytest.mark.parametrize("code", sorted(MESSAGES))
def test_the_message_says_what_where_why_and_what_to_do(code: str) -> None:
    rule = rule_of_code(code)
    assert rule is not None
    findings = [
        found for found in check_source(rule.documentation().bad, path="page.py") if found.code == code
    ]
    assert [found.message for found in findings] == [MESSAGES[code]]


def test_locks_and_lanes_are_named() -> None:
    text = """
import asyncio
from lane_runtime import StateLane

class Pairs:
    def __init__(self):
        self._lane = StateLane()
        self._lock = asyncio.Lock()
        self._left = {}
        self._right = {}

    async def tie(self, a, b):
        await self._lane.run(lambda: self._left.update({a: b}))
        async with self._lock:
            self._right[b] = a
"""
    (found,) = check_source(text, path="pairs.py")
    assert "'self._right' (the lock 'self._lock')" in found.message
    assert "'self._left' (the lane 'self._lane')" in found.message
    assert [(other.span.line, other.message) for other in found.related] == [
        (13, "'self._left' was changed here")
    ]
