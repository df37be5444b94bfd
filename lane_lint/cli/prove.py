"""`lane-lint prove CODE:PATH:LINE`."""

from __future__ import annotations

import argparse
import os

from lane_lint.cli.status import CANNOT, CLEAN, FINDINGS, complain
from lane_lint.config import ConfigError, load_settings
from lane_lint.requirements import INSTALL, has_libcst


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `prove` takes."""
    parser.add_argument("finding", metavar="CODE:PATH:LINE", help="a finding, such as LAN103:pool.py:41")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to print the verdict")
    parser.add_argument(
        "--write", metavar="FILE", help="write the harness there, as a pytest file, to fill in and keep"
    )
    parser.add_argument(
        "--python", metavar="PROGRAM", help="the interpreter that has what the module imports"
    )
    parser.add_argument("--seconds", type=_seconds, default=60.0, help="most seconds to take (60)")
    parser.add_argument(
        "--schedules", type=_schedules, default=120, help="most schedules for each pair of calls (120)"
    )
    parser.add_argument(
        "--stale-fill",
        action="store_true",
        help="convict a value too that was asked for before a finished change and is stored after it",
    )


def run(options: argparse.Namespace) -> int:
    """Run the finding's function and what may run beside it; this executes the module's code."""
    if not has_libcst():
        complain(f"the checker needs libcst: {INSTALL}")
        return CANNOT
    from lane_lint.proving.harness import Limits, harness_of
    from lane_lint.proving.partners import pairing_at
    from lane_lint.proving.running import run_harness
    from lane_lint.proving.target import ProvingError, target_of
    from lane_lint.report.proof import as_json, as_text

    try:
        target = target_of(options.finding, load_settings(os.getcwd(), {}))
        pairing = pairing_at(target.text, target.line)
        if pairing is None:
            raise ProvingError(
                f"line {target.line} of {target.path} is in no function, so there is nothing to call"
            )
        limits = Limits(options.schedules, options.seconds * 0.7, options.stale_fill)
        harness = harness_of(target, pairing, limits)
        if options.write is not None:
            with open(options.write, "x", encoding="utf-8") as stream:
                stream.write(harness)
        proof = run_harness(harness, options.python, options.seconds)
    except (ProvingError, ConfigError) as error:
        complain(str(error))
        return CANNOT
    except FileExistsError:
        complain(f"{options.write} exists; name a new file, or run that one with pytest")
        return CANNOT
    finding = target.finding
    place = f"{finding.path}:{finding.span.line}:{finding.span.column + 1}: {finding.code} {finding.message}"
    print(as_json(proof) if options.format == "json" else as_text(proof, place), end="")
    if proof.kind == "cannot be made":
        return CANNOT
    return FINDINGS if proof.convicts else CLEAN


def _seconds(text: str) -> float:
    value = float(text)
    if not 1 <= value <= 3600:
        raise argparse.ArgumentTypeError(f"{text} is not between 1 and 3600")
    return value


def _schedules(text: str) -> int:
    value = int(text)
    if not 1 <= value <= 1_000_000:
        raise argparse.ArgumentTypeError(f"{text} is not between 1 and 1000000")
    return value
