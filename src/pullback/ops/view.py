"""View ops: other shapes, axes and parts of the same storage. Each has torch's node name and torch's strides.

`select` and `slice_dim` are what indexing with integers and slices runs, so they are kept short. A part of a
value has
a twin `…_backward` that puts a covector into zeros; the two are each other's rule.
"""

from typing import Any

import numpy as np
from numpy import ndarray

from ..array import dtypes
from ..array.layout import as_pairs
from ..array.strides import empty_part, strides_of
from ..core.op import Call, Term, op, view
from ..core.value import shape_of
from .structure import contiguous_copy, permute_to_front, reshape

Shape = tuple[int, ...]

#: ``LEAD[d]`` selects all of the first d axes (64 is NumPy's limit).
LEAD = tuple((slice(None),) * d for d in range(65))


# --- parts --------------------------------------------------------------------------------------------------


def _select(x: ndarray, /, dim: int, index: int) -> ndarray:
    return x[(*LEAD[dim], index, ...)] if dim else x[index, ...]  # type: ignore[arg-type]  # NumPy's stubs are narrower than NumPy


#: The part at `index` of axis `dim`, without that axis.
select = view(
    "select", _select,
    lambda g, shape_x, dim, index: select_backward(g, shape_x, dim, index),
    batch=lambda size, dim, index: (dim + 1, index),
)


def _select_backward(g: ndarray, /, shape: Shape, dim: int, index: int) -> ndarray:
    whole = np.zeros(shape, g.dtype)
    whole[(*LEAD[dim], index)] = g  # type: ignore[index]  # NumPy's stubs know no tuples of slices
    return whole


#: Zeros of `shape` with `g` at `index` of axis `dim`: the transpose of `select`.
select_backward: Call = op(
    "select_backward", _select_backward,
    (lambda g, dim, index: select(g, dim, index),),
    kind="linear",
    batch=lambda size, shape, dim, index: ((size, *shape), dim + 1, index),
)


def slice_kernel(x: ndarray, /, dim: int, start: int, stop: int, step: int) -> ndarray:
    """Return places start, start + step, … below `stop` of axis `dim` of an array."""
    part = x[(*LEAD[dim], slice(start, stop, step))] if dim else x[start:stop:step]
    if start == stop and x.size:
        # NumPy lets an empty part begin where the whole does; in torch it begins at `start`.
        return empty_part(x, part, start * strides_of(x)[dim])
    return part


#: Places start, start + step, … below `stop` of axis `dim`; 0 ≤ start ≤ stop ≤ size, step > 0.
slice_dim = view(
    "slice", slice_kernel,
    lambda g, shape_x, dim, start, stop, step: slice_backward(g, shape_x, dim, start, stop, step),
    batch=lambda size, dim, start, stop, step: (dim + 1, start, stop, step),
)


def _slice_backward(g: ndarray, /, shape: Shape, dim: int, start: int, stop: int, step: int) -> ndarray:
    whole = np.zeros(shape, g.dtype)
    whole[(*LEAD[dim], slice(start, stop, step))] = g
    return whole


#: Zeros of `shape` with `g` at a slice of axis `dim`: the transpose of `slice_dim`.
slice_backward: Call = op(
    "slice_backward", _slice_backward,
    (lambda g, dim, start, stop, step: slice_dim(g, dim, start, stop, step),),
    kind="linear",
    batch=lambda size, shape, dim, start, stop, step: ((size, *shape), dim + 1, start, stop, step),
)


def _diagonal(x: ndarray, /, offset: int, dim1: int, dim2: int) -> ndarray:
    part = x.diagonal(offset, dim1, dim2)
    if not part.shape[-1]:
        part = empty_part(x, part, 0)
    part.flags.writeable = x.flags.writeable
    return part


#: The diagonal of axes `dim1` and `dim2`, as a last axis.
diagonal = view(
    "diagonal", _diagonal,
    lambda g, shape_x, offset, dim1, dim2: diagonal_backward(g, shape_x, offset, dim1, dim2),
    batch=lambda size, offset, dim1, dim2: (offset, dim1 + 1, dim2 + 1),
)


def _diagonal_backward(g: ndarray, /, shape: Shape, offset: int, dim1: int, dim2: int) -> ndarray:
    whole = np.zeros(shape, g.dtype)
    _diagonal(whole, offset, dim1, dim2)[...] = g
    return whole


#: Zeros of `shape` with `g` on a diagonal: the transpose of `diagonal`.
diagonal_backward: Call = op(
    "diagonal_backward", _diagonal_backward,
    (lambda g, offset, dim1, dim2: diagonal(g, offset, dim1, dim2),),
    kind="linear",
    batch=lambda size, shape, offset, dim1, dim2: ((size, *shape), offset, dim1 + 1, dim2 + 1),
)


# --- axes ---------------------------------------------------------------------------------------------------


#: Axes `dim0` and `dim1` exchanged.
transpose: Call = view(
    "transpose",
    lambda x, /, dim0, dim1: x.swapaxes(dim0, dim1) if x.ndim else x[...],
    lambda g, dim0, dim1: transpose(g, dim0, dim1),
    batch_rule=lambda size, values, dims, dim0, dim1: _transpose_batched(
        permute_to_front(values[0], dims[0]), dim0, dim1
    ),
)


def _transpose_batched(x: Term, dim0: int, dim1: int) -> Term:
    return transpose(x, dim0 + 1, dim1 + 1) if len(shape_of(x)) > 1 else alias(x)


#: The transpose of a matrix; vectors and scalars as they are.
t: Call = view(
    "t", lambda x, /: x.transpose(),
    lambda g: t(g),
    batch_rule=lambda size, values, dims: _t_batched(permute_to_front(values[0], dims[0])),
)


def _t_batched(x: Term) -> Term:
    return transpose(x, 1, 2) if len(shape_of(x)) == 3 else alias(x)


#: Without the axes of size 1.
squeeze = view(
    "squeeze", lambda x, /: x.squeeze(),
    lambda g, shape_x: reshape(g, shape_x),
    batch_rule=lambda size, values, dims: _squeeze_batched(permute_to_front(values[0], dims[0])),
)


def _squeeze_batched(x: Term) -> Term:
    return squeeze_dims(x, tuple(d for d, size in enumerate(shape_of(x)) if d and size == 1))


#: Without axis `dim` where its size is 1.
squeeze_dim = view(
    "squeeze_dim",
    lambda x, /, dim: x.squeeze(dim) if x.ndim and x.shape[dim] == 1 else x[...],
    lambda g, shape_x: reshape(g, shape_x),
    node_name="SqueezeBackward1",
    batch_rule=lambda size, values, dims, dim: squeeze_dims(
        permute_to_front(values[0], dims[0]), (dim + 1,) if len(shape_of(values[0])) > 1 else ()
    ),
)


#: Without those of the axes `dims` whose size is 1.
squeeze_dims: Call = view(
    "squeeze_dims",
    lambda x, /, dims: x.squeeze(tuple(d for d in dims if x.shape[d] == 1)) if x.ndim else x[...],
    lambda g, shape_x: reshape(g, shape_x),
    node_name="SqueezeBackward2",
    batch_rule=lambda size, values, dims, which: squeeze_dims(
        permute_to_front(values[0], dims[0]),
        tuple(d + 1 for d in which) if len(shape_of(values[0])) > 1 else (),
    ),
)


#: With a new axis of size 1 at `dim`.
unsqueeze = view(
    "unsqueeze",
    lambda x, /, dim: x[(*LEAD[dim], None, ...)] if dim else x[None],
    lambda g, dim: squeeze_dim(g, dim), batch=lambda size, dim: (dim + 1,)
)


#: All of it (what ``x[...]`` is).
alias = view("alias", lambda x, /: x[...], lambda g: g, batch=lambda size: ())


# --- complex values as pairs --------------------------------------------------------------------------------


def _bits_of_pairs(conjugated: bool, negated: bool) -> tuple[bool, bool]:
    if conjugated:
        raise RuntimeError(
            "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate tensor so "
            "you can view it as real, use self.resolve_conj(); however, be warned that the resulting tensor "
            "will NOT alias the original."
        )
    return False, negated


#: A complex value with real and imaginary part along a new last axis.
view_as_real = view(
    "view_as_real",
    lambda x, /: as_pairs(x),
    lambda g: view_as_complex(contiguous_copy(g)), batch=lambda size: (),
    signs=_bits_of_pairs,
)  # fmt: skip

#: Pairs along the last axis as complex numbers.
view_as_complex: Call = view(
    "view_as_complex",
    lambda x, /: x.view(dtypes.from_numpy_dtype(x.dtype).to_complex().numpy)[..., 0],
    lambda g: view_as_real(g),
    signs=lambda conjugated, negated: (False, negated),
    batch_rule=lambda size, values, dims: view_as_complex(
        contiguous_copy(permute_to_front(values[0], dims[0]))
    ),
)


# --- other readings -----------------------------------------------------------------------------------------


def of_view_dtype(x: ndarray, dtype: np.dtype[Any]) -> ndarray:
    """Return the same bytes as another dtype; the last axis takes up a change of the element's size."""
    if x.itemsize == dtype.itemsize or not x.size:
        shape = (*x.shape[:-1], x.shape[-1] * x.itemsize // dtype.itemsize) if x.ndim else ()
        return x.view(dtype) if x.itemsize == dtype.itemsize else np.empty(shape, dtype)
    if x.shape[-1] * x.itemsize == dtype.itemsize and x.strides[-1] != x.itemsize:
        x = x[..., :]
    return x.view(dtype)


#: The same bytes as another dtype; carries no gradient, as in torch.
view_dtype = op(
    "view_dtype", lambda x, /, dtype: of_view_dtype(x, dtype), kind="linear",
    batch=lambda size, dtype: (dtype,),
)
