"""Attention in blocks of its heads is attention."""

from __future__ import annotations

import numpy as np
import pytest

import pullback as torch
from pullback.ops import attention

CASES = {
    "plain": ((2, 3, 5, 4), (2, 3, 6, 4), None, False),
    "causal, in stretches": ((2, 2, 640, 4), (2, 2, 640, 4), None, True),
    "grouped": ((2, 4, 5, 4), (2, 2, 5, 4), None, True),
    "broadcast": ((1, 3, 5, 4), (2, 3, 6, 4), None, False),
    "hidden keys of each text": ((2, 3, 5, 4), (2, 3, 6, 4), (2, 1, 1, 6), False),
    "hidden pairs": ((2, 3, 5, 4), (2, 3, 6, 4), (5, 6), False),
    "hidden pairs of each head": ((2, 3, 5, 4), (2, 3, 6, 4), (3, 5, 6), False),
    "no heads": ((5, 4), (6, 4), None, False),
}


def _run(case: str, dtype: torch.dtype) -> list[torch.Tensor]:
    queries, keys, hidden, is_causal = CASES[case]
    torch.manual_seed(0)
    q, k, v = (torch.randn(s, dtype=dtype, requires_grad=True) for s in (queries, keys, keys))
    mask = None if hidden is None else torch.rand(hidden) > 0.3
    out = torch.nn.functional.scaled_dot_product_attention(
        q, k, v, attn_mask=mask, is_causal=is_causal, enable_gqa=case == "grouped"
    )
    return [out, *torch.autograd.grad(out, (q, k, v), torch.randn_like(out))]


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16], ids=str)
@pytest.mark.parametrize("case", CASES)
def test_blocks_of_heads_give_what_all_heads_together_give(
    case: str, dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = _run(case, dtype)
    for size in (1, 60):
        monkeypatch.setattr(attention, "_TOGETHER", size)
        for a, b in zip(_run(case, dtype), whole, strict=True):
            assert a.stride() == b.stride()
            np.testing.assert_allclose(a.detach().double().numpy(), b.detach().double().numpy(), 1e-12, 1e-12)


def test_a_block_has_at_most_the_elements_that_are_computed_together() -> None:
    for lead in ((), (1,), (7, 5), (3, 1, 4)):
        blocks = attention._blocks(lead, 1 << 8, 1 << 10, 1)
        seen = np.zeros(lead, int)
        for block in blocks:
            seen[block] += 1
            assert seen[block].size << 18 <= attention._TOGETHER
        assert (seen == 1).all()
