"""Containers that a program registers are opened by `torch.utils._pytree` and by transforms alike."""

from __future__ import annotations

from typing import Any

import pullback as torch
from pullback.utils import _pytree


class Pair(list[Any]):
    """A list of a class of its own."""


_pytree.register_pytree_node(
    Pair,
    _pytree._list_flatten,  # type: ignore[attr-defined]  # made there from a table
    lambda values, _: Pair(values),
    flatten_with_keys_fn=_pytree._list_flatten_with_keys,  # type: ignore[attr-defined]  # as above
)


def test_halves_of_nodes():
    assert _pytree._deque_flatten.__call__  # type: ignore[attr-defined]  # made there from a table
    leaves, spec = _pytree.tree_flatten(Pair([1, (2, 3)]))
    assert leaves == [1, 2, 3]
    assert type(_pytree.tree_unflatten(leaves, spec)) is Pair


def test_transforms_open_them():
    pair = Pair([torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])])
    grads = torch.func.grad(lambda p: (p[0] * p[1]).sum())(pair)
    assert type(grads) is Pair
    assert [g.tolist() for g in grads] == [[3.0, 4.0], [1.0, 2.0]]
    mapped = torch.vmap(lambda p: Pair([p[0] + p[1], p[0]]))(pair)
    assert type(mapped) is Pair
    assert mapped[0].tolist() == [4.0, 6.0]
