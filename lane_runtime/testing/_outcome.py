"""What came out of one run: what each call gave, the state at the end, what went wrong unseen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

End: TypeAlias = Literal["returned", "raised", "cancelled", "waits", "not started"]


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """How one call ended.

    Attributes:
        name: Name of the call.
        end: How it ended; `waits` when nothing could wake it any more.
        value: What it returned, or the error that it raised, as a picture that compares by content.
    """

    name: str
    end: End
    value: Any = None

    def __str__(self) -> str:
        if self.end in ("returned", "raised"):
            return f"{self.name} {self.end} {self.value!r}"
        return f"{self.name} {'was ' if self.end in ('cancelled', 'not started') else ''}{self.end}"


@dataclass(frozen=True, slots=True)
class Effect:
    """One outside operation as it was asked for.

    Attributes:
        name: Name of the operation, without its number.
        call: Name of the call that asked for it, empty for the scenario itself.
        arguments: Picture of its arguments.
        end: How it ended; `open` when the run ended first.
    """

    name: str
    call: str
    arguments: Any
    end: Literal["returned", "raised", "cancelled", "open"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came out of one run; two are equal when nobody outside could tell them apart.

    Attributes:
        calls: How each call ended, in the order in which the scenario named them.
        state: Picture of what the scenario returned.
        errors: Errors that no caller saw: failed background tasks and callbacks.
        stuck: Each task that waits for something that cannot come, with its line.
        effects: The outside operations in the order in which they were asked for; not compared.
        is_serial: Whether each call ran to its end before the next one began; not compared.
    """

    calls: tuple[CallOutcome, ...]
    state: Any = None
    errors: tuple[str, ...] = ()
    stuck: tuple[str, ...] = ()
    effects: tuple[Effect, ...] = field(default=(), compare=False)
    is_serial: bool = field(default=False, compare=False)

    def __str__(self) -> str:
        parts = [str(call) for call in self.calls]
        if self.state is not None:
            parts.append(f"state {self.state!r}")
        parts += [f"unseen {error}" for error in self.errors]
        parts += [f"stuck: {line}" for line in self.stuck]
        return "; ".join(parts) if parts else "nothing to compare"
