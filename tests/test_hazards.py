"""The scripts of hazards/ are about findings of the table, and say so when there is nothing to see."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest

PROJECT = Path(__file__).resolve().parent.parent
PRECISION = (PROJECT / "docs" / "precision.md").read_text(encoding="utf-8").splitlines()


def loaded(path: Path) -> ModuleType:
    """A module that is no part of a package."""
    specification = importlib.util.spec_from_file_location(path.stem, path)
    assert specification is not None
    assert specification.loader is not None
    module = sys.modules[path.stem] = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


tool = loaded(PROJECT / "tools" / "drive_hazards.py")
driving = loaded(PROJECT / "hazards" / "driving.py")
SCRIPTS = tool.scripts()
by_name = pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.path.stem)


def test_there_are_scripts_for_several_packages_and_codes() -> None:
    assert len({script.package for script in SCRIPTS}) >= 5
    assert len({script.finding.split()[0] for script in SCRIPTS}) >= 5


@by_name
def test_a_script_is_about_a_finding_that_is_sorted_as_a_hazard(script: tool.Script) -> None:
    pins = tomllib.loads((PROJECT / "benchmarks" / "corpus.toml").read_text(encoding="utf-8"))["packages"]
    assert script.package in pins
    code, place = script.finding.split()
    (row,) = [line for line in PRECISION if line.startswith(f"| {code} ") and f"`{place}`" in line]
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[2] == script.package.partition("==")[0]
    assert cells[4] == "hazard"


@by_name
def test_the_page_states_what_a_script_saw(script: tool.Script) -> None:
    assert script.right != script.wrong
    assert list(tool.table([(script, driving.SEEN)]))[-1] in PRECISION


@by_name
def test_without_its_package_a_script_says_so(script: tool.Script) -> None:
    # -S leaves out the installed packages.
    done = subprocess.run(
        [sys.executable, "-S", str(script.path)], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout) == (driving.NOT_INSTALLED, "")
    assert f"{script.package} is not installed" in done.stderr


async def good() -> str:
    return "good"


async def bad() -> str:
    return "bad"


async def other() -> str:
    return "something else"


@pytest.mark.parametrize(
    ("orders", "status"),
    [
        ((good, bad), driving.SEEN),
        ((good, good), driving.NOT_SEEN),
        ((bad, bad), driving.NOT_SEEN),
        ((good, other), driving.NOT_SEEN),
    ],
)
def test_a_wrong_result_counts_only_beside_a_right_one(orders: tuple[object, object], status: int) -> None:
    here = driving.Hazard(package=f"pytest=={version('pytest')}", finding="none", right="good", wrong="bad")
    assert here.drive(*orders) == status


def test_another_version_is_not_the_package() -> None:
    other_version = driving.Hazard(package="pytest==0.0.1", finding="none", right="good", wrong="bad")
    assert other_version.drive(good, bad) == driving.NOT_INSTALLED
