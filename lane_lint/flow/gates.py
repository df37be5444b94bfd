"""Locks that a function takes by a call and does not give back on every way out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from lane_lint.flow.unit import with_nested
from lane_lint.flow.ways_out import WaysOut

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts
    from lane_lint.flow.program import Program
    from lane_lint.flow.solved import Place
    from lane_lint.flow.taking import Taking
    from lane_lint.flow.ways_out import Leak
    from lane_lint.model.path import Path
    from lane_lint.outline import FunctionOutline


class UnreturnedGate(NamedTuple):
    """A lock that some way out of the function leaves taken.

    Attributes:
        place: Where it is taken.
        lock: As its author writes it.
        way_out: Where the function is left; None for its end.
        is_error: It is left by an exception or a cancellation there.
        is_given_back: Other ways out give it back.
        is_public: Whoever has the object can release it.
        is_handed_on: Another function of the module releases it.
        lost_by: The function that is told to release it and can end without having done so.
        is_wait: The exception comes from a wait, and so may be a cancellation.
    """

    place: Place
    lock: str
    way_out: Place | None
    is_error: bool
    is_given_back: bool
    is_public: bool
    is_handed_on: bool
    is_wait: bool
    lost_by: str | None


def unreturned_gates(facts: FunctionFacts) -> Iterator[UnreturnedGate]:
    seen: set[int] = set()
    for taking in sorted(facts.records.takings, key=lambda t: t.site):
        if taking.site in seen or taking.kind.is_signal or _is_released_around(facts, taking):
            continue
        seen.add(taking.site)
        ways = WaysOut(facts.program, facts.unit, facts.records, taking)
        is_handed_on = _is_released_elsewhere(facts, taking)
        if taking.helper is not None and not is_handed_on:
            continue  # it is the helper that is reported
        is_left_to_others = is_handed_on and not ways.is_given_back_at_the_end()
        leak = next((each for each in ways.leaks() if each.is_error or not is_left_to_others), None)
        if leak is not None:
            yield _unreturned(facts, taking, leak, is_handed_on=is_handed_on)


def _unreturned(facts: FunctionFacts, taking: Taking, leak: Leak, *, is_handed_on: bool) -> UnreturnedGate:
    return UnreturnedGate(
        place=facts.place(taking.site),
        lock=facts.display(taking.lock),
        way_out=_way_out(facts, leak),
        is_error=leak.is_error,
        is_given_back=any(g.lock == taking.lock and g.is_direct for g in facts.records.givings),
        is_public=taking.lock[0][0] == "$" or not _name_of(taking.lock).startswith("_"),
        is_handed_on=is_handed_on,
        is_wait=leak.is_wait,
        lost_by=leak.lost_by,
    )


def _way_out(facts: FunctionFacts, leak: Leak) -> Place | None:
    """Where the function is left; its end has no place of its own."""
    place = facts.place(leak.way_out) if leak.way_out is not None else None
    return None if place is None or (place.line <= facts.unit.body.line and not leak.is_error) else place


def _name_of(lock: Path) -> str:
    """The last name of a lock; of an entry, that of the collection."""
    return next((link.lstrip(".@^$%") for link in reversed(lock) if link[0] != "["), "")


def _is_released_around(facts: FunctionFacts, taking: Taking) -> bool:
    """Whether a function around this one releases the lock: the nested one is a step of it."""
    unit = facts.unit.parent
    while unit is not None:
        if any(g.lock == taking.lock for g in facts.program.result(unit).records.givings):
            return True
        unit = unit.parent
    return False


def _is_released_elsewhere(facts: FunctionFacts, taking: Taking) -> bool:
    """Whether a further function of the module releases the lock without taking it, as far as names tell."""
    name = _name_of(taking.lock)
    return any(
        _may_release(facts.program, function, name)
        for function in facts.program.module.all_functions()
        if function.sketch.releases and function is not facts.unit.outline
    )


def _may_release(program: Program, function: FunctionOutline, name: str) -> bool:
    if name not in function.sketch.releases and name not in _mentioned(function):
        return False
    if not function.sketch.acquires:
        return True
    units = with_nested(program.unit(function))
    return any(_name_of(lock) == name for unit in units for lock in program.result(unit).records.releases)


def _mentioned(function: FunctionOutline) -> set[str]:
    return function.sketch.references | function.sketch.other_reads.keys()
