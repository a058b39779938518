"""Assignments that loops do take a short way: it writes, counts and refuses as the general way does."""

from __future__ import annotations

import math
import subprocess
import sys
from typing import Any

import pytest

import pullback as torch
from pullback.core import views
from pullback.tensor.index_parts import arrays_of
from pullback.tensor.indexing import _general_setitem

DTYPES = [torch.float32, torch.float64, torch.float16, torch.int64, torch.int8, torch.uint8, torch.bool]
MASK = torch.tensor([True, False, True])
INDICES: list[Any] = [
    1, -1, 3, (1, 2), (-1, 0), (0, 4), slice(None), slice(1, 9), slice(-2, None), slice(2, 1),
    (slice(None), 1), (1, slice(0, 2)), (slice(0, 2), slice(1, None)), (), (0, 1, 2), MASK,
    torch.ones(3, 4, dtype=torch.bool), torch.ones(2, dtype=torch.bool), slice(0, 3, 2), ..., None, (..., 1),
]  # fmt: skip
VALUES: list[Any] = [
    0, 1, -1, 200, 2**40, 2**70, True, 0.5, -2.5, 1e39, 1e400, math.inf, math.nan, torch.tensor(3.0),
    torch.tensor(3), torch.ones(4), torch.ones(3, 4, dtype=torch.float64), torch.arange(2), torch.zeros(1, 4),
]  # fmt: skip


def outcome(write: Any, x: torch.Tensor, index: Any, value: Any) -> Any:
    """What is in the tensor after a write and how often it was written to, or the error."""
    try:
        write(x, index, value)
    except (RuntimeError, IndexError, TypeError, ValueError, OverflowError) as error:
        return type(error), str(error), x.tolist(), x._version
    return str(x.tolist()), x._version


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_the_short_way_does_what_the_general_way_does(dtype: torch.dtype) -> None:
    for index in INDICES:
        for value in VALUES:
            x = torch.arange(12).reshape(3, 4).to(dtype)
            expected = outcome(_general_setitem, x.clone(), index, value)
            assert outcome(torch.Tensor.__setitem__, x.clone(), index, value) == expected, (index, value)


def test_what_has_a_history_goes_the_general_way() -> None:
    weight = torch.ones(3, requires_grad=True)
    x = torch.zeros(2, 3)
    x[0] = weight * 2
    x[1] = 5.0
    x.sum().backward()
    assert weight.grad.tolist() == [2, 2, 2]
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place"):
        weight[0] = 1.0
    with torch.no_grad():
        weight[0:2] = 4
        weight[torch.tensor([False, False, True])] = weight[0]
    assert weight.tolist() == [4, 4, 4]


def test_an_element_counted_up() -> None:
    counts = torch.zeros(3, 3, dtype=torch.int32)
    view = counts.view(9)
    for _ in range(5):
        counts[1, 2] += 1
        counts[0] += counts[1]
    assert view.tolist() == [0, 0, 15, 0, 0, 5, 0, 0, 0]
    # Each is two writes: one by the operator and one by the assignment.
    assert view._version == 20


def test_a_part_written_over_another_is_refused_as_torch_does() -> None:
    x = torch.arange(6.0)
    with pytest.raises(
        RuntimeError, match="unsupported operation: some elements of the input tensor and the"
    ):
        x[1:4] = x[0:3]
    x[1:4] = x[0:3].clone()
    assert x.tolist() == [0, 0, 1, 2, 4, 5]


def test_views_written_to_in_place() -> None:
    base = torch.arange(6.0).reshape(2, 3)
    row = base[1]
    row += 1
    row *= torch.tensor([1.0, 2.0, 3.0])
    assert base.tolist() == [[0, 1, 2], [4, 10, 18]]
    assert base._version == 2
    weight = torch.ones(2, requires_grad=True)
    base[0] = weight[0]
    # torch refuses it, too: the view got its history from a write to its base and was not used since.
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place"):
        row += 1


def test_integers_in_place() -> None:
    whole = torch.tensor([1, 2], dtype=torch.int8)
    whole += 3
    whole *= whole
    assert whole.tolist() == [16, 25]
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type"):
        whole += 0.5
    whole -= 200
    assert whole.tolist() == [72, 81]


def test_a_part_that_is_only_assigned_gets_no_history_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    replayed = views.view_nodes.replayed_node

    def counted(base: Any, view: Any, record: Any) -> Any:
        made.append(view)
        return replayed(base, view, record)

    monkeypatch.setattr(views.view_nodes, "replayed_node", counted)
    v = torch.arange(12.0).requires_grad_()
    w = torch.arange(3.0, requires_grad=True)
    u = v.reshape(4, 3) * 2
    u[1] = w
    u[0, 1] = 7.0
    u[2:3] = w * 3
    u[..., 2] = w[0]
    assert not made
    row = u[3]  # a part with a name has one, for it may be used again
    row[:] = w * 5
    row[0] = 1.0
    assert len(made) == 1 and made[0] is row
    assert type(row.grad_fn).__name__ == "AsStridedBackward0"
    assert type(u.grad_fn).__name__ == "CopySlices"
    (u.sum() + row.sum()).backward()
    assert v.grad.tolist() == [2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    assert w.grad.tolist() == [7, 14, 10]


M2, M3, M4 = (torch.tensor([n % 2 == 0 for n in range(size)]) for size in (2, 3, 4))
OF_ARRAYS = [
    (M2, 1), (0, M3), (0, 2, M4), (M2, 1, 2), (M2, slice(None), M4), (slice(None), M3, 1),
    (1, slice(None), M4), (1, slice(None), [3, 1, 2]),
    (slice(None), M3, slice(None)), (M3, 1), (M2, 7), (slice(None), slice(None), M4), ([1, 0], -1),
    (0, slice(None), [3, 1]), (slice(1, 2), M3, -4), (M2, torch.tensor([2]), 0), (M2[:, None] & M3, 0),
    (0, M3[:, None] & M4), (M2 & False, 1), (M2, M3, slice(None), 0), (M2, 1, [0, 1, 2]),
]  # fmt: skip


def values_for(x: torch.Tensor, index: Any) -> list[Any]:
    try:
        shape = x[index].shape
    except IndexError:
        return [torch.tensor(5.0)]
    count = torch.arange(float(torch.Size(shape).numel())).reshape(shape) + 50
    return [7, torch.tensor(5.0), count, count[None], count.swapaxes(0, -1), torch.ones(9)]


@pytest.mark.parametrize("index", OF_ARRAYS, ids=str)
def test_masks_beside_numbers_and_slices_do_what_the_general_way_does(index: Any) -> None:
    x = torch.arange(24.0).reshape(2, 3, 4)
    for value in values_for(x, index):
        expected = outcome(_general_setitem, x.clone(), index, value)
        assert outcome(torch.Tensor.__setitem__, x.clone(), index, value) == expected


def test_a_mask_over_one_axis_reads_what_its_places_do() -> None:
    x = torch.arange(24.0).reshape(2, 3, 4)
    for axis, mask in enumerate((M2, M3, M4)):
        before = (slice(None),) * axis
        for after in ((), (slice(None),) * (2 - axis)):
            ours, theirs = x[(*before, mask, *after)], x.index_select(axis, mask.nonzero()[:, 0])
            assert ours.tolist() == theirs.tolist()
            assert ours.stride() == theirs.stride()
    for wrong in ((slice(None), M4), (slice(None), slice(None), slice(None), M4)):
        with pytest.raises(IndexError, match=r"shape of the mask|too many indices"):
            x[wrong]


def test_numbers_next_to_a_mask_go_the_short_way() -> None:
    x = torch.zeros(2, 3, 4)
    for index in ((M2, 1), (0, 2, M4), (slice(None), M3, 1)):
        assert arrays_of(index, x) is not None
    assert arrays_of((1, slice(None), M4), x) is None


CALLS = """
import sys
import pullback as torch

def calls_of(write, *given):
    weight, count = torch.ones(3, 4, requires_grad=True), 0

    def seen(frame, event, _):
        nonlocal count
        count += event == "call"

    for _ in range(3):
        x, count = weight.clone(), 0
        sys.setprofile(seen)
        write(x, *given)
        sys.setprofile(None)
    return count

print(calls_of(torch.Tensor.__setitem__, 1, torch.ones(4, requires_grad=True)))
print(calls_of(torch.Tensor.mul_, torch.ones(3, 4, requires_grad=True)))
print(calls_of(lambda x, mask: x.__setitem__(mask, 0), torch.ones(3, 4) > 0))
print(calls_of(torch.Tensor.masked_fill_, torch.ones(3, 4) > 0, 0))
"""


def test_recorded_writes_call_few_functions() -> None:
    """A process of its own runs them: where classes override functions, each index is asked for them."""
    found = subprocess.run([sys.executable, "-c", CALLS], capture_output=True, text=True, check=True)
    row, product, masked, filled = map(int, found.stdout.split())
    # Assignments ask for a plan of theirs first.
    assert row <= 44 and product <= 32 and masked <= 52 and filled <= 50


def test_a_mask_drops_leading_ones_of_what_is_assigned() -> None:
    x, mask = torch.zeros(2, 2, requires_grad=True) * 1, torch.tensor([[True, False], [True, True]])
    x[mask] = torch.tensor([[[1.0, 2.0, 3.0]]])
    assert x.tolist() == [[1.0, 0.0], [2.0, 3.0]]
    with pytest.raises(RuntimeError, match=r"value tensor of shape \[2\] .* result of shape \[3\]"):
        x[mask] = torch.ones(1, 2)


def test_a_mode_sees_an_assignment_to_a_row_as_one_call() -> None:
    seen: list[str] = []

    class Watch(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(function.__name__)
            return function(*args, **(kwargs or {}))

    x, row = torch.zeros(2, 3), torch.ones(3)
    with Watch():
        x[1] = row
    assert seen == ["__setitem__"]
    assert x.tolist() == [[0, 0, 0], [1, 1, 1]]
