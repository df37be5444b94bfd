"""Turns that wait for turns: of their own lane, or of another one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from lane_lint.flow.summary import translate
from lane_lint.flow.turns import entered_by_work, is_helper
from lane_lint.model.path import SELF, Path

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts
    from lane_lint.flow.program import Program
    from lane_lint.flow.solved import Place
    from lane_lint.flow.summary import Call
    from lane_lint.flow.turns import InTurn
    from lane_lint.flow.unit import Unit


class LaneWait(NamedTuple):
    """A place in a turn that waits for a turn.

    Attributes:
        lane: The lane that is entered, as the function names it.
        callee: The function that enters it; None when it is entered right at the place.
        root: The turn, with where it is defined (`root_at`).
        is_reentry: The lane is one that the turn runs on.
    """

    place: Place
    lane: Path
    callee: str | None
    root: str
    root_at: str
    is_reentry: bool


class _Entry(NamedTuple):
    site: int
    lane: Path
    callee: str | None
    is_reentry: bool


def lane_waits(facts: FunctionFacts) -> Iterator[LaneWait]:
    """Where a turn waits for turns, or is one that enters its lane again; one for each place."""
    program, place = facts.program, facts.program.in_turns.get(facts.unit)
    found: dict[int, tuple[_Entry, Unit]] = {}
    for record in facts.records.lanes:
        lane = entered_by_work(program, record)
        if record.call is not None and lane is not None:
            work = record.call.unit
            found[record.site] = (_Entry(record.site, lane, work.name, lane in record.lanes), work)
    for entry in _entries(program, facts.unit, place) if place is not None else ():
        known = found.get(entry.site)
        if place is not None and (known is None or (entry.is_reentry and not known[0].is_reentry)):
            found[entry.site] = (entry, place.root)
    for site in sorted(found):
        entry, root = found[site]
        yield LaneWait(
            facts.place(site), entry.lane, entry.callee, root.label, root.stands_at, entry.is_reentry
        )


def _entries(program: Program, unit: Unit, place: InTurn) -> Iterator[_Entry]:
    records = program.result(unit).records
    for record in records.lanes:
        for lane in record.lanes if record.is_waited else ():
            is_reentry = lane in place.lanes
            # Inside a helper a re-entry is reported where the helper is called, if that is in this file.
            is_here = unit is place.root or place.is_called_elsewhere
            if _is_certain(lane, place) and (is_here or not is_reentry):
                yield _Entry(record.site, lane, None, is_reentry)
    for call in records.calls:
        for lane in _entered_lanes(program, call.call):
            is_reentry = lane in place.lanes
            if _is_certain(lane, place) and _is_reported_at(program, call.call, lane, is_reentry=is_reentry):
                yield _Entry(call.site, lane, call.call.unit.name, is_reentry)


def _entered_lanes(program: Program, call: Call) -> list[Path]:
    """The lanes, as the caller names them, that a call runs turns on; none for what is a turn itself."""
    entered = (translate(path, call) for path in program.summary(call.unit).enters)
    return sorted(lane for lane in entered if lane is not None and not call.is_turn)


def _is_certain(lane: Path, place: InTurn) -> bool:
    """Where the turn's lane is not known, a lane of the same object may be that very one."""
    return bool(place.lanes) or lane[0] != SELF or len(lane) > 2


def _is_reported_at(program: Program, call: Call, lane: Path, *, is_reentry: bool) -> bool:
    """Whether the call is the place: of a public function, or of a helper that enters the lane itself."""
    if not is_helper(call.unit):
        return True
    if not is_reentry and call.receiver in (None, (SELF,)):
        return False
    inner = program.result(call.unit).records.calls
    return not any(translate(path, call) == lane for c in inner for path in _entered_lanes(program, c.call))
