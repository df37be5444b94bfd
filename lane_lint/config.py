"""Where settings come from: flags, then [tool.lane-lint], then the [flake8] section."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lane_lint.config_files import folders_upwards, toml_table
from lane_lint.flake8_section import flake8_layer
from lane_lint.setting_values import Layer, Place, settings_over
from lane_lint.settings import ConfigError, Settings

__all__ = ["ConfigError", "Settings", "layers_of", "load_settings", "pyproject_layer", "settings_of"]


def load_settings(folder: str, flags: Mapping[str, object]) -> Settings:
    """Settings of a command that runs in `folder`.

    Args:
        flags: Keys as in [tool.lane-lint], values as TOML would give them; None means not given.

    Raises:
        ConfigError: An unknown key or a value that cannot be used.
    """
    return settings_of(layers_of(folder, flags))


def layers_of(folder: str, flags: Mapping[str, object]) -> tuple[Layer, ...]:
    """What says something about the settings of a command in `folder`, each over those before it.

    Raises:
        ConfigError: A file that speaks of the checker cannot be read.
    """
    given = {key: value for key, value in flags.items() if value is not None}
    found = (
        flake8_layer(folder),
        pyproject_layer(folder),
        Layer(Place("command line", folder, prefix="--"), given) if given else None,
    )
    return tuple(layer for layer in found if layer is not None)


def pyproject_layer(folder: str) -> Layer | None:
    """The nearest [tool.lane-lint], from `folder` upwards.

    Raises:
        ConfigError: The file is no TOML, or what it has there is no table.
    """
    for directory in folders_upwards(folder):
        path = directory / "pyproject.toml"
        if found := toml_table(path, "lane-lint"):
            return Layer(Place(str(path), str(directory), "tool.lane-lint", found[1]), found[0])
    return None


def settings_of(layers: Iterable[Layer], base: Settings | None = None) -> Settings:
    """The settings that layers make, each over those before it.

    Raises:
        ConfigError: An unknown key or a value that cannot be used.
    """
    settings = base or Settings()
    for layer in layers:
        settings = settings_over(settings, layer)
    return settings
