"""Paths: names for pieces of state that outlive one expression.

A path is a tuple of strings: a root, then links. Roots are `self`, `@name` (a module global),
`^name` (a variable of an enclosing function), `$name` (a parameter) and `%name` (an object only
this call knows). Links are `.attribute`, `[key]` for a subscript whose key has a stable text,
and `[*]` for any entry and `[each]` for the one that an iteration is at.
"""

from __future__ import annotations

from typing import TypeAlias

Path: TypeAlias = tuple[str, ...]

SELF = "self"
ANY_ITEM = "[*]"
EACH_ITEM = "[each]"
MAX_LINKS = 3


def extend(path: Path, link: str) -> Path:
    """The path one link further, cut at `MAX_LINKS` links so that paths stay finite."""
    return path if len(path) > MAX_LINKS else (*path, link)


def item_link(key: str | None) -> str:
    """The link of a subscript; an unknown key may be any entry."""
    return ANY_ITEM if key is None else f"[{key}]"


def links_match(left: str, right: str) -> bool:
    """Whether two links may lead to the same place."""
    return left == right or (left[0] == "[" == right[0] and ANY_ITEM in (left, right))


def conflicts(written: Path, read: Path) -> bool:
    """Whether a write of `written` can change what a read of `read` saw.

    A read of a bare reference is not changed by a write further down: looking a collection up
    to call a method on it does not observe its entries. Reads of the entries say so themselves.
    """
    if len(written) > len(read):
        return False
    return all(map(links_match, written, read))


def is_same_state(left: Path, right: Path) -> bool:
    """Whether a write of one of them can change what a read of the other saw."""
    return conflicts(left, right) or conflicts(right, left)


def overlaps(left: Path, right: Path) -> bool:
    """Whether one path leads through the other."""
    return all(map(links_match, left, right))


def first_attribute(path: Path) -> str | None:
    """The name of the attribute right behind the root, if there is one."""
    return path[1][1:] if len(path) > 1 and path[1][0] == "." else None


def display(path: Path, self_name: str = "self") -> str:
    """The path as its author would write it."""
    # A global of another module has its module's name in front.
    root = self_name if path[0] == SELF else path[0].lstrip("@^$%").rpartition(".")[2]
    return root + "".join("[...]" if link in (ANY_ITEM, EACH_ITEM) else link for link in path[1:])
