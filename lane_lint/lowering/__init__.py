"""From syntax to the model: definitions are lowered to graphs."""

from __future__ import annotations

from lane_lint.lowering.slices import Slice, empty_slice, lower_definition

__all__ = ["Slice", "empty_slice", "lower_definition"]
