"""Random programs with updates in place and views: compiled, they give what they give in eager."""

from __future__ import annotations

import os

import pytest

pytest.importorskip("llvmlite")
torch = pytest.importorskip("torch")

from tests.differential.generator import generate  # noqa: E402  # needs torch

from .random_programs import differences, text_of  # noqa: E402  # needs torch

#: The programs of the suite; ``nox -s compiled`` runs 1,000.
PROGRAMS = 1000 if os.environ.get("PULLBACK_ALL_COMPILED") else 50


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_a_compiled_program_does_what_eager_does(seed: int) -> None:
    found, _ = differences(seed, torch)
    assert not found, "\n".join([*found, text_of(generate(seed, torch))])
