"""What rules ask: the facts of one function, with positions and names an author knows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from lane_lint.finding import Related, Span
from lane_lint.flow import evidence, guards, loops, registries, resets, stale, turns
from lane_lint.model.path import display

if TYPE_CHECKING:
    from lane_lint.finding import Confidence
    from lane_lint.flow.program import Program
    from lane_lint.flow.records import FunctionResult, Records
    from lane_lint.flow.unit import Unit
    from lane_lint.flow.values import Hold
    from lane_lint.model.path import Path
    from lane_lint.outline import FunctionOutline


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the function: its span, made when it is asked for."""

    facts: FunctionFacts
    site: int

    @property
    def span(self) -> Span:
        return self.facts.span(self.site)

    @property
    def line(self) -> int:
        return self.span.line

    def related(self, message: str) -> Related:
        return Related(self.span, message)


class FunctionFacts:
    """One function, solved under the locks that all its callers hold."""

    def __init__(self, program: Program, unit: Unit, result: FunctionResult, file: str) -> None:
        self.program = program
        self.unit = unit
        self.result = result
        self.file = file

    @property
    def records(self) -> Records:
        return self.result.records

    @property
    def label(self) -> str:
        return self.unit.label

    def span(self, site: int) -> Span:
        return self.unit.slice.span(self.unit.body.places[site])

    def place(self, site: int) -> Place:
        return Place(self, site)

    def display(self, path: Path) -> str:
        """A path as this function spells it."""
        return display(path, self.unit.self_name or "self")

    def rivals(self, path: Path) -> list[FunctionOutline]:
        """Other functions that write what is at the path."""
        return [f for f in self.program.sharing.writers(self.unit, path) if f is not self.unit.outline]

    def rival_text(self, path: Path) -> str:
        """Who can run in between, for a message."""
        rivals = self.rivals(path)
        return self.name_of(rivals[0]) if rivals else f"another call of '{self.label}'"

    def name_of(self, function: FunctionOutline) -> str:
        """A function with its line, for a message; this very function is another call of it."""
        if function is self.unit.outline:
            return f"another call of '{self.label}'"
        return f"'{function.name}' (line {function.node.lineno})"

    def why_at(self, suspension: Place) -> str:
        """What kind of suspension stands there."""
        site = suspension.site
        return next((s.why.value for s in self.records.suspensions if s.site == site), "suspension")

    @cached_property
    def is_construction(self) -> bool:
        """Whether it runs only before the object is handed out."""
        return self.program.sharing.is_construction(self.unit.outline)

    @property
    def runs_in_turn(self) -> bool:
        """Whether a turn of a lane protects everything it does."""
        return self.unit in self.program.in_turns

    @cached_property
    def evidence(self) -> evidence.Evidence:
        return evidence.Evidence(self)

    def confidence_in(self, path: Path) -> Confidence:
        """How sure a complete shape on the path is."""
        return self.evidence.confidence(path)

    def confidence_of(self, act: stale.StaleAct) -> Confidence:
        """How sure an act on a stale read is."""
        return self.evidence.confidence_of_act(act)

    # Questions, answered by the modules that are named after them

    def stale_acts(self) -> Iterator[stale.StaleAct]:
        """Writes that depend on a read gone stale, and stale values given to what is awaited."""
        return stale.stale_acts(self)

    def suspensions_under_thread_locks(self) -> Iterator[tuple[Place, Hold]]:
        """The first suspension under each hold of a blocking lock."""
        return guards.suspensions_under_thread_locks(self)

    def loops_over_shared_state(self) -> Iterator[loops.SharedLoop]:
        return loops.loops_over_shared_state(self)

    def unguarded_writes(self) -> Iterator[guards.UnguardedWrite]:
        """Writes, without its lock, of state that a lock guards across a suspension elsewhere."""
        return guards.unguarded_writes(self)

    def refills(self) -> Iterator[resets.Refill]:
        """Collections that are emptied and then filled over suspensions."""
        return resets.refills(self)

    def lock_evictions(self) -> Iterator[registries.Eviction]:
        """Removals of locks from the registry that hands them out."""
        return registries.lock_evictions(self)

    def stale_resets(self) -> Iterator[resets.StaleReset]:
        """Resets, after a suspension, of what others may have set anew; decided acts apart."""
        return resets.stale_resets(self)

    def lock_reentries(self) -> Iterator[turns.Reentry]:
        """Calls under a lock that take the same lock again."""
        return turns.lock_reentries(self)

    def lane_reentries(self) -> Iterator[turns.Reentry]:
        """Calls in a turn that enter the same lane."""
        return turns.lane_reentries(self)

    def starts_in_turn(self) -> Iterator[turns.StartInTurn]:
        """Tasks, timers and threads that a turn starts with its mark on them."""
        return turns.starts_in_turn(self)

    def callbacks_in_turn(self) -> Iterator[turns.CallbackInTurn]:
        """Stored or passed callables that a turn calls."""
        return turns.callbacks_in_turn(self)
