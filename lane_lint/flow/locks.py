"""What guards state and what carries work: locks, lanes and transports, by the names of their makers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LockKind:
    """How a lock behaves.

    Attributes:
        is_blocking: Waiting for it blocks the thread.
        is_reentrant: Its holder may take it again.
        is_exclusive: One holder at a time; a semaphore with more permits protects nothing.
        is_semaphore: It is a semaphore with one permit.
        is_condition: Waiting on it lets it go meanwhile.
        is_signal: Who waits for it is told something by who releases it.
    """

    is_blocking: bool
    is_reentrant: bool = False
    is_exclusive: bool = True
    is_condition: bool = False
    is_signal: bool = False
    is_semaphore: bool = False


ASYNC_LOCK = LockKind(is_blocking=False)
BLOCKING_LOCK = LockKind(is_blocking=True)
# A thread lock known by its name only may be an RLock.
# One known by its name only may be a semaphore: it protects nothing for sure.
ASSUMED_ASYNC_GATE = LockKind(is_blocking=False, is_reentrant=True, is_exclusive=False)
ASSUMED_BLOCKING_LOCK = LockKind(is_blocking=True, is_reentrant=True)

_ASYNC_MODULES = frozenset({"asyncio", "anyio", "trio", "aiologic", "curio", "asyncio.locks", "lane_runtime"})
_BLOCKING_MODULES = frozenset({"threading", "multiprocessing", "_thread", "gevent.lock"})
_LOCK_NAMES = {
    "Lock": {},
    "RLock": {"is_reentrant": True},
    "StrictFIFOLock": {},
    "PLock": {},
    "allocate_lock": {},
    "Condition": {"is_condition": True},
    "Semaphore": {"is_exclusive": False},
    "BoundedSemaphore": {"is_exclusive": False},
    "CapacityLimiter": {"is_exclusive": False},
    "OperationGate": {},
    "Semaphore(1)": {"is_semaphore": True},
    "BoundedSemaphore(1)": {"is_semaphore": True},
    "CapacityLimiter(1)": {"is_semaphore": True},
    "Semaphore(0)": {"is_exclusive": False, "is_signal": True},
}

LANE_TYPES = frozenset({"lane_runtime.StateLane", "StateLane"})

# What moves work or signals between tasks; reading such an attribute is no look at state.
TRANSPORTS = frozenset(
    {
        "asyncio.Queue",
        "asyncio.PriorityQueue",
        "asyncio.LifoQueue",
        "asyncio.Event",
        "asyncio.TaskGroup",
        "queue.Queue",
        "queue.SimpleQueue",
        "threading.Event",
        "threading.local",
        "logging.getLogger",
        "contextvars.ContextVar",
        "concurrent.futures.ThreadPoolExecutor",
        "concurrent.futures.ProcessPoolExecutor",
        "anyio.Event",
        "trio.Event",
        "typing.Final",
    }
)
EVENTS = frozenset({"asyncio.Event", "threading.Event", "anyio.Event", "trio.Event"})

_LOCK_NAME = re.compile(r"(?:^|_)(?:r|w)?(?:lock|mutex)$|(?<=[a-z])(?:Lock|Mutex)$", re.IGNORECASE)
# What is named so and has an `acquire` is a gate, whoever made it.
_ACQUIRABLE_NAME = re.compile(
    r"(?:^|_)(?:sem|semaphores?|permits?|slots?|gate|limiter|locks?|mutex|guard)$|(?<=[a-z])(?:Lock|Mutex|Semaphore)$",
    re.IGNORECASE,
)
_LANE_NAME = re.compile(r"(?:^|_)(?:state_)?lane$")


def lock_kind(makers: Iterable[str], lock_types: tuple[str, ...] = ()) -> LockKind | None:
    """The kind of lock that one of the makers makes, if any.

    Args:
        makers: Dotted names of constructors or annotations, `(1)` behind a one-permit semaphore.
        lock_types: Further types that a project names; they count as asynchronous locks.
    """
    # The marked name of a maker tells more than the annotation beside it, and comes first this way.
    for maker in sorted(makers, reverse=True):
        if maker in lock_types:
            return ASYNC_LOCK
        module, _, name = maker.rpartition(".")
        traits = _LOCK_NAMES.get(name)
        if traits is None:
            continue
        if module in _ASYNC_MODULES:
            return LockKind(is_blocking=False, **traits)
        if module in _BLOCKING_MODULES:
            # A threading.Condition is built on an RLock unless it is given another lock.
            reentrant = traits.get("is_reentrant", False) or traits.get("is_condition", False)
            return LockKind(is_blocking=True, **{**traits, "is_reentrant": reentrant})
    return None


def looks_like_lock(name: str) -> bool:
    """Whether an attribute of unknown make is named as a lock is."""
    return _LOCK_NAME.search(name) is not None


def looks_acquirable(name: str) -> bool:
    """Whether something of unknown make that is acquired is named as a lock or semaphore is."""
    return looks_like_lock(name) or _ACQUIRABLE_NAME.search(name) is not None


def looks_like_lane(name: str) -> bool:
    """Whether an attribute of unknown make is named as a lane is."""
    return _LANE_NAME.search(name) is not None
