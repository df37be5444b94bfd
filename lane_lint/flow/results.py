"""The results of units, each made when it is asked for; those that call each other in a circle come together."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from lane_lint.flow.records import FunctionResult

if TYPE_CHECKING:
    from lane_lint.flow.unit import Unit

Solve: TypeAlias = Callable[["Unit"], FunctionResult]

# Effects only add up: after a second round a function that calls itself knows all of its own, and a
# larger circle is given one more for what the order of its calls has kept apart.
ROUNDS_ALONE = 2
ROUNDS = 3


class Results:
    """Solves units on demand, each as often as there are rounds and no more.

    A unit that is asked for while it is under way answers with what the round before has found. The first
    one of a circle to be asked for runs the rounds for all of it; the others are solved once in each.

    Args:
        solve: Solves a unit; it asks for the results of those that the unit calls.
    """

    def __init__(self, solve: Solve) -> None:
        self._solve = solve
        self._known: dict[Unit, FunctionResult] = {}
        self._before: dict[Unit, FunctionResult] = {}
        # Those of a circle that is under way: what this round has found, and where the circle begins.
        self._this_round: dict[Unit, tuple[FunctionResult, int]] = {}
        self._under_way: dict[Unit, int] = {}
        self._reached: list[int] = []

    @property
    def depth(self) -> int:
        """How many units are under way."""
        return len(self._under_way)

    def of(self, unit: Unit) -> FunctionResult:
        """The result of a unit; of one that is under way, what is known of it so far."""
        if unit in self._known:
            return self._known[unit]
        if unit in self._under_way:
            self._note_reached(self._under_way[unit])
            return self._before.get(unit) or FunctionResult()
        if unit in self._this_round:
            result, start = self._this_round[unit]
            self._note_reached(start)
            return result
        return self._in_rounds(unit)

    def put(self, unit: Unit, result: FunctionResult) -> None:
        """Take a result for the last word on a unit."""
        self._known[unit] = result

    def attempt(self, unit: Unit) -> list[Unit]:
        """Solve a unit; when there is no room for it, the units that were under way then, from the outside in."""
        try:
            self.of(unit)
        except (RecursionError, MemoryError):
            under_way = list(self._under_way)
            # What was half done would be taken for known.
            for unfinished in (self._before, self._this_round, self._under_way, self._reached):
                unfinished.clear()
            return under_way or [unit]
        return []

    def _in_rounds(self, unit: Unit) -> FunctionResult:
        own, first = len(self._under_way), len(self._this_round)
        rounds = 1
        while True:
            result, reached = self._once(unit, own)
            circle = list(self._this_round)[first:]
            if reached < own:
                # A circle that began further up: its first unit decides on the next round.
                for other in circle:
                    self._this_round[other] = (self._this_round[other][0], reached)
                self._this_round[unit] = (result, reached)
                self._note_reached(reached)
                return result
            found = {unit: result} | {other: self._this_round.pop(other)[0] for other in circle}
            if reached > own or rounds == (ROUNDS if circle else ROUNDS_ALONE):
                self._known |= found
                return result
            self._before |= found
            rounds += 1

    def _once(self, unit: Unit, own: int) -> tuple[FunctionResult, int]:
        """Solve a unit; its result, and the place of the uppermost unit under way that it has reached."""
        self._under_way[unit] = own
        self._reached.append(own + 1)
        result = self._solve(unit)
        del self._under_way[unit]
        return result, self._reached.pop()

    def _note_reached(self, place: int) -> None:
        if self._reached:
            self._reached[-1] = min(self._reached[-1], place)
