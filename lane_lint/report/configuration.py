"""The settings of a run and where they come from, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby

from lane_lint.finding import Confidence
from lane_lint.origins import Effect, Origin

SCHEMA_VERSION = 1


def as_text(origins: Sequence[Origin], effects: Sequence[Effect]) -> str:
    """One line a value: key, value, origin. Below it, what holds for each of the files."""
    values = [_shown(origin) for origin in origins]
    keys = ["" if is_repeated else origin.key for origin, is_repeated in _with_repetition(origins)]
    key_width, value_width = max(map(len, keys)), min(40, max(map(len, values)))
    lines = [
        f"{key:<{key_width}}  {value:<{value_width}}  {origin.place}"
        for key, value, origin in zip(keys, values, origins, strict=True)
    ]
    for effect in effects:
        lines += ["", *_effect_lines(effect)]
    return "".join(f"{line}\n" for line in lines)


def as_json(origins: Sequence[Origin], effects: Sequence[Effect]) -> str:
    """The object with `settings` and `files`; values have the types that TOML has for them."""
    document = {
        "schema_version": SCHEMA_VERSION,
        "settings": [
            {
                "key": key,
                "values": [{"value": _plain(one.value), "origin": one.place} for one in group],
            }
            for key, group in groupby(origins, key=lambda origin: origin.key)
        ],
        "files": [
            {
                "path": effect.path,
                "excluded_by": effect.excluded_by,
                "per_file_ignores": effect.per_file_ignores,
                "reported": effect.reported,
                "silent": effect.silent,
            }
            for effect in effects
        ],
    }
    return json.dumps(document, indent=2) + "\n"


def _with_repetition(origins: Sequence[Origin]) -> list[tuple[Origin, bool]]:
    before = [None, *(origin.key for origin in origins)]
    return [(origin, origin.key == key) for origin, key in zip(origins, before, strict=False)]


def _shown(origin: Origin) -> str:
    if origin.value is None or origin.value == "":
        return "every code" if origin.key == "select" and origin.place == "default" else "(none)"
    if isinstance(origin.value, tuple):
        pattern, codes = origin.value
        return f"{pattern}: {', '.join(codes)}"
    return str(origin.value).lower() if isinstance(origin.value, bool) else str(origin.value)


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        pattern, codes = value
        return {"pattern": pattern, "codes": codes}
    return str(value) if isinstance(value, Confidence) else value


def _effect_lines(effect: Effect) -> list[str]:
    lines = [f"{effect.path}: {'is excluded' if effect.excluded_by else 'is checked'}"]
    if effect.excluded_by:
        lines.append(f"  excluded by       {effect.excluded_by}")
    if effect.per_file_ignores:
        lines.append(f"  per-file-ignores  {effect.per_file_ignores}")
    lines.append(f"  reported          {_listed(effect.reported)}")
    lines.append(f"  not reported      {_listed(effect.silent)}")
    return lines


def _listed(codes: Sequence[str]) -> str:
    return " ".join(codes) or "(none)"
