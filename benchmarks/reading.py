"""Parse files and do nothing else: python reading.py ast|libcst FILE ..., the floor for a checker's time.

Files that the parser refuses are passed over.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from pathlib import Path


def _parser(name: str) -> Callable[[bytes], object]:
    if name == "libcst":
        import libcst

        return libcst.parse_module
    import ast

    return ast.parse


def main() -> None:
    """Parse every file that is named."""
    parse = _parser(sys.argv[1])
    warnings.simplefilter("ignore")
    for path in sys.argv[2:]:
        try:
            parse(Path(path).read_bytes())
        except Exception as error:
            print(f"{path}: {error}", file=sys.stderr)


if __name__ == "__main__":
    main()
