"""One place, one code: where two rules fit, the first in the catalogue's order is reported."""

from __future__ import annotations

from lane_lint.finding import Finding

# Each row is an order of precedence of its own.
ORDERS = (
    ("LAN301", "LAN306", "LAN303", "LAN305", "LAN304", "LAN401"),
    ("LAN311", "LAN316", "LAN313"),
    ("LAN203", "LAN205"),
    ("LAN307", "LAN310"),
    ("LAN104", "LAN204", "LAN101", "LAN109", "LAN102", "LAN103", "LAN106"),
)


def one_code_a_place(findings: list[Finding]) -> list[Finding]:
    """Drop what another code on the same line takes precedence over, and repetitions of one code."""
    best: dict[tuple[int, object], Finding] = {}
    for finding in findings:
        row, rank = _rank(finding.code)
        key = (finding.span.line, row)
        known = best.get(key)
        if known is None or (rank, finding.span) < (_rank(known.code)[1], known.span):
            best[key] = finding
    return list(best.values())


def _rank(code: str) -> tuple[object, int]:
    for row, order in enumerate(ORDERS):
        if code in order:
            return row, order.index(code)
    return code, 0
