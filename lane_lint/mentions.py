"""What the words of a module's text tell before anything else is looked at."""

from __future__ import annotations

import re
from functools import cached_property

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
    """Whether a module speaks of lanes, locks and waiting; a text is searched for what is asked, and once.

    Attributes:
        concurrent_map_types: A project's own names of concurrent collections.
        lock_types: Last parts of a project's own names of lock types.
        inherits_guards: Bases in other modules make locks, or lanes come from there.
    """

    def __init__(self, text: str, settings: Settings) -> None:
        self._text = text
        self._settings = settings
        self.lock_types = frozenset(name.rpartition(".")[2] for name in settings.lock_types)
        self.concurrent_map_types = settings.concurrent_map_types
        self.inherits_guards = False

    @cached_property
    def lanes(self) -> bool:
        """The module may have to do with lanes."""
        lane_types = [name.rpartition(".")[2] for name in self._settings.lane_types]
        on_lane = [max(pattern.split("*"), key=len) for pattern in self._settings.on_lane_name_patterns]
        if self._has_any((*lane_types, *on_lane, *self._settings.asserting_methods)):
            return True
        return "ane" in self._text and self._has_any(LANE_WORDS) and LANE.search(self._text) is not None

    @cached_property
    def locks(self) -> bool:
        """The module may have to do with locks."""
        return self._has_any((*LOCK_WORDS, *self.lock_types))

    @cached_property
    def blocking(self) -> bool:
        """The module may have to do with what blocks a thread."""
        return self._has_any(BLOCKING_WORDS)

    @cached_property
    def pools(self) -> bool:
        """The module may have to do with executors."""
        return self._has_any(POOL_WORDS)

    @cached_property
    def _maps(self) -> bool:
        own = tuple(name.rpartition(".")[2] for name in self.concurrent_map_types)
        if self._has_any(own):
            return True
        return self._has_any(("queue", "multiprocessing")) and CONCURRENT.search(self._text) is not None

    @cached_property
    def makes_locks(self) -> bool:
        """It names a kind of lock."""
        return self._has_any((*LOCK_MAKERS, *self.lock_types))

    @cached_property
    def _waits(self) -> bool:
        return self._has_any(WAITS)

    def add(self, *, lanes: bool, locks: bool) -> None:
        """Count in what the modules around tell: lanes that may be met here, locks that bases make."""
        self.inherits_guards = lanes or locks
        if lanes:
            self.lanes = True
        if locks:
            self.locks = self.makes_locks = True

    def are_worth_a_look(self, *, only_locks: bool) -> bool:
        """Whether a module with these words may hold a finding."""
        if self._waits and not self.lanes:
            return self.locks or not only_locks
        return self.lanes or self.makes_locks or ((self._maps or self.pools) and not only_locks)

    def _has_any(self, words: tuple[str, ...]) -> bool:
        return any(word in self._text for word in words)
