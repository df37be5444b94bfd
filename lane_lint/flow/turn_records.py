"""What the interpretation puts on record of turns: work given to lanes, and what a turn had better not do."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from lane_lint.flow.summary import Call
    from lane_lint.flow.unit import Unit
    from lane_lint.flow.values import Hold, Value
    from lane_lint.model.instructions import Temp
    from lane_lint.model.path import Path


class StartRecord(NamedTuple):
    """A task, timer or thread is started.

    Attributes:
        is_suppressed: What is started does not inherit the mark of the turn.
        is_eager: It is told to start there and then; None where that is up to the loop's task factory.
        result: The temporary that holds its handle.
        is_awaited: It is waited for right where it is started.
    """

    site: int
    starter: str
    target: Unit | None
    is_suppressed: bool
    is_eager: bool | None
    result: Temp | None
    is_awaited: bool = False


class CallbackRecord(NamedTuple):
    """A callable that was stored or passed in is called, or a method of something that is named as a listener."""

    site: int
    name: str
    path: Path | None
    holds: frozenset[Hold]


class HookRecord(NamedTuple):
    """A method of the object is called that its class does not have: a subclass may."""

    site: int
    name: str
    holds: frozenset[Hold]


class LaneRecord(NamedTuple):
    """Work is given to a lane, or to several at once; or a lane is waited for in another way.

    Attributes:
        lanes: Empty when it is not known which they are.
        method: The method of the lane, or `run_all`.
        call: How the work is called, when it is a function of this module.
        parameter: The parameter of this very function that is the work.
        result: The temporary that the call gives.
        is_waited: Who calls waits for the end of the turn.
    """

    site: int
    lanes: tuple[Path, ...]
    method: str
    call: Call | None
    parameter: str | None
    result: Temp | None
    is_waited: bool


class OutsideRecord(NamedTuple):
    """Somebody outside of the module's code is waited for.

    Attributes:
        is_known: It is known to wait; else it is awaited, and nothing more is known.
        is_returned: It is returned for the caller to wait for.
        is_given: It is not called here but given to a lane to call.
        derived_from: The waits whose results it belongs to: reading the body of an answer is one with the request.
    """

    site: int
    is_known: bool
    is_returned: bool = False
    is_given: bool = False
    derived_from: frozenset[int] = frozenset()


class GateRecord(NamedTuple):
    """Something that is named as a gate is entered or acquired; nothing else is known of it."""

    site: int


class CompletionRecord(NamedTuple):
    """A future, perhaps, is completed or cancelled.

    Attributes:
        runs_inline: Its callbacks run in the middle of that call; None when it depends on what `future` is.
    """

    site: int
    method: str
    future: Value
    runs_inline: bool | None
