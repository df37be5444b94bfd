"""Turns are seen wherever work goes to a lane."""

from __future__ import annotations

import ast
import textwrap

import pytest

from lane_lint import check_source
from lane_lint.flow.program import Program
from lane_lint.outlining import outline_module
from lane_lint.settings import Settings

WAYS_IN = {
    "lambda": "await self._lane.run(lambda: self.{act})",
    "nested function": """
        def work():
            self.{act}
        await self._lane.run(work)""",
    "nested coroutine function": """
        async def work():
            self._rows[1] = 2
            await self.{act}
        await self._lane.run(work)""",
    "bound method": "await self._lane.run(self._body)",
    "partial": "await self._lane.run(functools.partial(self._body))",
    "partial of a partial": "await self._lane.run(functools.partial(functools.partial(self._body)))",
    "callable object": "await self._lane.run(Job(self))",
    "variable": """
        work = self._body
        await self._lane.run(work)""",
    "post": "self._lane.try_post(lambda: self.{act})",
    "post of a bound method": "self._lane.try_post(self._body)",
    "blocking": "self._lane.run_blocking(self._body)",
    "all": "await lane_runtime.run_all([self._lane, other._lane], self._body)",
    "all, second lane": "await lane_runtime.run_all((other._lane, self._lane), self._body)",
    "helper": "await self._enter(self._body)",
    "helper with a lambda": "await self._enter(lambda: self.{act})",
    "helper with a nested function": """
        async def work():
            await self.{act}
        return await self._enter(work)""",
    "helper that calls it in its own turn": "await self._enter_wrapped(self._body)",
    "helper of a helper": "await self._enter_deeper(self._body)",
    "helper with a nested function of its own": "await self._enter_again(self._body)",
    "keyword": "await self._enter(work=self._body)",
    "not awaited here": "return self._lane.run(self._body)",
    "alias of the lane": """
        lane = self._lane
        await lane.run(self._body)""",
    "alias seen from a nested function": """
        lane = self._lane
        async def later():
            await lane.run(self._body)
        return later""",
    "post from another thread": "loop.call_soon_threadsafe(self._lane.try_post, self._body)",
    "blocking entry in a thread": "await asyncio.to_thread(self._lane.run_blocking, self._body)",
    "partial of the entry": """
        enter = functools.partial(self._lane.run, self._body)
        await enter()""",
    "name of a turn's body": "await self._lane.run(lambda: self._step_on_lane())",
}

DESK = """
import asyncio
import functools
import lane_runtime

class Job:
    def __init__(self, desk: "Desk"):
        self._desk: Desk = desk

    def __call__(self):
        self._desk.{act}

class Desk:
    def __init__(self, hook):
        self._lane = lane_runtime.StateLane()
        self._rows = {{}}
        self.hook = hook

    async def free(self):
        await self._lane.run(lambda: self._rows.clear())

    async def do(self, other):
{way}

    async def _tidy(self):
        self._rows.clear()

    def _body(self):
        self._rows.clear()
        return self.{act}

    async def _step_on_lane(self):
        return await self._deeper()

    async def _deeper(self):
        return await self.{act}

    async def _enter(self, work):
        return await self._lane.run(work)

    async def _enter_wrapped(self, work):
        return await self._lane.run(lambda: work())

    async def _enter_again(self, work):
        async def attempt():
            return await self._lane.run(work)

        while not await attempt():
            pass

    async def _enter_deeper(self, work):
        return await self._enter(work)
"""


def module_with(way: str, act: str) -> str:
    body = textwrap.indent(textwrap.dedent(way).strip("\n"), " " * 8).replace("{act}", act)
    return DESK.format(way=body, act=act)


def codes_at(text: str, needle: str) -> set[str]:
    lines = text.splitlines()
    return {f.code for f in check_source(text, path="desk.py") if needle in lines[f.span.line - 1]}


@pytest.mark.parametrize("way", WAYS_IN.values(), ids=WAYS_IN)
def test_the_lane_of_a_turn_is_known_whatever_way_the_work_got_there(way: str) -> None:
    text = module_with(way, "free()")
    assert codes_at(text, "self.free()") | codes_at(text, "_desk.free()") == {"LAN301"}


@pytest.mark.parametrize("way", WAYS_IN.values(), ids=WAYS_IN)
def test_what_a_turn_calls_is_seen_whatever_way_the_work_got_there(way: str) -> None:
    text = module_with(way, "hook()")
    assert codes_at(text, "hook()") == {"LAN303"}


@pytest.mark.parametrize("way", WAYS_IN.values(), ids=WAYS_IN)
def test_harmless_work_is_left_alone_whatever_way_it_got_there(way: str) -> None:
    text = module_with(way, "_tidy()")
    assert not [f for f in check_source(text, path="desk.py") if f.code.startswith("LAN30")]


def test_closing_the_lane_in_its_own_turn_waits_for_that_turn() -> None:
    text = module_with("await self._lane.run(self._body)", "_lane.close()").replace(
        "return self", "await self"
    )
    text = text.replace("def _body", "async def _body")
    assert codes_at(text, "await self._lane.close()") == {"LAN301"}


def test_a_task_that_visits_the_lane_later_is_no_reentry() -> None:
    text = module_with("await self._lane.run(self._body)", "x")
    text = text.replace("return self.x", "asyncio.create_task(self._lane.run(len, ())) and None")
    assert codes_at("import asyncio\n" + text, "create_task") == {"LAN302"}


def test_functions_that_run_in_turns_only_are_told_from_those_that_run_elsewhere_too() -> None:
    text = textwrap.dedent("""
        from lane_runtime import StateLane

        class Desk:
            def __init__(self):
                self._lane = StateLane()

            async def swap(self):
                await self._lane.run(self._swap)

            def _swap(self):
                self._both()
                self._inside()

            def peek(self):
                self._both()

            def _both(self):
                self._rows = {}

            def _inside(self):
                self._rows = {}

            def _reset_on_lane(self):
                self._rows = {}
        """)
    module = outline_module(ast.parse(text))
    lines = tuple(text.splitlines(keepends=True))
    program = Program(module, lines, Settings(), has_lanes=True)
    program.analyse(list(module.all_functions()))
    assert {u.name for u in program.off_lane} == {"__init__", "swap", "peek", "_both"}
    assert {u.name for u in program.in_turns} == {"_swap", "_both", "_inside", "_reset_on_lane"}


def test_a_decorator_of_the_module_that_is_called_turn_is_another() -> None:
    text = textwrap.dedent("""
        from lane_runtime import StateLane

        def turn(move):
            return move

        class Game:
            def __init__(self, hook):
                self._hook = hook

            @turn
            def play(self):
                self._hook()
        """)
    assert check_source(text, path="game.py") == []
