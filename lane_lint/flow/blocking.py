"""Calls that block the thread until something happens: which objects and functions do, by what they are made from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lane_lint.flow.summary import translate
from lane_lint.flow.taking import note_handed_on
from lane_lint.flow.values import NOTHING, Constant, Function, Instance, Made, Several, Value, Work, combine
from lane_lint.model.path import display

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lane_lint.flow.interpretation import Interpretation
    from lane_lint.flow.summary import Call
    from lane_lint.flow.unit import Unit
    from lane_lint.model.instructions import Argument, CallMethod, Temp
    from lane_lint.model.path import Path

FOR_A_TURN = "for a turn of the lane"
FUTURE = "concurrent.futures.Future"
FUTURES = frozenset(
    {
        FUTURE,
        "concurrent.futures._base.Future",
        "multiprocessing.pool.AsyncResult",
        "asyncio.run_coroutine_threadsafe",
    }
)
EXECUTORS = frozenset(
    {
        "concurrent.futures.Executor",
        "concurrent.futures.ThreadPoolExecutor",
        "concurrent.futures.ProcessPoolExecutor",
        "concurrent.futures.InterpreterPoolExecutor",
        "concurrent.futures.thread.ThreadPoolExecutor",
        "concurrent.futures.process.ProcessPoolExecutor",
        "multiprocessing.Pool",
        "multiprocessing.pool.Pool",
        "multiprocessing.pool.ThreadPool",
    }
)
_EXECUTOR_NAME = re.compile(r"(?:executor|pool|workers|threads)$", re.IGNORECASE)
# Methods of executors and pools: those that give a future, those that give results while they are
# iterated, and those that wait at once.
SUBMITS = frozenset({"submit", "apply_async", "map_async", "starmap_async"})
LAZY = frozenset({"imap", "imap_unordered"})
WAITS_AT_ONCE = frozenset({"apply", "starmap"})

_QUEUE = {"get": "for an item of the queue", "join": "for the queue to be worked off"}
_BOUNDED = {**_QUEUE, "put": "for room in the queue"}
_THREAD = {"join": "for the thread to end"}
_PROCESS = {"join": "for the process to end"}
_EVENT = {"wait": "for the event"}
_CONDITION = {"wait": "for the condition", "wait_for": "for the condition"}
_CHILD = {"wait": "for the process to end", "communicate": "for the process to end"}
_BARRIER = {"wait": "for the other parties"}
_FUTURE = {"result": "for the result", "exception": "for the result", "get": "for the result", "wait": "for the result"}

# Dotted name of a type -> its methods that wait, and what for.
WAITING_METHODS: dict[str, dict[str, str]] = {
    **dict.fromkeys(FUTURES, _FUTURE),
    **{f"threading.{name}": _THREAD for name in ("Thread", "Timer")},
    "threading.Event": _EVENT,
    "threading.Condition": _CONDITION,
    "threading.Barrier": _BARRIER,
    **{f"queue.{name}": _QUEUE for name in ("Queue", "LifoQueue", "PriorityQueue", "SimpleQueue")},
    **{f"queue.{name}(bounded)": _BOUNDED for name in ("Queue", "LifoQueue", "PriorityQueue")},
    **{f"multiprocessing.{name}": _QUEUE for name in ("Queue", "JoinableQueue", "SimpleQueue")},
    **{f"multiprocessing.{name}(bounded)": _BOUNDED for name in ("Queue", "JoinableQueue")},
    "multiprocessing.Process": _PROCESS,
    "multiprocessing.process.BaseProcess": _PROCESS,
    "multiprocessing.Event": _EVENT,
    "multiprocessing.Condition": _CONDITION,
    "multiprocessing.Barrier": _BARRIER,
    "subprocess.Popen": _CHILD,
}
# Methods that tell that there is nothing to wait for any more, or whether there is.
TELLS = frozenset({"done", "empty", "full", "qsize", "is_set", "is_alive", "poll", "cancelled", "ready"})

# Functions that wait, and what for.
WAITING_FUNCTIONS = {
    "concurrent.futures.wait": "for the results",
    "concurrent.futures.as_completed": "for the results",
    "multiprocessing.connection.wait": "for a connection",
    **dict.fromkeys(
        [
            *(f"subprocess.{name}" for name in ("run", "call", "check_call", "check_output", "getoutput", "getstatusoutput")),
            *(f"os.{name}" for name in ("system", "wait", "waitpid", "wait3", "wait4")),
        ],
        "for a process to end",
    ),
    "time.sleep": "for the time to pass",
    "select.select": "for a descriptor",
    "signal.sigwait": "for a signal",
}
# Functions that look at many values one by one without asking for all at once.
VIEWS = frozenset({"enumerate", "zip", "iter", "filter", "map", "reversed", "itertools.chain", "itertools.islice"})


@dataclass(frozen=True, slots=True)
class Wait:
    """A call that blocks the thread.

    Attributes:
        call: What is called, as it is written.
        reason: What it waits for.
        pool: The executor whose work it waits for, as this function sees it.
        is_timed: It gives up after a time.
        path: Where the object is that it waits for.
        through: The call further down that waits, when this one calls a function of the module.
    """

    site: int
    call: str
    reason: str
    pool: Path | None = None
    is_timed: bool = False
    path: Path | None = None
    through: str | None = None


@dataclass(frozen=True, slots=True)
class Job:
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
    if own is not None and value.path != ("self",):
        return found | types_of(run, Value(what=Instance(own)))
    return found


def call_waiter(run: Interpretation, base: Value, i: CallMethod) -> Value | None:
    """Call a method of what can make its caller wait; None when `base` is nothing of the kind."""
    if isinstance(base.what, Work):
        return _ask_work(run, base.what, i)
    types = types_of(run, base)
    if not types and i.method not in SUBMITS:
        return None
    if base.path is not None and (work := _work_kept(run, types)) is not None:
        return None if _is_settled(run, base, i.base) else _ask_kept_work(run, work, base, i)
    if types & EXECUTORS or (i.method in SUBMITS and _is_named_executor(run, base, i)):
        return _use_executor(run, base, i)
    reason = next((m[i.method] for t in sorted(types) if i.method in (m := WAITING_METHODS.get(t, {}))), None)
    if reason is not None and not i.is_awaited and _may_wait(run, i) and not _is_settled(run, base, i.base):
        _note(run, i, reason, None, base.path)
    elif i.method in TELLS:
        _settle(run, base, i.base)
    if _future_of(types) is not None and i.method in WAITING_METHODS[FUTURE]:
        return NOTHING
    return None


def _future_of(types: Iterable[str]) -> str | None:
    return next((t for t in types if t in FUTURES), None)


def _ask_work(run: Interpretation, work: Work, i: CallMethod) -> Value:
    """A method of a future, or of a collection of such."""
    if i.method in WAITING_METHODS[FUTURE] and not i.is_awaited:
        if _may_wait(run, i) and not work.is_lazy:
            _note(run, i, WAITING_METHODS[FUTURE][i.method], work.pool)
        return NOTHING
    if i.method in TELLS:
        _forget(run, i.base)
        return NOTHING
    return Value(what=work) if i.method in ("values", "items", "keys", "copy", "pop", "get", "popleft") else NOTHING


def _work_kept(run: Interpretation, makers: frozenset[str]) -> Work | None:
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


def _ask_kept_work(run: Interpretation, work: Work, base: Value, i: CallMethod) -> Value | None:
    if i.method in TELLS:
        _settle(run, base, i.base)
    return _ask_work(run, work, i) if i.method in WAITING_METHODS[FUTURE] else None


def _is_named_executor(run: Interpretation, base: Value, i: CallMethod) -> bool:
    """Whether something of unknown make that is given work is named as an executor is."""
    types = types_of(run, base)
    if base.what is not None or any(t.rpartition(".")[2][:1].isupper() for t in types):
        return False
    name = run.loaded.get(i.base) or (base.path[-1] if base.path is not None else "")
    return _EXECUTOR_NAME.search(name) is not None


def _use_executor(run: Interpretation, base: Value, i: CallMethod) -> Value | None:
    pool = pool_path(run, base, i.base)
    if i.method in SUBMITS | LAZY | WAITS_AT_ONCE | {"map"}:
        note_job(run, pool, i.arguments, i.at)
    if i.method in SUBMITS:
        return Value(what=Work(pool))
    if i.method in LAZY or i.method == "map":
        is_lazy = not any(t.startswith("multiprocessing") for t in types_of(run, base)) or i.method in LAZY
        if is_lazy:
            return Value(what=Work(pool, is_lazy=True))
        _note(run, i, "for the results", pool)
        return NOTHING
    if i.method == "shutdown" and not _says_no(run, i):
        run.records.waits.append(Wait(i.at, _spelled(run, i), "for its work to be done", path=base.path))
    if i.method in WAITS_AT_ONCE:
        _note(run, i, "for the results", pool)
        return NOTHING
    return None


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


def _says_no(run: Interpretation, i: CallMethod) -> bool:
    """Whether the first argument, or `wait`, is not plainly True: `shutdown(wait=False)`."""
    told = [run.value(a.value).what for a in i.arguments if a.keyword in (None, "wait")]
    return bool(told) and not (isinstance(told[0], Constant) and told[0].text == "True")


def _may_wait(run: Interpretation, i: CallMethod) -> bool:
    """Whether the arguments let the call wait: not `timeout=0`, not `block=False`."""
    values = [(a.keyword, run.value(a.value).what) for a in i.arguments]
    if i.method == "put":
        values = values[1:]
    for keyword, what in values:
        text = what.text if isinstance(what, Constant) else None
        if text in ("0", "0.0", "False") and keyword in (None, "timeout", "block", "blocking"):
            return False
    return True


def _note(
    run: Interpretation, i: CallMethod, reason: str, pool: Path | None, path: Path | None = None
) -> None:
    shown = _spelled(run, i)
    is_timed = any(a.keyword == "timeout" for a in i.arguments) or (
        i.method in ("join", "wait", "result") and bool(i.arguments)
    )
    run.records.waits.append(Wait(i.at, shown, reason, pool, is_timed, path))


def _spelled(run: Interpretation, i: CallMethod) -> str:
    """What is called, as it is written, as far as it is a name or an attribute of the object itself."""
    name = run.loaded.get(i.base)
    if name is None:
        path = run.value(i.base).path
        name = display(path, run.unit.self_name or "self") if path is not None and path[0][0] != "%" else None
    return f"{name}.{i.method}" if name is not None else i.method


def note_helper(run: Interpretation, wait: Wait | None, call: Call, at: int) -> None:
    """A plain function of the module is called, which waits itself or further down."""
    if wait is None or call.is_turn:
        return
    path = translate(wait.path, call) if wait.path is not None else None
    if path is not None and _settled_name(run, Value(path=path), -1) in run.state.env:
        return
    through = wait.through or wait.call
    run.records.waits.append(Wait(at, call.unit.label, wait.reason, None, wait.is_timed, path, through))


def call_function(run: Interpretation, name: str, arguments: tuple[Argument, ...], at: int) -> Value | None:
    """Call a function of another module that waits, or that makes something which does; None for others."""
    values = [run.value(a.value) for a in arguments]
    work = next((v.what for v in values if isinstance(v.what, Work)), None)
    if name in WAITING_FUNCTIONS:
        is_zero = bool(values) and isinstance(values[0].what, Constant) and values[0].what.text in ("0", "0.0")
        if name != "time.sleep" or not is_zero:
            pool = work.pool if work is not None else None
            is_timed = any(a.keyword == "timeout" for a in arguments)
            run.records.waits.append(Wait(at, name, WAITING_FUNCTIONS[name], pool, is_timed))
        for argument in arguments:
            _forget(run, argument.value)
        return NOTHING
    if work is None:
        return Value(what=Made(name + "(bounded)")) if _is_bounded(name, values) else None
    if name in VIEWS:
        return Value(what=work)
    if work.is_lazy:
        run.records.waits.append(Wait(at, name.rpartition(".")[2], "for the results", work.pool))
        return NOTHING
    if name.endswith("wrap_future"):
        _forget(run, arguments[0].value)
    return None


def _is_bounded(name: str, values: list[Value]) -> bool:
    if f"{name}(bounded)" not in WAITING_METHODS or not values:
        return False
    size = values[0].what
    return not (isinstance(size, Constant) and size.text == "0")


def step_through(run: Interpretation, source: Value, at: int) -> Value | None:
    """The next one of futures and the like, or of results that come as they are asked for."""
    if isinstance(source.what, Several):
        return combine([source], fresh=False)._replace(what=source.what.of)
    if not isinstance(source.what, Work):
        return None
    if source.what.is_lazy:
        run.records.waits.append(Wait(at, "the loop", "for the results", source.what.pool))
        return NOTHING
    return Value(what=source.what)


# What is known to be done


def _settle(run: Interpretation, value: Value, temp: Temp) -> None:
    """Whoever has asked whether there is something to wait for knows what the wait finds."""
    key = _settled_name(run, value, temp)
    if key is not None:
        run.state.env[key] = NOTHING


def _is_settled(run: Interpretation, value: Value, temp: Temp) -> bool:
    return _settled_name(run, value, temp) in run.state.env


def _settled_name(run: Interpretation, value: Value, temp: Temp) -> str | None:
    if value.path is not None:
        return "%settled " + " ".join(value.path)
    name = run.loaded.get(temp)
    return f"%settled {name}" if name is not None else None


def _forget(run: Interpretation, temp: Temp) -> None:
    """A future that has been waited for, or asked whether it is done, blocks nobody any more."""
    name = run.loaded.get(temp)
    if name is not None and name in run.state.env:
        run.state.env[name] = run.state.env[name]._replace(what=None)


def note_awaited(run: Interpretation, temps: Iterable[Temp]) -> None:
    """Futures that were awaited, or given to what was, are done."""
    for temp in temps:
        if isinstance(run.value(temp).what, Work):
            _forget(run, temp)
