"""On random programs: what the elements of v contribute sums to the gradient, which is what arrives in
`.grad`; and a program whose calls are explained does what it does otherwise.
"""

from __future__ import annotations

import gc
import warnings
from typing import Any

import numpy as np

import pullback as torch
from pullback.explain import Explanation, record
from pullback.explain.explanation import LeafPart

from ..differential.compare import compare
from ..differential.generator import generate
from ..differential.program import run

#: Programs with at least one call that is explained; of every tenth the run is compared with one unexplained.
#: The programs are the same in every run; the first 500 take 25 s of processor time.
PROGRAMS = 150
COMPARED = 10

TOLERANCE = {"float16": 1e-2, "bfloat16": 6e-2, "float32": 1e-4, "complex64": 1e-4}


def wide(value: Any) -> np.ndarray:
    array = np.asarray(value)
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def close(found: Any, expected: Any, dtype: str, scale: float) -> bool:
    a, b = wide(found), wide(expected)
    tolerance = TOLERANCE.get(dtype, 1e-9)
    with np.errstate(all="ignore"):
        return bool(np.allclose(a, b, tolerance, tolerance * scale, equal_nan=True))


def largest(leaf: LeafPart) -> float:
    """The largest number among the terms, whose rounding the sum carries."""
    return max(float(np.abs(wide(term.product.array)).max(initial=1)) for term in leaf.contributions)


def narrowest(explanation: Explanation, leaf: LeafPart) -> str:
    """The dtype on the way, or of the leaf, that rounds most."""
    dtypes = {step.dtype for step in explanation.steps if step.dtype} | {leaf.dtype}
    return max(dtypes, key=lambda dtype: TOLERANCE.get(dtype, 0.0))


def wrong_in(leaf: LeafPart, explanation: Explanation) -> str | None:
    """What does not add up about one leaf."""
    gradient = leaf.gradient.array
    dtype = narrowest(explanation, leaf)
    if gradient is None or not np.isfinite(wide(gradient)).all():
        return None
    if leaf.contributions:
        total = leaf.contributions[-1].running.array
        if not close(total, gradient, dtype, largest(leaf)):
            return f"{leaf.name}: contributions sum to {total}, the gradient is {gradient}"
    changed = any("ook" in note or "raised" in note for note in explanation.notes)
    if leaf.after is not None and explanation.call.kind == "backward" and not changed:
        before = 0 if leaf.before is None else wide(leaf.before.array)
        if not close(leaf.after.array, before + wide(gradient), dtype, 10):
            return f"{leaf.name}: .grad was {before}, is {leaf.after.array}, the gradient is {gradient}"
    return None


def test_contributions_sum_to_grad_and_the_run_is_undisturbed() -> None:
    seen = seed = sums = 0
    wrong = []
    gc.disable()
    try:
        while seen < PROGRAMS:
            with warnings.catch_warnings(), record() as recording:
                warnings.simplefilter("ignore")
                program = generate(seed, torch)
            explained = [e for e in recording.explanations if any(leaf.gradient for leaf in e.leaves)]
            seen += bool(explained)
            for explanation in recording.explanations:
                notes = "\n".join(explanation.notes)
                if notes.startswith("Not explained") and "The call raised" not in notes:
                    wrong.append((seed, notes))
                for leaf in explanation.leaves:
                    if leaf.gradient is not None:
                        sums += bool(leaf.contributions)
                        if (text := wrong_in(leaf, explanation)) is not None:
                            wrong.append((seed, text))
            if explained and seed % COMPARED == 0:
                plain = run(program, torch)
                with record():
                    recorded = run(program, torch)
                for difference in compare(program, plain, recorded, lambda: None):
                    wrong.append((seed, difference))
            seed += 1
    finally:
        gc.enable()
    assert not wrong, "\n".join(map(str, wrong[:10]))
    assert sums > PROGRAMS
