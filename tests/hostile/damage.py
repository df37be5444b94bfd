"""Files as a broken disk, editor or merge leaves them; the same seed damages in the same way."""

from __future__ import annotations

import random
from collections.abc import Callable

Damage = Callable[[bytes, random.Random], bytes]


def cut_off(data: bytes, chance: random.Random) -> bytes:
    """End anywhere, also inside a character or a string."""
    return data[: chance.randrange(len(data) + 1)]


def with_flipped_bits(data: bytes, chance: random.Random) -> bytes:
    """Flip one bit in each of up to eight bytes."""
    damaged = bytearray(data)
    for _ in range(chance.randint(1, 8)):
        damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
    return bytes(damaged)


def with_a_part_missing(data: bytes, chance: random.Random) -> bytes:
    """Lose up to two hundred bytes in the middle."""
    start = chance.randrange(len(data))
    return data[:start] + data[start + chance.randint(1, 200) :]


def with_lines_missing(data: bytes, chance: random.Random) -> bytes:
    """Lose each line with a chance of one in ten: much of what is left is Python still."""
    return b"".join(line for line in data.splitlines(keepends=True) if chance.random() > 0.1)


def with_lines_swapped(data: bytes, chance: random.Random) -> bytes:
    """Swap lines that stand one below the other."""
    lines = data.splitlines(keepends=True)
    for _ in range(chance.randint(1, 5)):
        place = chance.randrange(len(lines) - 1) if len(lines) > 1 else 0
        lines[place : place + 2] = reversed(lines[place : place + 2])
    return b"".join(lines)


def with_another_indentation(data: bytes, chance: random.Random) -> bytes:
    """Give some lines a tab, or a space more, in front."""
    return b"".join(
        chance.choice((b"\t", b" ")) + line if chance.random() < 0.05 else line
        for line in data.splitlines(keepends=True)
    )


DAMAGES: tuple[Damage, ...] = (
    cut_off,
    with_flipped_bits,
    with_a_part_missing,
    with_lines_missing,
    with_lines_swapped,
    with_another_indentation,
)
