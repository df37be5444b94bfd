"""What the words of a module's text tell before anything else is looked at."""

from __future__ import annotations

import re

from lane_lint.settings import Settings

LOCK_MAKERS = ("Lock", "Semaphore", "Condition")
WAITS = ("await", "async ")
LANE = re.compile(
    r"\bStateLane\b|\blane_runtime\b|lane\.(?:run|try_post|run_blocking)\b|_on_lane\b|@(?:\w+\.)*(?:turn|on_lane)\b"
)
# One of these stands in whatever `LANE` finds, and is looked for in a fraction of the time.
LANE_WORDS = (
    "StateLane",
    "lane_runtime",
    "lane.run",
    "lane.try_post",
    "_on_lane",
    "@turn",
    ".turn",
    ".on_lane",
    "@on_lane",
)
BLOCKING_WORDS = (
    "threading",
    "concurrent.futures",
    "subprocess",
    "multiprocessing",
    "run_coroutine_threadsafe",
    "run_blocking",
    ".submit(",
    "import queue",
    "from queue",
    "time.sleep",
    "import sleep",
    "os.system",
    "os.wait",
)
POOL_WORDS = ("PoolExecutor", "multiprocessing", ".submit(", "ThreadPool")
CONCURRENT = re.compile(r"ConcurrentMap|multiprocessing|^\s*(?:import|from)\b[^\n]*\bqueue\b", re.MULTILINE)
LOCK_WORDS = ("Lock", "lock", "utex", "emaphore", "ondition", "imiter", "LOCK")


class Mentions:
    """Whether a module speaks of lanes, locks and waiting.

    Attributes:
        lanes: The module may have to do with lanes.
        locks: It may have to do with locks.
        blocking: It may have to do with what blocks a thread.
        pools: It may have to do with executors.
        concurrent_map_types: A project's own names of concurrent collections.
        lock_types: Last parts of a project's own names of lock types.
    """

    def __init__(self, text: str, settings: Settings) -> None:
        lane_types = [name.rpartition(".")[2] for name in settings.lane_types]
        on_lane = [max(pattern.split("*"), key=len) for pattern in settings.on_lane_name_patterns]
        self.lock_types = frozenset(name.rpartition(".")[2] for name in settings.lock_types)
        self.lanes = _has_any(text, (*lane_types, *on_lane)) or (
            _has_any(text, LANE_WORDS) and LANE.search(text) is not None
        )
        self.locks = _has_any(text, (*LOCK_WORDS, *self.lock_types))
        self.blocking = _has_any(text, BLOCKING_WORDS)
        self.pools = _has_any(text, POOL_WORDS)
        self.concurrent_map_types = settings.concurrent_map_types
        own_maps = tuple(name.rpartition(".")[2] for name in settings.concurrent_map_types)
        self._maps = _has_any(text, own_maps) or (
            _has_any(text, ("queue", "multiprocessing")) and CONCURRENT.search(text) is not None
        )
        self._makes_locks = _has_any(text, (*LOCK_MAKERS, *self.lock_types))
        self._waits = _has_any(text, WAITS)

    def are_worth_a_look(self, *, only_locks: bool) -> bool:
        """Whether a module with these words may hold a finding."""
        if self._waits and not self.lanes:
            return self.locks or not only_locks
        return self.lanes or self._makes_locks or ((self._maps or self.pools) and not only_locks)


def _has_any(text: str, words: tuple[str, ...]) -> bool:
    return any(word in text for word in words)
