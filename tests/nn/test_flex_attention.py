"""Attention by functions of the places, against attention with the same mask and bias as tensors."""

from __future__ import annotations

from typing import Any

import pytest

import pullback as torch
from pullback.nn.attention.flex_attention import (
    AuxRequest,
    and_masks,
    create_block_mask,
    create_mask,
    flex_attention,
    noop_mask,
    or_masks,
)


def causal(b: Any, h: Any, q: Any, k: Any) -> Any:
    return q >= k


def near(b: Any, h: Any, q: Any, k: Any) -> Any:
    return k < 2


def slope(score: Any, b: Any, h: Any, q: Any, k: Any) -> Any:
    return score + (q - k) * 0.1 * (h + 1)


@pytest.fixture
def qkv() -> list[Any]:
    torch.manual_seed(0)
    return [torch.randn(2, 4, 5, 8) for _ in range(3)]


def test_masks() -> None:
    triangle = torch.ones(3, 4, dtype=torch.bool).tril()
    mask = create_mask(causal, 1, 2, 3, 4)
    assert mask.shape == (1, 2, 3, 4)
    assert torch.equal(mask[0, 1], triangle)
    columns = torch.tensor([True, True, False, False])
    assert torch.equal(create_mask(and_masks(causal, near), None, None, 3, 4)[0, 0], triangle & columns)
    assert torch.equal(create_mask(or_masks(causal, near), None, None, 3, 4)[0, 0], triangle | columns)
    assert create_mask(noop_mask, None, None, 3, 4).all()


def test_blocks() -> None:
    mask = create_block_mask(causal, None, None, 5, 5, BLOCK_SIZE=2)
    assert mask.to_dense().tolist() == [[[[1, 0, 0], [1, 1, 0], [1, 1, 1]]]]
    assert mask.kv_num_blocks.tolist() == [[[1, 1, 3]]]
    assert mask.kv_indices.tolist() == [[[[0, 1, 2], [1, 0, 2], [0, 1, 2]]]]
    assert mask.full_kv_num_blocks.tolist() == [[[0, 1, 0]]]
    assert mask.q_num_blocks.tolist() == [[[2, 2, 1]]]
    assert (mask.shape, mask.BLOCK_SIZE) == ((1, 1, 5, 5), (2, 2))
    assert mask.sparsity() == pytest.approx(4.0)


def test_values(qkv: list[Any]) -> None:
    mask = create_block_mask(causal, None, None, 5, 5)
    out, aux = flex_attention(*qkv, slope, mask, return_aux=AuxRequest(lse=True))
    distance = torch.arange(5)[:, None] - torch.arange(5)
    bias = distance * 0.1 * torch.arange(1, 5)[:, None, None]
    bias = bias.masked_fill(distance < 0, -float("inf"))
    expected = torch.nn.functional.scaled_dot_product_attention(*qkv, attn_mask=bias)
    torch.testing.assert_close(out, expected)
    scores = qkv[0] @ qkv[1].mT / 8**0.5 + bias
    torch.testing.assert_close(aux.lse, scores.logsumexp(-1))


def test_shared_heads(qkv: list[Any]) -> None:
    q, k, v = qkv
    out = flex_attention(q, k[:, :2], v[:, :2], enable_gqa=True)
    torch.testing.assert_close(out[:, 1], flex_attention(q[:, 1:2], k[:, :1], v[:, :1])[:, 0])


def test_what_sees_nothing_is_zero(qkv: list[Any]) -> None:
    mask = create_block_mask(lambda b, h, q, k: (q > 0) & (k >= 0), None, None, 5, 5)
    out = flex_attention(*qkv, block_mask=mask)
    assert (out[:, :, 0] == 0).all()
    assert (out[:, :, 1:] != 0).all()


def test_errors(qkv: list[Any]) -> None:
    q, k, v = qkv
    with pytest.raises(NotImplementedError, match="FlexAttention does not support backward on CPU"):
        flex_attention(q.clone().requires_grad_(), k, v)
    with pytest.raises(ValueError, match="Try setting enable_gqa=True"):
        flex_attention(q, k[:, :2], v[:, :2])
    with pytest.raises(ValueError, match="was created for a smaller length"):
        flex_attention(q, k, v, block_mask=create_block_mask(causal, None, None, 3, 3))
    with pytest.raises(ValueError, match="was created for a larger length"):
        flex_attention(q, k, v, block_mask=create_block_mask(causal, None, None, 7, 7))
    with pytest.raises(AssertionError, match="requires a mask_mod function"):
        create_block_mask(slope, None, None, 5, 5)
