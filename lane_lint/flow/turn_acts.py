"""What a function does inside a turn that does not belong there: starts, callbacks, completions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from lane_lint.flow.callables import given_to, leaves_component
from lane_lint.flow.library_waits import is_inline_future
from lane_lint.flow.object_types import types_of
from lane_lint.flow.passed_work import parameter_of
from lane_lint.model.path import SELF

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts
    from lane_lint.flow.program import Program
    from lane_lint.flow.solved import Place
    from lane_lint.flow.turn_records import StartRecord
    from lane_lint.flow.turns import InTurn
    from lane_lint.flow.unit import Unit
    from lane_lint.flow.values import Value


# Words that collections of tasks of another kind have too; with no function in sight they tell nothing.
DOUBTFUL_STARTERS = frozenset({"spawn", "add_task"})


class StartInTurn(NamedTuple):
    place: Place
    starter: str
    target: str | None
    turn: str


class CallbackInTurn(NamedTuple):
    place: Place
    name: str
    turn: str


class CompletionInTurn(NamedTuple):
    place: Place
    future: str
    method: str
    turn: str


def starts_in_turn(facts: FunctionFacts) -> Iterator[StartInTurn]:
    """Starts of tasks, timers and threads that take the turn's mark along; what is awaited at once ends in it."""
    turn = facts.program.in_turns.get(facts.unit)
    if turn is None or turn.is_suppressed:
        return
    for record in facts.records.starts:
        is_doubtful = record.starter in DOUBTFUL_STARTERS and record.target is None
        if not (record.is_suppressed or record.is_awaited or is_doubtful):
            yield _start_in_turn(facts, record, turn)


def eager_starts_in_turn(facts: FunctionFacts) -> Iterator[StartInTurn]:
    """Starts that hide the turn's mark from a task whose beginning runs in the turn all the same."""
    turn = facts.program.in_turns.get(facts.unit)
    if turn is None:
        return
    for record in facts.records.starts:
        is_eager = facts.program.whole.has_eager_tasks if record.is_eager is None else record.is_eager
        is_suppressed = record.is_suppressed or turn.is_suppressed
        if is_eager and is_suppressed and not _waits_first(facts.program, record.target):
            yield _start_in_turn(facts, record, turn)


def _start_in_turn(facts: FunctionFacts, record: StartRecord, turn: InTurn) -> StartInTurn:
    target = record.target.name if record.target is not None else None
    return StartInTurn(facts.place(record.site), record.starter, target, turn.root.label)


def _waits_first(program: Program, target: Unit | None) -> bool:
    """Whether a coroutine does nothing that matters to a lane before it waits for somebody outside."""
    if target is None:
        return False
    records = program.result(target).records
    before = [r.site for r in records.lanes] + [r.site for r in records.callbacks]
    before += [r.site for r in records.writes] + [r.site for r in records.reads]
    waits = [r.site for r in records.outside if not r.is_given]
    before += [at for at in records.foreign_calls if not any(_is_part_of(target, at, wait) for wait in waits)]
    calls = {r.site: r.call.unit for r in records.calls}
    first = min([*before, *waits, *calls], default=None)
    if first in calls and first not in before:
        return calls[first] is not target and _waits_first(program, calls[first])
    return first in waits and first not in before


def _is_part_of(unit: Unit, call: int, wait: int) -> bool:
    """Whether a call makes what a wait is for, as in `await port.read()`."""
    inner, outer = (unit.slice.span(unit.body.places[site]) for site in (call, wait))
    begins_inside = (outer.line, outer.column) <= (inner.line, inner.column)
    return begins_inside and (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)


def completions_in_turn(facts: FunctionFacts) -> Iterator[CompletionInTurn]:
    """Completions of futures that run their callbacks inline."""
    turn = facts.program.in_turns.get(facts.unit)
    if turn is None:
        return
    for record in facts.records.completions:
        if record.runs_inline or (
            record.runs_inline is None and _is_given_inline_future(facts, record.future)
        ):
            future = facts.text_at(record.site).rpartition(".")[0]
            yield CompletionInTurn(facts.place(record.site), future, record.method, turn.root.label)


def _is_given_inline_future(facts: FunctionFacts, future: Value) -> bool:
    """Whether the callers of a helper give it a future that runs its callbacks inline."""
    name = parameter_of(future)
    owner = facts.unit.defining(name) if name is not None else None
    if owner is None or name is None:
        return False
    program = facts.program
    return any(
        is_inline_future(type_name)
        for caller, value in given_to(program, owner, name)
        for type_name in types_of(program, caller, value)
    )


def callbacks_in_turn(facts: FunctionFacts) -> Iterator[CallbackInTurn]:
    """Calls of callables that were stored or passed in."""
    turn = facts.program.in_turns.get(facts.unit)
    if turn is None:
        return
    for record in facts.records.callbacks:
        if not leaves_component(facts.program, facts.unit, record):
            continue
        name = (
            facts.display(record.path) if record.path is not None and record.path[0] == SELF else record.name
        )
        yield CallbackInTurn(facts.place(record.site), name, turn.root.label)
