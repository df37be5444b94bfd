"""Where `lane-lint check` writes: standard output once, files in one step, colours where they are seen."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from lane_lint.cli.output import Destination, write_reports
from lane_lint.report.content import Report

FORMATS = ("text", "json", "sarif", "github", "gitlab", "junit")


@pytest.fixture
def _clean_file(tmp_path: Path) -> None:
    (tmp_path / "clean.py").write_text("x = 1\n")


@pytest.mark.usefixtures("racy_file")
def test_every_format_can_be_written_in_one_run(lane_lint, tmp_path) -> None:
    words = [word for name in FORMATS for word in ("--output", f"{name}=report.{name}")]
    done = lane_lint("check", *words)
    assert done.returncode == 1
    assert done.stdout == (tmp_path / "report.text").read_text()
    for name in FORMATS:
        assert "LAN103" in (tmp_path / f"report.{name}").read_text()
        alone = lane_lint("check", "--format", name, "pool.py").stdout
        assert alone == (tmp_path / f"report.{name}").read_text()


@pytest.mark.usefixtures("_clean_file")
@pytest.mark.parametrize("name", FORMATS)
def test_a_clean_run_exits_0_in_every_format(lane_lint, name) -> None:
    done = lane_lint("check", "--format", name)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", FORMATS)
def test_a_path_that_is_missing_exits_2_in_every_format(lane_lint, name) -> None:
    done = lane_lint("check", "--format", name, "missing.py")
    assert done.returncode == 2
    assert "missing.py" in done.stderr


@pytest.mark.usefixtures("_clean_file")
@pytest.mark.parametrize(
    "arguments",
    [
        ("--output", "json", "--output", "sarif"),
        ("--output", "json=-", "--output", "sarif"),
        ("--output", "json=one", "--output", "sarif=./one"),
    ],
)
def test_two_reports_in_one_place_are_refused(lane_lint, tmp_path, arguments) -> None:
    done = lane_lint("check", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("lane-lint: command line: --output = [")
    assert not (tmp_path / "one").exists()


@pytest.mark.usefixtures("_clean_file")
def test_a_dash_is_standard_output(lane_lint, tmp_path) -> None:
    assert json.loads(lane_lint("check", "--output", "json=-").stdout)["findings"] == []
    assert not (tmp_path / "-").exists()


@pytest.mark.usefixtures("racy_file")
def test_a_report_that_cannot_be_written_costs_only_itself(lane_lint, tmp_path) -> None:
    (tmp_path / "folder").mkdir()
    done = lane_lint(
        "check", "--output", "json=folder", "--output", "json=no/report", "--output", "text=good"
    )
    assert done.returncode == 2
    assert "lane-lint: cannot write folder: Is a directory" in done.stderr
    assert "lane-lint: cannot write no/report: No such file or directory" in done.stderr
    assert "LAN103" in (tmp_path / "good").read_text()
    assert "LAN103" in done.stdout


@pytest.mark.usefixtures("_clean_file")
def test_a_link_and_the_rights_of_a_file_are_kept(lane_lint, tmp_path) -> None:
    (tmp_path / "target").write_text("old")
    (tmp_path / "target").chmod(0o640)
    (tmp_path / "link").symlink_to("target")
    lane_lint("check", "--output", "gitlab=link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "[]\n"
    assert (tmp_path / "target").stat().st_mode & 0o777 == 0o640


@pytest.mark.usefixtures("racy_file")
def test_statistics_of_a_report_for_tools_are_for_people_still(lane_lint) -> None:
    done = lane_lint("check", "--statistics", "--format", "json")
    assert json.loads(done.stdout)["findings"]
    assert done.stderr.splitlines() == ["1     LAN103 check-await-act", "1 finding in 1 of 1 file"]


@pytest.mark.usefixtures("racy_file")
def test_the_source_is_shown_on_request(lane_lint) -> None:
    lines = lane_lint("check", "--show-source").stdout.splitlines()
    assert lines[1:] == [
        "  6 |         if self._connection is None:",
        "    |            ~~~~~~~~~~~~~~~~ tested here",
        "  7 |             self._connection = await connect()",
        "    |             ^^^^^^^^^^^^^^^^",
        "    |                                ~~~~~~~~~~~~~~~ other tasks run here",
        "",
    ]


def on_terminal(folder: Path, **environment: str) -> str:
    """What a run writes to a terminal."""
    ours, theirs = pty.openpty()
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_COLOR")}
    process = subprocess.Popen(
        [sys.executable, "-m", "lane_lint", "check"],
        cwd=folder,
        stdout=theirs,
        stderr=theirs,
        env={**kept, "TERM": "xterm", **environment},
    )
    os.close(theirs)
    data = b""
    try:
        while chunk := os.read(ours, 4096):
            data += chunk
    except OSError:  # how the end of a terminal shows
        pass
    os.close(ours)
    process.wait(timeout=60)
    return data.decode()


@pytest.mark.usefixtures("racy_file")
@pytest.mark.parametrize(
    ("environment", "is_colored"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_a_terminal_gets_colours_and_a_closing_line(tmp_path, environment, is_colored) -> None:
    shown = on_terminal(tmp_path, **environment)
    assert ("\x1b[1;31mLAN103" in shown) is is_colored
    assert shown.endswith("1 finding in 1 of 1 file\r\n")


@pytest.mark.usefixtures("racy_file")
@pytest.mark.parametrize(
    ("environment", "is_colored"),
    [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)],
)
def test_a_pipe_gets_colours_only_when_it_is_told_so(lane_lint, tmp_path, environment, is_colored) -> None:
    done = lane_lint("check", "--output", "text=report.txt", environment=environment)
    assert ("\x1b[" in done.stdout) is is_colored
    assert "\x1b" not in (tmp_path / "report.txt").read_text()


@pytest.mark.parametrize("encoding", ["ascii", "utf-16", "cp1252"])
def test_what_tools_read_is_utf_8_whatever_the_terminal_takes(lane_lint, tmp_path, encoding) -> None:
    name = "\N{CJK UNIFIED IDEOGRAPH-4E16}.py"
    (tmp_path / name).write_text("x = (\n")
    done = lane_lint("check", "--format", "junit", environment={"PYTHONIOENCODING": encoding})
    assert ElementTree.fromstring(done.stdout.encode())[0][0].get("classname") == name


def test_without_docstrings_reports_have_what_is_left(run_module, racy_file) -> None:
    environment = {"PYTHONOPTIMIZE": "2"}
    done = run_module("lane_lint", "check", "--format", "sarif", environment=environment)
    (run,) = json.loads(done.stdout)["runs"]
    assert run["results"][0]["ruleId"] == "LAN103"
    assert run["tool"]["driver"]["rules"][0]["shortDescription"]["text"] == "lock snapshot await"
    for command in ("rules", "explain"):
        done = run_module(
            "lane_lint", command, *(["LAN103"] * (command == "explain")), environment=environment
        )
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("exception", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_a_report_that_is_not_finished_leaves_the_old_one(tmp_path, monkeypatch, exception) -> None:
    def fail(*_: object) -> None:
        raise exception

    (tmp_path / "report").write_text("old")
    monkeypatch.setattr("lane_lint.cli.output.os.replace", fail)
    report, to_file = Report([]), [Destination("json", str(tmp_path / "report"))]
    if exception is KeyboardInterrupt:
        with pytest.raises(KeyboardInterrupt):
            write_reports(report, to_file)
    else:
        assert not write_reports(report, to_file)
    assert [path.name for path in tmp_path.iterdir()] == ["report"]
    assert (tmp_path / "report").read_text() == "old"
