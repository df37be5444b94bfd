"""What is to be proved: a function, those that may run beside it, and how to make what they need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lane_runtime.testing.proof._making import Maker


@dataclass(frozen=True)
class Case:
    """One finding, as far as running it goes.

    Attributes:
        file: The module's file.
        module: Its dotted name, under which it is imported.
        root: Folder of the project; what lies outside of it is a library, and gets a stand-in.
        subject: Qualified name of the finding's function.
        partners: Qualified names of what may run beside it, the subject itself too.
        fillers: Qualified names of what may have been called before.
        fails: Names of built-in exceptions with which outside operations may fail.
        make: Makes what cannot be made from annotations and hands it to `Maker.use`; may be async.
        stale_fill: Whether a value that was asked for before a finished change and stored after it counts.
        max_schedules: Most schedules for one pair of calls in one starting state.
        seconds: CPU seconds after which no further pair is begun.
    """

    file: str
    module: str
    root: str
    subject: str
    partners: tuple[str, ...]
    fillers: tuple[str, ...] = ()
    fails: tuple[str, ...] = ()
    make: Callable[[Maker], object] | None = None
    stale_fill: bool = False
    max_schedules: int = 120
    seconds: float = 20.0
