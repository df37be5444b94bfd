"""Executors and pools: what they are given to do, and what they give for it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from lane_lint.flow.taking import note_handed_on
from lane_lint.flow.values import NOTHING, Constant, Function, Instance, Made, Value, Work
from lane_lint.flow.waiting_types import (
    EXECUTORS,
    FUTURE,
    LAZY,
    SUBMITS,
    TELLS,
    WAITING_METHODS,
    WAITS_AT_ONCE,
)
from lane_lint.flow.waits import Wait, forget, may_wait, note_wait, settle, spelled

if TYPE_CHECKING:
    from lane_lint.flow.interpretation import Interpretation
    from lane_lint.flow.unit import Unit
    from lane_lint.model.instructions import Argument, CallMethod, Temp
    from lane_lint.model.path import Path

_EXECUTOR_NAME = re.compile(r"(?:executor|pool|workers|threads)$", re.IGNORECASE)


class Job(NamedTuple):
    """A function of the module is given to an executor.

    Attributes:
        given: Its parameters -> where the objects are that they are given.
    """

    site: int
    pool: Path
    unit: Unit
    given: tuple[tuple[str, Path], ...]


def types_of(run: Interpretation, value: Value) -> frozenset[str]:
    """Dotted names of what a value may be made from, with the bases of own classes."""
    if isinstance(value.what, Made):
        return frozenset((value.what.name,))
    module = run.program.module
    if isinstance(value.what, Instance):
        order = module.class_order(value.what.outline)
        return frozenset(module.resolve(base) for each in order for base in each.bases)
    if value.path is None:
        return frozenset()
    found = run.makers_at(value.path)
    own = run.program.objects.class_at(run.unit.owner, value.path)
    if own is not None:
        return found | types_of(run, Value(what=Instance(own)))
    return found


def is_named_executor(run: Interpretation, base: Value, i: CallMethod) -> bool:
    """Whether something of unknown make that is given work is named as an executor is."""
    types = types_of(run, base)
    if base.what is not None or any(t.rpartition(".")[2][:1].isupper() for t in types):
        return False
    name = run.loaded.get(i.base) or (base.path[-1] if base.path is not None else "")
    return _EXECUTOR_NAME.search(name) is not None


def use_executor(run: Interpretation, base: Value, i: CallMethod) -> Value | None:
    pool = pool_path(run, base, i.base)
    if i.method in SUBMITS | LAZY | WAITS_AT_ONCE | {"map"}:
        note_job(run, pool, i.arguments, i.at)
    if i.method in SUBMITS:
        return Value(what=Work(pool))
    if i.method in LAZY or i.method == "map":
        is_lazy = not any(t.startswith("multiprocessing") for t in types_of(run, base)) or i.method in LAZY
        if is_lazy:
            return Value(what=Work(pool, is_lazy=True))
        note_wait(run, i, "for the results", pool)
        return NOTHING
    if i.method == "shutdown" and not _says_no(run, i):
        run.records.waits.append(Wait(i.at, spelled(run, i), "for its work to be done", path=base.path))
    if i.method in WAITS_AT_ONCE:
        note_wait(run, i, "for the results", pool)
        return NOTHING
    return None


def _says_no(run: Interpretation, i: CallMethod) -> bool:
    """Whether the first argument, or `wait`, is not plainly True: `shutdown(wait=False)`."""
    told = [run.value(a.value).what for a in i.arguments if a.keyword in (None, "wait")]
    return bool(told) and not (isinstance(told[0], Constant) and told[0].text == "True")


def pool_path(run: Interpretation, base: Value, temp: Temp) -> Path | None:
    """Where an executor is; a local variable is called as the functions nested here call it."""
    name = run.loaded.get(temp)
    if base.path is None:
        return ("^" + name,) if name is not None else None
    return base.path


def note_job(run: Interpretation, pool: Path | None, arguments: tuple[Argument, ...], at: int) -> None:
    """Put on record what an executor is given to do: the function, then its arguments."""
    values = [run.value(a.value) for a in arguments]
    note_handed_on(run, values, at)
    function = values[0].what if values else None
    if pool is None or not isinstance(function, Function):
        return
    names = [p.name for p in function.unit.body.parameters]
    if function.receiver is not None and not function.unit.is_nested:
        names = names[1:]
    places = [pool_path(run, v, a.value) for a, v in zip(arguments[1:], values[1:], strict=True)]
    names = names[len(function.arguments) :]
    given = tuple((n, p) for n, p in zip(names, places, strict=False) if p is not None)
    run.records.jobs.append(Job(at, pool, function.unit, given))


def ask_work(run: Interpretation, work: Work, i: CallMethod) -> Value:
    """A method of a future, or of a collection of such."""
    if i.method in WAITING_METHODS[FUTURE] and not i.is_awaited:
        if may_wait(run, i) and not work.is_lazy:
            note_wait(run, i, WAITING_METHODS[FUTURE][i.method], work.pool)
        return NOTHING
    if i.method in TELLS:
        forget(run, i.base)
        return NOTHING
    return (
        Value(what=work)
        if i.method in ("values", "items", "keys", "copy", "pop", "get", "popleft")
        else NOTHING
    )


def work_kept(run: Interpretation, makers: frozenset[str]) -> Work | None:
    """The future that is kept at a place which was assigned `self._pool.submit(...)`, by that spelling."""
    for maker in sorted(makers):
        pool, _, method = maker.rpartition(".")
        if method not in SUBMITS or not pool:
            continue
        root, *links = pool.split(".")
        path = ("self" if root == run.unit.self_name else "@" + root, *("." + link for link in links))
        if types_of(run, Value(path=path)) & EXECUTORS:
            return Work(path)
    return None


def ask_kept_work(run: Interpretation, work: Work, base: Value, i: CallMethod) -> Value | None:
    if i.method in TELLS:
        settle(run, base, i.base)
    return ask_work(run, work, i) if i.method in WAITING_METHODS[FUTURE] else None
