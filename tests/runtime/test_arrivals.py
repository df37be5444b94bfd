"""Requests that arrive while the token is being taken or given back."""

from __future__ import annotations

import pytest

from lane_runtime import StateLane, _core, _lane

from .conftest import settle, until

pytestmark = pytest.mark.timeout(30)


class Meddling(list):
    """The token of a lane, with something that happens in another thread at the worst moment."""

    before_append = after_pop = None

    def append(self, item):
        meddle, self.before_append = self.before_append, None
        if meddle is not None:
            meddle()
        super().append(item)

    def pop(self):
        item = super().pop()
        meddle, self.after_pop = self.after_pop, None
        if meddle is not None:
            meddle()
        return item


@pytest.mark.parametrize("is_mutex_at_both_ends", [False, True])
def test_an_arrival_between_the_last_look_and_the_release_is_not_lost(
    run, monkeypatch, is_mutex_at_both_ends
):
    monkeypatch.setattr(_core, "FREE_THREADED", is_mutex_at_both_ends)
    monkeypatch.setattr(_lane, "FREE_THREADED", is_mutex_at_both_ends)

    async def main():
        lane = StateLane()
        seen: list[str] = []
        lane._token = token = Meddling([None])
        for is_coroutine in (False, True):
            token.before_append = lambda: lane.try_post(seen.append, "arrival")
            await lane.run(settle if is_coroutine else int)
            await until(lambda: bool(seen))
            assert seen.pop() == "arrival"
            assert not lane.stats().active

    run(main())


def test_an_arrival_between_the_token_and_the_look_goes_first(run):
    async def main():
        lane = StateLane()
        order: list[str] = []
        lane._token = token = Meddling([None])
        token.after_pop = lambda: lane.try_post(order.append, "arrival")
        await lane.run(order.append, "run")
        assert order == ["arrival", "run"]

    run(main())
