"""Where reports go: standard output, or a file that is replaced in one step."""

from __future__ import annotations

import argparse
import io
import os
import stat
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace

from lane_lint.cli.status import complain
from lane_lint.cli.terminal import shows_colors
from lane_lint.report import FORMATS, rendered
from lane_lint.report.content import Report
from lane_lint.settings import ConfigError
from lane_lint.stopwatch import Clock

STANDARD_OUTPUT = "-"


@dataclass(frozen=True, slots=True)
class Destination:
    """One report to write; a file of None is standard output."""

    format_name: str
    file: str | None


def add_output(parser: argparse.ArgumentParser) -> None:
    """Declare the flags that say how to report."""
    output = parser.add_argument_group("output")
    output.add_argument("--format", choices=FORMATS, default="text", help="format on standard output")
    output.add_argument(
        "--output",
        action="append",
        default=[],
        metavar="FORMAT[=FILE]",
        help="also write this format to FILE; without FILE, or with -, it takes the place of --format (repeatable)",
    )
    output.add_argument("--show-source", action="store_true", help="show the lines of each finding in text")
    output.add_argument("--statistics", action="store_true", help="count the findings of each code")


def destinations(format_name: str, outputs: Sequence[str]) -> list[Destination]:
    """Read `--format` and every `--output FORMAT[=FILE]`.

    Raises:
        ConfigError: A format is unknown, or two reports would go to standard output.
    """
    found: list[Destination] = []
    for output in outputs:
        name, _, file = output.partition("=")
        file = "" if file == STANDARD_OUTPUT else file
        if name not in FORMATS:
            raise ConfigError("command line", "--output", output, f"one of {', '.join(FORMATS)}, then =FILE")
        found.append(Destination(name, file or None))
    on_standard_output = [one for one in found if one.file is None]
    if len(on_standard_output) > 1:
        raise ConfigError("command line", "--output", list(outputs), "one format without =FILE")
    files = [os.path.realpath(one.file) for one in found if one.file is not None and not _is_device(one.file)]
    if len(set(files)) < len(files):
        raise ConfigError("command line", "--output", list(outputs), "a file of its own for each report")
    return found if on_standard_output else [Destination(format_name, None), *found]


def write_reports(report: Report, destinations: Sequence[Destination]) -> bool:
    """Write every report; a file that cannot be written is complained about and gives False."""
    files_first = sorted(destinations, key=lambda one: one.file is None)  # who reads the rest may have gone
    written = [_write_report(report, one) for one in files_first]
    if report.has_statistics and all(one.format_name != "text" for one in destinations):
        from lane_lint.report.text import render_statistics

        sys.stderr.write(render_statistics(report))  # the reports are all for tools
    return all(written)


def write_timings(report: Report, clock: Clock) -> None:
    """Write to standard error what took how long."""
    from lane_lint.report.timings import render_timings

    sys.stderr.write(render_timings(report.files, clock.seconds))


def _write_report(report: Report, destination: Destination) -> bool:
    if destination.file is None:
        _print_report(report, destination.format_name)
        return True
    text = rendered(report, destination.format_name)
    try:
        replace_file(destination.file, text)
    except OSError as error:
        complain(f"cannot write {destination.file}: {error.strerror or error}")
        return False
    return True


def _print_report(report: Report, format_name: str) -> None:
    """Text suits the terminal: its encoding, its colours and a closing line; what tools read is UTF-8 anywhere."""
    if format_name == "text" or not isinstance(sys.stdout, io.TextIOWrapper):
        shown = replace(report, has_summary=sys.stdout.isatty(), is_colored=shows_colors(sys.stdout))
        sys.stdout.write(rendered(shown, format_name))
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(rendered(report, format_name).encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()


def _is_device(path: str) -> bool:
    return os.path.exists(path) and not os.path.isfile(path)


def replace_file(path: str, text: str) -> None:
    """Write a file so that nobody ever sees a part of it; a pipe or a device is written as it is.

    Raises:
        OSError: The folder or the file cannot be written.
    """
    if _is_device(path):
        with open(path, "w", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(text)
        return
    path = os.path.realpath(path)  # a symbolic link stays one
    descriptor, temporary = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".lane-lint-")
    try:
        with open(descriptor, "w", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(text)
        os.chmod(
            temporary, stat.S_IMODE(os.stat(path).st_mode) if os.path.exists(path) else 0o666 & ~_umask()
        )
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask() -> int:
    current = os.umask(0o022)
    os.umask(current)
    return current
