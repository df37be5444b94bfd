"""Abstract values: which reads a value stems from, what object it is, and what can be done with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from lane_lint.flow.locks import LockKind
    from lane_lint.flow.summary import Call
    from lane_lint.flow.unit import Unit
    from lane_lint.model.path import Path
    from lane_lint.outline import ClassOutline

MAX_TOKENS = 8

# The first part of the name of a hold that is a busy flag, tested and raised in one step.
BUSY = "%busy"

# The site of a hold that was there before the function began.
ENTRY = -1

# The name no user can write that is bound while started tasks do not inherit the turn.
SUPPRESSED = "%suppressed"

# What calls give that nobody has to wait for as for something outside: what a callback gave, a method of the
# object that this module does not show, and a turn whose work is not known.
CALLBACK, OWN, OF_LANE = "%callback", "%own", "%lane"
# An entry that was taken out of a collection, of which nothing else is known.
TAKEN = "%taken"

# What a copy of a collection was made by, as `Made` has it.
COPY = "copy"


class Hold(NamedTuple):
    """One acquisition of a lock: the lock, and where it was acquired (releasing and taking it again differs)."""

    lock: Path
    site: int


class Token(NamedTuple):
    """One read of a shared path.

    Attributes:
        site: The place of the read.
        epoch: The suspension before the read; reads of one epoch form one consistent group.
        holds: The locks held at the read.
        is_old: The read was made in an earlier pass of a loop.
        is_derived: A helper computed something from the value; the thing itself was not handed out.
        is_from_turn: A finished turn of a lane handed the value out.
    """

    site: int
    path: Path
    epoch: int
    holds: frozenset[Hold]
    is_old: bool = False
    is_from_turn: bool = False
    is_derived: bool = False

    def was_released(self, holds: frozenset[Hold]) -> bool:
        """Whether the read was made under a lock, or in a turn, that is over."""
        locks = {h for h in self.holds if h.lock[0] != BUSY}
        return self.is_from_turn or bool(locks and not locks & holds)


Tokens: TypeAlias = frozenset[Token]
NO_TOKENS: Tokens = frozenset()


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal; `reset` when it is None, False, True, 0 or an empty display."""

    text: str
    reset: bool


@dataclass(frozen=True, slots=True)
class Dotted:
    """Something of another module, by its dotted name: `asyncio.create_task`."""

    name: str


@dataclass(frozen=True, slots=True)
class Function:
    """A function of this module, perhaps bound to an object and with leading arguments given."""

    unit: Unit
    receiver: Path | None
    arguments: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class ClassObject:
    outline: ClassOutline


@dataclass(frozen=True, slots=True)
class Instance:
    outline: ClassOutline


@dataclass(frozen=True, slots=True)
class Super:
    """What `super()` gives: methods are looked up behind `after` in the class's order."""

    after: ClassOutline
    start: ClassOutline


@dataclass(frozen=True, slots=True)
class Pending:
    """Coroutines or contexts that were called but not yet waited for; waiting has their effects.

    Attributes:
        is_wrapped: They are waited for through something that suspends in any case.
    """

    calls: tuple[Call, ...]
    is_wrapped: bool = False


@dataclass(frozen=True, slots=True)
class Made:
    """The result of calling something outside the module, by its dotted name."""

    name: str


# A key that an iteration over a mapping gives, a key with its entry, and what is computed while it is iterated.
KEY, PAIR, LAZY = Made("key"), Made("pair"), Made("lazy")
# Where in a sequence something was found.
POSITION = Made("position")


@dataclass(frozen=True, slots=True)
class Work:
    """Futures of work that an executor was given, or (`is_lazy`) an iterator that waits for its results.

    Attributes:
        pool: The executor, as the function sees it; None when it is not known.
    """

    pool: Path | None
    is_lazy: bool = False


@dataclass(frozen=True, slots=True)
class Readiness:
    """The answer whether a wait for something would end at once; it would when the answer is `when`.

    Attributes:
        name: The name no user can write under which the state remembers that it would.
    """

    name: str
    when: bool


@dataclass(frozen=True, slots=True)
class Several:
    """A collection of objects that were all made by one constructor of another module."""

    of: Made


@dataclass(frozen=True, slots=True)
class Attempt:
    """Whether a lock was got by the call at `site`, which may fail; it was when this is found to be `when`."""

    site: int
    when: bool = True


@dataclass(frozen=True, slots=True)
class Lock:
    kind: LockKind


@dataclass(frozen=True, slots=True)
class Lane:
    pass


@dataclass(frozen=True, slots=True)
class Lanes:
    """A display that holds lanes."""

    paths: tuple[Path, ...]


What: TypeAlias = (
    Constant
    | Dotted
    | Made
    | Function
    | ClassObject
    | Instance
    | Super
    | Pending
    | Work
    | Several
    | Readiness
    | Attempt
    | Lock
    | Lane
    | Lanes
)


class Value(NamedTuple):
    """What is known of a value.

    Attributes:
        tokens: The reads it was computed from.
        path: The shared place whose object it is (a must-alias), if it is one.
        fresh: It is a new object that nobody else can reach yet.
        decided: Reads that decided which of several values it is.
        waits: The suspensions whose results it was computed from.
        parameters: The parameters it was computed from.
        contains: The shared places whose very objects are in this new collection.
    """

    tokens: Tokens = NO_TOKENS
    path: Path | None = None
    fresh: bool = False
    decided: Tokens = NO_TOKENS
    waits: frozenset[int] = frozenset()
    what: What | None = None
    parameters: frozenset[str] = frozenset()
    contains: frozenset[Path] = frozenset()


NOTHING = Value()


def in_order(tokens: Iterable[Token]) -> list[Token]:
    """Tokens in the order of the source, the same in every run."""
    return sorted(tokens, key=lambda t: (t.site, t.path, t.is_old, t.epoch))


def cut(tokens: Tokens) -> Tokens:
    """A value made from very many reads is not followed: it would be reported for all of them."""
    return tokens if len(tokens) <= MAX_TOKENS else NO_TOKENS
