"""What an exploration refuses, and why it stops."""

from __future__ import annotations


class ExplorationError(RuntimeError):
    """The scenario cannot be explored; the message says what it did and what to do instead."""


class OutsideRefusedError(ExplorationError):
    """The code under exploration asked for threads, sockets, files or processes of the real world."""


class DivergedError(ExplorationError):
    """The same schedule went another way: the scenario depends on something that schedules do not decide."""


class ScheduleTextError(ExplorationError):
    """The text of a schedule cannot be followed: it is malformed, or belongs to another scenario."""
