"""Whom a message names: somebody who can really bring the defect about."""

from __future__ import annotations

from lane_lint import check_source


def test_a_fill_by_a_helper_names_another_call_of_the_function_that_tests() -> None:
    text = """
class Player:
    def __init__(self, wire):
        self._wire = wire
        self._session = None

    async def _ensure(self):
        if self._session is None:
            await self._login()

    async def _login(self):
        self._session = await self._wire.create_session()

    async def play(self):
        await self._ensure()

    async def again(self):
        await self._login()
"""
    messages = [f.message for f in check_source(text, path="player.py") if f.code == "LAN103"]
    assert len(messages) == 1
    assert "another call of '_ensure' can pass the same test" in messages[0]


def test_a_reset_names_who_sets_a_new_value_and_not_who_resets_too() -> None:
    text = """
class Runner:
    def __init__(self):
        self._task = None

    def abandon(self):
        self._task = None

    def start(self, task):
        self._task = task

    async def stop(self):
        if self._task is None:
            return
        self._task.cancel()
        await self._task.finished()
        self._task = None
"""
    messages = [f.message for f in check_source(text, path="runner.py") if f.code == "LAN109"]
    assert len(messages) == 1
    assert "a newer value put there by 'start' (line 9)" in messages[0]
