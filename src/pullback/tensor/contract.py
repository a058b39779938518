"""Products of matrices and vectors under torch's names: checks, and the cases of `matmul`."""

import math
from typing import Any

import numpy as np
from numpy import ndarray

from .. import errors
from ..array.dtype_words import c_name, type_word, unlike
from ..array.strides import strides_of
from ..core.meta import array_or_phantom
from ..core.modes import modes
from ..core.promotion import broadcast_shape
from ..core.value import dtype_of, shape_of, wrap
from ..ops import contract as c
from ..ops.arithmetic import mul
from ..ops.structure import contiguous_copy, expand, reshape, squeezed, unsafe_view
from ..ops.view import squeeze_dim, t, transpose, unsqueeze
from .api import public
from .tensor import Tensor, checked_axis
from .unrecorded import arrays, computed

BOOL = np.dtype(bool)


def element_word(x: Any) -> str:
    """Return the dtype of a value as C++ names it."""
    return c_name(dtype_of(x))


def title(x: Any) -> str:
    """Return the dtype of a value as messages about products name it."""
    return type_word(dtype_of(x))


def check_dtypes(x: Any, y: Any) -> None:
    """Check that matrices to be multiplied have one dtype, of which there are products."""
    a, b = dtype_of(x), dtype_of(y)
    if a != b:
        raise errors.with_note(
            RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {c_name(a)} != {c_name(b)}"),
            "Convert one operand: x.to(y.dtype).",
        )
    if a.kind == "b":
        kernel = "addmm_impl_cpu_" if len(shape_of(y)) > 1 else "addmv_impl_cpu"
        raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool'")


def check_product(x: Any, y: Any) -> None:
    """Check that the shapes of two matrices fit."""
    (n, k), (j, m) = shape_of(x), shape_of(y)
    if k != j:
        raise errors.with_note(
            RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({n}x{k} and {j}x{m})"),
            f"The columns of the first ({k}) must be the rows of the second ({j}); is one transposed?",
        )


def in_columns(x: Any) -> bool:
    """Return whether a matrix lies in Fortran order."""
    array = array_or_phantom(x)
    return array is not None and array.flags.fnc


def _mm(x: Any, y: Any) -> Any:
    return c.MM[in_columns(x), in_columns(y)](x, y)


def require_tensors(name: str, **arguments: Any) -> None:
    """Check that the first arguments of a function are tensors."""
    for position, (argument, value) in enumerate(arguments.items()):
        if not isinstance(value, Tensor):
            raise errors.argument_type(name, argument, position + 1, "Tensor", value)


@public
def mm(input: Any, mat2: Any) -> Any:
    """Return the matrix product: (n, k) @ (k, m) -> (n, m)."""
    require_tensors("mm", input=input, mat2=mat2)
    if len(shape_of(input)) != 2:
        raise RuntimeError("self must be a matrix")
    if len(shape_of(mat2)) != 2:
        raise RuntimeError("mat2 must be a matrix")
    check_product(input, mat2)
    check_dtypes(input, mat2)
    return _mm(input, mat2)


@public
def mv(input: Any, vec: Any) -> Any:
    """Return the matrix times vector: (n, k) @ (k,) -> (n,)."""
    require_tensors("mv", input=input, vec=vec)
    ranks = len(shape_of(input)), len(shape_of(vec))
    if ranks != (2, 1):
        size_of(input, 0)
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {ranks[0]}, {ranks[1]}")
    (n, k), (j,) = shape_of(input), shape_of(vec)
    if k != j:
        raise RuntimeError(f"size mismatch, got input ({n}), mat ({n}x{k}), vec ({j})")
    return _mv(input, vec)


def _mv(matrix: Any, vector: Any) -> Any:
    if dtype_of(matrix) != dtype_of(vector):
        raise RuntimeError(
            f"addmv input tensors must have the same dtype, but got {title(vector)}, {title(matrix)}, and "
            f"{title(vector)}"
        )
    check_dtypes(matrix, vector)
    return c.mv(matrix, vector)


def _check_vectors(name: str, input: Any, tensor: Any) -> None:
    require_tensors(name, input=input, tensor=tensor)
    a, b = shape_of(input), shape_of(tensor)
    if len(a) != 1 or len(b) != 1:
        raise RuntimeError(f"1D tensors expected, but got {len(a)}D and {len(b)}D tensors")
    if dtype_of(input) != dtype_of(tensor):
        raise RuntimeError(
            f"dot : expected both vectors to have same dtype, but found {title(input)} and {title(tensor)}"
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


@public
def vdot(input: Any, other: Any) -> Any:
    """Return Σ conj(inputᵢ)·otherᵢ of two vectors of one length."""
    _check_vectors("vdot", input, other)
    return c.vdot(input, other)


@public
def bmm(input: Any, mat2: Any) -> Any:
    """Return products of two stacks of matrices: (b, n, k) @ (b, k, m) -> (b, n, m)."""
    require_tensors("bmm", input=input, mat2=mat2)
    check_batches(input, mat2)
    return stacked_product(input, mat2)


def stacked_product(x: Any, y: Any) -> Any:
    """Multiply two stacks of matrices, whose dtypes must be one."""
    c.bmm.op.refuse(dtype_of(x))
    if dtype_of(x) != dtype_of(y):
        raise unlike(dtype_of(x), dtype_of(y))
    return c.bmm(x, y)


def lowered(name: str, product: Any, x: Any, y: Any) -> Any:
    """Multiply two matrices or stacks, in autocast's precision where it is on.

    It is for functions that autocast lets run as they are, and of which it casts the products.
    """
    if (caster := modes().autocast) is None or not caster.casts(name):
        return product(x, y)
    return caster.run(name, product, (x, y), {})


def check_batches(x: Any, y: Any) -> None:
    """Check that the shapes of two stacks of matrices fit."""
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
        require_tensors("matmul", input=input, other=other)
    x, y = input._value, other._value
    if type(x) is ndarray and type(y) is ndarray and x.ndim == 2 == y.ndim and x.dtype is y.dtype is not BOOL:
        if x.shape[1] != y.shape[0]:
            check_product(input, other)
        return c.MM[x.flags.fnc, y.flags.fnc](input, other)
    a, b = shape_of(input), shape_of(other)
    ra, rb = len(a), len(b)
    if ra == 2 and rb == 2:
        if a[1] != b[0]:
            check_product(input, other)
        check_dtypes(input, other)
        return _mm(input, other)
    if ra == 0 or rb == 0:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {ra}D and {rb}D")
    if ra == 1 and rb == 1:
        return dot(input, other)
    if ra == 2 and rb == 1:
        return mv(input, other)
    if ra == 1 and rb == 2:
        if a[0] != b[0]:
            check_product(reshape(input, (1, *a)), other)
        check_dtypes(input, other)
        row = squeezed(_mm(unsqueeze(input, 0), other), (b[1],))
        if type(row._counter) is list:
            row._counter[0] = 1  # torch squeezes the product in place, which counts as an update
        return row
    if ra > 2 and rb > 2 and a[:-2] == b[:-2] and a[-1] == b[-2] and (plain := arrays(input, other)):
        # 4×1×64 by 4×64×1 takes 22 µs as the ops that torch has, 8 so.
        stack = math.prod(a[:-2])  # no -1: there may be no elements
        x, y = (v.reshape(stack, *v.shape[-2:]) for v in plain)
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
    if type(value := stack._value) is not ndarray or not value.size:
        return True
    if stack is y:
        value = value.swapaxes(-1, -2)
    strides = strides_of(value)
    return all(strides[axis] == strides[axis + 1] * value.shape[axis + 1] for axis in range(value.ndim - 2))


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
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({rows}x{a[-1]} and {b[0]}x{b[1]})")
    check_dtypes(folded, y)
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
    product = stacked_product(left, right)
    if not columns:
        product = squeeze_dim(product, 2)
    return unsafe_view(product, (*lead, *rows, *columns))


def size_of(x: Any, dim: int) -> int:
    """Return the size of a dimension, or torch's error where there is none."""
    shape = shape_of(x)
    return shape[checked_axis(dim, len(shape))]


@public(aliases=("ger",))
def outer(input: Any, vec2: Any) -> Any:
    """Return the matrix inputᵢ·vec2ⱼ of two vectors."""
    require_tensors("outer", input=input, vec2=vec2)
    for name, v in (("self", input), ("vec2", vec2)):
        if len(shape_of(v)) != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {len(shape_of(v))}-D")
    return mul(c.column(input), vec2)
