"""Which schedules are tried, in which order: fewest deviations first, then at random."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from random import Random

from lane_runtime.testing._choosers import AtRandom, Deviation, Guided
from lane_runtime.testing._run import DuplicateError, Ran, Run, Scenario


class Search:
    """All schedules of a scenario, the simplest first.

    A schedule is known by where it leaves the course that things take when nobody interferes. A run
    that comes to a point where the same steps have led before, in whatever way, ends there: the runs
    that went on from that point cover the rest.

    Attributes:
        tried: Runs begun, the duplicates too.
        distinct: Runs that ended and took other steps than each one before.
        exhausted: Whether nothing is left to try.
    """

    def __init__(self, scenario: Scenario, *, is_serial: bool, max_steps: int) -> None:
        self._scenario = scenario
        self._is_serial = is_serial
        self._max_steps = max_steps
        self._ends: set[object] = set()
        self.tried = 0
        self.exhausted = False

    @property
    def distinct(self) -> int:
        return len(self._ends)

    def in_order(self, most: int) -> Iterator[Ran]:
        """Distinct runs, fewest deviations first, until `most` have been tried or nothing is left."""
        known: set[object] = set()
        frontier: deque[tuple[Deviation, ...]] = deque([()])
        is_cut = False
        while frontier and self.tried < most:
            deviations = frontier.popleft()
            chooser = Guided(deviations, known)
            ran = self._run(chooser)
            # What happens once all has come to rest is simpler to read than what comes in between.
            for point in sorted(chooser.fresh, key=lambda point: not point.is_at_rest):
                if self.tried + len(frontier) >= most:
                    is_cut = True
                    break
                frontier.extend((*deviations, other) for _, other in point.others)
            if ran is not None:
                yield ran
        self.exhausted = not frontier and not is_cut

    def at_random(self, most: int, seed: int) -> Iterator[Ran]:
        """Distinct runs by chance, until `most` have been tried in all."""
        source = Random(seed)
        while self.tried < most:
            ran = self._run(AtRandom(source))
            if ran is not None:
                yield ran

    def _run(self, chooser: Guided | AtRandom) -> Ran | None:
        self.tried += 1
        run = Run(self._scenario, chooser, is_serial=self._is_serial, max_steps=self._max_steps)
        try:
            ran = run.run()
        except DuplicateError:
            return None
        if ran.state in self._ends:
            return None
        self._ends.add(ran.state)
        return ran
