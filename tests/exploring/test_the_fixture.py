"""The pytest plugin: loaded as an entry point, loading nothing itself, failing with the report."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]


def pytest_run(folder: Path, test: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_it.py").write_text(test, encoding="utf-8")
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "pytest_lane_runtime",
            "-p",
            "no:cacheprovider",
            "test_it.py",
        ],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(PROJECT), "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        check=False,
    )


def test_nothing_is_loaded_when_no_test_asks_for_it(tmp_path: Path) -> None:
    done = pytest_run(tmp_path, "import sys\n\ndef test():\n    assert 'lane_runtime' not in sys.modules\n")
    assert done.returncode == 0, done.stdout


def test_a_problem_fails_the_test_with_the_report_alone(tmp_path: Path) -> None:
    done = pytest_run(
        tmp_path,
        "def test(lane_explore):\n"
        "    def scenario(world):\n"
        "        async def fail():\n"
        "            await world.loop.create_future()\n"
        "        world.call(fail)\n"
        "    lane_explore(scenario)\n",
    )
    assert done.returncode == 1
    assert "every task waits: fail#1 waits at test_it.py:4 in " in done.stdout
    assert "replay: fail#1 starts" in done.stdout
    assert "Traceback" not in done.stdout


def test_the_options_are_those_of_explore(tmp_path: Path) -> None:
    done = pytest_run(
        tmp_path,
        "def test(lane_explore):\n"
        "    report = lane_explore(lambda world: None, max_schedules=3, seed=5, invariant=lambda _: True)\n"
        "    assert report.exhausted\n",
    )
    assert done.returncode == 0, done.stdout


def test_the_entry_point_is_named_as_the_package() -> None:
    with (PROJECT / "pyproject.toml").open("rb") as stream:
        project = tomllib.load(stream)
    assert project["project"]["entry-points"]["pytest11"] == {"pytest_lane_runtime": "pytest_lane_runtime"}
    assert "pytest_lane_runtime" in project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]


def test_the_runtime_does_not_load_its_testing() -> None:
    code = "import sys, lane_runtime; print([name for name in sys.modules if 'lane_runtime.testing' in name])"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("package", ["lane_runtime/testing", "pytest_lane_runtime"])
def test_only_the_standard_library_is_imported(package: str) -> None:
    import ast

    for path in (PROJECT / package).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            tops = {name.partition(".")[0] for name in names}
            assert tops <= {*sys.stdlib_module_names, "lane_runtime", "pytest"}, path
