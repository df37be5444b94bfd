"""The instructions a function is lowered to, in CPython's order of evaluation.

Temporaries are integers that live inside one function; names are the user's variables. `at` is
an index into `FunctionBody.places`, from which a position is computed only when a finding needs it.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

Temp: TypeAlias = int


class Why(enum.Enum):
    """What suspends."""

    AWAIT = "await"
    NEXT = "step of the async for"
    ENTER = "entry of the async with"
    EXIT = "exit of the async with"
    YIELD = "yield"


class Literal(NamedTuple):
    """A constant; `reset` when it is one of None, False, True, 0 or an empty display."""

    result: Temp
    text: str
    reset: bool
    collection: bool


class LoadName(NamedTuple):
    result: Temp
    name: str
    at: int


class LoadAttribute(NamedTuple):
    result: Temp
    base: Temp
    attribute: str
    at: int


class LoadItem(NamedTuple):
    result: Temp
    base: Temp
    key: str | None
    at_key: Temp
    at: int


class Combine(NamedTuple):
    """A value made from others: operators, displays, formatted strings. `fresh` when it is a new object.

    `negates` when it is `not` of the one source.
    """

    result: Temp
    sources: tuple[Temp, ...]
    fresh: bool
    negates: bool = False


class CallName(NamedTuple):
    """A call of something that is not spelled as an attribute."""

    result: Temp
    callee: Temp
    name: str | None
    arguments: tuple[Argument, ...]
    at: int
    is_awaited: bool = False


class CallMethod(NamedTuple):
    """A call spelled `base.method(...)`."""

    result: Temp
    base: Temp
    method: str
    arguments: tuple[Argument, ...]
    at: int
    is_awaited: bool = False


class Argument(NamedTuple):
    """One argument of a call; `text` is its source when that is a stable name or constant."""

    value: Temp
    keyword: str | None
    text: str | None


class MakeFunction(NamedTuple):
    """A lambda, or a nested definition before it is bound to its name."""

    result: Temp
    function: int
    at: int


class BindName(NamedTuple):
    name: str
    source: Temp
    at: int


class StoreAttribute(NamedTuple):
    base: Temp
    attribute: str
    source: Temp
    step: bool
    at: int


class StoreItem(NamedTuple):
    base: Temp
    key: str | None
    at_key: Temp
    source: Temp
    step: bool
    at: int


class DeleteAttribute(NamedTuple):
    base: Temp
    attribute: str
    at: int


class DeleteItem(NamedTuple):
    base: Temp
    key: str | None
    at: int


class DeleteName(NamedTuple):
    name: str
    at: int


class Suspend(NamedTuple):
    """A point where other tasks may run, if what is waited for really waits.

    `callee` is the last name of the awaited call, `given` what it was given.
    """

    result: Temp
    source: Temp
    why: Why
    at: int
    callee: str | None = None
    given: tuple[Temp, ...] = ()


class Enter(NamedTuple):
    """Entry of a `with` item; `key` pairs it with its exits."""

    result: Temp
    context: Temp
    key: int
    is_async: bool
    at: int


class Exit(NamedTuple):
    key: int
    is_async: bool
    at: int


class Step(NamedTuple):
    """The next element of an iteration over `source`."""

    result: Temp
    source: Temp
    loop: int
    at: int


class Keep(NamedTuple):
    """Makes a temporary outlive its block under a name no user can write."""

    name: str
    source: Temp


class Fetch(NamedTuple):
    result: Temp
    name: str


class Walk(NamedTuple):
    """A live view of `source` whose elements are computed as `made` is."""

    result: Temp
    source: Temp
    made: Temp


class Decide(NamedTuple):
    """The code that follows runs because of `source`, as in a handler of a failed look-up."""

    branch: int
    source: Temp
    at: int


class EndStatement(NamedTuple):
    """A simple statement is over: no temporary is used any more."""


class EndFunction(NamedTuple):
    """The function is left normally; every cleanup on the way has run."""


class Return(NamedTuple):
    source: Temp | None
    at: int


Instruction: TypeAlias = (
    Literal
    | LoadName
    | LoadAttribute
    | LoadItem
    | Combine
    | CallName
    | CallMethod
    | MakeFunction
    | BindName
    | StoreAttribute
    | StoreItem
    | DeleteAttribute
    | DeleteItem
    | DeleteName
    | Suspend
    | Enter
    | Exit
    | Step
    | Keep
    | Fetch
    | Walk
    | Decide
    | EndStatement
    | EndFunction
    | Return
)


def _of_call(call: CallName | CallMethod, callee: Temp) -> tuple[Temp, ...]:
    return (callee, *(argument.value for argument in call.arguments))


_OPERANDS: dict[type, Callable[[Any], tuple[Temp, ...]]] = {
    Combine: lambda i: i.sources,
    LoadAttribute: lambda i: (i.base,),
    LoadItem: lambda i: (i.base, i.at_key),
    CallName: lambda i: _of_call(i, i.callee),
    CallMethod: lambda i: _of_call(i, i.base),
    BindName: lambda i: (i.source,),
    StoreAttribute: lambda i: (i.base, i.source),
    StoreItem: lambda i: (i.base, i.at_key, i.source),
    DeleteAttribute: lambda i: (i.base,),
    DeleteItem: lambda i: (i.base,),
    Suspend: lambda i: (i.source, *i.given),
    Enter: lambda i: (i.context,),
    Step: lambda i: (i.source,),
    Keep: lambda i: (i.source,),
    Walk: lambda i: (i.source, i.made),
    Decide: lambda i: (i.source,),
    Return: lambda i: () if i.source is None else (i.source,),
}


def operands_of(instruction: Instruction) -> tuple[Temp, ...]:
    """The temporaries an instruction uses."""
    operands = _OPERANDS.get(type(instruction))
    return operands(instruction) if operands is not None else ()
