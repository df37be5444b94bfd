"""What the checker reports: one place, one code, one message that can be acted on."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Confidence(enum.IntEnum):
    """How sure a finding is; ordered, so that a threshold can be compared."""

    LOW = 1
    MEDIUM = 2
    HIGH = 3

    def __str__(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of source. Lines are 1-based, columns 0-based and counted in characters; the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True, order=True)
class Related:
    """Another place that belongs to a finding: the read, the suspension, who can run in between."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One defect at one place."""

    path: str
    span: Span
    code: str
    name: str
    message: str
    confidence: Confidence
    related: tuple[Related, ...] = ()
