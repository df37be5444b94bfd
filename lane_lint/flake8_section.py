"""What a project has told flake8 already: the [flake8] section of setup.cfg, tox.ini or .flake8."""

from __future__ import annotations

import re
from collections.abc import Mapping

from lane_lint.config_files import folders_upwards, ini_section, toml_table
from lane_lint.setting_values import FLAKE8_OPTIONS, Layer, Place

_FILES = ("setup.cfg", "tox.ini", ".flake8")
_SEPARATORS = re.compile(r"[,\s]+")
_CODE = re.compile(r"[A-Z]+[0-9]*")
_OWN_PREFIX = "lan-"
_LISTS = ("select", "extend-select", "ignore", "extend-ignore", "exclude", "extend-exclude")
_SINGLE_VALUES = frozenset({"min-confidence", "across-files"})


def flake8_layer(folder: str) -> Layer | None:
    """The nearest [flake8] section, or the [tool.flake8] that Flake8-pyproject puts in its place.

    Codes of other plugins are kept: `select = E,F` selects no code of ours, as it does in flake8.

    Raises:
        ConfigError: `per-file-ignores` cannot be read, or there is an unknown `lan-` option.
    """
    for number, directory in enumerate(folders_upwards(folder)):
        # Flake8-pyproject looks in the current folder alone, and then at nothing else.
        path = directory / "pyproject.toml"
        if number == 0 and (table := toml_table(path, "flake8")):
            return _layer_of(table[0], _place(str(path), str(directory), "tool.flake8", table[1]))
        for path in (directory / name for name in _FILES):
            if section := ini_section(path, "flake8"):
                return _layer_of(section[0], _place(str(path), str(directory), "flake8", section[1]))
    return None


def split_names(value: str) -> list[str]:
    """Split a list that is separated by commas or white space."""
    return [item for item in _SEPARATORS.split(value) if item]


def parse_per_file_ignores(value: str, place: Place) -> dict[str, list[str]]:
    """Read flake8's mapping `pattern[,pattern]:code[,code] ...`.

    Raises:
        ConfigError: The value is no such mapping.
    """
    entries: list[tuple[str, list[str]]] = []
    patterns: list[str] = []
    codes: list[str] = []
    is_at_codes = False
    for word in _SEPARATORS.split(value.replace(":", " : ").strip()):
        if word == ":" and patterns and not is_at_codes:
            is_at_codes = True
        elif is_at_codes and _CODE.fullmatch(word):
            codes.append(word)
        elif word and word != ":" and (codes or not is_at_codes):
            entries += [(pattern, codes) for pattern in patterns if is_at_codes]
            patterns = [word] if is_at_codes else [*patterns, word]
            codes, is_at_codes = [], False
        elif word:
            raise place.error("per-file-ignores", value, "a mapping such as tests/*:LAN103")
    if patterns and not codes:
        raise place.error("per-file-ignores", value, "a mapping such as tests/*:LAN103")
    entries += [(pattern, codes) for pattern in patterns]
    found: dict[str, list[str]] = {}
    for pattern, listed in entries:
        found.setdefault(pattern, listed)  # flake8 takes the first as well
    return found


def flake8_option(key: str, value: object) -> object:
    """A value of a `lan-` option as TOML would give it; `key` is without the prefix."""
    if key in _SINGLE_VALUES:
        return value.strip() if isinstance(value, str) else value
    return _listed(value)


def _place(name: str, folder: str, section: str, text: str) -> Place:
    return Place(name, folder, section, text, prefix=_OWN_PREFIX, is_flake8s=True)


def _layer_of(section: Mapping[str, object], place: Place) -> Layer:
    section = {key.replace("_", "-"): value for key, value in section.items()}
    values: dict[str, object] = {key: _listed(section[key]) for key in _LISTS if key in section}
    if "per-file-ignores" in section:
        written = section["per-file-ignores"]
        text = "\n".join(map(str, written)) if isinstance(written, list) else str(written)
        values["per-file-ignores"] = parse_per_file_ignores(text, place)
    for written_key in (key for key in section if key.startswith(_OWN_PREFIX)):
        key = written_key.removeprefix(_OWN_PREFIX)
        if key.replace("-", "_") not in FLAKE8_OPTIONS:
            options = ", ".join(_OWN_PREFIX + name.replace("_", "-") for name in sorted(FLAKE8_OPTIONS))
            raise place.error(written_key, section[written_key], f"one of the options {options}")
        values[key] = flake8_option(key, section[written_key])
    return Layer(place, values)


def _listed(value: object) -> object:
    return split_names(value) if isinstance(value, str) else value
