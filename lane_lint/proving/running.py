"""Run a harness in a process of its own, in the environment of the code it runs, for a limited time."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from typing import Any

from lane_lint.proving.target import ProvingError


@dataclass(frozen=True, slots=True)
class Proof:
    """What a harness said.

    Attributes:
        kind: `lost update`, `double effect`, `crash`, `contradictory answers`, `stale fill`, or
            `not convicted`, or `cannot be made`.
    """

    kind: str
    words: str
    setting: str
    trace: tuple[str, ...]
    schedule: str
    orders: tuple[str, ...]
    outcome: str
    tried: int
    missing: tuple[str, ...]
    problems: tuple[str, ...]

    @property
    def convicts(self) -> bool:
        """Whether an overlap was found that no order of the calls allows."""
        return self.kind not in ("not convicted", "cannot be made")


def run_harness(text: str, python: str | None, seconds: float) -> Proof:
    """Run the harness and read its answer.

    Args:
        python: The interpreter of the environment; None for this one.
        seconds: Wall-clock seconds after which it is stopped.

    Raises:
        ProvingError: It does not start, does not end in time, or fails.
    """
    with tempfile.TemporaryDirectory(prefix="lane-lint-prove-") as folder:
        file = os.path.join(folder, "harness.py")
        with open(file, "w", encoding="utf-8") as stream:
            stream.write(text)
        command = [python or sys.executable, "-X", "utf8", file]
        try:
            done = subprocess.run(
                command,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise ProvingError(
                f"the proof did not end within {seconds:g} seconds; give it more with --seconds, or write the "
                "harness with --write and look where it stays"
            ) from None
        except OSError as error:
            raise ProvingError(f"{command[0]}: {error.strerror or error}") from error
    if done.returncode:
        raise ProvingError(_reason(done.stderr.decode("utf-8", "replace"), command[0]))
    return _read(done.stdout.decode("utf-8", "replace"))


def _reason(errors: str, python: str) -> str:
    last = errors.strip().splitlines()[-1] if errors.strip() else "it said nothing"
    if "No module named 'lane_runtime" in last:
        return f"{python} has no lane_runtime: install state-lane there, or name another interpreter with --python"
    return f"the harness failed: {last}; write it with --write and run it to see more"


def _read(output: str) -> Proof:
    lines = output.strip().splitlines()
    try:
        answer: dict[str, Any] = json.loads(lines[-1] if lines else "")
        return Proof(*[_field(answer[one.name]) for one in dataclasses.fields(Proof)])
    except (ValueError, KeyError) as error:
        raise ProvingError(
            f"the harness gave no answer ({error}); write it with --write and run it"
        ) from error


def _field(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
