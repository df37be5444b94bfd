"""What rules ask: the facts of one function, with positions and names an author knows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from lane_lint.file_kind import is_test_file
from lane_lint.finding import Confidence, Related, Span
from lane_lint.flow import (
    evidence,
    gates,
    guards,
    lock_order,
    loops,
    notifying,
    pausing,
    pools,
    registries,
    resets,
    stale,
    turns,
)
from lane_lint.model.graph import Kind
from lane_lint.model.path import display

if TYPE_CHECKING:
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

    def __init__(
        self, program: Program, unit: Unit, result: FunctionResult, file: str, minimum: Confidence
    ) -> None:
        self.program = program
        self.unit = unit
        self.result = result
        self.file = file
        self.minimum = minimum

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
        return self.name_of(self._rival(path))

    def is_its_own_rival(self, path: Path) -> bool:
        """Whether what can run in between is another call of this very function."""
        return self._rival(path) is self.unit.outline

    def _rival(self, path: Path) -> FunctionOutline:
        return min(self.rivals(path), key=lambda f: f.is_private, default=self.unit.outline)

    def can_take(self, guard: guards.Guard) -> bool:
        """Whether this function can take a lock: one that has to be awaited, only a coroutine can."""
        kind = self.program.result(guard.unit).lock_kinds[guard.lock]
        return kind.is_blocking or self.unit.body.kind in (Kind.ASYNC, Kind.ASYNC_GENERATOR)

    def name_of(self, function: FunctionOutline) -> str:
        """A function with its line, for a message; this very function is another call of it."""
        if function is self.unit.outline:
            return f"another call of '{self.label}'"
        return f"'{function.name}' (line {function.node.lineno})"

    def source_of(self, loop: loops.SharedLoop) -> str:
        """What a loop iterates, as it is written."""
        return self.unit.slice.iterable_text(self.unit.body.places[loop.place.site])

    def passage(self, act: stale.StaleAct) -> str:
        """The read and the suspension of an act, for a message."""
        why, line = self.why_at(act.suspension), act.suspension.line
        if act.read.line == line == act.act.line:
            return f"is read before the {why} on this line"
        if act.read.line == line:
            return f"is read on line {line} before its {why}"
        return f"was read on line {act.read.line}, before the {why} on line {line},"

    def why_at(self, suspension: Place) -> str:
        """What kind of suspension stands there."""
        site = suspension.site
        return next((s.why.value for s in self.records.suspensions if s.site == site), "suspension")

    @cached_property
    def is_construction(self) -> bool:
        """Whether it runs only before the object is handed out."""
        return self.program.sharing.is_construction(self.unit.outline)

    @property
    def is_in_test(self) -> bool:
        """Whether it is part of a test, where what is left waiting is nobody's concern."""
        return is_test_file(self.file)

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

    def confidence_of_loop(self, loop: loops.SharedLoop) -> Confidence:
        """How sure it is that a loop is disturbed; one over a list that only grows is not."""
        return Confidence.LOW if loop.only_grows else self.confidence_in(loop.path)

    def confidence_of_reset(self, reset: resets.StaleReset) -> Confidence:
        """How sure a reset without a test is; an event's setter is elsewhere by its nature."""
        return Confidence.MEDIUM if reset.is_event else self.confidence_in(reset.path)

    def confidence_of(self, act: stale.StaleAct) -> Confidence:
        """How sure an act on a stale read is."""
        return self.evidence.confidence_of_act(act)

    # Questions, answered by the modules that are named after them

    def stale_acts(self) -> Iterator[stale.StaleAct]:
        """Writes that depend on a read gone stale, and stale values given to what is awaited.

        Like every question here that ends in a confidence, it leaves out what is not to be shown,
        before anybody asks for positions, which are dear.
        """
        return iter(self._shown_acts)

    @cached_property
    def _shown_acts(self) -> list[stale.StaleAct]:
        # Several rules ask, each for its own shapes.
        return [act for act in stale.stale_acts(self) if self.confidence_of(act) >= self.minimum]

    def suspensions_under_thread_locks(self) -> Iterator[tuple[Place, Hold]]:
        """The first suspension under each hold of a blocking lock."""
        return guards.suspensions_under_thread_locks(self)

    def loops_over_shared_state(self) -> Iterator[loops.SharedLoop]:
        found = loops.loops_over_shared_state(self)
        return (loop for loop in found if self.confidence_of_loop(loop) >= self.minimum)

    def unguarded_writes(self) -> Iterator[guards.UnguardedWrite]:
        """Writes, without its lock, of state that a lock guards across a suspension elsewhere."""
        return guards.unguarded_writes(self)

    def refills(self) -> Iterator[resets.Refill]:
        """Collections that are emptied and then filled over suspensions."""
        return (r for r in resets.refills(self) if self.confidence_in(r.path) >= self.minimum)

    def lock_evictions(self) -> Iterator[registries.Eviction]:
        """Removals of locks from the registry that hands them out."""
        return registries.lock_evictions(self)

    def stale_resets(self) -> Iterator[resets.StaleReset]:
        """Resets, after a suspension, of what others may have set anew; decided acts apart."""
        return (r for r in resets.stale_resets(self) if self.confidence_of_reset(r) >= self.minimum)

    def unreturned_gates(self) -> Iterator[gates.UnreturnedGate]:
        """Locks that are taken by a call and left taken on some way out."""
        return gates.unreturned_gates(self)

    def lock_reentries(self) -> Iterator[turns.Reentry]:
        """Calls under a lock that take the same lock again."""
        return turns.lock_reentries(self)

    def callbacks_under_lock(self) -> Iterator[notifying.CallbackUnderLock]:
        """Listeners, hooks and handlers that are called while a lock is held."""
        return notifying.callbacks_under_lock(self)

    def blocking_waits(self) -> Iterator[pausing.BlockingWait]:
        """Calls of a coroutine that block the event loop, directly or in a plain function."""
        return pausing.blocking_waits(self)

    def same_pool_waits(self) -> Iterator[pools.SamePoolWait]:
        """Waits of an executor's work for other work of the same executor."""
        return pools.same_pool_waits(self)

    def lock_order_inversions(self) -> Iterator[lock_order.Inversion]:
        """Inner acquisitions of two locks that another way takes in the opposite order."""
        return lock_order.lock_order_inversions(self)

    def lane_reentries(self) -> Iterator[turns.Reentry]:
        """Calls in a turn that enter the same lane."""
        return turns.lane_reentries(self)

    def starts_in_turn(self) -> Iterator[turns.StartInTurn]:
        """Tasks, timers and threads that a turn starts with its mark on them."""
        return turns.starts_in_turn(self)

    def callbacks_in_turn(self) -> Iterator[turns.CallbackInTurn]:
        """Stored or passed callables that a turn calls."""
        return turns.callbacks_in_turn(self)
