"""One function under interpretation: the state at the present place, and what goes on record there."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lane_lint.flow.concurrent import is_map_path
from lane_lint.flow.locks import (
    ASSUMED_ASYNC_GATE,
    ASSUMED_BLOCKING_LOCK,
    ASYNC_LOCK,
    LockKind,
    lock_kind,
    looks_acquirable,
    looks_like_lock,
)
from lane_lint.flow.records import AcquireRecord, ReadRecord, Records, SuspensionRecord
from lane_lint.flow.state import State
from lane_lint.flow.values import NO_TOKENS, NOTHING, Hold, Lock, Token, Tokens, Value
from lane_lint.model.path import SELF

if TYPE_CHECKING:
    from lane_lint.flow.concurrent import Concurrent
    from lane_lint.flow.program import Program
    from lane_lint.flow.unit import Unit
    from lane_lint.model.instructions import Temp, Why
    from lane_lint.model.path import Path

# What a function of another module has made is taken for a lock when it is named so; a condition may stand for another lock.
LOCK_WORDS = ("lock", "mutex")


class Interpretation:
    """What instructions read and change while one function is interpreted.

    Attributes:
        entry: The locks that are held when the function begins.
        state: The state at the present place.
        records: What is on record for the present block.
        block: The present block.
        entered: Item of a `with` -> the holds it took.
        exits_suspend: Item of an `async with` -> whether leaving it lets other tasks run.
        suppressing: The items that keep started tasks from inheriting the turn.
        loaded: Temporary -> the variable it was loaded from.
        attributes: Temporary -> the attribute it was loaded from.
        receivers: Result of a call of a foreign method -> whose method it is.
        unknown_callees: Results of calls of variables that may hold any function, own ones too.
        answers: Result of a call of an own function -> that function.
        passing: Results of calls that are awaited without a suspension.
    """

    def __init__(self, program: Program, unit: Unit, entry: frozenset[Hold]) -> None:
        self.program = program
        self.unit = unit
        self.body = unit.body
        self.entry = entry
        self.state = State()
        self.records = Records()
        self.block = self.body.blocks[0]
        self.lock_kinds: dict[Path, LockKind] = {}
        self.entered: dict[int, tuple[Hold, ...]] = {}
        self.exits_suspend: dict[int, bool] = {}
        self.suppressing: set[int] = set()
        self.loaded: dict[Temp, str] = {}
        self.attributes: dict[Temp, str] = {}
        self.receivers: dict[Temp, Value] = {}
        self.answers: dict[Temp, Unit] = {}
        self.passing: set[Temp] = set()
        self.unknown_callees: set[Temp] = set()

    # Reading

    def value(self, temp: Temp) -> Value:
        """What is known of a temporary."""
        return self.state.temps.get(temp, NOTHING)

    def read(self, path: Path, at: int) -> Tokens:
        """A fresh token for a read of a shared path.

        None for what no other task can change, and for what this call has just written itself.
        """
        if path in self.state.current or not self.program.sharing.is_shared(self.unit, path):
            return NO_TOKENS
        holds = self.state.holds
        token = Token(at, path, self.state.epoch, holds)
        self.state.crossed.pop(token, None)
        self.records.reads.append(ReadRecord(at, path, holds, self.state.epoch))
        return frozenset((token,))

    def outdated(self, tokens: Tokens) -> Tokens:
        """Of the tokens of an object, those that make what is read from it now depend on the past."""
        if not tokens:
            return tokens
        state = self.state
        return frozenset(
            t for t in tokens if t in state.crossed or t.holds - state.holds or is_map_path(t.path)
        )

    def concurrent_at(self, value: Value) -> Concurrent | None:
        """What kind of concurrent collection a value is, if it is one."""
        return None if value.path is None else self.program.objects.concurrent_at(self.unit, value.path)

    # Suspending and locking

    def suspend(self, at: int, why: Why, callee: str | None = None) -> None:
        """Let other tasks run.

        Args:
            callee: The last name of the call that is waited for.
        """
        state = self.state
        self.records.suspensions.append(
            SuspensionRecord(at, why, state.may_hold, self.block.loops, self.block.index, callee)
        )
        state.suspend(at)

    def acquire(self, path: Path, kind: LockKind, at: int, *, waits: bool = True) -> Hold:
        """Take a lock; one that several may hold at a time protects nothing.

        Args:
            waits: Taking it means to wait for it, so a holder who does it again waits for itself.
        """
        hold = Hold(path, at)
        self.lock_kinds[path] = kind
        if waits:
            self.records.acquisitions.append(AcquireRecord(at, path, kind, self.state.holds))
        if kind.is_exclusive:
            self.state.holds |= {hold}
        self.state.may_hold |= {hold}
        return hold

    def release(self, path: Path) -> None:
        """Let a lock go, whatever acquisition of it is held; one that the caller may hold goes on record."""
        held = [hold for hold in sorted(self.state.may_hold) if hold.lock == path]
        for hold in held:
            self.state.release(hold)
        if not held:
            self.records.releases.append(path)

    def lock_of(self, value: Value, *, is_async: bool | None) -> tuple[Path, LockKind] | None:
        """The lock a value is, if it is one.

        Args:
            is_async: How it is entered, so that a lock of unknown make is known by its name; None: it is not entered.
        """
        if isinstance(value.what, Lock):
            return (value.path or ("%lock",), value.what.kind)
        if value.path is None:
            return None
        kind = lock_kind(self.makers_at(value.path), self.program.objects.lock_types)
        if kind is None and is_async is not None and value.what is None:
            kind = self._assumed_lock(value.path, is_async=is_async)
        if kind is not None and is_async and kind.is_blocking:
            # A lock of threads has no `async with`: what is entered so is made in another way than is told.
            kind = replace(kind, is_blocking=False)
        return None if kind is None else (self.program.objects.same_lock(self.unit.owner, value.path), kind)

    def makers_at(self, path: Path) -> frozenset[str]:
        """Dotted names of what the object at a path was made from or is annotated as.

        Unlike `objects`, it knows the variables of the functions around and the types of parameters.
        """
        root, objects = path[0], self.program.objects
        if root[0] == "^" and len(path) == 1:
            return self.program.closures.makers(self.unit, root[1:])
        if root[0] == "$" and len(path) > 1:
            annotation = next((p.annotation for p in self.body.parameters if p.name == root[1:]), None)
            owner = self.program.module.classes.get((annotation or "").strip("\"'"))
            return objects.makers(owner, (SELF, *path[1:])) if owner is not None else frozenset()
        return objects.makers(self.unit.owner, path)

    def gate_of(self, value: Value, name: str | None, *, is_awaited: bool) -> tuple[Path, LockKind] | None:
        """The lock of unknown make that something is, by its name, when it is acquired or released.

        Args:
            name: The variable that the value was loaded from.
        """
        links = [link for link in value.path or () if link[0] != "["]
        called = name if name is not None else links[-1].strip(".@^$") if links else ""
        if not looks_acquirable(called):
            return None
        if value.path is not None:
            makers = self.makers_at(value.path)
            if value.what is not None or any(m.rpartition(".")[2][:1].isupper() for m in makers):
                return None
        kind = ASSUMED_BLOCKING_LOCK
        if is_awaited:
            kind = ASYNC_LOCK if looks_like_lock(called.removesuffix("s")) else ASSUMED_ASYNC_GATE
        return value.path or (f"%{called}",), kind

    def _assumed_lock(self, path: Path, *, is_async: bool) -> LockKind | None:
        """A lock of unknown make: known by its name, or by being entered as a bare attribute."""
        makers = self.makers_at(path)
        if makers and not (path[-1].endswith(LOCK_WORDS) and all(map(self._may_make_lock, makers))):
            return None
        if looks_like_lock(path[-1].strip(".@^$")) or _names_locks(path):
            return ASYNC_LOCK if is_async else ASSUMED_BLOCKING_LOCK
        return ASYNC_LOCK if is_async and path[-1][0] == "." else None

    def _may_make_lock(self, maker: str) -> bool:
        """Whether a maker is a function of another module, which may make a lock; a class of no lock's name does not."""
        last = maker.rpartition(".")[2]
        is_function = last[:1] != last[:1].upper() or last[:1] == "_"
        return is_function and "." in maker and maker not in self.program.settings.non_suspending


def _names_locks(path: Path) -> bool:
    """Whether the path is an entry of a collection that is named as one of locks: `self._locks[key]`."""
    return len(path) > 1 and path[-1][0] == "[" and looks_like_lock(path[-2].strip(".@^$").removesuffix("s"))
