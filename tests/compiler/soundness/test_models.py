"""Whole training steps of real models: compiled they do what they do eagerly, to the bit in every run."""

from __future__ import annotations

import os

import pytest

from tests.compiler.soundness.models import chosen, row
from tests.compiler.soundness.training import CASES, DTYPES

pytest.importorskip("llvmlite")

#: ``nox -s compiled`` runs the whole table, every run of the suite some cases, and each of them once less.
WHOLE = bool(os.environ.get("PULLBACK_ALL_COMPILED"))
CHOSEN = list(chosen([], list(DTYPES), ci=not WHOLE))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("machine_code")


@pytest.mark.parametrize(("name", "dtype"), CHOSEN, ids=lambda part: part)
def test_a_compiled_step_trains_as_eager_does(name, dtype, folder, monkeypatch):
    # What one run compiles the next ones read.
    monkeypatch.setenv("PULLBACK_CACHE", "1")
    monkeypatch.setenv("PULLBACK_CACHE_DIR", str(folder))
    found, case = row(name, dtype, (1, 1, 2) if WHOLE else (2,)), CASES[name]
    for outcome, eager in ((found.step, case.eager), (found.loss, case.eager_loss)):
        if outcome is not None and not eager:
            assert outcome.eager_because is None
            # State that the first step makes, and a shape or flag that changes, are another program.
            assert outcome.traces <= 2
    assert not found.wrong(dtype)


def test_table_is_large():
    assert len(CASES) >= 250
