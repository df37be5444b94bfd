"""The flags that say which findings count, for every subcommand that looks for some."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping

from lane_lint.config import ConfigError, load_settings
from lane_lint.flake8_section import parse_per_file_ignores, split_names
from lane_lint.rules import known_codes
from lane_lint.setting_values import Place
from lane_lint.settings import Settings


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Declare the flags."""
    selection = parser.add_argument_group("selection; each replaces what configuration files say")
    selection.add_argument("--select", type=split_names, metavar="CODES", help="report only these prefixes")
    selection.add_argument("--ignore", type=split_names, metavar="CODES", help="do not report these prefixes")
    selection.add_argument("--per-file-ignores", metavar="MAP", help="such as 'tests/*:LAN103,LAN105'")
    selection.add_argument("--exclude", type=split_names, metavar="PATTERNS", help="paths not to read")
    selection.add_argument(
        "--min-confidence", metavar="LEVEL", help="low, medium or high (medium when nothing says otherwise)"
    )


def selected_settings(options: argparse.Namespace) -> Settings:
    """The settings of configuration files with the flags over them.

    Raises:
        ConfigError: An unknown key, a value that cannot be used, or a code that no rule has.
    """
    settings = load_settings(os.getcwd(), _flags(options))
    _require_known_codes(settings)
    return settings


def _flags(options: argparse.Namespace) -> Mapping[str, object]:
    return {
        "select": options.select,
        "ignore": options.ignore,
        "exclude": options.exclude,
        "min-confidence": options.min_confidence,
        "per-file-ignores": _per_file_ignores(options.per_file_ignores),
    }


def _per_file_ignores(value: str | None) -> dict[str, list[str]] | None:
    if value is None:
        return None
    place = Place("command line", os.getcwd(), "--")
    return {
        pattern: list(codes) for pattern, codes in parse_per_file_ignores(value, place, "per-file-ignores")
    }


def _require_known_codes(settings: Settings) -> None:
    """Refuse a prefix of ours that no rule has: a misspelt code would silence nothing or everything."""
    known = known_codes()
    in_files = (code for _, codes in settings.per_file_ignores for code in codes)
    for code in (*settings.select, *settings.extend_select, *settings.ignore, *in_files):
        if code.startswith("LAN") and not any(one.startswith(code) for one in known):
            raise ConfigError("configuration", "code", code, f"a prefix of {', '.join(known)}")
