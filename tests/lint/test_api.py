"""The functions for other tools, and what happens to a process that dies."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys

import pytest

import lane_lint
from lane_lint import Settings, check_paths, check_source
from lane_lint.finding import Finding
from lane_lint.jobs import check_files
from lane_lint.source import Source

BROKEN = "x = (\n"


def test_every_public_name_is_there() -> None:
    for name in lane_lint.__all__:
        assert getattr(lane_lint, name) is not None
    assert set(lane_lint.__all__) <= set(dir(lane_lint))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        lane_lint.no_such_name  # noqa: B018 - the access is what is tested


def test_importing_the_package_imports_little() -> None:
    code = (
        "import sys, lane_lint; print(sorted(name for name in sys.modules if name.startswith('lane_lint')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['lane_lint']\n"


@pytest.mark.parametrize("source", [BROKEN, BROKEN.encode(), "# coding: latin-1\n'é'\nx = (\n"])
def test_check_source_takes_text_and_bytes(source) -> None:
    (finding,) = check_source(source, path="a.py")
    assert (finding.path, finding.code) == ("a.py", "LAN901")


def test_a_declared_encoding_does_not_matter_in_text() -> None:
    assert check_source("# coding: ascii\nx = 'é'\n") == []


def test_check_paths_reads_folders_and_files(tmp_path) -> None:
    (tmp_path / "a.py").write_text(BROKEN)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "c.py").write_text(BROKEN)
    found = check_paths([tmp_path, tmp_path / "a.py"])
    assert [finding.path for finding in found] == [str(tmp_path / "a.py"), str(tmp_path / "b" / "c.py")]
    assert check_paths([tmp_path], settings=Settings(ignore=("LAN9",))) == []


def test_check_paths_raises_for_a_path_that_is_not_there(tmp_path) -> None:
    with pytest.raises(OSError, match="no such file or folder"):
        check_paths([tmp_path / "missing.py"])


@pytest.mark.skipif(multiprocessing.get_start_method() != "fork", reason="the worker must inherit the patch")
def test_a_file_that_kills_its_process_is_one_finding(tmp_path, monkeypatch) -> None:
    def deadly(source: Source, settings: Settings, **_: object) -> list[Finding]:
        if "deadly" in source.text:
            os._exit(1)
        return []

    monkeypatch.setattr("lane_lint.run.check_module", deadly)
    files = [tmp_path / f"module_{number:02}.py" for number in range(40)]
    for number, file in enumerate(files):
        file.write_text("deadly = 1\n" if number in {7, 31} else "x = 1\n")
    checked = list(check_files([str(file) for file in files], Settings(), jobs=2))
    assert [one.path for one in checked] == [str(file) for file in files]
    reported = {number: one.findings for number, one in enumerate(checked) if one.findings}
    assert list(reported) == [7, 31]
    assert all(findings[0].code == "LAN901" for findings in reported.values())
