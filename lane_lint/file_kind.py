"""What kind of file a path names: code that is run, or tests of it."""

from __future__ import annotations

import os
import re

_TEST_FILE = re.compile(r"test_.*\.py$|.*_tests?\.py$|conftest\.py$")
_TEST_FOLDERS = frozenset({"test", "tests", "testing"})


def is_test_file(path: str) -> bool:
    """Whether a file holds tests, by its name, or by a folder below the current one.

    Tests run one after another, so state that they share is meant for one task at a time.
    """
    name = os.path.basename(path)
    if _TEST_FILE.match(name):
        return True
    folders = os.path.relpath(path).split(os.sep)[:-1] if path and _is_below_here(path) else []
    return not _TEST_FOLDERS.isdisjoint(folders)


def _is_below_here(path: str) -> bool:
    return not os.path.isabs(path) or os.path.abspath(path).startswith(os.getcwd() + os.sep)
