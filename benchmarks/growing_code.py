"""Programs of growing size, to see how the checker's time grows with them."""

from __future__ import annotations

from collections.abc import Iterator

_COPIES = 40


def long_function(lines: int) -> str:
    """One method of about `lines` lines, with an await in every fifth and 0.06 attributes a line."""
    attributes = max(2, lines * 6 // 100)
    body: list[str] = []
    for number in range(lines // 5):
        here, there = f"self.a{number % attributes}", f"self.a{number * 7 % attributes}"
        body += [
            f"        value = {here}",
            "        if value is None:",
            f"            value = await self.fetch({number})",
            f"            {here} = value",
            f"        {there} = {here} + {number}",
        ]
    resets = [f"        self.a{number} = None" for number in range(attributes)]
    head = ["class Long:", "    async def fetch(self, number):", "        return await read(number)", ""]
    return "\n".join([*head, "    def reset(self):", *resets, "", "    async def fill(self):", *body, ""])


def nested_ifs(depth: int) -> str:
    """Methods with `depth` ifs inside one another, each around an await; many copies, to be measurable."""
    return "\n".join(line for copy in range(_COPIES) for line in _nested(copy, depth))


def _nested(copy: int, depth: int) -> Iterator[str]:
    yield f"class Nested{copy}:"
    yield "    def reset(self):"
    yield from (f"        self.a{level} = None" for level in range(depth))
    yield "    async def fill(self):"
    for level in range(depth):
        indent = " " * (8 + level)
        yield f"{indent}if self.a{level} is None:"
        yield f"{indent} value{level} = await read({level})"
    for level in reversed(range(depth)):
        yield " " * (9 + level) + f"self.a{level} = value{level}"
    yield ""


def chained_helpers(count: int) -> str:
    """Methods each of which awaits the next one and then fills a field of its own."""
    lines = ["class Chain:"]
    for number in range(count):
        lines += [
            f"    async def step_{number}(self):",
            f"        if self.field_{number} is None:",
            f"            await self.step_{number + 1}()",
            f"            self.field_{number} = 1",
        ]
    return "\n".join([*lines, f"    async def step_{count}(self):", "        await read()", ""])


LINES = (1250, 2500, 5000)
DEPTHS = (5, 10, 15, 20)
CHAINS = (200, 400, 800)
