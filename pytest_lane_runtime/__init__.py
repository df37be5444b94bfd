"""The pytest plugin: a fixture that explores schedules.

It stands in a package of its own so that pytest, which imports every plugin, loads nothing of
`lane_runtime` before a test asks for the fixture.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from lane_runtime.testing import Report


@pytest.fixture
def lane_explore() -> Callable[..., Report]:
    """`lane_runtime.testing.explore`, which fails the test when a run is not as it should be.

    The failure has the run step by step, and the text that replays it.
    """
    from lane_runtime.testing import explore

    def explore_or_fail(scenario: Callable[..., object], **options: object) -> Report:
        __tracebackhide__ = True
        report = explore(scenario, **options)  # type: ignore[arg-type]  # the options are those of explore
        if report.problem is not None:
            pytest.fail(str(report), pytrace=False)
        return report

    return explore_or_fail
