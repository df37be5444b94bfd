"""Tables and sections of configuration files, as they stand there, with their lines."""

from __future__ import annotations

import configparser
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from lane_lint.settings import ConfigError

_HEADER = re.compile(r"\[{1,2}([^\[\],=]+)\]{1,2}\s*(#.*)?")
_KEY = re.compile(r"""["']?([\w-]+)["']?\s*[=:.]""")


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


def toml_table(path: Path, tool: str) -> tuple[Mapping[str, object], str] | None:
    """The table [tool.TOOL] and the file's text; None where there is none.

    Raises:
        ConfigError: The file speaks of the tool and is no TOML, or what it has there is no table.
    """
    try:
        data = path.read_bytes()
    except OSError:
        return None
    if tool.encode() not in data:
        return None
    try:
        text = data.decode("utf-8-sig")
        tools = tomllib.loads(text).get("tool", {})
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(str(path), "its text", str(error), "a TOML document in UTF-8") from None
    if not isinstance(tools, dict):
        raise ConfigError(str(path), "tool", tools, "a table")
    table = tools.get(tool)
    if table is not None and not isinstance(table, dict):
        raise ConfigError(str(path), f"tool.{tool}", table, "a table")
    return (table, text) if table is not None else None


def ini_section(path: Path, section: str) -> tuple[Mapping[str, str], str] | None:
    """The options of a section, and the file's text; None where there is none.

    Raises:
        ConfigError: The file gives an option or a section twice, which ends flake8 too.
    """
    if not os.path.isfile(path):
        return None
    parser = configparser.RawConfigParser()
    try:
        text = path.read_text(encoding="utf-8")
        parser.read_string(text, str(path))
    except (OSError, UnicodeDecodeError, configparser.ParsingError):
        return None  # flake8 passes over such a file too
    except (configparser.DuplicateOptionError, configparser.DuplicateSectionError) as error:
        place = f"{path}:{error.lineno} [{error.section}]"
        key = str(getattr(error, "option", error.section))
        raise ConfigError(place, key, "given twice", "every section and option once") from None
    if section in parser:
        return dict(parser[section]), text
    return ({}, text) if f"{section}:local-plugins" in parser else None


def line_of(text: str, section: str, key: str) -> int | None:
    """The line that sets `key` in `[section]`, in an INI or a TOML file; None where it cannot be told."""
    is_inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.fullmatch(line.strip()):
            if header[1].strip() == f"{section}.{key}":
                return number
            is_inside = header[1].strip() == section
        elif is_inside and (found := _KEY.match(line)) and _spelled(found[1]) == _spelled(key):
            return number
    return None


def _spelled(key: str) -> str:
    return key.replace("_", "-").lower()
