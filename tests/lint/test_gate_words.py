"""The gate knows a project's own words for locks and lanes."""

from __future__ import annotations

import textwrap

import pytest

from lane_lint.engine import check_module
from lane_lint.settings import Settings
from lane_lint.source import Source


def codes(text: str, settings: Settings, path: str = "app.py") -> list[str]:
    source = Source.from_bytes(path, textwrap.dedent(text).encode())
    return [finding.code for finding in check_module(source, settings)]


BARRIER = """
    from ours.sync import Turnstile

    class Store:
        def __init__(self, api):
            self._api = api
            self._gate = Turnstile()
            self._items = 0

        async def refill(self):
            async with self._gate:
                have = self._items
                self._items = have + await self._api.ship(have)

        def clear(self):
            self._items = 0
    """


def test_a_named_lock_type_without_the_word_lock_guards() -> None:
    assert codes(BARRIER, Settings(lock_types=("ours.sync.Turnstile",))) == ["LAN106"]


@pytest.mark.parametrize("path", ["app.py", "test_app.py"])
def test_an_own_pattern_for_work_on_a_lane_is_followed(path: str) -> None:
    text = """
        import asyncio

        class Desk:
            def _book_in_actor(self):
                asyncio.create_task(self._later())

            async def _later(self):
                pass
        """
    assert codes(text, Settings(on_lane_name_patterns=("*_in_actor",)), path) == ["LAN302"]


def test_a_test_file_without_locks_is_let_alone() -> None:
    text = """
        class Purse:
            def __init__(self, bank):
                self._bank, self._funds = bank, 1

            async def pay(self, amount):
                if self._funds > amount:
                    await self._bank.approve(amount)
                    self._funds -= amount
        """
    assert codes(text, Settings()) == ["LAN103"]
    assert codes(text, Settings(), "tests/test_purse.py") == []
