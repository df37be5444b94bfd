"""Programs as chance makes them: a small class and a coroutine that share state, in every kind of statement."""

from __future__ import annotations

import re
from random import Random

NAMES = ("value", "item", "total")
FIELDS = ("self.state", "self.items", "self.items[value]", "self.lock", "COUNT", "TABLE[value]")
LITERALS = ("None", "0", "1", "True", "[]", "{}", "''", "...", "f'{value!r:>{total}}'")
OPERATORS = ("+", "and", "or", "is not", "in", "<")

# `E` is another expression, `P` a place, `N` a name, `O` an operator, `B` a block of statements.
EXPRESSIONS = (
    "(await E)",
    "P(E)",
    "self.step(E, key=E)",
    "(E O E)",
    "(E if E else E)",
    "(not E)",
    "(N := E)",
    "[E for other in P if E]",
    "{other: E async for other in P}",
    "(lambda other, *rest: P)",
    "(E, *E)",
    "P.pop(E, None)",
)
SIMPLE_STATEMENTS = (
    "E",
    "P = E",
    "P += E",
    "P, P = E",
    "del P",
    "return E",
    "raise E",
    "assert E, E",
    "await self.lock.acquire()",
    "self.lock.release()",
)
COMPOUND_STATEMENTS = (
    "if E:\nB\nelif E:\nB\nelse:\nB",
    "while E:\nB\n    if P:\n        break\n    continue",
    "for P in E:\nB\nelse:\nB",
    "async for P in E:\nB",
    "async with E as P:\nB",
    "with E, E:\nB",
    "try:\nB\nexcept E as error:\nB\nelse:\nB\nfinally:\nB",
    "match E:\n    case [value, *_] if E:\nBB\n    case {'a': item, **total}:\nBB",
    "async def nested(item=E):\n    nonlocal value\nB",
)
PROGRAM = """\
import asyncio
COUNT = 0
TABLE = {}
class Service:
    def __init__(self, value):
        self.state = None
        self.items = {}
        self.lock = asyncio.Lock()
    async def step(self, value=None, total=0, *, key=None, item=None):
        global COUNT
BB
    async def work(self, value, total, item):
        global COUNT
BB
async def main(self, value, total, item):
    global COUNT
B
"""


def program(chance: Random) -> str:
    """Make a program; what it does is senseless, and now and then it is no Python."""
    return _filled(PROGRAM, chance, depth=3)


def _filled(pattern: str, chance: Random, depth: int) -> str:
    lines = (_line_or_block(line, chance, depth) for line in pattern.split("\n"))
    return "\n".join(lines)


def _line_or_block(line: str, chance: Random, depth: int) -> str:
    if line not in ("B", "BB"):
        return _with_expressions(line, chance, depth)
    statements = (_statement(chance, depth - 1) for _ in range(chance.randint(1, 3)))
    indentation = " " * 4 * len(line)
    return "\n".join(indentation + line for text in statements for line in text.split("\n"))


def _statement(chance: Random, depth: int) -> str:
    patterns = COMPOUND_STATEMENTS if depth > 0 and chance.random() < 0.4 else SIMPLE_STATEMENTS
    return _filled(chance.choice(patterns), chance, depth)


def _with_expressions(line: str, chance: Random, depth: int) -> str:
    words = {
        "E": lambda: _expression(chance, depth - 1),
        "P": lambda: chance.choice(NAMES + FIELDS),
        "N": lambda: chance.choice(NAMES),
        "O": lambda: chance.choice(OPERATORS),
    }
    # The letters stand alone: no other word of a pattern is one capital letter.
    pieces = re.split(r"\b([EPNO])\b", line)
    return "".join(words[piece]() if piece in words else piece for piece in pieces)


def _expression(chance: Random, depth: int) -> str:
    if depth <= 0 or chance.random() < 0.4:
        return chance.choice(NAMES + FIELDS + LITERALS)
    return _with_expressions(chance.choice(EXPRESSIONS), chance, depth)
