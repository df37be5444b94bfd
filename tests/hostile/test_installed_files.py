"""Every Python file that is installed beside this one is read to its end: the standard library with its tests, and
site-packages. Millions of lines, so these run in .ci/run and with `pytest -m slow` only.
"""

from __future__ import annotations

import ast
import json
import sysconfig
import warnings
from importlib.util import decode_source
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

FOLDERS = {name: Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib")}
# What the checker says of a definition that is Python and that it gives up on.
TOO_MUCH = "nested too deeply"


def why_it_is_not_python(path: Path) -> str | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(decode_source(path.read_bytes()))
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            return str(error)
    return None


def is_explained(finding: dict[str, str]) -> bool:
    """Whether it is a defect of the code, or Python cannot read the file either."""
    if finding["code"] != "LAN901" or TOO_MUCH in finding["message"]:
        return True
    return why_it_is_not_python(Path(finding["path"])) is not None


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_installed_file_is_read(run_module, folder) -> None:
    command = ("check", "--no-cache", "--min-confidence", "low", "--format", "json", "--exclude", "")
    done = run_module("lane_lint", *command, str(FOLDERS[folder]), limit=500)
    assert done.stderr == ""
    report = json.loads(done.stdout)
    assert report["errors"] == []
    assert [finding for finding in report["findings"] if not is_explained(finding)] == []
    assert done.returncode == (1 if report["findings"] else 0)
