"""The gate: which definitions can hold a finding at all, by the cheap look of the outline."""

from __future__ import annotations

import re

from lane_lint.outline import FunctionOutline, ModuleOutline

WORTH_A_LOOK = re.compile(r"\b(?:await|async|Lock|Semaphore|Condition|StateLane)\b|lane")


def can_hold_a_finding(module: ModuleOutline, function: FunctionOutline) -> bool:
    """Whether a definition is worth the dear look; its helpers are looked at when it asks for them."""
    return True
