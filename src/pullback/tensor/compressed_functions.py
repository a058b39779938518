"""Make compressed sparse tensors, and compute with them (`compressed.py` says what they are).

Arguments are looked at only where the program asks for it (`check_invariants`), as in torch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..array import dtypes
from ..core.value import array_of, wrap
from .api import public
from .compressed import (
    CSC,
    CSR,
    HANDLERS,
    KINDS,
    CompressedTensor,
    Kind,
    check_matrices,
    check_vector,
    compressed,
    coordinates,
    dense,
    from_entries,
    of_entries,
    product,
    to_layout,
    with_values,
)
from .constants import SPARSE
from .interchange import as_tensor
from .sparse import SparseTensor
from .sparse import invariants as checks
from .sparse_values import in_backend, written
from .tensor import Tensor

Function = Callable[..., Any]

# --- making them --------------------------------------------------------------------------------------------


def sparse_compressed_tensor(
    compressed_indices: Any, plain_indices: Any, values: Any, size: Any = None, *, dtype: Any = None,
    layout: Any = None, device: Any = None, pin_memory: bool = False, requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> CompressedTensor:  # fmt: skip
    """Return a sparse tensor of one of the compressed layouts.

    Parameters
    ----------
    compressed_indices : tensor or sequence
        Where each row (or column) begins among the values, and where the last ends: ``(*batch, rows + 1)``.
    plain_indices : tensor or sequence
        The column (or row) of each value, ``(*batch, values)``.
    values : tensor or sequence
        ``(*batch, values, *dense axes)``; of blocks ``(*batch, values, height, width, *dense axes)``.
    size : sequence of int, optional
        By default the least that holds all places.
    layout : layout
        ``torch.sparse_csr``, ``sparse_csc``, ``sparse_bsr`` or ``sparse_bsc``.
    check_invariants : bool, optional
        Whether the parts are held against each other.
    """
    kind = KINDS.get(layout)
    if kind is None:
        raise RuntimeError("sparse_compressed_tensor expected sparse compressed tensor layout but got none")
    pointers, places = as_tensor(compressed_indices).detach(), as_tensor(plain_indices).detach()
    what = as_tensor(values) if dtype is None else as_tensor(values, dtype=dtype)
    if size is None:
        size = _least_size(kind, pointers, places, what)
    if checks.enabled if check_invariants is None else check_invariants:
        check(kind, pointers, places, what, tuple(size))
    made = compressed(kind, pointers, places, what, size)
    made.requires_grad_(requires_grad or what.requires_grad)
    return made


def _least_size(kind: Kind, pointers: Any, places: Any, what: Any) -> list[int]:
    batch = pointers.dim() - 1
    block = tuple(what.shape[batch + 1 : batch + 3]) if kind.in_blocks else (1, 1)
    counts = [pointers.shape[-1] - 1, int(places.max()) + 1 if places.numel() else 0]
    counts = counts if kind.by_rows else counts[::-1]
    rest = what.shape[batch + 1 + 2 * kind.in_blocks :]
    return [*pointers.shape[:-1], *(n * b for n, b in zip(counts, block, strict=True)), *rest]


def check(kind: Kind, pointers: Any, places: Any, values: Any, size: tuple[int, ...]) -> None:
    """Raise torch's error where the parts of a compressed tensor do not fit together."""
    begin, within = kind.pointers, kind.places
    for name, part in ((begin, pointers), (within, places)):
        if part.layout in SPARSE:
            title = "Sparse" if isinstance(part, SparseTensor) else KINDS[part.layout].title
            raise RuntimeError(f"expected {name} to be a strided tensor but got {title} tensor")
    batch, blocks = pointers.dim() - 1, 2 * kind.in_blocks
    if batch < 0:
        raise RuntimeError(f"{begin} must have dimensionality >= 1 but got 0")
    if pointers.dim() != places.dim():
        raise RuntimeError(
            f"{begin} and {within} dimensionalities must be equal but got {pointers.dim()} and "
            f"{places.dim()}, respectively"
        )
    if values.dim() <= batch + blocks:
        raise RuntimeError(
            f"values must have dimensionality > sum of batch and block dimensionalities (={batch} + {blocks})"
            f" but got {values.dim()}"
        )
    rest = values.dim() - batch - blocks - 1
    if len(size) != batch + 2 + rest:
        raise RuntimeError(
            f"tensor dimensionality must be sum of batch, base, and dense dimensionalities (={batch} + 2 + "
            f"{rest}) but got {len(size)}"
        )
    block = tuple(values.shape[batch + 1 : batch + 3]) if kind.in_blocks else (1, 1)
    for axis, n in enumerate(block):
        if n and size[batch + axis] % n:
            raise RuntimeError(
                f"tensor shape[{axis}] (={size[batch + axis]}) must be divisible with blocksize[{axis}] "
                f"(={n}) as defined by values shape"
            )
    major, minor = (0, 1) if kind.by_rows else (1, 0)
    count, limit = (size[batch + axis] // max(block[axis], 1) for axis in (major, minor))
    words = ("row", "column") if kind.by_rows else ("column", "row")
    if pointers.shape[-1] != count + 1:
        named = f"{words[0]} blocks" if kind.in_blocks else f"{words[0]}s"
        raise RuntimeError(
            f"{begin}.shape[-1] must be equal to the number of {named} + 1 (={count + 1}), but got "
            f"{pointers.shape[-1]}"
        )
    found = values.shape[batch]
    if places.shape[-1] != found:
        raise RuntimeError(
            f"{within}.shape[-1] must be equal to nnz (={found}) as defined by values.shape[{batch}], but "
            f"got {places.shape[-1]}"
        )
    if pointers.dtype is not places.dtype:
        named = ", respectively".join((f"{_typed(pointers)} and {_typed(places)}", ""))
        raise RuntimeError(f"{begin} and {within} must have the same dtype, bot got {named}")
    if pointers.dtype not in (dtypes.int32, dtypes.int64):
        raise RuntimeError(f"{begin} and {within} dtype must be Int or Long, but got {_typed(pointers)}")
    short = "ncols" if kind.by_rows else "nrows"
    _check_numbers(kind, array_of(pointers), array_of(places), found, limit, short)


def _typed(tensor: Any) -> str:
    return str(tensor.dtype.scalar_type)


def _check_numbers(
    kind: Kind, starts: np.ndarray, places: np.ndarray, found: int, limit: int, short: str
) -> None:
    begin, within = kind.pointers, kind.places
    sizes = np.diff(starts, axis=-1)
    count = "nrows" if kind.by_rows else "ncols"
    distinct = True
    if (starts[..., -1] == found).all() and (sizes >= 0).all() and (starts[..., 0] == 0).all():
        for row, held in zip(sizes.reshape(-1, sizes.shape[-1]), places.reshape(-1, found), strict=True):
            major = np.repeat(np.arange(len(row)), row)
            distinct &= bool(((np.diff(held) > 0) | (np.diff(major) > 0)).all())
    for holds, text in (
        (((places >= 0) & (places < limit)).all(), f"0 <= {within} < {short}"),
        ((starts[..., 0] == 0).all(), f"{begin}[..., 0] == 0"),
        ((starts[..., -1] == found).all(), f"{begin}[..., -1] == nnz"),
        (
            ((sizes >= 0) & (sizes <= limit)).all(),
            f"0 <= {begin}[..., 1:] - {begin}[..., :-1] <= {short}",
        ),
        (
            distinct,
            (
                f"{within}[..., {begin}[..., i - 1]:{begin}[..., i]] for all i = 1, ..., {count} are sorted "
                "and distinct along the last dimension values"
            ),
        ),
    ):  # fmt: skip
        if not holds:
            raise RuntimeError(f"`{text}` is not satisfied.")


def _of_kind(kind: Kind) -> Function:
    short = kind.title[6:].lower()

    def make(
        compressed_indices: Any, plain_indices: Any, values: Any, size: Any = None, **options: Any
    ) -> CompressedTensor:
        options.pop("layout", None)
        return sparse_compressed_tensor(
            compressed_indices, plain_indices, values, size, layout=kind.layout, **options
        )

    make.__name__ = make.__qualname__ = f"sparse_{short}_tensor"
    make.__doc__ = f"Return a sparse tensor in {short.upper()}: `sparse_compressed_tensor` of that layout."
    return make


for _kind in KINDS.values():
    public(_of_kind(_kind), method=False, out=False)
public(sparse_compressed_tensor, method=False, out=False)


@public(name="_convert_indices_from_coo_to_csr", method=False)
def convert_indices_from_coo_to_csr(input: Any, size: int, *, out_int32: bool = False) -> Any:
    """Return where each of `size` rows begins among the rows of entries, which are in order."""
    starts = np.searchsorted(array_of(input), np.arange(size + 1), side="left")
    return wrap(starts.astype(np.int32 if out_int32 else np.int64))


@public(name="_convert_indices_from_csr_to_coo", method=False)
def convert_indices_from_csr_to_coo(
    crow_indices: Any, col_indices: Any, *, out_int32: bool = False, transpose: bool = False
) -> Any:
    """Return rows and columns, ``(2, entries)``, of where each row begins and of the columns."""
    starts, columns = array_of(crow_indices), array_of(col_indices)
    parts = [np.repeat(np.arange(len(starts) - 1), np.diff(starts)), columns]
    made = np.stack(parts[::-1] if transpose else parts)
    return wrap(made.astype(np.int32 if out_int32 else np.int64))


# --- what dense tensors, and tensors of coordinates, have of them -------------------------------------------


def _converter(kind: Kind) -> Function:
    short = kind.title[6:].lower()
    name = f"to_sparse_{short}"
    def by_blocks(self: Any, blocksize: Any, dense_dim: int | None = None) -> Any:
        return to_layout(self, kind.layout, blocksize, dense_dim, name)

    def by_elements(self: Any, dense_dim: int | None = None) -> Any:
        return to_layout(self, kind.layout, None, dense_dim, name)

    convert: Function = by_blocks if kind.in_blocks else by_elements
    convert.__name__ = convert.__qualname__ = name
    convert.__doc__ = f"Return the elements that are not zero as a sparse tensor in {short.upper()}."
    return convert


def _absent(name: str, word: str) -> Function:
    def refused(self: Any) -> Any:
        title = "Sparse" if isinstance(self, SparseTensor) else "Strided"
        raise RuntimeError(f"{name} expected sparse {word} tensor layout but got {title}")

    refused.__name__ = refused.__qualname__ = name
    refused.__doc__ = f"Refused: only a tensor of the {word} layouts has them."
    return refused


#: The functions that convert, by name.
CONVERTERS: dict[str, Function] = {}
for _kind in KINDS.values():
    _convert = _converter(_kind)
    public(_convert, is_function=False, out=False)
    CONVERTERS[_convert.__name__] = _convert
HANDLERS.update(CONVERTERS)
#: The functions that other layouts have no part for, by name.
REFUSED = {
    name: _absent(name, word)
    for word, names in {
        "row compressed": (CSR.pointers, CSR.places), "column compressed": (CSC.pointers, CSC.places),
    }.items()
    for name in names
}  # fmt: skip
for _refused in (*REFUSED.values(), _absent("coalesce", "coordinate"), _absent("indices", "coordinate")):
    public(_refused, is_function=False, out=False)


@public(is_function=False, out=False)
def values(self: Any) -> Any:
    """Refused: only a sparse tensor has them."""
    raise RuntimeError("values expected sparse tensor layout but got Strided")


@public(is_function=False, out=False)
def to_sparse_coo(self: Any) -> Any:
    """Return the elements that are not zero as a sparse tensor of coordinates."""
    return self.to_sparse()


# --- what functions do to them ------------------------------------------------------------------------------


def _each(name: str) -> Function:
    """Return a function that leaves zeros zero."""

    def apply(x: Any, *args: Any, **kwargs: Any) -> Any:
        return with_values(x, getattr(x._what, name)(*args, **kwargs))

    return apply


def _each_in_place(name: str) -> Function:
    def apply(x: Any, *args: Any, **kwargs: Any) -> Any:
        x._what = getattr(x._what, name)(*args, **kwargs)
        return x

    return apply


def _addmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    check_matrices(mat1, mat2)
    result = product(mat1, mat2)
    result = result if alpha == 1 else result * alpha
    if not beta:
        return result
    return (input if beta == 1 else input * beta) + result


def _addmv(input: Any, mat: Any, vec: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    check_vector(mat, vec)
    return input * beta + product(mat, vec) * alpha if beta else product(mat, vec) * alpha


def _linear(input: Any, weight: Any, bias: Any = None) -> Any:
    result = product(input, weight.t())
    return result if bias is None else result + bias


def _add(x: Any, y: Any, *, alpha: Any = 1) -> Any:
    if not isinstance(x, CompressedTensor):
        return x + dense(y) * alpha
    if not isinstance(y, (CompressedTensor, SparseTensor)):
        return dense(x) + y * alpha
    if x.shape != y.shape:
        raise RuntimeError(
            f"add: Expected input tensors to have the same shape, but got tensor `self` with shape "
            f"{list(x.shape)} and tensor `other` with shape {list(y.shape)}"
        )
    summed = coordinates(x) + (coordinates(y) if isinstance(y, CompressedTensor) else y) * alpha
    return to_layout(summed.coalesce(), x.layout, x._block())


def _scaled(x: Any, y: Any) -> Any:
    if not isinstance(x, CompressedTensor):
        x, y = y, x
    if not isinstance(y, Tensor) or not y.dim():
        return with_values(x, x._what * y)
    if isinstance(y, (CompressedTensor, SparseTensor)):
        y = y.to_dense()
    rows, columns, found = of_entries(x)
    return from_entries(x._kind, rows, columns, found * y[wrap(rows), wrap(columns)], x.shape, x._block())


def _sum(x: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    if dim is None:
        return x._what.sum(dtype=dtype)
    if not keepdim:
        raise RuntimeError("reduction operations on CSR tensors with keepdim=False is unsupported")
    return to_layout(dense(x).sum(dim, keepdim=True, dtype=dtype), x.layout)


def _zeros_like(x: Any, **_: Any) -> CompressedTensor:
    part = x._batch()
    nothing = x._what.detach().narrow(part, 0, 0).clone()
    starts = x._pointers * 0
    return compressed(x._kind, starts, x._places.narrow(part, 0, 0).clone(), nothing, x.shape)


def _ones_like(x: Any, **_: Any) -> CompressedTensor:
    return with_values(x, x._what.new_ones(x._what.shape))


def _zero_(x: Any) -> CompressedTensor:
    empty = _zeros_like(x)
    x._pointers, x._places, x._what = empty._pointers, empty._places, empty._what
    found: CompressedTensor = x
    return found


def _clone(x: Any, **_: Any) -> CompressedTensor:
    return compressed(x._kind, x._pointers.clone(), x._places.clone(), x._what.clone(), x.shape)


def _converted(x: Any, *args: Any, **kwargs: Any) -> CompressedTensor:
    found = x._what.to(*args, **kwargs)
    return x if found is x._what else with_values(x, found)


def _type(name: str) -> Function:
    return lambda x: _converted(x, getattr(dtypes, name))


def _to_sparse(x: Any, sparse_dim: Any = None, *, layout: Any = None, blocksize: Any = None,
               dense_dim: Any = None) -> Any:  # fmt: skip
    return to_layout(x, SPARSE[0] if layout is None else layout, blocksize, dense_dim)


def sampled_addmm(
    input: Any, mat1: Any, mat2: Any, *, beta: Any = 1.0, alpha: Any = 1.0, out: Any = None
) -> Any:
    """Return ``beta·input + alpha·(mat1 @ mat2)`` at the places that `input`, in CSR, has entries."""
    if not isinstance(input, CompressedTensor) or input._kind is not CSR:
        raise RuntimeError("sampled_addmm: Expected self to have sparse csr layout")
    rows, columns, found = of_entries(input)
    products = (mat1[wrap(rows)] * mat2.t()[wrap(columns)]).sum(1) * alpha
    return written(lambda: with_values(input, found * beta + products), (), {"out": out})


def reduced(x: Any, y: Any, reduce: str) -> Any:
    """Return the sum, mean, maximum or minimum of the rows of y, each times its weight, by row of x."""
    if not isinstance(x, CompressedTensor):
        in_backend("_sparse_mm_reduce_impl", "SparseCPU" if isinstance(x, SparseTensor) else "CPU")
    if x._kind is not CSR:
        raise RuntimeError(f"sparse_mm_reduce: expect self to be SparseCsr, got {x._kind.title}")
    if reduce == "sum":
        return product(x, y)
    rows, columns, found = of_entries(x)
    weighted = y[wrap(columns)] * found.unsqueeze(1)
    start = weighted.new_zeros((x.shape[0], y.shape[1]))
    return start.index_reduce(0, wrap(rows), weighted, reduce, include_self=False)


HANDLERS.update({
    "addmm": _addmm, "addmv": _addmv, "linear": _linear, "add": _add, "__add__": _add, "mul": _scaled,
    "__radd__": lambda x, y: _add(y, x), "__mul__": _scaled, "sum": _sum, "zeros_like": _zeros_like,
    "ones_like": _ones_like, "empty_like": _ones_like, "clone": _clone, "zero_": _zero_,
    "to": _converted, "type": _converted, "to_sparse": _to_sparse,
    "to_sparse_coo": coordinates, "cpu": lambda x, *_, **__: x, "contiguous": lambda x, *_, **__: x,
    "select": lambda x, dim, index: coordinates(x).select(dim, index), "is_tensor": lambda x: True,
    "is_floating_point": lambda x: x._what.is_floating_point(), "neg": lambda x: with_values(x, -x._what),
    "is_complex": lambda x: x._what.is_complex(), "sampled_addmm": sampled_addmm,
    **{name: _type(name) for name in ("float", "double", "half", "bfloat16", "long", "int", "bool")},
    **{
        name: _each(name)
        for name in (
            "abs", "angle", "asin", "asinh", "atan", "atanh", "ceil", "conj", "deg2rad", "erf", "erfinv",
            "expm1", "floor", "frac", "isinf", "isnan", "isneginf", "isposinf", "log1p", "rad2deg", "relu",
            "round", "sgn", "sign", "signbit", "sin", "sinh", "sqrt", "tan", "tanh", "threshold", "trunc",
        )
    },
    **{
        f"{name}_": _each_in_place(name)
        for name in (
            "abs", "asin", "asinh", "atan", "atanh", "ceil", "deg2rad", "erf", "expm1", "floor", "log1p",
            "mul", "neg", "rad2deg", "relu", "round", "sign", "sin", "sinh", "sqrt", "tan", "tanh", "trunc",
        )
    },
})  # fmt: skip
