"""A tensor that a compiled function is given becomes a leaf in the call, as in eager."""

from __future__ import annotations

import pytest

import pullback as torch

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.usefixtures("in_haste")


def _forces(x):
    x.requires_grad_()
    energy = (x**3).sum()
    return energy, torch.autograd.grad(energy, x, create_graph=True)[0]


def _accumulates(x):
    x.requires_grad = True
    (x**3).sum().backward()
    return x.grad, x


def _becomes_a_leaf_late(x):
    y = x * 2
    return (x.requires_grad_() ** 3).sum() + y.sum()


@pytest.mark.parametrize("function", [_forces, _accumulates, _becomes_a_leaf_late])
def test_an_argument_becomes_a_leaf(function):
    compiled = torch.compile(function, fullgraph=True)
    for _ in range(3):
        mine = torch.randn(3)
        theirs = mine.clone()
        for _ in range(2):
            found, expected = compiled(mine), function(theirs)
            torch.testing.assert_close(found, expected)
            assert mine.requires_grad and mine.is_leaf
            if function is not _accumulates:
                torch.autograd.backward(found if isinstance(found, torch.Tensor) else found[0])
                torch.autograd.backward(expected if isinstance(expected, torch.Tensor) else expected[0])
            torch.testing.assert_close(mine.grad, theirs.grad)
    assert len(compiled._native.specializations) == 2


def test_the_arguments_around_it_may_be_unread():
    compiled = torch.compile(lambda a, x, b, y: (x.requires_grad_() * b).sum(), fullgraph=True)
    for _ in range(2):
        given = [torch.randn(3) for _ in range(4)]
        compiled(*given).backward()
        assert [v.requires_grad for v in given] == [False, True, False, False]
        torch.testing.assert_close(given[1].grad, given[2])


def test_it_becomes_one_where_nothing_reads_it():
    compiled = torch.compile(lambda a, x: (a * 2, x.requires_grad_())[0], fullgraph=True)
    for _ in range(2):
        a, x = torch.randn(3), torch.randn(3)
        assert not compiled(a, x).requires_grad and x.requires_grad and not a.requires_grad
