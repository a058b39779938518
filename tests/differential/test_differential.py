"""1,000 random programs under torch and under pullback: everything visible is compared, and what
still differs is counted.
"""

from __future__ import annotations

from functools import cache

import pytest

import pullback

torch = pytest.importorskip("torch")

from .check import Result, check, examine, reproducer, shrink  # noqa: E402  # needs torch
from .compare import STRIDE, UNDECIDED, Mismatch  # noqa: E402
from .generator import generate  # noqa: E402
from .program import Raised, run  # noqa: E402

PROGRAMS = 1000
CHUNK = 100
CHUNKS = [range(first, first + CHUNK) for first in range(0, PROGRAMS, CHUNK)]

#: Rounding may leave at most this share of programs with a number that cannot be judged.
UNDECIDED_SHARE = 0.01


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@cache
def results(seeds: range) -> list[Result]:
    return [check(seed, torch, pullback) for seed in seeds]


def report(failing: list[tuple[Result, Mismatch]]) -> str:
    """All failing seeds, and the shrunk reproducer of the first."""
    result, mismatch = failing[0]
    small, expected, mismatch = shrink(result.program, mismatch, torch, pullback)
    seeds = ", ".join(str(result.seed) for result, _ in failing)
    return f"{len(failing)} programs differ (seeds {seeds}).\n" + reproducer(
        small, expected, mismatch, result.seed
    )


#: First differences that are left, by kind, of the 1,000 programs. Numbers may only fall, but that a mended
#: program may show its next difference. A kind that is not here may not occur at all.
LEFT: dict[str, int] = {}

#: Programs in which a result's strides differ.
STRIDES_LEFT = 16


def test_programs_agree() -> None:
    by_kind: dict[str, list[tuple[Result, Mismatch]]] = {}
    for seeds in CHUNKS:
        for result in results(seeds):
            if result.first is not None:
                by_kind.setdefault(result.first.kind, []).append((result, result.first))
    for kind, failing in by_kind.items():
        assert len(failing) <= LEFT.get(kind, 0), f"{kind}: {report(failing)}"


def test_strides_agree() -> None:
    found = [(result, m) for seeds in CHUNKS for result in results(seeds) for m in result.mismatches]
    failing = [(result, mismatch) for result, mismatch in found if mismatch.kind == STRIDE]
    assert len({result.seed for result, _ in failing}) <= STRIDES_LEFT, report(failing)


def test_few_programs_are_undecided() -> None:
    undecided = [
        r.seed for seeds in CHUNKS for r in results(seeds) if any(m.kind == UNDECIDED for m in r.mismatches)
    ]
    assert len(undecided) <= UNDECIDED_SHARE * PROGRAMS, undecided


def test_torch_agrees_with_itself() -> None:
    for seed in range(PROGRAMS, PROGRAMS + 50):
        assert examine(generate(seed, torch), torch, torch)[1] == []


def test_a_seed_gives_one_program() -> None:
    for seed in range(20):
        assert generate(seed, torch).script() == generate(seed, torch).script()


def test_most_instructions_succeed() -> None:
    outcomes = [outcome for seed in range(200) for outcome in run(generate(seed, torch), torch).outcomes]
    refused = sum(isinstance(outcome, Raised) for outcome in outcomes)
    assert 0.02 < refused / len(outcomes) < 0.15
