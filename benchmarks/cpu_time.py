"""CPU time of child processes, in rounds that take turns, so that a slow minute hits all alike."""

from __future__ import annotations

import os
import statistics
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

Key = TypeVar("Key")
Command = Sequence[str]


class CommandError(Exception):
    """A command that is measured did not do its work; the text says which and why."""


def cpu_seconds(command: Command, folder: Path) -> float:
    """User and system time of one run of `command` and of the processes it waited for.

    Raises:
        CommandError: It ended with a status other than 0 (clean) and 1 (findings).
    """
    with open(os.devnull, "wb") as nowhere:
        process = subprocess.Popen(
            list(command), cwd=folder, stdin=subprocess.DEVNULL, stdout=nowhere, stderr=subprocess.PIPE
        )
        assert process.stderr is not None
        complaint = process.stderr.read().decode(errors="replace")
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        process.stderr.close()
    if process.returncode not in (0, 1) or "Traceback" in complaint:
        start = " ".join(command[:6])
        raise CommandError(f"{start} ... ended with {process.returncode}: {complaint[-400:].strip()}")
    return usage.ru_utime + usage.ru_stime


def medians(commands: Mapping[Key, Command], rounds: int, folder: Path) -> dict[Key, float]:
    """Median CPU seconds of each command over `rounds` rounds, each of which runs all of them once."""
    times: dict[Key, list[float]] = {key: [] for key in commands}
    for _ in range(rounds):
        for key, command in commands.items():
            times[key].append(cpu_seconds(command, folder))
    return {key: statistics.median(values) for key, values in times.items()}
