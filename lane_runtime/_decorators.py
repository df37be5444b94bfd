"""`turn` and `on_lane`: methods that are turns, methods that may only run inside one."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, Never, ParamSpec, TypeVar, overload

from lane_runtime._lane import StateLane
from lane_runtime._wording import label
from lane_runtime.errors import LaneAffinityError, LaneMisuseError

S = TypeVar("S")
T = TypeVar("T")
P = ParamSpec("P")


def _lane_of(component: object, method: Callable[..., object]) -> StateLane:
    lane = getattr(component, "_lane", None)
    if isinstance(lane, StateLane):
        return lane
    raise LaneMisuseError(
        f"{label(method)} was called on a {type(component).__name__} whose '_lane' is no lane "
        f"but {type(lane).__name__}; set self._lane = StateLane() in __init__"
    )


@overload
def turn(
    method: Callable[Concatenate[S, P], Coroutine[object, Never, T]], /
) -> Callable[Concatenate[S, P], Coroutine[Any, Any, T]]: ...
@overload
def turn(
    method: Callable[Concatenate[S, P], T], /
) -> Callable[Concatenate[S, P], Coroutine[Any, Any, T]]: ...
def turn(method: Callable[..., object], /) -> Callable[..., Coroutine[Any, Any, object]]:
    """Make a method one turn of `self._lane`; the call is awaitable whether the body is plain or async.

    Raises:
        LaneMisuseError: At the call: the component has no `_lane`, or the body is a generator.
        LaneReentryError, LaneClosedError, LaneFullError, LaneDeadlockError: As `StateLane.run`.

    Source: state lane contract, section 6, type 1.
    """

    @functools.wraps(method)
    async def run_as_turn(self: object, /, *args: object, **kwargs: object) -> object:
        lane = _lane_of(self, method)
        if kwargs:
            return await lane.run(functools.partial(method, self, *args, **kwargs))
        return await lane.run(method, self, *args)

    return run_as_turn


def on_lane(method: Callable[Concatenate[S, P], T], /) -> Callable[Concatenate[S, P], T]:
    """Mark a method whose body may only run inside a turn of `self._lane`; it does not enter the lane.

    Raises:
        LaneAffinityError: At the call: the caller is not in a turn of the component's lane.
        LaneMisuseError: At the call: the component has no `_lane`.

    Source: state lane contract, section 6, type 1.
    """

    def check(component: object) -> None:
        lane = _lane_of(component, method)
        if not lane.is_on_lane:
            raise LaneAffinityError(
                f"{label(method)} may only run inside a turn of lane {lane.name!r}; "
                f"call it from a @turn method or hand it to lane.run"
            )

    if inspect.iscoroutinefunction(method):

        @functools.wraps(method)
        async def run_inside(self: S, /, *args: P.args, **kwargs: P.kwargs) -> object:
            check(self)
            return await method(self, *args, **kwargs)

        return run_inside  # type: ignore[return-value]  # a coroutine function, as method is

    @functools.wraps(method)
    def call_inside(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        check(self)
        return method(self, *args, **kwargs)

    return call_inside
