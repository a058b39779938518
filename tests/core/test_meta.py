"""Tensors without elements: ops give the shapes, dtypes and layouts that they give for arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback
from pullback import linalg
from pullback.array.strides import strides_of
from pullback.core.levels import META
from pullback.core.meta import Meta, is_meta
from pullback.core.op import TABLE
from pullback.core.value import run, wrap
from tests.ops.capabilities import ROWS, is_array


def without(value: Any) -> Any:
    """The same operand without elements; integers, which may be indices, keep them."""
    if not is_array(value) or value.dtype.kind in "iub":
        return value
    return wrap(Meta(value.shape, value.dtype, strides_of(value)), None, META)


@pytest.mark.parametrize("initial", sorted({row.op[0] for row in ROWS}))
def test_shapes_and_dtypes_are_those_of_the_result(initial: str) -> None:
    # A test for each of 1,076 rows took pytest as long as the rows themselves.
    for sample in ROWS:
        inputs = tuple(map(without, sample.inputs))
        # Rows of indices and numbers only are left out.
        if sample.op[0] == initial and sample.known_shape and any(map(is_meta, inputs)):
            asked, given = (run(TABLE[sample.op], each, sample.attrs) for each in (inputs, sample.inputs))
            pairs = zip(asked, given, strict=True) if isinstance(given, tuple) else [(asked, given)]
            for found, real in pairs:
                assert is_meta(found), sample
                assert (found.shape, found.dtype.numpy) == (real.shape, real.dtype), sample
                if TABLE[sample.op].is_view:
                    assert found.stride() == strides_of(real), sample


def test_large_products_and_sums_take_no_memory() -> None:
    x = pullback.empty(1 << 18, 1 << 20, device="meta")
    y = pullback.nn.functional.linear(x, pullback.empty(1 << 19, 1 << 20, device="meta"))
    assert y.shape == (1 << 18, 1 << 19)
    assert (y.exp() * 2).sum(0, keepdim=True).shape == (1, 1 << 19)


def test_a_step_of_training_without_elements() -> None:
    with pullback.device("meta"):
        model = pullback.nn.Sequential(
            pullback.nn.Conv2d(3, 8, 3), pullback.nn.BatchNorm2d(8), pullback.nn.ReLU(),
            pullback.nn.Flatten(), pullback.nn.Linear(8 * 36, 10),
        )  # fmt: skip
        images, classes = pullback.randn(4, 3, 8, 8), pullback.randint(0, 10, (4,))
    optimizer = pullback.optim.Adam(model.parameters())
    loss = pullback.nn.functional.cross_entropy(model(images), classes)
    loss.backward()
    optimizer.step()
    assert loss.is_meta
    assert all(p.grad.is_meta and p.grad.shape == p.shape for p in model.parameters())


def test_views_share_what_would_be_their_memory() -> None:
    whole = pullback.empty(4, 6, device="meta")
    part = whole[1:3, ::2]
    assert part.untyped_storage() is whole.t().untyped_storage()
    assert (part.storage_offset(), part.stride()) == (6, (6, 2))
    back = part.as_strided((4, 6), (6, 1), 0)
    assert (back.storage_offset(), back.shape) == (0, (4, 6))


def test_random_streams_do_not_move() -> None:
    pullback.manual_seed(5)
    pullback.rand(3, device="meta").normal_()
    pullback.nn.Linear(3, 4, device="meta")
    here = pullback.rand(3)
    pullback.manual_seed(5)
    assert pullback.equal(here, pullback.rand(3))


def test_results_are_not_written_to_memory() -> None:
    x = np.ones(3)
    with pytest.raises(RuntimeError, match="Tensor on device meta is not on the expected device cpu!"):
        pullback.from_numpy(x).add_(pullback.ones(3, dtype=pullback.float64, device="meta"))
    assert (x == 1).all()


def test_convolutions_of_any_size_take_no_memory() -> None:
    x = pullback.empty(1024, 3, 65536, 65536, device="meta", requires_grad=True)
    layer = pullback.nn.Conv2d(3, 5, 3, stride=2, padding=1, device="meta")
    y = layer(x)
    assert y.shape == (1024, 5, 32768, 32768)
    y.backward(y)
    assert x.grad.shape == x.shape
    assert layer.weight.grad.shape == (5, 3, 3, 3)
    up = pullback.nn.ConvTranspose2d(5, 4, 2, stride=2, groups=1, device="meta")
    assert up(y).shape == (1024, 4, 65536, 65536)


@pytest.mark.parametrize("shape", [(4, 4), (2, 3, 3)])
def test_factors_lie_column_by_column_as_those_with_elements_do(shape: tuple[int, ...]) -> None:
    x = pullback.rand(*shape) + pullback.eye(shape[-1])
    functions = (linalg.inv, linalg.inv_ex, linalg.svd, linalg.eigh, linalg.qr, linalg.eig, linalg.lu_factor)
    for function in functions:
        found, expected = function(x.to("meta")), function(x)
        pairs = zip(found, expected, strict=True) if isinstance(found, tuple) else [(found, expected)]
        for one, other in pairs:
            assert (one.shape, one.stride()) == (other.shape, other.stride())
