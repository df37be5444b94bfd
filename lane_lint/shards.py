"""Shards: which of several machines looks at a file."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from lane_lint.fingerprint import path_from


@dataclass(frozen=True, slots=True, order=True)
class Shard:
    """One of `count` shares of the files, counted from 1."""

    number: int
    count: int

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    def has(self, path: str) -> bool:
        """Whether a file belongs to it; that depends on the file's path from here alone.

        So a file more or less moves no other file to another shard, and what was kept of those still counts.
        """
        if self.count == 1:
            return True
        data = path_from(".", path).encode("utf-8", "surrogatepass")
        digest = hashlib.blake2b(data, digest_size=8).digest()
        return int.from_bytes(digest, "big") % self.count == self.number - 1


WHOLE = Shard(1, 1)


def shard_of(text: str) -> Shard:
    """Read `2/8`.

    Raises:
        ValueError: It is written in another way, or there is no such share.
    """
    match = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text, re.ASCII)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise ValueError(f"{text!r} is no share such as 2/8, the second of eight")
    return Shard(int(match[1]), int(match[2]))
