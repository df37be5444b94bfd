"""Every project of fixtures/projects: findings on the marked lines, in whatever order the files come."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from fixture_cases import FIXTURES, due_codes

from lane_lint import Finding, Settings, check_source
from lane_lint.engine import check_module
from lane_lint.jobs import check_files
from lane_lint.project.project import Project, project_of
from lane_lint.project.store import Store
from lane_lint.source import Source

PROJECTS = sorted(path for path in (FIXTURES / "projects").iterdir() if path.is_dir())
SETTINGS = Settings(across_files=True)

each_project = pytest.mark.parametrize("folder", PROJECTS, ids=lambda path: path.name)


def files_of(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.py"))


def found_by(project: Project, files: Iterable[Path]) -> list[Finding]:
    sources = (Source.from_text(str(path), path.read_text(encoding="utf-8")) for path in files)
    return sorted(
        finding for source in sources for finding in check_module(source, SETTINGS, project=project)
    )


def due_in(folder: Path) -> set[tuple[str, int, str]]:
    return {
        (str(path), line, code)
        for path in files_of(folder)
        for line, codes in due_codes(path.read_text(encoding="utf-8")).items()
        for code in codes
    }


@each_project
def test_findings_are_on_the_marked_lines_only(folder: Path) -> None:
    found = found_by(project_of(SETTINGS, None), files_of(folder))
    assert {(finding.path, finding.span.line, finding.code) for finding in found} == due_in(folder)


@each_project
def test_the_order_of_the_files_changes_nothing(folder: Path) -> None:
    files = files_of(folder)
    expected = found_by(project_of(SETTINGS, None), files)
    assert found_by(project_of(SETTINGS, None), reversed(files)) == expected
    alone = [finding for path in files for finding in found_by(project_of(SETTINGS, None), [path])]
    assert sorted(alone) == expected


@each_project
def test_what_is_kept_gives_the_same_findings_without_a_look_at_the_modules(folder: Path, tmp_path) -> None:
    files = files_of(folder)
    expected = found_by(project_of(SETTINGS, str(tmp_path)), files)
    assert expected
    reading_only = Project(SETTINGS, Store(str(tmp_path), may_write=False), may_analyse=False)
    assert found_by(reading_only, files) == expected
    assert found_by(project_of(SETTINGS, str(tmp_path)), files) == expected


@each_project
def test_several_processes_find_the_same(folder: Path, tmp_path) -> None:
    files = [str(path) for path in files_of(folder)]
    expected = [checked.findings for checked in check_files(files, SETTINGS, jobs=1)]
    assert [c.findings for c in check_files(files, SETTINGS, jobs=2, cache=str(tmp_path))] == expected


@each_project
def test_without_the_project_nothing_is_invented(folder: Path) -> None:
    due = due_in(folder)
    for path in files_of(folder):
        for finding in check_source(path.read_text(encoding="utf-8"), path=str(path)):
            is_cautious = finding.code == "LAN103"  # an unknown function that is awaited may wait
            assert is_cautious or (finding.path, finding.span.line, finding.code) in due


def test_messages_name_the_file_of_what_is_elsewhere(tmp_path) -> None:
    folder = FIXTURES / "projects" / "inherited_lock"
    found = found_by(project_of(SETTINGS, None), [folder / "registry.py"])
    (bypass,) = [finding for finding in found if finding.code == "LAN106"]
    assert "'reload' (base.py line 13)" in bypass.message
    assert not bypass.related, "a related place is one of the file itself"


def write(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)


BASE = """\
import asyncio

class Base:
    def __init__(self):
        self._guard = asyncio.Lock()

    async def reload(self):
        async with self._guard:
            await asyncio.sleep(0)
"""
SUB = """\
from base import Base

class Sub(Base):
    async def renew(self):
        async with self._guard:
            await self.reload()
"""


def codes_in(tmp_path: Path, project: Project | None = None) -> list[str]:
    project = project or project_of(SETTINGS, None)
    return [finding.code for finding in found_by(project, [tmp_path / "sub.py"])]


def test_a_base_that_changes_is_read_again(tmp_path) -> None:
    cache = str(tmp_path / "cache")
    write(tmp_path, base=BASE, sub=SUB)
    assert codes_in(tmp_path, project_of(SETTINGS, cache)) == ["LAN311"]
    write(tmp_path, base=BASE.replace("async with self._guard:", "if self._guard:"))
    assert codes_in(tmp_path, project_of(SETTINGS, cache)) == []
    reading_only = Project(SETTINGS, Store(cache, may_write=False), may_analyse=False)
    assert codes_in(tmp_path, reading_only) == []


def test_what_a_base_rests_on_is_looked_at_again_too(tmp_path) -> None:
    cache = str(tmp_path / "cache")
    base = BASE.replace("import asyncio\n", "import asyncio\nfrom root import entered\n")
    base = base.replace(
        "        async with self._guard:\n            await asyncio.sleep(0)", "        await entered(self)"
    )
    root = "async def entered(feed):\n    async with feed._guard:\n        await feed.load()\n"
    write(tmp_path, base=base, sub=SUB, root=root)
    assert codes_in(tmp_path, project_of(SETTINGS, cache)) == ["LAN311"]
    write(tmp_path, root=root.replace("async with feed._guard", "if feed._guard"))
    assert codes_in(tmp_path, project_of(SETTINGS, cache)) == []


@pytest.mark.parametrize("text", ["class Base(:\n", "\0", "def f():\n" + "    (" * 500, "\xff"])
def test_a_base_that_cannot_be_read_is_as_good_as_none(tmp_path, text) -> None:
    write(tmp_path, sub=SUB)
    (tmp_path / "base.py").write_bytes(text.encode("latin-1"))
    assert codes_in(tmp_path) == []


def test_a_base_in_a_folder_loop_or_a_device_is_passed_over(tmp_path) -> None:
    write(tmp_path, sub=SUB)
    (tmp_path / "base").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "base.py").symlink_to("/dev/zero")
    assert codes_in(tmp_path) == []


def test_a_source_layout_is_known(tmp_path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    package, tests = tmp_path / "src" / "wire", tmp_path / "checks"
    package.mkdir(parents=True)
    tests.mkdir()
    write(package, __init__="", base=BASE)
    (tests / "sub.py").write_text(SUB.replace("from base", "from wire.base"))
    assert codes_in(tests) == ["LAN311"]


def test_a_library_of_the_same_name_is_no_module_of_the_package(tmp_path) -> None:
    package = tmp_path / "wire"
    package.mkdir()
    write(
        package,
        __init__="",
        asyncio="class Lock:\n    pass\n",
        base=BASE,
        sub=SUB.replace("from base", "from .base"),
    )
    assert codes_in(package) == ["LAN311"]


def test_the_settings_are_part_of_what_is_kept(tmp_path) -> None:
    cache = str(tmp_path / "cache")
    write(
        tmp_path,
        base=BASE.replace("asyncio.Lock", "ours.Mutual").replace("import asyncio", "import asyncio, ours"),
        sub=SUB,
    )
    configured = Settings(lock_types=("ours.Mutual",), across_files=True)
    for settings, expected in ((SETTINGS, []), (configured, ["LAN311"]), (SETTINGS, [])):
        source = Source.from_text(str(tmp_path / "sub.py"), SUB)
        found = check_module(source, settings, project=project_of(settings, cache))
        assert [finding.code for finding in found] == expected


WAITING = """\
import threading

def wait(feed):
    ready = threading.Event()
    feed.notify(ready)
    ready.wait()

def wait_if_asked(feed):
    wait(feed)
"""
CALLING = """\
from base import {name}

class Feed:
    def __init__(self):
        self.row = None

    async def read(self):
        if self.row is None:
            row = await self.load()
            {name}(self)
            return row
        self.row = None
"""


@pytest.mark.parametrize(("name", "expected"), [("wait", ["LAN401"]), ("wait_if_asked", [])])
def test_only_a_wait_of_the_helper_itself_is_taken_for_sure(tmp_path, name, expected) -> None:
    write(tmp_path, base=WAITING, sub=CALLING.format(name=name))
    assert codes_in(tmp_path) == expected
