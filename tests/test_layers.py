"""Imports go one way; neither package imports the other; libcst is met in one layer only."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent

# From the top down: a module imports from its own row and from the rows below it.
LAYERS = (
    ("lane_lint.__main__",),
    ("lane_lint.cli",),
    ("lane_lint.report",),
    ("lane_lint.plugin", "lane_lint.api"),
    ("lane_lint.fixes.files",),
    ("lane_lint.fixes.fixing",),
    ("lane_lint.proving",),
    ("lane_lint.summaries",),
    ("lane_lint.checked_json", "lane_lint.jobs", "lane_lint.batches"),
    ("lane_lint.processes",),
    ("lane_lint.run",),
    ("lane_lint.engine", "lane_lint.classification"),
    ("lane_lint.fixes",),
    ("lane_lint.project.around",),
    ("lane_lint.project.project", "lane_lint.project.view", "lane_lint.project.lending"),
    ("lane_lint.gate", "lane_lint.precedence"),
    ("lane_lint.imported_names",),
    ("lane_lint.call_gate", "lane_lint.gate_of_mechanisms"),
    ("lane_lint.rules",),
    ("lane_lint.rule",),
    ("lane_lint.flow",),
    ("lane_lint.lowering", "lane_lint.outlining", "lane_lint.project.interface"),
    ("lane_lint.makers", "lane_lint.sketching", "lane_lint.never_suspending"),
    ("lane_lint.assignments", "lane_lint.loop_lines", "lane_lint.blocking_calls", "lane_lint.other_names"),
    ("lane_lint.outline",),
    ("lane_lint.foreign",),
    ("lane_lint.sketch", "lane_lint.model"),
    ("lane_lint.project.files",),
    ("lane_lint.method_names", "lane_lint.reachable", "lane_lint.mentions"),
    ("lane_lint.project.finder", "lane_lint.project.bases", "lane_lint.project.store"),
    ("lane_lint.project",),
    ("lane_lint.config", "lane_lint.origins"),
    ("lane_lint.flake8_section",),
    ("lane_lint.setting_values",),
    ("lane_lint.config_files",),
    ("lane_lint.baseline", "lane_lint.unused_noqa"),
    ("lane_lint.shards",),
    ("lane_lint.paths", "lane_lint.suppress", "lane_lint.fingerprint"),
    (
        "lane_lint.settings",
        "lane_lint.source",
        "lane_lint.file_kind",
        "lane_lint.requirements",
        "lane_lint.git_files",
    ),
    ("lane_lint.finding", "lane_lint.stopwatch"),
)
# The package itself and the report formats of one folder: names only, loaded on first use.
FACADE = "lane_lint"


def modules_of(package: str) -> list[tuple[str, Path]]:
    files = sorted((PROJECT / package).rglob("*.py"))
    return [(module_name(path), path) for path in files]


def module_name(path: Path) -> str:
    parts = path.relative_to(PROJECT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(path: Path) -> Iterator[str]:
    """Absolute names that a file imports anywhere in it, but for those it imports for type checking only."""
    pending: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            pending += node.orelse
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        pending += ast.iter_child_nodes(node)


def layer_of(module: str) -> int | None:
    for number, names in enumerate(LAYERS):
        if any(module == name or module.startswith(f"{name}.") for name in names):
            return number
    return None


@pytest.mark.parametrize(
    ("module", "path"), modules_of("lane_lint"), ids=lambda value: str(value).split("/")[-1]
)
def test_imports_go_one_way(module: str, path: Path) -> None:
    own = layer_of(module)
    if module == FACADE:
        return
    assert own is not None, f"{module} has no layer; add it to LAYERS"
    layers = {name: layer_of(name) for name in imports_of(path)}
    upward = [name for name, layer in layers.items() if layer is not None and layer < own]
    assert not upward, f"{module} imports {upward}"


@pytest.mark.parametrize(("package", "other"), [("lane_lint", "lane_runtime"), ("lane_runtime", "lane_lint")])
def test_neither_package_imports_the_other(package: str, other: str) -> None:
    for module, path in modules_of(package):
        assert not [name for name in imports_of(path) if name.split(".")[0] == other], module


def test_libcst_is_imported_by_the_fixes_only() -> None:
    importing = [
        module
        for module, path in modules_of("lane_lint")
        if any(name.split(".")[0] == "libcst" for name in imports_of(path))
        and not module.startswith("lane_lint.fixes")
    ]
    assert not importing


def test_flake8_is_imported_by_the_plugin_only() -> None:
    importing = [
        module
        for module, path in modules_of("lane_lint")
        if any(name.split(".")[0] == "flake8" for name in imports_of(path))
    ]
    assert set(importing) <= {"lane_lint.plugin"}


@pytest.mark.parametrize(
    "module",
    [
        "lane_lint",
        "lane_lint.cli",
        "lane_lint.plugin",
        "lane_lint.rules",
        "lane_lint.engine",
        "lane_lint.api",
        "lane_lint.cli.fix",
    ],
)
def test_libcst_is_not_imported_before_it_is_needed(module: str) -> None:
    code = f"import sys, {module}; from lane_lint.rules import all_rules; all_rules(); print('libcst' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=PROJECT
    )
    assert done.stdout == "False\n"


def test_files_are_short_and_named_for_what_they_do() -> None:
    for package in ("lane_lint", "lane_runtime"):
        for module, path in modules_of(package):
            assert path.stem not in {"utils", "helpers", "common", "misc"}, module
            assert len(path.read_text(encoding="utf-8").splitlines()) <= 300, f"{module} is over 300 lines"
