"""`lane-lint rules`."""

from __future__ import annotations

import argparse
import json

from lane_lint.cli.status import CLEAN
from lane_lint.rule import Rule, page_of
from lane_lint.rules import all_rules


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `rules` takes."""
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to list them")


def run(options: argparse.Namespace) -> int:
    """List every rule by code."""
    if options.format == "json":
        print(json.dumps({"schema_version": 1, "rules": [_as_json(rule) for rule in all_rules()]}, indent=2))
        return CLEAN
    width = max(len(rule.name) for rule in all_rules())
    for rule in all_rules():
        print(f"{rule.code}  {rule.name:<{width}}  {rule.documentation().summary}")
    return CLEAN


def _as_json(rule: Rule) -> dict[str, str]:
    doc = rule.documentation()
    return {
        "code": rule.code,
        "name": rule.name,
        "summary": doc.summary,
        "explanation": doc.explanation,
        "bad": doc.bad,
        "good": doc.good,
        "silent_on": doc.silent_on,
        "source": doc.source,
        "since": doc.since,
        "url": page_of(rule.code),
    }
