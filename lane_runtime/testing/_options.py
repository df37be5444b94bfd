"""What may happen next."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from lane_runtime.testing._call import Call
from lane_runtime.testing._operation import Operation
from lane_runtime.testing._world import World


class Option(NamedTuple):
    """One thing that may happen; without `act`, what is ready goes on.

    Attributes:
        is_plain: All that it does is to make one task ready.
        starts_call: Whether it is the start of a call.
    """

    label: str
    act: Callable[[], None] | None
    is_plain: bool = False
    starts_call: bool = False


GO: Final = Option("go on", None)


def options_of(world: World, *, is_serial: bool, is_scenario_active: bool) -> list[Option]:
    """What may happen now, first what happens when nobody interferes: what was begun is finished first.

    Args:
        is_serial: Only what keeps the calls apart: nothing happens while something is ready, and a
            call starts only when nothing else is going on.

    Returns:
        Nothing when all is over, or when nothing can ever happen again.
    """
    is_ready = world.loop.has_ready
    if is_ready and is_serial:
        return [GO]
    pending = world.open_operations()
    active = world.active_calls()
    unstarted = [call for call in world.calls if call.task is None]
    if not (is_ready or pending or active or unstarted or is_scenario_active):
        return []
    options = [GO] if is_ready else []
    options += [_end(one) for one in pending]
    if is_serial and (pending or active):
        unstarted = []
    clock = [] if is_ready else _clock(world)
    if active:
        options += [*clock, *map(_start, unstarted)]
    else:
        options += [*map(_start, unstarted), *clock]
    for one in pending:
        if one.raises:
            options += _failures(one)
    options += [Option(f"{call.name} is cancelled", call.cancel) for call in active if call.can_be_cancelled]
    return options


def _start(call: Call[Any]) -> Option:
    return Option(f"{call.name} starts", call.start, is_plain=True, starts_call=True)


def _end(operation: Operation) -> Option:
    return Option(f"{operation.name} ends", operation.complete, is_plain=operation.work is None)


def _clock(world: World) -> list[Option]:
    timer = world.loop.next_timer()
    if timer is None:
        return []
    return [Option(f"clock {timer:g}", functools.partial(world.loop.set_clock, timer))]


def _failures(operation: Operation) -> list[Option]:
    return [
        Option(
            f"{operation.name} fails with {_kind(error)}",
            functools.partial(operation.fail, error),
            is_plain=True,
        )
        for error in operation.raises
    ]


def _kind(error: BaseException | type[BaseException]) -> str:
    return error.__name__ if isinstance(error, type) else type(error).__name__
