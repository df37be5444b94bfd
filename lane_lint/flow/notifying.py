"""Calls that tell somebody outside: listeners, hooks, handlers, callbacks; by what they are called."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from lane_lint.flow.held import Holder, LockName, names_of
from lane_lint.flow.values import BUSY, Dotted, Value
from lane_lint.method_names import is_listener_name, is_notification_name, is_vague_name
from lane_lint.model.instructions import CallMethod, Suspend, operands_of

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts
    from lane_lint.flow.interpretation import Interpretation
    from lane_lint.flow.solved import Place
    from lane_lint.flow.values import Hold
    from lane_lint.model.instructions import CallName, Instruction, Temp
    from lane_lint.model.path import Path
    from lane_lint.outline import FunctionOutline


# How many calls of public functions away a holder of another class may be.
MAX_DISTANCE = 1


class Notice(NamedTuple):
    """A listener, a hook or a handler is called.

    Attributes:
        name: What is called, as it is written.
        is_named: Its name, or that of what keeps it, says so; else it is one of many whose answers nobody reads.
    """

    site: int
    name: str
    holds: frozenset[Hold]
    is_named: bool


class CallbackUnderLock(NamedTuple):
    """A notification while a lock is held.

    Attributes:
        holder: The function that holds it, and the line where it took it.
    """

    place: Place
    name: str
    lock: str
    holder: tuple[str, int]
    is_named: bool


def note_called(run: Interpretation, callee: Value, i: CallName) -> None:
    """A value that is no function of the module is called."""
    if isinstance(callee.what, Dotted) or (i.name is not None and i.name[:1].isupper()):
        return
    paths = [path for path in (callee.path, *(t.path for t in callee.tokens)) if path is not None]
    called = i.name or ""
    is_named = is_listener_name(called) or any(map(_keeps_listeners, paths))
    if is_vague_name(called) and _is_used(run, i.result):
        return  # it is asked for something that the critical section needs
    one_of_many = any(path[-1][0] == "[" for path in paths)
    if is_named or (one_of_many and not _is_used(run, i.result)):
        _note(run, called or "the callback", i.at, is_named=is_named)


def note_method_called(run: Interpretation, base: Value, i: CallMethod) -> None:
    """A method is called of something that is not of the module, or that it leaves to others to define."""
    paths = [path for path in (base.path, *(t.path for t in base.tokens)) if path is not None]
    name = run.loaded.get(i.base, paths[0][-1].lstrip(".@^$") if paths else "")
    is_one = any(_keeps_listeners(path) and path[-1][0] == "[" for path in paths) or (
        is_listener_name(name) and not name.endswith("s")
    )
    if is_one and is_notification_name(i.method):
        shown = name if name and name[0] != "[" else "the listener"
        _note(run, f"{shown}.{i.method}", i.at, is_named=True)


def note_stored_called(run: Interpretation, i: CallMethod) -> None:
    """A callable that an own object keeps is called: `self._on_change(value)`."""
    if is_listener_name(i.method) and not _is_of_own_make(run, i.method):
        _note(run, i.method, i.at, is_named=True)


def _is_of_own_make(run: Interpretation, attribute: str) -> bool:
    """Whether only functions of the component itself are ever stored at an own attribute."""
    owner = run.unit.owner
    if owner is None:
        return False
    values = [
        (function, value)
        for each in run.program.module.family(owner)
        for function in each.functions()
        for name, value, _ in function.sketch.attribute_values
        if name == attribute and value is not None and not isinstance(value, ast.Constant)
    ]
    return bool(values) and all(_is_function_of(function, value) for function, value in values)


def _is_function_of(function: FunctionOutline, value: ast.expr) -> bool:
    """A lambda, a function that is nested in `function`, or a method of the same object."""
    if isinstance(value, ast.Attribute):
        owner = function.owner
        return isinstance(value.value, ast.Name) and owner is not None and value.attr in owner.methods
    if isinstance(value, ast.Name):
        inner = (node for node in ast.walk(function.node) if node is not function.node)
        return any(
            isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)) and n.name == value.id for n in inner
        )
    return isinstance(value, ast.Lambda)


def _note(run: Interpretation, name: str, at: int, *, is_named: bool) -> None:
    holds = frozenset(h for h in run.state.holds if h.lock[0] != BUSY)
    run.records.notices.append(Notice(at, name, holds, is_named))


def _keeps_listeners(path: Path) -> bool:
    return any(link[0] in ".@^$" and is_listener_name(link[1:]) for link in path)


def _is_used(run: Interpretation, result: Temp) -> bool:
    """Whether the code does anything with the result of a call, but for waiting for it."""
    for instruction in run.block.instructions:
        if result in operands_of(instruction):
            return not _only_waits(run, instruction)
    return result in run.body.crossing


def _only_waits(run: Interpretation, instruction: Instruction) -> bool:
    return isinstance(instruction, Suspend) and not _is_used(run, instruction.result)


def callbacks_under_lock(facts: FunctionFacts) -> Iterator[CallbackUnderLock]:
    on_entry = facts.program.whole.held_on_entry.get(facts.unit, {})
    near = {name: holder for name, holder in on_entry.items() if _is_near(facts, holder)}
    for notice in sorted(facts.records.notices, key=lambda n: n.site):
        around = near | names_of(facts.program, facts.unit, notice.holds)
        local = [h for h in sorted(notice.holds) if h.lock[0][0] in "%$"]
        if around:
            lock, holder = min(around.items(), key=lambda item: (item[1].unit is not facts.unit, item[0]))
            line = holder.line
            yield CallbackUnderLock(
                facts.place(notice.site),
                notice.name,
                _shown(lock),
                (holder.unit.label, line),
                notice.is_named,
            )
        elif local:
            line = Holder(facts.unit, local[0].site).line
            yield CallbackUnderLock(
                facts.place(notice.site),
                notice.name,
                facts.display(local[0].lock),
                (facts.label, line),
                notice.is_named,
            )


def _is_near(facts: FunctionFacts, holder: Holder) -> bool:
    """Whether the holder's lock can concern the listeners: they are the holder's own, or it tells them directly."""
    owner, other = facts.unit.owner, holder.unit.owner
    if owner is None or other is None:
        return owner is other or holder.distance <= MAX_DISTANCE
    return other in facts.program.module.family(owner) or holder.distance <= MAX_DISTANCE


def _shown(lock: LockName) -> str:
    return lock.links[-1].lstrip(".@^")
