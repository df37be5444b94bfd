"""`lane-lint prove`: from a finding's name to words and an exit status."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from lane_lint.cli import main

LOST = """\
class Notebook:
    def __init__(self, client):
        self._client = client
        self._thread = None

    async def thread(self):
        if self._thread is None:
            self._thread = await self._client.create()
        return self._thread
"""


@pytest.fixture
def notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "notebook.py"
    file.write_text(LOST, encoding="utf-8")
    return file


def test_a_conviction_is_shown_step_by_step(notebook: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "LAN103:notebook.py:8"]) == 1
    shown = capsys.readouterr().out
    assert shown.startswith("notebook.py:8:13: LAN103 'self._thread' was tested on line 7")
    assert (
        "double effect: both calls ask for 'client.create', which only one of them does in every order"
        in shown
    )
    assert "if these two calls may overlap: a is Notebook.thread, b is Notebook.thread" in shown
    assert "notebook.py:7  if self._thread is None:    [reads self._thread = None]" in shown
    assert "replay: a starts; b starts; client.create#1 ends; client.create#2 ends" in shown


def test_json_has_the_same(notebook: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "lan103:notebook.py:8:13", "--format", "json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["schema_version"] == 1
    assert answer["convicts"] is True
    assert answer["kind"] == "double effect"


def test_what_is_not_convicted_is_not_cleared(notebook: Path, capsys: pytest.CaptureFixture[str]) -> None:
    notebook.write_text(
        "import asyncio\n\n\n"
        "class Cache:\n"
        "    def __init__(self, load):\n"
        "        self._load, self._rows, self._lock = load, None, asyncio.Lock()\n\n"
        "    async def reload(self):\n"
        "        async with self._lock:\n"
        "            self._rows = await self._load()\n\n"
        "    async def rows(self):\n"
        "        async with self._lock:\n"
        "            return self._rows\n\n"
        "    def forget(self):\n"
        "        self._rows = None\n",
        encoding="utf-8",
    )
    assert main(["prove", "LAN106:notebook.py:17"]) == 0
    shown = capsys.readouterr().out
    assert "not convicted: no overlap was found that no order of the calls allows" in shown
    assert "this clears nothing" in shown
    assert main(["prove", "LAN106:notebook.py:17", "--stale-fill"]) == 1
    assert "stale fill: " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("LAN103", "a finding is named CODE:PATH:LINE, such as LAN103:pool.py:41, not 'LAN103'"),
        ("LAN103:gone.py:1", "gone.py: No such file or directory"),
        ("LAN103:notebook.py:2", "notebook.py has no LAN103 on line 2; it has LAN103 on line 8"),
        ("LAN105:notebook.py:8", "notebook.py has no LAN105 on line 8; it has LAN103 on line 8"),
    ],
)
def test_what_cannot_be_proved_is_said(
    notebook: Path, capsys: pytest.CaptureFixture[str], words: str, said: str
) -> None:
    assert main(["prove", words]) == 2
    assert said in capsys.readouterr().err


def test_the_harness_is_a_test_that_can_be_kept(notebook: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "LAN103:notebook.py:8", "--write", "test_notebook.py"]) == 1
    written = notebook.with_name("test_notebook.py").read_text(encoding="utf-8")
    assert "FILL IN" in written
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_notebook.py"],
        cwd=notebook.parent, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "double effect" in done.stdout
    capsys.readouterr()
    assert main(["prove", "LAN103:notebook.py:8", "--write", "test_notebook.py"]) == 2
    assert "test_notebook.py exists" in capsys.readouterr().err


def test_an_interpreter_without_the_runtime_is_said(
    notebook: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S "$3"\n', encoding="utf-8")
    python.chmod(0o755)
    assert main(["prove", "LAN103:notebook.py:8", "--python", str(python)]) == 2
    assert "has no lane_runtime: install state-lane there" in capsys.readouterr().err


def test_a_module_that_hangs_is_stopped(notebook: Path, capsys: pytest.CaptureFixture[str]) -> None:
    notebook.write_text(LOST + "\nwhile True:\n    pass\n", encoding="utf-8")
    assert main(["prove", "LAN103:notebook.py:8", "--seconds", "2"]) == 2
    assert "did not end within 2 seconds" in capsys.readouterr().err


def test_check_runs_nothing(notebook: Path, capsys: pytest.CaptureFixture[str]) -> None:
    notebook.write_text(LOST + "\nraise SystemExit('was run')\n", encoding="utf-8")
    assert main(["check", "--no-cache", "notebook.py"]) == 1
    assert "was run" not in capsys.readouterr().out
