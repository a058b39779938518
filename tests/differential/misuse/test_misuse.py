"""Wrong calls are refused as torch refuses them, and nobody reads what NumPy says of them."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import pytest

import pullback
from tests.recorded import load

from .calls import all_calls
from .compare import difference
from .families import FAMILIES
from .foreign import OF_TORCH, is_numpys
from .run import outcomes

#: What is left of the recorded sample, by the kind of difference. The numbers may only fall.
LEFT = {"foreign": 8, "accepts": 6, "refuses": 3, "class": 3, "text": 16, "result": 1}
#: One in so many wrong calls is made here, where torch may be missing.
EVERY = 23
#: Of those, how many are told in words of NumPy's.
NUMPYS_LEFT = 0


def test_recorded_sample() -> None:
    record = load("misuse")
    found = outcomes([expression for expression, _ in record], pullback)
    counts: Counter[str] = Counter()
    examples = {}
    for (expression, expected), seen in zip(record, found):
        kind = difference(expected, seen)
        if kind is not None:
            counts[kind] += 1
            examples[kind] = f"{expression}: {expected}, not {seen}"
    too_many = {kind: examples[kind] for kind, count in counts.items() if count > LEFT.get(kind, 0)}
    assert not too_many, f"{dict(counts)}: {too_many}"


def test_mended_calls() -> None:
    record = load("mended_calls")
    found = outcomes([expression for expression, _ in record], pullback)
    wrong = [
        f"{expression}: {expected}, not {seen}"
        for (expression, expected), seen in zip(record, found)
        if difference(expected, seen) is not None
    ]
    assert not wrong, f"{len(wrong)} of {len(record)}: {wrong[:5]}"


@pytest.mark.parametrize("family", FAMILIES)
def test_mended_family(family: str) -> None:
    recorded = load("misuse_families")
    expressions = FAMILIES[family]
    wrong = [
        f"{expression}: {recorded[expression]}, not {seen}"
        for expression, seen in zip(expressions, outcomes(expressions, pullback))
        if difference(recorded[expression], seen) is not None
    ]
    assert not wrong, "\n".join(wrong)


def test_nobody_reads_what_numpy_says() -> None:
    calls = [expression for _, expression in islice(all_calls(), 0, None, EVERY)]
    found = [
        (expression, seen)
        for expression, seen in zip(calls, outcomes(calls, pullback))
        if seen[0] == "error" and is_numpys(*seen[1:]) and not OF_TORCH.search(expression)
    ]
    assert len(found) <= NUMPYS_LEFT, f"{len(found)} calls: {found[:5]}"
