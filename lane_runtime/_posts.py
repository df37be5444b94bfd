"""Posted turns: run by callbacks of the loop they were posted on, several in one callback."""

from __future__ import annotations

import asyncio
from asyncio import _get_running_loop
from collections.abc import Callable, Coroutine
from contextvars import Context
from threading import get_ident
from time import monotonic
from typing import TYPE_CHECKING, Any

from lane_runtime._blocking import runtime_loop
from lane_runtime._context import keep_until_done, turn_mark
from lane_runtime._line import WAITING, Ticket
from lane_runtime._report import report
from lane_runtime._turn import Turn
from lane_runtime._work import body_of

if TYPE_CHECKING:
    from lane_runtime._context import ThreadMarks
    from lane_runtime._lane import StateLane


class PostTicket(Ticket):
    """One posted turn. Its context is a copy of the poster's, without the turn the poster was in."""

    __slots__ = ("args", "context", "lane")

    is_post = True

    loop: asyncio.AbstractEventLoop

    work: Callable[..., object]

    def __init__(
        self,
        lane: StateLane,
        work: Callable[..., object],
        args: tuple[object, ...],
        loop: asyncio.AbstractEventLoop,
        context: Context,
    ) -> None:
        # Written out, not through super(): this is the price of every post.
        self.work = work
        self.loop = loop
        self.state = WAITING
        self.is_woken = False
        self.queued_at = monotonic()
        self.thread = get_ident()
        self.lane = lane
        self.args = args
        self.context = context

    def wake(self) -> bool:
        """Schedule the turn; on the runtime's own loop when the poster's is closed. Never fails."""
        try:
            if _get_running_loop() is self.loop:
                self.loop.call_soon(_run_posts, self, context=self.context)
            else:
                self.loop.call_soon_threadsafe(_run_posts, self, context=self.context)
        except RuntimeError:
            self.rescue()
        return True

    def rescue(self) -> bool:
        self.loop = runtime_loop()
        self.loop.call_soon_threadsafe(_run_posts, self, context=self.context)
        return True


def _run_posts(first: PostTicket) -> None:
    """Run `first`, and the posts of the same loop that stand right behind it.

    At most as many as wait now, as the loop itself does with its callbacks: posts that post
    again cannot keep the loop from everything else.
    """
    lane = first.lane
    line = lane._line
    left = 0 if line is None else len(line.tickets)
    is_held = _run(first)
    while is_held and left > 0:
        following = lane._pass_on_to_post(first.loop)
        if not isinstance(following, PostTicket):
            return
        left -= 1
        is_held = following.context.run(_run, following)
    if is_held:
        lane._release()


def _run(ticket: PostTicket) -> bool:
    """Run one post up to its end or its first suspension.

    Returns:
        Whether the turn has ended and the lane is still held; else it is handed on elsewhere.
    """
    lane = ticket.lane
    work = ticket.work
    if turn_mark.get() is not None:
        turn_mark.set(None)
    marks = lane._enter(work)
    if lane._options is not None:
        lane._tell("started", work, waited=monotonic() - ticket.queued_at)
    try:
        body = body_of(lane, work, work(*ticket.args))
    except (KeyboardInterrupt, SystemExit):
        lane._end_plain(marks, work)
        raise
    except BaseException as error:  # reported, the lane goes on
        lane._end_plain(marks, work)
        _report(lane, error)
        return False
    if body is None:
        lane._leave_counted(marks, work)
        return True
    _start_coroutine(ticket, body, marks)
    return False


def _start_coroutine(ticket: PostTicket, body: Coroutine[object, Any, object], marks: ThreadMarks) -> None:
    lane = ticket.lane
    turn = Turn(lane, ticket.work, body, ticket.loop)

    def report_failure() -> None:
        error, turn.error = turn.error, None
        if error is not None:
            _report(lane, error)

    turn.on_end = report_failure
    lane._become(turn, marks)
    turn.start()
    if turn.task is not None and not turn.ended:
        keep_until_done(turn.task)


def _report(lane: StateLane, error: BaseException) -> None:
    """Hand the failure of a post to the lane's handler, or to the loop's; both, if the first fails too."""
    lane._counts().post_errors += 1
    options = lane._options
    handler = None if options is None else options.on_post_error
    message = f"a turn posted to lane {lane.name!r} failed"
    if handler is None:
        report(message, error)
        return
    try:
        handler(error)
    except Exception as second:  # reported
        report(message, error)
        report(f"on_post_error of lane {lane.name!r} failed", second)
