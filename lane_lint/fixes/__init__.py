"""What can be mended by itself: every `lanNNN_name.py` of this folder mends one code. Nothing here imports libcst."""

from __future__ import annotations

import importlib
import pkgutil
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lane_lint.fixes.fixer import Fixer

_FILE = re.compile(r"lan\d{3}_[a-z_]+")


def fixable_codes() -> tuple[str, ...]:
    """The codes that have a fixer, in order, read from the file names alone."""
    return tuple(name[:6].upper() for name in _file_names())


def fixer_of(code: str) -> Fixer:
    """Import the fixer of a code.

    Raises:
        KeyError: The code has none.
    """
    for name in _file_names():
        if name.startswith(f"{code.lower()}_"):
            fixer: Fixer = importlib.import_module(f"{__name__}.{name}").FIXER
            return fixer
    raise KeyError(code)


def _file_names() -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if _FILE.fullmatch(module.name))
