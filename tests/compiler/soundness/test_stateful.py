"""Drawn programs whose state changes: compiled, they do what they do in eager."""

from __future__ import annotations

import pytest

pytest.importorskip("llvmlite")

from .drawing import draw
from .stateful import text_of, verdict_of

#: The programs of the suite; ``python -m tests.compiler.soundness.stateful`` runs as many as it is asked for.
PROGRAMS = 100


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_a_drawn_program_is_the_same_compiled(seed: int) -> None:
    verdict = verdict_of(seed)
    # Whether each compiles is not asked: results and state may alias in ways that no program holds.
    complaints = [text for text in verdict.complaints if "must compile" not in text]
    assert not complaints, "\n".join([*complaints, text_of(verdict.program)])


def test_most_programs_of_plain_state_compile() -> None:
    plain = [verdict_of(seed) for seed in range(30) if draw(seed).compiles]
    assert len(plain) > 22
    assert sum(verdict.compiled for verdict in plain) >= 0.9 * len(plain)
