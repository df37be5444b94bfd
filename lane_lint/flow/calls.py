"""Calls, by what is called: own code, primitives, collections, the library, callbacks, the unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lane_lint.flow.blocking import call_waiter
from lane_lint.flow.collections import call_collection
from lane_lint.flow.contexts import STACK, enter_on_stack
from lane_lint.flow.library import call_dotted
from lane_lint.flow.notifying import note_called, note_method_called, note_stored_called
from lane_lint.flow.own_calls import after_of, class_of, own_call, values_of
from lane_lint.flow.passing import through, through_foreign
from lane_lint.flow.primitives import call_primitive
from lane_lint.flow.records import CallbackRecord
from lane_lint.flow.starting import start
from lane_lint.flow.taking import note_foreign_call, note_handed_on
from lane_lint.flow.values import ClassObject, Dotted, Function, Instance, Super, Value, combine, in_order
from lane_lint.method_names import COMMON_METHODS, STARTERS
from lane_lint.model.path import SELF, extend

if TYPE_CHECKING:
    from lane_lint.flow.interpretation import Interpretation
    from lane_lint.model.instructions import Argument, CallMethod, CallName
    from lane_lint.outline import ClassOutline


ENTERS_ON_STACK = frozenset({"enter_context", "enter_async_context"})


def call_value(run: Interpretation, i: CallName) -> Value:
    """A call that is not spelled as an attribute."""
    callee = run.value(i.callee)
    if isinstance(callee.what, Function):
        return own_call(run, callee.what, values_of(run, i.arguments), i.at, i.arguments)
    if isinstance(callee.what, ClassObject):
        return _construct(run, callee.what, i.arguments, i.at)
    if isinstance(callee.what, Dotted):
        return call_dotted(run, callee.what.name, i.arguments, i.at)
    note_called(run, callee, i)
    origin = callee.path or next((t.path for t in in_order(callee.tokens)), None)
    if origin is not None:
        name = i.name or origin[-1].strip(".$^@")
        run.records.callbacks.append(CallbackRecord(i.at, name, origin, run.state.holds))
    note_foreign_call(run, i.name or "", [run.value(a.value) for a in i.arguments], i.at)
    return through_foreign([callee, *(run.value(a.value) for a in i.arguments)], fresh=_is_class_name(i.name))


def _construct(run: Interpretation, what: ClassObject, arguments: tuple[Argument, ...], at: int) -> Value:
    """A new object of an own class; nobody else has it yet."""
    values = [run.value(a.value) for a in arguments]
    note_handed_on(run, values, at)
    made = combine(values, fresh=True)
    return made._replace(what=Instance(what.outline), fresh=True)


def call_method(run: Interpretation, i: CallMethod) -> Value:
    """A call spelled `base.method(...)`."""
    base = run.value(i.base)
    if isinstance(base.what, Dotted):
        return call_dotted(run, f"{base.what.name}.{i.method}", i.arguments, i.at)
    if base.path is not None and base.path[0] == STACK and i.method in ENTERS_ON_STACK and i.arguments:
        is_async = i.method == "enter_async_context"
        return enter_on_stack(run, base.path, run.value(i.arguments[0].value), i.at, is_async=is_async)
    if (found := _own_method(run, base, i)) is not None:
        return found
    if (waited := call_waiter(run, base, i)) is not None:
        return waited
    if (done := call_primitive(run, base, i)) is not None:
        return done
    if i.method in STARTERS:
        return start(run, i.method, i.arguments, i.at)
    note_method_called(run, base, i)
    if not i.is_awaited and (touched := call_collection(run, base, i)) is not None:
        return touched
    return _foreign_method(run, base, i)


def _own_method(run: Interpretation, base: Value, i: CallMethod) -> Value | None:
    """A method of a class of this module, or a callable that such an object stores."""
    owner = class_of(run, base) or _only_class_with(run, base, i.method)
    if owner is None:
        return None
    method = run.program.module.method(owner, i.method, after=after_of(base))
    if method is None and base.path == (SELF,) and not isinstance(base.what, Super):
        method = run.program.module.only_override(owner, i.method)
    unit = run.program.unit(method) if method is not None else None
    if unit is not None and not unit.outline.is_property:
        if unit.outline.is_stub:
            note_method_called(run, base, i)
        receiver = base.path if not isinstance(base.what, ClassObject) or base.path == (SELF,) else None
        if receiver is None and isinstance(base.what, Instance):
            receiver = ("%fresh",)
        result = own_call(run, Function(unit, receiver), values_of(run, i.arguments), i.at, i.arguments)
        return through(base, result, i.method)
    if base.path is not None and any(i.method in c.makers for c in run.program.module.family(owner)):
        path = extend(base.path, f".{i.method}")
        run.records.callbacks.append(CallbackRecord(i.at, i.method, path, run.state.holds))
        note_stored_called(run, i)
        stored = run.program.objects.class_at(run.unit.owner, path)
        result = combine([run.value(a.value) for a in i.arguments], fresh=False)
        return result._replace(what=Instance(stored)) if stored is not None else result
    return None


def _only_class_with(run: Interpretation, base: Value, method: str) -> ClassOutline | None:
    """The class of an attribute or parameter of unknown make, when just one class has such a method."""
    if base.what is not None or base.path is None or base.path == (SELF,) or method in COMMON_METHODS:
        return None
    if run.program.objects.makers(run.unit.owner, base.path) - {base.path[-1].strip("._")}:
        return None
    found = run.program.module.only_class_with(method)
    return None if found is run.unit.owner else found


def _foreign_method(run: Interpretation, base: Value, i: CallMethod) -> Value:
    """A method of something that nothing is known of; its result depends on all that went in."""
    note_foreign_call(run, i.method, [run.value(a.value) for a in i.arguments], i.at)
    return through_foreign([base, *(run.value(a.value) for a in i.arguments)])


def _is_class_name(name: str | None) -> bool:
    return bool(name) and name is not None and name[:1].isupper()
