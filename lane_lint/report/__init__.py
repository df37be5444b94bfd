"""Reports: one format, one file. Each turns a `Report` into text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import cast

from lane_lint.report.content import Report

FORMATS = ("text", "json", "sarif", "github", "gitlab", "junit")
_FUNCTIONS: Mapping[str, str] = {name: f"lane_lint.report.{name}" for name in FORMATS}


def rendered(report: Report, format_name: str) -> str:
    """The report in a format of `FORMATS`, ending in a line end unless it is empty."""
    render = cast(Callable[[Report], str], import_module(_FUNCTIONS[format_name]).render)
    return render(report)
