"""Which overlaps no order of the calls allows."""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

from lane_runtime.testing._outcome import CallOutcome, Outcome
from lane_runtime.testing.proof._verdict import VerdictKind

# Errors that come from what a stand-in is not, unless they speak of None.
_OF_STAND_INS: Final = ("TypeError", "ExplorationError", "OutsideRefusedError")
_STORING: Final = re.compile(r"^_?(write|save|store|persist|dump|flush|put|set)(_\w+)?$")
_ROUND: Final = re.compile(r"(?<= for [ab])/\d+")


class Charge(NamedTuple):
    """Why an overlap is wrong."""

    kind: VerdictKind
    words: str


class Judge:
    """Knows the serial outcomes, and what each call does alone."""

    def __init__(self, serial: list[Outcome], alone: dict[str, list[Outcome]]) -> None:
        self._serial = serial
        self._alone = alone
        self._is_a_loop = any(call.end == "cancelled" for one in serial for call in one.calls)

    def charge(self, outcome: Outcome) -> Charge | None:
        """What is wrong with this overlap, or None."""
        if not self._serial or outcome.is_serial:
            return None
        crash = self._crash(outcome)
        if crash is not None:
            return crash
        ends = {call.end for call in outcome.calls}
        if outcome.stuck or ("cancelled" in ends and not self._is_a_loop):
            return None  # it polled for the other call until it was left
        if "raised" in ends:
            return self._lost_update(outcome)
        return self._double_effect(outcome) or self._lost_update(outcome) or self._contradiction(outcome)

    def stale_fill(self, outcome: Outcome) -> Charge | None:
        """A call stores what it asked for before the other one, now over, has changed the same."""
        if not self._serial or outcome.is_serial or any(call.end != "returned" for call in outcome.calls):
            return None
        changes = outcome.state["changes"]
        for late, (call, waits, paths) in enumerate(changes):
            before = changes[:late]
            others = [one for one in before if one[0] != call]
            has_stored = any(one[0] == call and one[1] for one in before)
            if waits and others and not has_stored and set(others[-1][2]) & set(paths):
                where = min(set(others[-1][2]) & set(paths)).lstrip(".")
                return Charge(
                    "stale fill", f"{call} stores what it asked for before the other call changed {where}"
                )
        return None

    def _crash(self, outcome: Outcome) -> Charge | None:
        known = [*self._serial, *(one for some in self._alone.values() for one in some)]
        if outcome.stuck and not any(one.stuck for one in known):
            return Charge("crash", f"the calls wait for each other for ever: {'; '.join(outcome.stuck)}")
        for call in outcome.calls:
            is_own = call.end == "raised" and call.name not in outcome.state["refused"]
            if not is_own or _is_of_a_stand_in(call):
                continue
            errors = {_name_of(other) for one in known for other in one.calls if other.name == call.name}
            if _name_of(call) not in errors:
                return Charge("crash", f"{call.name} fails with {call.value!r}, as in no order")
        return None

    def _lost_update(self, outcome: Outcome) -> Charge | None:
        if not outcome.state["changed late"] or _has_cleared_up(outcome) or self._is_allowed(outcome):
            return None
        return Charge("lost update", "the state at the end is that of no order of the two calls")

    def _is_allowed(self, outcome: Outcome) -> bool:
        """Whether some order, or one call alone where the other stood back, leaves the same."""
        allowed = list(self._serial)
        for name, alone in self._alone.items():
            if any(call.name != name and self._stood_back(outcome, call) for call in outcome.calls):
                allowed += alone
        return any(self._left(one) == self._left(outcome) for one in allowed)

    def _left(self, outcome: Outcome) -> Any:
        """What a run has left behind, inside and outside; for loops without the number of the round."""
        left = _unordered((outcome.state["state"], _stored(outcome)))
        return _ROUND.sub("", repr(left)) if self._is_a_loop else left

    def _stood_back(self, outcome: Outcome, call: CallOutcome) -> bool:
        """Whether a call refused, joined the other or gave up.

        Then it raised, waited less often than it does alone, or changed nothing after its first wait.
        """
        waits = outcome.state["waits"].get(call.name, 0)
        least = min(
            (one.state["waits"].get(call.name, 0) for one in self._alone.get(call.name, ())), default=0
        )
        has_changed = call.name in outcome.state["changed late"]
        return call.end == "raised" or waits < least or (waits > 0 and not has_changed)

    def _double_effect(self, outcome: Outcome) -> Charge | None:
        if not outcome.state["changed late"] or _has_cleared_up(outcome):
            return None
        for name, issuers in sorted(_issuers(outcome).items()):
            most = max(len(_issuers(one).get(name, ())) for one in self._serial)
            if len(issuers) > max(most, 1) and not _is_repeatable(name):
                return Charge(
                    "double effect",
                    f"both calls ask for {name!r}, which only one of them does in every order",
                )
        return None

    def _contradiction(self, outcome: Outcome) -> Charge | None:
        if not outcome.state["changed late"] or _has_cleared_up(outcome):
            return None
        if outcome.state["one answer"] is False and all(one.state["one answer"] for one in self._serial):
            return Charge(
                "contradictory answers",
                "the calls give two different objects, and the same one in every order",
            )
        known = [(self._left(one), _successes(one)) for one in self._serial]
        stood_back = any(self._stood_back(outcome, call) for call in outcome.calls)
        if stood_back or (self._left(outcome), _successes(outcome)) in known:
            return None
        return Charge(
            "contradictory answers", "state and answers together are those of no order of the two calls"
        )


def _unordered(value: Any) -> Any:
    """The same with lists sorted: who appends first is no matter of the state."""
    if isinstance(value, dict):
        return {key: _unordered(item) for key, item in value.items()}
    if isinstance(value, list):
        return sorted((_unordered(item) for item in value), key=repr)
    if isinstance(value, tuple):
        return tuple(_unordered(item) for item in value)
    return value


def _issuers(outcome: Outcome) -> dict[str, set[str]]:
    """For each outside operation the calls that asked for it."""
    found: dict[str, set[str]] = {}
    for effect in outcome.effects:
        if effect.call and effect.end == "returned":
            found.setdefault(effect.name, set()).add(effect.call)
    return found


def _is_repeatable(name: str) -> bool:
    """Whether doing it twice comes to what doing it once does: a whole value is stored."""
    return _STORING.match(name.replace(" ", ".").rpartition(".")[2]) is not None


def _stored(outcome: Outcome) -> dict[str, Any]:
    """What was stored outside last, by the name of the operation."""
    return {effect.name: effect.arguments for effect in outcome.effects if _is_repeatable(effect.name)}


def _has_cleared_up(outcome: Outcome) -> bool:
    """Whether something that one of the calls made was closed, aborted or given back."""
    return any(tag.partition("/")[0] in ("a", "b") for tag in outcome.state["closed"])


def _successes(outcome: Outcome) -> tuple[Any, ...]:
    return tuple((call.end, call.value if isinstance(call.value, bool) else None) for call in outcome.calls)


def _is_of_a_stand_in(call: CallOutcome) -> bool:
    return _name_of(call) in _OF_STAND_INS and "NoneType" not in repr(call.value)


def _name_of(call: CallOutcome) -> str:
    return str(call.value[0]) if isinstance(call.value, tuple) and call.value else ""
