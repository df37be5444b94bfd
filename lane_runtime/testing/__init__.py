"""Explore how the calls of a scenario can overlap, find the overlap that goes wrong, replay it."""

from __future__ import annotations

from lane_runtime.testing._call import Call
from lane_runtime.testing._explore import explore, replay
from lane_runtime.testing._outcome import CallOutcome, Effect, Outcome
from lane_runtime.testing._report import Found, Problem, Replayed, Report
from lane_runtime.testing._trace import TraceLine
from lane_runtime.testing._world import World
from lane_runtime.testing.errors import (
    DivergedError,
    ExplorationError,
    OutsideRefusedError,
    ScheduleTextError,
)

__all__ = [
    "Call",
    "CallOutcome",
    "DivergedError",
    "Effect",
    "ExplorationError",
    "Found",
    "Outcome",
    "OutsideRefusedError",
    "Problem",
    "Replayed",
    "Report",
    "ScheduleTextError",
    "TraceLine",
    "World",
    "explore",
    "replay",
]
