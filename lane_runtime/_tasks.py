"""The side of a lane that tasks see: waiting in line, and turns that go on as coroutines."""

from __future__ import annotations

import sys
from asyncio import get_running_loop
from collections.abc import Coroutine
from time import monotonic
from typing import Any

from lane_runtime._admission import Admission
from lane_runtime._context import ThreadMarks, here, turn_mark
from lane_runtime._deadlock import NestedWait
from lane_runtime._line import WAITING, TaskTicket
from lane_runtime._room import ensure_room_to_wake
from lane_runtime._turn import Turn
from lane_runtime._wording import call_site


class TaskSide(Admission):
    """The part of a lane that knows tasks and their loops."""

    __slots__ = ()

    async def _wait_in_line(self, work: object, queued_at: float) -> float:
        """Wait until the lane is this task's; the time at which that is so."""
        if self._options is not None:
            ensure_room_to_wake()
        is_inside_turns = turn_mark.get() is not None or here.marks.lane is not None
        if is_inside_turns:
            self._refuse_reentry(work)
        ticket = TaskTicket(work, get_running_loop(), queued_at)
        if not self._admit(ticket):
            try:
                if is_inside_turns:
                    with NestedWait(self, work):
                        await ticket.future
                        await self._wait_again(ticket)
                else:
                    await ticket.future
                    if ticket.state is WAITING:
                        await self._wait_again(ticket)
            except BaseException:
                self._withdraw_anywhere(ticket)
                raise
        since = monotonic()
        if self._options is not None:
            self._tell("started", work, waited=since - ticket.queued_at)
        return since

    async def _wait_again(self, ticket: TaskTicket) -> None:
        """Wait for a grant after a wake-up ahead of it: a turn before this one has suspended."""
        while ticket.state is WAITING:
            with self._mutex():
                if ticket.state is WAITING:
                    ticket.rearm()
            await ticket.future

    def _begin_turn(self, work: object, body: Coroutine[object, Any, object], marks: ThreadMarks) -> Turn:
        """Go on with the coroutine that plain work returned, in a task of its own."""
        try:
            turn = Turn(self, work, body, get_running_loop())
            turn.site = call_site(sys._getframe(2))
        except BaseException:
            body.close()
            self._end_plain(marks, work)
            raise
        marks.lane = self._outer
        self._outer = self._work = None
        self._owner = turn
        turn.start()
        return turn
