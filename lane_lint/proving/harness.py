"""The text of a harness: a pytest file that a user can read, fill in, run and keep."""

from __future__ import annotations

import os
from dataclasses import dataclass

from lane_lint.proving.partners import Pairing
from lane_lint.proving.target import Target

_MARKS_OF_A_PROJECT = ("pyproject.toml", "setup.py", "setup.cfg", ".git")


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is tried, and what counts.

    Attributes:
        schedules: Most for one pair of calls in one starting state.
        seconds: CPU seconds after which no further pair is begun.
    """

    schedules: int
    seconds: float
    stale_fill: bool


@dataclass(frozen=True, slots=True)
class Place:
    """Where a module stands: the folder it is imported from, and its dotted name."""

    folder: str
    module: str
    project: str


def place_of(path: str) -> Place:
    """The folder above the outermost package around a file, the module's name from there, and the project."""
    folder, name = os.path.split(os.path.abspath(path))
    parts = [os.path.splitext(name)[0]]
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        folder, package = os.path.split(folder)
        parts.insert(0, package)
    if parts[-1] == "__init__" and len(parts) > 1:
        parts.pop()
    return Place(folder, ".".join(parts), _project_around(folder))


def _project_around(folder: str) -> str:
    at = folder
    while True:
        if any(os.path.exists(os.path.join(at, mark)) for mark in _MARKS_OF_A_PROJECT):
            return at
        above = os.path.dirname(at)
        if above == at:
            return folder
        at = above


def harness_of(target: Target, pairing: Pairing, limits: Limits) -> str:
    """The whole file."""
    place = place_of(target.path)
    partners = "".join(f"        {name!r},\n" for name in pairing.partners)
    class_name = pairing.subject.rpartition(".")[0] or "Thing"
    return f'''"""Can two calls overlap to what no order of them comes to? {target.code}, {os.path.basename(target.path)} line {target.line}.

Written by `lane-lint prove`. Run it with pytest, or as a program for one line of JSON. The module's own classes
are real; the clock stands still, and libraries, threads, processes and files are replaced by stand-ins.
"""

import sys

from lane_runtime.testing.proof import Case, Maker, prove

sys.path.insert(0, {place.folder!r})


def make(maker: Maker) -> None:
    """FILL IN when an object cannot be made from its annotations: make it here and hand it over.

    For example: maker.use(maker.module.{class_name}(maker.stand_in("dependency"), limit=1))
    """


CASE = Case(
    file={target.path!r},
    module={place.module!r},
    root={place.project!r},
    subject={pairing.subject!r},
    partners=(
{partners}    ),
    fillers={pairing.fillers!r},
    fails={pairing.fails!r},
    make=make,
    stale_fill={limits.stale_fill!r},
    max_schedules={limits.schedules},
    seconds={limits.seconds!r},
)


def test_no_overlap_differs_from_every_order() -> None:
    verdict = prove(CASE)
    assert not verdict.convicts, str(verdict)


if __name__ == "__main__":
    print(prove(CASE).to_json())
'''
