"""The catalogue: every `lanNNN_name.py` of this folder is one rule. Nothing here imports libcst."""

from __future__ import annotations

import functools
import importlib
import pkgutil
import re
from types import ModuleType

from lane_lint.rule import Rule, RuleDefinitionError

_FILE = re.compile(r"(lan\d{3})_([a-z0-9_]+)")


@functools.cache
def all_rules() -> tuple[Rule, ...]:
    """Import every rule, once, and give one instance of each, sorted by code.

    Raises:
        RuleDefinitionError: A file does not hold the one rule that its name says.
    """
    return tuple(_rule_in_file(name) for name in _file_names())


def known_codes() -> tuple[str, ...]:
    """The codes of all rules in order, read from the file names alone."""
    return tuple(name[:6].upper() for name in _file_names())


def rule_of_code(code: str) -> Rule | None:
    """Import the one rule that has this code, if there is one."""
    for name in _file_names():
        if name.startswith(f"{code.lower()}_"):
            return _rule_in_file(name)
    return None


def _file_names() -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if _FILE.fullmatch(module.name))


def _rule_in_file(name: str) -> Rule:
    module = importlib.import_module(f"{__name__}.{name}")
    rules = _rules_defined_in(module)
    if len(rules) != 1:
        raise RuleDefinitionError(f"{module.__name__} defines {len(rules)} rules, not one")
    rule = rules[0]
    expected = f"{rule.code.lower()}_{rule.name.replace('-', '_')}"
    if name != expected:
        raise RuleDefinitionError(f"{module.__name__} holds {rule.code} {rule.name}: call it {expected}.py")
    return rule()


def _rules_defined_in(module: ModuleType) -> list[type[Rule]]:
    return [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Rule) and value.__module__ == module.__name__
    ]
