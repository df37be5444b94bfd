"""`lane-lint check` as a user calls it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

BROKEN = "x = (\n"


@pytest.fixture
def broken_file(tmp_path: Path) -> Path:
    path = tmp_path / "broken.py"
    path.write_text(BROKEN)
    return path


def test_a_clean_folder_prints_nothing_and_exits_0(lane_lint, tmp_path) -> None:
    (tmp_path / "clean.py").write_text("x = 1\n")
    done = lane_lint("check")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_finding_is_one_line_and_exits_1(lane_lint, broken_file) -> None:
    done = lane_lint("check", "broken.py")
    assert done.returncode == 1
    assert done.stdout == (
        "broken.py:1:1: LAN901 this file was not analysed: line 1: '(' was never closed. "
        "Mend the syntax, or exclude the file [docs/rules/LAN901.md]\n"
    )


def test_a_missing_path_exits_2_and_the_others_are_checked(lane_lint, broken_file) -> None:
    done = lane_lint("check", "missing.py", "broken.py")
    assert done.returncode == 2
    assert "missing.py: no such file or folder" in done.stderr
    assert "LAN901" in done.stdout


def test_a_folder_without_python_files_is_noted(lane_lint) -> None:
    done = lane_lint("check", ".")
    assert done.returncode == 0
    assert "no Python files" in done.stderr


def test_a_file_that_is_named_needs_no_python_suffix(lane_lint, tmp_path) -> None:
    (tmp_path / "script").write_text(BROKEN)
    assert lane_lint("check", "script").returncode == 1


def test_a_file_given_twice_is_checked_once(lane_lint, broken_file) -> None:
    assert lane_lint("check", "broken.py", ".", "broken.py").stdout.count("\n") == 1


def test_json_has_the_schema(lane_lint, broken_file) -> None:
    document = json.loads(lane_lint("check", "--format", "json", "broken.py").stdout)
    assert document["schema_version"] == 1
    (finding,) = document["findings"]
    assert set(finding) == {
        "path", "line", "column", "end_line", "end_column", "code", "name", "message",
        "confidence", "related", "fingerprint", "url",
    }  # fmt: skip
    assert (finding["line"], finding["column"]) == (1, 1)
    assert (finding["code"], finding["name"]) == ("LAN901", "not-analysed")
    assert finding["url"] == "docs/rules/LAN901.md"


def test_json_of_a_clean_run_is_a_document_too(lane_lint, tmp_path) -> None:
    (tmp_path / "clean.py").write_text("")
    assert json.loads(lane_lint("check", "--format", "json").stdout)["findings"] == []


def test_json_names_what_could_not_be_checked(lane_lint) -> None:
    document = json.loads(lane_lint("check", "--format", "json", "missing.py").stdout)
    assert document["errors"] == [{"path": "missing.py", "message": "no such file or folder"}]


def test_findings_carry_the_related_places(lane_lint, racy_file) -> None:
    (finding,) = json.loads(lane_lint("check", "--format", "json").stdout)["findings"]
    assert finding["code"] == "LAN103"
    assert finding["related"]
    assert {"line", "column", "message"} == set(finding["related"][0])


def test_a_fingerprint_survives_lines_that_move(lane_lint, racy_file) -> None:
    def fingerprints() -> list[str]:
        found = json.loads(lane_lint("check", "--format", "json").stdout)["findings"]
        return [finding["fingerprint"] for finding in found]

    before = fingerprints()
    racy_file.write_text("\n\n\n" + racy_file.read_text().replace("= await", "=  await"))
    assert fingerprints() == before != []


def test_output_writes_a_second_format_to_a_file(lane_lint, broken_file, tmp_path) -> None:
    done = lane_lint("check", "--output", "json=report.json")
    assert "LAN901" in done.stdout
    assert json.loads((tmp_path / "report.json").read_text())["findings"]
    assert [path.name for path in tmp_path.glob(".lane-lint-*")] == []


def test_output_without_a_file_takes_the_place_of_the_format(lane_lint, broken_file, tmp_path) -> None:
    done = lane_lint("check", "--output", "json", "--output", "text=report.txt")
    assert json.loads(done.stdout)["findings"]
    assert "LAN901" in (tmp_path / "report.txt").read_text()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (
            ["--output", "xml"],
            "--output = 'xml': allowed is one of text, json, sarif, github, gitlab, junit, then =FILE",
        ),
        (["--output", "json", "--output", "text"], "one format without =FILE"),
        (["--output", "json=no/such/folder/report.json"], "No such file or directory"),
        (["--min-confidence", "sure"], "--min-confidence = 'sure': allowed is one of low, medium, high"),
        (["--select", "E501"], "--select = 'E501': allowed is a code such as LAN, LAN1 or LAN103"),
        (["--ignore", "LAN777"], "'LAN777': allowed is a prefix of LAN101"),
        (["--per-file-ignores", "LAN901"], "allowed is a mapping such as tests/*:LAN103"),
        (["--jobs", "0"], "0 is not at least 1"),
        (["--jobs", "two"], "'two' is no number"),
        (["--format", "xml"], "invalid choice"),
    ],
)
def test_what_cannot_be_done_is_named_and_exits_2(lane_lint, broken_file, arguments, complaint) -> None:
    done = lane_lint("check", *arguments)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "is_reported"),
    [
        ([], True),
        (["--select", "LAN9"], True),
        (["--select", "LAN1"], False),
        (["--ignore", "LAN901"], False),
        (["--select", "LAN901", "--ignore", "LAN9"], True),
        (["--per-file-ignores", "broken.py:LAN901"], False),
        (["--per-file-ignores", "*.py:LAN1 other.py:LAN9"], True),
        (["--exclude", "bro*"], False),
        (["--exclude", "./broken.py"], False),
        (["--no-cache"], True),
        (["--min-confidence", "high"], True),
    ],
)
def test_selection(lane_lint, broken_file, arguments, is_reported) -> None:
    done = lane_lint("check", *arguments)
    assert ("LAN901" in done.stdout) is is_reported
    assert done.returncode == int(is_reported)


def test_statistics_count_each_code(lane_lint, broken_file, tmp_path) -> None:
    (tmp_path / "clean.py").write_text("")
    lines = lane_lint("check", "--statistics").stdout.splitlines()
    assert lines[1:] == ["1     LAN901 not-analysed", "1 finding in 1 of 2 files"]


def test_standard_input_has_a_name(lane_lint) -> None:
    done = lane_lint("check", "-", "--stdin-display-name", "pkg/module.py", stdin=BROKEN)
    assert done.returncode == 1
    assert done.stdout.startswith("pkg/module.py:1:1: LAN901")


def test_standard_input_without_a_name_is_stdin(lane_lint) -> None:
    done = lane_lint("check", "-", "--stdin-display-name", "", stdin=BROKEN)
    assert done.stdout.startswith(
        "stdin:1:1: LAN901 this file was not analysed: line 1: '(' was never closed"
    )


@pytest.mark.parametrize(
    ("closed", "shown"), [(">&-", ""), (">&- 2>&-", ""), ("<&- 2>&-", "broken.py:1:1: LAN901")]
)
def test_a_closed_stream_costs_nothing_but_what_goes_there(tmp_path, broken_file, closed, shown) -> None:
    command = f"{sys.executable} -m lane_lint check - broken.py {closed}"
    done = subprocess.run(
        ["bash", "-c", command],
        input="",
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr == ""
    assert done.stdout[:21] == shown


def test_standard_input_is_checked_beside_files(lane_lint, broken_file) -> None:
    done = lane_lint("check", "-", "broken.py", stdin=BROKEN)
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == ["broken.py", "stdin"]


def test_noqa_is_as_in_flake8(lane_lint, tmp_path) -> None:
    (tmp_path / "one.py").write_text("x = (  # noqa: LAN901\n")
    (tmp_path / "two.py").write_text("x = (  # noqa\n")
    (tmp_path / "three.py").write_text("# flake8: noqa\nx = (\n")
    (tmp_path / "four.py").write_text("x = (  # noqa: LAN103\n")
    assert [line.partition(":")[0] for line in lane_lint("check").stdout.splitlines()] == ["four.py"]


def test_any_number_of_jobs_gives_the_same_lines(lane_lint, tmp_path) -> None:
    for number in range(60):
        (tmp_path / f"module_{number}.py").write_text(BROKEN if number % 3 else "x = 1\n")
    one, two, many = (lane_lint("check", "--jobs", jobs).stdout for jobs in ("1", "2", "7"))
    assert one == two == many
    assert one.count("\n") == 40


def test_without_libcst_it_says_what_to_install(lane_lint, broken_file, tmp_path) -> None:
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook" / "sitecustomize.py").write_text("import sys\nsys.modules['libcst'] = None\n")
    done = lane_lint("check", environment={"PYTHONPATH": str(tmp_path / "hook")})
    assert done.returncode == 2
    assert 'pip install "state-lane[lint]"' in done.stderr


def test_a_current_folder_that_is_gone_is_named_as_the_cause(tmp_path) -> None:
    command = f"mkdir gone && cd gone && rmdir ../gone && {sys.executable} -m lane_lint check"
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, cwd=tmp_path, timeout=60, check=False
    )
    assert done.returncode == 2
    assert done.stderr == "lane-lint: the current folder is gone; change into one that exists\n"
