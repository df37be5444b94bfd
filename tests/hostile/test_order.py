"""Which files are read first, and beside which others, changes no finding."""

from __future__ import annotations

import json
import random

from fixture_cases import CASES

FILES = [str(case) for case in CASES]


def test_findings_do_not_depend_on_order_and_jobs(run_module) -> None:
    files = FILES[::3]
    reports = []
    for jobs in ("1", "1", "2", "3"):
        random.Random(len(reports)).shuffle(files)
        done = run_module("lane_lint", "check", "--format", "json", "--no-cache", "--jobs", jobs, *files)
        reports.append(json.loads(done.stdout)["findings"])
    assert len(reports[0]) > 50
    assert reports[1:] == reports[:1] * 3
