"""Tell of reading and writing at places that integer tensors name."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....ops.index import adjacent
from ..builder import Graph, Operand
from ..rules import RULES, Unsupported, rule

_INT64 = np.dtype(np.int64)


@rule("index_select")
def _index_select(g: Graph, x: Operand, index: Operand, dim: int) -> Any:
    # A single place counts as one of a vector.
    where = index.name if index.rank else g.node("Unsqueeze", index, g.ints([0]))
    return g.node("Gather", x, where, axis=dim) if x.rank else x.name


def _fitting(g: Graph, source: Operand, index: Operand) -> str:
    """Return what is written, of the index's shape: torch leaves the rest of it out."""
    if source.shape == index.shape:
        return source.name
    axes = [*range(index.rank)]
    sizes = g.sizes(index.shape)
    return str(g.node("Slice", source, g.ints([0] * len(axes)), sizes, g.ints(axes)))


@rule("scatter_value")
def _scatter_value(g: Graph, x: Operand, index: Operand, dim: int, value: Any) -> Any:
    source = g.node("Expand", g.value(value, x.dtype), g.sizes(index.shape))
    return g.node("ScatterElements", x, index, source, axis=dim)


_REDUCTIONS = {"add": "add", "sum": "add", "multiply": "mul", "prod": "mul", "amax": "max", "amin": "min"}


@rule("scatter_combined")
def _scatter_combined(g: Graph, x: Operand, index: Operand, source: Operand, dim: int, reduce: str) -> Any:
    if reduce not in _REDUCTIONS:
        raise Unsupported(f"ONNX does not combine by {reduce!r}")
    kind = _REDUCTIONS[reduce]
    return g.node("ScatterElements", x, index, _fitting(g, source, index), axis=dim, reduction=kind)


@rule("scatter_reduce")
def _scatter_reduce(
    g: Graph, x: Operand, index: Operand, source: Operand, dim: int, reduce: str, include_self: bool
) -> Any:
    if not include_self:
        raise Unsupported("ONNX combines with what is there (include_self=True)")
    return _scatter_combined(g, x, index, source, dim, reduce)


@rule("index_add")
def _index_add(g: Graph, x: Operand, index: Operand, source: Operand, dim: int, alpha: Any) -> Any:
    given = source.name if alpha == 1 else g.node("Mul", source, g.constant(alpha, x.dtype))
    return _at_rows(g, x, index, given, source, dim, "add")


@rule("index_fill")
def _index_fill(g: Graph, x: Operand, index: Operand, dim: int, value: Any) -> Any:
    shape = [*x.shape]
    shape[dim] = index.shape[0] if index.rank else 1
    given = g.node("Expand", g.constant(value, x.dtype), g.sizes(shape))
    return _at_rows(g, x, index, given, Operand(given, tuple(shape), x.dtype), dim, None)


def _at_rows(
    g: Graph, x: Operand, index: Operand, given: str, source: Operand, dim: int, reduction: str | None
) -> Any:
    """Write slices of an axis: the places of all their elements."""
    wide = [1] * source.rank
    wide[dim] = -1
    where = g.node("Expand", g.node("Reshape", index, g.ints(wide)), g.node("Shape", given))
    return g.node("ScatterElements", x, where, given, axis=dim, reduction=reduction)


@rule("masked_select")
def _masked_select(g: Graph, x: Operand, mask: Operand) -> Any:
    flat = [g.node("Reshape", v, g.ints([-1])) for v in (x, mask)]
    return g.node("Compress", *flat)


# --- x[i, :, j] ---------------------------------------------------------------------------------------------

@rule("index")
def _index(g: Graph, x: Operand, where: Operand, dims: Sequence[int]) -> Any:
    """Return the places along all indexed axes as one value, ``(axes, *shape)``."""
    if len(dims) == 1:
        return g.node("Gather", x, str(g.node("Squeeze", where, g.ints([0]))), axis=dims[0])
    rest = [d for d in range(x.rank) if d not in dims]
    front = _moved(g, x.name, [*dims, *rest])
    found = g.node("GatherND", front, _last(g, where))
    count = where.rank - 1
    if not adjacent(dims) or dims[0] == 0:
        return found
    lead = dims[0]
    order = [*range(count, count + lead), *range(count), *range(count + lead, count + len(rest))]
    return _moved(g, found, order)


def _moved(g: Graph, x: str, order: Sequence[int]) -> str:
    return x if [*order] == [*range(len(order))] else str(g.node("Transpose", x, perm=[*order]))


def _last(g: Graph, where: Operand) -> str:
    """Return the places with the indexed axes last, as ONNX has them."""
    return _moved(g, where.name, [*range(1, where.rank), 0])


@rule("index_put")
def _index_put(
    g: Graph, x: Operand, where: Operand, values: Any, dims: Sequence[int], accumulate: bool
) -> Any:
    rest = [d for d in range(x.rank) if d not in dims]
    order = [*dims, *rest]
    front = _moved(g, x.name, order)
    count = where.rank - 1
    shape = [*where.shape[1:], *(x.shape[d] for d in rest)]
    given = g.value(values, x.dtype)
    if adjacent(dims) and dims[0] > 0:
        lead = dims[0]
        outer = [*shape[count : count + lead], *where.shape[1:], *shape[count + lead :]]
        given = g.node("Expand", given, g.sizes(outer))
        back = [*range(lead, lead + count), *range(lead), *range(lead + count, len(shape))]
        given = _moved(g, given, back)
    else:
        given = g.node("Expand", given, g.sizes(shape))
    kind = "add" if accumulate else None
    found = g.node("ScatterND", front, _last(g, where), given, reduction=kind)
    return _moved(g, found, [order.index(d) for d in range(x.rank)])

RULES |= {
    "embedding": lambda g, weight, indices, *_: g.node("Gather", weight, indices, axis=0),
    "take": lambda g, x, index: g.node("Gather", g.node("Reshape", x, g.ints([-1])), index, axis=0),
    "pick": lambda g, x, index, dim: g.node("Gather", x, index, axis=dim),
    "gather": lambda g, x, index, dim: g.node("GatherElements", x, index, axis=dim),
    "scatter": lambda g, x, index, source, dim: (
        g.node("ScatterElements", x, index, _fitting(g, source, index), axis=dim)
    ),
    "scatter_add": lambda g, x, index, source, dim: (
        g.node("ScatterElements", x, index, _fitting(g, source, index), axis=dim, reduction="add")
    ),
    "index_copy": lambda g, x, index, source, dim: _at_rows(g, x, index, source.name, source, dim, None),
}
