"""The cases of fixtures/LANnnn and what is due in them."""

from __future__ import annotations

import re
from pathlib import Path

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
CASES = sorted(FIXTURES.glob("LAN[0-9][0-9][0-9]/*.py"))
MARKER = re.compile(r"#\s*expect:\s*(LAN\d{3}(?:\s*\|\s*LAN\d{3})*)")


def case_name(case: Path) -> str:
    return f"{case.parent.name}/{case.stem}"


def due_codes(text: str) -> dict[int, frozenset[str]]:
    """Line number -> the codes, any one of which is due there."""
    due: dict[int, frozenset[str]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if match := MARKER.search(line):
            due[number] = frozenset(re.findall(r"LAN\d{3}", match.group(1)))
    return due
