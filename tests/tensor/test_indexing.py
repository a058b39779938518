"""Brackets against NumPy where the rules agree, against torch where it is installed, and the rules
that differ.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import pullback as pb

shapes = hnp.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=4)


def forward(index: Any) -> bool:
    """Whether the steps of all slices are positive, as torch asks."""
    parts = index if isinstance(index, tuple) else (index,)
    return all(not isinstance(p, slice) or p.step is None or p.step > 0 for p in parts)


@st.composite
def basic(draw: Any) -> tuple[np.ndarray, Any]:
    shape = draw(shapes)
    index = draw(
        hnp.basic_indices(shape, max_dims=6, allow_newaxis=True, allow_ellipsis=True).filter(forward)
    )
    return np.arange(float(np.prod(shape))).reshape(shape), index


@st.composite
def advanced(draw: Any) -> tuple[np.ndarray, Any]:
    """Integer arrays on the first axes, or a mask of them."""
    shape = draw(shapes)
    array = np.arange(float(np.prod(shape))).reshape(shape)
    if draw(st.booleans()):
        rank = draw(st.integers(1, len(shape)))
        return array, draw(hnp.arrays(bool, shape[:rank]))
    small = draw(hnp.array_shapes(min_dims=1, max_dims=2, max_side=3))
    axes = draw(st.lists(st.integers(0, len(shape) - 1), min_size=1, unique=True))
    return array, tuple(
        draw(hnp.arrays(np.int64, small, elements=st.integers(-n, n - 1))) if d in axes else slice(None)
        for d, n in enumerate(shape)
    )


def as_tensors(index: Any) -> Any:
    if isinstance(index, tuple):
        return tuple(as_tensors(p) for p in index)
    return pb.tensor(index) if isinstance(index, np.ndarray) else index


@settings(max_examples=150, deadline=None)
@given(st.one_of(basic(), advanced()))
def test_reading_is_numpys(case: tuple[np.ndarray, Any]) -> None:
    array, index = case
    np.testing.assert_array_equal(pb.tensor(array)[as_tensors(index)].numpy(), array[index])


@settings(max_examples=150, deadline=None)
@given(st.one_of(basic(), advanced()))
def test_assigning_is_numpys(case: tuple[np.ndarray, Any]) -> None:
    array, index = case
    x = pb.tensor(array)
    x[as_tensors(index)] = -1.5
    array = array.copy()
    array[index] = -1.5
    np.testing.assert_array_equal(x.numpy(), array)


@settings(max_examples=100, deadline=None)
@given(st.one_of(basic(), advanced()))
def test_gradient_of_reading_counts_the_uses(case: tuple[np.ndarray, Any]) -> None:
    array, index = case
    x = pb.tensor(array, requires_grad=True)
    picked = x[as_tensors(index)]
    weights = np.arange(1.0, picked.numel() + 1).reshape(tuple(picked.shape))
    picked.backward(pb.tensor(weights))
    want = np.zeros_like(array)
    np.add.at(want, index, weights)
    np.testing.assert_array_equal(x.grad.numpy(), want)


@settings(max_examples=100, deadline=None)
@given(st.one_of(basic(), advanced()))
def test_gradient_of_assigning(case: tuple[np.ndarray, Any]) -> None:
    array, index = case
    x = pb.tensor(array, requires_grad=True)
    value = pb.tensor(2.0, dtype=pb.float64, requires_grad=True)
    y = x * 3
    y[as_tensors(index)] = value
    weights = np.arange(1.0, array.size + 1).reshape(array.shape)
    y.backward(pb.tensor(weights))
    kept = np.ones_like(array)
    kept[index] = 0
    np.testing.assert_array_equal(x.grad.numpy(), 3 * weights * kept)
    if value.grad is not None:
        assert value.grad.item() == weights[index].sum()  # a place written twice counts twice, as in torch


@settings(max_examples=100, deadline=None)
@given(st.one_of(basic(), advanced()))
def test_reading_is_torchs(case: tuple[np.ndarray, Any]) -> None:
    torch = pytest.importorskip("torch")
    array, index = case
    parts = index if isinstance(index, tuple) else (index,)
    theirs = torch.tensor(array)[tuple(torch.tensor(p) if isinstance(p, np.ndarray) else p for p in parts)]
    ours = pb.tensor(array)[as_tensors(index)]
    steps = [(a, b) for a, b, n in zip(ours.stride(), theirs.stride(), theirs.shape, strict=True) if n > 1]
    assert not theirs.numel() or all(a == b for a, b in steps)
    np.testing.assert_array_equal(ours.numpy(), theirs.numpy())


def test_an_integer_between_index_tensors_does_not_separate_them() -> None:
    x = pb.arange(24.0).reshape(2, 3, 4)
    assert x[0, :, [0, 1]].shape == (3, 2)
    assert x[[0, 1], :, 0].shape == (2, 3)
    assert x[[0, 1], :, [0, 1]].shape == (2, 3)


@pytest.mark.parametrize(
    ("index", "error", "text"),
    [
        (5, IndexError, "index 5 is out of bounds for dimension 0 with size 2"),
        ((0, 0, -7), IndexError, "index -7 is out of bounds for dimension 2 with size 4"),
        ((0, 0, 0, 0), IndexError, "too many indices for tensor of dimension 3"),
        (slice(None, None, -1), ValueError, "step must be greater than zero"),
        (slice(None, None, 0), ValueError, "slice step cannot be zero"),
        (2**70, ValueError, "Overflow when unpacking long long"),
        ((slice(None), [3]), IndexError, "index 3 is out of bounds for dimension 0 with size 3"),
        (([0, 1], [0, 1, 2]), IndexError,
         "shape mismatch: indexing tensors could not be broadcast together with shapes [2], [3]"),
        ([True], IndexError,
         (
             "The shape of the mask [1] at index 0 does not match the shape of the indexed tensor [2, 3, 4] "
             "at index 0"
         )),
        (1.0, IndexError,
         (
             "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
             "indices (got float)"
         )),
    ],
)  # fmt: skip
def test_errors_of_reading(index: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        pb.arange(24.0).reshape(2, 3, 4)[index]
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("index", "value", "error", "text"),
    [
        (0, [1], TypeError, "can't assign a list to a torch.FloatTensor"),
        (0, np.float32(1), TypeError, "can't assign a numpy.float32 to a torch.FloatTensor"),
        (0, 1j, RuntimeError, "value cannot be converted to type float without overflow"),
        (0, pb.ones(3), RuntimeError,
         ("The expanded size of the tensor (4) must match the existing size (3) at non-singleton dimension "
          "1.  Target sizes: [3, 4].  Tensor sizes: [3]")),
        ([0, 1], pb.ones(3), RuntimeError,
         (
             "shape mismatch: value tensor of shape [3] cannot be broadcast to indexing result of shape [2, "
             "3, 4]"
         )),
        ([0, 1], pb.ones(4, dtype=pb.float64), RuntimeError,
         ("Index put requires the source and destination dtypes match, got Float for the destination and "
          "Double for the source.")),
    ],
)  # fmt: skip
def test_errors_of_assigning(index: Any, value: Any, error: type[Exception], text: str) -> None:
    x = pb.arange(24.0).reshape(2, 3, 4)
    with pytest.raises(error) as caught:
        x[index] = value
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("index", "name"),
    [
        (0, "SelectBackward0"), (slice(1), "SliceBackward0"), (None, "UnsqueezeBackward0"),
        (..., "AliasBackward0"), ((), "AliasBackward0"), ([0], "IndexBackward0"), (True, "IndexBackward0"),
    ],
)  # fmt: skip
def test_node_names(index: Any, name: str) -> None:
    assert type(pb.ones(2, requires_grad=True)[index].grad_fn).__name__ == name


def test_assignment_through_a_view_reaches_the_base() -> None:
    x = pb.ones(2, 3, requires_grad=True)
    w = pb.ones(3, requires_grad=True)
    y = x * 2
    y[0] = w * 5
    assert type(y.grad_fn).__name__ == "CopySlices"
    y.sum().backward()
    assert x.grad.tolist() == [[0, 0, 0], [2, 2, 2]]
    assert w.grad.tolist() == [5, 5, 5]


def test_assignment_to_a_leaf_is_refused() -> None:
    x = pb.ones(3, requires_grad=True)
    with pytest.raises(
        RuntimeError, match="a view of a leaf Variable that requires grad is being used in an in-place"
    ):
        x[0] = 1.0


def test_index_put_accumulates() -> None:
    x = pb.zeros(3)
    x.index_put_((pb.tensor([0, 0, 2]),), pb.tensor([1.0, 2.0, 3.0]), accumulate=True)
    assert x.tolist() == [3, 0, 3]


STALE = {
    "LongTensor [2]": (lambda x, i: x[i], [0, 1]),
    "LongTensor [2, 1]": (lambda x, i: x[i, pb.tensor([[0], [1]])], [[0], [1]]),
    "LongTensor [1, 2]": (lambda x, i: x[None, :, i], [[0, 1]]),
    "IntTensor [2]": (lambda x, i: x[i], pb.tensor([0, 1], dtype=pb.int32)),
    "LongTensor [3]": (lambda x, i: x.index_put((i, pb.tensor([0, 1, 2])), x[0]), [0, 1, 1]),
    "LongTensor [4]": (lambda x, i: written(x * 1, i), [0, 1, 0, 1]),
    "LongTensor [2, 2]": (lambda x, i: x[pb.tensor([0, 1]), i], [[0, 1], [1, 0]]),
    "LongTensor [1, 3]": (lambda x, i: x.index_put((pb.tensor([0, 1, 1]), i), x[0]), [[0, 1, 1]]),
}


def written(x: Any, index: Any) -> Any:
    x[index, pb.tensor(1)] = 2.0
    return x


@pytest.mark.parametrize("text", STALE)
def test_an_index_that_is_written_to_before_backward_is_refused(text: str) -> None:
    read, given = STALE[text]
    x = pb.ones(2, 3, requires_grad=True)
    for recorded in (False, True):
        places = pb.tensor(given) if isinstance(given, list) else given.clone()
        y = read(x, places)
        places.zero_()
        with pytest.raises(RuntimeError, match="modified by an inplace operation") as raised:
            pb.autograd.grad(y.sum(), x, create_graph=recorded)
        assert f": [torch.{text}] is at version 1; expected version 0 instead." in str(raised.value)


@pytest.mark.parametrize("axes", [1, 2])
def test_a_mask_written_to_before_backward_is_refused(axes: int) -> None:
    x = pb.ones(2, 3, requires_grad=True)
    mask = pb.tensor([True, False] if axes == 1 else [[True, False, True], [False, True, False]])
    y = x[mask].sum()
    mask.fill_(True)
    with pytest.raises(RuntimeError, match=rf"operation: \[CPUBoolType \[{', '.join('23'[:axes])}\]\] is at"):
        y.backward()
