"""Paths as reports name them: from the current folder where they are below it, with `/` on every system."""

from __future__ import annotations

import os
import re
from urllib.parse import quote

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def one_line(text: str) -> str:
    r"""The text with what would end a line, steer a terminal or turn its direction spelled, as `\n` and `\x1b`."""
    return _CONTROLS.sub(lambda found: repr(found[0])[1:-1], text)


def shown_path(path: str) -> str:
    """The path as the user calls it, on one line."""
    return one_line(path.replace(os.path.sep, "/"))


def path_from_here(path: str) -> str:
    """The path from the current folder for one below it, else the absolute path."""
    absolute, here = os.path.abspath(path), os.getcwd()
    inside = absolute.startswith(os.path.join(here, ""))
    return (os.path.relpath(absolute, here) if inside else absolute).replace(os.path.sep, "/")


def uri_of(path: str) -> str:
    """`path_from_here` as a URI: relative, or `file:` for what is not below the current folder.

    Source: RFC 3986, 2.1; bytes that are no text keep their value.
    """
    found = path_from_here(path)
    quoted = quote(os.fsencode(found), safe="/")
    if not os.path.isabs(found):
        return quoted
    return f"file://{'' if quoted.startswith('/') else '/'}{quoted}"
