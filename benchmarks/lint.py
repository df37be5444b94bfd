"""What lane-lint costs, beside its peers, on real projects: one run, CPU time, medians, as Markdown.

python benchmarks/lint.py                                      everything; flake8 alone takes minutes
python benchmarks/lint.py --packages nats-py --rounds 1        a quick look
python benchmarks/lint.py --only command,growth

Figures of one run can be compared with one another, those of different runs or machines cannot.
The peers flake8-async and flake8-bugbear are measured where they are installed beside flake8.
"""

from __future__ import annotations

import argparse
import compileall
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import growing_code
from corpus import FetchError, add_arguments, fetched, pinned_packages, python_files
from cpu_time import Command, CommandError, medians

import lane_lint

HERE = Path(__file__).resolve().parent
OURS = "state-lane"
PEERS = ("flake8-bugbear", "flake8-async")
SLOW_PEER = "flake8-async"
# flake8-async needs seconds for a thousand lines, so the larger projects are left out for it.
SLOW_PEER_LINES = 25_000
_DEFECT = "class A:\n async def f(self):\n  if self.x is None:\n   self.x = await g()\n"


@dataclass(frozen=True)
class Project:
    """The files of one project, the same for every contestant."""

    name: str
    files: tuple[str, ...]
    lines: int


@dataclass(frozen=True)
class Run:
    """What a section needs: the projects, how often, an empty folder to run in, and whom to compare with."""

    projects: Sequence[Project]
    rounds: int
    folder: Path
    peers: Sequence[str]


# flake8 with and without plugins


def flake8_command(plugin: str, *arguments: str) -> Command:
    """flake8 with its defaults and one more plugin; "none" for no other."""
    return (sys.executable, str(HERE / "flake8_with.py"), plugin, "--isolated", "--jobs", "1", *arguments)


def flake8_section(run: Run) -> Iterator[str]:
    """CPU time of plain flake8, and what each plugin adds to it."""
    _require_that_only_ours_runs(run.folder)
    plugins = ["none", OURS, *filter(_is_installed, run.peers)]
    yield f"| project | kloc | flake8, s | {' | '.join(f'with {p}, s | adds' for p in plugins[1:])} |"
    yield f"|---|--:|--:|{'--:|--:|' * (len(plugins) - 1)}"
    commands = {
        (project.name, plugin): flake8_command(plugin, *project.files)
        for project in run.projects
        for plugin in plugins
        if plugin != SLOW_PEER or project.lines <= SLOW_PEER_LINES
    }
    times = medians(commands, run.rounds, run.folder)
    for project in run.projects:
        yield _flake8_row(project.name, [project], plugins, times)
    yield _flake8_row("**all**", run.projects, plugins, times)


def _flake8_row(
    name: str,
    projects: Sequence[Project],
    plugins: Sequence[str],
    times: Mapping[tuple[str, str], float],
) -> str:
    cells = [f"{sum(p.lines for p in projects) / 1000:.1f}"]
    for plugin in plugins:
        measured = [p.name for p in projects if (p.name, plugin) in times]
        with_plugin = sum(times[each, plugin] for each in measured)
        plain = sum(times[each, "none"] for each in measured)
        note = "" if len(measured) == len(projects) else f" ({len(measured)} projects)"
        if plugin == "none":
            cells.append(f"{plain:.2f}")
        elif not measured:
            cells += ["", ""]
        else:
            cells += [f"{with_plugin:.2f}{note}", f"{(with_plugin / plain - 1) * 100:+.1f} %"]
    return f"| {name} | {' | '.join(cells)} |"


def _require_that_only_ours_runs(folder: Path) -> None:
    """Make sure that a run with the plugin reports a defect and that a plain run does not."""
    probe = folder / "probe.py"
    probe.write_text(_DEFECT, encoding="utf-8")
    for plugin, expected in ((OURS, True), ("none", False)):
        # The exit status is 1 when a LAN code is reported and 0 when none is.
        finds = _exit_status(flake8_command(plugin, "--select", "LAN", str(probe))) == 1
        if finds is not expected:
            raise CommandError(f"flake8 with plugin {plugin}: LAN codes reported: {finds}, not {expected}")


def _exit_status(command: Command) -> int:
    return subprocess.run(list(command), capture_output=True, check=False).returncode


def _is_installed(distribution: str) -> bool:
    try:
        version(distribution)
    except PackageNotFoundError:
        return False
    return True


# The command


def command_section(run: Run) -> Iterator[str]:
    """Thousand lines per CPU second of the command and of bare parsers, start-up apart."""
    readers: dict[str, Command] = {
        "ast.parse": (sys.executable, str(HERE / "reading.py"), "ast"),
        "libcst.parse_module": (sys.executable, str(HERE / "reading.py"), "libcst"),
        "lane-lint check": (sys.executable, "-m", "lane_lint", "check", "--no-cache", "--jobs", "1"),
    }
    smallest = run.folder / "smallest.py"
    smallest.write_text(_DEFECT, encoding="utf-8")
    yield "| project | kloc | " + " | ".join(f"{name}, s | kloc/s" for name in readers) + " |"
    yield f"|---|--:|{'--:|--:|' * len(readers)}"
    commands = {(reader, ""): (*command, str(smallest)) for reader, command in readers.items()}
    commands |= {
        (reader, project.name): (*command, *project.files)
        for project in run.projects
        for reader, command in readers.items()
    }
    times = medians(commands, run.rounds, run.folder)
    start_up = [f"{times[reader, '']:.2f} | " for reader in readers]
    yield f"| start-up (taken off below) | 0.0 | {' | '.join(start_up)} |"
    for project in run.projects:
        yield _command_row(project.name, [project], readers, times)
    yield _command_row("**all**", run.projects, readers, times)


def _command_row(
    name: str,
    projects: Sequence[Project],
    readers: Mapping[str, Command],
    times: Mapping[tuple[str, str], float],
) -> str:
    lines = sum(project.lines for project in projects)
    cells = []
    for reader in readers:
        seconds = sum(times[reader, project.name] - times[reader, ""] for project in projects)
        cells.append(f"{seconds:.2f} | {lines / 1000 / max(seconds, 0.001):.1f}")
    return f"| {name} | {lines / 1000:.1f} | {' | '.join(cells)} |"


# Growth and start-up


def growth_section(run: Run) -> Iterator[str]:
    """Time for code of growing size; the last column is 2.0 where time is linear in size."""
    programs = {"": _DEFECT}
    programs |= {f"function of {n} lines": growing_code.long_function(n) for n in growing_code.LINES}
    programs |= {f"{n} nested ifs": growing_code.nested_ifs(n) for n in growing_code.DEPTHS}
    programs |= {f"chain of {n} helpers": growing_code.chained_helpers(n) for n in growing_code.CHAINS}
    commands: dict[str, Command] = {}
    for number, (name, text) in enumerate(programs.items()):
        path = run.folder / f"growing_{number}.py"
        path.write_text(text, encoding="utf-8")
        commands[name] = (sys.executable, "-m", "lane_lint", "check", "--no-cache", "--jobs", "1", str(path))
    times = medians(commands, run.rounds, run.folder)
    yield "| code | lines | s without start-up | per doubling of the size before |"
    yield "|---|--:|--:|--:|"
    seconds = {name: times[name] - times[""] for name in programs if name}
    halves = {f"function of {n} lines": f"function of {n // 2} lines" for n in growing_code.LINES}
    halves |= {f"{n} nested ifs": f"{n // 2} nested ifs" for n in growing_code.DEPTHS if n % 2 == 0}
    halves |= {f"chain of {n} helpers": f"chain of {n // 2} helpers" for n in growing_code.CHAINS}
    for name, spent in seconds.items():
        half = seconds.get(halves.get(name, ""))
        ratio = f"{spent / half:.2f}" if half else ""
        yield f"| {name} | {len(programs[name].splitlines())} | {spent:.3f} | {ratio} |"


def startup_section(run: Run) -> Iterator[str]:
    """`lane-lint --version` beside an interpreter that does nothing."""
    commands: dict[str, Command] = {
        "python -c pass": (sys.executable, "-c", "pass"),
        "lane-lint --version": (sys.executable, "-m", "lane_lint", "--version"),
    }
    times = medians(commands, max(run.rounds, 1) * 5, run.folder)
    bare = times["python -c pass"]
    yield "| command | CPU ms | over the bare interpreter |"
    yield "|---|--:|--:|"
    for name, seconds in times.items():
        yield f"| {name} | {seconds * 1000:.0f} | {(seconds - bare) * 1000:+.0f} |"


SECTIONS: Mapping[str, tuple[str, Callable[[Run], Iterator[str]]]] = {
    "flake8": ("flake8 --jobs 1, CPU time", flake8_section),
    "command": ("lane-lint check --no-cache --jobs 1, CPU time", command_section),
    "growth": ("Growth with the size of a function", growth_section),
    "startup": ("Start-up", startup_section),
}


def _sections(text: str) -> list[str]:
    names = text.split(",")
    for name in names:
        if name not in SECTIONS:
            raise argparse.ArgumentTypeError(f"{name}: allowed are {', '.join(SECTIONS)}")
    return names


def _projects(options: argparse.Namespace) -> list[Project]:
    projects = []
    for folder in fetched(pinned_packages(options.packages), options.cache):
        files = python_files(folder.resolve())
        lines = sum(path.read_bytes().count(b"\n") for path in files)
        projects.append(Project(folder.name, tuple(map(str, files)), lines))
    return projects


def _compile_as_installed() -> None:
    """Write the checker's bytecode, as pip does where it installs; an editable install may never have any."""
    compileall.compile_dir(Path(lane_lint.__file__).parent, quiet=1)


def main() -> int:
    """Measure the sections that were asked for and print a table for each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_arguments(parser)
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="runs of each command")
    parser.add_argument(
        "--only", type=_sections, default=list(SECTIONS), metavar="SECTIONS", help=", ".join(SECTIONS)
    )
    parser.add_argument(
        "--peers",
        type=lambda text: [name for name in text.split(",") if name],
        default=PEERS,
        metavar="NAMES",
        help=f"flake8 plugins to compare with, may be empty (default: {','.join(PEERS)})",
    )
    options = parser.parse_args()
    _compile_as_installed()
    try:
        needs_projects = not {"flake8", "command"}.isdisjoint(options.only)
        projects = _projects(options) if needs_projects else []
        with tempfile.TemporaryDirectory() as folder:
            run = Run(projects, options.rounds, Path(folder), options.peers)
            print(f"Python {platform.python_version()}, medians of {options.rounds} rounds")
            for name in options.only:
                title, section = SECTIONS[name]
                print(f"\n### {title}\n", flush=True)
                for line in section(run):
                    print(line, flush=True)
    except (FetchError, CommandError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
