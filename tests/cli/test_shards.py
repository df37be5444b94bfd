"""`lane-lint summarise` and `lane-lint link`: files in, files out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lane_lint.cli import main
from lane_lint.shards import Shard, shard_of

POOL = """\
class Pool{number}:
    def __init__(self):
        self._connection = None

    async def connection(self):
        if self._connection is None:
            self._connection = await connect()
        return self._connection

    async def reset(self):
        self._connection = None
"""
FILES = 12


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files with a finding each, in the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for number in range(FILES):
        (tmp_path / f"pool_{number}.py").write_text(POOL.format(number=number))
    return tmp_path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]):
    """Run the command: its status, what it has printed, what it has complained about."""

    def call(*arguments: str) -> tuple[int, str, str]:
        status = main(list(arguments))
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


def summarised(run, count: int, *more: str) -> None:
    for number in range(1, count + 1):
        assert run("summarise", "--shard", f"{number}/{count}", "--out", "out", *more) == (0, "", "")


@pytest.mark.parametrize("count", [1, 3, 30])
@pytest.mark.parametrize("format_name", ["text", "json", "sarif", "github", "gitlab", "junit"])
def test_linked_shards_report_what_one_run_does(project, run, count, format_name) -> None:
    (project / "broken.py").write_text("x = (\n")
    (project / "pool_0.py").write_text(
        POOL.format(number=0).replace("await connect()", "await connect()  # noqa")
    )
    summarised(run, count)
    expected = run("check", "--format", format_name, "--statistics", "--show-source")
    assert run("link", "out", "--format", format_name, "--statistics", "--show-source") == expected
    assert expected[0] == 1


def test_every_file_is_in_one_shard_and_stays_there(project, run) -> None:
    summarised(run, 3)
    before = {path.name: path.read_bytes() for path in (project / "out").iterdir()}
    files = [file["path"] for text in before.values() for file in json.loads(text)["files"]]
    assert sorted(files) == sorted(f"pool_{number}.py" for number in range(FILES))
    (project / "one_more.py").write_text("x = 1\n")
    summarised(run, 3)
    changed = [name for name, text in before.items() if (project / "out" / name).read_bytes() != text]
    assert len(changed) == 1


def test_a_summary_is_the_same_wherever_the_project_lies(project, run, monkeypatch) -> None:
    (project / "pyproject.toml").write_text('[tool.lane-lint]\nexclude = ["made/*"]\n')
    summarised(run, 1)
    elsewhere = project / "elsewhere"
    elsewhere.mkdir()
    for path in [*project.glob("*.py"), project / "pyproject.toml"]:
        (elsewhere / path.name).write_bytes(path.read_bytes())
    monkeypatch.chdir(elsewhere)
    assert main(["summarise", "--out", "out"]) == 0
    here, there = (folder / "out" / "shard-1-of-1.json" for folder in (elsewhere, project))
    moved = [file for file in json.loads(there.read_text())["files"] if not file["path"].startswith("else")]
    assert json.loads(here.read_text())["files"] == moved
    assert json.loads(here.read_text())["maker"] == json.loads(there.read_text())["maker"]


def test_folders_of_several_machines_are_linked(project, run) -> None:
    for number in (1, 2):
        assert run("summarise", "--shard", f"{number}/2", "--out", f"machine_{number}")[0] == 0
    assert run("link", "machine_1", "machine_2") == run("check")
    status, _, complaint = run("link", "machine_1")
    assert status == 2
    assert complaint == "lane-lint: the summaries: shards = [1]: allowed is with 2/2 too\n"


def test_known_findings_are_held_back(project, run) -> None:
    assert run("baseline", "write")[0] == 0
    summarised(run, 2)
    assert run("link", "out", "--baseline", "lane-lint-baseline.json")[:2] == (0, "")
    (project / "pool_99.py").write_text(POOL.format(number=99))
    summarised(run, 2)
    status, output, _ = run("link", "out", "--baseline", "lane-lint-baseline.json")
    assert status == 1
    assert output.count("LAN103 ") == 1


def test_summaries_made_with_other_settings_do_not_mix(project, run) -> None:
    assert run("summarise", "--shard", "1/2", "--out", "out")[0] == 0
    assert run("summarise", "--shard", "2/2", "--out", "out", "--min-confidence", "low")[0] == 0
    status, _, complaint = run("link", "out")
    assert status == 2
    assert (
        "shard-2-of-2.json: min_confidence = 'low': allowed is 'medium', as in out/shard-1-of-2.json"
        in complaint
    )


def test_shards_of_other_numbers_do_not_mix(project, run) -> None:
    assert run("summarise", "--shard", "1/2", "--out", "out")[0] == 0
    assert run("summarise", "--shard", "2/3", "--out", "out")[0] == 0
    status, _, complaint = run("link", "out")
    assert status == 2
    assert "shards = '3': allowed is '2', as in" in complaint


def test_the_same_shard_twice_is_refused(project, run) -> None:
    for folder in ("a", "b"):
        assert run("summarise", "--out", folder)[0] == 0
    status, _, complaint = run("link", "a", "b")
    assert status == 2
    assert (
        "b/shard-1-of-1.json: shard = '1/1': allowed is another than that of a/shard-1-of-1.json" in complaint
    )


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"schema_version": 1}', '{"schema_version": 99}', "\0"], ids=repr
)
def test_what_is_no_summary_is_named(project, run, text) -> None:
    (project / "out").mkdir()
    (project / "out" / "shard-1-of-1.json").write_text(text)
    status, output, complaint = run("link", "out")
    assert (status, output) == (2, "")
    assert complaint.startswith("lane-lint: out/shard-1-of-1.json: ")


def test_a_folder_without_summaries_is_named(project, run) -> None:
    (project / "empty").mkdir()
    for folder in ("empty", "missing"):
        status, _, complaint = run("link", folder)
        assert status == 2
        assert f"DIR = '{folder}'" in complaint


def test_what_cannot_be_read_is_said_when_linked_too(project, run) -> None:
    (project / "gone.py").symlink_to("nowhere.py")
    status, _, complaint = run("summarise", "--out", "out", "gone.py", "pool_1.py")
    assert status == 2
    linked = run("link", "out")
    assert (linked[0], linked[2]) == (2, complaint)
    assert "LAN103" in linked[1]


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "1/0", "-1/2", "a/b", "1/2/3", "1 / 2"])
def test_a_share_that_is_none_is_refused(text) -> None:
    with pytest.raises(ValueError, match="no share such as 2/8"):
        shard_of(text)


def test_shards_are_about_as_large_as_one_another() -> None:
    shards = [Shard(number, 8) for number in range(1, 9)]
    sizes = [sum(shard.has(f"package/module_{number}.py") for number in range(2_000)) for shard in shards]
    assert sum(sizes) == 2_000
    assert min(sizes) > 200
    assert max(sizes) < 300
