"""Which finding is to be proved: `LAN103:path.py:41`."""

from __future__ import annotations

import dataclasses
import os
import re
from dataclasses import dataclass

from lane_lint.finding import Confidence, Finding
from lane_lint.run import check_bytes
from lane_lint.settings import Settings

_WORDS = re.compile(r"(?P<code>[A-Za-z]+\d+):(?P<path>.+?):(?P<line>\d+)(:\d+)?")


class ProvingError(Exception):
    """What was asked for cannot be proved; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Target:
    """One finding, as it is named on the command line, and the text it was made in."""

    code: str
    path: str
    line: int
    text: str
    finding: Finding


def target_of(words: str, settings: Settings) -> Target:
    """The finding that the words name.

    Raises:
        ProvingError: They are malformed, the file cannot be read, or it has no such finding.
    """
    found = _WORDS.fullmatch(words.strip())
    if found is None:
        raise ProvingError(f"a finding is named CODE:PATH:LINE, such as LAN103:pool.py:41, not {words!r}")
    code, path, line = found["code"].upper(), found["path"], int(found["line"])
    try:
        with open(path, "rb") as stream:
            data = stream.read()
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise ProvingError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ProvingError(f"{path}: only files in UTF-8 can be run here ({error.reason})") from error
    every = dataclasses.replace(settings, min_confidence=Confidence.LOW)
    findings = check_bytes(path, data, every).findings
    for finding in findings:
        if finding.code == code and finding.span.line == line:
            return Target(code, os.path.abspath(path), line, text, finding)
    raise ProvingError(f"{path} has no {code} on line {line}{_others(findings, code)}")


def _others(findings: tuple[Finding, ...] | list[Finding], code: str) -> str:
    places = [f"{one.code} on line {one.span.line}" for one in findings if one.code == code]
    places = places or [f"{one.code} on line {one.span.line}" for one in findings]
    return f"; it has {', '.join(places[:5])}" if places else ", nor any other finding"
