"""What the checker needs beside the standard library, looked for without importing it."""

from __future__ import annotations

import importlib.util

INSTALL = 'pip install "state-lane[lint]"'


def has_libcst() -> bool:
    """Whether libcst can be imported; importing it takes longer than most files take to check."""
    try:
        return importlib.util.find_spec("libcst") is not None
    except (ImportError, ValueError):
        return False
