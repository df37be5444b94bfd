"""What holds across two collections is never seen half done (state lane contract, section 8)."""

from __future__ import annotations

import asyncio
import random

from lane_runtime import StateLane, turn


class Bindings:
    def __init__(self) -> None:
        self._lane = StateLane("bindings")
        self.session_of: dict[int, int] = {}
        self.actor_of: dict[int, int] = {}

    @turn
    async def bind(self, actor: int, session: int) -> None:
        old = self.session_of.pop(actor, None)
        if old is not None:
            del self.actor_of[old]
        await asyncio.sleep(0)
        other = self.actor_of.pop(session, None)
        if other is not None:
            del self.session_of[other]
        self.session_of[actor] = session
        await asyncio.sleep(0)
        self.actor_of[session] = actor

    @turn
    def both(self) -> tuple[dict[int, int], dict[int, int]]:
        return dict(self.session_of), dict(self.actor_of)


def test_two_collections_of_one_invariant_are_never_seen_apart(run):
    async def main():
        bindings = Bindings()
        is_over = False

        async def watch() -> int:
            looks = 0
            while not is_over:
                sessions, actors = await bindings.both()
                assert sessions == {actor: session for session, actor in actors.items()}
                looks += 1
                await asyncio.sleep(0)
            return looks

        async def bind_often(dice: random.Random) -> None:
            for _ in range(25):
                await bindings.bind(dice.randrange(5), dice.randrange(5))

        watcher = asyncio.create_task(watch())
        await asyncio.gather(*(bind_often(random.Random(seed)) for seed in range(4)))
        is_over = True
        assert await watcher > 10

    run(main())
