"""What every rule has: a code, a name, a message that can be acted on, and a page of its own."""

from __future__ import annotations

import inspect
import re
import string
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from lane_lint.finding import Confidence, Finding, Related, Span

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts

_CODE = re.compile(r"LAN\d{3}")
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_SECTIONS = ("Bad", "Good", "Silent on", "Source", "Since")
_SECTION_HEAD = re.compile(rf"^({'|'.join(_SECTIONS)}):[ ]?(.*)$")


class RuleDefinitionError(Exception):
    """A rule's class lacks a part that its users rely on."""


@dataclass(frozen=True, slots=True)
class RuleDoc:
    """A rule's docstring by its sections.

    Attributes:
        summary: What is wrong, one line.
        explanation: The paragraphs between the summary and the first section; may be empty.
        bad: A module that gets the finding, dedented.
        good: The same module mended.
        silent_on: What looks alike and is none.
        source: Where the rule comes from.
        since: The first version that has the rule.
    """

    summary: str
    explanation: str
    bad: str
    good: str
    silent_on: str
    source: str
    since: str


class Rule:
    """One thing that can be wrong. A subclass lives in `lane_lint/rules/lanNNN_name.py`, alone.

    Attributes:
        code: `LAN` and three digits, never reused or renumbered.
        name: What is wrong, in words joined by hyphens.
        message: What, where and why, with `str.format` names for the user's own names and lines.
        hint: What to do, in the same format.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    message: ClassVar[str]
    hint: ClassVar[str]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for attribute in ("code", "name", "message", "hint"):
            if not isinstance(cls.__dict__.get(attribute), str):
                raise RuleDefinitionError(f"{cls.__module__}.{cls.__qualname__} has no {attribute}")
        if not _CODE.fullmatch(cls.code):
            raise RuleDefinitionError(f"{cls.__module__}: code {cls.code!r} is not LAN and three digits")
        if not _NAME.fullmatch(cls.name):
            raise RuleDefinitionError(f"{cls.code}: name {cls.name!r} is not words joined by hyphens")
        _require_plain_fields(cls.code, cls.message)
        _require_plain_fields(cls.code, cls.hint)
        cls.documentation()

    def check(self, function: FunctionFacts) -> Iterator[Finding]:
        """Find this rule's defects in one function, asking only for facts."""
        raise NotImplementedError

    def finding(
        self,
        span: Span,
        *,
        path: str,
        confidence: Confidence,
        related: tuple[Related, ...] = (),
        **names: object,
    ) -> Finding:
        """Report this rule's defect at `span`.

        Args:
            path: The file, as the user calls it.
            related: The read, the suspension, who can run in between.
            names: What `message` and `hint` have between braces.
        """
        hint = self.hint.format(**names)
        # The hint starts a sentence; a name of the user's at its start stays as it is written.
        hint = hint[:1].upper() + hint[1:] if not self.hint.startswith("{") else hint
        text = f"{self.message.format(**names)}. {hint} [{page_of(self.code)}]"
        return Finding(path, span, self.code, self.name, " ".join(text.split()), confidence, related)

    @classmethod
    def documentation(cls) -> RuleDoc:
        """Read the class's docstring.

        Raises:
            RuleDefinitionError: A section is missing or empty.
        """
        if sys.flags.optimize >= 2:
            gone = "python -OO takes documentation away"
            return RuleDoc(cls.name.replace("-", " "), gone, "", "", gone, gone, gone)
        return parse_documentation(cls.code, cls.__doc__)


def page_of(code: str) -> str:
    """The page that explains a code, as messages and reports name it."""
    return f"docs/rules/{code}.md"


def parse_documentation(code: str, docstring: str | None) -> RuleDoc:
    """Split a rule's docstring into its sections.

    Raises:
        RuleDefinitionError: A section is missing or empty.
    """
    parts: dict[str, list[str]] = {"": []}
    current = ""
    for line in inspect.cleandoc(docstring or "").split("\n"):
        if head := _SECTION_HEAD.match(line):
            current, line = head.groups()
            parts[current] = []
        parts[current].append(line)
    summary, *explanation = parts.pop("")
    sections = {name: inspect.cleandoc("\n".join(lines)).strip("\n") for name, lines in parts.items()}
    missing = [name for name in _SECTIONS if not sections.get(name)]
    if missing or not summary:
        raise RuleDefinitionError(f"{code}: the docstring lacks {', '.join(missing) or 'its first line'}")
    return RuleDoc(
        summary=summary,
        explanation="\n".join(explanation).strip("\n"),
        bad=sections["Bad"] + "\n",
        good=sections["Good"] + "\n",
        silent_on=sections["Silent on"],
        source=sections["Source"],
        since=sections["Since"],
    )


def _require_plain_fields(code: str, template: str) -> None:
    for _, field, specification, conversion in string.Formatter().parse(template):
        if field is None:
            continue
        if not field.isidentifier() or specification or conversion:
            raise RuleDefinitionError(f"{code}: {{{field}}} of its message is not a plain name")
    if template.endswith("."):
        raise RuleDefinitionError(f"{code}: a message and its hint end without a full stop")
