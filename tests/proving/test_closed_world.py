"""Nothing that is proved reaches the real world."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from lane_runtime.testing.proof import Verdict

Proved = Callable[..., Verdict]


def test_a_file_is_not_written(proved: Proved, tmp_path: Path) -> None:
    verdict = proved(f"""
        import pathlib

        class Log:
            def __init__(self, feed):
                self.feed = feed
                self.lines = 0

            async def record(self):
                pathlib.Path({str(tmp_path / "log")!r}).write_text("x")
                self.lines += await self.feed.next()  # here
    """)
    assert not (tmp_path / "log").exists()
    assert verdict.kind == "cannot be made"
    assert "a proof lets nothing out into the real world" in verdict.words


def test_open_threads_and_processes_are_stand_ins(proved: Proved, tmp_path: Path) -> None:
    verdict = proved(f"""
        import asyncio
        import os
        import subprocess

        class Log:
            def __init__(self):
                self.lines = 0

            async def record(self, text):
                with open({str(tmp_path / "log")!r}, "w") as stream:
                    stream.write("x")
                os.remove({str(tmp_path / "other")!r})
                subprocess.run(["false"])
                before = self.lines
                await asyncio.to_thread(text.upper)
                await asyncio.create_subprocess_exec("false")
                self.lines = before + 1  # here
    """)
    assert verdict.kind == "lost update"
    assert list(tmp_path.glob("log")) == []


def test_a_library_that_is_not_installed_is_a_stand_in_and_is_named(proved: Proved) -> None:
    verdict = proved("""
        import no_such_library
        from no_such_library.deep import Client, ClientError

        total = 0

        async def count(url):
            global total
            try:
                total += await no_such_library.get(url)  # here
            except ClientError:
                pass
    """)
    assert verdict.kind == "lost update"
    assert verdict.missing == ("no_such_library", "no_such_library.deep")


def test_the_clocks_stand_still_and_are_given_back(proved: Proved) -> None:
    real = time.time
    verdict = proved("""
        import time

        class Cache:
            def __init__(self, load):
                self._load = load
                self.rows, self.until = None, 0.0

            async def get(self):
                if time.monotonic() > self.until:
                    self.rows = await self._load()
                    self.until = time.monotonic() + 60  # here
                return self.rows
    """)
    assert verdict.kind == "double effect"
    assert time.time is real


def test_a_loop_without_end_is_left(proved: Proved) -> None:
    verdict = proved("""
        import asyncio

        class Saver:
            def __init__(self, disk):
                self.disk = disk
                self.rounds = 0

            async def run(self):
                while True:
                    await asyncio.sleep(10)
                    self.rounds = self.rounds + 1  # here
    """)
    assert verdict.kind == "not convicted"
