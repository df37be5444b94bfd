"""The state at one point of a function: variables, stale reads, decisions, and locks held."""

from __future__ import annotations

from itertools import chain
from typing import Any, NamedTuple

from lane_lint.flow.combining import merge
from lane_lint.flow.values import NO_TOKENS, Hold, Token, Tokens, Value
from lane_lint.model.instructions import Temp
from lane_lint.model.path import Path


class Crossing(NamedTuple):
    """A read has been carried over a suspension.

    Attributes:
        site: The first suspension.
        protection: Holds that spanned the read and every suspension since; empty: the read is stale.
    """

    site: int
    protection: frozenset[Hold]


class OwnWrite(NamedTuple):
    """The last write of a path by this call; `was_reserved` when a fresh test had decided it."""

    site: int
    epoch: int
    was_reserved: bool
    value: Value
    is_by_helper: bool
    is_step: bool


class Emptied(NamedTuple):
    """Where a collection was emptied by this call."""

    path: Path
    site: int
    epoch: int


class State:
    """Mutable while a block is interpreted; copied at edges."""

    __slots__ = (
        "awaited",
        "crossed",
        "current",
        "decisions",
        "emptied",
        "env",
        "epoch",
        "has_reserved",
        "holds",
        "last_suspension",
        "lingering",
        "may_hold",
        "presence",
        "settled",
        "temps",
        "written",
    )

    def __init__(self) -> None:
        self.env: dict[str, Value] = {}
        self.temps: dict[Temp, Value] = {}
        self.crossed: dict[Token, Crossing] = {}
        self.decisions: dict[int, Tokens] = {}
        # Decision -> whether what it tested was found present (True) or empty (False) on this way.
        self.presence: dict[int, bool] = {}
        self.lingering: Tokens = NO_TOKENS
        # Reads of what was then waited for: `await self._task`.
        self.awaited: Tokens = NO_TOKENS
        self.holds: frozenset[Hold] = frozenset()
        self.may_hold: frozenset[Hold] = frozenset()
        self.epoch: int = -1
        self.last_suspension: int = -1
        self.written: dict[Path, OwnWrite] = {}
        self.emptied: dict[Path, Emptied] = {}
        self.has_reserved = False
        # Fresh reads whose decision a write has taken already, until the next suspension.
        self.settled: Tokens = NO_TOKENS
        # Paths whose present value this call wrote itself, with no suspension since.
        self.current: frozenset[Path] = frozenset()

    def copy(self) -> State:
        other = State()
        other.env = dict(self.env)
        other.temps = dict(self.temps)
        other.crossed = dict(self.crossed)
        other.decisions = dict(self.decisions)
        other.lingering, other.awaited = self.lingering, self.awaited
        other.presence = dict(self.presence)
        other.holds, other.may_hold = self.holds, self.may_hold
        other.epoch, other.last_suspension = self.epoch, self.last_suspension
        other.written = dict(self.written)
        other.emptied = dict(self.emptied)
        other.has_reserved, other.settled = self.has_reserved, self.settled
        other.current = self.current
        return other

    def is_stale(self, token: Token) -> bool:
        crossing = self.crossed.get(token)
        return crossing is not None and not crossing.protection

    def decision_tokens(self) -> Tokens:
        """Every read that a decision in force rests on."""
        return frozenset().union(*self.decisions.values()) if self.decisions else NO_TOKENS

    def live_tokens(self) -> set[Token]:
        """Every read that a variable, a decision or the present statement still depends on."""
        live: set[Token] = set(self.lingering | self.awaited)
        for value in chain(self.env.values(), self.temps.values()):
            if value.tokens:
                live |= value.tokens
            if value.decided:
                live |= value.decided
        for tokens in self.decisions.values():
            live |= tokens
        return live

    def suspend(self, site: int) -> None:
        """Cross a suspension: what no lock protects becomes stale."""
        crossed: dict[Token, Crossing] = {}
        for token in self.live_tokens():
            before = self.crossed.get(token)
            if before is None:
                crossed[token] = Crossing(site, token.holds & self.holds)
            elif before.protection:
                crossed[token] = before._replace(protection=before.protection & self.holds)
            else:
                crossed[token] = before
        self.crossed = crossed
        self.epoch = self.last_suspension = site
        self.current, self.settled = frozenset(), NO_TOKENS

    def release(self, hold: Hold) -> None:
        """Let a lock go: a read that it alone protected over a suspension is stale from here on."""
        self.holds -= {hold}
        self.may_hold -= {hold}
        for token, crossing in self.crossed.items():
            if hold in crossing.protection:
                self.crossed[token] = crossing._replace(protection=crossing.protection - {hold})

    def replace(self, renewed: dict[Token, Token]) -> None:
        """The old tokens have been compared with the present state: they are as good as new."""

        def exchanged(tokens: Tokens) -> Tokens:
            return frozenset(renewed.get(t, t) for t in tokens)

        variables: tuple[dict[Any, Value], ...] = (self.env, self.temps)
        for values in variables:
            for name, value in values.items():
                if value.tokens and not value.tokens.isdisjoint(renewed):
                    values[name] = value._replace(tokens=exchanged(value.tokens))
        self.decisions = {key: exchanged(tokens) for key, tokens in self.decisions.items()}
        for token in renewed:
            self.crossed.pop(token, None)

    def age(self) -> State:
        """The state on a loop's back edge: every read was made in an earlier pass."""
        old = {t: _old(t) for t in self.live_tokens() if not t.is_old}
        if not old:
            return self

        def aged(tokens: Tokens) -> Tokens:
            return frozenset(old.get(t, t) for t in tokens)

        other = self.copy()
        other.temps = {}
        other.env = {
            name: v._replace(tokens=aged(v.tokens), decided=aged(v.decided)) if v.tokens or v.decided else v
            for name, v in self.env.items()
        }
        other.decisions = {key: aged(tokens) for key, tokens in self.decisions.items()}
        # What a wait of an earlier pass left in doubt has been acted on, or not, in that pass.
        other.lingering = other.awaited = NO_TOKENS
        crossed: dict[Token, Crossing] = {}
        for token, crossing in self.crossed.items():
            renamed = old.get(token, token)
            crossed[renamed] = _worse(crossed[renamed], crossing) if renamed in crossed else crossing
        other.crossed = crossed
        return other

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in State.__slots__)

    __hash__ = None  # type: ignore[assignment]  # mutable, as its class says


def _old(token: Token) -> Token:
    return Token(token.site, token.path, token.epoch, token.holds, True, token.is_from_turn)


def _worse(left: Crossing, right: Crossing) -> Crossing:
    """Stale on one way is stale."""
    if not left.protection:
        return left
    if not right.protection:
        return right
    return left._replace(protection=left.protection & right.protection)


def join(states: list[State], joins: set[int], *, lingers: bool, block: int) -> State:
    """The state where several edges meet.

    Args:
        block: The block that starts here; it names the epoch when the edges come from several.
        joins: Decisions that are over here.
        lingers: Whether a wait that one of them led to leaves its reads in doubt.
    """
    states = [state.copy() for state in states]
    if len(states) == 1 and not joins:
        return states[0]
    ended: set[Token] = set()
    lingering: set[Token] = set()
    for state in states:
        for key in joins:
            tokens = state.decisions.pop(key, NO_TOKENS)
            ended |= tokens
            if lingers:
                lingering |= {t for t in tokens if state.is_stale(t)}
        if len(states) > 1:
            live = state.live_tokens() | ended
            state.crossed = {t: c for t, c in state.crossed.items() if t in live}
    result = states[0]
    stale = frozenset(t for t in ended if any(s.is_stale(t) for s in states))
    if any(state.epoch != result.epoch for state in states):
        result.epoch = -2 - block
    for state in states[1:]:
        _join_into(result, state, stale)
    result.lingering |= lingering
    return result


def _join_values(mine: dict[Any, Value], theirs: dict[Any, Value], ended: Tokens) -> None:
    """Merge variables; which of two values one has was decided by the reads that `ended` here."""
    for name, value in theirs.items():
        known = mine.get(name)
        if known is None:
            mine[name] = value
        elif known != value:
            merged = merge(known, value)
            is_chosen = ended and _aged_value(known) != _aged_value(value)
            mine[name] = merged._replace(decided=merged.decided | ended) if is_chosen else merged


def _aged_value(value: Value) -> Value:
    """The value as it is in the next pass of a loop that does not bind it anew."""
    tokens, decided = frozenset(map(_old, value.tokens)), frozenset(map(_old, value.decided))
    return value._replace(tokens=tokens, decided=decided)


def _join_into(result: State, other: State, ended: Tokens) -> None:
    if result.env != other.env:
        _join_values(result.env, other.env, ended)
    if result.temps != other.temps:
        _join_values(result.temps, other.temps, ended)
    for token, crossing in other.crossed.items():
        known_crossing = result.crossed.get(token)
        result.crossed[token] = _worse(known_crossing, crossing) if known_crossing else crossing
    mine, theirs = set(result.decisions), set(other.decisions)
    for key, tokens in other.decisions.items():
        result.decisions[key] = result.decisions.get(key, NO_TOKENS) | tokens
    for key in result.presence.keys() | other.presence.keys():
        sides = {s.presence.get(key) for s, d in ((result, mine), (other, theirs)) if key in d}
        if len(sides) == 1 and None not in sides:
            result.presence[key] = sides.pop()  # type: ignore[assignment]  # None is excluded
        else:
            result.presence.pop(key, None)
    result.lingering |= other.lingering
    result.awaited |= other.awaited
    result.holds &= other.holds
    result.may_hold |= other.may_hold
    result.current &= other.current
    result.settled &= other.settled
    result.has_reserved = result.has_reserved or other.has_reserved
    result.last_suspension = max(result.last_suspension, other.last_suspension)
    for path, written in other.written.items():
        result.written.setdefault(path, written)
    for path, emptied in other.emptied.items():
        result.emptied.setdefault(path, emptied)
