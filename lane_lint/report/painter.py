"""Colours for a terminal, by what they are for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Painter:
    """Paints parts of a line, or leaves them as they are."""

    is_colored: bool = False

    def place(self, text: str) -> str:
        """Where something is."""
        return self._painted(text, "1")

    def defect(self, text: str) -> str:
        """What is wrong."""
        return self._painted(text, "1;31")

    def related(self, text: str) -> str:
        """What belongs to it."""
        return self._painted(text, "36")

    def margin(self, text: str) -> str:
        """What is beside the source."""
        return self._painted(text, "34")

    def _painted(self, text: str, codes: str) -> str:
        return f"\x1b[{codes}m{text}\x1b[0m" if self.is_colored else text
