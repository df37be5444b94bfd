"""What a function waits for inside a turn: somebody outside of the component, and gates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from lane_lint.flow.locks import looks_acquirable
from lane_lint.flow.turns import is_helper
from lane_lint.model.path import SELF, display

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts
    from lane_lint.flow.program import Program
    from lane_lint.flow.records import AcquireRecord
    from lane_lint.flow.solved import Place
    from lane_lint.flow.summary import Call
    from lane_lint.flow.unit import Unit


class WaitInTurn(NamedTuple):
    """A wait of a turn.

    Attributes:
        subject: What is waited for, as it is written.
        is_known: It is known to wait.
    """

    place: Place
    subject: str
    turn: str
    is_known: bool


def outside_waits(facts: FunctionFacts) -> Iterator[WaitInTurn]:
    """Waits for somebody outside of the component, in the order of the source."""
    given = {record.site for record in facts.records.outside if record.is_given}
    for site in sorted(given):
        yield WaitInTurn(facts.place(site), facts.work_at(site), facts.label, is_known=True)
    turn = facts.program.in_turns.get(facts.unit)
    if turn is None:
        return
    found: dict[int, bool] = {}
    sites = {record.site for record in facts.records.outside}
    for record in facts.records.outside:
        if record.is_given:
            continue
        is_part = bool((record.derived_from - {record.site}) & sites)
        if not is_part and (not record.is_returned or facts.unit is turn.root):
            found[record.site] = found.get(record.site, False) or record.is_known
    for acquisition in facts.records.acquisitions:
        if not _is_gate(facts, acquisition):
            found.setdefault(acquisition.site, False)
    for call in facts.records.calls:
        if _is_of_other_object(call.call) and _waits(facts.program, call.call.unit, set()):
            found.setdefault(call.site, False)
    for site in sorted(found):
        yield WaitInTurn(facts.place(site), facts.text_at(site), turn.root.label, found[site])


def _is_of_other_object(call: Call) -> bool:
    """Whether a public method of another object is called: what it waits for is the caller's wait."""
    return not call.is_turn and not is_helper(call.unit) and call.receiver not in (None, (SELF,))


def _waits(program: Program, unit: Unit, seen: set[Unit]) -> bool:
    """Whether a function waits for somebody outside or for a gate, itself or further down; lanes apart."""
    if unit in seen or program.summary(unit).enters:
        return False
    seen.add(unit)
    records = program.result(unit).records
    if any(not record.is_given for record in records.outside) or records.acquisitions or records.gates:
        return True
    return any(_waits(program, record.call.unit, seen) for record in records.calls)


def gates_in_turn(facts: FunctionFacts) -> Iterator[WaitInTurn]:
    """Acquisitions of locks, semaphores, conditions and operation gates."""
    turn = facts.program.in_turns.get(facts.unit)
    if turn is None:
        return
    known = {a.site: a.lock for a in facts.records.acquisitions if _is_gate(facts, a)}
    for site in sorted(known.keys() | {record.site for record in facts.records.gates}):
        lock = known.get(site)
        is_named = lock is not None and lock[0][0] != "%"
        name = facts.display(lock) if lock is not None and is_named else facts.text_at(site)
        yield WaitInTurn(facts.place(site), name.removesuffix(".acquire"), turn.root.label, lock is not None)


def _is_gate(facts: FunctionFacts, acquisition: AcquireRecord) -> bool:
    """Whether what is entered is a lock by its make or its name; else it is some resource or other."""
    objects, owner = facts.program.objects, facts.unit.owner
    if objects.lock_at(owner, acquisition.lock) is not None or acquisition.lock[-1][0] in "%^$[":
        return True
    return looks_acquirable(display(acquisition.lock).rpartition(".")[2])
