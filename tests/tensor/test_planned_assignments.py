"""Assignments through brackets by a plan of an inline cache leave behind what they leave in Python."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import pullback as torch
from tests.tensor.test_inline_cache import _native, learn  # noqa: F401  # a fixture of all tests here
from tests.tensor.test_planned_writes import drawn

pytest.importorskip("llvmlite")
general = sys.modules["pullback.tensor.indexing"]._general_setitem

INDICES = {
    "number": lambda: 2,
    "negative": lambda: -1,
    "slice": lambda: slice(1, 4),
    "column": lambda: (slice(None), 1),
    "corner": lambda: (slice(1, 3), slice(2, None)),
    "axis": lambda: None,
    "places": lambda: torch.tensor([1, 3]),
    "pairs": lambda: (torch.tensor([0, 4]), torch.tensor([1, 2])),
}
VALUES = {
    "number": lambda shape: 2.5,
    "unrecorded": lambda shape: drawn(7, *shape),
    "recorded": lambda shape: drawn(7, *shape).requires_grad_(),
    "hidden": lambda shape: drawn(7, *shape).requires_grad_() * 1,
    "one": lambda shape: torch.tensor(0.25, requires_grad=True),
}


def assign(x, index, value):
    x[index] = value


def outcome(write, index, value, recorded):
    """Elements, version, nodes and gradients behind an assignment."""
    leaf = drawn(1, 5, 4).requires_grad_(recorded)
    x = leaf * 2
    view = x[0]
    shape = x[INDICES[index]()].shape
    value = VALUES[value](shape)
    write(x, INDICES[index](), value)
    told = [x._version, x._counter[1][-1][:2], x.requires_grad, view.requires_grad]
    found = [x.detach()]
    for node in (x.grad_fn, view.grad_fn):
        if node is not None:
            told.append((node.name(), [(n and n.name(), place) for n, place in node.next_functions]))
    inputs = [v for v in (leaf, value) if isinstance(v, torch.Tensor) and v.requires_grad]
    if inputs:
        grads = torch.autograd.grad((x * x).sum(), inputs, create_graph=True)
        found += grads
        found += torch.autograd.grad(sum(g.sum() for g in grads), inputs)
    return told, [v.detach().numpy().tobytes() for v in found]


@pytest.mark.parametrize("recorded", [True, False])
@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("index", INDICES)
def test_assignments_with_a_history(index, value, recorded):
    if not recorded and value in ("number", "unrecorded"):
        return  # NumPy does it at once
    leaf = torch.rand(5, 4, requires_grad=recorded)
    where = INDICES[index]()
    source = VALUES[value]((leaf * 1)[where].shape)
    assert learn(lambda: assign(leaf * 2, where, source))
    assert outcome(assign, index, value, recorded) == outcome(general, index, value, recorded)


def test_what_is_no_whole_tensor_and_what_is_refused():
    leaf, row = torch.rand(5, 4, requires_grad=True), torch.rand(4)
    assert learn(lambda: assign(leaf * 2, 2, row))
    with pytest.raises(RuntimeError, match="a view of a leaf Variable"):
        leaf[2] = row
    with torch.no_grad():
        leaf[2] = row
    assert leaf._version == 1 and leaf.is_leaf
    whole = torch.rand(7, 4, requires_grad=True) * 1
    part = whole[1:6]
    part[2] = row
    assert whole.grad_fn.name() == "torch::autograd::CopySlices" and whole[3].tolist() == row.tolist()
    x = leaf * 2
    x[2] = x[3]  # of the same memory
    assert np.array_equal(x[2].tolist(), x[3].tolist())
    (grad,) = torch.autograd.grad(x.sum(), leaf)
    assert grad[:, 0].tolist() == [2, 2, 0, 4, 2]
    x = leaf * 2
    square = x * x
    x[2] = row
    with pytest.raises(RuntimeError, match="modified by an inplace operation.* is at version 1"):
        square.sum().backward()
