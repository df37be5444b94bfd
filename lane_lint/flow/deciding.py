"""Tests and what they decide: fresh looks end what was decided on stale ones."""

from __future__ import annotations

from lane_lint.flow.state import State
from lane_lint.flow.values import Token, Tokens, Value, in_order
from lane_lint.model.path import ANY_ITEM, extend, is_same_state


def decide(state: State, key: int, tested: Value) -> None:
    """A branch on a value: a fresh look ends stale decisions on the same state, and decides anew."""
    tokens = tested.tokens | tested.decided
    if tested.path is not None:
        # Truth of a collection is a look at its content.
        tokens = frozenset(_content(t) if t.path == tested.path else t for t in tokens)
        _carry_crossings(state, tested.tokens, tokens)
    tokens = look_again(state, tokens)
    if tokens:
        state.decisions[key] = tokens
    else:
        state.decisions.pop(key, None)
    state.presence.pop(key, None)


def _carry_crossings(state: State, old: Tokens, new: Tokens) -> None:
    for token in new - old:
        for before in old:
            if before.site == token.site and before in state.crossed:
                state.crossed[token] = state.crossed[before]


def look_again(state: State, tokens: Tokens) -> Tokens:
    """A test with fresh reads: it ends what was decided on stale reads of the same state.

    A stale value that is compared with the present one is valid again, with everything that
    was read together with it.

    Returns:
        The tokens that the test rests on now.
    """
    fresh = [t for t in in_order(tokens) if t not in state.crossed or state.crossed[t].protection]
    if not fresh:
        return tokens
    for key, decided in list(state.decisions.items()):
        ended = {
            t for t in decided if state.is_stale(t) and any(is_same_state(t.path, f.path) for f in fresh)
        }
        if ended:
            state.decisions[key] = decided - ended
    state.lingering = frozenset(
        t for t in state.lingering if not any(is_same_state(t.path, f.path) for f in fresh)
    )
    state.awaited = frozenset(
        t for t in state.awaited if not any(is_same_state(t.path, f.path) for f in fresh)
    )
    compared = {t for t in tokens if state.is_stale(t) and any(is_same_state(t.path, f.path) for f in fresh)}
    epochs = {t.epoch for t in compared}
    if epochs:
        now = fresh[0]
        renewed = {
            t: Token(t.site, t.path, now.epoch, now.holds, t.is_old, t.is_from_turn)
            for t in state.crossed
            if t.epoch in epochs
        }
        state.replace(renewed)
    return tokens - compared


def _content(token: Token) -> Token:
    return Token(
        token.site, extend(token.path, ANY_ITEM), token.epoch, token.holds, token.is_old, token.is_from_turn
    )
