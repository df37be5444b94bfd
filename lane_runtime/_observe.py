"""What can be seen of a lane from outside: its figures, its events, its settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Literal, TypeAlias

from lane_runtime._line import Book, Ticket
from lane_runtime._report import report
from lane_runtime._turn import Turn
from lane_runtime._wording import label

if TYPE_CHECKING:
    from lane_runtime._core import LaneCore

EventKind: TypeAlias = Literal["queued", "started", "ended", "withdrawn", "rejected"]


@dataclass(frozen=True, slots=True)
class LaneEvent:
    """One step in the life of a turn, as handed to the observer of a lane.

    Attributes:
        kind: `queued` when accepted, `started`, `ended`, `withdrawn` when it gave up before its
            start, `rejected` when the lane was full or closed.
        lane: Name of the lane.
        work: Name of the work and the place of its definition.
        waited: Seconds from acceptance to the start or the withdrawal, else 0.
        ran: Seconds from the start to the end, for `ended`, else 0.
    """

    kind: EventKind
    lane: str
    work: str
    waited: float
    ran: float


@dataclass(frozen=True, slots=True)
class LaneStats:
    """A snapshot of a lane's figures.

    A turn that waits for something which never comes cannot be told from a slow one; poll
    `active_age` and `oldest_age` against a limit to learn of either.

    Attributes:
        active: Whether a turn holds the lane.
        active_age: Seconds since that turn got the lane, 0 when idle.
        queued: Requests that wait.
        oldest_age: Seconds the first of them has waited, 0 when none does.
        turns: Turns that have ended.
        withdrawn: Requests that gave up, cancelled or timed out, before their turn began.
        rejected: Requests refused because the lane was full or closed.
        max_queued: Most requests that have waited at once.
        post_errors: Posted turns that failed.
        closed: Whether the lane refuses new requests.
        stranded: Whether the holder's loop was closed under it; the next arrival takes the lane over.
        abandoned: Turns that were given up in that way.
    """

    active: bool
    active_age: float
    queued: int
    oldest_age: float
    turns: int
    withdrawn: int
    rejected: int
    max_queued: int
    post_errors: int
    closed: bool
    stranded: bool
    abandoned: int


class Options:
    """The settings of a lane that has any."""

    __slots__ = ("capacity", "observer", "on_post_error")

    def __init__(
        self,
        capacity: int | None,
        on_post_error: Callable[[BaseException], None] | None,
        observer: Callable[[LaneEvent], None] | None,
    ) -> None:
        self.capacity = capacity
        self.on_post_error = on_post_error
        self.observer = observer


def tell(
    observer: Callable[[LaneEvent], None],
    lane: LaneCore,
    kind: EventKind,
    work: object,
    waited: float,
    ran: float,
) -> None:
    """Hand one event to the observer; its failure is reported and harms no turn."""
    try:
        observer(LaneEvent(kind, lane.name, label(work), waited, ran))
    except BaseException as error:  # a watcher must not break what it watches, by no exception
        report(f"observer of lane {lane.name!r} failed on {kind!r}", error)


def snapshot(lane: LaneCore) -> LaneStats:
    """The figures of `lane` at one moment."""
    with lane._mutex():
        now = monotonic()
        book = lane._book or Book()
        line = lane._line
        owner = lane._owner
        is_active = owner is not None
        first = None if line is None else next(iter([*line.tickets]), None)
        return LaneStats(
            active=is_active,
            active_age=max(now - lane._since, 0.0) if is_active else 0.0,
            queued=0 if line is None else len(line.tickets),
            oldest_age=0.0 if first is None else now - first.queued_at,
            turns=lane._turns,
            withdrawn=book.withdrawn,
            rejected=book.rejected,
            max_queued=book.max_queued,
            post_errors=book.post_errors,
            closed=line is not None and line.closed,
            stranded=isinstance(owner, Turn | Ticket) and owner.is_stranded(),
            abandoned=book.abandoned,
        )
