"""Attention in blocks of its heads is attention."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback.compiler.lower.filling import Call
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


def _given(case: str, dtype: torch.dtype) -> list[torch.Tensor | None]:
    """Return query, key, value, mask and the covector of the result."""
    queries, keys, hidden, _ = CASES[case]
    torch.manual_seed(0)
    q, k, v = (torch.randn(s, dtype=dtype, requires_grad=True) for s in (queries, keys, keys))
    mask = None if hidden is None else torch.rand(hidden) > 0.3
    lead = np.broadcast_shapes(queries[:-2], () if case == "grouped" else keys[:-2])
    return [q, k, v, mask, torch.randn(*lead, queries[-2], keys[-1], dtype=dtype)]


def _run(case: str, q: Any, k: Any, v: Any, mask: Any, g: Any) -> list[torch.Tensor]:
    out = torch.nn.functional.scaled_dot_product_attention(
        q, k, v, attn_mask=mask, is_causal=CASES[case][3], enable_gqa=case == "grouped"
    )
    return [out, *torch.autograd.grad(out, (q, k, v), g)]


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16], ids=str)
@pytest.mark.parametrize("case", CASES)
def test_blocks_of_heads_give_what_all_heads_together_give(
    case: str, dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = _run(case, *_given(case, dtype))
    for size in (1, 60):
        monkeypatch.setattr(attention, "_TOGETHER", size)
        for a, b in zip(_run(case, *_given(case, dtype)), whole, strict=True):
            assert a.stride() == b.stride()
            np.testing.assert_allclose(a.detach().double().numpy(), b.detach().double().numpy(), 1e-12, 1e-12)


@pytest.mark.parametrize("case", CASES)
def test_a_program_with_many_scores_leaves_them_to_the_blocks(
    case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program has one equation for the pullback, and gives what eager gives: bit for bit, as it is eager's
    kernel, where attention is one op.
    """
    pytest.importorskip("llvmlite")
    monkeypatch.setattr(attention, "_APART", 1)
    given = _given(case, torch.float32)
    compiled: Any = torch.compile(_run, backend="native")
    one_op = case not in ("broadcast", "no heads", "hidden pairs of each head")
    for a, b in zip(compiled(case, *given), _run(case, *given), strict=True):
        assert a.stride() == b.stride()
        if one_op:
            assert torch.equal(a, b)
        else:
            torch.testing.assert_close(a, b)
    steps = compiled._native.specializations[-1].forward.steps
    calls = [step.op for step in steps if isinstance(step, Call)]
    assert calls == ["scaled_dot_product_attention", "scaled_dot_product_attention_pull"] * one_op


def test_a_block_has_at_most_the_elements_that_are_computed_together() -> None:
    for lead in ((), (1,), (7, 5), (3, 1, 4)):
        blocks = attention._blocks(lead, 1 << 8, 1 << 10, 1)
        seen = np.zeros(lead, int)
        for block in blocks:
            seen[block] += 1
            assert seen[block].size << 18 <= attention._TOGETHER
        assert (seen == 1).all()


@pytest.mark.parametrize("causal", [False, True])
def test_a_hidden_key_that_is_not_finite_spoils_what_it_spoils_in_torch(causal: bool) -> None:
    """A mask is added to the scores, so nan stays nan; of a causal attention the later keys are not read."""
    queries, keys, values = (torch.ones(1, 1, 130, 8) for _ in range(3))
    keys[0, 0, -1] = torch.nan
    given = {"is_causal": True} if causal else {"attn_mask": torch.ones(130, 130).tril().bool()}
    out = torch.nn.functional.scaled_dot_product_attention(queries, keys, values, **given)
    assert out.isnan().sum() == (8 if causal else 130 * 8)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bool])
def test_a_mask_of_one_dimension_is_refused_where_torch_takes_its_kernel(dtype: torch.dtype) -> None:
    attend, mask = torch.nn.functional.scaled_dot_product_attention, torch.ones(3, dtype=dtype)
    q, k = torch.randn(1, 2, 4, 8), torch.randn(1, 2, 3, 8)
    for query, value in ((q, k), (q.clone().requires_grad_(), k), (q, k[..., :6])):
        for causal in (False, True):
            with pytest.raises(IndexError, match=r"expected to be in range of \[-1, 0\], but got -2"):
                attend(query, k, value, mask, is_causal=causal)
    with pytest.raises(IndexError, match="Dimension specified as -2 but tensor has no dimensions"):
        attend(q, k, k, mask[0])
    with pytest.raises(IndexError, match=r"expected to be in range of \[-1, 0\], but got -2"):
        torch.compile(lambda q: attend(q, k, k, mask))(q)
    # Its composed form takes what broadcasts.
    assert attend(q[0], k[0], k[0], mask).shape == (2, 4, 8)
    assert attend(q, k, k, mask, dropout_p=0.5).shape == q.shape
    assert attend(q, k[:, :, :0], k[:, :, :0], mask[:0]).shape == q.shape


def test_masks_of_other_dtypes_are_refused() -> None:
    attend, x = torch.nn.functional.scaled_dot_product_attention, torch.randn(1, 2, 3, 8)
    for dtype, word in ((torch.int64, "long int"), (torch.float64, "double")):
        for query in (x, x[0], x[:, :, :0]):
            with pytest.raises(RuntimeError, match=f"got attn_mask.dtype: {word} and  query.dtype: float"):
                attend(query, x, x, torch.zeros(3, dtype=dtype))
    assert attend(x.double(), x.double(), x.double(), torch.zeros(3, 3)).dtype == torch.float64


def test_rows_of_causal_scores_are_told_their_places_by_what_was_made_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(attention.large, "ask", lambda *given: asked.append(given))
    scores = np.zeros((2, 4, 32, 32), np.float32)
    for first in (0, 0, 32):
        attention._made_of_rows("weights_of_rows", [0.25], scores, (), first)
    (factor, places, seen, _), again, later = (given[2] for given in asked)
    assert again[0] is factor and again[1] is places and again[2] is seen
    np.testing.assert_array_equal(places, np.arange(32))
    np.testing.assert_array_equal(seen[:, 0], np.tile(np.arange(1, 33), 8))
    np.testing.assert_array_equal(later[2], seen + 32)
    assert not any(x.flags.writeable for x in (factor, places, seen))


def test_few_scores_are_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attention, "_in_block", lambda x, block: x if block == () else pytest.fail("cut"))
    x = torch.randn(4, 4, 32, 16)
    assert torch.nn.functional.scaled_dot_product_attention(x, x, x).shape == x.shape
