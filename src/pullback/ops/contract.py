"""Products that contract an axis: matrix and vector products, `linear`, and their sums (`addmm` and its kin).

Leading axes of a first operand are folded into rows, so one BLAS call serves (..., n, k) @ (k, m). `x @ wᵀ`
and `xᵀ @ g` are ops of their own (`linear` and `linear_weight`): the rules of the three refer to each other
and never transpose a copy. The folded forms are what the others become under vmap.

The covector of an operand that lies in columns (a transposed matrix) lies in columns too, as in torch: so the
gradient of a layer's weight, which is used transposed, comes out in C order. A product has one declaration
for each layout of its operands, told apart by BLAS's letters n and t.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from ..array.large import multiplied, stacked
from ..array.layout import as_first
from ..core.op import Axes, Call, Covectors, Rule, T, Term, Terms, op, renamed
from ..core.value import dtype_of, shape_of
from .arithmetic import add, mul
from .convert import conj
from .structure import expand, permute, permute_to_front, reshape, sum_dims
from .view import t


def swap(x: Any) -> Any:
    """Exchange the last two axes."""
    if type(x) is ndarray:
        return x.swapaxes(-1, -2)
    rank = len(shape_of(x))
    return permute(x, (*range(rank - 2), rank - 1, rank - 2))


def _rows(x: ndarray) -> ndarray:
    return x if x.ndim == 2 else x.reshape(math.prod(x.shape[:-1]), x.shape[-1])


# The method: NumPy's function of the same name costs 0.2 µs more (8×8: 0.59 against 0.37, `matmul` 0.90).
def _mm(x: ndarray, y: ndarray, /) -> ndarray:
    return multiplied(x, y) if x.ndim == 2 else multiplied(_rows(x), y).reshape(*x.shape[:-1], y.shape[-1])


def _linear(x: ndarray, w: ndarray, /) -> ndarray:
    return multiplied(x, w.T) if x.ndim == 2 else multiplied(_rows(x), w.T).reshape(*x.shape[:-1], w.shape[0])


def _fronts(size: int, values: Terms, dims: Axes) -> tuple[Any, ...]:
    return tuple(v if d is None else permute_to_front(v, d) for v, d in zip(values, dims, strict=True))


def _batched_matrix(value: Term, dim: int | None, rank: int) -> Term:
    """Return a matrix with axes (batch, 1, …, rows, columns) that broadcasts against `rank` axes + batch."""
    if dim is None:
        return value
    shape = shape_of(value)
    return reshape(value, (shape[0], *(1,) * (rank - 2), *shape[1:]))


def _batch_mm(transposed: bool) -> Rule:
    def rule(size: int, values: Terms, dims: Axes) -> Term:
        x, y = _fronts(size, values, dims)
        if dims[1] is None:
            return (linear_folded if transposed else mm_folded)(x, y)
        rank = len(shape_of(x)) - (dims[0] is not None)
        y = swap(y) if transposed else y
        return matmul(x, _batched_matrix(y, 0, rank))

    return rule


def _batch_weight(size: int, values: Terms, dims: Axes) -> Term:
    g, x = (
        reshape(v, (*shape_of(v)[: 0 if d is None else 1], -1, shape_of(v)[-1]))
        for v, d in zip(_fronts(size, values, dims), dims, strict=True)
    )
    return matmul(swap(g), x)


def _product(
    name: str, kernel: Callable[..., Any], rules: tuple[Any, ...], node_name: str, batch_rule: object,
    second: str = "other",
) -> Any:
    return op(
        name, kernel, rules, kind="bilinear", halves=True, float8=name.startswith(("mm", "linear")),
        node_name=node_name, batch_rule=batch_rule, saved_as=("self", second),
        ordered=2 if kernel in (_mm, _linear) else 0,
    )  # fmt: skip


def transposed(x: Term) -> Term:
    """Return a matrix with its axes exchanged."""
    return x.T if type(x) is ndarray else t(x)


def _are_matrices(g: Term, x: Term) -> bool:
    """Return whether these are real arrays, whose product needs the kernels alone (the ops add 1 µs)."""
    return type(g) is type(x) is ndarray and g.ndim == 2 and g.dtype is x.dtype and g.dtype in _REAL


_REAL = (np.dtype(np.float32), np.dtype(np.float64))


def _pull_first(g: Any, y: Any) -> Any:
    if _are_matrices(g, y):
        return multiplied(g, y.T)
    return (linear if len(shape_of(g)) == 2 else linear_folded)(g, conj(y))


def _pull_second(g: Any, x: Any) -> Any:
    return multiplied(x.T, g) if _are_matrices(g, x) and x.ndim == 2 else linear_weight(conj(x), g)


def _pull_second_in_columns(g: Any, x: Any) -> Any:
    if _are_matrices(g, x) and x.ndim == 2:
        return multiplied(g.T, x).T
    return transposed(linear_weight(g, conj(x)))


_MM_RULES = (_pull_first, _pull_second)
_MM_COLUMN_RULES = (lambda g, y: transposed(linear(conj(y), g)), _pull_second_in_columns)
_LINEAR_RULES = (
    lambda g, w: (mm if len(shape_of(g)) == 2 else mm_folded)(g, conj(w)),
    lambda g, x: linear_weight(g, conj(x)),
)


def _mm_of(letters: str) -> Any:
    rules = tuple((_MM_COLUMN_RULES if letter == "t" else _MM_RULES)[k] for k, letter in enumerate(letters))
    return renamed(mm, f"mm_{letters}", "MmBackward0", rules)


mm: Call = _product("mm", _mm, _MM_RULES, "MmBackward0", _batch_mm(False), "mat2")
#: x @ y for matrices, by whether each lies in columns.
MM: dict[tuple[bool, bool], Call] = {
    (False, False): mm, (False, True): _mm_of("nt"), (True, False): _mm_of("tn"), (True, True): _mm_of("tt"),
}
#: x @ y with leading axes of x folded.
mm_folded: Call = _product("mm_folded", _mm, _MM_RULES, "UnsafeViewBackward0", _batch_mm(False))
#: x @ wᵀ.
linear: Call = _product("linear", _linear, _LINEAR_RULES, "MmBackward0", _batch_mm(True))
#: x @ wᵀ with leading axes of x folded.
linear_folded: Call = _product(
    "linear_folded", _linear, _LINEAR_RULES, "UnsafeViewBackward0", _batch_mm(True)
)
#: gᵀ @ x over all leading axes.
linear_weight: Call = _product(
    "linear_weight", lambda g, x, /: multiplied(_rows(g).T, _rows(x)),
    (
        lambda g, x: (linear if len(shape_of(x)) == 2 else linear_folded)(conj(x), g),
        lambda h, g: (mm if len(shape_of(g)) == 2 else mm_folded)(conj(g), h),
    ),
    "MmBackward0", _batch_weight,
)  # fmt: skip

def _batch_matmul(size: int, values: Terms, dims: Axes) -> Term:
    fronts = _fronts(size, values, dims)
    ranks = [len(shape_of(v)) - (d is not None) for v, d in zip(fronts, dims, strict=True)]
    aligned = []
    for v, d, rank in zip(fronts, dims, ranks, strict=True):
        shape = shape_of(v)
        aligned.append(v if d is None else reshape(v, (size, *(1,) * (max(ranks) - rank), *shape[1:])))
    return matmul(*aligned)


_MATMUL_RULES = (lambda g, y: matmul(g, swap(conj(y))), lambda g, x: matmul(swap(conj(x)), g))

#: Matrix products over broadcasting leading axes; both operands have at least two axes.
matmul: Call = _product("matmul", stacked, _MATMUL_RULES, "UnsafeViewBackward0", _batch_matmul)
#: Matrix products of two stacks of equal length.
bmm = _product("bmm", stacked, _MATMUL_RULES, "BmmBackward0", _batch_matmul, "mat2")


def _trilinear(x: ndarray, w: ndarray, y: ndarray, /) -> ndarray:
    kind = x.dtype
    if kind.itemsize == 2 and kind.kind not in "iu":  # torch rounds after each of the two products
        x, w, y = (v.astype(np.float32) for v in (x, w, y))
    first = np.matmul(x[None], w).astype(kind, copy=False).astype(x.dtype, copy=False)
    out = np.matmul(first[:, :, None], y[None, :, :, None]).reshape(w.shape[0], x.shape[0])
    return out.T.astype(kind, order="C")


def _outer_rows(g: Term, x: Term) -> Term:
    """Return the products of every element of a row of `g` with every element of the row of `x`."""
    (rows, m), n = shape_of(g), shape_of(x)[1]
    return reshape(reshape(g, (rows, m, 1)) * reshape(x, (rows, 1, n)), (rows, m * n))


def _trilinear_x(g: Term, w: Term, y: Term) -> Term:
    outs, n, m = shape_of(w)
    return mm(_outer_rows(g, conj(y)), reshape(permute(conj(w), (0, 2, 1)), (outs * m, n)))


def _trilinear_y(g: Term, x: Term, w: Term) -> Term:
    outs, n, m = shape_of(w)
    return mm(_outer_rows(g, conj(x)), reshape(conj(w), (outs * n, m)))


def _trilinear_jvp(primals: Terms, tangents: Covectors, out: Term) -> Term | None:
    total = None
    for place, tangent in enumerate(tangents):
        if tangent is not None:
            part = trilinear(*primals[:place], tangent, *primals[place + 1 :])
            total = part if total is None else total + part
    return total


#: Σ_ij x[n, i]·w[o, i, j]·y[n, j].
trilinear: Call = op(
    "trilinear", _trilinear, (_trilinear_x,
    lambda g, x, y, shape_w: reshape(linear_weight(_outer_rows(g, conj(x)), conj(y)), shape_w),
    _trilinear_y), jvp=_trilinear_jvp,
    node_name="TrilinearBackward0",
)


def _batch_dot(size: int, values: Terms, dims: Axes) -> Term:
    x, y = _fronts(size, values, dims)
    product = mul(x, y)
    return sum_dims(product, (len(shape_of(product)) - 1,), False)


#: Σ xᵢ·yᵢ.
dot = _product(
    "dot", lambda x, y, /: np.asarray(np.dot(x, y)), (lambda g, y: g * conj(y), lambda g, x: g * conj(x)),
    "DotBackward0", _batch_dot, "tensor"
)


#: Σ conj(xᵢ)·yᵢ.
vdot = _product(
    "vdot", lambda x, y, /: np.asarray(np.dot(np.conj(x), y)),
    (lambda g, y: conj(g) * y, lambda g, x: g * x),
    "VdotBackward0",
    lambda size, values, dims: _batch_dot(size, (conj(values[0]), values[1]), dims),
)


def _mv(x: ndarray, y: ndarray, /) -> ndarray:
    return x[:, 0] * y if len(y) == 1 else np.dot(x, y)  # as in `multiplied`


def _batch_mv(size: int, values: Terms, dims: Axes) -> Term:
    x, y = _fronts(size, values, dims)
    shape = shape_of(y)
    return reshape(
        matmul(x, reshape(y, (*shape, 1))), (size, *shape_of(x)[-2 if dims[0] is not None else 0 : -1])
    )


def column(v: T) -> T:
    """Return a vector as a matrix of one column."""
    return reshape(v, (*shape_of(v), 1))


def row(v: Term) -> Term:
    """Return a vector as a matrix of one row."""
    return reshape(v, (1, *shape_of(v)))


#: Matrix times vector.
mv: Call = _product(
    "mv", _mv,
    (lambda g, y: column(g) * conj(row(y)), lambda g, x: mv(swap(conj(x)), g)),
    "MvBackward0", _batch_mv, "vec",
)  # fmt: skip


def _scaled(x: Any, factor: Any) -> Any:
    return x if factor == 1 else x * factor


def _add_product(
    name: str, kernel: Callable[..., Any], pull_x: Any, pull_y: Any, node_name: str, **fields: Any
) -> Any:
    """Declare beta·input + alpha·product(x, y)."""

    def forward(x: ndarray, y: ndarray, z: ndarray, /, beta: object, alpha: object) -> ndarray:
        product = kernel(y, z)
        if alpha != 1:
            product = product * np.asarray(alpha, product.dtype)
        if beta == 0:
            return np.array(product)
        if beta != 1:
            x = x * np.asarray(beta, x.dtype)
        return np.add(x, product, out=product if x.dtype == product.dtype else ...)

    def jvp(primals: Terms, tangents: Covectors, out: Term, beta: object, alpha: object) -> Any:
        (_, y, z), (tx, ty, tz) = primals, tangents
        parts = [] if tx is None else [expand(_scaled(tx, beta), shape_of(out))]
        base = np.zeros(shape_of(out), dtype_of(out))
        parts += [] if ty is None else [declared(base, ty, z, 1, alpha)]
        parts += [] if tz is None else [declared(base, y, tz, 1, alpha)]
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        return total

    declared = op(
        name, forward,
        (
            lambda g, beta: _scaled(g, beta.conjugate()),
            lambda g, z, alpha: _scaled(pull_x(g, z), alpha.conjugate()),
            lambda g, y, alpha: _scaled(pull_y(g, y), alpha.conjugate()),
        ),
        inputs=("x", "y", "z"), attrs=("beta", "alpha"), halves=True,
        float8=name.startswith(("addmm", "addbmm")), jvp=jvp, node_name=node_name, sizes_kept=True, **fields,
    )  # fmt: skip
    return declared


def linear_sum(bias: ndarray | None, x: ndarray, columns: ndarray) -> ndarray:
    """Return ``x @ columns + bias`` of which nothing is recorded, of arrays of one dtype."""
    product = multiplied(x, columns)
    return product if bias is None else np.add(product, bias, out=product)


def _batch_addmm(size: int, values: Terms, dims: Axes, beta: object, alpha: object) -> Term:
    b, x, y = values
    product = mm(x, y) if dims[1] is None and dims[2] is None else _batch_mm(False)(size, (x, y), dims[1:])
    if dims[0] is not None:
        b = permute_to_front(b, dims[0])
        b = reshape(b, (size, *(1,) * (3 - len(shape_of(b))), *shape_of(b)[1:]))
    return add(_scaled(product, alpha), _scaled(b, beta)) if beta else _scaled(product, alpha)


def _addmm_of(letters: str) -> Any:
    pull_x, pull_y = (
        (_MM_COLUMN_RULES if letter == "t" else _MM_RULES)[k] for k, letter in enumerate(letters)
    )
    name = "addmm" if letters == "nn" else f"addmm_{letters}"
    base = None if letters == "nn" else "addmm"
    return _add_product(
        name, multiplied, pull_x, pull_y, "AddmmBackward0", batch_rule=_batch_addmm, base=base
    )


#: beta·b + alpha·x @ y for matrices, by whether x and y lie in columns.
ADDMM: dict[tuple[bool, bool], Call] = {
    (first == "t", second == "t"): _addmm_of(first + second) for first in "nt" for second in "nt"
}
addmm = ADDMM[False, False]
addmv = _add_product(
    "addmv", _mv, lambda g, z: column(g) * conj(row(z)), lambda g, y: mv(swap(conj(y)), g),
    "AddmvBackward0"
)
baddbmm = _add_product(
    "baddbmm", stacked, lambda g, z: bmm(g, swap(conj(z))), lambda g, y: bmm(swap(conj(y)), g),
    "BaddbmmBackward0"
)
addr = _add_product(
    "addr", np.outer, lambda g, z: mv(g, conj(z)), lambda g, y: mv(swap(g), conj(y)), "AddrBackward0",
    place=as_first,
)


def _sum_of_products(x: ndarray, y: ndarray) -> ndarray:
    count = len(x) * x.shape[2]
    return multiplied(x.transpose(1, 0, 2).reshape(x.shape[1], count), y.reshape(count, y.shape[2]))


addbmm = _add_product(
    "addbmm", _sum_of_products,
    lambda g, z: matmul(g, swap(conj(z))), lambda g, y: matmul(swap(conj(y)), g), "AddbmmBackward0",
)  # fmt: skip
