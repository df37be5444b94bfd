"""Locks that are taken and given back by calls of their own methods: what of it goes on record."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lane_lint.flow.values import NOTHING, Function, Lock, Pending, Value
from lane_lint.method_names import PLAIN_METHODS

if TYPE_CHECKING:
    from lane_lint.flow.interpretation import Interpretation
    from lane_lint.flow.locks import LockKind
    from lane_lint.flow.unit import Unit
    from lane_lint.model.path import Path

# Methods that do not raise in the ordinary course of things, whoever's they are: those of plain
# collections and strings, of what tasks meet at, of clocks and of logs.
HARMLESS = PLAIN_METHODS | frozenset(
    [
        "join",
        "split",
        "strip",
        "format",
        "encode",
        "decode",
        "startswith",
        "endswith",
        "lower",
        "upper",
        "is_set",
        "locked",
        "done",
        "cancelled",
        "cancel",
        "notify",
        "notify_all",
        "release",
        "put_nowait",
        "set_result",
        "set_exception",
        "add_done_callback",
        "time",
        "monotonic",
        "perf_counter",
        "total_seconds",
        "is_alive",
        "empty",
        "full",
        "qsize",
        "is_closing",
        "debug",
        "info",
        "warning",
        "error",
        "exception",
        "critical",
        "log",
        "warn",
        "isEnabledFor",
    ]
)


class Taking(NamedTuple):
    """A lock is taken by a call, so that somebody has to give it back.

    Attributes:
        site: The call.
        block: Where it is held from: behind the call in this block, or on the true side of its test.
        by_test: The call may fail, and the test at the end of the block leads there when it has not.
        helper: The function of this module that takes it for its caller.
    """

    site: int
    lock: Path
    kind: LockKind
    block: int
    by_test: int | None = None
    helper: Unit | None = None


class GivingBack(NamedTuple):
    """A lock is released here, or (not `is_direct`) by somebody who is told to.

    Attributes:
        by: The function of the module that will release it, and the lock as that function sees it.
    """

    site: int
    lock: Path
    is_direct: bool = False
    by: tuple[Unit, Path] | None = None


def note_taken(
    run: Interpretation,
    lock: Path,
    kind: LockKind,
    at: int,
    *,
    by_test: int | None = None,
    helper: Unit | None = None,
) -> None:
    """Put on record that a call takes a lock."""
    run.records.takings.append(Taking(at, lock, kind, run.block.index, by_test, helper))


def note_given_back(run: Interpretation, lock: Path, at: int, *, is_direct: bool = False) -> None:
    """Put on record that a lock is released, or that its release is handed on."""
    run.records.givings.append(GivingBack(at, lock, is_direct))


def note_handed_on(run: Interpretation, values: list[Value], at: int) -> None:
    """A lock, or a function that releases it, is given to somebody who may do so later."""
    for value in values:
        if isinstance(value.what, Function):
            _note_releaser(run, value.what.unit, at)
        elif isinstance(value.what, Pending):
            for call in value.what.calls:
                _note_releaser(run, call.unit, at)
        elif (isinstance(value.what, Lock) or value.what is None) and value.path is not None:
            lock = run.lock_of(value, is_async=None)
            if lock is not None:
                note_given_back(run, lock[0], at)


def _note_releaser(run: Interpretation, unit: Unit, at: int) -> None:
    if unit is run.unit or not unit.outline.sketch.releases:
        return
    for lock in sorted(run.program.summary(unit).releases):
        here, name = lock, lock[0][1:]
        if lock[0][0] == "^" and run.body.is_local(name):
            found = run.lock_of(run.state.env.get(name, NOTHING), is_async=None)
            here = found[0] if found is not None else lock
        run.records.givings.append(GivingBack(at, here, by=(unit, lock)))


def note_foreign_call(run: Interpretation, name: str, values: list[Value], at: int) -> None:
    """Put on record that code nobody knows is called: it may raise, and it may release what it is given."""
    note_handed_on(run, values, at)
    if name not in HARMLESS:
        run.records.foreign_calls.append(at)
