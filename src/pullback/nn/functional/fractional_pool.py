"""Define fractional maximum pools with torch's arguments and errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...array.dtype_words import not_implemented
from ...core.value import dtype_of, shape_of
from ...errors import with_note
from ...ops.pool import fractional_max_pools
from ...tensor.argument_types import is_integer, is_size
from ...tensor.random import rand
from ...tensor.tensor import checked_dim
from .loss_reduction import Function, check_tensors, mirrored
from .pool_checks import check_longs
from .pooling import pair_of

_AXES = {2: ("height", "width"), 3: ("time", "height", "width")}


def _sizes(value: Any, name: str, rank: int) -> tuple[int, ...]:
    if not (is_integer(value) or is_size(value)):
        raise TypeError(f"{name} is a number or a list of them")
    sizes = tuple(value) if isinstance(value, Sequence) else (value,) * rank
    if len(sizes) != rank:
        raise RuntimeError(
            f"fractional_max_pool{rank}d: {name} must either be a single Int or tuple of "
            f"{'three ' if rank == 3 else ''}Ints"
        )
    return check_longs(int(n) for n in sizes)


def _by_ratio(shape: tuple[int, ...], ratio: Any, rank: int) -> tuple[int, ...]:
    if rank == 2 and len(ratio) > 2:
        raise ValueError(
            "fractional_max_pool2d requires output_ratio to either be a single Int or tuple of Ints."
        )
    ratios = ratio if isinstance(ratio, Sequence) else (ratio,) * rank
    return tuple(int(shape[axis - rank] * ratios[axis]) for axis in range(rank))


def _check_samples(x: Any, samples: Any, lead: tuple[int, int], rank: int) -> None:
    if dtype_of(samples) != dtype_of(x):
        raise RuntimeError("Expect _random_samples to have the same dtype as input")
    if len(shape := shape_of(samples)) != 3:
        raise RuntimeError(f"Expect _random_samples to have 3 dimensions, got {len(shape)}")
    if shape[0] < lead[0]:
        raise RuntimeError("Expect _random_samples.size(0) no less then input batch size.")
    if shape[1] != lead[1]:
        raise RuntimeError("Expect _random_samples.size(1) equals to input channel size.")
    if shape[2] != rank:
        raise RuntimeError(f"Expect _random_samples.size(2) equals to {rank}; got {shape[2]}.")


def _check_input(shape: tuple[int, ...], kernel: tuple[int, ...], output: tuple[int, ...], rank: int) -> None:
    name = f"fractional_max_pool{rank}d{'_out' if rank == 3 else ''}()"
    if len(shape) not in (rank + 1, rank + 2):
        raise RuntimeError(f"{name}: Expected {rank + 1}D or {rank + 2}D tensor, but got: {list(shape)}")
    for axis in range(len(shape) - rank - 1, len(shape)):
        if shape[axis] == 0:
            raise RuntimeError(
                f"{name}: Expected input to have non-zero size for non-batch dimensions, but "
                f"got{list(shape)} with dimension {axis} being empty."
            )
    axes = list(zip(_AXES[rank], shape[-rank:], kernel, output, strict=True))
    for word, n, k, o in axes if rank == 2 else (axes[0], axes[2], axes[1]):  # in torch's order
        if o + k - (rank == 2) > n:
            raise RuntimeError(f"{name}: pool {word} {k} too large relative to input {word} {n}")


def _pooled(
    x: Any, kernel_size: Any, output_size: Any, output_ratio: Any, samples: Any, rank: int
) -> tuple[Any, Any]:
    function = f"fractional_max_pool{rank}d"
    if output_size is None and output_ratio is None:
        raise ValueError(f"{function} requires specifying either an output_size or an output_ratio")
    if output_size is None:
        output_size = _by_ratio(x.size(), output_ratio, rank)
    if samples is None:
        count = 1 if x.dim() == rank + 1 else x.size(0)
        samples = rand(count, x.size(-rank - 1), rank, dtype=x.dtype)
    check_tensors(x, samples)
    shape = shape_of(x)
    lead = (1 if len(shape) == rank + 1 else shape[0], shape[checked_dim(-rank - 1, len(shape))])
    kernel, output = _sizes(kernel_size, "kernel_size", rank), _sizes(output_size, "output_size", rank)
    _check_input(shape, kernel, output, rank)
    if any(n < 0 for n in output):
        wrong = next(n for n in output if n < 0)
        made = [*shape[:-rank], *output]
        raise RuntimeError(f"Trying to create tensor with negative dimension {wrong}: {made}")
    if any(k < 1 for k in kernel):
        raise with_note(
            RuntimeError(f"{function}: kernel_size has to be positive, but got {list(kernel)}"),
            "torch reads beyond its input here.",
        )
    _check_samples(x, samples, lead, rank)
    if dtype_of(x).kind not in "fV":
        raise not_implemented(f"{function}_out_frame", dtype_of(x))
    return fractional_max_pools[rank](x, samples, kernel, output)


def _declare(rank: int, text: str) -> tuple[Function, Function]:
    """Declare the two functions of maxima over windows at random distances, of some number of axes."""

    def indexed(
        input: Any, kernel_size: Any, output_size: Any = None, output_ratio: Any = None,
        return_indices: bool = False, _random_samples: Any = None,
    ) -> tuple[Any, Any]:  # fmt: skip
        return _pooled(input, kernel_size, output_size, output_ratio, _random_samples, rank)

    def pool(
        input: Any, kernel_size: Any, output_size: Any = None, output_ratio: Any = None,
        return_indices: bool = False, _random_samples: Any = None,
    ) -> Any:  # fmt: skip
        result = _pooled(input, kernel_size, output_size, output_ratio, _random_samples, rank)
        return result if return_indices else result[0]

    return pair_of(f"fractional_max_pool{rank}d", mirrored, indexed, pool, text)


fractional_max_pool2d_with_indices, fractional_max_pool2d = _declare(
    2, """Return the largest value of each of windows at random distances, of two axes (Graham 2014).

    Parameters
    ----------
    input : tensor
        (N, C, H, W) or (C, H, W).
    kernel_size : int or pair
    output_size : int or pair, optional
    output_ratio : pair of float, optional
        The output's size as a share of the input's.
    return_indices : bool
        Whether to return the places of the maxima too.

    Returns
    -------
    tensor
        (N, C, H', W'), or with `return_indices` a pair of such.
    """
)  # fmt: skip
fractional_max_pool3d_with_indices, fractional_max_pool3d = _declare(
    3, "Return the largest value of each of windows at random distances, of three axes (Graham 2014)."
)
