"""What calling a function does, in the caller's terms: the only thing a caller knows of a helper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lane_lint.flow.concurrent import is_map_path, map_path, plain_path
from lane_lint.model.path import ANY_ITEM, EACH_ITEM, MAX_LINKS, SELF, Path

MAX_LENGTH = MAX_LINKS + 2

if TYPE_CHECKING:
    from lane_lint.flow.unit import Unit
    from lane_lint.flow.values import Value, What
    from lane_lint.flow.waits import Wait


@dataclass(frozen=True, slots=True)
class Call:
    """A call that has been made but whose effects may come later, when it is awaited or entered.

    Attributes:
        receiver: The path of the object whose method is called; None for a plain function.
        arguments: Parameter name -> value, in the order of the parameters.
        texts: Parameter name -> source of the argument, where that is a stable name or constant.
        is_turn: It runs as a turn of a lane.
    """

    unit: Unit
    receiver: Path | None
    arguments: tuple[tuple[str, Value], ...]
    is_turn: bool = False
    texts: tuple[tuple[str, str | None], ...] = ()


@dataclass(frozen=True, slots=True)
class WriteEffect:
    """A write that calling the function makes.

    Attributes:
        is_suspended: A suspension comes before it inside the function.
        is_decided: The function itself tested the same state, freshly, before it wrote.
        waits: Its value was waited for inside the function.
        from_parameters: The parameters its value was computed from.
        locks: The locks the function held at the write.
    """

    path: Path
    is_suspended: bool
    is_decided: bool
    is_reset: bool
    is_step: bool
    is_removal: bool
    is_mutation: bool
    operation: str
    waits: bool
    from_parameters: frozenset[str]
    locks: frozenset[Path]


@dataclass(frozen=True, slots=True)
class PassedWork:
    """That a function gives one of its parameters to lanes as work, by the method that is named."""

    parameter: str
    lanes: tuple[Path, ...]
    method: str


@dataclass(frozen=True, slots=True)
class Summary:
    """The effects of a function, rooted at self, at its parameters, or at module globals.

    Attributes:
        suspends: Awaiting it may let other tasks run.
        waits: The call by which a plain function blocks its thread, itself or further down, and what for.
        may_raise: It waits, or calls code that nobody knows, so that it may end in an exception.
        returns: Paths whose present value goes into the result.
        returned_path: The path of the very object that is returned.
        acquires: Locks it takes and waits for, itself or further down.
        holds_at_exit: Locks that it has taken and leaves taken.
        releases: Locks that it lets go without having taken them.
        holds_at_yield: Locks held where a context manager's body runs.
        walks: Live collections that a generator yields from while it iterates them.
        map_changes: Concurrent collections that it changes, each with the method.
        enters: Lanes on which it runs a turn and waits for it, itself or further down.
        runs_as_turns: Its parameters that it gives to lanes as work.
    """

    suspends: bool = False
    waits: Wait | None = None
    may_raise: bool = False
    writes: tuple[WriteEffect, ...] = ()
    returns: frozenset[Path] = frozenset()
    returned_path: Path | None = None
    returned_what: What | None = None
    returns_fresh: bool = False
    returned_parameters: frozenset[str] = frozenset()
    returned_under: frozenset[Path] = frozenset()
    acquires: frozenset[Path] = frozenset()
    holds_at_exit: frozenset[Path] = frozenset()
    releases: frozenset[Path] = frozenset()
    holds_at_yield: frozenset[Path] = frozenset()
    walks: frozenset[Path] = frozenset()
    suspends_before_yield: bool = False
    suspends_after_yield: bool = False
    enters: frozenset[Path] = frozenset()
    runs_as_turns: tuple[PassedWork, ...] = ()
    map_changes: tuple[tuple[Path, str], ...] = ()


UNKNOWN = Summary()


def translate(path: Path, call: Call) -> Path | None:
    """A path of the callee in the caller's terms; None where the caller has no name for it."""
    root = path[0]
    if root[0] == "%":
        return None
    if is_map_path(path):
        plain = translate(plain_path(path), call)
        return None if plain is None else map_path(plain)
    if call.unit.is_nested:
        return path
    links = [_translate_link(link, call) for link in path[1:]]
    if root == SELF:
        return None if call.receiver is None else (*call.receiver, *links)[:MAX_LENGTH]
    if root[0] == "$":
        base = next((value.path for name, value in call.arguments if name == root[1:]), None)
        return None if base is None else (*base, *links)[:MAX_LENGTH]
    return (root, *links)


def seen_by_callee(path: Path, call: Call) -> Path | None:
    """A path of the caller in the callee's terms: the way back of `translate`; None where it has no name for it."""
    if call.unit.is_nested:
        return ("^" + path[0][1:], *path[1:]) if path[0][0] == "$" else path
    if path[0][0] == "@":
        return path
    if call.receiver is not None and path[: len(call.receiver)] == call.receiver:
        return (SELF, *path[len(call.receiver) :])
    for name, value in call.arguments:
        if value.path is not None and path[: len(value.path)] == value.path:
            return ("$" + name, *path[len(value.path) :])
    return None


def _translate_link(link: str, call: Call) -> str:
    """A key that names a parameter is the argument's; one that names a local of the callee may be any."""
    if link[0] != "[" or link in (ANY_ITEM, EACH_ITEM) or link[1] in "0123456789\"'":
        return link
    for name, text in call.texts:
        if link[1:-1] == name and text is not None:
            return f"[{text}]"
    return ANY_ITEM
