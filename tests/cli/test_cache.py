"""The folder .lane_lint_cache: written by the command, read by flake8, and of no matter when it is broken."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

BASE = """\
import asyncio

class Base:
    def __init__(self):
        self._guard = asyncio.Lock()

    async def reload(self):
        async with self._guard:
            await asyncio.sleep(0)
"""
SUB = """\
from base import Base

class Sub(Base):
    async def renew(self):
        async with self._guard:
            await self.reload()
"""
DUE = "sub.py:6:13: LAN311"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text("[tool.lane-lint]\nacross-files = true\n")
    (tmp_path / "base.py").write_text(BASE)
    (tmp_path / "sub.py").write_text(SUB)
    return tmp_path


def cache_of(project: Path) -> Path:
    return project / ".lane_lint_cache"


def entries(project: Path) -> list[Path]:
    return sorted(cache_of(project).rglob("*.json"))


def findings(output: str) -> list[str]:
    return [line for line in output.splitlines() if "LAN" in line]


def test_the_command_keeps_what_it_found_out(lane_lint, project) -> None:
    assert DUE in lane_lint("check").stdout
    assert entries(project)
    assert all(json.loads(path.read_text()) for path in entries(project))
    assert str(project) not in "".join(path.read_text() for path in entries(project))


def test_the_folder_ignores_itself(lane_lint, project) -> None:
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    lane_lint("check", "base.py", "sub.py")
    shown = subprocess.run(
        ["git", "-C", str(project), "status", "--porcelain"], capture_output=True, text=True, check=True
    )
    assert shown.stdout.split() == ["??", "base.py", "??", "pyproject.toml", "??", "sub.py"]


def test_no_cache_writes_nothing_and_finds_the_same(lane_lint, project) -> None:
    assert DUE in lane_lint("check", "--no-cache").stdout
    assert not cache_of(project).exists()


def test_nothing_is_kept_where_no_module_rests_on_another(lane_lint, project) -> None:
    lane_lint("check", "base.py")
    assert not cache_of(project).exists()


def test_flake8_finds_the_same_once_the_command_has_run(run_module, lane_lint, project) -> None:
    before = run_module("flake8", "--select=LAN", "sub.py")
    assert before.stdout == ""
    assert not cache_of(project).exists(), "flake8 only reads"
    by_command = findings(lane_lint("check", "sub.py").stdout)
    kept = entries(project)
    by_flake8 = findings(run_module("flake8", "--select=LAN", "sub.py").stdout)
    assert by_flake8 == by_command
    assert len(by_command) == 1
    assert entries(project) == kept


def test_flake8_finds_it_in_a_file_that_was_edited_since(run_module, lane_lint, project) -> None:
    lane_lint("check")
    (project / "sub.py").write_text("# edited\n" + SUB)
    assert "sub.py:7:13: LAN311" in run_module("flake8", "--select=LAN", "sub.py").stdout


def test_flake8_takes_nothing_from_before_the_base_was_edited(run_module, lane_lint, project) -> None:
    lane_lint("check")
    (project / "base.py").write_text(BASE.replace("async with self._guard:", "if self._guard:"))
    assert run_module("flake8", "--select=LAN", "sub.py").stdout == ""


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"{}", b"null", b'{"digest": 1, "entry": 2}', b"\xff\x00"]
)
def test_a_broken_cache_is_of_no_matter(run_module, lane_lint, project, content) -> None:
    clean = lane_lint("check").stdout
    for path in entries(project):
        path.write_bytes(content)
    run_module("flake8", "--select=LAN", "sub.py")
    assert lane_lint("check").stdout == clean
    assert DUE in run_module("flake8", "--select=LAN", "sub.py").stdout, "the command has mended it"


def test_a_foreign_cache_is_of_no_matter(lane_lint, project) -> None:
    clean = lane_lint("check").stdout
    first, *others = entries(project)
    for path in others:
        shutil.copy(first, path)
    assert lane_lint("check").stdout == clean


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
def test_a_cache_that_cannot_be_written_is_of_no_matter(lane_lint, project) -> None:
    cache_of(project).symlink_to("/proc/nothing")
    done = lane_lint("check")
    assert DUE in done.stdout
    assert done.stderr == ""
    cache_of(project).unlink()
    cache_of(project).write_text("a file where the folder would be")
    assert lane_lint("check").stdout == done.stdout


def test_standard_input_is_seen_where_its_name_says(lane_lint, project) -> None:
    done = lane_lint("check", "--stdin-display-name", "other.py", "-", stdin=SUB)
    assert "other.py:6:13: LAN311" in done.stdout
