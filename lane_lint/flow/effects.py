"""What instructions do to the state: writes, calls of own functions, waiting, entering and leaving contexts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lane_lint.flow.locks import ASYNC_LOCK
from lane_lint.flow.records import CallRecord, LoopRecord, StaleRead, WriteRecord
from lane_lint.flow.state import Emptied, OwnWrite, State
from lane_lint.flow.summary import Call, Summary, WriteEffect, translate
from lane_lint.flow.values import (
    BUSY,
    NO_TOKENS,
    NOTHING,
    Constant,
    Hold,
    Instance,
    Made,
    Pending,
    Token,
    Tokens,
    Value,
    combine,
    in_order,
)
from lane_lint.model.graph import Kind
from lane_lint.model.instructions import Why
from lane_lint.model.path import ANY_ITEM, Path, conflicts, overlaps

if TYPE_CHECKING:
    from lane_lint.flow.interpreter import Interpreter
    from lane_lint.flow.unit import Unit
    from lane_lint.model.instructions import Enter, Exit, Step

GONE = Value(what=Constant("", reset=True))
SUPPRESSED = "%suppressed"
EVENT_WAIT = "event.wait"
CONDITION_WAIT = "condition.wait"
LOCK_ACQUIRE = "lock.acquire"
LOCK_TRY = "lock.try"


# Writes


def write(
    run: Interpreter,
    path: Path,
    value: Value,
    at: int,
    *,
    is_step: bool = False,
    is_mutation: bool = False,
    is_removal: bool = False,
    operation: str = "",
    effect: WriteEffect | None = None,
    call: Call | None = None,
) -> None:
    """Write a path: put it on record with the stale reads it depends on, then settle what it decides."""
    if path[0][0] == "%" or (len(path) == 1 and path[0][0] in "$s"):
        return
    state = run.state
    checks_decisions = _acts_on_decisions(state, path, value, effect)
    by_value = _stale(state, value.tokens, path) if effect is None or not is_removal else ()
    decided = _decision_tokens(state) | value.decided
    is_fill = _is_fill(value, effect, is_step=is_step, is_removal=is_removal)
    deciding = deciding_tokens(run, path, value, is_fill=is_fill, effect=effect)
    by_decision = _stale(state, deciding, path) if checks_decisions else ()
    record = WriteRecord(
        site=at,
        path=path,
        value=value,
        is_shared=run.program.sharing.is_shared(run.unit, path),
        is_reset=is_removal
        or (isinstance(value.what, Constant) and value.what.reset)
        or bool(effect and effect.is_reset),
        is_step=is_step,
        is_removal=is_removal,
        is_mutation=is_mutation,
        is_decided=any(not state.is_stale(t) and overlaps(path, t.path) for t in decided),
        is_checked=any(t not in state.crossed and t.epoch == state.epoch for t in decided),
        operation=operation or (effect.operation if effect is not None else ""),
        tested=_tested_with(state, decided, by_decision),
        by_value=by_value,
        by_decision=by_decision,
        lingering=_stale(state, state.lingering, path) if effect is None else (),
        holds=state.holds,
        epoch=state.epoch,
        last_suspension=state.last_suspension,
        own_write=state.written.get(path),
        emptied=state.emptied.get(path[:-1]) if is_mutation else None,
        effect=effect,
        waits=value.waits,
        call=call,
    )
    run.records.writes.append(record)
    _settle(run, record)


def _is_fill(value: Value, effect: WriteEffect | None, *, is_step: bool, is_removal: bool) -> bool | None:
    """Whether the write puts something in place (True), takes it away (False), or changes it (None)."""
    if is_step:
        return None
    is_constant_reset = isinstance(value.what, Constant) and value.what.reset
    return not (is_removal or is_constant_reset or (effect is not None and effect.is_reset))


def deciding_tokens(
    run: Interpreter, path: Path, value: Value, *, is_fill: bool | None, effect: WriteEffect | None
) -> Tokens:
    """The reads whose outcome makes this write wrong when it has changed meanwhile.

    Filling what was found present, or emptying what was found empty, is an update that the test
    did not ask for. A loop's own test is made again in each pass, so a flag or a helper that ends
    the loop is none of its acts.
    """
    state = run.state
    found: set[Token] = set(value.decided)
    ends_loop = effect is not None or isinstance(value.what, Constant)
    for key, tokens in state.decisions.items():
        if ends_loop and key in run.body.loop_tests:
            continue
        asked_for = is_fill is None or state.presence.get(key) != is_fill
        found |= {t for t in tokens if asked_for or _looks_deeper(t.path, path)}
    return frozenset(found)


def _looks_deeper(read: Path, written: Path) -> bool:
    """Whether the read looked at something of the object, not whether it is there."""
    return len(read) - (read[-1] == ANY_ITEM) > len(written)


def _acts_on_decisions(state: State, path: Path, value: Value, effect: WriteEffect | None) -> bool:
    """Whether earlier decisions count for a write.

    Not for a helper that tests the state itself or only adds to it, and not for a value that
    `max` or `min` merges with the present one.
    """
    if effect is not None:
        adds = effect.is_mutation and not effect.is_removal and path[-1] == ANY_ITEM
        return not effect.is_decided and not adds
    merges = isinstance(value.what, Made) and value.what.name in ("max", "min")
    return not (merges and any(t not in state.crossed and conflicts(path, t.path) for t in value.tokens))


def _tested_with(state: State, decided: Tokens, acted_on: tuple[StaleRead, ...]) -> frozenset[Path]:
    """The pieces of state that were tested together with what is acted on."""
    epochs = {stale.token.epoch for stale in acted_on}
    return frozenset(t.path[:2] for t in decided if t.epoch in epochs and state.is_stale(t))


def _stale(state: State, tokens: Tokens, path: Path) -> tuple[StaleRead, ...]:
    """The stale reads among `tokens` that a write of `path` acts on, in order of the source."""
    found = [t for t in tokens if state.is_stale(t) and conflicts(path, t.path)]
    found = in_order(found)
    return tuple(StaleRead(t, state.crossed[t]) for t in found)


def _decision_tokens(state: State) -> Tokens:
    return frozenset().union(*state.decisions.values()) if state.decisions else NO_TOKENS


def _settle(run: Interpreter, record: WriteRecord) -> None:
    """After a write our own value is the current one, and a decision it reserved is taken."""
    state, path = run.state, record.path
    reserves = record.is_decided and any(
        not state.is_stale(t) and overlaps(path, t.path)
        for tokens in state.decisions.values()
        for t in tokens
    )
    acted_epochs = {stale.token.epoch for stale in record.by_decision}
    for key, tokens in list(state.decisions.items()):
        if reserves and not any(state.is_stale(t) for t in tokens):
            state.decisions[key] = NO_TOKENS
            continue
        left = frozenset(
            t
            for t in tokens
            if not conflicts(path, t.path) and not (t.epoch in acted_epochs and state.is_stale(t))
        )
        state.decisions[key] = left
    state.lingering = frozenset(t for t in state.lingering if not conflicts(path, t.path))
    state.written[path] = OwnWrite(
        record.site, state.epoch, reserves or state.has_reserved, record.value, record.effect is not None
    )
    state.has_reserved = state.has_reserved or reserves
    state.current |= {path}
    _raise_or_lower_flag(run, record, reserves=reserves)
    _note_emptying(state, record)
    if record.operation == "del" or not (record.is_mutation or record.is_step):
        _take_over(run, path)


def _raise_or_lower_flag(run: Interpreter, record: WriteRecord, *, reserves: bool) -> None:
    """A busy flag that is tested and raised in one step keeps other calls out until it is lowered."""
    flag = (BUSY, *record.path)
    what = record.value.what
    if reserves and isinstance(what, Constant) and what.text == "True":
        run.acquire(flag, ASYNC_LOCK, record.site, waits=False)
    elif not record.is_mutation:
        run.release(flag)


def _note_emptying(state: State, record: WriteRecord) -> None:
    """Remember that a collection was cleared or rebound empty, until it is rebound to something else."""
    is_cleared = record.operation == "clear"
    collection = record.path[:-1] if record.is_mutation else record.path
    if is_cleared or (not record.is_mutation and record.value.fresh and record.is_reset):
        state.emptied[collection] = Emptied(collection, record.site, state.epoch)
    elif not record.is_mutation:
        state.emptied.pop(collection, None)


def _take_over(run: Interpreter, path: Path) -> None:
    """What a variable still holds of a path that has just been rebound belongs to this call alone."""
    variables: tuple[dict[Any, Value], ...] = (run.state.env, run.state.temps)
    for values in variables:
        for name, value in values.items():
            if value.path is not None and value.path[: len(path)] == path:
                values[name] = value._replace(tokens=NO_TOKENS, path=None, fresh=True)


# Calls of own functions


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


def call_now(
    run: Interpreter, unit: Unit, receiver: Path | None, arguments: tuple[Value, ...], at: int
) -> Value:
    """Call a function whose effects happen at once: a getter, a setter, a plain helper."""
    bound = bind_arguments(unit, tuple((None, a) for a in arguments), is_bound=unit.owner is not None)
    return apply(run, Call(unit, receiver, bound), at)


def apply(
    run: Interpreter, call: Call, at: int, *, is_awaited: bool = False, must_suspend: bool = False
) -> Value:
    """Have a call's effects, in order: writes, suspension, further writes; then its result."""
    summary = run.program.summary(call.unit)
    run.records.calls.append(CallRecord(at, call, run.state.holds, is_awaited))
    _apply_writes(run, summary, call, at, after_suspension=False)
    suspends = is_awaited and run.program.may_suspend(call.unit)
    if must_suspend or suspends:
        run.suspend(at, Why.AWAIT)
    _apply_writes(run, summary, call, at, after_suspension=True)
    return _result(run, summary, call, at, waits=suspends)


def _apply_writes(run: Interpreter, summary: Summary, call: Call, at: int, *, after_suspension: bool) -> None:
    for effect in summary.writes:
        path = translate(effect.path, call)
        if path is None or effect.is_suspended != after_suspension:
            continue
        sources = [value for name, value in call.arguments if name in effect.from_parameters]
        value = combine(sources, fresh=False)
        if effect.waits:
            value = value._replace(waits=value.waits | {at})
        write(
            run,
            path,
            value,
            at,
            is_step=effect.is_step,
            is_mutation=effect.is_mutation,
            is_removal=effect.is_removal,
            effect=effect,
            call=call,
        )


def _result(run: Interpreter, summary: Summary, call: Call, at: int, *, waits: bool) -> Value:
    tokens: set[Token] = set()
    for path in sorted(summary.returns):
        translated = translate(path, call)
        if translated is not None:
            tokens |= _returned_read(run, translated, summary, call, at)
    passed = [value for name, value in call.arguments if name in summary.returned_parameters]
    rest = combine(passed, fresh=False) if passed else NOTHING
    returned = translate(summary.returned_path, call) if summary.returned_path is not None else None
    return Value(
        tokens=frozenset(tokens) | rest.tokens,
        path=None if waits and summary.returns_fresh else returned,
        fresh=summary.returns_fresh,
        decided=rest.decided,
        waits=rest.waits | ({at} if waits else set()),
        what=summary.returned_what,
        parameters=rest.parameters,
    )


def _returned_read(run: Interpreter, path: Path, summary: Summary, call: Call, at: int) -> Tokens:
    """A read that a callee made for us; made under its lock or in a turn, it has lost that protection."""
    under = frozenset(
        Hold(lock, at) for p in summary.returned_under if (lock := translate(p, call)) is not None
    )
    if not under and not call.is_turn:
        return run.read(path, at)
    if not run.program.sharing.is_shared(run.unit, path):
        return NO_TOKENS
    token = Token(at, path, run.state.epoch, under | run.state.holds, False, call.is_turn)
    run.state.crossed.pop(token, None)
    return frozenset((token,))


# Waiting


def wait_for(run: Interpreter, source: Value, at: int) -> Value:
    """Await coroutines of own functions; without a suspension inside, there is none here."""
    pending = source.what
    if not isinstance(pending, Pending):
        return NOTHING
    results = [
        apply(run, call, at, is_awaited=True, must_suspend=pending.is_wrapped) for call in pending.calls
    ]
    if len(results) == 1:
        return results[0]
    return combine(results, fresh=True)._replace(what=None)


def wait_for_primitive(run: Interpreter, source: Value, at: int) -> bool:
    """Await a lock's, condition's or event's own method. False when the value is none of these."""
    made = source.what
    if not isinstance(made, Made) or source.path is None:
        return False
    if made.name == LOCK_ACQUIRE:
        run.suspend(at, Why.AWAIT)
        kind = run.lock_kinds.get(source.path, ASYNC_LOCK)
        run.acquire(source.path, kind, at)
    elif made.name == CONDITION_WAIT:
        held = [h for h in run.state.holds if h.lock == source.path]
        run.release(source.path)
        run.suspend(at, Why.AWAIT)
        for hold in held:
            run.acquire(hold.lock, run.lock_kinds.get(hold.lock, ASYNC_LOCK), at, waits=False)
    elif made.name == EVENT_WAIT:
        run.suspend(at, Why.AWAIT)
        run.state.env["%waited " + " ".join(source.path)] = Value(waits=frozenset({at}))
    else:
        return False
    return True


def walk_generators(run: Interpreter, pending: Pending | None, i: Step) -> None:
    """A loop over an own generator walks the live collections that the generator walks."""
    for call in pending.calls if pending is not None else ():
        for path in sorted(run.program.summary(call.unit).walks):
            seen_as = translate(path, call)
            if seen_as is not None:
                origin = (call.unit, path)
                run.records.loops.append(LoopRecord(i.loop, i.at, seen_as, run.state.holds, origin))


# Contexts


def enter_suspends(run: Interpreter, source: Value) -> bool:
    """Whether entering an asynchronous context may let other tasks run."""
    if isinstance(source.what, Made) and source.what.name in run.program.settings.non_suspending:
        return False
    if isinstance(source.what, Pending):
        return any(run.program.summary(call.unit).suspends_before_yield for call in source.what.calls)
    if isinstance(source.what, Instance):
        return _method_suspends(run, source.what, "__aenter__")
    return True


def _method_suspends(run: Interpreter, instance: Instance, name: str) -> bool:
    method = run.program.method(instance.outline, name)
    unit = run.program.unit(method) if method is not None else None
    return unit is None or run.program.may_suspend(unit)


def enter(run: Interpreter, context: Value, i: Enter) -> Value:
    """Enter a `with` item: a lock is acquired, an own context manager has its effects."""
    made = context.what.name if isinstance(context.what, Made) else ""
    holds: tuple[Hold, ...] = ()
    suspends_at_exit = i.is_async and made not in run.program.settings.non_suspending
    if made in run.program.settings.suppressors:
        run.state.env[SUPPRESSED] = NOTHING
        run.suppressing.add(i.key)
    elif isinstance(context.what, Pending):
        holds, suspends_at_exit = _enter_own(run, context.what, i)
    elif (lock := run.lock_of(context, is_async=i.is_async)) is not None:
        path, kind = lock
        holds = (run.acquire(path, kind, i.at),)
        suspends_at_exit = False
    elif isinstance(context.what, Instance):
        suspends_at_exit = i.is_async and _method_suspends(run, context.what, "__aexit__")
    run.entered[i.key] = holds
    run.exits_suspend[i.key] = suspends_at_exit
    if isinstance(context.what, Instance):
        return context
    return combine([context], fresh=False)._replace(waits=context.waits | ({i.at} if i.is_async else set()))


def _enter_own(run: Interpreter, pending: Pending, i: Enter) -> tuple[tuple[Hold, ...], bool]:
    """Enter own `@contextmanager` functions: the body runs under what they hold at their `yield`."""
    holds: list[Hold] = []
    suspends = False
    for call in pending.calls:
        result = run.program.result(call.unit)
        apply(run, call, i.at)
        suspends = suspends or (i.is_async and result.summary.suspends_after_yield)
        for lock in sorted(result.summary.holds_at_yield):
            path = translate(lock, call)
            if path is not None:
                kind = result.lock_kinds.get(lock, ASYNC_LOCK)
                holds.append(run.acquire(path, kind, i.at, waits=False))
    return tuple(holds), suspends


def leave(run: Interpreter, i: Exit) -> None:
    """Leave a `with` item, on whatever way."""
    # By lock, not by hold: waiting on a condition has let it go and taken it again meanwhile.
    for hold in run.entered.get(i.key, ()):
        run.release(hold.lock)
    if i.key in run.suppressing:
        run.state.env.pop(SUPPRESSED, None)
    if i.is_async and run.exits_suspend.get(i.key, True):
        run.suspend(i.at, Why.EXIT)


def is_coroutine(unit: Unit) -> bool:
    """Whether calling the function does nothing until the result is awaited, entered or iterated."""
    return unit.body.kind is not Kind.SYNC
