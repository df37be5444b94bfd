"""Values as people write them, turned into settings; what cannot be used says where it stands."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from lane_lint.finding import Confidence
from lane_lint.settings import CODE_PREFIX, ConfigError, Settings, absolute_pattern

_CONFIDENCES = ", ".join(str(level) for level in Confidence)
_EXTENDING = {"extend-ignore": "ignore", "extend-exclude": "exclude"}
# A project's words are added to what the checker knows; the other keys replace what was there.
PROJECT_WORDS = frozenset(
    {
        "lane_types",
        "lane_entry_methods",
        "on_lane_name_patterns",
        "asserting_methods",
        "suppressors",
        "lock_types",
        "concurrent_map_types",
        "non_suspending",
        "owned_parameters",
        "confined_classes",
        "runs_callback_now",
    }
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where values were written.

    Attributes:
        name: The file, or the command line, as an error names it.
        folder: What relative path patterns start from.
        prefix: What stands before a key there, such as `--`.
    """

    name: str
    folder: str
    prefix: str = ""


def settings_over(base: Settings, values: Mapping[str, object], place: Place) -> Settings:
    """`base` with values of TOML's types over it.

    Raises:
        ConfigError: An unknown key or a value that cannot be used.
    """
    known = {field.name.replace("_", "-"): field.name for field in fields(Settings)}
    changed: dict[str, Any] = {}
    for key, value in sorted(values.items(), key=lambda item: item[0] in _EXTENDING):
        name = known.get(key) or _EXTENDING.get(key)
        if name is None:
            allowed = ", ".join(sorted({*known, *_EXTENDING}))
            raise ConfigError(place.name, place.prefix + key, value, f"one of the keys {allowed}")
        converted = _CONVERTERS.get(name, _names)(place, key, value)
        if key in _EXTENDING or name in PROJECT_WORDS:
            before = changed.get(name, getattr(base, name))
            converted = tuple(dict.fromkeys((*before, *converted)))
        changed[name] = converted
    return replace(base, **changed)


def folders_upwards(folder: str) -> Iterator[Path]:
    """The folder and those around it; the home folder and what holds it only when the search starts there.

    Source: flake8, which looks for its own files so.
    """
    start = Path(os.path.abspath(folder))
    home = Path(os.path.expanduser("~"))
    yield start
    for directory in start.parents:
        if directory == home:
            return
        yield directory


def _names(place: Place, key: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise ConfigError(place.name, place.prefix + key, value, "a list of names")
    return tuple(value)


def _codes(place: Place, key: str, value: object) -> tuple[str, ...]:
    codes = _names(place, key, value)
    for code in codes:
        if not CODE_PREFIX.fullmatch(code):
            raise ConfigError(place.name, place.prefix + key, code, "a code such as LAN, LAN1 or LAN103")
    return codes


def _patterns(place: Place, key: str, value: object) -> tuple[str, ...]:
    return tuple(absolute_pattern(pattern, place.folder) for pattern in _names(place, key, value))


def _confidence(place: Place, key: str, value: object) -> Confidence:
    if isinstance(value, str) and value.lower() in {str(level) for level in Confidence}:
        return Confidence[value.upper()]
    raise ConfigError(place.name, place.prefix + key, value, f"one of {_CONFIDENCES}")


def _truth(place: Place, key: str, value: object) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    raise ConfigError(place.name, place.prefix + key, value, "true or false")


def _per_file_ignores(place: Place, key: str, value: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(value, dict):
        raise ConfigError(place.name, place.prefix + key, value, 'a table such as {"tests/*" = ["LAN103"]}')
    return tuple(
        (absolute_pattern(pattern, place.folder), _codes(place, f"{key}.{pattern}", codes))
        for pattern, codes in value.items()
    )


_CONVERTERS: Mapping[str, Callable[[Place, str, object], Any]] = {
    "select": _codes,
    "extend_select": _codes,
    "ignore": _codes,
    "per_file_ignores": _per_file_ignores,
    "exclude": _patterns,
    "across_files": _truth,
    "min_confidence": _confidence,
}
