"""Single steps of .ci/run, for work on one of them: `nox -s tests-3.12 -- tests/cli`."""

from __future__ import annotations

import nox

PYTHONS = ["3.11", "3.12", "3.13", "3.14", "3.15"]
PACKAGES = ["lane_runtime", "lane_lint"]

nox.options.sessions = ["tests", "lint", "types", "pages", "docs", "self_check"]
nox.options.error_on_missing_interpreters = False


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Run the tests."""
    session.install("-e", ".[test]")
    session.run("python", "-m", "pytest", "-q", *session.posargs)


@nox.session(python=PYTHONS)
def odd_input(session: nox.Session) -> None:
    """Read every installed file and thousands of made programs, those of hypothesmith too; for a scheduled job."""
    session.install("-e", ".[test]", "hypothesmith")
    session.run("python", "-m", "pytest", "-q", "-m", "slow", *session.posargs)


@nox.session
def coverage(session: nox.Session) -> None:
    """Run the tests and show the lines and branches that none of them takes."""
    session.install("-e", ".[test]")
    session.run("python", "-m", "pytest", "-q", "--cov", "--cov-report=term-missing:skip-covered")


@nox.session
def lint(session: nox.Session) -> None:
    """Run ruff."""
    session.install("ruff")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")


@nox.session
def types(session: nox.Session) -> None:
    """Run mypy on both packages."""
    session.install("-e", ".[dev]")
    session.run("mypy", "--strict", *PACKAGES)


@nox.session
def pages(session: nox.Session) -> None:
    """Compare docs/rules with the docstrings."""
    session.install("-e", ".[lint]")
    session.run("python", "tools/render_rule_docs.py", "--check")


@nox.session
def docs(session: nox.Session) -> None:
    """Build the pages of docs/ as a site in build/docs; a warning, such as a link that leads nowhere, fails."""
    session.install("-e", ".[docs]")
    session.run("sphinx-build", "--fail-on-warning", "--keep-going", "--fresh-env", "docs", "build/docs")


@nox.session
def self_check(session: nox.Session) -> None:
    """Run lane-lint on this repository."""
    session.install("-e", ".[lint]")
    session.run("lane-lint", "check", *PACKAGES, "tests", "tools", "benchmarks", "hazards")


@nox.session
def hazards(session: nox.Session) -> None:
    """Drive the published packages of hazards/ into their wrong results; installs them from the index."""
    session.run("python", "tools/drive_hazards.py", *session.posargs)
