"""What a lane promises, checked on what turns have written down."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from lane_runtime import LaneClosedError, StateLane
from lane_runtime.testing import Outcome, World


class Recorder:
    """Turns on one lane, which write down that they were accepted, begin and end."""

    def __init__(self, world: World, lane: StateLane, raises: Sequence[type[BaseException]] = ()) -> None:
        self._world = world
        self._lane = lane
        self._raises = raises
        self._failed: set[int] = set()
        self._events: list[tuple[str, int]] = []

    async def waiting_turn(self, number: int) -> str:
        """One turn with a wait in it."""
        return await self._run(number, self._waiting_body)

    async def plain_turn(self, number: int) -> str:
        """One turn without a wait."""
        return await self._run(number, self._plain_body)

    async def post_two(self, number: int) -> list[bool]:
        """Two posted turns, the second with a wait."""
        taken = []
        for one, body in ((number, self._plain_body), (number + 1, self._waiting_body)):
            is_closed = self._lane.stats().closed
            self._events.append(("asks", one))
            before = len(self._events)
            taken.append(self._lane.try_post(body, one))
            assert len(self._events) == before, "the posted turn ran inside the call"
            assert taken[-1] != is_closed
            if is_closed:
                self._events.append(("refused", one))
        return taken

    async def close(self) -> None:
        """Close the lane."""
        self._events.append(("closes", -1))
        await self._lane.close()
        self._events.append(("closed", -1))

    def account(self) -> dict[str, Any]:
        """What was written down, and the lane's figures at the end."""
        figures = self._lane.stats()
        return {
            "events": self._events,
            "active": figures.active,
            "queued": figures.queued,
            "turns": figures.turns,
            "on lane": self._lane.is_on_lane or StateLane.current() is not None,
        }

    async def _run(self, number: int, body: Any) -> str:
        self._events.append(("asks", number))
        try:
            await self._lane.run(body, number)
        except LaneClosedError:
            self._events.append(("refused", number))
            return "refused"
        except asyncio.CancelledError as error:
            self._check_cancelled(number, error.__cause__)
            raise
        task = asyncio.current_task()
        assert task is not None
        assert not task.cancelling(), "a cancellation is swallowed"
        assert StateLane.current() is None, "the mark of the turn is left"
        return "done"

    def _plain_body(self, number: int) -> None:
        self._events.append(("begins", number))
        assert self._lane.is_on_lane
        self._events.append(("ends", number))

    async def _waiting_body(self, number: int) -> None:
        self._events.append(("begins", number))
        try:
            await self._world.outside("io", raises=self._raises)
            assert self._lane.is_on_lane, "the turn lost its mark"
        except Exception:
            self._failed.add(number)
            raise
        finally:
            self._events.append(("ends", number))

    def _check_cancelled(self, number: int, cause: BaseException | None) -> None:
        is_running = ("begins", number) in self._events and ("ends", number) not in self._events
        assert not is_running, "the turn is torn from its cancelled caller"
        assert (cause is not None) == (number in self._failed), "the failure is not the cause"


def holds_the_promises(outcome: Outcome) -> None:
    """Assert what holds in every schedule, cancelled calls or not."""
    assert not outcome.errors, outcome.errors
    state = outcome.state
    events = state["events"]
    for call in outcome.calls:
        assert call.end != "raised" or "AssertionError" not in repr(call.value), call
    _turns_are_apart(events)
    _nothing_is_lost(outcome, events)
    _order_is_kept(events)
    _closing_waits(events)
    assert not state["active"], "the lane is still held"
    assert not state["queued"], "somebody is still in line"
    assert not state["on lane"], "a mark is left"
    assert state["turns"] == sum(kind == "ends" for kind, _ in events), "the count of turns is wrong"


def _turns_are_apart(events: list[tuple[str, int]]) -> None:
    steps = [event for event in events if event[0] in ("begins", "ends")]
    pairs = list(zip(steps[::2], steps[1::2], strict=True))
    assert all(
        begin == ("begins", number) and end == ("ends", number)
        for begin, end in pairs
        for number in [begin[1]]
    ), f"turns overlap or are torn: {events}"


def _nothing_is_lost(outcome: Outcome, events: list[tuple[str, int]]) -> None:
    numbers = [number for kind, number in events if kind == "begins"]
    assert len(numbers) == len(set(numbers)), "a turn ran twice"
    settled = set(numbers) | {number for kind, number in events if kind == "refused"}
    cancelled = sum(call.end == "cancelled" for call in outcome.calls)
    lost = [number for kind, number in events if kind == "asks" and number not in settled]
    assert len(lost) <= cancelled, f"requests {lost} are lost"


def _order_is_kept(events: list[tuple[str, int]]) -> None:
    begun = [number for kind, number in events if kind == "begins"]
    asked = [number for kind, number in events if kind == "asks" and number in begun]
    assert begun == asked, f"turns ran in another order than asked for: {events}"


def _closing_waits(events: list[tuple[str, int]]) -> None:
    if ("closed", -1) not in events:
        return
    end = events.index(("closed", -1))
    after = [event for event in events[end:] if event[0] in ("begins", "ends")]
    assert not after, f"turns after close() has returned: {after}"
    start = events.index(("closes", -1))
    accepted = {number for kind, number in events[:start] if kind == "asks"}
    late = [number for kind, number in events if kind == "begins" and number not in accepted]
    assert not late, f"turns accepted after close(): {late}"
