"""A solved function as its author sees it: places in the source, and names for messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lane_lint.finding import Confidence, Related, Span
from lane_lint.model.graph import Kind
from lane_lint.model.path import display

if TYPE_CHECKING:
    from lane_lint.flow.accesses import Field
    from lane_lint.flow.guards import UnguardedWrite
    from lane_lint.flow.loops import SharedLoop
    from lane_lint.flow.program import Program
    from lane_lint.flow.records import FunctionResult, Records
    from lane_lint.flow.stale import StaleAct
    from lane_lint.flow.unit import Unit
    from lane_lint.model.path import Path
    from lane_lint.outline import FunctionOutline


class Place(NamedTuple):
    """A place in the function: its span, made when it is asked for."""

    function: SolvedFunction
    site: int

    @property
    def span(self) -> Span:
        return self.function.span(self.site)

    @property
    def line(self) -> int:
        return self.span.line

    def related(self, message: str) -> Related:
        return Related(self.span, message)


class SolvedFunction:
    """One function, solved under the locks that all its callers hold, with its places and names for messages."""

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

    def name_of_field(self, field: Field) -> str:
        """A field as this function spells it."""
        return field.name if field.owner is None else f"{self.unit.self_name or 'self'}.{field.name}"

    def is_queue(self, path: Path) -> bool:
        """Whether a queue that threads or processes share is at the path."""
        kind = self.program.objects.concurrent_at(self.unit, path)
        return kind is not None and kind.is_queue

    def rivals(self, path: Path) -> list[FunctionOutline]:
        """Other functions that write what is at the path; a private one that this one alone calls is a part of it."""
        writers = self.program.sharing.writers(self.unit, path)
        return [f for f in writers if f is not self.unit.outline and not self.is_own_part(f)]

    def is_own_part(self, function: FunctionOutline) -> bool:
        """Whether it is a private function that this one alone calls, itself or through others, and starts as no task."""
        return self._is_part(function, {self.unit.outline})

    def _is_part(self, function: FunctionOutline, known: set[FunctionOutline]) -> bool:
        if function in known:
            return True
        if not function.is_private or function.owner is None:
            return False
        known.add(function)
        functions = [f for c in self.program.module.family(function.owner) for f in c.functions()]
        if any(function.name in f.sketch.started for f in functions):
            return False
        return all(
            self._is_part(f, known)
            for f in functions
            if function.name in f.sketch.references or function.name in f.sketch.own_calls
        )

    def rival_text(self, path: Path, helper: str | None = None) -> str:
        """Who can run in between, for a message; not the `helper` that acts for this call."""
        return self.name_of(self._rival(path, helper))

    def setter_text(self, path: Path) -> str:
        """Who can put a new value at the path in between, for a message."""
        setters = self.program.sharing.setters(self.unit, path)
        rivals = [f for f in self.rivals(path) if f in setters]
        if not rivals and self.unit.outline not in setters:
            return self.rival_text(path)
        return self.name_of(min(rivals, key=lambda f: f.is_private, default=self.unit.outline))

    def is_its_own_rival(self, path: Path, helper: str | None = None) -> bool:
        """Whether what can run in between is another call of this very function."""
        return self._rival(path, helper) is self.unit.outline

    def _rival(self, path: Path, helper: str | None) -> FunctionOutline:
        rivals = [f for f in self.rivals(path) if f.name != helper]
        return min(rivals, key=lambda f: f.is_private, default=self.unit.outline)

    def can_take(self, write: UnguardedWrite) -> bool:
        """Whether this function can take the lock: one that has to be awaited, only a coroutine can."""
        kind = self.program.result(write.guard.unit).lock_kinds[write.guard.lock]
        if write.is_of_holder:
            return False
        return kind.is_blocking or self.unit.body.kind in (Kind.ASYNC, Kind.ASYNC_GENERATOR)

    def name_of(self, function: FunctionOutline) -> str:
        """A function with its line, for a message; this very function is another call of it."""
        if function is self.unit.outline:
            return f"another call of '{self.label}'"
        return f"'{function.name}' ({function.stands_at})"

    def source_of(self, loop: SharedLoop) -> str:
        """What a loop iterates, as it is written."""
        return self.unit.slice.iterable_text(self.unit.body.places[loop.place.site])

    def text_at(self, site: int) -> str:
        """What is called, awaited or entered there, as it is written."""
        return self.unit.slice.subject_text(self.unit.body.places[site])

    def work_at(self, site: int) -> str:
        """What a lane is given there, as it is written."""
        return self.unit.slice.first_argument_text(self.unit.body.places[site])

    def passage(self, act: StaleAct) -> str:
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
