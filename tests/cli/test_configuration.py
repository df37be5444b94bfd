"""Settings from pyproject.toml, from flake8's own files, and from flags over both."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lane_lint.config import ConfigError, load_settings
from lane_lint.finding import Confidence
from lane_lint.settings import DEFAULT_EXCLUDE, Settings


def configured(folder: Path, text: str, name: str = "pyproject.toml") -> Settings:
    (folder / name).write_text(text)
    return load_settings(str(folder), {})


def test_without_files_and_flags_the_defaults_hold(tmp_path) -> None:
    assert load_settings(str(tmp_path), {}) == Settings()


def test_pyproject_is_read(tmp_path) -> None:
    settings = configured(
        tmp_path,
        '[tool.lane-lint]\nselect = ["LAN1"]\nmin-confidence = "low"\nlock-types = ["my.Lock"]\n'
        'owned-parameters = ["call"]\nper-file-ignores = { "tests/*" = ["LAN103"] }\nexclude = ["build"]\n',
    )
    assert settings.select == ("LAN1",)
    assert settings.min_confidence is Confidence.LOW
    assert settings.lock_types == ("my.Lock",)
    assert settings.owned_parameters == (*Settings().owned_parameters, "call")
    assert settings.per_file_ignores == ((f"{tmp_path}/tests/*", ("LAN103",)),)
    assert settings.exclude == ("build",)


def test_it_is_found_from_a_folder_below(tmp_path) -> None:
    configured(tmp_path, '[tool.lane-lint]\nmin-confidence = "high"\n')
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.other]\n")
    assert load_settings(str(tmp_path / "a" / "b"), {}).min_confidence is Confidence.HIGH


@pytest.mark.parametrize("name", ["setup.cfg", "tox.ini", ".flake8"])
def test_the_flake8_section_is_read(tmp_path, name) -> None:
    text = (
        "[flake8]\nselect = E,LAN\nextend-ignore = E203 LAN105\nexclude = build\nextend-exclude = ./out\n"
        "per-file-ignores =\n    tests/*: LAN103, E501\n    a.py,b.py:LAN1\nlan-min-confidence = low\n"
        "lan-lock-types = my.Lock, other.Lock\n"
    )
    settings = configured(tmp_path, text, name)
    assert settings.select == ("E", "LAN")
    assert (settings.ignore, settings.extend_ignore) == ((), ("E203", "LAN105"))
    assert (settings.exclude, settings.extend_exclude) == (("build",), (f"{tmp_path}/out",))
    assert settings.min_confidence is Confidence.LOW
    assert settings.lock_types == ("my.Lock", "other.Lock")
    assert settings.per_file_ignores == (
        (os.path.abspath("tests/*"), ("LAN103", "E501")),
        ("a.py", ("LAN1",)),
        ("b.py", ("LAN1",)),
    )


def test_flags_win_over_pyproject_which_wins_over_flake8(tmp_path) -> None:
    (tmp_path / ".flake8").write_text("[flake8]\nselect = LAN3\nignore = LAN9\n")
    (tmp_path / "pyproject.toml").write_text('[tool.lane-lint]\nselect = ["LAN1"]\n')
    assert load_settings(str(tmp_path), {}).select == ("LAN1",)
    settings = load_settings(str(tmp_path), {"select": ["LAN2"]})
    assert (settings.select, settings.ignore) == (("LAN2",), ("LAN9",))


def test_extending_keys_add_to_what_is_there(tmp_path) -> None:
    (tmp_path / ".flake8").write_text("[flake8]\nignore = LAN9\n")
    settings = configured(tmp_path, '[tool.lane-lint]\nextend-ignore = ["LAN1"]\nextend-exclude = ["gen"]\n')
    assert (settings.ignore, settings.extend_ignore) == (("LAN9",), ("LAN1",))
    assert (settings.exclude, settings.extend_exclude) == (DEFAULT_EXCLUDE, ("gen",))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ('selct = ["LAN1"]', ["selct = ['LAN1']", "allowed is one of the keys", "did you mean 'select'?"]),
        ('lock_types = ["a.B"]', ["lock_types", "did you mean 'lock-types'?"]),
        ("across-files = 1", ["across-files = 1", "true or false"]),
        ("exclude = { a = 1 }", ["exclude = {'a': 1}", "a list of names"]),
        ('select = "LAN1"', ["select = 'LAN1'", "a list of names"]),
        ('select = ["X1"]', ["select = 'X1'", "a code such as LAN"]),
        ('min-confidence = "sure"', ["min-confidence = 'sure'", "low, medium, high"]),
        ("min-confidence = 3", ["min-confidence = 3", "low, medium, high"]),
        ('per-file-ignores = ["a"]', ["per-file-ignores", "a table such as"]),
        ('per-file-ignores = { "a" = "LAN1" }', ["per-file-ignores.a = 'LAN1'", "a list of names"]),
        ("lock-types = [1]", ["lock-types = [1]", "a list of names"]),
        ("select = [", ["a TOML document"]),
    ],
)
def test_a_wrong_value_is_named_with_file_key_value_and_what_is_allowed(tmp_path, text, parts) -> None:
    with pytest.raises(ConfigError) as raised:
        configured(tmp_path, f"[tool.lane-lint]\n{text}\n")
    file = str(tmp_path / "pyproject.toml")
    for part in [file if "TOML" in parts[0] else f"{file}:2 [tool.lane-lint]: ", *parts]:
        assert part in str(raised.value)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('tool = ["lane-lint"]', "tool = ['lane-lint']"),
        ("tool = 3  # lane-lint", "tool = 3"),
        ("[[tool]]\nlane-lint = 1", "tool = [{'lane-lint': 1}]"),
        ("[tool]\nlane-lint = 3", "tool.lane-lint = 3"),
        ("[[tool.lane-lint]]\nselect = 1", "tool.lane-lint = [{'select': 1}]"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path, text, key) -> None:
    with pytest.raises(ConfigError) as raised:
        configured(tmp_path, f"{text}\n")
    assert f"{tmp_path / 'pyproject.toml'}: {key}: allowed is a table" == str(raised.value)


@pytest.mark.parametrize("value", ["LAN103", "a.py:", "a.py:b.py:LAN1", ":LAN1", "a.py:LAN1:LAN2"])
def test_a_wrong_per_file_ignores_of_flake8_is_refused(tmp_path, value) -> None:
    with pytest.raises(ConfigError):
        configured(tmp_path, f"[flake8]\nper-file-ignores = {value}\n", "setup.cfg")


def test_files_that_are_not_ours_are_passed_over(tmp_path) -> None:
    (tmp_path / "setup.cfg").write_text("[metadata]\nname = x\n")
    (tmp_path / "tox.ini").write_bytes(b"\xff\xfe broken [")
    (tmp_path / "pyproject.toml").write_text("this is [ no toml\n")
    assert load_settings(str(tmp_path), {}) == Settings()


@pytest.mark.parametrize(
    ("settings", "code", "expected"),
    [
        (Settings(), "LAN103", True),
        (Settings(select=("E",)), "LAN103", False),
        (Settings(select=("LAN1",)), "LAN901", False),
        (Settings(ignore=("LAN",)), "LAN103", False),
        (Settings(ignore=("LAN1",), extend_select=("LAN103",)), "LAN103", True),
        (Settings(select=("LAN103",), ignore=("LAN103",)), "LAN103", False),
        (Settings(per_file_ignores=(("*.py", ("LAN1",)),)), "LAN103", False),
        (Settings(per_file_ignores=(("*.py", ("LAN1",)), ("one.py", ("LAN9",)))), "LAN103", True),
    ],
)
def test_selection_is_flake8s(settings, code, expected) -> None:
    assert settings.is_reported(code, "one.py") is expected


def test_a_mistake_is_found_with_its_line_in_subtables_and_sections(tmp_path) -> None:
    text = '# ours\n[tool.lane-lint]\nselect = [\n  "LAN1",\n]\n\n[tool.lane-lint.per-file-ignores]\na = ["X1"]\n'
    with pytest.raises(ConfigError, match=r"pyproject.toml:7 \[tool.lane-lint\]: per-file-ignores.a = 'X1'"):
        configured(tmp_path, text)
    with pytest.raises(ConfigError, match=r"tox.ini:3 \[flake8\]: lan-across-files = 'perhaps'"):
        configured(tmp_path, "[tox]\n[flake8]\nlan_across_files = perhaps\n", "tox.ini")


def test_an_unknown_option_of_ours_in_a_flake8_section_is_refused(tmp_path) -> None:
    for option in ("lan-select", "lan-lock-type"):
        with pytest.raises(ConfigError, match=f"{option} = 'x': allowed is one of the options lan-across"):
            configured(tmp_path, f"[flake8]\n{option} = x\n", "setup.cfg")


def test_a_section_that_ends_flake8_is_refused(tmp_path) -> None:
    with pytest.raises(ConfigError, match=r"tox.ini:3 \[flake8\]: select = 'given twice'"):
        configured(tmp_path, "[flake8]\nselect = LAN\nselect = LAN\n", "tox.ini")


def test_a_byte_order_mark_is_no_mistake(tmp_path) -> None:
    settings = configured(tmp_path, '\N{ZERO WIDTH NO-BREAK SPACE}[tool.lane-lint]\nselect = ["LAN1"]\n')
    assert settings.select == ("LAN1",)
