"""`lane-lint explain`, `lane-lint rules`, `lane-lint --version`."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from lane_lint.cli import main
from lane_lint.fixes import fixable_codes


@pytest.mark.parametrize("wanted", ["LAN901", "lan901", "not-analysed"])
def test_explain_prints_the_page(capsys, wanted) -> None:
    assert main(["explain", wanted]) == 0
    text = capsys.readouterr().out
    assert text.startswith("LAN901 not-analysed\n\n")
    for part in ("Bad:", "Good:", "Silent on:", "Source:", "Since:"):
        assert part in text


@pytest.mark.parametrize(
    ("wanted", "suggested"),
    [
        ("LAN910", "LAN901"),
        ("not-analyzed", "not-analysed"),
        ("LAN90", "but LAN901 begins so"),
        ("lan40", "but LAN401, LAN402 begin so"),
        ("lan13", "did you mean LAN313 or LAN103"),
        ("LN103", "did you mean LAN103"),
        ("L103", "LAN103"),
        ("LAN1003", "LAN103"),
        ("lock_bypas", "did you mean lock-bypass"),
    ],
)
def test_explain_suggests_what_was_meant(capsys, wanted, suggested) -> None:
    assert main(["explain", wanted]) == 2
    assert suggested in capsys.readouterr().err


def test_explain_of_something_far_off_points_to_the_list(capsys) -> None:
    assert main(["explain", "?"]) == 2
    assert "lane-lint rules lists them all" in capsys.readouterr().err


@pytest.mark.parametrize(
    "wanted", ["lan103", " LAN103 ", "Check-Await-Act", "check_await_act", "check await act"]
)
def test_explain_takes_any_spelling_of_a_code_or_a_name(capsys, wanted) -> None:
    assert main(["explain", wanted]) == 0
    assert capsys.readouterr().out.startswith("LAN103 check-await-act\n")


def test_explain_prints_several_rules_once_each_and_those_it_knows(capsys) -> None:
    assert main(["explain", "LAN104", "lan103", "check-await-act", "LAN999"]) == 2
    captured = capsys.readouterr()
    assert [line for line in captured.out.splitlines() if line.startswith("LAN")] == [
        "LAN104 await-holding-thread-lock",
        "LAN103 check-await-act",
    ]
    assert "no rule is called 'LAN999'" in captured.err


def test_explain_as_json_is_the_entry_of_rules(capsys) -> None:
    assert main(["explain", "lan103", "--format", "json"]) == 0
    (rule,) = json.loads(capsys.readouterr().out)["rules"]
    main(["rules", "--format", "json"])
    assert rule in json.loads(capsys.readouterr().out)["rules"]


def test_rules_lists_every_code_in_order(capsys) -> None:
    assert main(["rules"]) == 0
    codes = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert codes == sorted(codes)
    assert "LAN901" in codes


def test_rules_as_json(capsys) -> None:
    assert main(["rules", "--format", "json"]) == 0
    rules = json.loads(capsys.readouterr().out)["rules"]
    assert {rule["code"] for rule in rules if rule["fixable"]} == set(fixable_codes())
    for rule in rules:
        texts = {key: rule[key] for key in ("name", "summary", "bad", "good", "silent_on", "source", "since")}
        assert all(texts.values()), texts
        assert rule["url"] == f"docs/rules/{rule['code']}.md"
        assert set(rule) == {"code", "explanation", "fixable", "url", *texts}


@pytest.mark.parametrize("arguments", [[], ["chekc"], ["check", "--no-such-option"]])
def test_a_wrong_command_line_exits_2(arguments) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2


def test_version_is_the_distributions(lane_lint) -> None:
    from importlib.metadata import version

    done = lane_lint("--version")
    assert done.stdout == f"lane-lint {version('state-lane')}\n"


def test_version_loads_nothing_that_takes_long() -> None:
    """What a start costs is measured by `benchmarks/lint.py`; here it is what makes one slow that must stay out."""
    code = (
        "import contextlib, sys\n"
        "from lane_lint.cli import main\n"
        "with contextlib.suppress(SystemExit): main(['--version'])\n"
        "print(*sorted(sys.modules))"
    )
    unmeasured = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=unmeasured
    )
    loaded = set(done.stdout.split())
    assert "lane_lint.cli" in loaded
    assert loaded.isdisjoint(
        {"asyncio", "concurrent.futures", "libcst", "multiprocessing"}
        | {"lane_lint.engine", "lane_lint.rules", "lane_lint.run"}
    )
