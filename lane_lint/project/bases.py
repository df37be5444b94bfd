"""What a text imports and which names its classes are built on, by its lines alone: a parse would cost more."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

# Searched for from their first word on, not from the start of a line: that is many times faster, and
# what prose adds leads nowhere.
_CLASS = re.compile(r"class[ \t]+\w+[ \t]*(?:\[[^\]]*\])?[ \t]*\(([^)]*)\)[ \t]*:")
_FROM = re.compile(r"from[ \t]+([.\w]+)[ \t]+import[ \t]*(\([^)]*\)|[^\n]*)")
_IMPORT = re.compile(r"import[ \t]+([^\n#(]*)")
_NAME = re.compile(r"[A-Za-z_][\w.]*")
_COMMENT = re.compile(r"#[^\n]*")
_ENTERED = r"\.(?:%s)[ \t]*\("
_LAST_NAME = re.compile(r"[A-Za-z_][\w.]*$")
_LONGEST_NAME = 120
# What stands before the module's name where everything is imported from it.
STAR = "*"


def base_names(text: str) -> set[str]:
    """The names that stand between the brackets of a class statement, as they are spelled."""
    found: set[str] = set()
    for brackets in _CLASS.findall(text):
        for part in brackets.split(","):
            if "=" not in part and (name := _NAME.match(part.strip())):
                found.add(name[0])
    return found


def entered_names(text: str, methods: tuple[str, ...]) -> set[str]:
    """The names on which one of the methods is called."""
    found: set[str] = set()
    for call in re.finditer(_ENTERED % "|".join(map(re.escape, methods)), text) if methods else ():
        before = text[max(0, call.start() - _LONGEST_NAME) : call.start()]
        if name := _LAST_NAME.search(before):
            found.add(name[0])
    return found


def imported_names(text: str, package: str, wanted: Collection[str] | None = None) -> dict[str, str]:
    """Local name -> dotted name, for the imports anywhere in a text; `* module` for all that a module has.

    Args:
        wanted: The local names that are asked for, so that the other imports need not be taken apart; None for all.
    """
    found: dict[str, str] = {}
    for module, names in _FROM.findall(text):
        if wanted is not None and not any(name in names for name in wanted):
            continue
        origin = _absolute(module, package)
        for name, local in _aliases(names.strip("() \t\\")):
            if name == STAR:
                found[f"{STAR} {origin}"] = origin
            else:
                found.setdefault(local or name, f"{origin}.{name}")
    for names in _IMPORT.findall(text):
        if wanted is not None and not any(name in names for name in wanted):
            continue
        for name, local in _aliases(names):
            found.setdefault(local or name.partition(".")[0], name if local else name.partition(".")[0])
    return found


def _aliases(names: str) -> Iterator[tuple[str, str]]:
    for part in _COMMENT.sub("", names).split(","):
        name, _, local = part.strip().partition(" as ")
        if name:
            yield name.strip(), local.strip()


def _absolute(module: str, package: str) -> str:
    name = module.lstrip(".")
    level, parents = len(module) - len(name), package.split(".")
    if not level or not package or level > len(parents):
        return module
    return ".".join([*parents[: len(parents) - level + 1], *([name] if name else [])])
