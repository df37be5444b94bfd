"""From source to the model: slices of a module are parsed by libcst and lowered to graphs."""

from __future__ import annotations

from lane_lint.lowering.slices import Slice, SliceError, empty_slice, lower_definition

__all__ = ["Slice", "SliceError", "empty_slice", "lower_definition"]
