"""Prove a finding: run its function and what may run beside it in every overlap, against their orders."""

from __future__ import annotations

from lane_runtime.testing.proof._case import Case
from lane_runtime.testing.proof._making import CannotMakeError, Maker
from lane_runtime.testing.proof._proving import prove
from lane_runtime.testing.proof._verdict import Verdict

__all__ = ["CannotMakeError", "Case", "Maker", "Verdict", "prove"]
