"""The state lane: a serial, FIFO, non-reentrant executor of turns that own a component's mutable state."""

from __future__ import annotations

from lane_runtime._atomic import AtomicCounter, AtomicFlag, AtomicReference
from lane_runtime._context import start_detached, suppress_lane_context
from lane_runtime._decorators import on_lane, turn
from lane_runtime._gate import OperationGate
from lane_runtime._lane import StateLane
from lane_runtime._observe import LaneEvent, LaneStats
from lane_runtime._registry import ConcurrentMap
from lane_runtime._run_all import run_all
from lane_runtime._version import __version__
from lane_runtime.errors import (
    LaneAffinityError,
    LaneClosedError,
    LaneDeadlockError,
    LaneError,
    LaneFullError,
    LaneMisuseError,
    LaneOrderError,
    LaneReentryError,
)

__all__ = [
    "AtomicCounter",
    "AtomicFlag",
    "AtomicReference",
    "ConcurrentMap",
    "LaneAffinityError",
    "LaneClosedError",
    "LaneDeadlockError",
    "LaneError",
    "LaneEvent",
    "LaneFullError",
    "LaneMisuseError",
    "LaneOrderError",
    "LaneReentryError",
    "LaneStats",
    "OperationGate",
    "StateLane",
    "__version__",
    "on_lane",
    "run_all",
    "start_detached",
    "suppress_lane_context",
    "turn",
]
