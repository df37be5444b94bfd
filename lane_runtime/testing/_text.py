"""Schedules as texts that people can read and keep."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from lane_runtime.testing._run import Happening
from lane_runtime.testing.errors import ScheduleTextError

_SEPARATOR: Final = "; "
_CYCLES = re.compile(r"(.*) @(\d+)", re.DOTALL)


def text_of(schedule: Sequence[Happening]) -> str:
    """One line: what happens, in order; `@n` after what happens before everything has come to rest.

    `n` counts the cycles of the loop since what happened before.
    """
    return _SEPARATOR.join(label if cycles is None else f"{label} @{cycles}" for label, cycles in schedule)


def schedule_of(text: str) -> tuple[Happening, ...]:
    """The schedule that a text stands for; line breaks count as spaces.

    Raises:
        ScheduleTextError: It has an empty entry.
    """
    entries = [" ".join(entry.split()) for entry in text.split(_SEPARATOR.strip())]
    if entries and not entries[-1]:
        entries.pop()
    if not all(entries):
        raise ScheduleTextError(f"a schedule is a text such as 'get#1 starts; fetch#1 ends', not {text!r}")
    return tuple(_happening(entry) for entry in entries)


def _happening(entry: str) -> Happening:
    found = _CYCLES.fullmatch(entry)
    return Happening(entry, None) if found is None else Happening(found[1], int(found[2]))
