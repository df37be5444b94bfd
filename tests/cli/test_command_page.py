"""docs/command.md: its examples give what they show, and no flag is left out."""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from lane_lint.cli import check
from lane_lint.report import FORMATS

PROJECT = Path(__file__).resolve().parent.parent.parent
PAGE = (PROJECT / "docs" / "command.md").read_text(encoding="utf-8")
ELSEWHERE = {"--help", "--select", "--ignore", "--per-file-ignores", "--min-confidence", "--no-cache"}


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def examples() -> list[tuple[str, str]]:
    """Commands with what they print; `...` stands for the rest of a line."""
    parts = [part for block in blocks("console") for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [(command, shown) for command, _, shown in (part.partition("\n") for part in parts)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "purse.py").write_text(blocks("python")[0])
    (tmp_path / "lane-lint").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m lane_lint "$@"\n')
    (tmp_path / "lane-lint").chmod(0o755)
    return tmp_path


@pytest.mark.parametrize(("command", "shown"), examples(), ids=lambda text: text[:60])
def test_an_example_prints_what_it_shows(folder, command, shown) -> None:
    environment = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["sh", "-c", f"{command} 2>&1"],
        capture_output=True, text=True, cwd=folder, env=environment, timeout=60, check=False,
    )  # fmt: skip
    pattern = re.escape(shown).replace(r"\.\.\.", ".*")
    assert re.fullmatch(pattern, done.stdout), done.stdout


def test_the_json_example_has_every_key(folder, lane_lint) -> None:
    shown = json.loads(blocks("json")[0])
    printed = json.loads(lane_lint("check", "--format", "json", "purse.py").stdout)
    for finding in (*shown["findings"], *printed["findings"]):
        finding["message"] = finding["fingerprint"] = "..."
    assert shown == printed


def test_every_format_and_every_flag_is_described() -> None:
    parser = argparse.ArgumentParser()
    check.add_arguments(parser)
    flags = {word for action in parser._actions for word in action.option_strings if word.startswith("--")}
    assert [flag for flag in sorted(flags - ELSEWHERE) if flag not in PAGE] == []
    assert [name for name in FORMATS if f"| `{name}` |" not in PAGE] == []
