"""LAN105: the loop gets a copy where that is the same loop over what was there."""

from __future__ import annotations

import pytest
from fixture_cases import FIXTURES

ROOM = """\
{head}

class Room:
    def __init__(self):
        self.members = {{}}
        self.waiting = []

    def leave(self, name):
        self.members.pop(name, None)
        self.waiting.remove(name)

    async def say(self, text):
{loop}
"""


def room(*lines: str, head: str = "") -> str:
    return ROOM.format(head=head, loop="\n".join(f"        {line}" for line in lines))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("for each in self.members:", "for each in list(self.members):"),
        ("for each in self.members.values():  # all", "for each in list(self.members.values()):  # all"),
        ("for name, each in self.members.items():", "for name, each in list(self.members.items()):"),
        (
            "for number, each in enumerate(self.waiting):",
            "for number, each in list(enumerate(self.waiting)):",
        ),
        ("for each in (self.waiting):", "for each in list((self.waiting)):"),
        ("for each in self.members . keys():", "for each in list(self.members . keys()):"),
    ],
)
def test_the_loop_gets_a_copy(fix, before: str, after: str) -> None:
    done = fix(room(before, "    await each.send(text)"))
    assert done.new_lines == [f"        {after}"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "return [await each.ask() for each in self.members]",
            "return [await each.ask() for each in list(self.members)]",
        ),
        (
            "return {n: await m.ask() for n, m in self.members.items() if m}",
            "return {n: await m.ask() for n, m in list(self.members.items()) if m}",
        ),
    ],
)
def test_a_comprehension_gets_a_copy(fix, before: str, after: str) -> None:
    assert fix(room(before)).new_lines == [f"        {after}"]


def test_an_iterable_over_several_lines_keeps_them(fix) -> None:
    done = fix(room("for each in (", "    self.members  # all", "):", "    await each.send(text)"))
    assert done.new_lines == ["        for each in list((", "        )):"]


@pytest.mark.parametrize(
    ("loop", "reason"),
    [
        (["for each in self.waiting:", "    self.waiting.append(await each.next())"], "may add to 'waiting'"),
        (["for each in self.waiting:", "    self.waiting += [await each.next()]"], "may add to 'waiting'"),
        (
            ["for each in self.members:", "    await self.members[each].send()"],
            "looks entries of 'members' up",
        ),
        (
            ["for each in self.waiting:", "    await each.send()", "self.waiting.clear()"],
            "empties or replaces",
        ),
        (["for each in self.waiting:", "    await each.send()", "self.waiting = []"], "empties or replaces"),
    ],
)
def test_a_loop_that_a_copy_would_change_is_left_alone(fix, loop: list[str], reason: str) -> None:
    done = fix(room(*loop))
    assert loop[0] in done.after
    assert reason in done.reasons[0]


@pytest.mark.parametrize(
    "head", ["def list(items):\n    return items\n", "from shop import list\n", "list = tuple\n"]
)
def test_where_list_is_another_thing_nothing_is_changed(fix, head: str) -> None:
    done = fix(room("for each in self.members:", "    await each.send(text)", head=head))
    assert done.after == done.before
    assert "'list' is another thing than the built-in" in done.reasons[0]


def test_a_method_called_list_hides_nothing(fix) -> None:
    text = (
        room("for each in self.members:", "    await each.send(text)")
        + "\n    def list(self):\n        return 1\n"
    )
    assert fix(text).new_lines == ["        for each in list(self.members):"]


def test_a_generator_of_the_file_is_not_run_to_its_end(fix) -> None:
    done = fix((FIXTURES / "LAN105" / "bad_generator_over_a_live_mapping.py").read_text())
    assert done.after == done.before
    assert "'awake' is computed by a function of this file" in done.reasons[0]
