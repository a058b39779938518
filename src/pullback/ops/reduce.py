"""Sums, means, products, norms, counts: what becomes of many elements as one.

An op over all elements and one over some dims are two ops where torch has two nodes (`x.sum()` leaves a
SumBackward0, `x.sum(0)` a SumBackward1). Attributes are canonical: `dims` is a tuple of non-negative ints.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import large, reduction
from ..array.dtypes import COMPLEX32
from ..array.numbers import SINGLES
from ..array.short_rows import reduced
from ..array.summation import sum_over
from ..core.batched import dim_first
from ..core.dual import fitted
from ..core.op import Axes, Call, Term, Terms, op, renamed
from ..core.value import dtype_of, innermost, shape_of
from .arithmetic import pow_scalar
from .comparison import eq, isnan, where, zeros_of
from .complex import real
from .convert import cast, conj, widened
from .cumulative import exclusive_cumprod
from .elementwise import abs, sgn
from .structure import Shape, expand, permute_to_front, reshape, sum_dims

_INT64, _F32 = np.dtype(np.int64), np.dtype(np.float32)


def kept(shape: Shape, dims: tuple[int, ...]) -> Shape:
    """Return the shape with size 1 in place of the reduced dims."""
    return tuple([1 if axis in dims else size for axis, size in enumerate(shape)])


def spread(g: Term, shape: Shape, dims: tuple[int, ...], keepdim: bool) -> Term:
    """Return a reduction's result (or its covector) repeated along the dims that it was reduced over."""
    if not keepdim and dims:
        g = reshape(g, kept(shape, dims))
    return g if shape_of(g) == shape else expand(g, shape)


def count(shape: Shape, dims: tuple[int, ...]) -> int:
    """Return the number of elements that go into one."""
    return shape[dims[0]] if len(dims) == 1 else math.prod([shape[d] for d in dims])


def shifted(size: int, dims: tuple[int, ...], *rest: Any) -> tuple[Any, ...]:
    """Return attributes with the batch axis first: the rule of every op whose first attribute is `dims`."""
    return (tuple([d + 1 for d in dims]), *rest)


def over_rows(reduce: Callable[[Any, tuple[int, ...]], Any]) -> Call:
    """Make the batching rule of an op over all elements: the same over all dims but the batch's."""

    def rule(size: int, values: Terms, in_dims: tuple[int, ...], *attrs: Any) -> Term:
        x = permute_to_front(values[0], in_dims[0])
        return reduce(x, tuple(range(1, len(shape_of(x)))), *attrs)

    return rule  # type: ignore[return-value]  # known only at run time


def _fill(g: Term, shape: Shape) -> Term:
    """Return a scalar as an array of a shape."""
    if type(g) is ndarray:
        if g.ndim == 0:
            return np.ndarray(shape, g.dtype, g, 0, (0,) * len(shape))
        return np.broadcast_to(g, shape)
    return expand(g, shape)


def _as_whole(g: Term) -> Term:
    """Mark a spread array as one that torch holds in full: it is read-only, and `grad` returns a copy."""
    if type(g) is ndarray:
        g.flags.writeable = False
    return g


# --- sums and means -----------------------------------------------------------------------------------------


def _sum_all(x: ndarray, /) -> ndarray:
    if x.size >= reduction.LARGE and x.dtype.kind == "f":
        return reduction.total(x)
    if x.dtype.kind in "biu":
        return np.add.reduce(x, axis=None, dtype=_INT64, out=...)
    return np.add.reduce(x, axis=None, out=...)


#: Σ of all elements; of integers in int64.
sum_all: Call = op(
    "sum_all", _sum_all,
    (lambda g, shape_x: _fill(g, shape_x),),
    kind="reduce", halves=True, node_name="SumBackward0", linear=True,
    batch_rule=over_rows(lambda x, dims: sum_dims(x, dims, False)),
)


def _mean_all(x: ndarray, /) -> ndarray:
    r = reduction.total(x) if x.size >= reduction.LARGE else np.add.reduce(x, axis=None, out=...)
    n = SINGLES[x.size] if r.dtype is _F32 else x.size
    return np.true_divide(r, n, out=r) if x.size else over_nothing(r)


def over_nothing(r: ndarray) -> ndarray:
    """Return r / 0 without NumPy's warning."""
    with np.errstate(all="ignore"):
        return np.true_divide(r, 0, out=r)


#: Mean of all elements.
mean_all: Call = op(
    "mean_all", _mean_all,
    (lambda g, shape_x: _as_whole(_fill(widened(g) / (math.prod(shape_x) or math.nan), shape_x)),),
    kind="reduce", halves=True, node_name="MeanBackward0", linear=True,
    batch_rule=over_rows(lambda x, dims: mean_dims(x, dims, False)),
)


def mean_of(x: ndarray, /, dims: tuple[int, ...], keepdim: bool) -> ndarray:
    """Return the mean over some axes."""
    if x.size >= reduction.LARGE and reduction.is_over_rows(x, dims):
        r = reduction.row_sums(x, keepdim)
    else:
        r = sum_over(x, dims, keepdim)
    n: Any = count(x.shape, dims)
    if r.dtype is _F32:
        n = SINGLES[n]
    return np.true_divide(r, n, out=r) if n else over_nothing(r)


#: Mean over `dims`.
mean_dims: Call = op(
    "mean",
    mean_of,
    (
        lambda g, shape_x, dims, keepdim: _as_whole(
            spread(widened(g) / (count(shape_x, dims) or math.nan), shape_x, dims, keepdim)
        ),
    ),
    kind="reduce",
    halves=True,
    node_name="MeanBackward1",
    batch=shifted,
    linear=True,
)


def _nansum(x: ndarray, /, dims: tuple[int, ...], keepdim: bool) -> ndarray:
    if x.size >= large.SIZE and (found := reduction.gathered("nansum", x, dims, keepdim)) is not None:
        return found
    if x.flags.c_contiguous:
        # A sum that is a number has no nan to leave out: 16,384 float32 take 53 µs with the choice, and 7 so.
        total = sum_over(x, dims, keepdim)
        if not np.isnan(total).any():
            return total
    return sum_over(np.where(np.isnan(x), 0, x), dims, keepdim)


#: Sum over `dims` of what is not nan.
nansum = op(
    "nansum", _nansum,
    (lambda g, x, dims, keepdim: where(isnan(x), 0, spread(g, shape_of(x), dims, keepdim)),),
    kind="reduce", halves=True, batch=shifted,
)


# --- products -----------------------------------------------------------------------------------------------


def _prod(x: ndarray, /, dim: int, keepdim: bool) -> ndarray:
    if not x.ndim:
        return x.copy()
    if x.size >= large.SIZE and (found := reduction.gathered("prod", x, (dim,), keepdim)) is not None:
        return found
    return reduced(np.multiply, x, dim, keepdim)


def _has_zero(x: Term) -> bool:
    """Return whether an element is 0, as far as is known before a transform or a compiled program runs."""
    x = innermost(x)
    return isinstance(x, ndarray) and not x.all()


def _has_no_zero(x: Term) -> bool:
    """Return whether no element is 0, as far as that is known."""
    x = innermost(x)
    return isinstance(x, ndarray) and bool(x.all())


def _prod_rule(g: Term, x: Term, out: Term, dim: int, keepdim: bool) -> Term:
    if not shape_of(x):
        return g
    if _has_no_zero(x):
        quotient = spread(out, shape_of(x), (dim,), keepdim) / x
        return spread(g, shape_of(x), (dim,), keepdim) * conj(quotient)
    if shape_of(x)[dim] == 1 and _has_zero(x):
        return spread(g, shape_of(x), (dim,), keepdim)  # as torch, which divides where there is no zero
    g, x = widened(g), widened(x)
    # The product of the others, from both sides: no division, so zeros are no special case.
    others = exclusive_cumprod(x, dim, False) * exclusive_cumprod(x, dim, True)
    return spread(g, shape_of(x), (dim,), keepdim) * conj(others)


#: Product along one dim.
prod_dim = op(
    "prod", _prod, (_prod_rule,), kind="reduce", halves=True, node_name="ProdBackward1", saves=("out",),
    batch=dim_first,
)


def _prod_all_rule(g: Term, x: Term, out: Term) -> Term:
    shape = shape_of(x)
    return g if not shape else reshape(_prod_rule(g, reshape(x, (math.prod(shape),)), out, 0, False), shape)


def _prod_all(x: ndarray, /) -> ndarray:
    if x.size >= large.SIZE and (found := reduction.gathered("prod", x, range(x.ndim), False)) is not None:
        return found
    return np.multiply.reduce(x, axis=None, dtype=x.dtype, out=...)


#: Product of all elements.
prod_all = op(
    "prod_all",
    _prod_all,
    (_prod_all_rule,),
    kind="reduce",
    halves=True,
    node_name="ProdBackward0",
    saves=("out",),
    batch_rule=lambda size, values, dims: prod_dim(
        reshape(permute_to_front(values[0], dims[0]), (size, math.prod(shape_of(values[0])) // max(size, 1))),
        1, False,
    ),
)


# --- norms --------------------------------------------------------------------------------------------------


def divisor(out: Term) -> Term:
    """Return what makes a slope at a norm of 0, divided by it, 0, and each of its derivatives, too."""
    return where(eq(out, 0), math.inf, out)


def _vector_norm(x: ndarray, /, ord: float, dims: tuple[int, ...], keepdim: bool) -> ndarray:
    if ord == 2 and x.size >= reduction.LARGE and reduction.is_over_all(x, dims):
        return reduction.norm(x).reshape([1 for d in range(x.ndim) if keepdim or d not in dims])
    if x.size >= large.SIZE and (ord == 2 or ord == 1):
        found = reduction.gathered("squares" if ord == 2 else "sizes", x, dims, keepdim)
        if found is not None:
            return np.sqrt(found, out=found) if ord == 2 else found
    if ord == 2 and x.dtype.kind != "c":
        r = sum_over(x * x, dims, keepdim)
        return np.sqrt(r, out=r)
    size = np.absolute(x, out=...)
    if ord == math.inf:
        return reduced(np.maximum, size, dims, keepdim)
    if ord == -math.inf:
        return reduced(np.minimum, size, dims, keepdim)
    if ord == 0:
        return sum_over((size != 0).astype(size.dtype), dims, keepdim)
    if ord == 1:
        return sum_over(size, dims, keepdim)
    if ord == 2:
        r = sum_over(size * size, dims, keepdim)
        return np.sqrt(r, out=r)
    r = sum_over(np.power(size, ord), dims, keepdim)
    return np.power(r, 1 / ord, out=r)


def norm_covector(g: object, x: Term, out: Term, ord: float, dims: tuple[int, ...]) -> Term:
    """Pull the covector `g` of a norm back to x; `out` and `g` with their reduced dims kept. At 0 a
    subgradient, 0; from p = 1 on the quotient is masked and not what divides, so that the derivative along
    `g` is nan there, as torch's.
    """
    if ord == 0:
        return zeros_of(x)
    if ord == 1:
        return g * sgn(x)
    if ord == 2:
        return x * (g * where(eq(out, 0), 0, 1 / out))
    size = abs(x)
    if math.isinf(ord):
        chosen = cast(eq(size, out) | isnan(size), dtype_of(out))
        return g * (sgn(x) * (chosen / sum_dims(chosen, dims, True)))
    if ord < 1:
        inner = where(eq(size, 0), 0, sgn(x) * pow_scalar(size, ord - 1))
        return g * (inner * pow_scalar(out, 1 - ord))
    scaled = sgn(x) * pow_scalar(size, ord - 1) if ord < 2 else x * pow_scalar(size, ord - 2)
    return scaled * where(eq(out, 0), 0, g / pow_scalar(out, ord - 1))


def _vector_norm_rule(
    g: Term, x: Term, out: Term, ord: float, dims: tuple[int, ...], keepdim: bool
) -> Term | None:
    if ord == 0:
        return None  # the count of what is not 0 is constant
    shape = kept(shape_of(x), dims)
    g, x, out = widened(g), widened(x), widened(out)
    return norm_covector(reshape(g, shape), x, reshape(out, shape), ord, dims)


def _vector_norm_jvp(
    primals: Terms, tangents: Terms, out: Any, ord: float, dims: tuple[int, ...], keepdim: bool
) -> Any:
    if ord == 0:
        return None
    x = widened(primals[0])
    slope = norm_covector(1, x, reshape(widened(out), kept(shape_of(x), dims)), ord, dims)
    tangent = fitted(sum_dims(real(conj(slope) * widened(tangents[0])), dims, keepdim), out)
    return where(eq(out, 0), 0, tangent) if 1 < ord < math.inf else tangent


#: (Σ|x|^ord)^(1/ord) over `dims`; the largest for inf, the smallest for −inf, how many are not 0 for 0.
vector_norm = op(
    "vector_norm", _vector_norm, (_vector_norm_rule,), kind="reduce", jvp=_vector_norm_jvp, halves=True,
    node_name="LinalgVectorNormBackward0",
    batch=lambda size, ord, dims, keepdim: (ord, shifted(0, dims)[0], keepdim),
)


#: The same under the node name that `pairwise_distance` leaves.
norm_dims = renamed(vector_norm, "norm_dims", "NormBackward1", base="norm_dims")


def _dist(x: ndarray, y: ndarray, /, ord: float) -> ndarray:
    d = np.subtract(x, y, out=...)
    return _vector_norm(d, ord, tuple(range(d.ndim)), False)


def _dist_rule(g: Term, x: Term, y: Term, out: Term, ord: float) -> Term:
    g, x, y, out = widened(g), widened(x), widened(y), widened(out)
    d = x - y
    rank = len(shape_of(d))
    return norm_covector(g, d, reshape(out, (1,) * rank), ord, tuple(range(rank)))


#: The norm of x − y.
dist = op(
    "dist", _dist,
    (_dist_rule, lambda g, x, y, out, ord: -_dist_rule(g, x, y, out, ord)),
    kind="reduce", promote="same", halves=True,
    batch_rule=lambda size, values, dims, ord: _dist_batched(values, dims, ord),
)


def _dist_batched(values: Terms, dims: Axes, ord: float) -> Term:
    own = [len(shape_of(v)) - (d is not None) for v, d in zip(values, dims, strict=True)]
    rank = max(own)
    aligned = []
    for v, d, r in zip(values, dims, own, strict=True):
        if d is None:
            aligned.append(v)
            continue
        v = permute_to_front(v, d)
        aligned.append(reshape(v, (shape_of(v)[0], *(1,) * (rank - r), *shape_of(v)[1:])))
    return vector_norm(aligned[0] - aligned[1], ord, tuple(range(1, rank + 1)), False)


# --- logic and counts ---------------------------------------------------------------------------------------


def _truths(x: ndarray) -> ndarray:
    """Return what NumPy reads as true or false: of complex32 it looks at the real part alone."""
    return x != 0 if x.dtype == COMPLEX32 else x


def _all(x: ndarray, /, dims: tuple[int, ...], keepdim: bool) -> ndarray:
    r = np.logical_and.reduce(_truths(x), axis=dims, keepdims=keepdim, out=...)
    return r.astype(x.dtype) if x.dtype == np.uint8 else r


def _any(x: ndarray, /, dims: tuple[int, ...], keepdim: bool) -> ndarray:
    r = np.logical_or.reduce(_truths(x), axis=dims, keepdims=keepdim, out=...)
    return r.astype(x.dtype) if x.dtype == np.uint8 else r


def _count_nonzero(x: ndarray, /, dims: tuple[int, ...]) -> ndarray:
    if x.size >= large.SIZE and (found := reduction.gathered("count_nonzero", x, dims, False)) is not None:
        return found
    return np.add.reduce(x != 0, axis=dims, dtype=_INT64, out=...)


def _hash(x: ndarray, /, dims: tuple[int, ...], keepdim: bool) -> ndarray:
    # bfloat16 is no floating kind of NumPy's
    wide = x.astype(np.float64) if x.dtype.kind in "fV" else x.astype(np.int64)
    return np.bitwise_xor.reduce(wide.view(np.uint64), axis=dims, keepdims=keepdim, out=...)


#: The exclusive or, over `dims`, of the bits of the elements as float64 or int64.
hash_dims = op("hash_tensor", _hash, kind="reduce", batch=shifted)

#: Whether all, or any, elements over `dims` are not 0 (uint8 stays uint8, as in torch).
all_dims = op("all", _all, kind="reduce", batch=shifted)
any_dims = op("any", _any, kind="reduce", batch=shifted)
count_nonzero = op("count_nonzero", _count_nonzero, kind="reduce", batch=shifted)
