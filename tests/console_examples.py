"""The examples of a page of the documentation: its files, and commands with what they print."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def examples(page: str) -> list[tuple[str, str]]:
    """Commands with what they print; `...` stands for the rest of a line."""
    consoles = blocks(page, "console")
    parts = [part for block in consoles for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [(command, shown) for command, _, shown in (part.partition("\n") for part in parts)]


def folder_of_page(page: str, folder: Path) -> Path:
    """The folder with the page's first Python block as `purse.py`, and the command under its name."""
    (folder / "purse.py").write_text(blocks(page, "python")[0])
    (folder / "lane-lint").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m lane_lint "$@"\n')
    (folder / "lane-lint").chmod(0o755)
    return folder


def require_printed(command: str, folder: Path, shown: str) -> None:
    """Run a command in the folder; what it prints has to be what is shown."""
    environment = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["sh", "-c", f"{command} 2>&1"],
        capture_output=True, text=True, cwd=folder, env=environment, timeout=60, check=False,
    )  # fmt: skip
    pattern = re.escape(shown).replace(r"\.\.\.", ".*")
    assert re.fullmatch(pattern, done.stdout), done.stdout
