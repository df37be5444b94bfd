"""LAN316 lock-order-inversion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lane_lint.finding import Confidence, Finding
from lane_lint.rule import Rule

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts
    from lane_lint.flow.lock_order import Inversion


class LockOrderInversion(Rule):
    """Two locks are taken in opposite orders on two ways, or those of two objects in argument order.

    Each of two tasks gets its first lock and waits for the other's: neither goes on any more.

    Bad:
        import threading

        class Depot:
            def __init__(self):
                self._stock_lock = threading.Lock()
                self._ledger_lock = threading.Lock()
                self._stock = 0
                self._ledger = []

            def receive(self, count):
                with self._stock_lock:
                    self._stock += count
                    with self._ledger_lock:
                        self._ledger.append(count)

            def audit(self):
                with self._ledger_lock:
                    with self._stock_lock:
                        return self._stock - sum(self._ledger)

    Good:
        import threading

        class Depot:
            def __init__(self):
                self._stock_lock = threading.Lock()
                self._ledger_lock = threading.Lock()
                self._stock = 0
                self._ledger = []

            def receive(self, count):
                with self._stock_lock:
                    self._stock += count
                    with self._ledger_lock:
                        self._ledger.append(count)

            def audit(self):
                with self._stock_lock:
                    with self._ledger_lock:
                        return self._stock - sum(self._ledger)

    Silent on: one order everywhere, a third lock that is held around both orders, attempts that do
        not wait, and objects that are sorted before their locks are taken.
    Source: Coffman, Elphick, Shoshani, "System Deadlocks" (1971), circular wait; state lane contract, section 6.
    Since: 0.1
    """

    code = "LAN316"
    name = "lock-order-inversion"
    message = "'{inner}' is taken while {held}; {rival}, and each can wait for the other"
    hint = "take them in one order everywhere, {order}"

    def check(self, function: FunctionFacts) -> Iterator[Finding]:
        for inversion in function.lock_order_inversions():
            yield self.finding(
                inversion.place.span,
                path=function.file,
                confidence=Confidence.HIGH,
                inner=inversion.inner,
                held=_held(inversion, function.label),
                rival=_rival(inversion),
                order=_order(inversion),
            )


def _held(inversion: Inversion, function: str) -> str:
    by = "" if inversion.holder == function else f" by '{inversion.holder}'"
    return f"'{inversion.outer}' is held{by}"


def _rival(inversion: Inversion) -> str:
    if inversion.rival is None:
        return "a call with the two objects swapped takes them the other way round"
    name, line = inversion.rival
    return f"'{name}' takes them the other way round on line {line}"


def _order(inversion: Inversion) -> str:
    return "as by a sorted key" if inversion.rival is None else "or let one lock guard both"
