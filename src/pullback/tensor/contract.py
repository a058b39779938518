"""Products of matrices and vectors under torch's names: checks, the cases of `matmul`, scaled sums."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from .. import errors
from ..array import dtypes
from ..array.dtype_words import c_name, type_word
from ..array.strides import strides_of
from ..core.meta import array_or_phantom
from ..core.promotion import broadcast_shape
from ..core.value import TensorBase, dtype_of, shape_of, wrap
from ..ops import contract as c
from ..ops.arithmetic import mul
from ..ops.convert import cast
from ..ops.structure import contiguous_copy, expand, reshape, reshape_view, squeezed, unsafe_view
from ..ops.view import squeeze_dim, t, transpose, unsqueeze
from .api import public
from .math import factor
from .tensor import Tensor, checked_dim
from .unrecorded import arrays, computed

BOOL = np.dtype(bool)


def element_word(x: Any) -> str:
    """Return the dtype of a value as C++ names it."""
    return c_name(dtype_of(x))


def _check_dtypes(x: Any, y: Any) -> None:
    a, b = dtype_of(x), dtype_of(y)
    if a != b:
        raise errors.with_note(
            RuntimeError(
                f"expected m1 and m2 to have the same dtype, but got: {c_name(a)} != {c_name(b)}"
            ),
            "Convert one operand: x.to(y.dtype).",
        )
    if a.kind == "b":
        kernel = "addmm_impl_cpu_" if len(shape_of(y)) > 1 else "addmv_impl_cpu"
        raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool'")


def _check_product(x: Any, y: Any) -> None:
    (n, k), (j, m) = shape_of(x), shape_of(y)
    if k != j:
        raise errors.with_note(
            RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({n}x{k} and {j}x{m})"),
            f"The columns of the first ({k}) must be the rows of the second ({j}); is one transposed?",
        )


def _in_columns(x: Any) -> bool:
    """Return whether a matrix lies in Fortran order."""
    array = array_or_phantom(x)
    return array is not None and array.flags.fnc


def _mm(x: Any, y: Any) -> Any:
    return c.MM[_in_columns(x), _in_columns(y)](x, y)


def _tensors(name: str, **arguments: Any) -> None:
    for position, (argument, value) in enumerate(arguments.items()):
        if not isinstance(value, Tensor):
            raise errors.argument_type(name, argument, position + 1, "Tensor", value)


@public
def mm(input: Any, mat2: Any) -> Any:
    """Return the matrix product: (n, k) @ (k, m) -> (n, m)."""
    _tensors("mm", input=input, mat2=mat2)
    if len(shape_of(input)) != 2:
        raise RuntimeError("self must be a matrix")
    if len(shape_of(mat2)) != 2:
        raise RuntimeError("mat2 must be a matrix")
    _check_product(input, mat2)
    _check_dtypes(input, mat2)
    return _mm(input, mat2)


@public
def mv(input: Any, vec: Any) -> Any:
    """Return the matrix times vector: (n, k) @ (k,) -> (n,)."""
    _tensors("mv", input=input, vec=vec)
    ranks = len(shape_of(input)), len(shape_of(vec))
    if ranks != (2, 1):
        _size(input, 0)
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {ranks[0]}, {ranks[1]}")
    (n, k), (j,) = shape_of(input), shape_of(vec)
    if k != j:
        raise RuntimeError(f"size mismatch, got input ({n}), mat ({n}x{k}), vec ({j})")
    return _mv(input, vec)


def _mv(matrix: Any, vector: Any) -> Any:
    if dtype_of(matrix) != dtype_of(vector):
        raise RuntimeError(
            f"addmv input tensors must have the same dtype, but got {_title(vector)}, {_title(matrix)}, and "
            f"{_title(vector)}"
        )
    _check_dtypes(matrix, vector)
    return c.mv(matrix, vector)


def _check_vectors(name: str, input: Any, tensor: Any) -> None:
    _tensors(name, input=input, tensor=tensor)
    a, b = shape_of(input), shape_of(tensor)
    if len(a) != 1 or len(b) != 1:
        raise RuntimeError(f"1D tensors expected, but got {len(a)}D and {len(b)}D tensors")
    if dtype_of(input) != dtype_of(tensor):
        raise RuntimeError(
            f"dot : expected both vectors to have same dtype, but found {_title(input)} and {_title(tensor)}"
        )
    if a != b:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{a[0]}] and src [{b[0]}] to have the same number of "
            f"elements, but got {a[0]} and {b[0]} elements respectively"
        )


@public
def dot(input: Any, tensor: Any) -> Any:
    """Return Σ inputᵢ·tensorᵢ of two vectors of one length (nothing is conjugated)."""
    _check_vectors("dot", input, tensor)
    return c.dot(input, tensor)


def _title(x: Any) -> str:
    return type_word(dtype_of(x))


@public
def vdot(input: Any, other: Any) -> Any:
    """Return Σ conj(inputᵢ)·otherᵢ of two vectors of one length."""
    _check_vectors("vdot", input, other)
    return c.vdot(input, other)


@public
def bmm(input: Any, mat2: Any) -> Any:
    """Return products of two stacks of matrices: (b, n, k) @ (b, k, m) -> (b, n, m)."""
    _tensors("bmm", input=input, mat2=mat2)
    _check_batches(input, mat2)
    return _bmm(input, mat2)


def _bmm(x: Any, y: Any) -> Any:
    c.bmm.op.refuse(dtype_of(x))
    if dtype_of(x) != dtype_of(y):
        raise RuntimeError(f"expected scalar type {_title(x)} but found {_title(y)}")
    return c.bmm(x, y)


def _check_batches(x: Any, y: Any) -> None:
    a, b = shape_of(x), shape_of(y)
    if len(a) != 3:
        raise RuntimeError("batch1 must be a 3D tensor")
    if len(b) != 3:
        raise RuntimeError("batch2 must be a 3D tensor")
    if a[0] != b[0] or a[2] != b[1]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{a[0]}, {a[2]}] but got: "
            f"[{b[0]}, {b[1]}]."
        )


@public
def matmul(input: Any, other: Any) -> Any:
    """Return the matrix product with torch's cases.

    (k) @ (k) is a dot product; (n, k) @ (k) and (k) @ (k, m) a matrix times a vector; otherwise the last two
    axes are matrices and leading axes broadcast.
    """
    if not isinstance(other, Tensor) or not isinstance(input, Tensor):
        _tensors("matmul", input=input, other=other)
    x, y = input._value, other._value
    if type(x) is ndarray and type(y) is ndarray and x.ndim == 2 == y.ndim and x.dtype is y.dtype is not BOOL:
        if x.shape[1] != y.shape[0]:
            _check_product(input, other)
        return c.MM[x.flags.fnc, y.flags.fnc](input, other)
    a, b = shape_of(input), shape_of(other)
    ra, rb = len(a), len(b)
    if ra == 2 and rb == 2:
        if a[1] != b[0]:
            _check_product(input, other)
        _check_dtypes(input, other)
        return _mm(input, other)
    if ra == 0 or rb == 0:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {ra}D and {rb}D")
    if ra == 1 and rb == 1:
        return dot(input, other)
    if ra == 2 and rb == 1:
        return mv(input, other)
    if ra == 1 and rb == 2:
        if a[0] != b[0]:
            _check_product(reshape(input, (1, *a)), other)
        _check_dtypes(input, other)
        row = squeezed(_mm(unsqueeze(input, 0), other), (b[1],))
        if type(row._counter) is list:
            row._counter[0] = 1  # torch squeezes the product in place, which counts as an update
        return row
    if ra > 2 and rb > 2 and a[:-2] == b[:-2] and a[-1] == b[-2] and (plain := arrays(input, other)):
        # 4×1×64 by 4×64×1 takes 22 µs as the ops that torch has, 8 so.
        x, y = (v.reshape(-1, *v.shape[-2:]) for v in plain)
        return wrap(computed(c.bmm.op.kernel, x, y).reshape(*a[:-1], b[-1]))
    if ra > 2 and rb == 2 and a[-1] == b[0] and (plain := arrays(input, other)):
        x, y = plain
        if x.size and x.flags.c_contiguous:
            kernel = c.MM[False, y.flags.fnc].op.kernel
            return wrap(computed(kernel, x.reshape(-1, b[0]), y).reshape(*a[:-1], b[1]))
    return _folded(input, other) if _folds(input, other) else _stacked(input, other)


def _folds(x: Any, y: Any) -> bool:
    """Return whether a product is computed as one of matrices, the leading axes of the operand of more axes
    folded into rows.

    torch's choice: where the smaller operand needs a gradient, else a copy for every matrix of the stack
    would be made of it; otherwise where the stack lies so that folding needs no copy.
    """
    stack, matrix = (x, y) if len(shape_of(x)) >= len(shape_of(y)) else (y, x)
    if len(shape_of(matrix)) > 2:
        return False
    if matrix.requires_grad:
        return True
    if stack is y and len(shape_of(x)) == 2:
        return False
    value = stack._value
    if type(value) is not ndarray or not value.size:
        return True
    if stack is y:
        value = value.swapaxes(-1, -2)
    strides = strides_of(value)
    return all(
        strides[axis] == strides[axis + 1] * value.shape[axis + 1] for axis in range(value.ndim - 2)
    )


def _folded(x: Any, y: Any) -> Any:
    rank = len(shape_of(x))
    swapped = len(shape_of(y)) > rank
    if swapped:
        x, y = _swapped(y), t(x) if rank == 2 else x
    a, b = shape_of(x), shape_of(y)
    rows = math.prod(a[:-1])
    folded = reshape(x, (rows, a[-1]))
    if len(b) == 1:
        if a[-1] != b[0]:
            raise RuntimeError(f"size mismatch, got input ({rows}), mat ({rows}x{a[-1]}), vec ({b[0]})")
        return unsafe_view(_mv(folded, y), a[:-1])
    if a[-1] != b[0]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({rows}x{a[-1]} and {b[0]}x{b[1]})"
        )
    _check_dtypes(folded, y)
    product = unsafe_view(_mm(folded, y), (*a[:-1], b[1]))
    if not swapped:
        return product
    product = _swapped(product)
    value = product._value
    return product if type(value) is ndarray and value.flags.c_contiguous else contiguous_copy(product)


def _swapped(x: Any) -> Any:
    rank = len(shape_of(x))
    return transpose(x, rank - 2, rank - 1)


def _stacked(x: Any, y: Any) -> Any:
    """Return the product as one of two stacks of matrices, to which both operands are spread."""
    a, b = shape_of(x), shape_of(y)
    ra, rb = len(a), len(b)
    if ra == rb == 3 and a[0] != b[0]:
        # A stack of one that needs a gradient is folded, lest its gradient be as large as the other's.
        if a[0] == 1 and x.requires_grad:
            return matmul(squeeze_dim(x, 0), y)
        if b[0] == 1 and y.requires_grad:
            return matmul(x, squeeze_dim(y, 0))
    rows = a[-2:-1]
    columns = b[-1:] if rb > 1 else ()
    inner = b[-2] if rb > 1 else b[0]
    lead, other_lead = a[:-2], b[:-2]
    if lead and other_lead and lead != other_lead:
        lead = broadcast_shape(lead, other_lead)
    else:
        lead = lead or other_lead
    count = math.prod(lead)
    if a[-1] != inner:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{count}, {a[-1]}] but got: "
            f"[{count}, {inner}]."
        )
    left = reshape(expand(x, (*lead, *(rows or (1,)), a[-1])), (count, *(rows or (1,)), a[-1]))
    right = expand(y, (*lead, inner, *columns))
    if columns:
        right = reshape(right, (count, inner, *columns))
    else:
        right = unsqueeze(reshape(right, (count, inner)), 2)
    product = _bmm(left, right)
    if not columns:
        product = squeeze_dim(product, 2)
    return unsafe_view(product, (*lead, *rows, *columns))


def _size(x: Any, dim: int) -> int:
    """Return the size of a dimension, or torch's error where there is none."""
    shape = shape_of(x)
    if not shape:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return shape[checked_dim(dim, len(shape))]


def _check_expands(input: Any, shape: tuple[int, ...]) -> None:
    have = shape_of(input)
    lead = len(shape) - len(have)
    if lead < 0:
        raise RuntimeError(
            f"expand(torch.{_title(input)}Tensor{{{list(have)}}}, size={list(shape)}): the number of sizes "
            f"provided ({len(shape)}) must be greater or equal to the number of dimensions in the tensor "
            f"({len(have)})"
        )
    for axis in reversed(range(len(have))):
        if have[axis] not in (1, shape[lead + axis]):
            raise RuntimeError(
                f"The expanded size of the tensor ({shape[lead + axis]}) must match the existing size "
                f"({have[axis]}) at non-singleton dimension {lead + axis}.  Target sizes: {list(shape)}.  "
                f"Tensor sizes: {list(have)}"
            )


def _check_sum(input: Any, mat1: Any, mat2: Any) -> None:
    """Check that the three operands of a sum with a product have one dtype."""
    for name, x in (("self", input), ("mat1", mat1)):
        if dtype_of(x) != dtype_of(mat2):
            raise RuntimeError(
                f"{name} and mat2 must have the same dtype, but got {_title(x)} and {_title(mat2)}"
            )
    _check_dtypes(mat1, mat2)


def _in_place(
    call: Callable[..., Any], shape: Callable[[Any, Any], tuple[int, ...]], first: bool = False
) -> Callable[..., Any]:
    """Return what an in-place sum with a product writes: its input has the product's shape, which is looked
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

    return written


@public(
    inplace=True,
    written=_in_place(lambda *a, **k: addmm(*a, **k), lambda x, y: (*x[:1], *y[-1:]), first=True),
)
def addmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return ``beta * input + alpha * mat1 @ mat2``; `input` broadcasts to (n, m)."""
    _tensors("addmm", input=input, mat1=mat1, mat2=mat2)
    if len(shape_of(mat1)) != 2:
        raise RuntimeError(f"mat1 must be a matrix, got {len(shape_of(mat1))}-D tensor")
    if len(shape_of(mat2)) != 2:
        raise RuntimeError(f"mat2 must be a matrix, got {len(shape_of(mat2))}-D tensor")
    _check_product(mat1, mat2)
    _check_sum(input, mat1, mat2)
    _check_expands(input, (shape_of(mat1)[0], shape_of(mat2)[1]))
    call = c.ADDMM[_in_columns(mat1), _in_columns(mat2)]
    return call(input, mat1, mat2, factor(beta, input), factor(alpha, input))


@public(inplace=True, written=_in_place(lambda *a, **k: addmv(*a, **k), lambda x, y: x[:1]))
def addmv(input: Any, mat: Any, vec: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return ``beta * input + alpha * mat @ vec``."""
    _tensors("addmv", input=input, mat=mat, vec=vec)
    if not dtype_of(input) == dtype_of(mat) == dtype_of(vec):
        raise RuntimeError(
            f"addmv input tensors must have the same dtype, but got {_title(input)}, {_title(mat)}, and "
            f"{_title(vec)}"
        )
    own, rows, columns = shape_of(input), shape_of(mat), shape_of(vec)
    if len(own) > 1 or len(rows) != 2 or len(columns) != 1:
        raise RuntimeError(
            f"vector + matrix @ vector expected, got {len(own)}, {len(rows)}, {len(columns)}"
        )
    if rows[1] != columns[0] or (rows[0] != (own or (1,))[0] and own not in ((), (1,))):
        raise RuntimeError(
            f"size mismatch, got input ({_size(input, 0)}), mat ({rows[0]}x{rows[1]}), vec ({columns[0]})"
        )
    return c.addmv(input, mat, vec, factor(beta, input), factor(alpha, input))


def _addr_(input: Any, vec1: Any, vec2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    _tensors("addr_", input=input, vec1=vec1, vec2=vec2)
    if len(shape_of(input)) != 2:
        raise RuntimeError(f"2D tensor expected, got {len(shape_of(input))}D tensor for input")
    vectors = len(shape_of(vec1)) == len(shape_of(vec2)) == 1
    if vectors and shape_of(input) != (*shape_of(vec1), *shape_of(vec2)):
        raise RuntimeError(
            f"size mismatch, input: {list(shape_of(input))}, v1: {list(shape_of(vec1))}, "
            f"v2: {list(shape_of(vec2))}"
        )
    return addr(input, vec1, vec2, beta=beta, alpha=alpha)


@public(inplace=True, written=_addr_)
def addr(input: Any, vec1: Any, vec2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return ``beta * input + alpha * vec1 ⊗ vec2``."""
    _tensors("addr", input=input, vec1=vec1, vec2=vec2)
    for name, v in (("vec1", vec1), ("vec2", vec2)):
        if len(shape_of(v)) != 1:
            raise RuntimeError(f"addr: Expected 1-D argument {name}, but got {len(shape_of(v))}-D")
    _check_expands(input, (shape_of(vec1)[0], shape_of(vec2)[0]))
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
    return c.addr(*operands, factor(beta, input), factor(alpha, input))


@public(
    inplace=True, written=_in_place(lambda *a, **k: baddbmm(*a, **k), lambda x, y: (*x[:2], *y[-1:]))
)
def baddbmm(input: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return ``beta * input + alpha * batch1 @ batch2`` for stacks of matrices."""
    _tensors("baddbmm", input=input, batch1=batch1, batch2=batch2)
    _check_expands(input, (_size(batch1, 0), _size(batch1, 1), _size(batch2, 2)))
    if dtype_of(input) != dtype_of(batch1):
        raise RuntimeError(
            f"Input dtypes must be the same, got: input {element_word(input)}, batch1: "
            f"{element_word(batch1)}, batch2: {element_word(batch2)}"
        )
    _check_batches(batch1, batch2)
    if dtype_of(input) != dtype_of(batch2):
        raise RuntimeError(f"expected scalar type {_title(input)} but found {_title(batch2)}")
    return c.baddbmm(input, batch1, batch2, factor(beta, input), factor(alpha, input))


@public(inplace=True)
def addbmm(input: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return ``beta * input + alpha * Σ_b batch1[b] @ batch2[b]``."""
    _tensors("addbmm", input=input, batch1=batch1, batch2=batch2)
    _check_expands(input, (_size(batch1, 1), _size(batch2, 2)))
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


@public(aliases=("ger",))
def outer(input: Any, vec2: Any) -> Any:
    """Return the matrix inputᵢ·vec2ⱼ of two vectors."""
    _tensors("outer", input=input, vec2=vec2)
    for name, v in (("self", input), ("vec2", vec2)):
        if len(shape_of(v)) != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {len(shape_of(v))}-D")
    return mul(c.column(input), vec2)


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


@public(namespace="nn.functional", name="linear", method=False)
def linear(input: Any, weight: Any, bias: Any = None) -> Any:
    """Return ``input @ weightᵀ + bias``: (…, in) with (out, in) and (out,) -> (…, out)."""
    plain = arrays(input, weight) if bias is None else arrays(input, weight, bias)
    if plain is not None:
        found = _unrecorded_linear(*plain)
        if found is not None:
            return found
    elif _are_usual(input, weight, bias):
        columns = t(weight)
        if bias is None:
            return c.MM[False, True](input, columns)
        return c.ADDMM[False, True](bias, input, columns, 1, 1)
    if not isinstance(weight, Tensor) or not isinstance(input, Tensor):
        _tensors("linear", input=input, weight=weight)
    a, w = shape_of(input), shape_of(weight)
    if not (a and w):
        raise RuntimeError(
            f"both arguments to linear need to be at least 1D, but they are {len(a)}D and {len(w)}D"
        )
    if len(w) == 1:
        if bias is None:
            return matmul(input, t(weight))
        if len(a) == 2 or len(shape_of(bias)) == 1:
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
                f"{name} and mat2 must have the same dtype, but got {_title(first)} and {_title(weight)}"
            )
        _check_dtypes(input, weight)
    if bias is not None and dtype_of(bias) != dtype:
        _check_sum(bias, input, weight)
    if dtype.kind == "b" and 0 not in (*a, *w):
        raise NotImplementedError('"addmm_impl_cpu_" not implemented for \'Bool\'')
    columns = t(weight)
    if bias is None:
        return c.MM[False, True](input, columns) if len(a) == 2 else matmul(input, columns)
    try:
        if len(a) == 2:
            return c.ADDMM[False, True](bias, input, columns, 1, 1)
        value = input._value
        if type(value) is ndarray and not value.flags.c_contiguous:
            return matmul(input, columns) + bias
        folded = reshape(input, (math.prod(a[:-1]), a[-1]))
        return reshape(c.ADDMM[False, True](bias, folded, columns, 1, 1), (*a[:-1], w[0]))
    except ValueError:
        _check_expands(bias, (math.prod(a[:-1]), w[0]))
        raise
