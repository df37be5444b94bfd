"""How sure a finding is: who else writes, whether the class is used by several tasks, who owns it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from lane_lint.finding import Confidence
from lane_lint.flow.locks import lock_kind

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts
    from lane_lint.model.path import Path


class Evidence:
    """What speaks for and against a defect in one function really happening."""

    def __init__(self, facts: FunctionFacts) -> None:
        self._facts = facts

    def confidence(self, path: Path, *, is_certain: bool = False) -> Confidence:
        """The confidence of a complete shape on a path.

        Args:
            is_certain: The shape itself is evidence: the stale value is written back.
        """
        facts = self._facts
        rivals = facts.rivals(path)
        if (rivals or is_certain) and self.shows_concurrency:
            return Confidence.HIGH
        return Confidence.MEDIUM

    @cached_property
    def shows_concurrency(self) -> bool:
        """Whether the class has a lock or a lane, or starts tasks."""
        owner = self._facts.unit.owner
        if owner is None:
            functions = list(self._facts.program.module.functions.values())
            makers = self._facts.program.module.global_makers.values()
        else:
            family = self._facts.program.family(owner)
            functions = [f for each in family for f in each.functions()]
            makers = [m for each in family for m in each.makers.values()]  # type: ignore[assignment]  # both are read only
        return any(f.sketch.starts_tasks for f in functions) or any(lock_kind(m) is not None for m in makers)
