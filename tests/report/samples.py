"""Findings for reports, and what no format can write as it is."""

from __future__ import annotations

import os

from lane_lint.finding import Confidence, Finding, Related, Span

ODD_NAME = os.fsdecode(b"sp ace/%41:,\n\x1b\xff\xc3\xa9.py")
ODD_TEXT = "1 % 2, <a & b>: 'x'\r\n\x1b[31m \x00\udcff \ufffe \N{PILE OF POO} ]]>"


def finding_at(
    path: str, span: Span, confidence: Confidence = Confidence.HIGH, text: str = "what, why"
) -> Finding:
    related = (Related(Span(1, 2, 1, 5), "read here"), Related(Span(2, 0, 3, 1), "other tasks run here"))
    return Finding(path, span, "LAN103", "check-await-act", text, confidence, related)
