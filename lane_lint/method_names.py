"""Names of methods and functions that tell what a call does, whoever's they are."""

from __future__ import annotations

import re

# Methods of an exit stack that enter what they are given.
ENTERS_ON_STACK = frozenset({"enter_context", "enter_async_context"})

# They change a collection in place.
MUTATORS = frozenset(
    [
        "append",
        "appendleft",
        "add",
        "update",
        "pop",
        "popleft",
        "popitem",
        "remove",
        "discard",
        "clear",
        "setdefault",
        "extend",
        "extendleft",
        "insert",
        "sort",
        "reverse",
        "rotate",
        "intersection_update",
        "difference_update",
        "symmetric_difference_update",
        "move_to_end",
    ]
)

# The same, spelled as what stands behind an assignment or a deletion of an entry.
ITEM_MUTATORS = frozenset({"__setitem__", "__delitem__"})

# Functions that change the list they are given first.
LIST_MUTATORS = frozenset(
    {"heappush", "heappop", "heapify", "heapreplace", "heappushpop", "insort", "insort_left", "insort_right"}
)

# They change a collection by taking something out of it.
REMOVERS = frozenset({"pop", "popleft", "popitem", "remove", "discard", "clear"})

# They start something that runs on its own: a task, a timer, a thread.
STARTERS = frozenset(
    [
        "create_task",
        "ensure_future",
        "start_soon",
        "start_detached",
        "run_coroutine_threadsafe",
        "call_soon",
        "call_later",
        "call_at",
        "call_soon_threadsafe",
        "run_in_executor",
        "spawn",
        "add_task",
    ]
)

# What makes the tasks of a loop run at once up to their first wait.
EAGER_FACTORIES = frozenset({"asyncio.eager_task_factory", "asyncio.create_eager_task_factory"})

# What plain collections, and what starts something, have for methods.
PLAIN_METHODS = (
    MUTATORS | STARTERS | frozenset({"get", "set", "keys", "values", "items", "copy", "count", "index"})
)

# Names that say nothing about the class: half of all libraries have them.
COMMON_METHODS = PLAIN_METHODS | frozenset(
    [
        "close",
        "aclose",
        "open",
        "start",
        "stop",
        "run",
        "send",
        "recv",
        "receive",
        "read",
        "write",
        "connect",
        "disconnect",
        "call",
        "execute",
        "wait",
        "acquire",
        "release",
        "flush",
        "join",
        "put",
        "next",
        "request",
        "fetch",
        "query",
        "load",
        "save",
        "cancel",
        "done",
        "result",
        "commit",
        "rollback",
        "begin",
        "end",
        "reset",
        "create",
        "delete",
        "find",
        "list",
        "login",
        "logout",
        "subscribe",
        "unsubscribe",
        "publish",
        "emit",
        "handle",
        "process",
        "dispatch",
        "register",
        "unregister",
        "shutdown",
        "initialize",
        "init",
        "setup",
    ]
)

# Calls that make an empty collection when they are given nothing; a defaultdict is given its factory.
EMPTY_MAKERS = frozenset(
    {"dict", "list", "set", "deque", "OrderedDict", "Counter", "defaultdict", "bytearray"}
)

_LISTENER_WORDS = re.compile(
    r"listener|observer|subscriber|watcher|callback|hook|handler|notif(?:y|ier|ication)|(?:^|_)cbs?$|(?:^|_)on_[a-z]",
    re.IGNORECASE,
)
_VAGUE_WORDS = re.compile(r"callback|(?:^|_)cbs?$", re.IGNORECASE)
_NOTIFICATION_WORDS = re.compile(
    r"^_?(?:on_|on[A-Z]|notify|handle|call$|__call__|fire|inform|update$|tell|changed)|_(?:changed|happened)$"
)


def is_listener_name(name: str) -> bool:
    """Whether something is named as a listener, hook, handler or callback is, or as a collection of such."""
    return _LISTENER_WORDS.search(name) is not None


def is_vague_name(name: str) -> bool:
    """Whether a callback's name leaves open whether it is told something or asked for something."""
    return _VAGUE_WORDS.search(name) is not None


def is_notification_name(name: str) -> bool:
    """Whether a method is named as those are that tell a listener something."""
    return _NOTIFICATION_WORDS.search(name) is not None
