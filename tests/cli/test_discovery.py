"""Which files `lane-lint check` reads: those named, and below folders git's tracked ones, else all."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

BROKEN = "x = (\n"

Git = Callable[..., None]


@pytest.fixture
def git(tmp_path: Path) -> Git:
    def run(*arguments: str, folder: Path = tmp_path) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        identity = ["-c", "user.name=n", "-c", "user.email=e", "-c", "protocol.file.allow=always"]
        command = ["git", *identity, "-C", str(folder), *arguments]
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL, capture_output=True, env=kept)

    return run


@pytest.fixture
def put(tmp_path: Path) -> Callable[..., None]:
    """Write files that have one finding each."""

    def write(*names: str | bytes) -> None:
        for name in names:
            path = tmp_path / os.fsdecode(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(BROKEN)

    return write


def read(done: subprocess.CompletedProcess[str]) -> list[str]:
    """The files that were read, as each of them has one finding."""
    return [line.partition(":1:1: ")[0] for line in done.stdout.splitlines()]


def test_a_folder_is_walked_where_there_is_no_git(lane_lint, put) -> None:
    put(
        "a.py",
        "b.pyi",
        "c.txt",
        "d/e.py",
        "d/script",
        ".venv/f.py",
        "node_modules/g.py",
        "h.egg/i.py",
        ".j/k.py",
    )
    done = lane_lint("check")
    assert read(done) == [".j/k.py", "a.py", "b.pyi", "d/e.py"]
    assert done.stderr == ""


def test_a_script_without_a_suffix_is_read_only_when_it_is_named(lane_lint, tmp_path) -> None:
    (tmp_path / "script").write_text("#!/usr/bin/env python3\nx = (\n")
    assert lane_lint("check").returncode == 0
    assert lane_lint("check", "script").returncode == 1


def test_in_a_work_tree_new_files_are_left_out_and_named(lane_lint, put, git, tmp_path) -> None:
    put("a.py", "typed.pyi", "b.py", "c.py", "ignored.py", ".venv/f.py")
    git("init", "-q")
    (tmp_path / ".gitignore").write_text("ignored.py\n")
    git("add", "a.py", "typed.pyi")
    done = lane_lint("check")
    assert read(done) == ["a.py", "typed.pyi"]
    assert done.stderr == (
        "lane-lint: note: 2 untracked Python files not read: b.py, c.py; git add them, or name them\n"
    )
    done = lane_lint("check", ".", "b.py", "c.py")
    assert read(done) == ["a.py", "b.py", "c.py", "typed.pyi"]
    assert done.stderr == ""


def test_a_new_file_counts_from_the_moment_it_is_added(lane_lint, put, git) -> None:
    put("a.py")
    git("init", "-q")
    git("add", "a.py")
    put("b.py")
    git("add", "--intent-to-add", "b.py")
    assert read(lane_lint("check")) == ["a.py", "b.py"]


def test_a_removed_file_is_no_matter(lane_lint, put, git, tmp_path) -> None:
    put("a.py", "d/b.py", "e/c.py")
    git("init", "-q")
    git("add", ".")
    (tmp_path / "d" / "b.py").unlink()
    (tmp_path / "e" / "c.py").unlink()
    (tmp_path / "e").rmdir()
    (tmp_path / "e").write_text("a file in place of the folder")
    done = lane_lint("check")
    assert (read(done), done.stderr) == (["a.py"], "")


def test_a_folder_in_which_nothing_is_tracked_is_walked(lane_lint, put, git) -> None:
    put("a.py", "build/b.py")
    git("init", "-q")
    git("add", "a.py")
    done = lane_lint("check", "build")
    assert (read(done), done.stderr) == (["build/b.py"], "")


def test_a_submodule_is_read_only_when_it_is_named(lane_lint, put, git, tmp_path) -> None:
    put("outer/a.py", "other/b.py")
    for name in ("outer", "other"):
        git("init", "-q", folder=tmp_path / name)
        git("add", ".", folder=tmp_path / name)
        git("commit", "-q", "-m", "first", folder=tmp_path / name)
    git("submodule", "--quiet", "add", "../other", "sub", folder=tmp_path / "outer")
    done = lane_lint("check", cwd=tmp_path / "outer")
    assert (read(done), done.stderr) == (["a.py"], "")
    assert read(lane_lint("check", "sub", cwd=tmp_path / "outer")) == ["sub/b.py"]


def test_a_conflict_does_not_read_a_file_twice(lane_lint, put, git, tmp_path) -> None:
    put("a.py")
    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "first")
    git("checkout", "-q", "-b", "other")
    (tmp_path / "a.py").write_text("y = (\n")
    git("commit", "-q", "-a", "-m", "second")
    git("checkout", "-q", "-")
    (tmp_path / "a.py").write_text("z = (\n")
    git("commit", "-q", "-a", "-m", "third")
    with pytest.raises(subprocess.CalledProcessError):
        git("merge", "-q", "other")
    assert read(lane_lint("check")) == ["a.py"]


def test_the_variables_of_a_hook_are_those_of_another_folder(lane_lint, put, git, tmp_path) -> None:
    put("d/a.py", "d/b.py")
    git("init", "-q")
    git("add", "d/a.py")
    hook = {"GIT_DIR": ".git", "GIT_INDEX_FILE": ".git/index.lock"}
    assert read(lane_lint("check", "d", environment=hook)) == ["d/a.py"]


def test_no_program_of_the_folder_is_run(lane_lint, put, git, tmp_path) -> None:
    put("a.py")
    git("init", "-q")
    git("add", "a.py")
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/was-run\n")
    program.chmod(0o755)
    git("config", "core.fsmonitor", str(program))
    assert read(lane_lint("check")) == ["a.py"]
    assert not (tmp_path / "was-run").exists()


@pytest.mark.parametrize("tracked", [True, False])
def test_names_may_be_anything(lane_lint, put, git, tracked) -> None:
    put("two\nlines.py", b"not-utf8-\xff.py", "sp ace.py", "-dash.py", "[x]*.py", "é.py", "\x1b[31m.py")
    if tracked:
        git("init", "-q")
        git("add", ".")
    done = lane_lint("check")
    assert sorted(read(done)) == sorted(
        [r"two\nlines.py", r"not-utf8-\udcff.py", "sp ace.py", "-dash.py", "[x]*.py", "é.py", r"\x1b[31m.py"]
    )
    assert done.stderr == ""
    for name in ("json", "sarif", "github", "gitlab", "junit"):
        assert lane_lint("check", "--format", name).returncode == 1


def test_what_is_named_is_read_though_it_is_excluded(lane_lint, put) -> None:
    put("a.py", "gen/b.py", ".venv/c.py")
    arguments = ("--exclude", "a.py,gen,.venv", ".", "a.py", "gen/b.py", ".venv")
    assert read(lane_lint("check", *arguments)) == [".venv/c.py", "a.py", "gen/b.py"]
    done = lane_lint("check", "--force-exclude", *arguments)
    assert (done.returncode, read(done)) == (0, [])


def test_nothing_is_read_when_all_that_is_named_is_excluded(lane_lint, put) -> None:
    put("a.py", "b.py")
    done = lane_lint("check", "--force-exclude", "--exclude", "a.py", "a.py")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_standard_input_is_excluded_by_its_name_only_by_force(lane_lint) -> None:
    arguments = ("check", "-", "--stdin-display-name", "gen/a.py", "--exclude", "gen/*")
    assert read(lane_lint(*arguments, stdin=BROKEN)) == ["gen/a.py"]
    assert lane_lint(*arguments, "--force-exclude", stdin=BROKEN).returncode == 0


def test_a_file_is_read_once_under_its_first_name(lane_lint, put, tmp_path) -> None:
    put("d/a.py")
    names = ("./d/a.py", "d", "d/../d/a.py", str(tmp_path / "d" / "a.py"), ".")
    assert read(lane_lint("check", *names)) == ["./d/a.py"]


def test_paths_outside_of_the_folder_are_read(lane_lint, put, tmp_path) -> None:
    put("here/a.py", "there/b.py")
    done = lane_lint("check", "../there", str(tmp_path / "here"), cwd=tmp_path / "here")
    assert read(done) == ["../there/b.py", str(tmp_path / "here" / "a.py")]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_what_cannot_be_read_is_said_and_the_rest_goes_on(lane_lint, put, tmp_path, jobs) -> None:
    put("a.py", "b.py")
    (tmp_path / "loop.py").symlink_to("loop.py")
    (tmp_path / "nowhere.py").symlink_to("missing")
    done = lane_lint("check", "--jobs", jobs, "a.py", "loop.py", "missing.py", "", "nowhere.py", "b.py")
    assert done.returncode == 2
    assert read(done) == ["a.py", "b.py"]
    assert sorted(done.stderr.splitlines()) == [
        "lane-lint: '': no such file or folder",
        "lane-lint: loop.py: Too many levels of symbolic links",
        "lane-lint: missing.py: no such file or folder",
        "lane-lint: nowhere.py: No such file or directory",
    ]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("tracked", [True, False])
def test_a_folder_that_may_not_be_read_is_an_error(lane_lint, put, git, tmp_path, tracked) -> None:
    put("a.py", "closed/b.py")
    if tracked:
        git("init", "-q")
        git("add", ".")
    (tmp_path / "closed").chmod(0)
    try:
        done = lane_lint("check")
    finally:
        (tmp_path / "closed").chmod(0o700)
    assert (done.returncode, read(done)) == (2, ["a.py"])
    assert "Permission denied" in done.stderr


def test_links_to_folders_are_not_followed_and_loops_survived(lane_lint, put, tmp_path) -> None:
    put("d/a.py")
    (tmp_path / "d" / "up").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "link").symlink_to("d", target_is_directory=True)
    (tmp_path / "link.py").symlink_to("d/a.py")
    assert read(lane_lint("check")) == ["d/a.py", "link.py"]
    assert read(lane_lint("check", "link")) == ["link/a.py"]


def test_without_git_a_work_tree_is_walked(lane_lint, put, git, tmp_path) -> None:
    put("a.py", "b.py")
    git("init", "-q")
    git("add", "a.py")
    assert read(lane_lint("check", environment={"PATH": str(tmp_path)})) == ["a.py", "b.py"]
