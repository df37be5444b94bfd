"""`prove`: one setting after the other, the simplest first, until an overlap is convicted."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from lane_runtime.testing._course import Course
from lane_runtime.testing._explore import replay
from lane_runtime.testing._outcome import Outcome
from lane_runtime.testing._trace import TraceLine
from lane_runtime.testing.errors import ExplorationError
from lane_runtime.testing.proof._case import Case
from lane_runtime.testing.proof._judging import Charge, Judge
from lane_runtime.testing.proof._making import CannotMakeError
from lane_runtime.testing.proof._module import Program
from lane_runtime.testing.proof._scenario import Scenario, Setting
from lane_runtime.testing.proof._shapes import Shapes
from lane_runtime.testing.proof._verdict import Verdict

MAX_STEPS = 2_000


def prove(case: Case) -> Verdict:
    """Look for an overlap of the subject with one of its partners that no order of the two allows.

    Serial runs are the specification. A conviction holds if the two calls may overlap: whether
    somebody keeps them apart is what no search can tell.
    """
    begun = time.process_time()
    program = Program(case.file, case.module, case.root)
    attempt = _Attempt(case, program, Shapes(program.text))
    try:
        for setting in _settings(case):
            verdict = attempt.try_setting(setting)
            if verdict is not None:
                return verdict
            if time.process_time() - begun > case.seconds:
                break
    finally:
        program.close()
    return attempt.no_verdict()


def _settings(case: Case) -> Iterator[Setting]:
    fillings = ["as made", "filled", *(f"after {name}" for name in case.fillers or case.partners)]
    for is_failing, is_true in ((False, True), *(((True, True),) if case.fails else ()), (False, False)):
        for filling in fillings if is_true else fillings[:1]:
            for partner in case.partners:
                for keys in ("same", "other"):
                    yield Setting(partner, keys, filling, is_failing, is_true)


class _Attempt:
    """What has been tried so far."""

    def __init__(self, case: Case, program: Program, shapes: Shapes) -> None:
        self._case = case
        self._program = program
        self._shapes = shapes
        self._tried = 0
        self._judged = 0
        self._problems: dict[str, None] = {}

    def try_setting(self, setting: Setting) -> Verdict | None:
        """A verdict if an overlap in this setting is convicted."""
        try:
            return self._try(setting)
        except (ExplorationError, CannotMakeError) as error:
            self._problems[f"{setting}: {error}"] = None
        except Exception as error:  # of code under proof that runs in the set-up
            self._problems[f"{setting}: {type(error).__name__}: {error}"] = None
        return None

    def _scenario(self, setting: Setting, calls: str = "ab") -> Scenario:
        return Scenario(self._case, self._program, self._shapes, setting, calls)

    def _try(self, setting: Setting) -> Verdict | None:
        alone = {letter: self._outcomes(self._scenario(setting, letter)) for letter in "ab"}
        scenario = self._scenario(setting)
        hearing = _Hearing(alone, stale_fill=self._case.stale_fill)
        course = Course(scenario, hearing.is_right, MAX_STEPS, stop_at_first=True)
        try:
            report = course.run(self._case.max_schedules, 0)
        finally:
            scenario.world_stack.close()
        self._tried += report.tried
        if report.problem is not None and report.problem.kind == "scenario failed":
            raise CannotMakeError(report.problem.message)
        if hearing.reason:
            self._problems[f"{setting}: {hearing.reason}"] = None
        if hearing.charge is None or report.problem is None:
            self._judged += not hearing.reason
            return None
        return self._convict(setting, hearing, report.problem.schedule, report.problem.outcome)

    def _outcomes(self, scenario: Scenario) -> list[Outcome]:
        course = Course(scenario, lambda _: True, MAX_STEPS, stop_at_first=True)
        try:
            report = course.run(4, 0)
        finally:
            scenario.world_stack.close()
        self._tried += report.tried
        if report.problem is not None and report.problem.kind == "scenario failed":
            raise CannotMakeError(report.problem.message)
        return [found.outcome for found in report.serial]

    def _convict(self, setting: Setting, hearing: _Hearing, schedule: str, outcome: Outcome) -> Verdict:
        charge = hearing.charge
        assert charge is not None
        scenario = self._scenario(setting)
        try:
            trace = replay(scenario, schedule, max_steps=MAX_STEPS).trace
        finally:
            scenario.world_stack.close()
        return Verdict(
            kind=charge.kind,
            words=charge.words,
            setting=f"a is {self._case.subject}, b is {setting.partner}; {setting}",
            trace=tuple(self._shown(trace)),
            schedule=schedule,
            orders=tuple(dict.fromkeys(_told(one) for one in hearing.serial)),
            outcome=_told(outcome),
            tried=self._tried,
            missing=tuple(sorted(self._program.missing)),
            problems=tuple(self._problems),
        )

    def _shown(self, trace: tuple[TraceLine, ...]) -> Iterator[str]:
        """The steps of the calls, without those of the set-up and of other files."""
        has_begun = False
        for line in trace:
            has_begun = has_begun or line.kind == "happens"
            if has_begun and (line.kind != "line" or self._is_of_the_module(line.place)):
                yield str(line)

    def _is_of_the_module(self, place: str) -> bool:
        return place.rpartition(":")[0] == Path(self._case.file).name

    def no_verdict(self) -> Verdict:
        """What to say when nothing was convicted."""
        can = self._judged > 0
        words = (
            "no overlap was found that no order of the calls allows"
            if can
            else f"the functions could not be run: {next(iter(self._problems), 'no setting was tried')}"
        )
        return Verdict(
            kind="not convicted" if can else "cannot be made",
            words=words,
            tried=self._tried,
            missing=tuple(sorted(self._program.missing)),
            problems=tuple(self._problems),
        )


class _Hearing:
    """Takes the serial outcomes for the specification and looks for the first overlap against it."""

    def __init__(self, alone: dict[str, list[Outcome]], *, stale_fill: bool) -> None:
        self._alone = alone
        self._asks_for_stale_fill = stale_fill
        self._judge: Judge | None = None
        self.serial: list[Outcome] = []
        self.charge: Charge | None = None
        self.reason = ""

    def is_right(self, outcome: Outcome) -> bool:
        """Whether nothing is wrong with this run."""
        if outcome.is_serial:
            self.serial.append(outcome)
            return True
        if self._judge is None:
            self._judge = Judge(self.serial, self._alone)
            self.reason = _unfit(self.serial)
        if self.reason:
            return True
        self.charge = self._judge.charge(outcome)
        if self.charge is None and self._asks_for_stale_fill:
            self.charge = self._judge.stale_fill(outcome)
        return self.charge is None


def _unfit(serial: list[Outcome]) -> str:
    """Why the serial runs are no specification: calls that stumble even one after the other."""
    for place in range(2):
        if all(_stumbles(one, place) for one in serial if len(one.calls) > place):
            return str(serial[0].calls[place]) if serial and len(serial[0].calls) > place else "no serial run"
    return ""


def _stumbles(outcome: Outcome, place: int) -> bool:
    call = outcome.calls[place]
    return call.end in ("waits", "not started") or (
        call.end == "raised" and call.name not in outcome.state["refused"]
    )


def _told(outcome: Outcome) -> str:
    calls = "; ".join(str(call) for call in outcome.calls)
    return f"{calls}; {outcome.state['state']!r}" if isinstance(outcome.state, dict) else calls
