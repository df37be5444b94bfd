"""Run lane-lint on real projects and print, in Markdown, what it finds there.

python tools/real_input.py                      the table of findings per package and code
python tools/real_input.py --sample 50          and 50 findings to read, the same ones for the same seed
python tools/real_input.py --sample 20 --select LAN103 PROJECT ...

A project is a folder; without one, those that python benchmarks/corpus.py has fetched are taken.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

CORPUS = Path(__file__).resolve().parent.parent / "build" / "corpus"
_LINES_AROUND = 12


@dataclass(frozen=True)
class Found:
    """One finding of the JSON report."""

    path: Path
    line: int
    code: str
    message: str
    confidence: str
    related: tuple[tuple[int, str], ...]

    @property
    def is_shown_by_default(self) -> bool:
        return self.confidence != "low"


@dataclass(frozen=True)
class Project:
    """What one run on one project said.

    Attributes:
        failure: What the run said when it ended with neither 0 nor 1; "" when it did not.
    """

    name: str
    folder: Path
    files: int
    lines: int
    findings: tuple[Found, ...]
    failure: str

    @property
    def crashes(self) -> list[Found]:
        return [found for found in self.not_analysed if "internal error" in found.message]

    @property
    def not_analysed(self) -> list[Found]:
        return [found for found in self.findings if found.code == "LAN901"]


def check_project(folder: Path) -> Project:
    """Run the command inside one project, as its authors would, with findings of every confidence."""
    command = [sys.executable, "-m", "lane_lint", "check", "--format", "json", "--min-confidence", "low"]
    done = subprocess.run([*command, "."], capture_output=True, text=True, check=False, cwd=folder)
    has_failed = done.returncode not in (0, 1) or "Traceback" in done.stderr
    failure = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
    report = json.loads(done.stdout) if done.stdout.startswith("{") else {"findings": []}
    sources = [path for path in folder.rglob("*.py*") if path.suffix in (".py", ".pyi") and path.is_file()]
    lines = sum(path.read_bytes().count(b"\n") for path in sources)
    files = report.get("statistics", {}).get("files", 0)
    findings = tuple(_found(each, folder) for each in report["findings"])
    return Project(folder.name, folder, files, lines, findings, failure if has_failed else "")


def _found(finding: Mapping[str, object], folder: Path) -> Found:
    related = finding["related"]
    assert isinstance(related, list)
    return Found(
        path=folder / str(finding["path"]),
        line=int(str(finding["line"])),
        code=str(finding["code"]),
        message=str(finding["message"]),
        confidence=str(finding["confidence"]),
        related=tuple((other["line"], other["message"]) for other in related),
    )


# The table


def table(projects: Sequence[Project]) -> Iterator[str]:
    """Findings per project and code: a column for medium and high, one for low."""
    codes = sorted({found.code for project in projects for found in project.findings})
    yield "| project | kloc | " + " | ".join(f"{code} | low" for code in codes) + " | all | low |"
    yield "|---|--:|" + "--:|--:|" * (len(codes) + 1)
    for project in projects:
        yield _row(project.name, project.lines, project.findings, codes)
    findings = [found for project in projects for found in project.findings]
    yield _row("**all**", sum(project.lines for project in projects), findings, codes)


def _row(name: str, lines: int, findings: Sequence[Found], codes: Sequence[str]) -> str:
    shown = Counter(found.code for found in findings if found.is_shown_by_default)
    low = Counter(found.code for found in findings if not found.is_shown_by_default)
    cells = [f"{shown[code] or ''} | {low[code] or ''}" for code in codes]
    return f"| {name} | {lines / 1000:.1f} | {' | '.join(cells)} | {shown.total()} | {low.total()} |"


def troubles(projects: Sequence[Project]) -> Iterator[str]:
    """What could not be checked, and why."""
    failed = [project for project in projects if project.failure]
    crashes = [found for project in projects for found in project.crashes]
    left_out = [found for project in projects for found in project.not_analysed]
    files = sum(project.files for project in projects)
    yield f"Files: {files}; runs that failed: {len(failed)}; internal errors: {len(crashes)}; LAN901: {len(left_out)}"
    for project in failed:
        yield f"- {project.name}: {project.failure}"
    for project in projects:
        for found in project.not_analysed:
            yield f"- {_place(found, project)}: {found.message}"


# The sample


def sample(projects: Sequence[Project], size: int, seed: int, prefixes: Sequence[str]) -> Iterator[str]:
    """Findings of the default level, drawn at random, each with the lines around it."""
    population = [
        (project, found)
        for project in projects
        for found in project.findings
        if found.is_shown_by_default and found.code.startswith(tuple(prefixes))
    ]
    drawn = random.Random(seed).sample(population, min(size, len(population)))
    drawn.sort(key=lambda pair: (pair[0].name, pair[1].path, pair[1].line, pair[1].code))
    yield f"## {len(drawn)} of {len(population)} findings, seed {seed}"
    for number, (project, found) in enumerate(drawn, 1):
        yield ""
        yield f"### {number}. {found.code} {found.confidence} {_place(found, project)}"
        yield found.message
        yield from (f"- line {line}: {message}" for line, message in found.related)
        yield "```python"
        yield from _excerpt(found)
        yield "```"


def _place(found: Found, project: Project) -> str:
    return f"{found.path.relative_to(project.folder.parent).as_posix()}:{found.line}"


def _excerpt(found: Found) -> Iterator[str]:
    """The lines around a finding, and those it refers to with their neighbours."""
    lines = found.path.read_text(encoding="utf-8", errors="replace").split("\n")
    half = _LINES_AROUND // 2
    wanted = set(range(found.line - half, found.line + half + 1))
    for line, _ in found.related:
        wanted.update(range(line - 1, line + 2))
    before = 0
    for number in sorted(wanted & set(range(1, len(lines) + 1))):
        if before and number > before + 1:
            yield "  ..."
        yield f"{'>' if number == found.line else ' '} {number:5} {lines[number - 1]}"
        before = number


def main() -> int:
    """Print the table, and a sample when one is asked for; 1 when a run failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="*", type=Path, metavar="PROJECT")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="findings to print for reading")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="draws the same sample again")
    parser.add_argument(
        "--select", type=lambda text: text.split(","), default=["LAN"], metavar="CODES", help="for the sample"
    )
    options = parser.parse_args()
    folders = options.folders or [path for path in sorted(CORPUS.glob("*")) if path.is_dir()]
    if not folders:
        print(f"no projects in {CORPUS}: run python benchmarks/corpus.py, or name folders", file=sys.stderr)
        return 2
    projects = [check_project(folder.resolve()) for folder in folders]
    print("\n".join([*table(projects), "", *troubles(projects)]))
    if options.sample:
        print("\n".join(["", *sample(projects, options.sample, options.seed, options.select)]))
    return 1 if any(project.failure for project in projects) else 0


if __name__ == "__main__":
    sys.exit(main())
