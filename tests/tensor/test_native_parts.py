"""Parts that native code takes at integers and slices are the views that Python takes."""

from __future__ import annotations

import itertools
import sys

import pytest

import pullback as torch
from tests.tensor.test_inline_cache import _native, inline_cache  # noqa: F401  # a fixture of all tests here

pytest.importorskip("llvmlite")
indexing = sys.modules["pullback.tensor.indexing"]

ENDS = [None, -5, -4, -1, 0, 2, 3, 4, 9]
SLICES = [slice(*ends) for ends in itertools.product(ENDS, ENDS, [None, 1, 2, 7, 1 << 40])]
INDICES = [
    *range(-5, 5), *SLICES, *itertools.product(SLICES[::7], [-3, 1]),
    *itertools.product([-2, 3], SLICES[::5]), *itertools.product(SLICES[::31], SLICES[::37]),
    (..., 1), (1, ...), (2, ..., slice(1, 3), 0), (..., ...),
    (), ..., None, True, (True, 1), (1, None), 1 << 70, slice(1 << 70), (0, 0, 0), (0, 0, 0, 0), (1, 5),
    torch.tensor(2), torch.tensor(-5), (slice(1, 3), torch.tensor(-1)), torch.tensor(1, dtype=torch.int32),
    torch.tensor(True), torch.tensor([1]),
]  # fmt: skip


@pytest.fixture
def bracket():
    """Return what takes parts in native code, from a frame of a user's as it were."""
    x = torch.zeros(3)
    for _ in range(10 * inline_cache._CALLS):
        x[:2]
        if type(indexing._bracket).__name__ == "builtin_function_or_method":
            break
    found = indexing._bracket
    return lambda x, index: found(x, index)


def steps(x):
    """Return what is recorded of a view and of the nodes behind it."""
    view, node, nodes = x._view, x._node, []
    while node is not None and hasattr(node, "_saved"):
        nodes.append((type(node), node._saved, node._shape, node._dtype, node._hooks))
        node = node._edges[0] if node._edges else None
    return view.steps, view.creation, view.at, id(view.base), nodes


def check(bracket, x):
    """Check all indices, and return how many of them were native code's."""
    taken = 0
    for index in INDICES:
        if (part := bracket(x, index)) is not None:
            whole = indexing._general_getitem(x, index)
            assert steps(part) == steps(whole), index
            assert (part.shape, part.stride(), part.data_ptr()) == (
                whole.shape, whole.stride(), whole.data_ptr()
            ), index  # fmt: skip
            assert part._counter is x._counter and part._value.flags.num == whole._value.flags.num
            taken += 1
    return taken


def test_parts_are_as_in_python(bracket):
    leaf = torch.rand(4, 5, 6, requires_grad=True)
    plain, made = leaf.detach().clone(), leaf * 2
    with torch.no_grad():
        unrecorded = made[1:]
        assert check(bracket, plain.permute(2, 0, 1)) > 100
        assert not check(bracket, made)  # its views lead nowhere, which Python says
    for x in (plain, plain.double()[::2], leaf, made, made[1:], made.split(2)[1], plain > 0.5):
        assert check(bracket, x) > 100
    assert not check(bracket, unrecorded)  # what its parts inherit is Python's to say
    with torch.inference_mode():
        assert not check(bracket, plain)


def test_what_a_write_made_stale_is_left_to_python(bracket):
    base = torch.zeros(4, 4)
    view = base[1:]
    assert bracket(view, 0) is not None
    base.t_()
    assert bracket(view, 0) is None and view[0]._view.steps[0][0].name == "t"


def test_gradients_go_through_parts_of_other_numbers(bracket):
    x = torch.zeros(4, 5, requires_grad=True)
    for t in range(5):
        assert bracket(x, (slice(t, None), t % 4)) is None or t < 4
        if t < 4:
            (x[t:, t] * (t + 1)).sum().backward()
    assert x.grad.tolist() == [
        [1, 0, 0, 0, 0], [1, 2, 0, 0, 0], [1, 2, 3, 0, 0], [1, 2, 3, 4, 0]
    ]  # fmt: skip


def test_places_out_of_range_raise_torchs_errors(bracket):
    x = torch.zeros(3, 4)
    with pytest.raises(IndexError, match="index 4 is out of bounds for dimension 1 with size 4"):
        x[:, 4]
    with pytest.raises(IndexError, match="too many indices for tensor of dimension 2"):
        x[0, 0, 0]
    with pytest.raises(ValueError, match="step must be greater than zero"):
        x[0, ::-1]
