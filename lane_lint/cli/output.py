"""Where reports go: standard output, or a file that is replaced in one step."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass

from lane_lint.cli.status import complain
from lane_lint.report import FORMATS, rendered
from lane_lint.report.content import Report
from lane_lint.settings import ConfigError


@dataclass(frozen=True, slots=True)
class Destination:
    """One report to write; a file of None is standard output."""

    format_name: str
    file: str | None


def destinations(format_name: str, outputs: Sequence[str]) -> list[Destination]:
    """Read `--format` and every `--output FORMAT[=FILE]`.

    Raises:
        ConfigError: A format is unknown, or two reports would go to standard output.
    """
    found: list[Destination] = []
    for output in outputs:
        name, _, file = output.partition("=")
        if name not in FORMATS:
            raise ConfigError("command line", "--output", output, f"one of {', '.join(FORMATS)}, then =FILE")
        found.append(Destination(name, file or None))
    on_standard_output = [one for one in found if one.file is None]
    if len(on_standard_output) > 1:
        raise ConfigError("command line", "--output", list(outputs), "one format without =FILE")
    return found if on_standard_output else [Destination(format_name, None), *found]


def write_report(report: Report, destination: Destination) -> bool:
    """Write one report; a file that cannot be written is complained about and gives False."""
    text = rendered(report, destination.format_name)
    if destination.file is None:
        sys.stdout.write(text)
        return True
    try:
        _replace_file(destination.file, text)
    except OSError as error:
        complain(f"{destination.file}: {error.strerror or error}")
        return False
    return True


def _replace_file(path: str, text: str) -> None:
    if os.path.exists(path) and not os.path.isfile(path):
        with open(
            path, "w", encoding="utf-8", errors="backslashreplace"
        ) as stream:  # a pipe or a device is written as it is
            stream.write(text)
        return
    folder = os.path.dirname(path) or "."
    descriptor, temporary = tempfile.mkstemp(dir=folder, prefix=".lane-lint-")
    try:
        with open(descriptor, "w", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(text)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask() -> int:
    current = os.umask(0o022)
    os.umask(current)
    return current
