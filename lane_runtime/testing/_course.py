"""The course of an exploration: the serial orders, the schedules, the judgement on each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from lane_runtime.testing._outcome import Outcome
from lane_runtime.testing._report import Found, Problem, ProblemKind, Report
from lane_runtime.testing._run import Ran, Scenario
from lane_runtime.testing._search import Search
from lane_runtime.testing._text import text_of

# The serial orders have a share of their own, so that they do not eat up a small budget.
LEAST_SERIAL: Final = 200


class Course:
    """What has been found so far."""

    def __init__(
        self,
        scenario: Scenario,
        invariant: Callable[[Outcome], object] | None,
        max_steps: int,
        *,
        stop_at_first: bool,
    ) -> None:
        self._invariant = invariant
        self._stop_at_first = stop_at_first
        self._apart = Search(scenario, is_serial=True, max_steps=max_steps)
        self._together = Search(scenario, is_serial=False, max_steps=max_steps)
        self._serial: list[Found] = []
        self._overlapped: list[Found] = []
        self._problem: Problem | None = None

    def run(self, most: int, seed: int) -> Report:
        """Try up to `most` schedules, besides the serial ones."""
        if not self._try_serial_orders(most):
            for ran in self._overlaps(most, seed):
                if self._is_to_stop_at(ran):
                    break
        return Report(
            tried=self._apart.tried + self._together.tried,
            distinct=self._together.distinct,
            exhausted=self._together.exhausted,
            serial=tuple(self._serial),
            serial_exhausted=self._apart.exhausted,
            overlapped=tuple(self._overlapped),
            problem=self._problem,
        )

    def _try_serial_orders(self, most: int) -> bool:
        """Whether a problem in one of them ends everything."""
        for ran in self._apart.in_order(max(LEAST_SERIAL, most // 4)):
            _keep(ran, self._serial)
            if self._judge(ran) and self._stop_at_first:
                return True
        return False

    def _overlaps(self, most: int, seed: int) -> Iterator[Ran]:
        yield from self._together.in_order(most - most // 4)
        if not self._together.exhausted:
            yield from self._together.at_random(most, seed)

    def _is_to_stop_at(self, ran: Ran) -> bool:
        if ran.outcome.is_serial:
            _keep(ran, self._serial)
        else:
            _keep(ran, self._overlapped)
        return self._judge(ran) and self._stop_at_first

    def _judge(self, ran: Ran) -> bool:
        """Whether the run is not as it should be; the first such one is kept."""
        found = self._problem_of(ran)
        if found is None:
            return False
        if self._problem is None:
            self._problem = Problem(*found, outcome=ran.outcome, schedule=text_of(ran.schedule))
        return True

    def _problem_of(self, ran: Ran) -> tuple[ProblemKind, str] | None:
        outcome = ran.outcome
        if ran.failure is not None:
            return "scenario failed", f"{type(ran.failure).__name__}: {ran.failure}"
        if outcome.stuck:
            is_endless = " without end at " in outcome.stuck[0]
            return "no end" if is_endless else "every task waits", "; ".join(outcome.stuck)
        if self._invariant is not None:
            return _broken(self._invariant, outcome)
        if outcome.errors:
            return "error", "; ".join(outcome.errors)
        if not outcome.is_serial and all(found.outcome != outcome for found in self._serial):
            return "no serial order", str(outcome)
        return None


def _keep(ran: Ran, kept: list[Found]) -> None:
    if all(found.outcome != ran.outcome for found in kept):
        kept.append(Found(ran.outcome, text_of(ran.schedule)))


def _broken(invariant: Callable[[Outcome], object], outcome: Outcome) -> tuple[ProblemKind, str] | None:
    try:
        holds = invariant(outcome)
    except AssertionError as error:
        return "invariant broken", f"{error or 'an assertion'}; {outcome}"
    return ("invariant broken", str(outcome)) if holds is False else None
