"""Calls of functions of the module: arguments are paired with parameters, effects are applied."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lane_lint.flow.combining import combine
from lane_lint.flow.concurrent import is_map_path
from lane_lint.flow.locks import ASYNC_LOCK
from lane_lint.flow.operations import look, note_changes_by_helper
from lane_lint.flow.records import CallRecord
from lane_lint.flow.summary import Call, Summary, translate
from lane_lint.flow.taking import note_given_back, note_taken
from lane_lint.flow.unit import TURN
from lane_lint.flow.values import (
    NO_TOKENS,
    NOTHING,
    SUPPRESSED,
    ClassObject,
    Function,
    Hold,
    Instance,
    Pending,
    Super,
    Token,
    Tokens,
    Value,
    What,
    Work,
)
from lane_lint.flow.waits import note_helper
from lane_lint.flow.writes import Helped, Manner, write
from lane_lint.model.graph import Kind
from lane_lint.model.instructions import Why
from lane_lint.model.path import Path

if TYPE_CHECKING:
    from lane_lint.flow.interpretation import Interpretation
    from lane_lint.flow.unit import Unit
    from lane_lint.model.instructions import Argument
    from lane_lint.outline import ClassOutline


def class_of(run: Interpretation, base: Value) -> ClassOutline | None:
    """The class of this module that a value is an instance of, or is."""
    if isinstance(base.what, (Instance, ClassObject)):
        return base.what.outline
    if isinstance(base.what, Super):
        return base.what.start
    return run.program.objects.class_at(run.unit.owner, base.path) if base.path is not None else None


def after_of(base: Value) -> ClassOutline | None:
    """The class behind which `super()` looks methods up."""
    return base.what.after if isinstance(base.what, Super) else None


def values_of(run: Interpretation, arguments: tuple[Argument, ...]) -> tuple[tuple[str | None, Value], ...]:
    """The arguments of a call, each with its keyword if it has one."""
    return tuple((a.keyword, run.value(a.value)) for a in arguments)


def own_call(
    run: Interpretation,
    function: Function,
    values: tuple[tuple[str | None, Value], ...],
    at: int,
    arguments: tuple[Argument, ...] = (),
) -> Value:
    """Call a function of this module; a coroutine's effects come when it is awaited."""
    unit = function.unit
    if not unit.is_nested and run.program.inertness.is_inert(unit.outline):
        return _inert_call(unit, function, values)
    given = tuple((None, value) for value in function.arguments)
    is_method = unit.owner is not None and not unit.is_nested and not unit.outline.is_static
    bound = bind_arguments(unit, (*given, *values), is_bound=is_method and function.receiver is not None)
    texts = _texts(unit, arguments, len(given), is_bound=is_method and function.receiver is not None)
    call = Call(unit, function.receiver, bound, texts=texts)
    if is_coroutine(unit):
        made = combine([value for _, value in (*given, *values)], fresh=False)
        return made._replace(what=Pending((call,), is_wrapped=unit.runtime_decorator == TURN))
    return apply(run, call, at)


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


def bind_arguments(
    unit: Unit, values: tuple[tuple[str | None, Value], ...], *, is_bound: bool
) -> tuple[tuple[str, Value], ...]:
    """Pair parameters with arguments, as far as their order tells."""
    names = [p.name for p in unit.body.parameters]
    if is_bound and names:
        names = names[1:]
    positional = iter(names)
    bound = []
    for keyword, value in values:
        name = keyword or next(positional, None)
        if name is not None:
            bound.append((name, value))
    return tuple(bound)


def is_coroutine(unit: Unit) -> bool:
    """Whether calling it does nothing until the result is awaited, entered or iterated; a decorated turn is awaited."""
    return unit.body.kind is not Kind.SYNC or unit.runtime_decorator == TURN


def note_generators(run: Interpretation, walked: Pending, at: int) -> None:
    """What an own generator does between its `yield`s, it does where it is walked."""
    if run.program.module_has_lanes:
        is_suppressed = SUPPRESSED in run.state.env
        for call in walked.calls:
            run.records.calls.append(CallRecord(at, call, run.state.holds, is_suppressed))


def call_now(
    run: Interpretation, unit: Unit, receiver: Path | None, arguments: tuple[Value, ...], at: int
) -> Value:
    """Call a function whose effects happen at once: a getter, a setter, a plain helper."""
    bound = bind_arguments(unit, tuple((None, a) for a in arguments), is_bound=unit.owner is not None)
    return apply(run, Call(unit, receiver, bound), at)


def apply(
    run: Interpretation, call: Call, at: int, *, is_awaited: bool = False, must_suspend: bool = False
) -> Value:
    """Have a call's effects, in order: writes, suspension, further writes; then its result."""
    summary = run.program.summary(call.unit)
    run.records.calls.append(CallRecord(at, call, run.state.holds, SUPPRESSED in run.state.env))
    note_helper(run, summary.waits, call, at)
    note_changes_by_helper(run, summary, call, at)
    _apply_writes(run, summary, call, at, after_suspension=False)
    suspends = is_awaited and run.program.may_suspend(call.unit)
    if must_suspend or suspends:
        # What another module does beside is unknown, so its name says how pure it is.
        elsewhere = call.unit.outline.origin is not None
        run.suspend(at, Why.AWAIT, call.unit.name if elsewhere else None)
    _apply_writes(run, summary, call, at, after_suspension=True)
    _apply_locks(run, summary, call, at)
    return _result(run, summary, call, at, waits=suspends)


def _apply_locks(run: Interpretation, summary: Summary, call: Call, at: int) -> None:
    """A helper that only releases, or only acquires, does so for its caller."""
    for lock in sorted(summary.releases):
        if (path := translate(lock, call)) is not None:
            run.release(path)
            note_given_back(run, path, at, is_direct=True)
    for lock in sorted(summary.holds_at_exit):
        if (path := translate(lock, call)) is not None:
            kind = run.program.result(call.unit).lock_kinds.get(lock, ASYNC_LOCK)
            run.acquire(path, kind, at, waits=False)
            note_taken(run, path, kind, at, helper=call.unit)


def _apply_writes(
    run: Interpretation, summary: Summary, call: Call, at: int, *, after_suspension: bool
) -> None:
    for effect in summary.writes:
        path = translate(effect.path, call)
        if path is None or effect.is_suspended != after_suspension:
            continue
        sources = [value for name, value in call.arguments if name in effect.from_parameters]
        value = combine(sources, fresh=False)
        if effect.waits:
            value = value._replace(waits=value.waits | {at})
        manner = Manner(effect.is_step, effect.is_mutation, effect.is_removal, effect.operation)
        write(run, path, value, at, manner, Helped(effect, call))


def _result(run: Interpretation, summary: Summary, call: Call, at: int, *, waits: bool) -> Value:
    tokens: set[Token] = set()
    for path in sorted(summary.returns):
        translated = translate(path, call)
        if translated is not None:
            read = _returned_read(run, translated, summary, call, at)
            tokens |= (
                read if summary.returned_path is not None else {t._replace(is_derived=True) for t in read}
            )
    passed = [value for name, value in call.arguments if name in summary.returned_parameters]
    rest = combine(passed, fresh=False) if passed else NOTHING
    returned = translate(summary.returned_path, call) if summary.returned_path is not None else None
    return Value(
        tokens=frozenset(tokens) | rest.tokens,
        path=None if waits and summary.returns_fresh else returned,
        fresh=summary.returns_fresh,
        decided=rest.decided,
        waits=rest.waits | ({at} if waits else set()),
        what=_seen_by_caller(summary.returned_what, call),
        parameters=rest.parameters,
    )


def _seen_by_caller(what: What | None, call: Call) -> What | None:
    """What a callee returns, in the caller's terms: a future's executor is at another place for it."""
    if isinstance(what, Work) and what.pool is not None:
        return Work(translate(what.pool, call), what.is_lazy)
    return what


def _has_reserved(summary: Summary, call: Call) -> bool:
    """Whether a turn that hands a value out is a claim: it tested the state, and put something down for it."""
    return call.is_turn and any(e.is_decided and not (e.is_removal or e.is_reset) for e in summary.writes)


def _returned_read(run: Interpretation, path: Path, summary: Summary, call: Call, at: int) -> Tokens:
    """A read that a callee made for us; made under its lock or in a turn, it has lost that protection."""
    under = frozenset(
        Hold(lock, at) for p in summary.returned_under if (lock := translate(p, call)) is not None
    )
    if is_map_path(path):
        return look(run, path, at, call.unit.name)
    if not under and not call.is_turn:
        return run.read(path, at)
    if not run.program.sharing.is_shared(run.unit, path) or _has_reserved(summary, call):
        return NO_TOKENS
    token = Token(at, path, run.state.epoch, under | run.state.holds, False, call.is_turn)
    run.state.crossed.pop(token, None)
    return frozenset((token,))
