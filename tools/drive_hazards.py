"""Drive published packages into the wrong results that hazards/ is about, each package in an environment of its own.

python tools/drive_hazards.py                   install what is missing, run every script, print a table in Markdown
python tools/drive_hazards.py nats_flow_control ...
"""

from __future__ import annotations

import argparse
import ast
import subprocess
import sys
import venv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
HAZARDS = PROJECT / "hazards"
# git ignores build/.
DEFAULT_ENVIRONMENTS = PROJECT / "build" / "hazards"
_SHARED = "driving"
_TIME_LIMIT_SECONDS = 120
_VERDICTS = {0: "wrong result seen", 1: "not seen", 2: "not installed"}


class InstallError(Exception):
    """A package cannot be installed; the text says why."""


@dataclass(frozen=True)
class Script:
    """One script of hazards/, as its constant HAZARD describes it.

    Attributes:
        package: `name==version`, as on the index.
        finding: Code and place.
        right: What the calls give one after the other.
        wrong: What they give when they overlap.
    """

    path: Path
    package: str
    finding: str
    right: str
    wrong: str


def script_at(path: Path) -> Script:
    """Read what a script is about without running it."""
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        match statement:
            case ast.Assign(targets=[ast.Name("HAZARD")], value=ast.Call(keywords=keywords)):
                values = {str(each.arg): ast.literal_eval(each.value) for each in keywords}
                return Script(path, **values)
    raise ValueError(f"{path}: no HAZARD = Hazard(package=..., finding=..., right=..., wrong=...)")


def scripts() -> list[Script]:
    """All of them, by name."""
    return [script_at(path) for path in sorted(HAZARDS.glob("*.py")) if path.stem != _SHARED]


def interpreter_for(package: str, environments: Path) -> Path:
    """The Python of the environment that has `package`; made and filled the first time.

    Raises:
        InstallError: pip cannot install the package.
    """
    folder = environments / package.replace("==", "-")
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not python.exists():
        venv.create(folder, with_pip=True)
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package]
    done = subprocess.run(install, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        raise InstallError(f"cannot install {package}: {reason}")
    return python


def run(script: Script, python: Path) -> int:
    """Run one script and give its exit status: 0 seen, 1 not seen, 2 not installed; its errors are passed on."""
    done = subprocess.run(
        [str(python), str(script.path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=_TIME_LIMIT_SECONDS,
    )
    if done.returncode:
        print(f"{script.path.name}:\n{done.stdout}{done.stderr}", file=sys.stderr)
    return done.returncode


def table(results: Sequence[tuple[Script, int]]) -> Iterator[str]:
    """What was executed, a line for each script."""
    yield "| script | package | finding | one after the other | overlapping | result |"
    yield "|---|---|---|---|---|---|"
    for script, status in results:
        code, _, place = script.finding.partition(" ")
        cells = [f"`hazards/{script.path.name}`", script.package.replace("==", " "), f"{code} `{place}`"]
        yield f"| {' | '.join([*cells, script.right, script.wrong, _VERDICTS.get(status, 'failed')])} |"


def main() -> int:
    """Run the scripts that were named, or all; 0 when each saw its wrong result, 1 when not, 2 without a package."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    known = scripts()
    parser.add_argument("names", nargs="*", metavar="SCRIPT", help="names in hazards/ (default: all)")
    parser.add_argument("--environments", type=Path, default=DEFAULT_ENVIRONMENTS, metavar="FOLDER")
    options = parser.parse_args()
    names = [script.path.stem for script in known]
    if unknown := sorted(set(options.names) - set(names)):
        parser.error(f"{', '.join(unknown)}: not in hazards/; it has {', '.join(names)}")
    chosen = [script for script in known if not options.names or script.path.stem in options.names]
    try:
        results = [
            (script, run(script, interpreter_for(script.package, options.environments))) for script in chosen
        ]
    except InstallError as error:
        print(error, file=sys.stderr)
        return 2
    print("\n".join(table(results)))
    return max((status for _, status in results), default=0)


if __name__ == "__main__":
    sys.exit(main())
