"""`lane-lint rules`."""

from __future__ import annotations

import argparse

from lane_lint.cli.status import CLEAN
from lane_lint.fixes import fixable_codes
from lane_lint.report.explanation import as_json
from lane_lint.rules import all_rules


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `rules` takes."""
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to list them")


def run(options: argparse.Namespace) -> int:
    """List every rule by code."""
    if options.format == "json":
        print(as_json(all_rules(), fixable_codes()), end="")
        return CLEAN
    width = max(len(rule.name) for rule in all_rules())
    for rule in all_rules():
        print(f"{rule.code}  {rule.name:<{width}}  {rule.documentation().summary}")
    return CLEAN
