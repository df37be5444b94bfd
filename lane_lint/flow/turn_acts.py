"""What a function does inside a turn that does not belong there: starts, callbacks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lane_lint.flow.callables import leaves_component
from lane_lint.model.path import SELF

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts, Place


@dataclass(frozen=True, slots=True)
class StartInTurn:
    place: Place
    starter: str
    target: str | None
    turn: str


@dataclass(frozen=True, slots=True)
class CallbackInTurn:
    place: Place
    name: str
    turn: str


def starts_in_turn(facts: FunctionFacts) -> Iterator[StartInTurn]:
    """Starts of tasks, timers and threads that take the turn's mark along."""
    turn = facts.program.in_turns.get(facts.unit)
    if turn is None or turn.is_suppressed:
        return
    for record in facts.records.starts:
        if not record.is_suppressed:
            target = record.target.name if record.target is not None else None
            yield StartInTurn(facts.place(record.site), record.starter, target, turn.root.label)


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
