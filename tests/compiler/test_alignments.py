"""Losses of alignments by loops are eager's, with their gradients, for any lengths; what eager refuses, a
program refuses.
"""

from __future__ import annotations

from typing import Any

import pytest

import pullback as torch

pytest.importorskip("llvmlite")

#: Times, samples, classes, the longest target, the blank, whether infinite losses are zeros.
CASES = [(12, 4, 6, 4, 2, False), (1, 2, 5, 1, 0, True), (2, 3, 4, 2, 0, True)]


def _results(function: Any, x: Any, *given: Any) -> list[Any]:
    try:
        losses = function(x, *given)
        return [losses, *torch.autograd.grad(losses.sum(), x)]
    except (RuntimeError, IndexError) as error:
        return [type(error), str(error)]


@pytest.mark.parametrize("case", CASES)
def test_losses_of_alignments(case: tuple[Any, ...]) -> None:
    times, samples, classes, longest, blank, zeros = case
    torch.manual_seed(times)

    def losses(x: Any, *given: Any) -> Any:
        return torch.nn.functional.ctc_loss(
            x.log_softmax(-1), *given, blank=blank, reduction="none", zero_infinity=zeros
        )

    compiled = torch.compile(losses, fullgraph=True)
    x = torch.randn(times, samples, classes, dtype=torch.float64, requires_grad=True)
    targets = torch.randint(0, classes, (samples, longest))
    for trial in range(6):
        given = torch.randint(0, times + 1, (samples,)), torch.randint(0, longest + 1, (samples,))
        if trial == 0:
            given = torch.full((samples,), times), torch.full((samples,), longest)
        for found, expected in zip(
            _results(compiled, x, targets, *given), _results(losses, x, targets, *given), strict=True
        ):
            torch.testing.assert_close(found, expected, equal_nan=True)
    full = torch.full((samples,), times), torch.full((samples,), longest)
    for wrong in (
        (targets + classes, *full), (targets - classes, *full), (targets, full[0] + 1, full[1]),
        (targets, full[0], full[1] + 1),
    ):  # fmt: skip
        assert _results(compiled, x, *wrong) == _results(losses, x, *wrong)
    (found,) = compiled._native.specializations
    assert not any(hasattr(step, "op") for part in (found.forward, found.pullback) for step in part._run)
