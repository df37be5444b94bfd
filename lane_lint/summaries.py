"""Summaries: what became of one shard of the files, as a file for another machine.

A summary has no time and no absolute path, so the same files give the same bytes, and build systems can keep it.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

from lane_lint.checked_json import as_json, from_json
from lane_lint.fingerprint import path_from
from lane_lint.run import CheckedFile
from lane_lint.settings import ConfigError, Settings
from lane_lint.shards import Shard, shard_of

SCHEMA_VERSION = 1
NAMES = "shard-*-of-*.json"
_MADE_BY = "what lane-lint summarise makes"


@dataclass(frozen=True, slots=True)
class Maker:
    """What must be the same of summaries that belong together.

    Attributes:
        version: That of lane-lint.
        python: Minor version, since it decides what parses.
        settings: Name -> value as text, of all settings; paths from the folder of the run.
    """

    version: str
    python: str
    settings: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Summary:
    """What became of one shard."""

    shard: Shard
    maker: Maker
    files: tuple[CheckedFile, ...]
    errors: tuple[tuple[str, str], ...] = ()


def maker_of(settings: Settings) -> Maker:
    """This process's part of a summary."""
    import lane_lint

    major, minor, _ = platform.python_version_tuple()
    values = {each.name: _as_text(getattr(settings, each.name)) for each in fields(settings)}
    return Maker(lane_lint.__version__, f"{major}.{minor}", values)


def _as_text(value: object) -> str:
    """Patterns with a slash are absolute in settings."""
    if isinstance(value, tuple):
        return f"[{', '.join(_as_text(item) for item in value)}]"
    if isinstance(value, str) and os.path.isabs(value):
        return path_from(os.curdir, value)
    return str(value)


def file_name(shard: Shard) -> str:
    """What the summary of a shard is called; `NAMES` matches it."""
    return f"shard-{shard.number}-of-{shard.count}.json"


def rendered_summary(summary: Summary) -> str:
    """The summary as JSON, a line a file."""
    head = {
        "schema_version": SCHEMA_VERSION,
        "shard": str(summary.shard),
        "maker": asdict(summary.maker),
        "errors": summary.errors,
    }
    files = ",\n".join(
        json.dumps(as_json(file)) for file in sorted(summary.files, key=lambda file: file.path)
    )
    return f'{json.dumps(head)[:-1]}, "files": [\n{files}\n]}}\n'


def read_summary(path: str) -> Summary:
    """Read a summary.

    Raises:
        ConfigError: The file cannot be read or is no summary of this version.
    """
    try:
        with open(path, "rb") as stream:
            document = json.load(stream)
        if document["schema_version"] != SCHEMA_VERSION:
            raise ConfigError(path, "schema_version", document["schema_version"], str(SCHEMA_VERSION))
        return Summary(
            shard_of(document["shard"]),
            Maker(**document["maker"]),
            tuple(from_json(file) for file in document["files"]),
            tuple((where, reason) for where, reason in document["errors"]),
        )
    except OSError as error:
        raise ConfigError(path, "summary", error.strerror or str(error), _MADE_BY) from None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ConfigError(path, "its text", f"{type(error).__name__}: {error}", _MADE_BY) from None


def linked(summaries: Mapping[str, Summary]) -> tuple[list[CheckedFile], list[tuple[str, str]]]:
    """All files in order and all errors, when the summaries are the shards of one run.

    Args:
        summaries: By the name of the file that each was read from.

    Raises:
        ConfigError: A shard is missing or there twice, or they were made in different ways.
    """
    _require_one_maker(summaries)
    _require_every_shard(summaries)
    files = [file for summary in summaries.values() for file in summary.files]
    errors = [error for summary in summaries.values() for error in summary.errors]
    return sorted(files, key=lambda file: file.path), sorted(errors)


def _require_one_maker(summaries: Mapping[str, Summary]) -> None:
    (first_name, first), *others = summaries.items()
    expected = _flat(first)
    for name, summary in others:
        for key, value in _flat(summary).items():
            if value != expected.get(key):
                raise ConfigError(name, key, value, f"{expected.get(key)!r}, as in {first_name}")


def _flat(summary: Summary) -> dict[str, str]:
    maker = summary.maker
    return {
        "shards": str(summary.shard.count),
        "version": maker.version,
        "python": maker.python,
        **maker.settings,
    }


def _require_every_shard(summaries: Mapping[str, Summary]) -> None:
    seen: dict[int, str] = {}
    for name, summary in summaries.items():
        number, count = summary.shard.number, summary.shard.count
        if number in seen:
            raise ConfigError(name, "shard", str(summary.shard), f"another than that of {seen[number]}")
        seen[number] = name
    missing = [str(Shard(number, count)) for number in range(1, count + 1) if number not in seen]
    if missing:
        raise ConfigError("the summaries", "shards", sorted(seen), f"with {', '.join(missing)} too")
