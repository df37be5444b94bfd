"""What took how long, as tables for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lane_lint.report.places import shown_path
from lane_lint.run import CheckedFile
from lane_lint.stopwatch import IMPORTS

SLOWEST = 10


def render_timings(files: Sequence[CheckedFile], around: Mapping[str, float]) -> str:
    """Seconds and share of each phase, then the files that took longest.

    Seconds of several processes add up. What several rules need counts for the first of them that asks.

    Args:
        files: With what each phase took.
        around: Seconds of the phases before and after all files.
    """
    phases = dict(around)
    for file in files:
        for name, seconds in file.seconds.items():
            phases[name] = phases.get(name, 0.0) + seconds
    total = sum(phases.values())
    by_file = {shown_path(file.path): _own_seconds(file) for file in files}
    slowest = sorted(by_file.items(), key=_longest_first)[:SLOWEST]
    rows = [_row(seconds, total, name) for name, seconds in sorted(phases.items(), key=_longest_first)]
    rows = ["seconds   share  phase", *rows, _row(total, total, "all")]
    if slowest:
        rows += ["seconds   share  file", *(_row(seconds, total, path) for path, seconds in slowest)]
    return "".join(f"{row}\n" for row in rows)


def _own_seconds(file: CheckedFile) -> float:
    return sum(seconds for name, seconds in file.seconds.items() if name != IMPORTS)


def _longest_first(pair: tuple[str, float]) -> tuple[float, str]:
    return -pair[1], pair[0]


def _row(seconds: float, total: float, name: str) -> str:
    share = seconds / total if total else 0.0
    return f"{seconds:7.3f}  {share:6.1%}  {name}"
