"""Measure `lane-lint prove` on a folder of cases: how many bad ones are convicted, how many clean ones.

    python tools/measure_proofs.py [--stale-fill] [--only WORD] FOLDER...

A bad case has lines that end in `# expect: LAN103`, as the fixtures have; each such file is proved at
its first such line of LAN101 to LAN109. A clean one has none, and is proved at each public coroutine
that changes something. Prints one row a file, then the rates, schedules and times.
"""

from __future__ import annotations

import argparse
import ast
import re
import statistics
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from lane_lint.finding import Confidence, Finding, Span
from lane_lint.proving.harness import Limits, harness_of
from lane_lint.proving.partners import pairing_at
from lane_lint.proving.running import run_harness
from lane_lint.proving.target import ProvingError, Target
from lane_lint.proving.touching import functions_of

_EXPECT = re.compile(r"#\s*expect:\s*.*?LAN10[1-9]")
_CODE = re.compile(r"LAN10[1-9]")


@dataclass(frozen=True)
class Row:
    """One file: the strongest verdict on it."""

    path: Path
    is_bad: bool
    kind: str
    words: str
    tried: int
    seconds: float

    @property
    def convicts(self) -> bool:
        return self.kind not in ("not convicted", "cannot be made", "failed")


def due_lines(text: str) -> list[int]:
    """The first line on which a finding of LAN101 to LAN109 is due."""
    return [number for number, line in enumerate(text.splitlines(), 1) if _EXPECT.search(line)][:1]


def changing_lines(text: str) -> list[int]:
    """The first line of each coroutine that changes something and is called from outside."""
    functions = functions_of(ast.parse(text))
    called = {name for one in functions for name in one.calls}
    return [
        one.node.lineno
        for one in functions
        if one.waits and one.writes and not (one.last_name.startswith("_") and one.last_name in called)
    ]


def prove_line(path: Path, text: str, line: int, stale_fill: bool) -> tuple[str, str, int]:
    pairing = pairing_at(text, line)
    if pairing is None:
        return "failed", "in no function", 0
    finding = Finding(str(path), Span(line, 0, line, 0), "LAN103", "", "", Confidence.HIGH)
    target = Target("LAN103", str(path.resolve()), line, text, finding)
    try:
        proof = run_harness(harness_of(target, pairing, Limits(120, 20.0, stale_fill)), None, 60.0)
    except ProvingError as error:
        return "failed", str(error), 0
    return proof.kind, proof.words, proof.tried


def measure(path: Path, stale_fill: bool) -> Row | None:
    """Prove one file; None when there is nothing in it to prove."""
    text = path.read_text(encoding="utf-8")
    due = due_lines(text)
    if not due and "# expect:" in text:
        return None
    begun = time.monotonic()
    best = ("not convicted", "nothing to prove", 0)
    for line in due or changing_lines(text):
        found = prove_line(path, text, line, stale_fill)
        best = found
        if found[0] not in ("not convicted", "cannot be made", "failed"):
            break
    return Row(path, bool(due), *best, time.monotonic() - begun)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--stale-fill", action="store_true")
    parser.add_argument("--only", default="", metavar="WORD", help="files with this in their names")
    options = parser.parse_args()
    rows: list[Row] = []
    for path in sorted(path for folder in options.folders for path in folder.rglob("*.py")):
        row = measure(path, options.stale_fill) if options.only in path.name else None
        if row is not None:
            rows.append(row)
            print(
                f"{str(path)[-50:]:50} {row.kind:22} {row.tried:5} {row.seconds:5.1f} s  {row.words[:100]}",
                flush=True,
            )
    for name, some in (
        ("bad", [row for row in rows if row.is_bad]),
        ("clean", [row for row in rows if not row.is_bad]),
    ):
        if some:
            convicted = [row for row in some if row.convicts]
            print(
                f"{name}: {len(convicted)} of {len(some)} convicted, {100 * len(convicted) / len(some):.0f} %"
            )
            print(
                f"  seconds: median {statistics.median(row.seconds for row in some):.2f}, most {max(row.seconds for row in some):.1f}"
            )
            if convicted:
                print(
                    f"  schedules to a conviction: median {statistics.median(row.tried for row in convicted):.0f}"
                )
    return 0


if __name__ == "__main__":
    sys.exit(main())
