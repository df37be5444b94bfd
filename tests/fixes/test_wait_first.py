"""LAN102: `x += await e` is split where that is right, and left alone where it may not be."""

from __future__ import annotations

import pytest

COUNTER = """\
class Counter:
    def __init__(self, source):
        self.source = source
        self.total = 0
        self.by_day = {{}}

    async def count(self, day, key):
{statement}

    def reset(self):
        self.total = 0
        self.by_day[1] = 0

    def key(self):
        return 1
"""


def counter(*lines: str) -> str:
    return COUNTER.format(statement="\n".join(f"        {line}" for line in lines))


def body(text: str) -> list[str]:
    lines = text.splitlines()
    return [line[8:] for line in lines[7 : lines.index("    def reset(self):") - 1]]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            ["self.total += await self.source.size()"],
            ["added = await self.source.size()", "self.total += added"],
        ),
        (
            ["self.total -= await self.source.size()"],
            ["awaited = await self.source.size()", "self.total -= awaited"],
        ),
        (
            ["self.total += 1 + (await self.source.size()).n  # why"],
            ["added = 1 + (await self.source.size()).n", "self.total += added  # why"],
        ),
        (
            ["self.by_day[day] += await self.source.size()"],
            ["added = await self.source.size()", "self.by_day[day] += added"],
        ),
        (
            ["self.by_day[1, day] += await self.source.size()"],
            ["added = await self.source.size()", "self.by_day[1, day] += added"],
        ),
        (
            ["self.total += (  # first", "    await self.source.size()  # second", ")  # third"],
            [
                "added = (  # first",
                "    await self.source.size()  # second",
                ")",
                "self.total += added  # third",
            ],
        ),
        (
            ["self.total += \\", "    await self.source.size()"],
            ["added = await self.source.size()", "self.total += added"],
        ),
        (
            ["if day: self.total += await self.source.size()"],
            ["if day: added = await self.source.size(); self.total += added"],
        ),
        (
            ["x = 1; self.total += await self.source.size(); print(x)"],
            ["x = 1; added = await self.source.size(); self.total += added; print(x)"],
        ),
        (
            ["while True:", "    self.total += await self.source.size()"],
            ["while True:", "    added = await self.source.size()", "    self.total += added"],
        ),
        (
            ["added = added_2 = 0", "self.total += await self.source.size(added)"],
            ["added = added_2 = 0", "added_3 = await self.source.size(added)", "self.total += added_3"],
        ),
    ],
)
def test_it_waits_first_and_reads_when_it_writes(fix, before: list[str], after: list[str]) -> None:
    done = fix(counter(*before))
    assert body(done.after) == after
    assert done.reasons == []


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("self.total = self.total + await self.source.size()", "only `x += await ...`"),
        ("self.total += await self.source.size(self.total)", "the value has to do with 'total' itself"),
        (
            "self.total += await self.source.size(key=lambda page: page.total)",
            "has to do with 'total' itself",
        ),
        ("self.total += await self.source.size(getattr(self, 'total'))", "'self' is handed"),
        ("self.total += await self.source.size(self)", "'self' is handed to what is waited for"),
        ("self.total += await self.inherited()", "'self.inherited' is not in this file"),
        ("self.total += await super().size()", "what 'super()' does is not in sight"),
        ("self.by_day[self.key()] += await self.source.size()", "the index 'self.key()' is computed"),
        ("self.by_day[key] += await self.source.size(key := 2)", "binds a name"),
    ],
)
def test_it_leaves_alone_what_may_mean_something_else(fix, statement: str, reason: str) -> None:
    done = fix(counter(statement))
    assert done.after == done.before
    assert [reason in each for each in done.reasons] == [True]


def test_every_step_of_one_function_on_the_same_state_is_split(fix) -> None:
    done = fix(counter("self.total += await self.source.size()", "self.total += await self.source.rest()"))
    assert body(done.after) == [
        "added = await self.source.size()",
        "self.total += added",
        "added = await self.source.rest()",
        "self.total += added",
    ]


def test_an_own_helper_that_touches_the_state_further_down_is_seen(fix) -> None:
    done = fix(
        """
        class Counter:
            def __init__(self, source):
                self.source = source
                self.total = 0

            async def count(self):
                self.total += await self.ask()

            async def ask(self):
                self.note()
                return await self.source.size()

            def note(self):
                self.total -= 1
        """
    )
    assert done.after == done.before
    assert "'note' has to do with 'total' itself" in done.reasons[0]


def test_an_own_helper_that_leaves_the_state_alone_is_no_hindrance(fix) -> None:
    done = fix(
        """
        class Counter:
            def __init__(self, source):
                self.source = source
                self.total = 0

            async def count(self):
                self.total += await self.ask()

            async def ask(self):
                return await self.source.size()

            def reset(self):
                self.total = 0
        """
    )
    assert done.new_lines == ["        added = await self.ask()", "        self.total += added"]


def test_an_entry_that_may_be_taken_out_meanwhile_is_left_alone(fix) -> None:
    done = fix(counter("self.by_day[day] += await self.source.size()") + "        del self.by_day[2]\n")
    assert "the entry of 'self.by_day' may be gone" in done.reasons[0]


def test_a_state_behind_an_object_that_may_be_replaced_is_left_alone(fix) -> None:
    done = fix(
        """
        class Counter:
            def __init__(self, source):
                self.source = source
                self.page = source.page()

            async def count(self):
                self.page.total += await self.source.size()

            def turn(self):
                self.page = self.source.page()
                self.page.total = 0
        """
    )
    assert done.after == done.before
    assert "'self.page' may be another object after the await" in done.reasons[0]


@pytest.mark.parametrize("word", ["nonlocal", "global"])
def test_outer_variables_are_split_too(fix, word: str) -> None:
    text = f"""\
budget = 9


def limiter(client, budget=1):
    async def call(request):
        {word} budget
        budget -= await client.cost(request)

    async def other():
        {word} budget
        budget = 0

    return call, other
"""
    assert fix(text).new_lines == [
        "        awaited = await client.cost(request)",
        "        budget -= awaited",
    ]
