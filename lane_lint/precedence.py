"""One place, one code: where two rules fit, the first in the catalogue's order is reported."""

from __future__ import annotations

from collections.abc import Iterable

from lane_lint.finding import Finding

# In each row a code goes before those behind it; a code may stand in several rows.
ORDERS = (
    ("LAN301", "LAN306", "LAN303", "LAN305", "LAN304", "LAN401"),
    ("LAN311", "LAN316", "LAN313"),
    ("LAN203", "LAN205"),
    ("LAN307", "LAN310"),
    ("LAN104", "LAN204", "LAN101", "LAN109", "LAN102", "LAN103", "LAN106"),
    ("LAN305", "LAN312"),
    ("LAN104", "LAN312"),
)
# Pairs of codes of which the first goes before the second.
_BEFORE = frozenset(
    (first, second)
    for order in ORDERS
    for number, first in enumerate(order)
    for second in order[number + 1 :]
)


def one_code_a_place(findings: list[Finding]) -> list[Finding]:
    """Drop what another code on the same line takes precedence over, and repetitions of one code."""
    lines: dict[int, dict[str, Finding]] = {}
    for finding in findings:
        codes = lines.setdefault(finding.span.line, {})
        known = codes.get(finding.code)
        if known is None or finding.span < known.span:
            codes[finding.code] = finding
    return [found for codes in lines.values() for found in codes.values() if _is_first(found, codes)]


def _is_first(finding: Finding, codes: Iterable[str]) -> bool:
    """Whether no code on the same line goes before this one's."""
    return not any((code, finding.code) in _BEFORE for code in codes)
