"""The folder that keeps what was found out about modules, from one run to the next.

Keys are made from content, options and version, so an entry is right or it is not there. A cache is
input like any other: what cannot be read, or is not what was written under its key, counts as absent.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from typing import Any

FOLDER = ".lane_lint_cache"
_IGNORE_ALL = "# Written by lane-lint; nothing in here belongs into version control.\n*\n"


def key_of(*parts: str) -> str:
    """A key from everything that an entry depends on."""
    digest = hashlib.blake2b(digest_size=20)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(data))
        digest.update(data)
    return digest.hexdigest()


class Store:
    """One JSON file for each key, below `folder`.

    Args:
        may_write: Without it entries are only read.
    """

    def __init__(self, folder: str, *, may_write: bool) -> None:
        self._folder = folder
        self._may_write = may_write

    def get(self, key: str) -> dict[str, Any] | None:
        """The entry of a key; None when there is none that can be used."""
        try:
            with open(self._path(key), "rb") as stream:
                kept = json.loads(stream.read())
            text = kept["entry"]
            if kept["digest"] != key_of(key, text):
                return None
            entry = json.loads(text)
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError, MemoryError):
            return None
        return entry if isinstance(entry, dict) else None

    def put(self, key: str, entry: Mapping[str, Any]) -> None:
        """Keep an entry; where that is impossible the next run does the work again."""
        if not self._may_write:
            return
        path = self._path(key)
        try:
            self._make_folder(os.path.dirname(path))
            text = json.dumps(entry, separators=(",", ":"))
            _replace(path, json.dumps({"digest": key_of(key, text), "entry": text}))
        except (OSError, ValueError):
            self._may_write = False  # a folder that cannot be written once is not tried again

    def _path(self, key: str) -> str:
        return os.path.join(self._folder, key[:2], f"{key[2:]}.json")

    def _make_folder(self, folder: str) -> None:
        os.makedirs(folder, exist_ok=True)
        ignore = os.path.join(self._folder, ".gitignore")
        if not os.path.exists(ignore):
            _replace(ignore, _IGNORE_ALL)


def _replace(path: str, text: str) -> None:
    """Write a file so that nobody ever sees a part of it."""
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".new-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
