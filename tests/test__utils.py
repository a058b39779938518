"""Many tensors as one, and back; what checkpoints name is tested in tests/serialization."""

from __future__ import annotations

import pullback
from pullback._utils import _flatten_dense_tensors, _unflatten_dense_tensors


def test_one_tensor_of_many_and_back() -> None:
    tensors = [pullback.randn(2, 3).t(), pullback.tensor(1.5), pullback.zeros(0, 2)]
    flat = _flatten_dense_tensors(tensors)
    assert flat.shape == (7,)
    parts = _unflatten_dense_tensors(flat, tensors)
    assert all(pullback.equal(a, b) and a.shape == b.shape for a, b in zip(tensors, parts, strict=True))
    parts[1].fill_(2)
    assert flat[6] == 2


def test_a_single_tensor_is_not_copied() -> None:
    x = pullback.ones(2, 3)
    assert _flatten_dense_tensors((x,)).data_ptr() == x.data_ptr()
