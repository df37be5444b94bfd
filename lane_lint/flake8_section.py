"""What a project has told flake8 already: the [flake8] section of setup.cfg, tox.ini or .flake8."""

from __future__ import annotations

import configparser
import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from lane_lint.setting_values import Place, folders_upwards, settings_over
from lane_lint.settings import ConfigError, Settings, absolute_pattern

_FILES = ("setup.cfg", "tox.ini", ".flake8")
_SEPARATORS = re.compile(r"[,\s]+")
_CODE = re.compile(r"[A-Z]+[0-9]*")
_OWN_PREFIX = "lan-"
_SINGLE_VALUES = frozenset({"lan-min-confidence", "lan-across-files"})


def flake8_settings(folder: str, base: Settings) -> Settings:
    """`base` with the nearest [flake8] section over it.

    Codes of other plugins are kept: `select = E,F` selects no code of ours, as it does in flake8.

    Raises:
        ConfigError: `per-file-ignores` cannot be read, or a `lan-` option has a wrong value.
    """
    for directory in folders_upwards(folder):
        for name in _FILES:
            section = _section_of(directory / name)
            if section is not None:
                return _settings_from(section, Place(f"{directory / name} [flake8]", str(directory)), base)
    return base


def split_names(value: str) -> list[str]:
    """Split a list that is separated by commas or white space."""
    return [item for item in _SEPARATORS.split(value) if item]


def parse_per_file_ignores(value: str, place: Place, key: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Read flake8's mapping `pattern[,pattern]:code[,code] ...`.

    Raises:
        ConfigError: The value is no such mapping.
    """
    entries: list[tuple[str, tuple[str, ...]]] = []
    patterns: list[str] = []
    codes: list[str] = []
    is_at_codes = False
    for word in _SEPARATORS.split(value.replace(":", " : ").strip()):
        if word == ":" and patterns and not is_at_codes:
            is_at_codes = True
        elif is_at_codes and _CODE.fullmatch(word):
            codes.append(word)
        elif word and word != ":" and (codes or not is_at_codes):
            entries += [(pattern, tuple(codes)) for pattern in patterns if is_at_codes]
            patterns = [word] if is_at_codes else [*patterns, word]
            codes, is_at_codes = [], False
        elif word:
            raise ConfigError(place.name, place.prefix + key, value, "a mapping such as tests/*:LAN103")
    if patterns and not codes:
        raise ConfigError(place.name, place.prefix + key, value, "a mapping such as tests/*:LAN103")
    entries += [(pattern, tuple(codes)) for pattern in patterns]
    return tuple((absolute_pattern(pattern, place.folder), found) for pattern, found in entries)


def _section_of(path: Path) -> Mapping[str, str] | None:
    if not os.path.isfile(path):
        return None
    parser = configparser.RawConfigParser()
    try:
        parser.read(path, encoding="utf-8")
    except (OSError, UnicodeDecodeError, configparser.Error):
        return None  # flake8 passes over such a file too
    if "flake8" in parser:
        return {key.replace("_", "-"): value for key, value in parser["flake8"].items()}
    return {} if "flake8:local-plugins" in parser else None


def _settings_from(section: Mapping[str, str], place: Place, base: Settings) -> Settings:
    def listed(*keys: str) -> tuple[str, ...]:
        return tuple(item for key in keys for item in split_names(section.get(key, "")))

    exclude = listed("exclude") if "exclude" in section else base.exclude
    exclude = (*exclude, *listed("extend-exclude"))
    settings = replace(
        base,
        select=listed("select"),
        extend_select=listed("extend-select"),
        ignore=listed("ignore", "extend-ignore"),
        per_file_ignores=parse_per_file_ignores(
            section.get("per-file-ignores", ""), place, "per-file-ignores"
        ),
        exclude=tuple(absolute_pattern(pattern, place.folder) for pattern in exclude),
    )
    own = {
        key.removeprefix(_OWN_PREFIX): value if key in _SINGLE_VALUES else split_names(value)
        for key, value in section.items()
        if key.startswith(_OWN_PREFIX)
    }
    return settings_over(settings, own, replace(place, prefix=_OWN_PREFIX))
