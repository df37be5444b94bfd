"""One turn over several lanes."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, Never, TypeVar, TypeVarTuple, Unpack, overload

from lane_runtime._lane import StateLane

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


@overload
async def run_all(
    lanes: Iterable[StateLane],
    work: Callable[[Unpack[Ts]], Coroutine[object, Never, T]],
    /,
    *args: *Ts,
) -> T: ...
@overload
async def run_all(lanes: Iterable[StateLane], work: Callable[[Unpack[Ts]], T], /, *args: *Ts) -> T: ...
async def run_all(lanes: Iterable[StateLane], work: Callable[..., object], /, *args: object) -> object:
    """Run `work(*args)` as one turn that holds all of `lanes`, such as a transfer between two accounts.

    The lanes are entered in the order of their creation, whatever order they are given in, so
    that two transfers in opposite directions cannot wait for each other.

    Raises:
        ValueError: No lane was given, or one of them twice.
        LaneReentryError: The caller is in a turn of one of the lanes; none was entered.
        LaneClosedError, LaneFullError, LaneDeadlockError, LaneMisuseError: As `StateLane.run`.

    Source: "common atomic boundary of a two-account transfer", second seed of the contract.
    """
    ordered = sorted(lanes, key=lambda lane: lane._serial)
    if not ordered:
        raise ValueError("run_all needs at least one lane; call work itself if no lane is to be held")
    for lane, following in itertools.pairwise(ordered):
        if lane is following:
            raise ValueError(f"lane {lane.name!r} was given to run_all twice; give each lane once")
    for lane in ordered:
        lane._refuse_reentry(work)
    return await _enter(ordered, 0, work, args)


async def _enter(
    ordered: list[StateLane], index: int, work: Callable[..., object], args: tuple[object, ...]
) -> object:
    if index == len(ordered) - 1:
        return await ordered[index].run(work, *args)

    def enter_next() -> Coroutine[object, Any, object]:
        return _enter(ordered, index + 1, work, args)

    enter_next.__wrapped__ = work  # type: ignore[attr-defined]  # messages and observers name the work
    return await ordered[index].run(enter_next)
