"""Where settings come from: flags, then [tool.lane-lint], then the [flake8] section."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

from lane_lint.flake8_section import flake8_settings
from lane_lint.setting_values import Place, folders_upwards, settings_over
from lane_lint.settings import ConfigError, Settings

__all__ = ["ConfigError", "Settings", "load_settings", "pyproject_settings"]

_TABLE = "tool.lane-lint"


def load_settings(folder: str, flags: Mapping[str, object]) -> Settings:
    """Settings of a command that runs in `folder`.

    Args:
        flags: Keys as in [tool.lane-lint], values as TOML would give them; None means not given.

    Raises:
        ConfigError: An unknown key or a value that cannot be used.
    """
    settings = pyproject_settings(folder, flake8_settings(folder, Settings()))
    given = {key: value for key, value in flags.items() if value is not None}
    return settings_over(settings, given, Place("command line", folder, "--"))


def pyproject_settings(folder: str, base: Settings) -> Settings:
    """`base` with the nearest [tool.lane-lint] over it, from `folder` upwards.

    Raises:
        ConfigError: The file is no TOML, has an unknown key, or a value that cannot be used.
    """
    for directory in folders_upwards(folder):
        path = directory / "pyproject.toml"
        table = _table_of(path)
        if table is not None:
            return settings_over(base, table, Place(f"{path} [{_TABLE}]", str(directory)))
    return base


def _table_of(path: Path) -> dict[str, object] | None:
    try:
        data = path.read_bytes()
    except OSError:
        return None
    if b"lane-lint" not in data:
        return None
    try:
        document = tomllib.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(str(path), "its text", str(error), "a TOML document in UTF-8") from None
    tools = document.get("tool", {})
    if not isinstance(tools, dict):
        raise ConfigError(str(path), "tool", tools, "a table")
    table = tools.get("lane-lint")
    if table is not None and not isinstance(table, dict):
        raise ConfigError(str(path), _TABLE, table, "a table")
    return table
