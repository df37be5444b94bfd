"""Whether a path is excluded, asked at once or pattern by pattern, has one answer."""

from __future__ import annotations

import os
from fnmatch import fnmatch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lane_lint.settings import DEFAULT_EXCLUDE, Settings, absolute_pattern

paths = st.lists(st.sampled_from(["a", "b.py", ".venv", "x.egg", "..", "."]), min_size=1, max_size=4).map(
    "/".join
)
patterns = st.lists(
    st.sampled_from(["a", "*.py", ".*", "[ab]", "?", "./a", "*/b.py", "/", "**", "a|b", "("]), max_size=3
)


@given(path=paths, patterns=patterns)
def test_all_patterns_at_once_answer_as_one_by_one(path: str, patterns: list[str]) -> None:
    exclude = tuple(absolute_pattern(pattern, os.getcwd()) for pattern in patterns)
    name = os.path.basename(path)
    names = [os.path.abspath(path), *([name] if name not in {".", ".."} else [])]
    expected = any(fnmatch(each, pattern) for pattern in exclude for each in names)
    assert Settings(exclude=exclude).is_excluded(path) is expected
    assert (Settings(exclude=exclude).excluding_pattern(path) is not None) is expected


@pytest.mark.parametrize("path", [".", "", "a/..", ".."])
def test_the_folder_itself_is_not_excluded_by_a_name(path: str) -> None:
    assert not Settings(exclude=(".*",)).is_excluded(path)


def test_nothing_is_excluded_without_patterns() -> None:
    assert not Settings(exclude=()).is_excluded(".venv")
    assert Settings(exclude=DEFAULT_EXCLUDE).is_excluded("src/.venv")
