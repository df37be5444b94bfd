"""Write docs/rules/ from the rules' docstrings; with --check, fail where a page is not up to date."""

from __future__ import annotations

import argparse
import difflib
import sys
from pathlib import Path

from lane_lint.report.explanation import as_markdown
from lane_lint.rule import Rule
from lane_lint.rules import all_rules

PAGES = Path(__file__).resolve().parent.parent / "docs" / "rules"
INDEX = "README.md"


def rendered_pages() -> dict[str, str]:
    """File name -> text of every page, the index among them."""
    pages = {f"{rule.code}.md": _page(rule) for rule in all_rules()}
    return {INDEX: _index(), **pages}


def drift(folder: Path) -> str:
    """What would change in `folder`, as a unified diff; empty when nothing would."""
    expected = rendered_pages()
    present = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.md")}
    lines: list[str] = []
    for name in sorted({*expected, *present}):
        before = present.get(name, "").splitlines(keepends=True)
        after = expected.get(name, "").splitlines(keepends=True)
        lines += difflib.unified_diff(before, after, f"docs/rules/{name}", "from the docstring")
    return "".join(lines)


def write_pages(folder: Path) -> None:
    """Write every page and remove those of codes that are gone."""
    folder.mkdir(parents=True, exist_ok=True)
    expected = rendered_pages()
    for path in folder.glob("*.md"):
        if path.name not in expected:
            path.unlink()
    for name, text in expected.items():
        (folder / name).write_text(text, encoding="utf-8")


def main() -> int:
    """Write the pages, or compare them with `--check`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, exit 1 on a difference")
    if not parser.parse_args().check:
        write_pages(PAGES)
        return 0
    difference = drift(PAGES)
    if difference:
        print(difference, end="")
        print("docs/rules is out of date: run python tools/render_rule_docs.py", file=sys.stderr)
        return 1
    return 0


def _page(rule: Rule) -> str:
    head = "<!-- Made by tools/render_rule_docs.py from lane_lint/rules; edit the docstring there. -->\n"
    return head + as_markdown(rule)


def _index() -> str:
    rows = "".join(
        f"| [{rule.code}]({rule.code}.md) | {rule.name} | {rule.documentation().summary} |\n"
        for rule in all_rules()
    )
    return (
        "<!-- Made by tools/render_rule_docs.py from lane_lint/rules. -->\n"
        "# Rules\n\n"
        "| Code | Name | What is wrong |\n| --- | --- | --- |\n"
        f"{rows}"
    )


if __name__ == "__main__":
    sys.exit(main())
