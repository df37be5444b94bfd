"""A proof as text and as JSON."""

from __future__ import annotations

import dataclasses
import json

from lane_lint.proving.running import Proof

_IF = "if these two calls may overlap"
_MOST = 400


def as_text(proof: Proof, finding: str) -> str:
    """The verdict, and when there is one the losing schedule, step by step.

    Args:
        finding: Its place, code and message.
    """
    lines = [finding, f"{proof.kind}: {proof.words}"]
    if proof.convicts:
        lines += [f"{_IF}: {proof.setting}", "", *proof.trace, ""]
        lines += [f"in order:    {_cut(order)}" for order in proof.orders]
        lines += [f"overlapping: {_cut(proof.outcome)}", f"replay: {proof.schedule}"]
    else:
        lines += ["this clears nothing: another start, or other arguments, may still lose"]
    if proof.missing:
        lines.append(f"not installed here, replaced by stand-ins: {', '.join(proof.missing)}")
    lines.append(f"{proof.tried} schedules tried")
    return "\n".join(lines) + "\n"


def as_json(proof: Proof) -> str:
    """The same for programs."""
    return (
        json.dumps({"schema_version": 1, **dataclasses.asdict(proof), "convicts": proof.convicts}, indent=2)
        + "\n"
    )


def _cut(text: str) -> str:
    return text if len(text) <= _MOST else f"{text[:_MOST]}..."
