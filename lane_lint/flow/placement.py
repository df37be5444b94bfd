"""Where functions run: on a lane only, certainly off every lane, or nobody knows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from lane_lint.flow.asserting import asserts_its_lane
from lane_lint.flow.records import CALLS_BACK
from lane_lint.flow.turns import BY_NAME, is_helper
from lane_lint.flow.unit import ON_LANE, with_nested
from lane_lint.flow.values import Function
from lane_lint.model.path import SELF, Path

if TYPE_CHECKING:
    from lane_lint.flow.program import Program
    from lane_lint.flow.unit import Unit
    from lane_lint.outline import FunctionOutline

# What an author asserts with that a function runs in a turn.
ASSERTS_LANE = "is_on_lane"
# Ways into a turn whose result reaches nobody outside: a post, and what only turns call.
LEAVES_NOTHING = frozenset({"try_post", ON_LANE, BY_NAME})


class Placement:
    """Answers for the units of one module that were analysed."""

    def __init__(self, program: Program) -> None:
        self._program = program

    @cached_property
    def on_lane(self) -> dict[Unit, Path | None]:
        """The functions that run in turns only, with the lane as their turn sees it, where that is known."""
        program = self._program
        found: dict[Unit, Path | None] = {}
        for unit, place in program.in_turns.items():
            if unit is place.root or is_helper(unit):
                found[unit] = min(place.lanes, default=None)
        found |= {u: None for u in program.units if u not in found and self._takes_after(u, found)}
        for unit in list(found):
            found |= {inner: found[unit] for inner in with_nested(unit) if inner not in self._started}
        return found

    def turn_of(self, unit: Unit) -> Unit:
        """The function that is the turn which a function runs in; itself when it is only marked as part of one."""
        place = self._program.in_turns.get(unit)
        return place.root if place is not None else unit

    @cached_property
    def answering(self) -> frozenset[Unit]:
        """The functions that are turns somebody waits for, so that their results leave the turn."""
        return frozenset(
            unit
            for unit, place in self._program.in_turns.items()
            if unit is place.root and place.way not in LEAVES_NOTHING
        )

    def forwards_to(self, unit: Unit) -> Path | None:
        """A lane that an own function gives what it is given to, as it sees that lane."""
        handed = self._program.summary(unit).runs_as_turns
        return next((lane for work in handed for lane in work.lanes), None)

    def _takes_after(self, unit: Unit, found: dict[Unit, Path | None]) -> bool:
        """Whether a function says itself that it runs on a lane, or stands in for one that does."""
        if unit.is_nested:
            return False
        if ASSERTS_LANE in unit.outline.sketch.other_reads or asserts_its_lane(self._program, unit):
            return True
        others = (other for other in self._namesakes(unit) if not enters_by_decorator(other))
        return any(self._program.unit(other) in found for other in others)

    def _namesakes(self, unit: Unit) -> Iterator[FunctionOutline]:
        """The methods of bases and subclasses that it overrides, or that override it."""
        if unit.owner is None:
            return
        for each in self._program.module.family(unit.owner):
            other = each.methods.get(unit.name)
            if other is not None and other is not unit.outline:
                yield other

    @cached_property
    def _started(self) -> frozenset[Unit]:
        """What is started as a task, timer or thread, or called back when something is done."""
        found: set[Unit] = set()
        for unit in self._program.units:
            records = self._program.result(unit).records
            found |= {record.target for record in records.starts if record.target is not None}
            called_back = (o.value.what for o in records.outlets if o.given_to == CALLS_BACK)
            found |= {what.unit for what in called_back if isinstance(what, Function)}
        return frozenset(found)

    @cached_property
    def off_lane(self) -> frozenset[Unit]:
        """The functions that are known to run outside of turns; of others nobody knows where they run."""
        program = self._program
        found = {u for u in program.units if u not in self.on_lane and self._is_entry(u)}
        pending = list(found)
        while pending:
            for record in program.result(pending.pop()).records.calls:
                callee = record.call.unit
                is_own = record.call.receiver in (None, (SELF,)) and not record.call.is_turn
                if is_own and callee not in found and callee not in self.on_lane:
                    found.add(callee)
                    pending.append(callee)
        return frozenset(u for u in found if not program.sharing.is_construction(u.outline))

    def _is_entry(self, unit: Unit) -> bool:
        """Whether others can call the function as it is, or it is started on its own."""
        if unit in self._started:
            return True
        if unit.is_nested:
            return False
        if not unit.outline.is_private or any(map(enters_by_decorator, self._namesakes(unit))):
            return True
        family = self._program.module.family(unit.owner) if unit.owner is not None else []
        return any(unit.name in f.sketch.started for each in family for f in each.functions())


def enters_by_decorator(function: FunctionOutline) -> bool:
    """Whether every call of a method is a turn of its own."""
    return any(d.rpartition(".")[2] == "turn" for d in function.decorators)
