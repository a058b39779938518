"""Arguments of a wrong kind, and dtypes that torch has no kernel for, are refused where the body of a
function would take them.
"""

from __future__ import annotations

from typing import Any

import pytest

import pullback as torch
from pullback.nn import functional as F

X = torch.arange(6.0).reshape(2, 3)
PLACES = torch.tensor([0, 1])
U = torch.tensor([1, 2], dtype=torch.uint16)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: X.amax(0, keepdim=7), "amax(): argument 'keepdim' must be bool, not int"),
        (lambda: torch.kthvalue(X, 1, 0, 7),
         "kthvalue(): argument 'keepdim' (position 4) must be bool, not int"),
        (lambda: torch.scatter_reduce(X, 0, PLACES[None], X, "sum", include_self=1),
         "scatter_reduce(): argument 'include_self' must be bool, not int"),
        (lambda: torch.put(X, PLACES, X[0, :2], 1),
         "put(): argument 'accumulate' (position 4) must be bool, not int"),
        (lambda: F.dropout(X, 0.0, []),
         "dropout(): argument 'train' (position 3) must be bool, not list"),
        (lambda: F.batch_norm(X, None, None, training=1),
         "batch_norm(): argument 'training' (position 6) must be bool, not int"),
        (lambda: F.instance_norm(X[None], momentum="a"),
         "instance_norm(): argument 'momentum' (position 7) must be float, not str"),
        (lambda: F.pad(X, 1), "pad(): argument 'pad' (position 2) must be tuple of ints, not int"),
        (lambda: F.max_pool2d(X[None], 1, ceil_mode=1, return_indices=True),
         "max_pool2d_with_indices(): argument 'ceil_mode' (position 6) must be bool, not int"),
    ],
)  # fmt: skip
def test_kinds(call: Any, text: str) -> None:
    for _ in range(2):  # what was refused once is refused again
        with pytest.raises(TypeError) as caught:
            call()
        assert str(caught.value) == text


def test_what_fits_is_remembered() -> None:
    for _ in range(2):
        assert X.amax(0, keepdim=True).shape == (1, 3)
        assert F.pad(X, (1, 1)).shape == (2, 5)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: U + U, "\"add_stub\" not implemented for 'UInt16'"),
        (lambda: U - 1, "\"add_stub\" not implemented for 'UInt16'"),
        (lambda: U.abs(), "\"abs_cpu\" not implemented for 'UInt16'"),
        (lambda: U.to(torch.uint64) < 2, "\"lt_cpu\" not implemented for 'UInt64'"),
        (lambda: torch.maximum(U, U), "\"maximum_cpu\" not implemented for 'UInt16'"),
        (lambda: U.masked_fill(PLACES > 0, 1), "\"masked_fill\" not implemented for 'UInt16'"),
        (lambda: X.to(torch.float8_e5m2).take(PLACES), "\"take_cpu\" not implemented for 'Float8_e5m2'"),
        (lambda: (PLACES > 0).dot(PLACES > 0), "\"dot\" not implemented for 'Bool'"),
        (lambda: torch.kthvalue(X + 0j, 1), "\"kthvalue_cpu\" not implemented for 'ComplexFloat'"),
        (lambda: F.max_unpool2d(PLACES.reshape(1, 1, 2), PLACES.reshape(1, 1, 2), 1),
         "\"max_unpool2d\" not implemented for 'Long'"),
        (lambda: F.prelu(PLACES, PLACES[:1]), "\"prelu_cpu\" not implemented for 'Long'"),
    ],
)  # fmt: skip
def test_kernels(call: Any, text: str) -> None:
    with pytest.raises(NotImplementedError) as caught:
        call()
    assert str(caught.value) == text


def test_shapes_come_before_dtypes() -> None:
    text = "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0"
    for other in (torch.ones(3, dtype=torch.uint16), torch.ones(3, dtype=torch.int64)):
        with pytest.raises(RuntimeError) as caught:
            U + other
        assert str(caught.value) == text


def test_what_is_promoted_has_a_kernel() -> None:
    assert (U + X[0, :2]).tolist() == [1.0, 3.0]
    assert (U * 2).tolist() == [2, 4]
    assert (U & 1).tolist() == [1, 0]
