"""Define losses of distances and orders between two or three inputs, and the distances themselves."""

from typing import Any

import numpy as np

from ...core.value import dtype_of, shape_of, wrap
from ...ops.comparison import eq, where
from ...ops.mixture import clamp_min_number, minimum
from ...ops.structure import sum_dims
from ...tensor import activations, distances
from .loss_reduction import (
    Function,
    apply_reduction,
    check_numbers,
    check_reduction,
    check_tensors,
    functional,
    legacy_reduction,
    mirrored,
    refuse_complex,
    sizes_text,
)

cosine_similarity = functional(activations.cosine_similarity)
pairwise_distance = functional(activations.pairwise_distance)
pdist = functional(distances.pdist)


@functional
def hinge_embedding_loss(
    input: Any, target: Any, margin: float = 1.0, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """Return input where target is 1, max(0, margin − input) where it is −1."""
    check_tensors(input, target)
    reduction = legacy_reduction(size_average, reduce, reduction)
    check_reduction(reduction)
    check_numbers(margin)
    # torch has the margin in the input's dtype.
    edge: Any = float(margin)
    if dtype_of(input) not in (np.float32, np.float64):
        with np.errstate(over="ignore", invalid="ignore"):
            edge = wrap(np.asarray(edge).astype(dtype_of(input)))
    far = where(eq(target, 1), 0, clamp_min_number(refuse_complex(edge - input), 0, None))
    near = where(eq(target, -1), 0, input)
    return apply_reduction(far + near, reduction)


@functional
def margin_ranking_loss(
    input1: Any, input2: Any, target: Any, margin: float = 0, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """Return max(0, −target·(input1 − input2) + margin)."""
    reduction = legacy_reduction(size_average, reduce, reduction)
    if not len(shape_of(input1)) == len(shape_of(input2)) == len(shape_of(target)):
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {sizes_text(shape_of(input1))}, input2: {sizes_text(shape_of(input2))}, "
            f"target: {sizes_text(shape_of(target))} "
        )
    return ranking_loss(input1, input2, target, margin, reduction)


def ranking_loss(input1: Any, input2: Any, target: Any, margin: float, reduction: str) -> Any:
    """Return `margin_ranking_loss` of tensors that broadcast."""
    check_numbers(margin)
    apart = input1 - input2
    return apply_reduction(
        clamp_min_number(refuse_complex(-target * apart + float(margin)), 0, None), reduction
    )


@functional
def cosine_embedding_loss(
    input1: Any, input2: Any, target: Any, margin: float = 0, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """Return 1 − cos where target is 1, max(0, cos − margin) where it is −1."""
    reduction = legacy_reduction(size_average, reduce, reduction)
    check_reduction(reduction)
    check_numbers(margin)
    if (rank := len(shape_of(target))) not in (0, 1):
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if any(len(shape_of(x)) != rank + 1 for x in (input1, input2)):
        kind, row = ("0D", "1D") if rank == 0 else ("1D", "2D")
        raise RuntimeError(
            f"{kind} target tensor expects {row} input tensors, but found inputs with sizes "
            f"{list(shape_of(input1))} and {list(shape_of(input2))}."
        )
    dim = (rank,)
    tiny = 1e-12
    product = sum_dims(input1 * input2, dim, False)
    squares = [sum_dims(x * x, dim, False) + tiny for x in (input1, input2)]
    cos = product / (squares[0] * squares[1]).sqrt()
    apart = clamp_min_number(refuse_complex(cos - float(margin)), 0, None)
    loss = where(eq(target, 1), 1 - cos, 0) + where(eq(target, -1), apart, 0)
    return apply_reduction(loss, reduction)


def _check_margin(reduction: str, margin: float) -> None:
    check_reduction(reduction)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")


def _swapped(
    anchor: Any, positive: Any, negative: Any, distance: Function, margin: float, swap: bool, reduction: str
) -> Any:
    ranks = [len(shape_of(x)) for x in (anchor, positive, negative)]
    if len(set(ranks)) > 1:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, "
            f"but got: anchor {ranks[0]}D, positive {ranks[1]}D, and negative {ranks[2]}D inputs"
        )
    near = distance(anchor, positive)
    far = distance(anchor, negative)
    if swap:
        far = minimum(far, distance(positive, negative))
    return apply_reduction(clamp_min_number(margin + near - far, 0, None), reduction)


@mirrored
def triplet_margin_loss(
    anchor: Any, positive: Any, negative: Any, margin: float = 1.0, p: float = 2, eps: float = 1e-6,
    swap: bool = False, size_average: Any = None, reduce: Any = None, reduction: str = "mean",
) -> Any:
    """Return max(0, d(anchor, positive) − d(anchor, negative) + margin), d the distance of order p."""
    reduction = legacy_reduction(size_average, reduce, reduction)
    _check_margin(reduction, margin)
    check_numbers(margin, p, eps)
    check_tensors(anchor, positive, negative)
    if not isinstance(swap, bool):
        raise TypeError("a flag is a bool")
    return _swapped(
        anchor, positive, negative, lambda a, b: pairwise_distance(a, b, p, eps), margin, swap, reduction
    )


@functional
def triplet_margin_with_distance_loss(
    anchor: Any, positive: Any, negative: Any, *, distance_function: Any = None, margin: float = 1.0,
    swap: bool = False, reduction: str = "mean",
) -> Any:
    """Return `triplet_margin_loss` with a distance of one's own."""
    _check_margin(reduction, margin)
    return _swapped(
        anchor, positive, negative, distance_function or pairwise_distance, margin, swap, reduction
    )
