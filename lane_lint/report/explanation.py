"""A rule's documentation as text for a terminal, as a Markdown page, and as JSON."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Collection, Sequence

from lane_lint.rule import Rule, page_of

SCHEMA_VERSION = 1


def as_text(rule: Rule) -> str:
    """All sections, the examples indented."""
    doc = rule.documentation()
    parts = [
        f"{rule.code} {rule.name}",
        doc.summary,
        doc.explanation,
        "Bad:\n" + textwrap.indent(doc.bad.rstrip("\n"), "    "),
        "Good:\n" + textwrap.indent(doc.good.rstrip("\n"), "    "),
        f"Silent on: {doc.silent_on}",
        f"Source: {doc.source}",
        f"Since: {doc.since}",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def as_markdown(rule: Rule) -> str:
    """The rule's page."""
    doc = rule.documentation()
    explanation = f"{doc.explanation}\n\n" if doc.explanation else ""
    return (
        f"# {rule.code} {rule.name}\n\n"
        f"{doc.summary}\n\n"
        f"{explanation}"
        f"## Bad\n\n```python\n{doc.bad}```\n\n"
        f"## Good\n\n```python\n{doc.good}```\n\n"
        f"## Silent on\n\n{doc.silent_on}\n\n"
        f"## Source\n\n{doc.source}\n\n"
        f"Since {doc.since}. To silence one line: `# noqa: {rule.code}`.\n"
    )


def as_json(rules: Sequence[Rule], fixable: Collection[str]) -> str:
    """The object with `rules`, each with all of its documentation.

    Args:
        fixable: The codes that `lane-lint fix` can mend in some cases.
    """
    entries = [_entry(rule, is_fixable=rule.code in fixable) for rule in rules]
    return json.dumps({"schema_version": SCHEMA_VERSION, "rules": entries}, indent=2) + "\n"


def _entry(rule: Rule, *, is_fixable: bool) -> dict[str, object]:
    doc = rule.documentation()
    return {
        "code": rule.code,
        "name": rule.name,
        "summary": doc.summary,
        "explanation": doc.explanation,
        "bad": doc.bad,
        "good": doc.good,
        "silent_on": doc.silent_on,
        "source": doc.source,
        "since": doc.since,
        "fixable": is_fixable,
        "url": page_of(rule.code),
    }
