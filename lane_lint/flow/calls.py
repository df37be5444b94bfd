"""Calls, by what is called: own code, primitives, collections, the library, callbacks, the unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lane_lint.flow.blocking import call_waiter
from lane_lint.flow.callbacks import call_stored, call_unknown, note_listener
from lane_lint.flow.collections import call_collection
from lane_lint.flow.combining import combine
from lane_lint.flow.contexts import STACK, enter_on_stack
from lane_lint.flow.imported import imported_callable, imported_global, note_method_passing
from lane_lint.flow.library import call_dotted
from lane_lint.flow.notifying import note_called, note_method_called, note_stored_called
from lane_lint.flow.outside import call_outside, note_blocking
from lane_lint.flow.own_calls import after_of, class_of, own_call, values_of
from lane_lint.flow.passing import through, through_foreign
from lane_lint.flow.primitives import call_primitive
from lane_lint.flow.reading import load_attribute
from lane_lint.flow.records import CALLS_BACK, OutletRecord
from lane_lint.flow.starting import note_task_factory, start
from lane_lint.flow.taking import note_foreign_call, note_handed_on
from lane_lint.flow.turn_records import HookRecord
from lane_lint.flow.values import CALLBACK, OWN, ClassObject, Dotted, Function, Instance, Made, Super, Value
from lane_lint.method_names import COMMON_METHODS, ENTERS_ON_STACK, STARTERS
from lane_lint.model.path import SELF, extend

if TYPE_CHECKING:
    from lane_lint.flow.interpretation import Interpretation
    from lane_lint.model.instructions import Argument, CallMethod, CallName
    from lane_lint.outline import ClassOutline


# What hands a value, or a function to be called, over to whoever waits for it.
HANDS_OVER = frozenset({"set_result", "put", "put_nowait", "send", "send_nowait", CALLS_BACK})


def call_value(run: Interpretation, i: CallName) -> Value:
    """A call that is not spelled as an attribute."""
    callee = run.value(i.callee)
    if isinstance(callee.what, Function):
        run.answers[i.result] = callee.what.unit
        return own_call(run, callee.what, values_of(run, i.arguments), i.at, i.arguments)
    if isinstance(callee.what, ClassObject):
        return _construct(run, callee.what, i.arguments, i.at)
    if isinstance(callee.what, Dotted):
        return _call_imported(run, callee.what.name, i)
    note_called(run, callee, i)
    note_foreign_call(run, i.name or "", [run.value(a.value) for a in i.arguments], i.at)
    return call_unknown(run, callee, i)


def _construct(run: Interpretation, what: ClassObject, arguments: tuple[Argument, ...], at: int) -> Value:
    """A new object of an own class; nobody else has it yet."""
    values = [run.value(a.value) for a in arguments]
    note_handed_on(run, values, at)
    made = combine(values, fresh=True)
    return made._replace(what=Instance(what.outline), fresh=True)


def call_method(run: Interpretation, i: CallMethod) -> Value:
    """A call spelled `base.method(...)`."""
    base = imported_global(run, run.value(i.base), i.method)
    if isinstance(base.what, Dotted):
        return _call_imported(run, f"{base.what.name}.{i.method}", i)
    if base.path is not None and base.path[0] == STACK and i.method in ENTERS_ON_STACK and i.arguments:
        is_async = i.method == "enter_async_context"
        return enter_on_stack(run, base.path, run.value(i.arguments[0].value), i.at, is_async=is_async)
    if (found := _own_method(run, base, i)) is not None:
        return found
    note_blocking(run, base, i)
    if (waited := call_waiter(run, base, i)) is not None:
        call_outside(run, base, i)
        return waited
    if (done := call_primitive(run, base, i)) is not None:
        return done
    if i.method in STARTERS:
        return start(run, i.method, i.arguments, i.at, i.result)
    note_method_called(run, base, i)
    if i.method == "set_task_factory":
        note_task_factory(run, i.arguments, i.at)
    if (done := call_outside(run, base, i)) is not None:
        return done
    if not i.is_awaited and (touched := call_collection(run, base, i)) is not None:
        return touched
    return _foreign_method(run, base, i)


def _call_imported(run: Interpretation, name: str, i: CallName | CallMethod) -> Value:
    """A call of what another module has: of the project, as far as it can be read, or of a library."""
    lent = imported_callable(run, name, i)
    if isinstance(lent, ClassObject):
        return _construct(run, lent, i.arguments, i.at)
    if lent is not None:
        return own_call(run, lent, values_of(run, i.arguments), i.at, i.arguments)
    return call_dotted(run, name, i.arguments, i.at, i.result)


def _own_method(run: Interpretation, base: Value, i: CallMethod) -> Value | None:
    """A method of a class of this module, or a callable that such an object stores."""
    owner = class_of(run, base) or _only_class_with(run, base, i.method)
    if owner is None:
        return None
    method = run.program.module.method(owner, i.method, after=after_of(base))
    if method is None and base.path == (SELF,) and not isinstance(base.what, Super):
        method = run.program.module.only_override(owner, i.method)
    unit = run.program.known_unit(method)
    if unit is not None and not unit.outline.is_property:
        if unit.outline.is_stub:
            note_method_called(run, base, i)
        receiver = base.path if not isinstance(base.what, ClassObject) or base.path == (SELF,) else None
        if receiver is None and isinstance(base.what, Instance):
            receiver = ("%fresh",)
        if unit.outline.is_stub and base.path != (SELF,) and note_listener(run, base, i):
            return Value(what=Made(CALLBACK))
        run.answers[i.result] = unit
        result = own_call(run, Function(unit, receiver), values_of(run, i.arguments), i.at, i.arguments)
        return through(base, result, i.method)
    if base.path is not None and any(i.method in c.makers for c in run.program.module.family(owner)):
        note_stored_called(run, i)
        return call_stored(run, extend(base.path, f".{i.method}"), i)
    if unit is not None and run.program.module_has_lanes:
        gotten = load_attribute(run, base, i.method, i.at)
        return call_stored(run, gotten.path, i) if gotten.path is not None else None
    if base.path == (SELF,):
        run.records.hooks.append(HookRecord(i.at, i.method, run.state.holds))
    return None


def _only_class_with(run: Interpretation, base: Value, method: str) -> ClassOutline | None:
    """The class of an attribute or parameter of unknown make, when just one class has such a method."""
    if base.what is not None or base.path is None or base.path == (SELF,) or method in COMMON_METHODS:
        return None
    if run.program.objects.makers(run.unit.owner, base.path):
        return None
    found = run.program.module.only_class_with(method)
    # A stored object with the same method is wrapped rather than a second of the kind; a parameter may be one.
    is_parameter = len(base.path) == 1 and base.path[0][0] in "$^"
    return None if found is run.unit.owner and not (is_parameter and run.program.module_has_lanes) else found


def _foreign_method(run: Interpretation, base: Value, i: CallMethod) -> Value:
    """A method of something that nothing is known of; its result depends on all that went in."""
    run.receivers[i.result] = base
    note_method_passing(run, base, i)
    note_foreign_call(run, i.method, [run.value(a.value) for a in i.arguments], i.at)
    if i.method in HANDS_OVER:
        for argument in i.arguments:
            given = OutletRecord(i.at, run.value(argument.value), i.method)
            run.records.outlets.append(given)
    made = through_foreign([base, *(run.value(a.value) for a in i.arguments)])
    if made.what is not None:
        return made
    if note_listener(run, base, i):
        return made._replace(what=Made(CALLBACK))
    return made._replace(what=Made(OWN)) if base.path == (SELF,) else made
