"""`lane-lint config`."""

from __future__ import annotations

import argparse

from lane_lint.cli.selection import add_selection, selected_layers
from lane_lint.cli.status import CANNOT, CLEAN, complain
from lane_lint.config import settings_of
from lane_lint.origins import effect_on, origins_of, said_twice
from lane_lint.report.configuration import as_json, as_text
from lane_lint.rules import known_codes
from lane_lint.settings import ConfigError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `config` takes."""
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to print it")
    parser.add_argument(
        "--for",
        dest="files",
        action="append",
        default=[],
        metavar="PATH",
        help="say what holds for this file, too (repeatable)",
    )
    add_selection(parser)


def run(options: argparse.Namespace) -> int:
    """Print every setting with its value and where that comes from."""
    try:
        layers = selected_layers(options)
    except ConfigError as error:
        complain(str(error))
        return CANNOT
    origins = list(origins_of(layers))
    settings = settings_of(layers)
    effects = [effect_on(path, settings, known_codes()) for path in options.files]
    print(as_json(origins, effects) if options.format == "json" else as_text(origins, effects), end="")
    if twice := said_twice(layers):
        complain(
            f"note: flake8's file and [tool.lane-lint] both set {', '.join(twice)}: "
            "flake8 shows what both let through, the command goes by [tool.lane-lint]"
        )
    return CLEAN
