"""What a proof comes to."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Literal, TypeAlias

VerdictKind: TypeAlias = Literal[
    "lost update",
    "double effect",
    "crash",
    "contradictory answers",
    "stale fill",
    "not convicted",
    "cannot be made",
]


@dataclass(frozen=True)
class Verdict:
    """Whether an overlap was found that no order of the calls allows.

    Attributes:
        kind: Which sort of overlap; `not convicted` when none was found, `cannot be made` when the
            functions could not be run at all.
        words: What is wrong with the overlap, in a sentence.
        setting: The calls and what they start from.
        trace: The overlap, step by step.
        schedule: Replays it.
        orders: What the calls come to one after the other.
        outcome: What they come to in the overlap.
        tried: Schedules tried in all.
        missing: Modules that are not installed here; stand-ins took their place.
        problems: Why some of the settings could not be run.
    """

    kind: VerdictKind
    words: str
    setting: str = ""
    trace: tuple[str, ...] = ()
    schedule: str = ""
    orders: tuple[str, ...] = ()
    outcome: str = ""
    tried: int = 0
    missing: tuple[str, ...] = ()
    problems: tuple[str, ...] = field(default=())

    @property
    def convicts(self) -> bool:
        """Whether the overlap is wrong, if the two calls may overlap."""
        return self.kind not in ("not convicted", "cannot be made")

    def to_json(self) -> str:
        """One line of JSON."""
        return json.dumps(asdict(self), default=str)

    def __str__(self) -> str:
        lines = [f"{self.kind}: {self.words}"]
        if self.convicts:
            lines += [f"if these two calls may overlap: {self.setting}", *self.trace]
            lines += [f"in order: {order}" for order in self.orders]
            lines += [f"overlapping: {self.outcome}", f"replay: {self.schedule}"]
        return "\n".join(lines)
