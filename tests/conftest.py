"""What the tests of the checker share: its project, and its commands in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from sample_defect import CHECK_AWAIT_ACT

PROJECT = Path(__file__).resolve().parent.parent

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run_module(tmp_path: Path) -> Run:
    """Run `python -m MODULE ...` in `tmp_path`, without the settings of who runs the tests."""

    def run(
        module: str,
        *arguments: str,
        stdin: str | bytes = "",
        environment: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        limit: float = 100,
    ) -> subprocess.CompletedProcess[str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        data = stdin.encode() if isinstance(stdin, str) else stdin
        done = subprocess.run(
            [sys.executable, "-m", module, *arguments],
            input=data,
            capture_output=True,
            cwd=cwd or tmp_path,
            env={**kept, "HOME": str(tmp_path), "PYTHONIOENCODING": "utf-8", **(environment or {})},
            timeout=limit,
            check=False,
        )
        return subprocess.CompletedProcess(
            done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
        )

    return run


@pytest.fixture
def lane_lint(run_module: Run) -> Run:
    """Run `python -m lane_lint ...` in `tmp_path`."""

    def run(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
        return run_module("lane_lint", *arguments, **options)

    return run


@pytest.fixture
def racy_file(tmp_path: Path) -> Path:
    """A file `pool.py` whose one defect is LAN103 on `CHECK_AWAIT_ACT_LINE`."""
    path = tmp_path / "pool.py"
    path.write_text(CHECK_AWAIT_ACT)
    return path
