"""What a stream can show."""

from __future__ import annotations

import os
import sys
from typing import TextIO


def shows_colors(stream: TextIO) -> bool:
    """Whether to write colours: NO_COLOR and FORCE_COLOR decide, else whether it is a terminal that knows them.

    Source: no-color.org and force-color.org; a variable that is set to nothing counts as not set.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    if os.environ.get("TERM") == "dumb" or (sys.platform == "win32" and "WT_SESSION" not in os.environ):
        return False
    return stream.isatty()
