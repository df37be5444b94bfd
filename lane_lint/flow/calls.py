"""Calls: of own functions, of locks and lanes, of collections, of the library, of callbacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lane_lint.flow import collections, effects, library
from lane_lint.flow.records import CallbackRecord, EventRecord, LaneRecord, StartRecord
from lane_lint.flow.summary import Call
from lane_lint.flow.values import (
    NOTHING,
    ClassObject,
    Constant,
    Dotted,
    Function,
    Instance,
    Lane,
    Made,
    Pending,
    Super,
    Value,
    combine,
    in_order,
    through,
)
from lane_lint.method_names import COMMON_METHODS, STARTERS
from lane_lint.model.path import SELF, Path, extend

if TYPE_CHECKING:
    from lane_lint.flow.interpreter import Interpreter
    from lane_lint.flow.locks import LockKind
    from lane_lint.flow.unit import Unit
    from lane_lint.model.instructions import Argument, CallMethod, CallName
    from lane_lint.outline import ClassOutline

WAITING_ENTRIES = frozenset({"run", "run_blocking"})


def class_of(run: Interpreter, base: Value) -> ClassOutline | None:
    """The class of this module that a value is an instance of, or is."""
    if isinstance(base.what, (Instance, ClassObject)):
        return base.what.outline
    if isinstance(base.what, Super):
        return base.what.start
    return run.program.class_at(run.unit.owner, base.path) if base.path is not None else None


def after_of(base: Value) -> ClassOutline | None:
    return base.what.after if isinstance(base.what, Super) else None


def values_of(run: Interpreter, arguments: tuple[Argument, ...]) -> tuple[tuple[str | None, Value], ...]:
    return tuple((a.keyword, run.value(a.value)) for a in arguments)


def call_value(run: Interpreter, i: CallName) -> Value:
    """A call that is not spelled as an attribute."""
    callee = run.value(i.callee)
    if isinstance(callee.what, Function):
        return own_call(run, callee.what, values_of(run, i.arguments), i.at, i.arguments)
    if isinstance(callee.what, ClassObject):
        return construct(run, callee.what, i.arguments, i.at)
    if isinstance(callee.what, Dotted):
        return library.call_dotted(run, callee.what.name, i.arguments, i.at)
    origin = callee.path or next((t.path for t in in_order(callee.tokens)), None)
    if origin is not None:
        name = i.name or origin[-1].strip(".$^@")
        run.records.callbacks.append(CallbackRecord(i.at, name, origin, run.state.holds))
    return through_foreign([callee, *(run.value(a.value) for a in i.arguments)], fresh=_is_class_name(i.name))


def construct(run: Interpreter, what: ClassObject, arguments: tuple[Argument, ...], at: int) -> Value:
    """A new object of an own class; nobody else has it yet."""
    made = combine([run.value(a.value) for a in arguments], fresh=True)
    return made._replace(what=Instance(what.outline), fresh=True)


def own_call(
    run: Interpreter,
    function: Function,
    values: tuple[tuple[str | None, Value], ...],
    at: int,
    arguments: tuple[Argument, ...] = (),
) -> Value:
    """Call a function of this module; a coroutine's effects come when it is awaited."""
    unit = function.unit
    if not unit.is_nested and run.program.is_inert(unit.outline):
        return _inert_call(unit, function, values)
    given = tuple((None, value) for value in function.arguments)
    is_method = unit.owner is not None and not unit.is_nested and not unit.outline.is_static
    bound = effects.bind_arguments(
        unit, (*given, *values), is_bound=is_method and function.receiver is not None
    )
    texts = _texts(unit, arguments, len(given), is_bound=is_method and function.receiver is not None)
    call = Call(unit, function.receiver, bound, texts=texts)
    if effects.is_coroutine(unit):
        made = combine([value for _, value in (*given, *values)], fresh=False)
        return made._replace(what=Pending((call,)))
    return effects.apply(run, call, at)


def _inert_call(unit: Unit, function: Function, values: tuple[tuple[str | None, Value], ...]) -> Value:
    """A call whose only effect is its result, and a wait if it is a coroutine's."""
    if unit.outline.is_async:
        return Value(parameters=frozenset().union(*(v.parameters for _, v in values)))
    return combine([*function.arguments, *(v for _, v in values)], fresh=False)


def _texts(
    unit: Unit, arguments: tuple[Argument, ...], given: int, *, is_bound: bool
) -> tuple[tuple[str, str | None], ...]:
    """Parameter name -> the argument's source."""
    names = [p.name for p in unit.body.parameters][given + is_bound :]
    positional = iter(names)
    return tuple((a.keyword or next(positional, ""), a.text) for a in arguments)


def call_method(run: Interpreter, i: CallMethod) -> Value:
    """A call spelled `base.method(...)`."""
    base = run.value(i.base)
    if isinstance(base.what, Dotted):
        return library.call_dotted(run, f"{base.what.name}.{i.method}", i.arguments, i.at)
    if (found := _own_method(run, base, i)) is not None:
        return found
    lock = run.lock_of(base, is_async=None)
    if lock is not None and (done := _lock_method(run, *lock, i)) is not None:
        return done
    if base.path is not None and _is_lane(run, base) and i.method in run.program.settings.lane_entry_methods:
        return give_to_lane(run, base.path, i)
    if base.path is not None and run.program.is_event(run.unit.owner, base.path):
        return _event_method(run, base.path, i)
    if i.method in STARTERS:
        return start(run, i.method, i.arguments, i.at)
    if not i.is_awaited and (touched := collections.call(run, base, i)) is not None:
        return touched
    return _foreign_method(run, base, i)


def _own_method(run: Interpreter, base: Value, i: CallMethod) -> Value | None:
    """A method of a class of this module, or a callable that such an object stores."""
    owner = class_of(run, base) or _only_class_with(run, base, i.method)
    if owner is None:
        return None
    method = run.program.method(owner, i.method, after=after_of(base))
    unit = run.program.unit(method) if method is not None else None
    if unit is not None and not unit.outline.is_property:
        receiver = base.path if not isinstance(base.what, ClassObject) or base.path == (SELF,) else None
        if receiver is None and isinstance(base.what, Instance):
            receiver = ("%fresh",)
        result = own_call(run, Function(unit, receiver), values_of(run, i.arguments), i.at, i.arguments)
        return through(base, result, i.method)
    if base.path is not None and any(i.method in c.makers for c in run.program.family(owner)):
        path = extend(base.path, f".{i.method}")
        run.records.callbacks.append(CallbackRecord(i.at, i.method, path, run.state.holds, i.is_awaited))
        stored = run.program.class_at(run.unit.owner, path)
        result = combine([run.value(a.value) for a in i.arguments], fresh=False)
        return result._replace(what=Instance(stored)) if stored is not None else result
    return None


def _only_class_with(run: Interpreter, base: Value, method: str) -> ClassOutline | None:
    """The class of an attribute or parameter of unknown make, when just one class has such a method."""
    if base.what is not None or base.path is None or base.path == (SELF,) or method in COMMON_METHODS:
        return None
    if run.program.makers(run.unit.owner, base.path) - {base.path[-1].strip("._")}:
        return None
    found = run.program.only_class_with(method)
    return None if found is run.unit.owner else found


def _foreign_method(run: Interpreter, base: Value, i: CallMethod) -> Value:
    """A method of something that nothing is known of; its result depends on all that went in."""
    return through_foreign([base, *(run.value(a.value) for a in i.arguments)])


def through_foreign(values: list[Value], *, fresh: bool = False) -> Value:
    """What a call of unknown code makes of values: no longer the very thing that a lock guarded."""
    made = combine(values, fresh=fresh)
    return made._replace(tokens=frozenset(t for t in made.tokens if not t.holds))


def _lock_method(run: Interpreter, path: Path, kind: LockKind, i: CallMethod) -> Value | None:
    run.lock_kinds[path] = kind
    if i.method == "release":
        run.release(path)
    elif i.method == "acquire" and not kind.is_blocking:
        return Value(path=path, what=Made(effects.LOCK_ACQUIRE))
    elif i.method == "acquire" and _may_fail(run, i.arguments):
        return Value(path=path, what=Made(effects.LOCK_TRY))
    elif i.method in ("acquire", "acquire_nowait"):
        run.acquire(path, kind, i.at)
    elif i.method in ("wait", "wait_for") and kind.is_condition:
        return Value(path=path, what=Made(effects.CONDITION_WAIT))
    elif i.method not in ("locked", "notify", "notify_all"):
        return None
    return NOTHING


def _may_fail(run: Interpreter, arguments: tuple[Argument, ...]) -> bool:
    """Whether a blocking `acquire` can come back without the lock."""
    for argument in arguments:
        value = run.value(argument.value).what
        if argument.keyword == "timeout" or (isinstance(value, Constant) and value.text == "False"):
            return True
    return len(arguments) > 1


def _is_lane(run: Interpreter, base: Value) -> bool:
    return isinstance(base.what, Lane) or (
        base.path is not None and run.program.is_lane(run.unit.owner, base.path)
    )


def give_to_lane(run: Interpreter, lane: Path, i: CallMethod) -> Value:
    """`lane.run(work, *args)`: the work is a turn; awaiting it has its effects."""
    work = run.value(i.arguments[0].value) if i.arguments else NOTHING
    function = work.what if isinstance(work.what, Function) else None
    run.records.lanes.append(LaneRecord(i.at, lane, i.method, function.unit if function else None))
    if function is None or i.method not in WAITING_ENTRIES:
        return combine([run.value(a.value) for a in i.arguments], fresh=False)
    rest = values_of(run, i.arguments[1:])
    given = tuple((None, value) for value in function.arguments)
    is_bound = function.receiver is not None
    call = Call(
        function.unit,
        function.receiver,
        effects.bind_arguments(function.unit, (*given, *rest), is_bound=is_bound),
        True,
    )
    if i.method == "run_blocking":
        return effects.apply(run, call, i.at)
    return Value(what=Pending((call,), is_wrapped=True))


def _event_method(run: Interpreter, path: Path, i: CallMethod) -> Value:
    if i.method == "wait":
        return Value(path=path, what=Made(effects.EVENT_WAIT))
    if i.method in ("clear", "set"):
        waited = run.state.env.get("%waited " + " ".join(path))
        site = max(waited.waits) if waited is not None and waited.waits else None
        run.records.events.append(EventRecord(i.at, path, site, run.state.last_suspension, i.method == "set"))
    return NOTHING


def start(run: Interpreter, starter: str, arguments: tuple[Argument, ...], at: int) -> Value:
    """Something is started that runs on its own: a task, a timer, a thread. The result is its handle."""
    target: Unit | None = None
    for argument in arguments:
        what = run.value(argument.value).what
        if isinstance(what, Pending):
            target = what.calls[0].unit
        elif isinstance(what, Function):
            target = what.unit
        if target is not None:
            break
    suppressed = effects.SUPPRESSED in run.state.env or any(a.keyword == "context" for a in arguments)
    run.records.starts.append(StartRecord(at, starter, target, suppressed))
    return NOTHING


def _is_class_name(name: str | None) -> bool:
    return bool(name) and name is not None and name[:1].isupper()
