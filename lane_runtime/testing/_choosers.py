"""Who decides: a schedule given by its deviations, a random one, one read from a text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from lane_runtime.testing._options import GO, Option
from lane_runtime.testing._run import DuplicateError, Happening
from lane_runtime.testing.errors import DivergedError, ScheduleTextError


class Deviation(NamedTuple):
    """At the choice with this number, this option was taken instead of the first."""

    at: int
    choice: int
    label: str


class Point:
    """A choice whose other options nobody has taken yet."""

    __slots__ = ("at", "is_at_rest", "others")

    def __init__(self, at: int, options: list[Option]) -> None:
        self.at = at
        self.is_at_rest = options[0] is not GO
        self.others = [
            (option.is_plain, Deviation(at, choice, option.label))
            for choice, option in enumerate(options)
            if choice > 0
        ]

    def drop_what_can_wait(self, next_options: list[Option]) -> None:
        """Forget what leads to the same steps when it happens a cycle later, after all has come to rest."""
        labels = {option.label for option in next_options}
        self.others = [
            (is_plain, other) for is_plain, other in self.others if not (is_plain and other.label in labels)
        ]


class Guided:
    """Takes the first option everywhere but at the deviations.

    Attributes:
        fresh: The choices after the last deviation whose future is not known.
    """

    def __init__(self, deviations: tuple[Deviation, ...], known: set[object]) -> None:
        self._deviations = deviations
        self._known = known
        self._number = -1
        self._next = 0
        self._in_motion: Point | None = None
        self.fresh: list[Point] = []

    def choose(self, options: list[Option], state: Callable[[], object]) -> int:
        before, self._in_motion = self._in_motion, None
        if before is not None and options[0] is not GO:
            before.drop_what_can_wait(options)
        if len(options) == 1:
            return 0
        self._number += 1
        if self._next < len(self._deviations):
            deviation = self._deviations[self._next]
            if deviation.at != self._number:
                return 0
            self._next += 1
            return _checked(deviation, options)
        moment = state()
        if moment in self._known:
            raise DuplicateError
        self._known.add(moment)
        point = Point(self._number, options)
        self.fresh.append(point)
        if not point.is_at_rest:
            self._in_motion = point
        return 0


def _checked(deviation: Deviation, options: list[Option]) -> int:
    if deviation.choice >= len(options) or options[deviation.choice].label != deviation.label:
        raise DivergedError(
            f"at choice {deviation.at} of the same schedule {deviation.label!r} could happen before, now only "
            f"{_named(options)}; the scenario depends on something else than the schedule: the real time, "
            "random numbers, the order of a set, or state that an earlier run has left"
        )
    return deviation.choice


def _named(options: list[Option]) -> str:
    return ", ".join(repr(option.label) for option in options)


class AtRandom:
    """Lets what is ready go on half of the time, else takes any option."""

    def __init__(self, source: Random) -> None:
        self._source = source

    def choose(self, options: list[Option], state: Callable[[], object]) -> int:
        if len(options) == 1 or (options[0] is GO and self._source.random() < 0.5):
            return 0
        return self._source.randrange(len(options))


class FromText:
    """Follows a schedule, then takes the first option everywhere."""

    def __init__(self, schedule: Sequence[Happening]) -> None:
        self._left = list(reversed(schedule))
        self._cycles = 0

    def choose(self, options: list[Option], state: Callable[[], object]) -> int:
        if not self._left:
            return 0
        label, cycles = self._left[-1]
        if options[0] is GO and cycles != self._cycles:
            self._cycles += 1
            return 0
        for choice, option in enumerate(options):
            if option.label == label:
                self._left.pop()
                self._cycles = 0
                return choice
        raise ScheduleTextError(
            f"the schedule says {label!r}, but here only {_named(options)} can happen; "
            "it was made by another scenario, or the code under it has changed"
        )

    @property
    def is_used_up(self) -> bool:
        """Whether each entry of the schedule has happened."""
        return not self._left
