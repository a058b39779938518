"""Compute running combinations along an axis, in logarithmically many steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...func.vmap import vmap
from ...tensor.join import cat, stack
from ...tensor.tensor import checked_dim
from ...tensor.tree import tree_flatten, tree_unflatten

Leaves = list[Any]


def associative_scan(
    combine_fn: Callable[[Any, Any], Any], xs: Any, dim: int, reverse: bool = False,
    combine_mode: str = "pointwise",
) -> Any:  # fmt: skip
    """Return all running combinations x₀, x₀∘x₁, x₀∘x₁∘x₂, … along an axis.

    Parameters
    ----------
    combine_fn : callable
        The associative ∘: takes two places of `xs`, without the axis, and gives one.
    xs : tensor or nested tuples, lists and dicts of tensors
        Of one size along the axis.
    dim : int
        The axis.
    reverse : bool
        Begin at the end.
    combine_mode : str
        ``"generic"``; ``"pointwise"`` is for accelerators, as in torch.

    Returns
    -------
    tensors like `xs`
    """
    if not callable(combine_fn):
        raise ValueError(f"Combine_fn must be a callable, but got {combine_fn}")
    if combine_mode not in ("pointwise", "generic"):
        raise ValueError(f"Combine_mode must either 'pointwise' or 'generic', but got {combine_mode}")
    leaves, spec = tree_flatten(xs)
    dim = checked_dim(dim, leaves[0].ndim)
    if combine_mode == "pointwise":
        raise ValueError("For combine_mode='pointwise', all input tensors need to be on CUDA or XPU")
    leaves = [leaf.movedim(dim, 0) for leaf in leaves]
    if reverse:
        leaves = [leaf.flip(0) for leaf in leaves]

    def pair(*both: Any) -> tuple[Any, ...]:
        first, second = list(both[: len(leaves)]), list(both[len(leaves) :])
        result, _ = tree_flatten(combine_fn(tree_unflatten(first, spec), tree_unflatten(second, spec)))
        if len(result) != len(leaves):
            raise AssertionError(
                f"Combine_fn received wrong number of arguments, expected {2 * len(leaves)}, but got "
                f"{len(leaves) + len(result)}"
            )
        return tuple(result)

    combine = vmap(pair)
    found = _running(lambda a, b: list(combine(*a, *b)), leaves)
    if reverse:
        found = [leaf.flip(0) for leaf in found]
    return tree_unflatten([leaf.movedim(0, dim) for leaf in found], spec)


def _running(combine: Callable[[Leaves, Leaves], Leaves], leaves: Leaves) -> Leaves:
    """Return the running combinations along the first axis: those of pairs are those at odd places, which the
    even ones follow by one step.
    """
    if (count := leaves[0].shape[0]) < 2:
        return leaves
    odd = _running(combine, combine([x[:-1:2] for x in leaves], [x[1::2] for x in leaves]))
    if count == 2:
        return [cat([x[:1], o]) for x, o in zip(leaves, odd, strict=True)]
    before = [o[: (count - 1) // 2] for o in odd]
    even = combine(before, [x[2::2] for x in leaves])
    return [_interleaved(cat([x[:1], e]), o) for x, e, o in zip(leaves, even, odd, strict=True)]


def _interleaved(even: Any, odd: Any) -> Any:
    """Return rows of two tensors by turns; the first may have one more."""
    count = odd.shape[0]
    turns = stack([even[:count], odd], 1).flatten(0, 1)
    return cat([turns, even[count:]])
