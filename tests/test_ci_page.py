"""docs/ci.md: what it tells people to paste works, as far as it can be run without the service it is for."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
import yaml
from sample_defect import CHECK_AWAIT_ACT, CHECK_AWAIT_ACT_LINE

PROJECT = Path(__file__).resolve().parent.parent
PAGE = (PROJECT / "docs" / "ci.md").read_text(encoding="utf-8")
FOUND = f"pool.py:{CHECK_AWAIT_ACT_LINE}:"
# What the snippets ask for, as it is called here.
OURS = {"state-lane[lint]": f"{PROJECT}[lint]"}

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def blocks(heading: str, language: str) -> list[str]:
    """The code blocks of one language below a heading of the page."""
    section = re.split(r"^## ", PAGE, flags=re.MULTILINE)
    text = next(part for part in section if part.startswith(f"{heading}\n"))
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def hook_of(block: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The one repository of a pre-commit configuration, and its one hook."""
    (repository,) = yaml.safe_load(block)["repos"]
    (hook,) = repository["hooks"]
    return repository, hook


@pytest.fixture(scope="session")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The commands of an environment with this project and what the page is about."""
    folder = tmp_path_factory.mktemp("tools")
    probe = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "-q",
        "--no-deps",
        "-d",
        str(folder / "probe"),
        "hatchling",
    ]
    if subprocess.run(probe, capture_output=True, check=False).returncode:
        pytest.skip("there is no package index to install from")
    subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    commands = folder / "venv" / "bin"
    wanted = [OURS["state-lane[lint]"], "pre-commit>=4", "ruff", "nbqa", "Flake8-pyproject"]
    subprocess.run([str(commands / "pip"), "install", "-q", *wanted], check=True, capture_output=True)
    return commands


@pytest.fixture
def shell(tools: Path, tmp_path: Path):
    """Run a command line in a repository with one defect, as a service's shell would."""
    repository = tmp_path / "scratch"
    repository.mkdir()
    (repository / "pool.py").write_text(CHECK_AWAIT_ACT)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PRE_COMMIT"))}
    environment = {
        **kept,
        "HOME": str(tmp_path),
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "PRE_COMMIT_HOME": str(tmp_path / "pre-commit"),
        "GIT_CONFIG_NOSYSTEM": "1",
        **{
            f"GIT_{who}_{what}": "a@b.example"
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        },
    }

    def run(line: str) -> subprocess.CompletedProcess[str]:
        for name, here in OURS.items():
            line = line.replace(name, here)
        return subprocess.run(
            ["bash", "-eo", "pipefail", "-c", line], cwd=repository, env=environment, capture_output=True, text=True, check=False
        )  # fmt: skip

    assert run("git init -q -b main . && git add . && git commit -qm first").returncode == 0
    run.repository = repository
    return run


def test_the_steps_of_github_actions_report_the_finding(shell) -> None:
    workflow = yaml.safe_load(blocks("GitHub Actions", "yaml")[0])
    (job,) = workflow["jobs"].values()
    done = [shell(step["run"]) for step in job["steps"] if "run" in step]
    assert [one.returncode for one in done] == [0, 1], done
    assert f"file=pool.py,line={CHECK_AWAIT_ACT_LINE}" in done[-1].stdout
    uploaded = next(
        step["with"]["sarif_file"] for step in job["steps"] if "sarif_file" in step.get("with", {})
    )
    (report,) = json.loads((shell.repository / uploaded).read_text())["runs"]
    assert [result["ruleId"] for result in report["results"]] == ["LAN103"]


def test_the_script_of_gitlab_writes_the_reports_that_it_names(shell) -> None:
    (job,) = yaml.safe_load(blocks("GitLab CI", "yaml")[0]).values()
    assert [shell(line).returncode for line in job["before_script"]] == [0]
    assert [shell(line).returncode for line in job["script"]] == [1]
    reports = job["artifacts"]["reports"]
    (issue,) = json.loads((shell.repository / reports["codequality"]).read_text())
    assert issue["location"]["path"] == "pool.py"
    assert ElementTree.parse(shell.repository / reports["junit"]).findall(".//failure")


def test_a_plain_shell_finds_it(shell) -> None:
    done = shell(blocks("A plain shell", "sh")[0])
    assert done.returncode == 1
    assert FOUND in done.stdout


def test_only_files_that_differ_from_the_main_branch_are_read(shell) -> None:
    line = blocks("A plain shell", "sh")[1]
    assert shell("git remote add origin . && git fetch -q origin").returncode == 0
    assert shell(line).stdout == ""
    (shell.repository / "new.py").write_text(CHECK_AWAIT_ACT)
    shell("git add . && git commit -qm second")
    done = shell(line)
    assert done.returncode != 0
    assert [text.partition(":")[0] for text in done.stdout.splitlines()] == ["new.py"]


@pytest.fixture
def hooks(tmp_path: Path, shell) -> str:
    """This project as a repository of hooks beside the scratch repository, as the page has it."""
    clone = tmp_path / "state-lane"
    for name in ("lane_lint", "lane_runtime"):
        shutil.copytree(PROJECT / name, clone / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml"):
        shutil.copy(PROJECT / name, clone / name)
    assert shell("cd ../state-lane && git init -q . && git add . && git commit -qm hooks").returncode == 0
    return "../state-lane"


def test_the_hook_of_this_repository_can_be_tried(shell, hooks) -> None:
    (line,) = re.findall(r"^\$ (pre-commit try-repo .*)$", PAGE, re.MULTILINE)
    done = shell(line)
    assert done.returncode == 1, done
    assert FOUND in done.stdout


def test_the_hook_of_this_repository_runs_from_a_local_clone(shell, hooks) -> None:
    block = blocks("pre-commit", "yaml")[0]
    repository, hook = hook_of(block)
    assert (repository["repo"], hook["id"]) == (hooks, "lane-lint")
    (shell.repository / ".pre-commit-config.yaml").write_text(block)
    assert FOUND in shell("git add . && pre-commit run --all-files").stdout
    (shell.repository / "pyproject.toml").write_text('[tool.lane-lint]\nexclude = ["pool.py"]\n')
    assert shell("git add . && pre-commit run --all-files").returncode == 0


def test_the_hook_of_the_own_environment_finds_it(shell) -> None:
    (shell.repository / ".pre-commit-config.yaml").write_text(blocks("pre-commit", "yaml")[1])
    done = shell("git add . && pre-commit run --all-files")
    assert done.returncode == 1
    assert FOUND in done.stdout


def test_flake8_s_hook_finds_it(shell) -> None:
    """flake8's repository is out of reach here: its hook is written down as it stands there."""
    repository, hook = hook_of(blocks("pre-commit", "yaml")[2])
    assert repository["repo"] == "https://github.com/pycqa/flake8"
    needed = [OURS[name] for name in hook["additional_dependencies"]]
    local = {
        "name": "flake8",
        "entry": "flake8",
        "language": "python",
        "types": ["python"],
        "require_serial": True,
    }
    hook = {**hook, **local, "additional_dependencies": [f"flake8=={repository['rev']}", *needed]}
    configuration = {"repos": [{"repo": "local", "hooks": [hook]}]}
    (shell.repository / ".pre-commit-config.yaml").write_text(yaml.safe_dump(configuration))
    done = shell("git add . && pre-commit run --all-files")
    assert f"{FOUND}13: LAN103" in done.stdout, done


def test_ruff_leaves_comments_of_external_codes_alone(shell) -> None:
    (shell.repository / "quiet.py").write_text("x = 1  # noqa: LAN103  one task\n")
    line = "ruff check --no-cache --select RUF100,RUF102 quiet.py"
    assert "LAN103" in shell(line).stdout
    (shell.repository / "pyproject.toml").write_text(blocks("With ruff", "toml")[0])
    assert shell(line).returncode == 0


def test_flake8_and_the_command_read_the_table_of_flake8_pyproject(shell) -> None:
    (shell.repository / "pyproject.toml").write_text(blocks("With Flake8-pyproject", "toml")[0])
    lines = ("flake8 --select LAN pool.py", "lane-lint check pool.py")
    assert [shell(line).stdout for line in lines] == ["", ""]
    (shell.repository / "pyproject.toml").unlink()
    assert [FOUND in shell(line).stdout for line in lines] == [True, True]


@pytest.mark.parametrize("line", re.findall(r"^\$ (nbqa .*)$", PAGE, re.MULTILINE))
def test_nbqa_finds_it_in_a_notebook(shell, line: str) -> None:
    source = CHECK_AWAIT_ACT.splitlines(keepends=True)
    code = {
        "cell_type": "code",
        "id": "a",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": source,
    }
    text = {"cell_type": "markdown", "id": "b", "metadata": {}, "source": ["# Pools"]}
    notebook = {"cells": [text, code], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (shell.repository / "notebook.ipynb").write_text(json.dumps(notebook))
    done = shell(line)
    assert done.returncode == 1, done
    assert done.stdout.startswith(f"notebook.ipynb:cell_1:{CHECK_AWAIT_ACT_LINE}:")
