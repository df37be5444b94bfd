"""What git knows of a folder."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

# A hook has them set for the repository it belongs to, with paths from another folder.
_OF_ONE_REPOSITORY = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX")
_UNTRACKED = b"?"


@dataclass(frozen=True, slots=True)
class GitFiles:
    """Names relative to a folder, each once.

    Attributes:
        tracked: Those in the index, whether they are still in the folder or not.
        untracked: The others, without what is ignored.
    """

    tracked: tuple[str, ...] = ()
    untracked: tuple[str, ...] = ()


def git_files(folder: str, suffixes: Sequence[str]) -> GitFiles:
    """The files below a folder with one of these suffixes; none outside a work tree and without git."""
    options = ["-z", "-t", "--cached", "--others", "--exclude-standard"]
    # The folder's own configuration may name a program to run; none is run.
    command = ["git", "-C", folder, "-c", "core.fsmonitor=false", "ls-files", *options, "--"]
    environment = {name: value for name, value in os.environ.items() if name not in _OF_ONE_REPOSITORY}
    try:
        done = subprocess.run(
            [*command, *(f"*{suffix}" for suffix in suffixes)],
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL,
            env=environment,
        )
    except OSError:
        return GitFiles()
    if done.returncode != 0:
        return GitFiles()
    found: dict[bool, dict[str, None]] = {True: {}, False: {}}
    for line in done.stdout.split(b"\0"):
        state, _, name = line.partition(b" ")
        if name:
            found[state != _UNTRACKED][os.fsdecode(name)] = None
    return GitFiles(tuple(found[True]), tuple(found[False]))
