"""Compare the findings that README.md shows with what its first command prints.

python tools/readme_findings.py command   prints the README's first command
python tools/readme_findings.py tests     prints its second command
python tools/readme_findings.py compare   reads findings on standard input, exits 1 on a difference
"""

from __future__ import annotations

import argparse
import difflib
import re
import sys
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands(text: str) -> list[str]:
    """The set-up commands of a README: every line of its `sh` blocks that makes an environment."""
    lines = [
        line for language, body in _BLOCK.findall(text) if language == "sh" for line in body.splitlines()
    ]
    return [line.strip() for line in lines if line.startswith("python3 -m venv")]


def shown_findings(text: str) -> list[str]:
    """The lines of the text block that follows the first `sh` block."""
    blocks = _BLOCK.findall(text)
    languages = [language for language, _ in blocks]
    following = blocks[languages.index("sh") + 1 :]
    body = next(body for language, body in following if language in {"", "text"})
    return [line for line in body.splitlines() if line.strip()]


def main() -> int:
    """Print a command, or compare findings."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("command", "tests", "compare"))
    what = parser.parse_args().what
    text = README.read_text(encoding="utf-8")
    if what != "compare":
        print(commands(text)[0 if what == "command" else 1])
        return 0
    shown = shown_findings(text)
    printed = [line for line in sys.stdin.read().splitlines() if line.strip()]
    difference = list(difflib.unified_diff(shown, printed, "README.md", "printed", lineterm=""))
    print("\n".join(difference) or f"README.md shows the {len(shown)} findings that are printed")
    return 1 if difference else 0


if __name__ == "__main__":
    sys.exit(main())
