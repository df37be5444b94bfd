"""What one run of a proof has made: the world, the stand-ins, the objects of the project."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

from lane_runtime.testing._call import current_call
from lane_runtime.testing._operation import Raisable
from lane_runtime.testing._world import World
from lane_runtime.testing.proof._stand_in import StandIn

PATIENCE = 1
FIRST_MOMENT = 1_000_000.0


class Stage:
    """Everything that must be new in each run.

    Attributes:
        closed: Tags of answers that were closed, aborted or given back.
        arguments_are_true: What a test of an argument finds.
        now: What the clocks say.
        written: How many attributes of the project's objects have been set.
    """

    def __init__(self, world: World, fails: tuple[Raisable, ...]) -> None:
        self.world = world
        self.closed: set[str] = set()
        self.arguments_are_true = True
        self.written = 0
        self.now = FIRST_MOMENT
        self.shared: dict[str, Any] = {}
        self._fails = fails
        self._answers: Counter[tuple[str, str]] = Counter()
        self._asked: Counter[tuple[str, str]] = Counter()

    def stand_in(self, path: str, tag: str = "") -> StandIn:
        """A stand-in for what has this name."""
        return StandIn(self, path, tag)

    @property
    def is_setting_up(self) -> bool:
        """Whether no call runs: the module's own body, or a constructor."""
        return current_call() is None

    def tag_for(self, path: str) -> str:
        """Who asks, and how often it has: the same in each schedule."""
        name = _name_of_call()
        self._answers[name, path] += 1
        return f"{name}/{self._answers[name, path]}"

    def operation(self, asked: StandIn, answer: object) -> asyncio.Future[Any]:
        """Begin an outside operation."""
        path = asked._path.rstrip("()")
        return self.world.begin(
            path, work=None, answer=answer, raises=self._fails, arguments=asked.__dict__["_given"]
        )

    def is_worn_out(self, path: str, tag: str) -> bool:
        """Whether an answer has been looked at so often that a loop on it should end."""
        if not tag:
            return False
        _, _, number = tag.rpartition("/")
        return path.endswith("()") and int(number) > PATIENCE


def _name_of_call() -> str:
    call = current_call()
    return "the set-up" if call is None else call.name
