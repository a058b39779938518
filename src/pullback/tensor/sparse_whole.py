"""Functions of a whole sparse tensor: copies, dtypes, tensors like it, sums, what files hold of it."""

import math
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from ..array import dtypes
from ..core.value import array_of, wrap
from ..errors import with_name
from .api import public
from .compressed import (
    CSR,
    KINDS,
    CompressedTensor,
    Kind,
    compressed,
    parts_of,
    refuse_blocks,
    with_values,
)  # fmt: skip
from .constants import SPARSE, strided
from .join import cat
from .sparse import SparseTensor, become, in_backend, sparse
from .sparse_arithmetic import with_entries
from .sparse_conversion import to_compressed
from .sparse_graph import run
from .sparse_indexing import axis_of
from .sparse_refusals import refusal
from .sparse_rules import SUMMED_OVER, title
from .tensor import Tensor

Function = Callable[..., Any]

# --- dtypes and copies --------------------------------------------------------------------------------------


def converted(x: Any, *args: Any, **kwargs: Any) -> Any:
    """Return the tensor in another dtype; itself where it has it."""
    if args and isinstance(args[0], Tensor):
        args = (args[0].dtype, *args[1:])
    values = x._what.to(*args, **kwargs)
    return x if values is x._what or values is x._plain else with_entries(x, values)


def _type_as(x: Any, other: Any) -> Any:
    if other.layout is not x.layout:
        raise RuntimeError(
            f"to(options) doesn't support converting to a different layout, but got self.layout being "
            f"{title(x)} and options.layout set as {title(other)}"
        )
    return converted(x, other.dtype)


def _type(x: Any, dtype: Any = None, *args: Any, **kwargs: Any) -> Any:
    if dtype is not None:
        return converted(x, dtype, *args, **kwargs)
    if isinstance(x, CompressedTensor):
        raise RuntimeError("Unimplemented backend SparseCsrCPU")
    return x._what.type().replace("torch.", "torch.sparse.")


def _as(dtype: dtypes.dtype) -> Function:
    return lambda x: converted(x, dtype)


def clone(x: Any, **_: Any) -> Any:
    """Return a copy of the parts."""
    if isinstance(x, CompressedTensor):
        return compressed(x._kind, x._pointers.clone(), x._places.clone(), x._what.clone(), x.shape)
    return sparse(x._where.clone(), x._what.clone(), x.shape, x._unique)


def copy_(x: Any, source: Any, non_blocking: bool = False) -> Any:
    """Take the entries of another tensor of the layout."""
    if isinstance(x, CompressedTensor) or isinstance(source, CompressedTensor):
        if not isinstance(x, CompressedTensor):
            raise RuntimeError(
                f"copy_sparse_compressed_ expected sparse compressed tensor layout but got {title(x)}"
            )
        if x.layout is not source.layout:
            raise RuntimeError(
                "torch.copy_: copy of sparse compressed tensors having different layouts is not supported. "
                f"self layout is {title(x)} and src layout is {title(source)}"
            )
        if x._nnz() != source._nnz():
            raise RuntimeError(
                "torch.copy_: only sparse compressed tensors with the same number of specified elements are "
                "supported."
            )
    elif not (x._sparse and source._sparse):
        raise RuntimeError(
            "copy_() between dense and sparse Tensors is not implemented! Found self type = "
            f"{x.type()} and src type = {source.type()}"
        )
    return become(x, clone(source).to(x.dtype))


def _zero_(x: Any) -> Any:
    if isinstance(x, CompressedTensor):
        return become(x, _zeros_like(x))
    return become(x, _empty(x.shape, x.dtype, x.sparse_dim(), x.dense_dim()))


# --- tensors like it ----------------------------------------------------------------------------------------


def _empty(size: Sequence[int], dtype: Any, sparse_dim: int, dense_dim: int = 0) -> SparseTensor:
    rest = tuple(size)[len(size) - dense_dim :] if dense_dim else ()
    values = wrap(np.zeros((0, *rest), dtype.numpy))
    return sparse(wrap(np.zeros((sparse_dim, 0), np.int64)), values, size, unique=True)


def empty_in(layout: Any, size: Sequence[int], dtype: Any, name: str = "empty") -> Any:
    """Return a tensor of a layout without entries, as `torch.zeros` and `torch.empty` make it."""
    if layout is SPARSE[0]:
        return _empty(size, dtype, len(size))
    kind = KINDS[layout]
    if len(size) >= 2:
        refuse_blocks(kind, name)
    if len(size) < 2:
        raise RuntimeError(
            "torch.empty: Only batched sparse compressed (non-block) tensors are supported, but got size "
            f"{list(size)}"
        )
    return _empty_matrices(kind, size, dtype)


def _empty_matrices(kind: Kind, size: Sequence[int], dtype: Any) -> CompressedTensor:
    *batch, rows, columns = size
    pointers = np.zeros((*batch, (rows if kind.by_rows else columns) + 1), np.int64)
    nothing = np.zeros((*batch, 0))
    return compressed(
        kind, wrap(pointers), wrap(nothing.astype(np.int64)), wrap(nothing.astype(dtype.numpy)), size
    )


def _zeros_like(x: Any, *, dtype: Any = None, layout: Any = None, **_: Any) -> Any:
    kind = x.dtype if dtype is None else dtype
    if layout is not None and layout is not x.layout:
        if isinstance(x, CompressedTensor):
            raise RuntimeError(
                f"empty_like with different sparse layout is not supported (self is {title(x)} but you "
                f"requested {'Strided' if layout is strided else KINDS[layout].title})"
            )
        zeros = wrap(np.zeros(tuple(x.shape), kind.numpy))
        return zeros if layout is strided else to_compressed(zeros, KINDS[layout])
    if isinstance(x, CompressedTensor):
        count = x._batch()
        nothing = x._plain.detach().narrow(count, 0, 0).to(kind).clone()
        return compressed(x._kind, x._pointers * 0, x._places.narrow(count, 0, 0).clone(), nothing, x.shape)
    return _empty(x.shape, kind, x.sparse_dim(), x.dense_dim())


def made_in(layout: Any, function: str, size: Any = (), dtype: Any = None, like: Any = None) -> Any:
    """Return what a function that makes tensors makes in a sparse layout."""
    kind = dtype or (dtypes.get_default_dtype() if like is None else like.dtype)
    if function in ("zeros", "empty"):
        return empty_in(layout, size, kind, function)
    if function in ("zeros_like", "empty_like"):
        if layout in KINDS and KINDS[layout].in_blocks:
            raise RuntimeError(
                "sparse_compressed_tensor_with_dims: blocksize needs to be a tuple of size 2, but got 0"
            )
        return empty_in(layout, like.shape, kind)
    raise RuntimeError("full(...) is not implemented for sparse layout")


def _resize(x: Any, *size: Any, **_: Any) -> Any:
    wanted = list(size[0] if len(size) == 1 and not isinstance(size[0], int) else size)
    if x.is_sparse:
        raise refusal("resize_", "coo", (x,))
    if len(wanted) != 2 or x._batch() or x.dense_dim():
        raise refusal("resize_", x._kind.short, (x,))
    if wanted[1] < x.shape[1]:
        raise RuntimeError(
            "torch.resize_: Resizing columns of sparse CSR tensors to a smaller value is not supported. The "
            f"original number of columns is {x.shape[1]} while the requested new number of columns is "
            f"{wanted[1]}."
        )
    high, wide = x._block()
    count = (wanted[0] // high if x._kind.by_rows else wanted[1] // wide) + 1
    starts = x._pointers
    last = starts[-1:].expand(max(count - len(starts), 0))
    pointers = cat([starts[:count], last])
    return become(x, compressed(x._kind, pointers, x._places, x._plain, wanted))


def _filled(name: str, number: Any = None) -> Function:
    """Return a tensor with one value where a compressed one has entries; coordinates have none to fill."""

    def make(x: Any, *given: Any, dtype: Any = None, **_: Any) -> Any:
        if not isinstance(x, CompressedTensor):
            raise refusal(name, "coo", (x,))
        value = given[0] if given else number
        values = x._plain.new_full(tuple(x._plain.shape), value, dtype=x.dtype if dtype is None else dtype)
        return with_values(x, values)

    return make


def _empty_like(x: Any, *, dtype: Any = None, **options: Any) -> Any:
    if isinstance(x, CompressedTensor):
        return _filled("empty_like", 0)(x, dtype=dtype)
    return _zeros_like(x, dtype=dtype, **options)


def _no_reduction(name: str) -> Function:
    """Refuse a reduction over axes of a compressed tensor, and other ones."""

    def refused(x: Any, dim: Any = None, *args: Any, **_: Any) -> NoReturn:
        own = args[0] if name == "norm" and args else dim
        if isinstance(x, CompressedTensor) and own is not None:
            raise RuntimeError(
                f"resize_reduction: support for output with {title(x)} layout is not implemented yet"
            )
        raise refusal(name, "coo" if x.is_sparse else x._kind.short, (x,))

    return refused


def _any(x: Any, dim: Any = None, *args: Any, **options: Any) -> Any:
    if dim is not None or not x.is_sparse:
        raise refusal("any", "coo" if x.is_sparse else x._kind.short, (x, dim))
    return x._plain.any()


def _of_sparse_parts(*parts: Any, **_: Any) -> NoReturn:
    wrong = next(part for part in parts if isinstance(part, Tensor) and part._sparse)
    name = "values" if wrong is not parts[0] else "indices"
    raise RuntimeError(f"expected {name} to be a dense tensor, but got {name} of layout {title(wrong)}")


def _no_expansion(x: Any, *_: Any, **__: Any) -> NoReturn:
    raise RuntimeError(f"expand is unsupported for {title(x)} tensors")


def _no_format(x: Any) -> NoReturn:
    if not x.is_sparse:
        raise refusal("isreal", x._kind.short, (x,))
    raise RuntimeError("memory format option is only supported by strided tensors")


def _distance(x: Any, y: Any, p: Any = 2) -> Any:
    return x.sub(y).norm(p)


def _new(x: Any, *size: Any, dtype: Any = None, **_: Any) -> Any:
    wanted = size[0] if len(size) == 1 and not isinstance(size[0], int) else size
    return empty_in(x.layout, tuple(wanted), x.dtype if dtype is None else dtype)


def _new_filled(x: Any, *size: Any, **options: Any) -> NoReturn:
    _new(x, *(size[:1] if size and not isinstance(size[0], int) else size), **options)
    raise refusal("ones_like", "coo", (x,))


def _new_tensor(x: Any, data: Any, **options: Any) -> Any:
    if isinstance(x, CompressedTensor):
        raise RuntimeError("Cannot map DispatchKey SparseCsrCPU to a unique layout.")
    return x._plain.new_tensor(data, **options)


# --- sums and norms -----------------------------------------------------------------------------------------


def _checked_dims(x: Any, dim: Any) -> list[int]:
    return [axis_of(x, d) for d in ([dim] if isinstance(dim, int) else dim)]


def total(x: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Return the sum of all elements, or over axes."""
    if dim is None or (not isinstance(dim, int) and not len(dim)):
        return x._what.sum(dtype=dtype)
    if isinstance(x, CompressedTensor):
        if x._kind is not CSR:
            raise RuntimeError(
                "Currently the only compressed sparse format supported for sum.dim_IntList is CSR, but got "
                f"layout {x._kind.title}"
            )
        if not keepdim:
            raise RuntimeError("reduction operations on CSR tensors with keepdim=False is unsupported")
        dims = _checked_dims(x, dim)
        return to_compressed(x.to_dense().sum(dims, keepdim=True, dtype=dtype), x._kind)
    dims = _checked_dims(x, dim)
    if keepdim:
        found = summed_over(x, dims, dtype)
        for axis in sorted(dims):
            found = found.unsqueeze(axis)
        return found
    return summed_over(x, dims, dtype)


def summed_over(x: SparseTensor, dims: Sequence[int], dtype: Any = None) -> Any:
    """Return the sum over axes of a tensor of coordinates: dense where no sparse axis is left."""
    values = x._what if dtype is None else x._what.to(dtype)
    kept = [axis for axis in range(x.sparse_dim()) if axis not in dims]
    inner = [axis - x.sparse_dim() + 1 for axis in dims if axis >= x.sparse_dim()]
    values = values.sum(inner) if inner else values
    if not kept:
        return values.sum(0)
    size = [n for axis, n in enumerate(x.shape) if axis not in dims]
    unique = len(kept) == x.sparse_dim() and x._unique
    found = sparse(x._where[kept], values, size, unique)
    return found.coalesce() if len(kept) < x.sparse_dim() else found


def sparse_sum(x: Any, dim: Any, dtype: Any) -> Any:
    """Return `torch.sparse.sum`."""
    if dim is None:
        return x.coalesce().values().sum(dtype=dtype)
    dims = _checked_dims(x, dim)
    if not x.is_sparse:
        in_backend("_indices", "SparseCsrCPU" if x._sparse else "CPU")
    x = x.coalesce()
    wide = x if dtype is None else x.to(dtype)
    return run(summed_over, SUMMED_OVER, (wide, dims), {})


def _norm(x: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """Return the norm of all elements."""
    if isinstance(x, CompressedTensor):
        _no_reduction("norm")(x, p, dim)
    if dim is not None and len(_checked_dims(x, dim)) < x.dim():
        raise RuntimeError(
            "norm_sparse currently only supports full reductions, so 'dim' must either be empty or contain "
            "all dimensions of the input"
        )
    values = x.coalesce()._what
    return values.norm() if p == "fro" else values.norm(p)


# --- what files and other programs hold of it ---------------------------------------------------------------


def taken_apart(x: Any) -> tuple[Any, ...]:
    """Return what `torch._utils._rebuild_sparse_tensor` makes the tensor of."""
    if isinstance(x, CompressedTensor):
        return x.layout, (*parts_of(x.detach()), x.shape)
    return x.layout, (x._where, x._plain.detach(), x.shape, x._unique)


def rebuilt(layout: Any, data: Any) -> Any:
    """Return the tensor of such parts."""
    if layout is SPARSE[0]:
        where, values, size, *unique = data
        return sparse(where, values, size, bool(unique and unique[0]))
    return compressed(KINDS[layout], *data)


def _copied(part: str) -> Function:
    def copied(input: Any) -> Any:
        if input.is_sparse or not input._sparse:
            in_backend(copied.__name__, "SparseCPU" if input.is_sparse else "CPU")
        return getattr(input, part)().clone()

    return with_name(copied, f"{part}_copy", f"Return a copy of the `{part}` of a sparse tensor.")


#: The functions that copy a part of a compressed tensor.
_COPIES = [
    _copied(part)
    for part in ("values", "indices", "crow_indices", "col_indices", "ccol_indices", "row_indices")
]
values_copy, indices_copy, crow_indices_copy, col_indices_copy, ccol_indices_copy, row_indices_copy = (
    public(function, method=False) for function in _COPIES
)


def _resize_as(x: Any, like: Any) -> Any:
    if x.is_sparse:
        places = wrap(array_of(x._where).copy())
        return become(x, sparse(places, x._plain, like.shape, x._unique))
    return _resize(x, like.shape)


def _dropout(x: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    if p and training:
        raise refusal("dropout", "coo" if x.is_sparse else x._kind.short, (x,))
    return x * 1.0 if training else x


#: What both kinds of sparse tensors have.
WHOLE: dict[str, Function] = {
    "to": converted, "type": _type, "type_as": _type_as, "cpu": lambda x, *_, **__: x, "clone": clone,
    "copy_": copy_, "zero_": _zero_, "zeros_like": _zeros_like, "ones_like": _filled("ones_like", 1),
    "full_like": _filled("full_like"), "empty_like": _empty_like, "new_zeros": _new, "resize_": _resize,
    "new_empty": _new,
    "new_ones": _new_filled, "new_full": _new_filled, "new_tensor": _new_tensor, "sum": total, "norm": _norm,
    "mean": _no_reduction("mean"), "any": _any, "dist": _distance, "isreal": _no_format,
    "expand": _no_expansion, "sparse_coo_tensor": _of_sparse_parts,
    "is_tensor": lambda x: True, "numel": lambda x: math.prod(x.shape),
    "nelement": lambda x: math.prod(x.shape),
    "is_floating_point": lambda x: x._plain.is_floating_point(),
    "is_complex": lambda x: x._plain.is_complex(), "is_signed": lambda x: x._plain.is_signed(),
    "is_inference": lambda x: x._inference, "is_pinned": lambda x, *_: False,
    "real": lambda x: with_entries(x, x._what.real) if x.is_complex() else x,
    **{function.__name__: function for function in _COPIES}, "resize_as_sparse_": _resize_as,
    "storage_offset": lambda x: 0, "positive": lambda x: x, "resolve_conj": lambda x: x,
    "resolve_neg": lambda x: x,
    "conj": lambda x: with_entries(x, x._what.conj()) if x.is_complex() else x,
    "detach": lambda x: x.detach(), "dropout": _dropout,
    "as_tensor": lambda x, dtype=None, **_: x if dtype is None else converted(x, dtype),
    "tensor": lambda x, dtype=None, **_: clone(x.detach() if dtype is None else converted(x.detach(), dtype)),
    **{
        name: _as(getattr(dtypes, kind))
        for name, kind in {
            "float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16",
            "long": "int64", "int": "int32", "short": "int16", "char": "int8", "byte": "uint8",
            "bool": "bool", "cfloat": "complex64", "cdouble": "complex128",
        }.items()
    },
}  # fmt: skip


@public(method=False)
def resize_as_sparse_(input: Any, the_template: Any) -> Any:
    """Give a sparse tensor, in place, the size of another one."""
    return input.resize_as_sparse_(the_template)
