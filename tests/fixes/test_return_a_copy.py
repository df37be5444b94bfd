"""LAN205: a copy of the one type that the field has leaves the turn."""

from __future__ import annotations

import pytest

SHELF = """\
from collections import Counter, OrderedDict, defaultdict, deque
import collections
from lane_runtime import StateLane


class Shelf:
    def __init__(self):
        self._lane = StateLane()
        self._items = {made}

    async def put(self, name):
        def put_on_lane():
            {change}

        await self._lane.run(put_on_lane)

    async def all(self):
        return await self._lane.run(lambda: self._items)
"""

ADD = "self._items[name] = 1"


@pytest.mark.parametrize(
    ("made", "change", "copy"),
    [
        ("{}", ADD, "dict(self._items)"),
        ("dict()", ADD, "dict(self._items)"),
        ("{n: 0 for n in 'ab'}", ADD, "dict(self._items)"),
        ("[]", "self._items.append(name)", "list(self._items)"),
        ("set()", "self._items.add(name)", "set(self._items)"),
        ("defaultdict(int)", ADD, "self._items.copy()"),
        ("OrderedDict()", ADD, "self._items.copy()"),
        ("collections.deque()", "self._items.append(name)", "self._items.copy()"),
        ("Counter()", ADD, "self._items.copy()"),
    ],
)
def test_the_copy_is_of_the_type_that_the_field_has(fix, made: str, change: str, copy: str) -> None:
    done = fix(SHELF.format(made=made, change=change))
    assert done.new_lines == [f"        return await self._lane.run(lambda: {copy})"]


@pytest.mark.parametrize(
    ("made", "more"),
    [
        ("load()", ""),
        ("{}", "        self._items = load()\n"),
        ("{}", "        self._items = None\n"),
        ("{}", "        self._items = {} if name else None\n"),
        ("{}", "        self._items, x = name\n"),
        ("{}", "        self._items = []\n"),
        ("{}", "    def _x(self, value: dict):\n        self._items = value\n"),
    ],
)
def test_a_field_of_unknown_type_is_left_alone(fix, made: str, more: str) -> None:
    text = SHELF.format(made=made, change=ADD)
    text += f"\n    def set(self, name):\n{more}" if "def" not in more else f"\n{more}"
    text += "        return 1\n"
    done = fix(text)
    assert done.after == done.before
    assert all("it is not known for sure what 'self._items' is" in each for each in done.reasons)


def test_where_dict_is_another_thing_nothing_is_changed(fix) -> None:
    done = fix("from shop import dict\n" + SHELF.format(made="{}", change=ADD))
    assert done.after == done.before
    assert "'dict' is another thing than the built-in" in done.reasons[0]


def test_what_is_more_than_a_field_is_left_to_a_person(fix) -> None:
    text = SHELF.format(made="{}", change=ADD).replace("lambda: self._items", "lambda: (self._items, 1)")
    done = fix(text)
    assert done.after == done.before
    assert "what to copy is a decision" in done.reasons[0]


def test_every_return_of_the_field_in_one_function_gives_a_copy(fix) -> None:
    text = (
        SHELF.format(made="{}", change=ADD)
        + """
    async def some(self, name):
        def some_on_lane():
            if name:
                return self._items
            return self._items

        return await self._lane.run(some_on_lane)
"""
    )
    assert fix(text).after.count("return dict(self._items)") == 2
