"""The flags that say which findings count, for every subcommand that looks for some."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence

from lane_lint.config import layers_of, settings_of
from lane_lint.flake8_section import parse_per_file_ignores, split_names
from lane_lint.rules import known_codes
from lane_lint.setting_values import Layer, Place, require_known_codes
from lane_lint.settings import Settings

_LISTS = (
    ("select", "CODES", "report only these prefixes"),
    ("extend-select", "CODES", "report these prefixes too"),
    ("ignore", "CODES", "do not report these prefixes"),
    ("extend-ignore", "CODES", "do not report these prefixes either"),
    ("exclude", "PATTERNS", "paths not to read"),
    ("extend-exclude", "PATTERNS", "more paths not to read"),
)


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Declare the flags."""
    selection = parser.add_argument_group(
        "selection; each replaces what configuration files say, --extend-... adds to it"
    )
    for name, metavar, help_text in _LISTS:
        selection.add_argument(f"--{name}", type=split_names, metavar=metavar, help=help_text)
    selection.add_argument("--per-file-ignores", metavar="MAP", help="such as 'tests/*:LAN103,LAN105'")
    selection.add_argument(
        "--min-confidence", metavar="LEVEL", help="low, medium or high (medium when nothing says otherwise)"
    )


def selected_settings(options: argparse.Namespace) -> Settings:
    """The settings of configuration files with the flags over them.

    Raises:
        ConfigError: An unknown key, a value that cannot be used, or a code that no rule has.
    """
    return settings_of(selected_layers(options))


def selected_layers(options: argparse.Namespace) -> Sequence[Layer]:
    """What configuration files say and, over it, the flags; all of it can be used.

    Raises:
        ConfigError: An unknown key, a value that cannot be used, or a code that no rule has.
    """
    layers = layers_of(os.getcwd(), _flags(options))
    settings_of(layers)
    require_known_codes(layers, known_codes())
    return layers


def _flags(options: argparse.Namespace) -> Mapping[str, object]:
    given = vars(options)
    return {
        **{name: given[name.replace("-", "_")] for name, _, _ in _LISTS},
        "min-confidence": options.min_confidence,
        "baseline": given.get("baseline"),
        "warn-unused-noqa": given.get("warn_unused_noqa"),
        "per-file-ignores": _per_file_ignores(options.per_file_ignores),
    }


def _per_file_ignores(value: str | None) -> Mapping[str, object] | None:
    if value is None:
        return None
    return parse_per_file_ignores(value, Place("command line", os.getcwd(), prefix="--"))
