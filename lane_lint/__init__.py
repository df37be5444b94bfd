"""A checker for snapshots of shared state that have gone stale by the time they are acted on.

`check_source` and `check_paths` are the way in for other tools; both are imported on first use, so that
importing this package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lane_lint.api import check_paths, check_source
    from lane_lint.finding import Confidence, Finding, Related, Span
    from lane_lint.settings import Settings

    __version__: str

__all__ = [
    "Confidence",
    "Finding",
    "Related",
    "Settings",
    "Span",
    "__version__",
    "check_paths",
    "check_source",
]

_HOMES = {
    "check_paths": "lane_lint.api",
    "check_source": "lane_lint.api",
    "Confidence": "lane_lint.finding",
    "Finding": "lane_lint.finding",
    "Related": "lane_lint.finding",
    "Span": "lane_lint.finding",
    "Settings": "lane_lint.settings",
}


def __getattr__(name: str) -> object:
    if name == "__version__":
        return _installed_version()
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _installed_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("state-lane")
    except PackageNotFoundError:
        return "0+unknown"  # a checkout that is not installed


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
