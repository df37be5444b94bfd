"""`lane-lint explain CODE`."""

from __future__ import annotations

import argparse
import re

from lane_lint.cli.status import CANNOT, CLEAN, complain
from lane_lint.fixes import fixable_codes
from lane_lint.report.explanation import as_json, as_text
from lane_lint.rule import Rule
from lane_lint.rules import all_rules, known_codes, rule_of_code

_PREFIX = re.compile(r"LAN[0-9]{0,2}")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `explain` takes."""
    parser.add_argument("codes", nargs="+", metavar="CODE", help="a code such as LAN103, or a rule's name")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to print it")


def run(options: argparse.Namespace) -> int:
    """Print the documentation of rules, or say which code may have been meant."""
    wanted = dict.fromkeys(word.strip() for word in options.codes)
    found = {word: _rule_called(word) for word in wanted}
    rules = list({rule.code: rule for rule in found.values() if rule is not None}.values())
    for word, rule in found.items():
        if rule is None:
            complain(f"no rule is called {word!r}{_suggestion(word)}; lane-lint rules lists them all")
    if options.format == "json":
        print(as_json(rules, fixable_codes()), end="")
    else:
        print("\n\n".join(as_text(rule) for rule in rules), end="")
    return CLEAN if None not in found.values() else CANNOT


def _rule_called(word: str) -> Rule | None:
    """The rule with a code or a name, however its letters and hyphens are written."""
    name = re.sub(r"[\s_]+", "-", word.lower())
    code = rule_of_code(word.upper()) if len(word) == len("LAN103") else None
    return code or next((rule for rule in all_rules() if rule.name == name), None)


def _suggestion(word: str) -> str:
    if _PREFIX.fullmatch(word.upper()):
        codes = [code for code in known_codes() if code.startswith(word.upper())]
        if codes:
            return f", but {', '.join(codes)} begin{'s' * (len(codes) == 1)} so"
    from difflib import get_close_matches

    words = {rule.code.lower(): rule.code for rule in all_rules()}
    words |= {rule.name: rule.name for rule in all_rules()}
    close = get_close_matches(word.lower(), words, n=3)
    return f", did you mean {' or '.join(words[one] for one in close)}?" if close else ""
