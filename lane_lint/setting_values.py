"""Values as people write them, turned into settings; what cannot be used says where it stands."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from typing import Any

from lane_lint.config_files import line_of
from lane_lint.finding import Confidence
from lane_lint.settings import CODE_PREFIX, ConfigError, Settings, absolute_pattern

_CONFIDENCES = ", ".join(str(level) for level in Confidence)
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
# What is added to what is known or set below; the other keys replace what was there.
ADDING = PROJECT_WORDS | {"extend_select", "extend_ignore", "extend_exclude"}
# What flake8 does not know by itself, so that the plugin tells it; written there with the prefix `lan-`.
FLAKE8_OPTIONS = {"min_confidence", "across_files"} | PROJECT_WORDS
_CODE_KEYS = ("select", "extend-select", "ignore", "extend-ignore")


@dataclass(frozen=True, slots=True)
class Place:
    """Where values were written.

    Attributes:
        name: The file, or the command line, as an error names it.
        folder: What relative path patterns start from.
        section: The table or section of the file.
        text: The file's text, to find lines in.
        prefix: What stands before a key there, such as `--`.
        is_flake8s: Whether flake8 reads it too: codes of other plugins stand there, and the keys
            that flake8 does not know have the prefix `lan-`.
    """

    name: str
    folder: str
    section: str = ""
    text: str = ""
    prefix: str = ""
    is_flake8s: bool = False

    def spelling(self, key: str) -> str:
        """A key as it is written there."""
        is_ours = not self.is_flake8s or key.replace("-", "_") in FLAKE8_OPTIONS
        return self.prefix + key if is_ours else key

    def of(self, key: str) -> str:
        """Where a key stands, with its line when that can be told."""
        line = line_of(self.text, self.section, self.spelling(key)) if self.text else None
        section = f" [{self.section}]" if self.section else ""
        return f"{self.name}:{line}{section}" if line else self.name + section

    def error(self, key: str, value: object, allowed: str, *, part: str = "") -> ConfigError:
        """The complaint about a value, or about a part of it."""
        return ConfigError(self.of(key), self.spelling(key) + part, value, allowed)


@dataclass(frozen=True, slots=True)
class Layer:
    """What one place sets: keys as in [tool.lane-lint], values as TOML gives them."""

    place: Place
    values: Mapping[str, object]


def keys_by_name() -> dict[str, str]:
    """The name of each setting to its key in [tool.lane-lint]."""
    return {field.name: field.name.replace("_", "-") for field in fields(Settings)}


def settings_over(base: Settings, layer: Layer) -> Settings:
    """`base` with the values of a layer over it.

    Raises:
        ConfigError: An unknown key or a value that cannot be used.
    """
    names = {key: name for name, key in keys_by_name().items()}
    changed: dict[str, Any] = {}
    for key, value in layer.values.items():
        name = names.get(key)
        if name is None:
            raise layer.place.error(key, value, f"one of the keys {_alternatives(key, names)}")
        converted = _CONVERTERS.get(name, _names)(layer.place, key, value)
        if name in ADDING:
            converted = tuple(dict.fromkeys((*getattr(base, name), *converted)))
        changed[name] = converted
    return replace(base, **changed)


def require_known_codes(layers: Iterable[Layer], known: Sequence[str]) -> None:
    """Refuse a prefix of ours that no rule has: a misspelt code would silence nothing or everything.

    Raises:
        ConfigError: Such a prefix stands in one of the layers.
    """
    for layer in layers:
        for key, part, code in _written_codes(layer):
            if code.startswith("LAN") and not any(one.startswith(code) for one in known):
                raise layer.place.error(key, code, f"a prefix of {_alternatives(code, known)}", part=part)


def _written_codes(layer: Layer) -> Iterator[tuple[str, str, str]]:
    """(key, part of the key, code) of each code of a layer whose values have been found right."""
    for key in _CODE_KEYS:
        yield from ((key, "", code) for code in _listed(layer.values.get(key)))
    table = layer.values.get("per-file-ignores")
    for pattern, codes in table.items() if isinstance(table, dict) else ():
        yield from (("per-file-ignores", f".{pattern}", code) for code in _listed(codes))


def _listed(value: object) -> list[str]:
    return value if isinstance(value, list) else []


def _alternatives(wanted: str, known: Iterable[str]) -> str:
    """All that is known, and what was probably meant."""
    words = sorted(known)
    close = get_close_matches(wanted.replace("_", "-"), words, n=1)
    return ", ".join(words) + (f"; did you mean {close[0]!r}?" if close else "")


def _names(place: Place, key: str, value: object, part: str = "") -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise place.error(key, value, "a list of names", part=part)
    return tuple(value)


def _codes(place: Place, key: str, value: object, part: str = "") -> tuple[str, ...]:
    codes = _names(place, key, value, part)
    for code in codes:
        if not place.is_flake8s and not CODE_PREFIX.fullmatch(code):
            raise place.error(key, code, "a code such as LAN, LAN1 or LAN103", part=part)
    return codes


def _patterns(place: Place, key: str, value: object) -> tuple[str, ...]:
    return tuple(absolute_pattern(pattern, place.folder) for pattern in _names(place, key, value))


def _file(place: Place, key: str, value: object) -> str:
    if not isinstance(value, str) or not value:
        raise place.error(key, value, "the path of a file")
    return os.path.join(place.folder, value)


def _confidence(place: Place, key: str, value: object) -> Confidence:
    if isinstance(value, str) and value.lower() in {str(level) for level in Confidence}:
        return Confidence[value.upper()]
    raise place.error(key, value, f"one of {_CONFIDENCES}")


def _truth(place: Place, key: str, value: object) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    raise place.error(key, value, "true or false")


def _per_file_ignores(place: Place, key: str, value: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(value, dict):
        raise place.error(key, value, 'a table such as {"tests/*" = ["LAN103"]}')
    # flake8 has these patterns start from the current folder, wherever its file is.
    folder = os.curdir if place.is_flake8s else place.folder
    return tuple(
        (absolute_pattern(pattern, folder), _codes(place, key, codes, f".{pattern}"))
        for pattern, codes in value.items()
    )


_CONVERTERS: Mapping[str, Callable[[Place, str, object], Any]] = {
    "select": _codes,
    "extend_select": _codes,
    "ignore": _codes,
    "extend_ignore": _codes,
    "per_file_ignores": _per_file_ignores,
    "exclude": _patterns,
    "extend_exclude": _patterns,
    "across_files": _truth,
    "min_confidence": _confidence,
    "baseline": _file,
    "warn_unused_noqa": _truth,
}
