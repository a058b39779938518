"""Sums with products of matrices under torch's names: `addmm` and its like, and `linear`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import dtypes
from ..array.dtype_words import unlike
from ..core.value import TensorBase, dtype_of, shape_of, wrap
from ..ops import contract as c
from ..ops.convert import cast
from ..ops.structure import reshape, reshape_view
from ..ops.view import t
from .api import public
from .broadcast import expanded_shape
from .contract import (
    check_batches,
    check_dtypes,
    check_product,
    element_word,
    in_columns,
    matmul,
    require_tensors,
    size_of,
    title,
)
from .inplace_variants import InPlace
from .math import factor
from .tensor import Tensor
from .unrecorded import arrays, computed


def _check_sum(input: Any, mat1: Any, mat2: Any) -> None:
    """Check that the three operands of a sum with a product have one dtype."""
    for name, x in (("self", input), ("mat1", mat1)):
        if dtype_of(x) != dtype_of(mat2):
            raise RuntimeError(
                f"{name} and mat2 must have the same dtype, but got {title(x)} and {title(mat2)}"
            )
    check_dtypes(mat1, mat2)


def _in_place(
    call: Callable[..., Any], shape: Callable[[Any, Any], tuple[int, ...]], first: bool = False
) -> InPlace:
    """Return the in-place variant of a sum with a product: its input has the product's shape, which is looked
    at before (`first`) or after whether it broadcasts.
    """

    def written(input: Any, *args: Any, **named: Any) -> Any:
        operands = (*args, *(v for key, v in named.items() if key not in ("beta", "alpha")))
        fits = not all(isinstance(v, TensorBase) for v in operands[:2])
        if fits or shape_of(input) == (whole := shape(*map(shape_of, operands[:2]))):
            return call(input, *args, **named)
        call(wrap(np.zeros((), dtype_of(input))) if first else input, *args, **named)
        raise RuntimeError(
            f"Bad in-place call: input tensor size {list(shape_of(input))} and output tensor size "
            f"{list(whole)} should match"
        )

    return InPlace(written=written, older=True)


@public(inplace=_in_place(lambda *a, **k: addmm(*a, **k), lambda x, y: (*x[:1], *y[-1:]), first=True))
def addmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return ``beta * input + alpha * mat1 @ mat2``; `input` broadcasts to (n, m)."""
    require_tensors("addmm", input=input, mat1=mat1, mat2=mat2)
    if len(shape_of(mat1)) != 2:
        raise RuntimeError(f"mat1 must be a matrix, got {len(shape_of(mat1))}-D tensor")
    if len(shape_of(mat2)) != 2:
        raise RuntimeError(f"mat2 must be a matrix, got {len(shape_of(mat2))}-D tensor")
    check_product(mat1, mat2)
    _check_sum(input, mat1, mat2)
    expanded_shape(input, (shape_of(mat1)[0], shape_of(mat2)[1]))
    call = c.ADDMM[in_columns(mat1), in_columns(mat2)]
    return call(input, mat1, mat2, factor(beta, input), factor(alpha, input))


@public(inplace=_in_place(lambda *a, **k: addmv(*a, **k), lambda x, y: x[:1]))
def addmv(input: Any, mat: Any, vec: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return ``beta * input + alpha * mat @ vec``."""
    require_tensors("addmv", input=input, mat=mat, vec=vec)
    if not dtype_of(input) == dtype_of(mat) == dtype_of(vec):
        raise RuntimeError(
            f"addmv input tensors must have the same dtype, but got {title(input)}, {title(mat)}, and "
            f"{title(vec)}"
        )
    own, rows, columns = shape_of(input), shape_of(mat), shape_of(vec)
    if len(own) > 1 or len(rows) != 2 or len(columns) != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {len(own)}, {len(rows)}, {len(columns)}")
    if rows[1] != columns[0] or (rows[0] != (own or (1,))[0] and own not in ((), (1,))):
        raise RuntimeError(
            f"size mismatch, got input ({size_of(input, 0)}), mat ({rows[0]}x{rows[1]}), vec ({columns[0]})"
        )
    return c.addmv(input, mat, vec, factor(beta, input, exact=False), factor(alpha, input, exact=False))


def _addr_(input: Any, vec1: Any, vec2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    require_tensors("addr_", input=input, vec1=vec1, vec2=vec2)
    if len(shape_of(input)) != 2:
        raise RuntimeError(f"2D tensor expected, got {len(shape_of(input))}D tensor for input")
    vectors = len(shape_of(vec1)) == len(shape_of(vec2)) == 1
    if vectors and shape_of(input) != (*shape_of(vec1), *shape_of(vec2)):
        raise RuntimeError(
            f"size mismatch, input: {list(shape_of(input))}, v1: {list(shape_of(vec1))}, "
            f"v2: {list(shape_of(vec2))}"
        )
    return addr(input, vec1, vec2, beta=beta, alpha=alpha)


@public(inplace=InPlace(written=_addr_, older=True))
def addr(input: Any, vec1: Any, vec2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return ``beta * input + alpha * vec1 ⊗ vec2``."""
    require_tensors("addr", input=input, vec1=vec1, vec2=vec2)
    for name, v in (("vec1", vec1), ("vec2", vec2)):
        if len(shape_of(v)) != 1:
            raise RuntimeError(f"addr: Expected 1-D argument {name}, but got {len(shape_of(v))}-D")
    expanded_shape(input, (shape_of(vec1)[0], shape_of(vec2)[0]))
    # Unlike elsewhere, a tensor of no dimension weighs as much as the others.
    common = dtypes.promote_types(dtypes.promote_types(input.dtype, vec1.dtype), vec2.dtype).numpy
    kind = common.kind
    for name, value in (("beta", beta), ("alpha", alpha)):
        if kind in "biu" and type(value) is float:
            raise RuntimeError(
                f"For integral input tensors, argument {name} must not be a floating point number."
            )
        if kind != "b" and type(value) is bool:
            raise RuntimeError(f"Boolean {name} only supported for Boolean results.")
    operands = (v if dtype_of(v) == common else cast(v, common) for v in (input, vec1, vec2))
    return c.addr(*operands, factor(beta, input, exact=False), factor(alpha, input, exact=False))


@public(inplace=_in_place(lambda *a, **k: baddbmm(*a, **k), lambda x, y: (*x[:2], *y[-1:])))
def baddbmm(input: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return ``beta * input + alpha * batch1 @ batch2`` for stacks of matrices."""
    require_tensors("baddbmm", input=input, batch1=batch1, batch2=batch2)
    expanded_shape(input, (size_of(batch1, 0), size_of(batch1, 1), size_of(batch2, 2)))
    if dtype_of(input) != dtype_of(batch1):
        raise RuntimeError(
            f"Input dtypes must be the same, got: input {element_word(input)}, batch1: "
            f"{element_word(batch1)}, batch2: {element_word(batch2)}"
        )
    check_batches(batch1, batch2)
    if dtype_of(input) != dtype_of(batch2):
        raise unlike(dtype_of(input), dtype_of(batch2))
    return c.baddbmm(input, batch1, batch2, factor(beta, input), factor(alpha, input))


@public(inplace=InPlace(older=True))
def addbmm(input: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return ``beta * input + alpha * Σ_b batch1[b] @ batch2[b]``."""
    require_tensors("addbmm", input=input, batch1=batch1, batch2=batch2)
    expanded_shape(input, (size_of(batch1, 1), size_of(batch2, 2)))
    a, b = shape_of(batch1), shape_of(batch2)
    for name, shape in (("batch1", a), ("batch2", b)):
        if len(shape) != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    if a[0] != b[0]:
        raise RuntimeError(f"batch1 and batch2 must have same number of batches, got {a[0]} and {b[0]}")
    if a[2] != b[1]:
        raise RuntimeError(f"Incompatible matrix sizes for bmm ({a[1]}x{a[2]} and {b[1]}x{b[2]})")
    _check_sum(input, batch1, batch2)
    return c.addbmm(input, batch1, batch2, factor(beta, input), factor(alpha, input))


def _unrecorded_linear(x: ndarray, weight: ndarray, bias: ndarray | None = None) -> Any:
    """Return `linear` of which nothing is recorded; None where it is not the common case.

    One row of 128 takes 6 µs so, and 12 by the views and ops that a graph shows.
    """
    shape, rows = x.shape, weight.shape
    if len(shape) < (2 if bias is None else 1) or len(rows) != 2:
        return None
    if shape[-1] != rows[1] or not x.flags.c_contiguous or x.dtype.kind == "b":
        return None
    if bias is not None and bias.shape != rows[:1]:
        return None
    if len(shape) == 2:
        return wrap(computed(c.linear_sum, bias, x, weight.T))
    found = computed(c.linear_sum, bias, x.reshape(-1, rows[1]), weight.T)
    whole = (*shape[:-1], rows[0])
    # With a bias a view of the product, as in torch.
    return wrap(found.reshape(whole)) if bias is None else reshape_view(wrap(found), whole)


def _are_usual(input: Any, weight: Any, bias: Any) -> bool:
    """Return whether arguments of `linear` are matrices of one dtype in memory that fit, and a vector."""
    if not isinstance(weight, Tensor) or not isinstance(input, Tensor):
        return False
    x, rows = input._value, weight._value
    if type(x) is not ndarray or type(rows) is not ndarray or x.ndim != 2 or rows.ndim != 2:
        return False
    size, columns = rows.shape
    if x.shape[1] != columns or x.dtype is not rows.dtype or x.dtype.kind == "b":
        return False
    if bias is None:
        return True
    if not isinstance(bias, Tensor):
        return False
    added = bias._value
    return type(added) is ndarray and added.shape == (size,) and added.dtype is x.dtype


def _is_vector(bias: Any) -> bool:
    """Return whether a bias is a vector but for axes of one element: of rows in more than two axes, torch's
    product takes no others in.
    """
    return len(shape_of(bias)) == 1 or sum(n != 1 for n in shape_of(bias)) == 1


@public(namespace="nn.functional", name="linear", method=False)
def linear(input: Any, weight: Any, bias: Any = None) -> Any:
    """Return ``input @ weightᵀ + bias``: (…, in) with (out, in) and (out,) -> (…, out)."""
    plain = arrays(input, weight) if bias is None else arrays(input, weight, bias)
    if plain is not None:
        if (found := _unrecorded_linear(*plain)) is not None:
            return found
    elif _are_usual(input, weight, bias):
        columns = t(weight)
        if bias is None:
            return c.MM[False, True](input, columns)
        return c.ADDMM[False, True](bias, input, columns, 1, 1)
    if not isinstance(weight, Tensor) or not isinstance(input, Tensor):
        require_tensors("linear", input=input, weight=weight)
    a, w = shape_of(input), shape_of(weight)
    if not (a and w):
        raise RuntimeError(
            f"both arguments to linear need to be at least 1D, but they are {len(a)}D and {len(w)}D"
        )
    fused = len(a) == 2 or bias is None or _is_vector(bias)
    if len(w) == 1:
        if bias is None:
            return matmul(input, t(weight))
        if fused:
            raise RuntimeError("mat2 must be a matrix, got 1-D tensor")
        return matmul(input, t(weight)).add_(bias)
    if a[-1:] != w[-1:]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({math.prod(a[:-1])}x{a[-1] if a else 1} and "
            f"{w[1]}x{w[0]})"
        )
    dtype = dtype_of(weight)
    if dtype_of(input) != dtype:
        if bias is not None:
            name, first = ("mat1", input) if dtype_of(bias) == dtype else ("self", bias)
            raise RuntimeError(
                f"{name} and mat2 must have the same dtype, but got {title(first)} and {title(weight)}"
            )
        check_dtypes(input, weight)
    if bias is not None and dtype_of(bias) != dtype:
        _check_sum(bias, input, weight)
    if dtype.kind == "b" and 0 not in (*a, *w):
        raise NotImplementedError('"addmm_impl_cpu_" not implemented for \'Bool\'')
    columns = t(weight)
    if bias is None:
        return c.MM[False, True](input, columns) if len(a) == 2 else matmul(input, columns)
    if not fused:
        return matmul(input, columns).add_(bias)
    try:
        if len(a) == 2:
            return c.ADDMM[False, True](bias, input, columns, 1, 1)
        if type(value := input._value) is ndarray and not value.flags.c_contiguous:
            return matmul(input, columns) + bias
        folded = reshape(input, (math.prod(a[:-1]), a[-1]))
        return reshape(c.ADDMM[False, True](bias, folded, columns, 1, 1), (*a[:-1], w[0]))
    except ValueError:
        expanded_shape(bias, (math.prod(a[:-1]), w[0]))
        raise
