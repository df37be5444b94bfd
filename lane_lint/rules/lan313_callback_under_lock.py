"""LAN313 callback-under-lock."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lane_lint.finding import Confidence, Finding
from lane_lint.rule import Rule

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts


class CallbackUnderLock(Rule):
    """A listener, hook or handler is called while a lock is held.

    Nobody knows what it does: it may come back for the same lock and wait for itself, or want a
    lock of its own whose holder waits for this one. With a re-entrant lock it changes the state in
    the middle of the change it is told about.

    Bad:
        import threading

        class Thermometer:
            def __init__(self):
                self._lock = threading.Lock()
                self._degrees = 0
                self._listeners = []

            def measure(self, degrees):
                with self._lock:
                    self._degrees = degrees
                    for listener in self._listeners:
                        listener(degrees)

    Good:
        import threading

        class Thermometer:
            def __init__(self):
                self._lock = threading.Lock()
                self._degrees = 0
                self._listeners = []

            def measure(self, degrees):
                with self._lock:
                    self._degrees = degrees
                    listeners = list(self._listeners)
                for listener in listeners:
                    listener(degrees)

    Silent on: loaders and factories whose result the critical section needs, own methods, and
        callbacks that are only scheduled.
    Source: Goetz et al., "Java Concurrency in Practice" (2006), 10.1.4, open calls; state lane contract, section 6.
    Since: 0.1
    """

    code = "LAN313"
    name = "callback-under-lock"
    message = (
        "'{callback}' is called while '{lock}' is held{holder}; it may come back for the same lock, or want one whose "
        "holder waits for this one"
    )
    hint = "take what it needs out under the lock, let the lock go, and call it then"

    def check(self, function: FunctionFacts) -> Iterator[Finding]:
        for callback in function.callbacks_under_lock():
            name, line = callback.holder
            by = f" since line {line}" if name == function.label else f" by '{name}' (line {line})"
            yield self.finding(
                callback.place.span,
                path=function.file,
                confidence=Confidence.HIGH if callback.is_named else Confidence.MEDIUM,
                callback=callback.name,
                lock=callback.lock,
                holder=by,
            )
