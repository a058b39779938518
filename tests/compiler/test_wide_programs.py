"""Random programs on arrays that are cut into parts: eager's numbers, on any number of threads."""

from __future__ import annotations

import os

import pytest

pytest.importorskip("llvmlite")

from .wide_programs import differences  # needs llvmlite

#: The programs of the suite, of which 24 took 32 s of processor time; ``nox -s compiled`` runs more.
PROGRAMS = 400 if os.environ.get("PULLBACK_ALL_COMPILED") else 8


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_parts_compute_what_eager_does(seed: int) -> None:
    assert not differences(seed)
