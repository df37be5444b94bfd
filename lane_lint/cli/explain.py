"""`lane-lint explain CODE`."""

from __future__ import annotations

import argparse

from lane_lint.cli.status import CANNOT, CLEAN, complain
from lane_lint.report.explanation import as_text
from lane_lint.rule import Rule
from lane_lint.rules import all_rules, rule_of_code


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `explain` takes."""
    parser.add_argument("code", metavar="CODE", help="a code such as LAN103, or a rule's name")


def run(options: argparse.Namespace) -> int:
    """Print a rule's documentation, or say which code may have been meant."""
    wanted = options.code.strip()
    rule = rule_of_code(wanted.upper()) or _rule_named(wanted.lower())
    if rule is None:
        complain(f"no rule is called {wanted!r}{_suggestion(wanted)}; lane-lint rules lists them all")
        return CANNOT
    print(as_text(rule), end="")
    return CLEAN


def _rule_named(name: str) -> Rule | None:
    return next((rule for rule in all_rules() if rule.name == name), None)


def _suggestion(wanted: str) -> str:
    from difflib import get_close_matches

    words = {rule.code.lower(): rule.code for rule in all_rules()}
    words |= {rule.name: rule.name for rule in all_rules()}
    close = get_close_matches(wanted.lower(), words, n=3)
    return f", did you mean {' or '.join(words[word] for word in close)}?" if close else ""
