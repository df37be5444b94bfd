"""The plugin through flake8 itself, in a process of its own."""

from __future__ import annotations

import argparse
import ast
import sys
from pathlib import Path

import pytest

from lane_lint.plugin import LanePlugin

RACY_LINE = 7
# Other plugins of the environment may need libcst themselves; flake8 is to see only ours and its own.
WITHOUT_OTHER_PLUGINS = """\
import importlib.metadata
found = importlib.metadata.distributions
kept = {"flake8", "mccabe", "pycodestyle", "pyflakes", "state-lane", "state_lane"}
importlib.metadata.distributions = lambda: [one for one in found() if one.name in kept]
"""
WITHOUT_LIBCST = {
    "nothing there": "import sys\nsys.modules['libcst'] = None\n",
    "an import hook": (
        "import sys\n"
        "class Blocker:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] == 'libcst':\n"
        "            raise ImportError(name)\n"
        "sys.meta_path.insert(0, Blocker())\n"
    ),
}


@pytest.fixture
def flake8(run_module):
    """Run flake8 with our codes alone, unless the call selects others."""

    def run(*arguments: str, **options: object):
        chosen = (
            ()
            if any(word.startswith(("--select", "--extend-select")) for word in arguments)
            else ("--select=LAN",)
        )
        return run_module("flake8", *chosen, *arguments, **options)

    return run


def places(output: str) -> list[tuple[str, str]]:
    """(path:line, code) of each line of a report."""
    found = []
    for line in output.splitlines():
        path, number, _, text = line.split(":", 3)
        found.append((f"{path}:{number}", text.split()[0]))
    return found


def test_the_finding_is_the_commands(flake8, lane_lint, racy_file) -> None:
    by_flake8, by_command = flake8("pool.py"), lane_lint("check", "pool.py")
    assert places(by_flake8.stdout) == [(f"pool.py:{RACY_LINE}", "LAN103")]
    assert by_flake8.stdout == by_command.stdout
    assert by_flake8.returncode == by_command.returncode == 1


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_several_processes_have_the_same_settings(run_module, tmp_path, racy_file, method) -> None:
    for number in range(4):
        (tmp_path / f"more_{number}.py").write_text(racy_file.read_text())
    (tmp_path / "start.py").write_text(
        "import multiprocessing, sys\n"
        "from flake8.main.cli import main\n"
        "if __name__ == '__main__':\n"
        f"    multiprocessing.set_start_method({method!r})\n"
        "    sys.exit(main(sys.argv[1:]))\n"
    )
    files = [path.name for path in sorted(tmp_path.glob("[mp]*.py"))]
    shown = run_module("start", "--jobs=2", "--select=LAN", *files)
    assert places(shown.stdout) == [(f"{name}:{RACY_LINE}", "LAN103") for name in files]
    (tmp_path / "pyproject.toml").write_text('[tool.lane-lint]\nignore = ["LAN103"]\n')
    assert run_module("start", "--jobs=2", "--select=LAN", *files).stdout == ""


def test_standard_input_is_read_from_flake8(flake8, racy_file, tmp_path) -> None:
    text = racy_file.read_text()
    assert places(flake8("-", stdin=text).stdout) == [(f"stdin:{RACY_LINE}", "LAN103")]
    (tmp_path / "shown.py").write_text("this is not what is checked\n")
    done = flake8("-", "--stdin-display-name=shown.py", stdin=text)
    assert places(done.stdout) == [(f"shown.py:{RACY_LINE}", "LAN103")]


@pytest.mark.parametrize(
    ("arguments", "is_shown"),
    [
        (["--select=LAN103"], True),
        (["--select=LAN101"], False),
        (["--extend-select=LAN103"], True),
        (["--extend-select=LAN", "--ignore=LAN1"], False),
        (["--ignore=LAN103"], False),
        (["--per-file-ignores=pool.py:LAN103"], False),
        (["--per-file-ignores=other.py:LAN103"], True),
        (["--lan-min-confidence=low"], True),
        (["--disable-noqa"], True),
    ],
)
def test_flake8_decides_what_is_shown(flake8, racy_file, arguments, is_shown) -> None:
    assert ("LAN103" in flake8(*arguments, "pool.py").stdout) is is_shown


def test_noqa_works_and_names_the_code(flake8, racy_file) -> None:
    text = racy_file.read_text()
    for comment, is_shown in [("noqa", False), ("noqa: LAN103", False), ("noqa: LAN101", True)]:
        racy_file.write_text(text.replace("await connect()", f"await connect()  # {comment}"))
        assert ("LAN103" in flake8("pool.py").stdout) is is_shown
        assert ("LAN103" in flake8("--disable-noqa", "pool.py").stdout) is True


def test_the_source_is_shown_under_the_right_column(flake8, racy_file) -> None:
    lines = flake8("--show-source", "pool.py").stdout.splitlines()
    column = int(lines[0].split(":")[2])
    assert lines[1].strip() == "self._connection = await connect()"
    assert lines[2].index("^") == column - 1


def test_statistics_count_our_codes(flake8, racy_file) -> None:
    lines = flake8("--statistics", "--quiet", "pool.py").stdout.splitlines()
    assert any(line.startswith("1 ") and "LAN103" in line for line in lines)


def test_options_may_stand_in_the_configuration(flake8, racy_file, tmp_path) -> None:
    (tmp_path / "setup.cfg").write_text("[flake8]\nlan-min-confidence = sure\n")
    done = flake8("pool.py")
    assert done.returncode == 1
    assert "min-confidence = 'sure': allowed is one of low, medium, high" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_our_table_of_pyproject_is_read(flake8, racy_file, tmp_path) -> None:
    table = tmp_path / "pyproject.toml"
    for text, is_shown in [
        ('per-file-ignores = { "pool.py" = ["LAN1"] }', False),
        ('exclude = ["pool.py"]', False),
        ('select = ["LAN9"]', False),
        ('extend-exclude = ["other.py"]', True),
    ]:
        table.write_text(f"[tool.lane-lint]\n{text}\n")
        assert ("LAN103" in flake8("pool.py").stdout) is is_shown, text
    table.write_text("[tool.lane-lint]\nno-such-key = 1\n")
    assert "no-such-key = 1" in flake8("pool.py").stdout


@pytest.mark.parametrize("reason", WITHOUT_LIBCST)
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_without_libcst_it_says_so_once_and_breaks_nothing(flake8, racy_file, tmp_path, reason, jobs) -> None:
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook" / "sitecustomize.py").write_text(WITHOUT_OTHER_PLUGINS + WITHOUT_LIBCST[reason])
    (tmp_path / "long.py").write_text("import os\n")
    done = flake8(
        f"--jobs={jobs}",
        "--select=LAN,F",
        "pool.py",
        "long.py",
        environment={"PYTHONPATH": str(tmp_path / "hook")},
    )
    assert done.stderr.count('pip install "state-lane[lint]"') == 1
    assert done.stderr.count("\n") == 1
    assert places(done.stdout) == [("long.py:1", "F401"), (f"pool.py:{RACY_LINE}", "F821")]


def test_plain_flake8_does_not_import_libcst(run_module, tmp_path) -> None:
    (tmp_path / "clean.py").write_text("x = 1\n")
    (tmp_path / "start.py").write_text(
        f"{WITHOUT_OTHER_PLUGINS}import sys\nfrom flake8.main.cli import main\nmain(['--jobs=1', 'clean.py'])\nprint('libcst' in sys.modules)\n"
    )
    assert run_module("start").stdout == "False\n"


def test_hostile_files_do_not_end_a_run(flake8, racy_file, tmp_path) -> None:
    (tmp_path / "latin.py").write_bytes(b"x = '\xe9'\n")
    (tmp_path / "broken.py").write_text("x = (\n")
    (tmp_path / "empty.py").write_text("")
    (tmp_path / "crlf.py").write_bytes(racy_file.read_bytes().replace(b"\n", b"\r\n"))
    (tmp_path / "bom.py").write_bytes(b"\xef\xbb\xbf" + racy_file.read_bytes())
    done = flake8(".")
    assert [line for line, _ in places(done.stdout)] == [
        f"./{name}.py:{RACY_LINE}" for name in ("bom", "crlf", "pool")
    ]
    assert done.stderr == ""


def test_nothing_is_read_from_disk_under_the_name(racy_file) -> None:
    LanePlugin.parse_options(argparse.Namespace())
    text = racy_file.read_text()
    plugin = LanePlugin(ast.parse(text), text.splitlines(keepends=True), "/no/such/file.py")
    (found,) = plugin.run()
    assert found[0] == RACY_LINE
    assert found[2].startswith("LAN103 ")
    assert found[3] is LanePlugin


def test_the_entry_point_is_ours() -> None:
    from importlib.metadata import entry_points

    (entry,) = [one for one in entry_points(group="flake8.extension") if one.name == "LAN"]
    assert entry.load() is LanePlugin
    assert Path(sys.modules["lane_lint.plugin"].__file__ or "").name == "plugin.py"


def test_bytes_that_are_no_text_are_checked_by_flake8_and_refused_by_the_command(
    flake8, lane_lint, racy_file
) -> None:
    racy_file.write_bytes(racy_file.read_bytes() + b"# caf\xe9\n")
    assert places(flake8("pool.py").stdout) == [(f"pool.py:{RACY_LINE}", "LAN103")]
    assert places(lane_lint("check", "pool.py").stdout) == [("pool.py:1", "LAN901")]
