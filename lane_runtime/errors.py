"""The errors of the runtime; every message names the lane, the turn, and what to do instead."""

from __future__ import annotations


class LaneError(RuntimeError):
    """Base of every error that a lane, a gate or a decorator of this package raises."""


class LaneReentryError(LaneError):
    """The caller is inside a turn of the lane it asks for, and would wait for itself.

    Source: state lane contract, section 5, "non-reentrant".
    """


class LaneClosedError(LaneError):
    """The lane or gate was closed before the request was accepted; nothing was run.

    Source: state lane contract, section 8, "single execution and order".
    """


class LaneDeadlockError(LaneError):
    """The wait would close a circle of turns that wait for each other's lanes.

    Attributes:
        path: Names of the lanes on the circle, the first repeated at the end; empty when the
            circle goes through something else than lanes.
    """

    def __init__(self, message: str, path: tuple[str, ...] = ()) -> None:
        super().__init__(message, path)
        self.path = path

    def __str__(self) -> str:
        return str(self.args[0])


class LaneFullError(LaneError):
    """As many requests are waiting as the lane's `capacity` allows; nothing was queued."""


class LaneMisuseError(LaneError):
    """The work handed over cannot be one turn: a generator, or a component without a lane."""


class LaneOrderError(LaneError):
    """A gate was asked for in the forbidden direction: inside a turn, or by its own holder.

    Source: state lane contract, section 4, "state protection and operation serialisation".
    """


class LaneAffinityError(LaneError):
    """The call was made in the wrong place.

    An `@on_lane` body ran outside a turn of its lane, or a blocking call was made on a thread
    whose event loop it would stop.
    """
