"""Whatever a file holds, the answer is findings, LAN901 or a clear message, and the run goes on."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import libcst
import pytest

from lane_lint import Finding, check_paths, check_source

RACY = """\
class Pool:
    def __init__(self):
        self._connection = None

    async def connection(self):
        if self._connection is None:
            self._connection = await connect()
        return self._connection

    async def reset(self):
        self._connection = None
"""


def indented(text: str, width: int = 4) -> str:
    return "".join(f"{' ' * width}{line}\n" for line in text.splitlines())


def racy_method(*statements: str) -> str:
    """The racy class with one more method that suspends and holds `statements`."""
    body = "".join(indented(statement, 8) for statement in statements)
    return f"{RACY}\n    async def more(self, value):\n        await value\n{body}"


def elifs(count: int) -> str:
    return "if value == -1:\n    pass\n" + "".join(f"elif value == {n}:\n    pass\n" for n in range(count))


def codes(findings: list[Finding]) -> set[str]:
    return {finding.code for finding in findings}


STILL_READ = {
    "byte order mark": b"\xef\xbb\xbf" + RACY.encode(),
    "crlf": RACY.replace("\n", "\r\n").encode(),
    "cr only": RACY.replace("\n", "\r").encode(),
    "form feeds": RACY.replace("\n    async", "\n\f\n    async").encode(),
    "form feeds before code": ("\f" + RACY.replace("\n    async", "\n \f    async")).encode(),
    "tabs": RACY.replace("    ", "\t").encode(),
    "tabs after spaces": (RACY + "\n    def f(self):\n    \tif self:\n    \t    return 1\n").encode(),
    "latin-1": ("# coding: latin-1\nname = 'é'\n" + RACY).encode("latin-1"),
    "no line end at the end": RACY.rstrip("\n").encode(),
    "line separators in strings": (RACY + "\ntext = '\u2028\x85'\n").encode(),
    "backslash at the end": (RACY + "\nx = 1 \\\n\n").encode(),
    "comments only after": (RACY + "\n# end").encode(),
    "1,000 elif": racy_method(elifs(1_000)).encode(),
    "a 400-term sum": racy_method("x = " + " + ".join(["value"] * 400)).encode(),
    "200 chained calls": racy_method("x = value" + ".next()" * 200).encode(),
    "a 50,000-element table": (RACY + "\nTABLE = [\n" + "    (1, 'a'),\n" * 50_000 + "]\n").encode(),
    "a table in the method": racy_method("x = [" + ", ".join(["1"] * 50_000) + "]").encode(),
    "80 nested parentheses": racy_method("x = " + "(" * 80 + "value" + ")" * 80).encode(),
    "18 nested blocks": racy_method(
        "\n".join(f"{' ' * depth}if value:" for depth in range(18)) + f"\n{' ' * 18}await value"
    ).encode(),
    "decorators below their sign": RACY.replace(
        "    async def", "    @(\n        # why\n        traced\n    )\n    @\\\n  timed\n    async def"
    ).encode(),
    "a long line": (RACY + "\nx = '" + "y" * 1_000_000 + "'\n").encode(),
    "a name in many scripts": (RACY + "\nclass Größe:\n    名前 = 'ß'\n").encode(),
    "a name that is not normalised": RACY.replace("_connection", "_\N{MICRO SIGN}").encode(),
    "a method that is not normalised": RACY.replace("connection(", "\N{LATIN SMALL LIGATURE FI}nd(").encode(),
    "invalid escapes": (RACY + "\nx = '\\d'\n").encode(),
    "new syntax": (
        RACY
        + "\nasync def f(command):\n    match command:\n        case {'a': [x, *_], **rest} if x:\n"
        + "            await rest\n        case _:\n            pass\n    try:\n        await command\n"
        + "    except* ValueError as group:\n        await group\n    return (y := [z async for z in command])\n"
    ).encode(),
}
if sys.version_info >= (3, 12):
    STILL_READ["type parameters"] = (
        RACY + "\ntype Pair[T] = tuple[T, T]\n\nclass Box[T]:\n    async def f[U: int](self, x: U) -> T:\n"
        "        return f'{x!r:>{'10'}} {await x}'\n"
    ).encode()

NOT_READ = {
    "nul": RACY.encode() + b"\0",
    "wrong encoding": b"# coding: utf-8\nname = '\xe9'\n" + RACY.encode(),
    "unknown encoding": b"# coding: klingon\n" + RACY.encode(),
    "utf-16": RACY.encode("utf-16"),
    "no python": b"this is prose, (not code\n",
    "python 2": b"print 'hello'\n",
    "binary": bytes(range(256)) * 10,
    "nested too deeply": ("x = " + "(" * 1_000 + "1" + ")" * 1_000 + "\n").encode(),
    "a tower of signs": ("x = " + "-" * 100_000 + "1\n").encode(),
    "mixed indentation": b"if x:\n        a\n\tb\n",
}


@pytest.mark.parametrize("name", STILL_READ)
def test_odd_but_valid_files_are_analysed(name) -> None:
    assert codes(check_source(STILL_READ[name])) == {"LAN103"}


def test_columns_count_the_form_feeds_before_code() -> None:
    (finding,) = check_source(RACY.replace("            self", "\f \f            self"))
    assert (finding.span.column, finding.span.end_column) == (15, 31)


@pytest.mark.parametrize("name", NOT_READ)
def test_what_is_no_python_is_one_finding(name) -> None:
    (finding,) = check_source(NOT_READ[name])
    assert finding.code == "LAN901"
    assert "internal error" not in finding.message


@pytest.mark.parametrize("start", ["", "\n\n", "if True:\n"])
def test_a_definition_that_libcst_refuses_is_analysed(start) -> None:
    text = (
        RACY
        + "\n    async def more(self):\n        (x): int = 1\n        if self.rows is None:\n            self.rows = await make(x)\n"
    )
    text = start + (indented(text) if "if" in start else text)
    with pytest.raises(libcst.ParserSyntaxError):
        libcst.parse_module(text)
    findings = check_source(text)
    assert codes(findings) == {"LAN103"}
    assert text.count("\n") in {finding.span.line for finding in findings}


@pytest.mark.parametrize("data", [b"", b"\n", b"\f", b"\xef\xbb\xbf", b"# comment", b"\\\n"], ids=repr)
def test_files_with_nothing_in_them_are_clean(data) -> None:
    assert codes(check_source(data)) <= {"LAN901"}
    if data != b"\\\n":
        assert check_source(data) == []


@pytest.mark.parametrize("depth", [90, 400, 3_000, 60_000])
@pytest.mark.parametrize("shape", ["sum", "calls", "elif", "not"])
def test_any_depth_ends_in_findings(shape, depth) -> None:
    statement = {
        "sum": "x = " + " + ".join(["value"] * depth),
        "calls": "x = value" + ".next()" * depth,
        "elif": elifs(min(depth, 10_000)),
        "not": "x = " + "not " * depth + "value",
    }[shape]
    found = codes(check_source(racy_method(statement)))
    assert found
    assert found <= {"LAN103", "LAN901"}


@pytest.mark.timeout(30)
def test_methods_that_all_call_each_other_end_in_findings() -> None:
    numbers = range(20)
    calls = "".join(f"        await self.more_{number}(value)\n" for number in numbers)
    methods = [
        f"    async def more_{number}(self, value):\n{calls}        self.field_{number} = value\n"
        for number in numbers
    ]
    assert codes(check_source(RACY + "\n" + "\n".join(methods))) == {"LAN103"}


def test_an_internal_error_is_one_finding(monkeypatch) -> None:
    def failing() -> tuple[object, ...]:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("lane_lint.engine.all_rules", failing)
    (finding,) = check_source(RACY)
    assert finding.code == "LAN901"
    assert "internal error" in finding.message
    assert "ZeroDivisionError" in finding.message


def test_one_odd_file_does_not_end_a_run(lane_lint, tmp_path) -> None:
    for number, data in enumerate([*NOT_READ.values(), *STILL_READ.values()]):
        (tmp_path / f"file_{number:02}.py").write_bytes(data)
    done = lane_lint("check", "--jobs", "2")
    lines = done.stdout.splitlines()
    assert done.returncode == 1
    assert done.stderr == ""
    assert sum(" LAN901 " in line for line in lines) == len(NOT_READ)
    assert sum(" LAN103 " in line for line in lines) == len(STILL_READ)


def test_odd_places_do_not_end_a_run(lane_lint, tmp_path, racy_file) -> None:
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "folder.py" / "inside.py").write_text(RACY)
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "loop.py").symlink_to(tmp_path / "loop.py")
    (tmp_path / "dangling.py").symlink_to(tmp_path / "nowhere.py")
    (tmp_path / os.fsdecode(b"caf\xe9.py")).write_text("x = 1\n")
    done = lane_lint("check")
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == ["folder.py/inside.py", "pool.py"]
    assert done.stderr == ""


def test_a_name_that_is_no_text_is_reported(lane_lint, tmp_path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.py")).write_text("x = (\n")
    for format_name in ("text", "json"):
        done = lane_lint("check", "--format", format_name)
        assert done.returncode == 1
        assert "LAN901" in done.stdout


@pytest.mark.parametrize("name", ["loop.py", "dangling.py"])
def test_a_named_link_to_nothing_is_a_message(lane_lint, tmp_path, racy_file, name) -> None:
    (tmp_path / name).symlink_to(tmp_path / ("nowhere" if name == "dangling.py" else name))
    done = lane_lint("check", name, "pool.py")
    assert done.returncode == 2
    assert f"{name}: " in done.stderr
    assert "Traceback" not in done.stderr
    assert "LAN103" in done.stdout


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there is no endless device")
def test_a_device_is_a_message(lane_lint, racy_file) -> None:
    done = lane_lint("check", "/dev/zero", os.devnull, "pool.py")
    assert done.returncode == 2
    assert done.stderr == "lane-lint: /dev/zero: it is a device\n"
    assert "LAN103" in done.stdout


def test_a_path_that_is_empty_is_a_name_like_others() -> None:
    assert codes(check_source(RACY, path="")) == {"LAN103"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_a_message(lane_lint, tmp_path, racy_file) -> None:
    (tmp_path / "secret.py").write_text(RACY)
    (tmp_path / "secret.py").chmod(0)
    done = lane_lint("check")
    assert done.returncode == 2
    assert "secret.py: Permission denied" in done.stderr
    assert "LAN103" in done.stdout


@pytest.mark.skipif(os.geteuid() == 0, reason="root may list everything")
def test_a_folder_without_permission_is_a_message(lane_lint, tmp_path, racy_file) -> None:
    (tmp_path / "secret").mkdir(mode=0)
    done = lane_lint("check")
    assert done.returncode == 2
    assert "secret: Permission denied" in done.stderr
    assert "LAN103" in done.stdout


def test_a_path_with_a_nul_is_a_message(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="no such file"):
        check_paths([f"{tmp_path}/a\0b.py"])
