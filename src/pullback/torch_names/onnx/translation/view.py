"""Tell of views, joins, splits, and other ops that move elements without computing."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....core.op import TABLE
from ...export.varying import Varying, varying_in
from ..builder import END, Graph, Operand
from ..rules import RULES, Unsupported, rule


@rule("alias", "clone", "contiguous_copy", "copy_of", "lay_out", "alias_copy", "conj", "_conj",
      "conj_physical", "real")  # fmt: skip
def _same(g: Graph, x: Operand, *_: Any) -> str:
    if x.dtype.kind in "cW":
        raise Unsupported("ONNX computes nothing with complex numbers")
    return x.name


@rule("squeeze_dims")
def _squeeze_dims(g: Graph, x: Operand, dims: Sequence[int]) -> str:
    axes = [d for d in dims if x.rank and x.shape[d] == 1]
    return str(g.node("Squeeze", x, g.ints(axes))) if axes else x.name


@rule("permute")
def _permute(g: Graph, x: Operand, dims: Sequence[int]) -> str:
    order = [d % x.rank for d in dims]
    if order == [*range(x.rank)]:
        return x.name
    found = str(g.node("Transpose", x, perm=order))
    if order == [1, 0]:
        g.made_by[found] = ("t", x.name)
    return found


@rule("transpose")
def _transpose(g: Graph, x: Operand, dim0: int, dim1: int) -> str:
    order = [*range(x.rank)]
    if order:
        order[dim0], order[dim1] = order[dim1], order[dim0]
    return _permute(g, x, order)


@rule("select")
def _select(g: Graph, x: Operand, dim: int, index: Any) -> str:
    return str(g.node("Gather", x, g.scalar(index), axis=dim))


@rule("slice")
def _slice(g: Graph, x: Operand, dim: int, start: Any, stop: Any, step: int) -> str:
    start = 0 if start is None else start
    whole = stop is None or stop == x.shape[dim]
    if start == 0 and whole and step == 1:
        return x.name
    end = g.ints([END]) if whole else g.size(stop)
    return str(g.node("Slice", x, g.size(start), end, g.ints([dim]), g.ints([step])))


@rule("split_with_sizes", "unsafe_split_with_sizes")
def _parts(g: Graph, x: Operand, sizes: Sequence[Any], dim: int) -> Any:
    if len(sizes) == 1:
        return (x.name,)
    return g.node("Split", x, g.sizes(sizes), axis=dim, outputs=len(sizes))


@rule("cat")
def _cat(g: Graph, *given: Any) -> Any:
    *xs, sizes, dim = given
    # What torch joins with anything: vectors without elements.
    parts = [g.value(x, g.dtype) for x, size in zip(xs, sizes, strict=True) if size != 0 or x.rank > 1]
    return parts[0] if len(parts) == 1 else g.node("Concat", *parts, axis=dim)


@rule("stack")
def _stack(g: Graph, *given: Any) -> Any:
    *xs, dim = given
    parts = [g.node("Unsqueeze", g.value(x, g.dtype), g.ints([dim])) for x in xs]
    return parts[0] if len(parts) == 1 else g.node("Concat", *parts, axis=dim)


@rule("repeat")
def _repeat(g: Graph, x: Operand, repeats: Sequence[Any]) -> Any:
    added = len(repeats) - x.rank
    whole = g.node("Unsqueeze", x, g.ints(range(added))) if added else x
    return g.node("Tile", whole, g.sizes(repeats))


@rule("flip")
def _flip(g: Graph, x: Operand, dims: Sequence[int]) -> Any:
    if not dims:
        return x.name
    count = len(dims)
    return g.node(
        "Slice", x, g.ints([-1] * count), g.ints([-END] * count), g.ints(dims), g.ints([-1] * count)
    )


@rule("roll")
def _roll(g: Graph, x: Operand, shifts: Sequence[Any], dims: Sequence[int]) -> Any:
    if not dims:
        flat = Operand(g.reshaped(x, [-1]), (g.number(np.prod(g.numbers(x.shape))),), x.dtype)
        return g.reshaped(_roll(g, flat, shifts, (0,)), g.shape)
    found: Any = x
    for shift, dim in zip(shifts, dims, strict=True):
        size, by = x.shape[dim], g.number(shift)
        by = by % size if not isinstance(size, Varying) else by
        if by == 0:
            continue
        # The last `by` elements come first; a shift to the left takes those after the first ones.
        cut, axis, one = g.ints([-by]), g.ints([dim]), g.ints([1])
        last = g.node("Slice", found, cut, g.ints([END]), axis, one)
        first = g.node("Slice", found, g.ints([0]), cut, axis, one)
        found = g.node("Concat", last, first, axis=dim)
    return found if isinstance(found, str) else x.name


def _triangle(g: Graph, x: Operand, diagonal: Any, upper: int) -> Any:
    if x.dtype == np.bool_:  # which onnxruntime has no kernel for
        found = g.node("Trilu", g.value(x, np.dtype(np.int64)), g.scalar(diagonal), upper=upper)
        return g.cast(found, np.dtype(np.int64), x.dtype)
    return g.node("Trilu", x, g.scalar(diagonal), upper=upper)


@rule("copy")
def _copy(g: Graph, x: Operand, source: Any) -> Any:
    found = g.value(source, g.dtype)
    same = isinstance(source, Operand) and source.shape == g.shape
    return found if same else g.node("Expand", found, g.sizes(g.shape))


@rule("fill", "fill_tensor", "fill_inplace", "fill_tensor_inplace")
def _fill(g: Graph, x: Operand, value: Any) -> Any:
    return g.node("Expand", g.value(value, g.dtype), g.sizes(g.shape))


@rule("constant_pad_nd")
def _pad(g: Graph, x: Operand, amounts: Sequence[tuple[Any, Any]], value: Any) -> Any:
    sizes = g.sizes([a for a, _ in amounts] + [b for _, b in amounts])
    if x.dtype == np.bool_:
        found = g.node("Pad", g.value(x, np.dtype(np.int32)), sizes, g.constant(value, np.int32))
        return g.cast(found, np.dtype(np.int32), x.dtype)
    return g.node("Pad", x, sizes, g.constant(value, x.dtype))


def _padded(mode: str) -> Any:
    def tell(g: Graph, x: Operand, amounts: Sequence[tuple[Any, Any]]) -> Any:
        if mode == "wrap" and g.opset < 19:
            raise Unsupported("circular padding needs opset_version=19")
        amounts = [(0, 0)] * (x.rank - len(amounts)) + list(amounts)
        sizes = g.sizes([a for a, _ in amounts] + [b for _, b in amounts])
        return g.node("Pad", x, sizes, mode=mode)

    return tell


for _n in (1, 2, 3):
    RULES[f"reflection_pad{_n}d"] = _padded("reflect")
    RULES[f"replication_pad{_n}d"] = _padded("edge")
RULES["circular_pad"] = _padded("wrap")


@rule("pixel_shuffle")
def _pixel_shuffle(g: Graph, x: Operand, factor: int) -> Any:
    if x.rank != 4:
        raise Unsupported("ONNX shuffles images in batches alone")
    return g.node("DepthToSpace", x, blocksize=factor, mode="CRD")


@rule("pixel_unshuffle")
def _pixel_unshuffle(g: Graph, x: Operand, factor: int) -> Any:
    n, c, h, w = g.shape
    parted = g.node("Reshape", x, g.sizes([n, c // (factor * factor) if not isinstance(c, Varying) else -1, h,
                                           factor, w, factor]))  # fmt: skip
    return g.reshaped(g.node("Transpose", parted, perm=[0, 1, 3, 5, 2, 4]), g.shape)


@rule("channel_shuffle", "native_channel_shuffle")
def _channel_shuffle(g: Graph, x: Operand, groups: int) -> Any:
    n, c, *size = x.shape
    parted = g.node("Reshape", x, g.sizes([n, groups, g.number(c) // groups, *size]))
    order = [0, 2, 1, *range(3, 3 + len(size))]
    return g.reshaped(g.node("Transpose", parted, perm=order), g.shape)


# --- by places ----------------------------------------------------------------------------------------------

def places(g: Graph, name: str, shape: Sequence[Any], attrs: Sequence[Any]) -> np.ndarray:
    """Return where each element of a result is in the flattened operand."""
    sizes = g.numbers(shape)
    numbers = np.arange(int(np.prod(sizes))).reshape(sizes)
    return np.asarray(TABLE[name].evaluate_in_order((numbers,), tuple(attrs)))


def _by_places(name: str) -> Any:
    def tell(g: Graph, x: Operand, *attrs: Any) -> Any:
        where = places(g, name, x.shape, attrs)
        return g.node("Gather", g.node("Reshape", x, g.ints([-1])), g.constant(where, np.int64), axis=0)

    return tell


for _name in ("diagonal", "unfold", "as_strided", "rot90"):
    RULES[_name] = _by_places(_name)


@rule("put")
def _put(g: Graph, base: Operand, source: Any, steps: Sequence[Any], strides: Any) -> Any:
    """Write to a part of a value: its places are what the same views are of the numbers from 0 on."""
    total: Any = 1
    for n in base.shape:
        total = _product(total, n)
    numbers = g.node("Range", g.constant(0, np.int64), g.scalar(total), g.constant(1, np.int64))
    part = Operand(g.reshaped(numbers, base.shape), base.shape, np.dtype(np.int64))
    outer = g.results
    for step in steps:
        op, attrs = step[0], step[1]
        shape = _shape_after(op, attrs, part)
        g.results = [(shape, part.dtype)]
        part = Operand(RULES[op.base](g, part, *attrs), shape, part.dtype)
    g.results = outer
    given = g.value(source, base.dtype)
    if not isinstance(source, Operand) or source.shape != part.shape:
        given = g.node("Expand", given, g.node("Shape", part))
    flat = [g.node("Reshape", v, g.ints([-1])) for v in (base, part, given)]
    return g.reshaped(g.node("ScatterElements", *flat, axis=0), base.shape)


def _product(a: Any, b: Any) -> Any:
    if not isinstance(a, Varying) and not isinstance(b, Varying):
        return a * b
    count = len((a if isinstance(a, Varying) else b).values)
    both = [v.values if isinstance(v, Varying) else (v,) * count for v in (a, b)]
    return Varying(tuple(x * y for x, y in zip(*both, strict=True)))


def _shape_after(op: Any, attrs: Any, x: Operand) -> tuple[Any, ...]:
    """Return the shape of a view, in each trace."""
    counts = [len(v.values) for v in varying_in((x.shape, attrs))]
    shapes = []
    for n in range(counts[0] if counts else 1):
        array = np.broadcast_to(np.zeros((), np.int64), _at(x.shape, n))
        shapes.append(op.evaluate_in_order((array,), _at(attrs, n)).shape)
    return tuple(sizes[0] if len(set(sizes)) == 1 else Varying(sizes) for sizes in zip(*shapes, strict=True))


def _at(attrs: Any, n: int) -> Any:
    if isinstance(attrs, Varying):
        return attrs.values[n]
    return tuple(_at(a, n) for a in attrs) if isinstance(attrs, tuple) else attrs


for _name in ("slice", "select", "diagonal"):
    RULES[f"{_name}_scatter"] = lambda g, x, source, *attrs, view=_name: (
        _put(g, x, source, ((TABLE[view], attrs),), None)
    )

RULES |= {
    "cast": lambda g, x, dtype: g.value(x, g.dtype),
    **dict.fromkeys(("view", "unsafe_view", "squeezed"), lambda g, x, *_: (
        x.name if x.shape == g.shape else g.reshaped(x, g.shape)
    )),
    "squeeze": lambda g, x: _squeeze_dims(g, x, range(x.rank)),
    "squeeze_dim": lambda g, x, dim: _squeeze_dims(g, x, (dim,)),
    "unsqueeze": lambda g, x, dim: g.node("Unsqueeze", x, g.ints([dim])),
    "expand": lambda g, x, *_: (
        x.name if x.shape == g.shape else str(g.node("Expand", x, g.sizes(g.shape)))
    ),
    "t": lambda g, x: _permute(g, x, [*range(x.rank)][::-1]),
    "unbind": lambda g, x, dim: tuple(_select(g, x, dim, n) for n in range(len(g.results))),
    **dict.fromkeys(("split", "unsafe_split"), lambda g, x, split_size, dim: (
        _parts(g, x, [shape[dim] for shape, _ in g.results], dim)
    )),
    "tril": lambda g, x, diagonal: _triangle(g, x, diagonal, 0),
    "triu": lambda g, x, diagonal: _triangle(g, x, diagonal, 1),
    "zero_inplace": lambda g, x: _fill(g, x, 0),
}
