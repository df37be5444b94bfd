"""Each setting with its values and the places that they come from, and what they mean for one file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from lane_lint.fingerprint import path_from
from lane_lint.setting_values import ADDING, Layer, keys_by_name, settings_over
from lane_lint.settings import Settings

DEFAULT = "default"
_FLAKE8_DECIDES = ("select", "extend-select", "ignore", "extend-ignore", "per-file-ignores", "exclude")


@dataclass(frozen=True, slots=True)
class Origin:
    """One value of a setting, or one item of its list.

    Attributes:
        key: The setting as in [tool.lane-lint].
        value: As `Settings` has it; None where a list is empty or nothing is selected by name.
        place: The file with the line and the section, the command line, or `default`.
    """

    key: str
    value: object
    place: str


@dataclass(frozen=True, slots=True)
class Effect:
    """What the settings mean for one file.

    Attributes:
        path: The file, as the user calls it; it need not exist.
        excluded_by: The pattern that keeps it from being read when its folder is checked.
        per_file_ignores: The pattern of the one entry that counts for it.
        reported: Codes that are reported in it.
        silent: The other codes.
    """

    path: str
    excluded_by: str | None
    per_file_ignores: str | None
    reported: tuple[str, ...]
    silent: tuple[str, ...]


def origins_of(layers: Sequence[Layer]) -> Iterator[Origin]:
    """Every setting in the order of its documentation, one `Origin` for each item of a list.

    Raises:
        ConfigError: An unknown key or a value that cannot be used.
    """
    steps = [Settings()]
    for layer in layers:
        steps.append(settings_over(steps[-1], layer))
    for name, key in keys_by_name().items():
        places = dict.fromkeys(_items(steps[0], name), DEFAULT)
        for layer, settings in zip(layers, steps[1:], strict=True):
            if key in layer.values:
                before, added = (places if name in ADDING else {}), layer.place.of(key)
                places = {item: before.get(item, added) for item in _items(settings, name)}
        yield from (Origin(key, item, place) for item, place in places.items())


def effect_on(path: str, settings: Settings, known: Sequence[str]) -> Effect:
    """What the settings mean for one file, of the codes that are known."""
    entry = settings.per_file_entry(path)
    reported = tuple(code for code in known if settings.is_reported(code, path))
    silent = tuple(code for code in known if code not in reported)
    inside = PurePath(path_from(os.curdir, path)).parents[:-1]
    patterns = (settings.excluding_pattern(str(one)) for one in (path, *inside))
    excluding = next((pattern for pattern in patterns if pattern), None)
    return Effect(path, excluding, entry[0] if entry else None, reported, silent)


def said_twice(layers: Sequence[Layer]) -> list[str]:
    """Keys that our table and flake8's file both set although flake8 goes by its own: there the two add up."""
    files = [layer for layer in layers if layer.place.section]
    return [key for key in _FLAKE8_DECIDES if sum(key in layer.values for layer in files) > 1]


def _items(settings: Settings, name: str) -> tuple[object, ...]:
    value = getattr(settings, name)
    items = value if isinstance(value, tuple) else (value,)
    return items or (None,)
