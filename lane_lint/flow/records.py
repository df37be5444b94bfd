"""What the interpretation of a function puts on record for the rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from lane_lint.flow.summary import UNKNOWN, Summary
from lane_lint.model.instructions import Why

if TYPE_CHECKING:
    from lane_lint.flow.executors import Job
    from lane_lint.flow.locks import LockKind
    from lane_lint.flow.notifying import Notice
    from lane_lint.flow.state import Crossing, Emptied, OwnWrite
    from lane_lint.flow.summary import Call, WriteEffect
    from lane_lint.flow.taking import GivingBack, Taking
    from lane_lint.flow.turn_records import (
        CallbackRecord,
        CompletionRecord,
        GateRecord,
        HookRecord,
        LaneRecord,
        OutsideRecord,
        StartRecord,
    )
    from lane_lint.flow.unit import Unit
    from lane_lint.flow.values import Hold, Token, Tokens, Value
    from lane_lint.flow.waits import Wait
    from lane_lint.model.path import Path


class StaleRead(NamedTuple):
    """A read that an act depends on although it has gone stale."""

    token: Token
    crossing: Crossing


class WriteRecord(NamedTuple):
    """A write of a shared path.

    Attributes:
        by_value: Stale reads of the same state that the written value was computed from.
        by_decision: Stale reads of the same state that decided that it is written.
        lingering: Stale reads of the same state that led to a wait before, not looked at again.
        is_shared: Another task may write the path too.
        is_decided: A fresh test of the same state decided that it is written.
        is_checked: A decision that rests on reads since the last suspension is in force, on whatever state.
        is_read_anew: A read of the same state since the last suspension went into the value too.
        tested: The pieces of state that were tested together with what is acted on.
        relies_on: The holds that have carried a read of the same state, which the write depends on, over
            a suspension.
        operation: The collection's method, `del`, or "" for an assignment.
        found: What the tests in force found at the path: something (True), nothing (False), not known (None).
        by_wait: Stale reads of the same place whose object was waited for.
        own_write: This call's own earlier write of the path.
        emptied: Where this call emptied the collection that is now filled.
        effect: The callee's write when a helper does it.
    """

    site: int
    path: Path
    value: Value
    is_shared: bool
    is_reset: bool
    is_step: bool
    is_removal: bool
    is_mutation: bool
    is_decided: bool
    is_checked: bool
    is_read_anew: bool
    operation: str
    tested: frozenset[Path]
    relies_on: frozenset[Hold]
    found: bool | None
    by_value: tuple[StaleRead, ...]
    by_decision: tuple[StaleRead, ...]
    lingering: tuple[StaleRead, ...]
    by_wait: tuple[StaleRead, ...]
    holds: frozenset[Hold]
    epoch: int
    last_suspension: int
    own_write: OwnWrite | None
    emptied: Emptied | None
    effect: WriteEffect | None
    call: Call | None


class ReadRecord(NamedTuple):
    site: int
    path: Path
    holds: frozenset[Hold]
    epoch: int


class UseRecord(NamedTuple):
    """A value that was read under a lock is given to something that is awaited after the lock was let go."""

    site: int
    token: Token


class CallRecord(NamedTuple):
    """A call of a function of this module, with the locks held there.

    Attributes:
        is_suppressed: The mark of the turn, if there is one, is hidden from what is started there.
    """

    site: int
    call: Call
    holds: frozenset[Hold]
    is_suppressed: bool = False


class SuspensionRecord(NamedTuple):
    site: int
    why: Why
    holds: frozenset[Hold]
    loops: tuple[int, ...]
    block: int
    callee: str | None


class LoopRecord(NamedTuple):
    """An iteration over a live shared collection.

    Attributes:
        origin: The generator that walks the collection for the loop, and the path as it knows it.
    """

    loop: int
    site: int
    path: Path
    holds: frozenset[Hold]
    origin: tuple[Unit, Path] | None = None


class AcquireRecord(NamedTuple):
    """A lock is taken; `held` is what was held before."""

    site: int
    lock: Path
    kind: LockKind
    held: frozenset[Hold]


class EventRecord(NamedTuple):
    """An event is cleared, or set, with the place where this function last waited for it."""

    site: int
    path: Path
    waited: int | None
    last_suspension: int
    is_set: bool


# The method of futures and tasks that keeps a function to call it later.
CALLS_BACK = "add_done_callback"


class OutletRecord(NamedTuple):
    """A value leaves the function: it is returned, or given to the method `given_to`."""

    site: int
    value: Value
    given_to: str | None = None


class MapRecord(NamedTuple):
    """A concurrent collection is changed by one operation.

    Attributes:
        decided: Looks at concurrent collections that decided that it is changed.
        value: Looks at concurrent collections that the new content was computed from.
        names: Plain names that the operation is given.
        helper: The own function that makes the change, when the place is its call.
    """

    site: int
    path: Path
    method: str
    decided: Tokens
    value: Tokens
    names: frozenset[str]
    holds: frozenset[Hold]
    epoch: int
    helper: str | None = None


@dataclass(slots=True)
class Records:
    """Everything on record for one block, or for a whole function.

    Attributes:
        comparisons: Stale reads that are compared with the present state, and where.
        lane_arguments: Reads of what is handed to a lane as it is, for a turn to look into.
        entry_changes: Changes of an object that may be the one at a shared path, with what is changed in it,
            and whether that is the content of a collection.
        map_looks: Where a concurrent collection is looked at, by which method, and where in it.
        lane_closings: Where a lane is closed: no turn runs behind that.
    """

    writes: list[WriteRecord] = field(default_factory=list)
    reads: list[ReadRecord] = field(default_factory=list)
    uses: list[UseRecord] = field(default_factory=list)
    comparisons: list[tuple[int, Token]] = field(default_factory=list)
    calls: list[CallRecord] = field(default_factory=list)
    suspensions: list[SuspensionRecord] = field(default_factory=list)
    loops: list[LoopRecord] = field(default_factory=list)
    acquisitions: list[AcquireRecord] = field(default_factory=list)
    starts: list[StartRecord] = field(default_factory=list)
    callbacks: list[CallbackRecord] = field(default_factory=list)
    hooks: list[HookRecord] = field(default_factory=list)
    lanes: list[LaneRecord] = field(default_factory=list)
    lane_arguments: list[int] = field(default_factory=list)
    lane_closings: list[int] = field(default_factory=list)
    entry_changes: list[tuple[int, Path, bool]] = field(default_factory=list)
    map_looks: list[tuple[int, str, Path]] = field(default_factory=list)
    map_changes: list[MapRecord] = field(default_factory=list)
    events: list[EventRecord] = field(default_factory=list)
    outside: list[OutsideRecord] = field(default_factory=list)
    gates: list[GateRecord] = field(default_factory=list)
    completions: list[CompletionRecord] = field(default_factory=list)
    eager_factories: list[int] = field(default_factory=list)
    outlets: list[OutletRecord] = field(default_factory=list)
    returns: list[tuple[Value, frozenset[Hold], Tokens]] = field(default_factory=list)
    exits: list[frozenset[Hold]] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    waits: list[Wait] = field(default_factory=list)
    jobs: list[Job] = field(default_factory=list)
    releases: list[Path] = field(default_factory=list)
    takings: list[Taking] = field(default_factory=list)
    givings: list[GivingBack] = field(default_factory=list)
    foreign_calls: list[int] = field(default_factory=list)
    yields: list[tuple[int, frozenset[Hold], tuple[int, ...]]] = field(default_factory=list)

    def extend(self, other: Records) -> None:
        """Add what is on record for a further block."""
        for name in Records.__slots__:
            if found := getattr(other, name):
                getattr(self, name).extend(found)


@dataclass(slots=True)
class FunctionResult:
    """A function solved: what is on record, its locks by path, and its summary for callers."""

    records: Records = field(default_factory=Records)
    lock_kinds: dict[Path, LockKind] = field(default_factory=dict)
    summary: Summary = UNKNOWN
