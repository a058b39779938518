"""One command per task: `nox -s tests`, `lint`, `types`, `docs`, `examples`, `bench`.

The tasks run in the environment that nox itself runs in, the one where `pip install -e '.[dev]'` was done: a
change is checked in seconds, without an environment per task. Arguments after `--` go to the tool:

    nox -s tests -- tests/core -k views
"""

from __future__ import annotations

import sys
from pathlib import Path

import nox

nox.options.default_venv_backend = "none"
nox.options.sessions = ["lint", "types", "tests", "examples", "docs"]
nox.needs_version = ">=2025.2.9"


def python(session: nox.Session, *arguments: str) -> None:
    """Run a module or file with the Python that runs nox, whether or not its environment is activated."""
    session.run(sys.executable, *arguments)


@nox.session
def tests(session: nox.Session) -> None:
    """Run the tests, two processes at a time."""
    python(session, "-m", "pytest", *(session.posargs or ["--numprocesses=2"]))


@nox.session
def compiled(session: nox.Session) -> None:
    """Run the compiler's tests as users compile: every row of the op samples, 1,400 random programs and 250
    training steps, of which the suite runs a share, and the tests whose machine code it makes in haste.
    """
    session.env["PULLBACK_ALL_COMPILED"] = "1"
    python(session, "-m", "pytest", "--numprocesses=2", "tests/compiler", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and likely mistakes."""
    python(session, "-m", "ruff", "check", *session.posargs)


@nox.session
def types(session: nox.Session) -> None:
    """Check the types of the package."""
    python(session, "-m", "mypy", *session.posargs)


@nox.session
def examples(session: nox.Session) -> None:
    """Run every example to its end, as a user would."""
    folder = Path("examples")
    programs = [*sorted(folder.glob("gradient_argument/*.py")), *sorted(folder.glob("*.py"))]
    for file in session.posargs or programs:
        python(session, "-m", "pullback", str(file))


@nox.session
def docs(session: nox.Session) -> None:
    """Run what the documentation shows and build it into site/; a broken link is an error."""
    session.env["NO_MKDOCS_2_WARNING"] = "1"  # the theme's advertisement of its successor
    python(session, "-m", "properdocs", "build", "--strict", "--config-file", "mkdocs.yml", *session.posargs)


@nox.session(python=["3.11", "3.12", "3.13", "3.14"], venv_backend="virtualenv")
def pythons(session: nox.Session) -> None:
    """Run the tests that depend on Python's version, or others, on each CPython that is found here."""
    session.install("-e", ".[compile,files]", "hypothesis>=6.136", "pytest>=8.4")
    names = ["compiler/frontend", "core", "utils", "test_check.py", "test_notebooks.py", "test_runner.py"]
    session.run("python", "-m", "pytest", *(session.posargs or [f"tests/{name}" for name in names]))


@nox.session
def works_with(session: nox.Session) -> None:
    """Use each library that docs/works-with.md names, in a fresh environment; by hand or at night."""
    python(session, "-m", "tools.works_with", *session.posargs)


@nox.session
def bench(session: nox.Session) -> None:
    """Run the benchmarks against the peers that are installed."""
    python(session, "-m", "benchmarks", *session.posargs)
