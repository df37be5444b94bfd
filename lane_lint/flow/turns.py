"""Turns: which functions run in a turn of which lane, and how the work got there."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatch
from typing import TYPE_CHECKING, NamedTuple

from lane_lint.flow.asserting import asserts_its_lane
from lane_lint.flow.callees import possible_callees
from lane_lint.flow.passed_work import decorated_turn, work_handed_over
from lane_lint.flow.summary import seen_by_callee, translate
from lane_lint.flow.unit import ON_LANE, TURN
from lane_lint.model.path import SELF, Path

if TYPE_CHECKING:
    from lane_lint.flow.program import Program
    from lane_lint.flow.records import CallRecord
    from lane_lint.flow.summary import Call
    from lane_lint.flow.turn_records import LaneRecord
    from lane_lint.flow.unit import Unit
    from lane_lint.settings import Settings

BY_NAME = "name"
DECORATED_LANE: Path = (SELF, "._lane")


class InTurn(NamedTuple):
    """That a function runs in a turn.

    Attributes:
        root: The function that is the turn; the function itself, or what calls it.
        lanes: The lanes it runs on, as the function itself names them; empty when they are not known.
        way: How the root got there: the lane's method, `run_all`, a decorator, or `name`.
        is_suppressed: It runs only where the turn's mark is hidden from what is started.
        is_called_elsewhere: What calls it in the turn stands in another module.
    """

    root: Unit
    lanes: frozenset[Path]
    way: str
    is_suppressed: bool = False
    is_called_elsewhere: bool = False


def find_turns(program: Program, units: list[Unit]) -> dict[Unit, InTurn]:
    """Every function that may run in a turn: the turns themselves, and what they call."""
    reached: dict[Unit, InTurn] = {}
    if not program.module_has_lanes:
        return reached
    pending = list(find_roots(program, units).items())
    while pending:
        unit, place = pending.pop(0)
        known = reached.get(unit)
        if known is not None and known.is_suppressed <= place.is_suppressed:
            continue
        reached[unit] = place
        for record in program.result(unit).records.calls:
            if _is_followed(program, record):
                inside = _place_of_callee(place, unit, record)
                pending += [(callee, inside) for callee in _meant(program, unit, record.call.unit)]
    return reached


def find_off_lane(program: Program, in_turns: dict[Unit, InTurn], units: list[Unit]) -> frozenset[Unit]:
    """Functions that may also run outside of any turn, as far as this module tells."""
    off = {unit for unit in units if unit not in in_turns or _is_open(program, unit)}
    off |= {
        record.target
        for unit in units
        for record in program.result(unit).records.starts
        if record.target is not None and not is_declared(program, record.target)
    }
    pending = list(off)
    while pending:
        for record in program.result(pending.pop()).records.calls:
            callee = record.call.unit
            if callee not in off and not record.call.is_turn and not is_declared(program, callee):
                off.add(callee)
                pending.append(callee)
    return frozenset(off)


def _is_open(program: Program, unit: Unit) -> bool:
    """Whether anybody may call it: a public function that is not marked as (part of) a turn."""
    return not is_helper(unit) and not is_declared(program, unit)


# The turns themselves


def find_roots(program: Program, units: list[Unit]) -> dict[Unit, InTurn]:
    """The functions that are given to a lane, decorated as turns, or named as parts of one."""
    roots: dict[Unit, InTurn] = {}
    for unit in units:
        for record in program.result(unit).records.lanes:
            if record.call is not None and entered_by_work(program, record) is None:
                lanes = frozenset(_inside(record.lanes, record.call))
                for work in _meant(program, unit, record.call.unit):
                    roots.setdefault(work, InTurn(work, lanes, record.method))
        for handed, method, call in work_handed_over(program, unit):
            roots.setdefault(call.unit, InTurn(call.unit, frozenset(_inside(handed, call)), method))
    for unit in units:
        if (found := decorated_turn(program, unit)) is not None:
            lane, method = found
            roots.setdefault(unit, InTurn(unit, frozenset([lane] if lane is not None else []), method))
        if way := declared_way(program, unit):
            lane = declared_lane(program, unit, way)
            roots.setdefault(unit, InTurn(unit, frozenset([lane] if lane is not None else []), way))
    return roots


def declared_lane(program: Program, unit: Unit, way: str) -> Path | None:
    """The lane of a marked function: decorators mean `self._lane`, a name means the object's only lane."""
    if unit.owner is None:
        return None
    return DECORATED_LANE if way in (TURN, ON_LANE) else program.objects.only_lane(unit.owner)


def _inside(lanes: tuple[Path, ...], call: Call) -> Iterator[Path]:
    """The lanes as the work names them."""
    for lane in lanes:
        if (path := seen_by_callee(lane, call)) is not None:
            yield path


def entered_by_work(program: Program, record: LaneRecord) -> Path | None:
    """The lane that work enters in its turn, when it is a public function: giving it to a lane is the defect."""
    call = record.call
    if call is None or is_helper(call.unit) or is_declared(program, call.unit):
        return None
    entered = (translate(path, call) for path in sorted(program.summary(call.unit).enters))
    known = [lane for lane in entered if lane is not None]
    return next((lane for lane in known if lane in record.lanes), known[0] if known else None)


def is_declared(program: Program, unit: Unit) -> bool:
    """Whether a function is marked, by its name or a decorator, to run in turns only."""
    return declared_way(program, unit) is not None


def declared_way(program: Program, unit: Unit) -> str | None:
    """`turn`, `on_lane` or `name` for a function that its author has marked as (part of) a turn.

    One that asserts where it runs is as good as one that is named for it.
    """
    if unit.runtime_decorator is not None:
        return unit.runtime_decorator
    is_marked = is_on_lane_name(program.settings, unit.name) or asserts_its_lane(program, unit)
    return BY_NAME if is_marked else None


def is_on_lane_name(settings: Settings, name: str) -> bool:
    """Whether a function of this name runs in turns only."""
    return any(fnmatch(name, pattern) for pattern in settings.on_lane_name_patterns)


# What they call


def _is_followed(program: Program, record: CallRecord) -> bool:
    """Whether a call is part of the turn: no turn of its own, and no public method of another object.

    A public function that enters a lane is what a report is about, so it is not followed.
    """
    callee = record.call.unit
    if record.call.is_turn:
        return False
    if is_helper(callee):
        return True
    return record.call.receiver in (None, (SELF,)) and not program.summary(callee).enters


def _meant(program: Program, caller: Unit, callee: Unit) -> list[Unit]:
    """What a call may mean: a base in another module calls a hook of its own that a class of this one overrides."""
    return [callee] if caller.outline.origin is None else possible_callees(program, callee)


def _place_of_callee(place: InTurn, caller: Unit, record: CallRecord) -> InTurn:
    lanes = (seen_by_callee(lane, record.call) for lane in place.lanes)
    return place._replace(
        lanes=frozenset(lane for lane in lanes if lane is not None),
        is_suppressed=place.is_suppressed or record.is_suppressed,
        is_called_elsewhere=caller.outline.origin is not None,
    )


def is_helper(unit: Unit) -> bool:
    """Private and nested functions are part of what calls them; a public one is a place for a report."""
    return unit.is_nested or unit.outline.is_private
