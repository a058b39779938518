"""Bags of a table's rows from offsets: programs give eager's bags, gradients and errors for any offsets."""

from __future__ import annotations

from typing import Any

import pytest

import pullback as torch

pytest.importorskip("llvmlite")
embedding_bag = torch.nn.functional.embedding_bag


@pytest.mark.parametrize("mode", ["sum", "mean"])
def test_bags_from_offsets(mode: str) -> None:
    torch.manual_seed(0)
    weight, weights = torch.randn(50, 6, requires_grad=True), torch.rand(30, requires_grad=True)
    leaves = [weight, weights] if mode == "sum" else [weight]

    def bags(samples: Any, offsets: Any) -> Any:
        scale = weights if mode == "sum" else None
        return embedding_bag(samples, weight, offsets, mode=mode, per_sample_weights=scale)

    compiled = torch.compile(bags, fullgraph=True)
    for offsets in ([0, 4, 4, 10, 29], [0, 0, 1, 2, 30], [0, 5, 10, 15, 20]):
        given = torch.randint(0, 50, (30,)), torch.tensor(offsets)
        for found, expected in zip(
            *([y, *torch.autograd.grad(y.square().sum(), leaves)] for y in (compiled(*given), bags(*given))),
            strict=True,
        ):
            torch.testing.assert_close(found, expected)
    tokens = given[0]
    for samples, offsets in ((tokens, [1, 2, 3, 4, 5]), (tokens, [0, 2, 3, 4, 31]), (tokens + 50, [0] * 5)):
        errors = []
        for function in (bags, compiled):
            with pytest.raises(RuntimeError) as raised:
                function(samples, torch.tensor(offsets))
            errors.append(str(raised.value))
        assert errors[0] == errors[1]
    assert len(compiled._native.specializations) == 1
