"""Prove a function of a small module."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from lane_lint.proving.partners import pairing_at
from lane_runtime.testing.proof import Case, Verdict, prove

_numbers = count()


@pytest.fixture
def proved(tmp_path: Path) -> Callable[..., Verdict]:
    """The verdict on the function around the line that has `# here` in it."""

    def run(text: str, **options: object) -> Verdict:
        text = textwrap.dedent(text)
        file = tmp_path / f"module_under_proof_{next(_numbers)}.py"
        file.write_text(text, encoding="utf-8")
        line = next(number for number, line in enumerate(text.splitlines(), 1) if "# here" in line)
        pairing = pairing_at(text, line)
        assert pairing is not None
        return prove(
            Case(
                file=str(file),
                module=file.stem,
                root=str(tmp_path),
                subject=pairing.subject,
                partners=pairing.partners,
                fillers=pairing.fillers,
                fails=pairing.fails,
                **options,  # type: ignore[arg-type]  # of the case
            )
        )

    return run
