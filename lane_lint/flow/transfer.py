"""What each instruction does to the state: one function for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lane_lint.flow import names
from lane_lint.flow.calls import call_method, call_value
from lane_lint.flow.collections import gather
from lane_lint.flow.contexts import enter, leave
from lane_lint.flow.lanes import lanes_among
from lane_lint.flow.outside import note_returned
from lane_lint.flow.own_calls import call_now, class_of, note_generators
from lane_lint.flow.reading import element_of, load_attribute, load_item
from lane_lint.flow.records import CallRecord, LoopRecord
from lane_lint.flow.summary import translate
from lane_lint.flow.suspending import suspend
from lane_lint.flow.values import (
    COPY,
    NO_TOKENS,
    NOTHING,
    SUPPRESSED,
    Constant,
    Function,
    Made,
    Pending,
    Value,
    combine,
)
from lane_lint.flow.writes import GONE, Manner, write
from lane_lint.model.graph import Kind
from lane_lint.model.instructions import (
    BindName,
    CallMethod,
    CallName,
    Combine,
    Decide,
    DeleteAttribute,
    DeleteItem,
    DeleteName,
    EndFunction,
    EndStatement,
    Enter,
    Exit,
    Fetch,
    Keep,
    Literal,
    LoadAttribute,
    LoadItem,
    LoadName,
    MakeFunction,
    Return,
    Step,
    StoreAttribute,
    StoreItem,
    Suspend,
    Walk,
)
from lane_lint.model.path import ANY_ITEM, extend, item_link

if TYPE_CHECKING:
    from lane_lint.flow.interpretation import Interpretation


def _literal(run: Interpretation, i: Literal) -> None:
    run.state.temps[i.result] = Value(fresh=i.collection, what=Constant(i.text, i.reset))


def _combine(run: Interpretation, i: Combine) -> None:
    values = [run.value(s) for s in i.sources]
    made = combine(values, fresh=i.fresh)
    if (lanes := lanes_among(run, values)) is not None:
        made = made._replace(what=lanes)
    run.state.temps[i.result] = made


def _load_name(run: Interpretation, i: LoadName) -> None:
    run.loaded[i.result] = i.name
    run.state.temps[i.result] = names.load(run, i.name, i.at)


def _load_attribute(run: Interpretation, i: LoadAttribute) -> None:
    run.attributes[i.result] = i.attribute
    run.state.temps[i.result] = load_attribute(run, run.value(i.base), i.attribute, i.at)


def _load_item(run: Interpretation, i: LoadItem) -> None:
    run.state.temps[i.result] = load_item(run, i)


def _call_name(run: Interpretation, i: CallName) -> None:
    run.state.temps[i.result] = call_value(run, i)


def _call_method(run: Interpretation, i: CallMethod) -> None:
    run.state.temps[i.result] = call_method(run, i)


def _make_function(run: Interpretation, i: MakeFunction) -> None:
    run.state.temps[i.result] = Value(what=Function(run.unit.nested[i.function], None))


def _bind_name(run: Interpretation, i: BindName) -> None:
    names.bind(run, i.name, run.value(i.source), i.at)


def _store_attribute(run: Interpretation, i: StoreAttribute) -> None:
    base, value = run.value(i.base), run.value(i.source)
    owner = class_of(run, base)
    setter = run.program.module.setter(owner, i.attribute) if owner is not None else None
    unit = run.program.unit(setter) if setter is not None else None
    if unit is not None:
        call_now(run, unit, base.path, (value,), i.at)
    elif base.path is not None:
        write(run, extend(base.path, f".{i.attribute}"), value, i.at, Manner(is_step=i.step))


def _store_item(run: Interpretation, i: StoreItem) -> None:
    base = run.value(i.base)
    if base.path is not None:
        path = extend(base.path, item_link(i.key))
        write(run, path, run.value(i.source), i.at, Manner(is_step=i.step, is_mutation=True))
    else:
        gather(run, i.base, [run.value(i.source)])


def _delete_attribute(run: Interpretation, i: DeleteAttribute) -> None:
    base = run.value(i.base)
    if base.path is not None:
        write(run, extend(base.path, f".{i.attribute}"), GONE, i.at, Manner(is_removal=True, operation="del"))


def _delete_item(run: Interpretation, i: DeleteItem) -> None:
    base = run.value(i.base)
    if base.path is not None:
        path = extend(base.path, item_link(i.key))
        write(run, path, GONE, i.at, Manner(is_removal=True, is_mutation=True, operation="del"))


def _delete_name(run: Interpretation, i: DeleteName) -> None:
    run.state.env.pop(i.name, None)


def _enter(run: Interpretation, i: Enter) -> None:
    run.state.temps[i.result] = enter(run, run.value(i.context), i)


def _exit(run: Interpretation, i: Exit) -> None:
    leave(run, i)


def _coroutines(source: Value) -> Pending | None:
    """The coroutines that an iteration gives one by one, as `for job in jobs: await job` does."""
    if not isinstance(source.what, Pending):
        return None
    calls = tuple(call for call in source.what.calls if call.unit.body.kind is Kind.ASYNC)
    return Pending(calls, source.what.is_wrapped) if calls else None


def _step(run: Interpretation, i: Step) -> None:
    source = run.value(i.source)
    if source.path is not None and not source.fresh:
        if run.program.sharing.is_shared(run.unit, extend(source.path, ANY_ITEM)):
            run.records.loops.append(LoopRecord(i.loop, i.at, source.path, run.state.holds))
        run.state.temps[i.result] = element_of(run, source, i.at)
        return
    pending = source.what if isinstance(source.what, Pending) else None
    _walk_generators(run, pending, i)
    if pending is not None:
        note_generators(run, pending, i.at)
    # Walking a copy is reading it out: its elements are no snapshot to act on.
    is_copy = source.what == Made(COPY)
    run.state.temps[i.result] = combine([source], fresh=False)._replace(
        what=_coroutines(source), fresh=is_copy
    )


def _walk_generators(run: Interpretation, pending: Pending | None, i: Step) -> None:
    """A loop over an own generator walks the live collections that the generator walks."""
    for call in pending.calls if pending is not None else ():
        for path in sorted(run.program.summary(call.unit).walks):
            seen_as = translate(path, call)
            if seen_as is not None:
                origin = (call.unit, path)
                run.records.loops.append(LoopRecord(i.loop, i.at, seen_as, run.state.holds, origin))


def _keep(run: Interpretation, i: Keep) -> None:
    run.state.env[i.name] = run.value(i.source)


def _fetch(run: Interpretation, i: Fetch) -> None:
    run.state.temps[i.result] = run.state.env.get(i.name, NOTHING)


def _walk(run: Interpretation, i: Walk) -> None:
    source, made = run.value(i.source), run.value(i.made)
    if source.path is None or source.fresh:
        run.state.temps[i.result] = made
    else:
        run.state.temps[i.result] = made._replace(path=source.path, fresh=False, what=None)


def _decide(run: Interpretation, i: Decide) -> None:
    tokens = run.value(i.source).tokens
    if tokens:
        run.state.decisions[i.branch] = run.state.decisions.get(i.branch, NO_TOKENS) | tokens


def _end_statement(run: Interpretation, i: EndStatement) -> None:
    run.state.temps.clear()


def _return(run: Interpretation, i: Return) -> None:
    if i.source is not None:
        state, what = run.state, run.value(i.source).what
        if isinstance(what, Pending) and run.body.kind is Kind.SYNC:
            run.records.calls.extend(
                CallRecord(i.at, call, state.holds, SUPPRESSED in state.env) for call in what.calls
            )
        returned = (run.value(i.source), state.holds - run.entry, state.decision_tokens())
        run.records.returns.append(returned)
        if run.body.kind is Kind.SYNC:
            note_returned(run, run.value(i.source), i.at)


def _end_function(run: Interpretation, i: EndFunction) -> None:
    by_with = {hold for holds in run.entered.values() for hold in holds}
    run.records.exits.append(run.state.holds - run.entry - by_with)


# What changes what a handler must know: staleness, holds and shared state.
EFFECTS = (Suspend, Enter, Exit, StoreAttribute, StoreItem)

TRANSFER: dict[type, Callable[[Interpretation, Any], None]] = {
    Literal: _literal,
    Combine: _combine,
    LoadName: _load_name,
    LoadAttribute: _load_attribute,
    LoadItem: _load_item,
    CallName: _call_name,
    CallMethod: _call_method,
    MakeFunction: _make_function,
    BindName: _bind_name,
    StoreAttribute: _store_attribute,
    StoreItem: _store_item,
    DeleteAttribute: _delete_attribute,
    DeleteItem: _delete_item,
    DeleteName: _delete_name,
    Suspend: suspend,
    Enter: _enter,
    Exit: _exit,
    Step: _step,
    Keep: _keep,
    Fetch: _fetch,
    Walk: _walk,
    Decide: _decide,
    EndStatement: _end_statement,
    EndFunction: _end_function,
    Return: _return,
}
