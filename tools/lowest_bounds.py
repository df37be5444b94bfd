"""Print an extra's requirements pinned to their lower bounds: python tools/lowest_bounds.py lint."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
_BOUND = re.compile(r"([A-Za-z0-9._-]+)\s*>=\s*([0-9.]+)")


def lowest_bounds(extra: str) -> list[str]:
    """Requirements such as `libcst==1.5` for those of the extra that have a lower bound."""
    with (PROJECT / "pyproject.toml").open("rb") as stream:
        requirements = tomllib.load(stream)["project"]["optional-dependencies"][extra]
    matches = [_BOUND.match(requirement) for requirement in requirements]
    return [f"{match[1]}=={match[2]}" for match in matches if match]


if __name__ == "__main__":
    print(" ".join(lowest_bounds(sys.argv[1])))
