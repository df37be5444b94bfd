"""LAN310 post-refusal-ignored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lane_lint.finding import Confidence, Finding
from lane_lint.rule import Rule

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts


class PostRefusalIgnored(Rule):
    """The answer of try_post is dropped, so work that a closed lane refuses is lost without a sign.

    Bad:
        from lane_runtime import StateLane

        class Audit:
            def __init__(self):
                self._lane = StateLane()
                self._entries = []

            def note(self, entry):
                self._lane.try_post(lambda: self._entries.append(entry))

    Good:
        from lane_runtime import StateLane

        class Audit:
            def __init__(self):
                self._lane = StateLane()
                self._entries = []
                self._lost = 0

            def note(self, entry):
                if not self._lane.try_post(lambda: self._entries.append(entry)):
                    raise RuntimeError("the audit is closed")

    Silent on: answers that are returned, tested or kept.
    Source: state lane contract, section 5: TryPost is false when the lane is closed.
    Since: 0.1
    """

    code = "LAN310"
    name = "post-refusal-ignored"
    message = (
        "the answer of '{lane}.try_post' is dropped, so work that the lane refuses because it is closed is lost "
        "without a sign"
    )
    hint = "test the answer, or say beside it why the loss is fine"

    def check(self, function: FunctionFacts) -> Iterator[Finding]:
        for post in function.dropped_answers():
            yield self.finding(post.place.span, path=function.file, confidence=Confidence.LOW, lane=post.lane)
