"""Run flake8 with exactly the plugins that are named first: python flake8_with.py NAME,... ARGUMENT ...

flake8 runs every plugin that is installed, whatever is selected. Here the other distributions that
register plugins are hidden from it, so that one environment serves all runs that are compared.
`flake8` itself (pycodestyle and pyflakes) and `mccabe`, which it brings, are always there.
"""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Iterable

from flake8.main.cli import main

_FLAKE8_GROUPS = {"flake8.extension", "flake8.report"}
_OWN = {"flake8", "mccabe", "pycodestyle", "pyflakes"}


def _show_only(names: Iterable[str]) -> None:
    shown = {*names, *_OWN}
    every = list(importlib.metadata.distributions())

    def is_shown(distribution: importlib.metadata.Distribution) -> bool:
        has_plugins = any(point.group in _FLAKE8_GROUPS for point in distribution.entry_points)
        return not has_plugins or distribution.metadata["name"] in shown

    kept = [distribution for distribution in every if is_shown(distribution)]
    importlib.metadata.distributions = lambda **_: iter(kept)


if __name__ == "__main__":
    _show_only(sys.argv[1].split(","))
    sys.exit(main(sys.argv[2:]))
