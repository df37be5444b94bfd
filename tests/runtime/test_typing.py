"""What a type checker makes of the public names; skipped where mypy is not installed."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

SNIPPET = """
import asyncio
from typing import assert_type
from lane_runtime import AtomicReference, ConcurrentMap, OperationGate, StateLane, run_all, start_detached, turn, on_lane


def plain(value: int, text: str) -> str:
    return text * value


async def slow(value: int) -> float:
    return float(value)


class Store:
    def __init__(self) -> None:
        self._lane = StateLane("store", capacity=3)

    @turn
    def read(self, key: str, *, default: int = 0) -> int:
        return self._read(key) + default

    @turn
    async def read_slowly(self, key: str) -> bytes:
        return await self._read_slowly(key)

    @on_lane
    def _read(self, key: str) -> int:
        return len(key)

    @on_lane
    async def _read_slowly(self, key: str) -> bytes:
        return key.encode()


async def main() -> None:
    lane = StateLane()
    assert_type(await lane.run(plain, 1, "a"), str)
    assert_type(await lane.run(slow, 1), float)
    assert_type(await lane.run(lambda: 3), int)
    assert_type(lane.run_blocking(plain, 1, "a"), str)
    assert_type(lane.run_blocking(slow, 1, timeout=1.5), float)
    assert_type(lane.try_post(plain, 1, "a"), bool)
    assert_type(await run_all([lane], plain, 1, "a"), str)
    assert_type(await run_all([lane], slow, 1), float)
    assert_type(await start_detached(slow, 1), float)
    assert_type(StateLane.current(), StateLane | None)
    store = Store()
    assert_type(await store.read("a", default=2), int)
    assert_type(await store.read_slowly("a"), bytes)
    gate = OperationGate()
    assert_type(await gate.dispose(slow, 1), float)
    assert_type(await gate.dispose(plain, 1, "a"), str)
    entries: ConcurrentMap[str, int] = ConcurrentMap()
    assert_type(entries.get("a"), int | None)
    assert_type(entries.pop("a", None), int | None)
    assert_type(AtomicReference("a").get(), str)
    async with StateLane() as inner:
        assert_type(inner, StateLane)
"""

WRONG = """
from lane_runtime import StateLane


def plain(value: int) -> int:
    return value


async def main(lane: StateLane) -> None:
    await lane.run(plain, "a")
    lane.try_post(plain)
"""


def check(text: str, directory: Path) -> subprocess.CompletedProcess[str]:
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed")
    (directory / "snippet.py").write_text(textwrap.dedent(text), encoding="utf-8")
    root = Path(__file__).resolve().parents[2]
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--config-file",
            "",
            "--cache-dir",
            str(directory),
            "snippet.py",
        ],
        cwd=directory,
        env={"MYPYPATH": str(root), "PATH": ""},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def test_results_are_inferred(tmp_path):
    done = check(SNIPPET, tmp_path)
    assert done.returncode == 0, done.stdout


def test_wrong_arguments_are_found(tmp_path):
    done = check(WRONG, tmp_path)
    assert done.stdout.count("error:") == 2, done.stdout
