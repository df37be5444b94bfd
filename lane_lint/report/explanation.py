"""A rule's documentation as text for a terminal and as a Markdown page."""

from __future__ import annotations

import textwrap

from lane_lint.rule import Rule


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
