"""What an exploration found, for people and for programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from lane_runtime.testing._outcome import Outcome
from lane_runtime.testing._trace import TraceLine

ProblemKind: TypeAlias = Literal[
    "no serial order", "invariant broken", "every task waits", "no end", "error", "scenario failed"
]


@dataclass(frozen=True, slots=True)
class Found:
    """An outcome, and the first schedule that led to it; `replay` takes its text."""

    outcome: Outcome
    schedule: str


@dataclass(frozen=True, slots=True)
class Problem:
    """The first run that is not as it should be.

    Attributes:
        kind: `no serial order`: the calls, overlapping, came to an outcome to which they come in no
            order one after the other; `invariant broken`; `every task waits`; `no end`: the run went
            on after `max_steps`; `error`: one that no caller saw; `scenario failed`: an async scenario.
        message: What is wrong, in one line.
        trace: The run step by step.
    """

    kind: ProblemKind
    message: str
    outcome: Outcome
    schedule: str
    trace: tuple[TraceLine, ...] = ()

    def __str__(self) -> str:
        lines = [f"{self.kind}: {self.message}", *(f"  {line}" for line in self.trace)]
        return "\n".join([*lines, f"replay: {self.schedule}"])


@dataclass(frozen=True, slots=True)
class Replayed:
    """One run under a given schedule.

    Attributes:
        schedule: The whole of it, also what the given text left to the usual course.
        failure: The error of the scenario itself, not of a call; None when it had none.
    """

    outcome: Outcome
    schedule: str
    failure: BaseException | None
    trace: tuple[TraceLine, ...]

    def __str__(self) -> str:
        return "\n".join([*map(str, self.trace), f"outcome: {self.outcome}"])


@dataclass(frozen=True, slots=True)
class Report:
    """What was tried and what came out.

    Attributes:
        tried: Schedules begun, duplicates and serial ones too.
        distinct: Schedules whose tasks took different steps, serial ones left out.
        exhausted: Whether there is no other schedule.
        serial: The distinct outcomes of the calls one after the other, in every order.
        serial_exhausted: Whether these are all; when not, an overlap may be blamed wrongly.
        overlapped: The distinct outcomes of other schedules, in the order in which they were found.
        problem: The first run that is not as it should be, or None.
    """

    tried: int
    distinct: int
    exhausted: bool
    serial: tuple[Found, ...]
    serial_exhausted: bool
    overlapped: tuple[Found, ...]
    problem: Problem | None

    @property
    def is_clean(self) -> bool:
        """Whether no run was found that is not as it should be."""
        return self.problem is None

    def __str__(self) -> str:
        extent = "all there are" if self.exhausted else "more are left"
        head = f"{self.tried} schedules tried, {self.distinct} distinct, {extent}"
        if self.problem is None:
            return f"{head}; none is wrong"
        lines = [head, str(self.problem)]
        if self.problem.kind == "no serial order":
            lines += [f"in order: {found.outcome}" for found in self.serial]
        return "\n".join(lines)
