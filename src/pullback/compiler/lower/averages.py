"""Average pools whose windows lie side by side: sums over axes of their own, and their transposes."""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from ...array.average_pool import adaptive_maps
from ..emit.scalars import computing
from .context import Context
from .handlers import Handler
from .index import Indices
from .lowered import Lowered, Shape
from .resampling import over_planes


def _apart(windows: Any, size: Sequence[int], output: Sequence[int]) -> tuple[int, ...] | None:
    """Return the windows' sizes where they cover an array without touching each other or its edge."""
    plain = windows.kernel == windows.stride and not any(windows.padding)
    plain = plain and all(d == 1 or k == 1 for d, k in zip(windows.dilation, windows.kernel, strict=True))
    return _even(size, output) if plain and tuple(windows.kernel) == _even(size, output) else None


def _even(size: Sequence[int], output: Sequence[int]) -> tuple[int, ...] | None:
    """Return the sizes of windows that divide an array."""
    if any(n % o for n, o in zip(size, output, strict=True)):
        return None
    return tuple(n // o for n, o in zip(size, output, strict=True))


def _means(
    context: Context, x: Lowered, kernel: tuple[int, ...] | None, divisor: float | None
) -> Lowered | None:
    """Return sums over windows of these sizes, divided."""
    if kernel is None or computing(x.dtype) != x.dtype:
        return None
    x = context.cheap(x)
    lead, output = x.shape[:2], [n // k for n, k in zip(x.shape[2:], kernel, strict=True)]
    # Each axis becomes that of the windows and that of the places in one.
    split = (*lead, *(n for pair in zip(output, kernel, strict=True) for n in pair))

    def place(at: Indices) -> Indices:
        return (*at[:2], *(w * k + i for w, k, i in zip(at[2::2], kernel, at[3::2], strict=True)))

    sums = context.reduction(x.rearranged(split, place), range(3, len(split), 2), "sum", x.dtype)
    count = prod(kernel) if divisor is None else divisor
    return context.each(lambda ops, total: ops.div(total, ops.constant(count, x.dtype)), sums)


def _shares(
    context: Context, y: Lowered, size: Shape, kernel: tuple[int, ...] | None, divisor: float | None
) -> Lowered | None:
    """Return what each place gets of its window's number."""
    if kernel is None or computing(y.dtype) != y.dtype:
        return None
    count = prod(kernel) if divisor is None else divisor

    def body(ops: Handler, indices: Indices) -> Any:
        places = (i // k for i, k in zip(indices[2:], kernel, strict=True))
        return ops.div(y.at(ops, (*indices[:2], *places)), ops.constant(count, y.dtype))

    return context.map((*y.shape[:2], *size), y.dtype, body)


def avg_pool(
    context: Context, x: Lowered, windows: object, count_include_pad: bool, divisor: float | None
) -> Lowered | None:
    """Lower ``avg_pool``."""
    return _means(context, x, _apart(windows, x.shape[2:], context.results[0][0][2:]), divisor)


def avg_pool_adjoint(
    context: Context, y: Lowered, windows: object, size: Shape, count_include_pad: bool, divisor: float | None
) -> Lowered | None:
    """Lower the transpose of ``avg_pool``."""
    return _shares(context, y, size, _apart(windows, size, y.shape[2:]), divisor)


def adaptive_avg_pool(context: Context, x: Lowered, output: Shape) -> Lowered | None:
    """Lower ``adaptive_avg_pool``."""
    if (windows := _even(x.shape[2:], output)) is None:
        return over_planes(context, x, adaptive_maps(x.shape[2:], output))
    return _means(context, x, windows, None)


def adaptive_avg_adjoint(context: Context, y: Lowered, size: Shape) -> Lowered | None:
    """Lower the transpose of ``adaptive_avg_pool``."""
    if (windows := _even(size, y.shape[2:])) is None:
        return over_planes(context, y, adaptive_maps(size, y.shape[2:], transpose=True))
    return _shares(context, y, size, windows, None)


#: Those that are not adaptive give None where windows overlap or are cut off, which the array kernel does.
LOWERINGS: dict[str, Callable[..., Lowered | None]] = {
    "avg_pool_2d": avg_pool, "avg_pool_3d": avg_pool, "avg_pool_adjoint": avg_pool_adjoint,
    "adaptive_avg_pool_2d": adaptive_avg_pool, "adaptive_avg_pool_3d": adaptive_avg_pool,
    "adaptive_avg_adjoint": adaptive_avg_adjoint,
}  # fmt: skip
