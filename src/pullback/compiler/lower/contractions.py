"""Matrix products in all the forms in which the table of ops has them."""

import functools
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from .context import SHORT_SUM, Context, broadcast, probe
from .handlers import PARTS, Handler, Pair
from .index import ZERO, Indices, Variable, constant
from .lowered import Lowered
from .pairs import FORMULAS, part, product
from .views import copied

DTYPES = frozenset({np.dtype(np.float32), np.dtype(np.float64)})


def swapped(x: Lowered) -> Lowered:
    """Return the last two axes exchanged."""
    shape = *x.shape[:-2], x.shape[-1], x.shape[-2]
    return x.rearranged(shape, lambda at: (*at[:-2], at[-1], at[-2]))


def folded(context: Context, x: Lowered) -> Lowered:
    """Return leading axes merged to one."""
    if len(x.shape) == 2:
        return x
    x = context.cheap(x)
    return copied(x, (prod(x.shape[:-1]), x.shape[-1]))


def _product(context: Context, x: Lowered, y: Lowered, alpha: float = 1.0) -> Lowered:
    terms, rows, columns = x.shape[-1], x.shape[-2], y.shape[-1]
    most = SHORT_SUM if min(rows, columns) <= SHORT_SUM else FEW_TERMS if rows * columns >= LARGE else 1
    if alpha == 1 and terms <= most:
        return _outer(context, x, y)
    if x.dtype in PARTS:
        return _of_parts(context, context.cheap(x), context.cheap(y))
    if alpha == 1 and len(x.shape) == 2:
        if x.shape[0] == 1 and _is_streamed(swapped(y)):
            return copied(_streamed(context, swapped(y), _vector(context, x)), (1, y.shape[1]))
        if y.shape[1] == 1 and _is_streamed(x):
            return copied(_streamed(context, x, _vector(context, y)), (x.shape[0], 1))
    return context.product(x, y, x.dtype, alpha)


#: Terms up to which a product of so many elements is a map: memory's speed is its own, and what updates a
#: weight by such a gradient reads it while it is near (1,000×1,000 of 3 terms and SGD 819 to 616 µs).
FEW_TERMS, LARGE = 8, 1 << 17


def _outer(context: Context, x: Lowered, y: Lowered) -> Lowered:
    """Return products of a few terms: a map, which fuses with what reads it (64 of 32×1 and 1×5
    took 20 µs as matrix products, and 40 of 576×2 and 2×2 took 260).
    """
    x, y = context.cheap(x), context.cheap(y)

    def products(ops: Handler, indices: Indices) -> Any:
        *batch, row, column = indices
        factors = (
            (x.at(ops, (*batch, row, constant(n))), y.at(ops, (*batch, constant(n), column)))
            for n in range(x.shape[-1])
        )
        if x.dtype in PARTS:
            add = functools.partial(FORMULAS[np.add], ops)
            return functools.reduce(add, (product(ops, *pair) for pair in factors))
        return functools.reduce(ops.add, (ops.mul(*pair) for pair in factors))

    found = context.map((*x.shape[:-1], y.shape[-1]), x.dtype, products)
    return found if x.shape[-1] == 1 else context.stored(found)


def _of_parts(context: Context, x: Lowered, y: Lowered) -> Lowered:
    """Return a complex product, of four real ones."""
    parts = [(part(x, a), part(y, b)) for a in Pair._fields for b in Pair._fields]
    products = [_product(context, *both) for both in parts]

    def pair(ops: Handler, rr: object, ri: object, ir: object, ii: object) -> Pair:
        return Pair(ops.sub(rr, ii), ops.add(ri, ir))

    return context.stored(context.each(pair, *products, dtype=x.dtype))


def _folded_product(context: Context, x: Lowered, y: Lowered) -> Lowered:
    return copied(_product(context, folded(context, x), y), (*x.shape[:-1], y.shape[-1]))


def _linear(context: Context, x: Lowered, y: Lowered) -> Lowered:
    return _folded_product(context, x, swapped(y))


def _linear_weight(context: Context, x: Lowered, y: Lowered) -> Lowered:
    return _product(context, swapped(folded(context, x)), folded(context, y))


def _with_vector(context: Context, x: Lowered, y: Lowered) -> Lowered:
    return copied(_product(context, x, copied(context.cheap(y), (*y.shape, 1))), x.shape[:1])


def _dot(context: Context, x: Lowered, y: Lowered) -> Lowered:
    both = context.each(lambda ops, a, b: ops.mul(a, b), x, y)
    return context.reduction(both, (0,), "sum", x.dtype)


#: Up to so many rows or columns to a matrix, a batch of them is gathered to one even where that takes a copy.
NARROW = 8


def _batched(context: Context, x: Lowered, y: Lowered) -> Lowered:
    """Return a batch of products; one product where a matrix meets a batch of vectors, or of narrow matrices.

    Such products read the matrix once for each vector: memory's speed is theirs, not the processor's.
    """
    batch = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    x, y = _expanded(x, batch), _expanded(y, batch)
    rows, columns = x.shape[-2], y.shape[-1]
    if prod(batch) > 1 and columns <= NARROW and _is_one(x):
        # As rows, so that vectors lie in memory as they are.
        flat = _product(context, folded(context, swapped(y)), swapped(_first(x)))
        return swapped(copied(flat, (*batch, columns, rows)))
    if prod(batch) > 1 and rows <= NARROW and _is_one(y):
        flat = _product(context, folded(context, x), _first(y))
        return copied(flat, (*batch, rows, columns))
    return _product(context, x, y)


def _is_one(x: Lowered) -> bool:
    """Return whether all matrices of a batch are the same one."""
    variables = [Variable(f"i{n}", extent) for n, extent in enumerate(x.shape)]
    used = set().union(*(index.variables() for index in probe(x.body, x.shape).indices))
    return used.isdisjoint(v.name for v in variables[:-2])


def _first(x: Lowered) -> Lowered:
    """Return the first matrix of a batch."""
    skipped = (ZERO,) * (len(x.shape) - 2)
    return x.rearranged(x.shape[-2:], lambda at: (*skipped, *at))


#: Elements of a matrix from which its product with a vector is a loop: below, a kernel that is there is as
#: fast and need not be compiled.
STREAMED = 1 << 10
#: Sums at least, where the loop adds rows to rows: fewer do not fill a register.
BESIDE = 16


def _is_streamed(x: Lowered) -> bool:
    """Return whether a product of a matrix and a vector is a loop.

    Kernels for matrices work on tiles: with one column they took 3 to 14 times as long (512×512 in float32
    60 to 100 µs, 8 in a loop).
    """
    return prod(x.shape) >= STREAMED and (x.shape[0] >= BESIDE or not _lies_across(x))


def _vector(context: Context, x: Lowered) -> Lowered:
    """Return a matrix of one row or column as a vector."""
    return copied(context.cheap(x), (prod(x.shape),))


def _streamed(context: Context, x: Lowered, y: Lowered) -> Lowered:
    """Return a matrix times a vector as sums in a loop, which goes over the matrix once for all its products
    and for what is computed of them, row by row, on the threads of the program.
    """
    across = _lies_across(x)
    shape, axis = (x.shape[::-1], 0) if across else (x.shape, 1)

    def product(ops: Handler, indices: Indices) -> Any:
        row, column = indices[::-1] if across else indices
        return ops.mul(x.at(ops, (row, column)), y.at(ops, (column,)))

    return context.reduction(context.map(shape, x.dtype, product), (axis,), "sum", x.dtype)


def _lies_across(x: Lowered) -> bool:
    """Return whether a matrix is read from memory in which its columns, not its rows, lie in one piece."""
    row, column = (Variable(f"i{n}", extent) for n, extent in enumerate(x.shape))
    indices = [read.index for read in probe(x.body, x.shape).reads]
    down = any(index.coefficient(row) == 1 for index in indices)
    return down and not any(index.coefficient(column) == 1 for index in indices)


def _expanded(x: Lowered, batch: tuple[int, ...]) -> Lowered:
    shape = (*batch, *x.shape[-2:])
    return x if x.shape == shape else Lowered(shape, x.dtype, broadcast(x, shape), cost=x.cost)


def _added(context: Context, x: Lowered, y: Lowered, z: Lowered, beta: Any, alpha: Any) -> Lowered:
    shape = (y.shape[0], z.shape[1])
    if beta == 0:
        return context.product(y, z, y.dtype, float(alpha))
    added = broadcast(x, shape)

    def scaled(ops: Handler, indices: Indices) -> Any:
        value = added(ops, indices)
        return value if beta == 1 else ops.mul(value, ops.constant(beta, x.dtype))

    # The product is stored and then added to: the sum fuses with what reads it.
    result = _product(context, y, z, float(alpha))
    return context.map(
        shape, y.dtype, lambda ops, indices: ops.add(scaled(ops, indices), result.at(ops, indices))
    )


def _of_one_dtype(rule: Callable[..., Lowered]) -> Callable[..., Lowered | None]:
    def checked(context: Context, *given: Any) -> Lowered | None:
        dtype = context.results[0][1]
        known = dtype in DTYPES or dtype in PARTS
        if not known or any(isinstance(o, Lowered) and o.dtype != dtype for o in given):
            return None
        return rule(context, *given)

    return checked


LOWERINGS: dict[str, Callable[..., Lowered | None]] = {
    "addmm": _of_one_dtype(_added),
    "bmm": _of_one_dtype(_batched),
    "dot": _of_one_dtype(_dot),
    "linear": _of_one_dtype(_linear),
    "linear_folded": _of_one_dtype(_linear),
    "linear_weight": _of_one_dtype(_linear_weight),
    "matmul": _of_one_dtype(_batched),
    "mm": _of_one_dtype(_product),
    "mm_folded": _of_one_dtype(_folded_product),
    "mv": _of_one_dtype(_with_vector),
}
#: Those that fold the leading axes of what they multiply.
FOLDING = frozenset({"linear", "linear_folded", "linear_weight", "mm_folded"})
#: Those that are of complex matrices, too: as calls of NumPy they kept loops from being native.
OF_COMPLEX = LOWERINGS.keys() - {"addmm", "dot"}
