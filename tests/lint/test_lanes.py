"""Lanes are known by what they are made from, annotated as, or named."""

from __future__ import annotations

import textwrap

import pytest

from lane_lint import check_source
from lane_lint.settings import Settings

LANES = {
    "constructor": """
        class Desk:
            def __init__(self):
                self._turns = StateLane("desk")
            {methods}""",
    "constructor in an expression": """
        class Desk:
            def __init__(self, turns=None):
                self._turns = turns or StateLane()
            {methods}""",
    "constructor in the class body": """
        class Desk:
            _turns = StateLane()
            {methods}""",
    "annotated parameter": """
        class Desk:
            def __init__(self, turns: StateLane):
                self._turns = turns
            {methods}""",
    "annotated attribute": """
        class Desk:
            _turns: "StateLane | None"
            {methods}""",
    "dataclass field": """
        @dataclasses.dataclass
        class Desk:
            _turns: StateLane = dataclasses.field(default_factory=StateLane)
            {methods}""",
    "name alone": """
        class Desk:
            def __init__(self, desk_lane):
                self._lane = desk_lane
            {methods_of_lane}""",
    "other name of the class": """
        from lane_runtime import StateLane as Serial
        class Desk:
            def __init__(self):
                self._turns = Serial()
            {methods}""",
    "inherited": """
        class Base:
            def __init__(self):
                self._turns = StateLane()
        class Desk(Base):
            {methods}""",
    "own subclass of the lane": """
        class DeskLane(StateLane):
            pass
        class Desk:
            def __init__(self):
                self._turns = DeskLane()
            {methods}""",
    "property": """
        class Desk:
            def __init__(self):
                self._inner = StateLane()
            @property
            def _turns(self):
                return self._inner
            {methods}""",
    "cached property that makes it": """
        class Desk:
            @functools.cached_property
            def _turns(self) -> StateLane:
                return StateLane()
            {methods}""",
    "configured type": """
        from house.lanes import Strand
        class Desk:
            def __init__(self):
                self._turns = Strand()
            {methods}""",
}
METHODS = """
async def free(self):
    await self._turns.run(lambda: None)
async def swap(self):
    async def work():
        await self.free()
    await self._turns.run(work)
"""


def module_with_lane(shape: str) -> str:
    for hole, name in (("{methods}", "_turns"), ("{methods_of_lane}", "_lane")):
        methods = textwrap.indent(METHODS.replace("_turns", name), " " * 12).strip()
        shape = shape.replace(hole, methods)
    return "import dataclasses, functools\nfrom lane_runtime import StateLane\n" + textwrap.dedent(shape)


@pytest.mark.parametrize("shape", LANES.values(), ids=LANES)
def test_lanes_are_known_by_what_they_are_made_from(shape: str) -> None:
    settings = Settings(lane_types=("lane_runtime.StateLane", "house.lanes.Strand"))
    text = module_with_lane(shape)
    findings = check_source(text, path="desk.py", settings=settings)
    lines = text.splitlines()
    assert [(f.code, lines[f.span.line - 1].strip()) for f in findings] == [("LAN301", "await self.free()")]


LANES_OF_CALLS = {
    "global": """
        DESK = StateLane()
        async def free():
            await DESK.run(lambda: None)
        async def swap():
            async def work():
                await free()
            await DESK.run(work)""",
    "closure": """
        def make():
            turns = StateLane()
            async def free():
                await turns.run(lambda: None)
            async def swap():
                async def work():
                    await free()
                await turns.run(work)
            return free, swap""",
    "parameter by its annotation": """
        async def swap(turns: StateLane):
            async def free():
                await turns.run(lambda: None)
            async def work():
                await free()
            await turns.run(work)""",
    "parameter by its name": """
        async def swap(lane):
            async def free():
                await lane.run(lambda: None)
            async def work():
                await free()
            await lane.run(work)""",
    "entry of a registry": """
        class Desk:
            def __init__(self):
                self._turns = defaultdict(StateLane)
            async def free(self, key):
                await self._turns[key].run(lambda: None)
            async def swap(self, key):
                async def work():
                    await self.free(key)
                await self._turns[key].run(work)""",
    "entry made on demand": """
        class Desk:
            def __init__(self):
                self._turns = {}
            async def free(self, key):
                await self._turns.setdefault(key, StateLane()).run(lambda: None)
            async def swap(self, key):
                async def work():
                    await self.free(key)
                await self._turns[key].run(work)""",
    "decorated methods": """
        class Desk:
            def __init__(self):
                self._lane = StateLane()
            @lane_runtime.turn
            async def free(self):
                self.x = 1
            @lane_runtime.turn
            async def swap(self):
                await self.free()""",
    "decorated methods with two lanes": """
        class Desk:
            def __init__(self):
                self._lane = StateLane()
                self._other = StateLane()
            @lane_runtime.turn
            async def free(self):
                self.x = 1
            @lane_runtime.turn
            async def swap(self):
                await self.free()""",
    "decorator of the module": """
        def serial(method):
            @functools.wraps(method)
            async def entered(self, *args):
                return await self._lane.run(method, self, *args)
            return entered
        class Desk:
            def __init__(self):
                self._lane = StateLane()
            @serial
            async def free(self):
                self.x = 1
            @serial
            async def swap(self):
                await self.free()""",
    "decorated methods of an imported base": """
        class Desk(Base):
            @lane_runtime.turn
            async def free(self):
                self.x = 1
            @lane_runtime.turn
            async def swap(self):
                await self.free()""",
    "decorator of the module with arguments": """
        def serial(name):
            def decorate(method):
                async def entered(self, *args):
                    return await self.desk_lane.run(functools.partial(method, self, *args))
                return entered
            return decorate
        class Desk:
            def __init__(self):
                self.desk_lane = StateLane()
            @serial("free")
            async def free(self):
                self.x = 1
            @serial("swap")
            async def swap(self):
                await self.free()""",
    "entry of a method that makes it": """
        class Desk:
            def __init__(self):
                self._turns = {}
            def _turns_of(self, key):
                turns = self._turns.get(key)
                if turns is None:
                    turns = self._turns[key] = StateLane()
                return turns
            async def free(self, key):
                await self._turns_of(key).run(lambda: None)
            async def swap(self, key):
                async def work():
                    await self.free(key)
                await self._turns_of(key).run(work)""",
    "body marked as on the lane": """
        class Desk:
            def __init__(self):
                self._lane = StateLane()
            @lane_runtime.turn
            async def free(self):
                self.x = 1
            @lane_runtime.on_lane
            async def swap(self):
                await self.free()""",
}


@pytest.mark.parametrize("shape", LANES_OF_CALLS.values(), ids=LANES_OF_CALLS)
def test_lanes_of_functions_registries_and_decorators_are_known(shape: str) -> None:
    head = "import functools\nimport lane_runtime\nfrom collections import defaultdict\nfrom lane_runtime import StateLane\n"
    text = head + textwrap.dedent(shape)
    lines = text.splitlines()
    found = [(f.code, lines[f.span.line - 1].strip()) for f in check_source(text, path="desk.py")]
    assert [code for code, _ in found] == ["LAN301"]
    assert found[0][1].startswith("await")
    assert "free(" in found[0][1]
