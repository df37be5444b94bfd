"""Who may run beside a finding's function."""

from __future__ import annotations

import textwrap

from lane_lint.proving.partners import pairing_at

MODULE = textwrap.dedent("""
    import asyncio

    class Store:
        def __init__(self, disk):
            self._disk = disk
            self._rows = {}
            self._other = 0
            self._timer = asyncio.create_task(self._tick())

        async def load(self, key):
            if key not in self._rows:
                self._rows[key] = await self._fetch(key)

        async def _fetch(self, key):
            return await self._disk.read(key)

        def drop(self, key):
            self._forget(key)

        def _forget(self, key):
            self._rows.pop(key, None)

        def count(self):
            self._other += 1

        async def watch(self):
            asyncio.create_task(self._sweep())

        async def _sweep(self):
            self._rows.clear()

        async def _tick(self):
            self._rows.clear()

        async def close(self):
            self._rows.clear()

        async def __aenter__(self):
            self._rows = {}

    async def outside(store):
        store._rows["x"] = 1
""")


def line_of(text: str) -> int:
    return next(number for number, line in enumerate(MODULE.splitlines(), 1) if text in line)


def test_writers_of_what_it_touches_run_beside_it() -> None:
    pairing = pairing_at(MODULE, line_of("await self._fetch(key)"))
    assert pairing is not None
    assert pairing.subject == "Store.load"
    # `drop` through its helper; no helper itself, no teardown, nothing that a constructor has started.
    assert pairing.partners == ("Store.load", "Store.drop", "Store.watch", "Store._sweep", "outside")


def test_opening_is_a_way_to_be_filled() -> None:
    pairing = pairing_at(MODULE, line_of("await self._fetch(key)"))
    assert pairing is not None
    assert pairing.fillers == ("Store.__aenter__", *pairing.partners)


def test_a_line_outside_of_functions_has_nothing_to_call() -> None:
    assert pairing_at(MODULE, 2) is None


def test_only_the_handlers_around_the_act_say_what_fails() -> None:
    text = textwrap.dedent("""
        async def work(job):
            try:
                await job()
            except (OSError, ValueError, unknown.Error):
                job.failed = True
            try:
                await job()
            except KeyError:
                pass
    """)
    pairing = pairing_at(text, 6)
    assert pairing is not None
    assert pairing.fails == ("OSError", "ValueError")
    before = pairing_at(text, 4)
    assert before is not None
    assert before.fails == ()
