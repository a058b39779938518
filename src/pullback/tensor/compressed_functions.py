"""Make compressed sparse tensors, and compute with them (`compressed.py` says what they are).

Arguments are looked at only where the program asks for it (`check_invariants`), as in torch.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..array import dtypes
from ..core.value import array_of, wrap
from ..errors import with_name
from .api import public
from .compressed import KINDS, CompressedTensor, Kind, compressed
from .constants import SPARSE, layout_title
from .interchange import as_tensor
from .signature import Parser
from .sparse import checked_size
from .sparse import invariants as checks

Function = Callable[..., Any]

# --- making them --------------------------------------------------------------------------------------------


@public(method=False, out=False)
def sparse_compressed_tensor(*args: Any, **kwargs: Any) -> CompressedTensor:
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
    layout = kwargs.pop("layout", None)
    parser = _parser("sparse_compressed_tensor", "compressed_indices", "plain_indices")
    given = parser.bind(args, kwargs)
    return _made(given.pop("compressed_indices"), given.pop("plain_indices"), layout=layout, **given)


def _made(
    compressed_indices: Any, plain_indices: Any, values: Any, size: Any = None, *, dtype: Any = None,
    layout: Any = None, device: Any = None, pin_memory: bool = False, requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> CompressedTensor:  # fmt: skip
    if (kind := KINDS.get(layout)) is None:
        found = "none" if layout is None else layout_title(layout)
        raise RuntimeError(
            f"sparse_compressed_tensor expected sparse compressed tensor layout but got {found}"
        )
    pointers, places = as_tensor(compressed_indices).detach(), as_tensor(plain_indices).detach()
    what = as_tensor(values) if dtype is None else as_tensor(values, dtype=dtype)
    if size is None:
        size = _least_size(kind, pointers, places, what)
    size = checked_size(size)
    if checks.enabled if check_invariants is None else check_invariants:
        check(kind, pointers, places, what, tuple(size))
    made = compressed(kind, pointers, places, what, size)
    if requires_grad:
        made.requires_grad_()
    return made


def _least_size(kind: Kind, pointers: Any, places: Any, what: Any) -> list[int]:
    batch = pointers.dim() - 1
    if kind.in_blocks and what.dim() <= batch + 2:
        raise RuntimeError(
            f"values must have dimensionality > sum of batch and block dimensionalities (={batch} + 2) but "
            f"got {what.dim()}"
        )
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
            title = layout_title(part.layout)
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
        (((sizes >= 0) & (sizes <= limit)).all(), f"0 <= {begin}[..., 1:] - {begin}[..., :-1] <= {short}"),
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


_OPTIONS = (
    "torch.dtype dtype = None, torch.layout layout = None, torch.device device = None, bool pin_memory = "
    "False, bool requires_grad = False, bool check_invariants = None)"
)


def _parser(name: str, begin: str, within: str) -> Parser:
    parts = f"(object {begin}, object {within}, object values"
    return Parser(name, f"{parts}, tuple of ints size, *, {_OPTIONS}", f"{parts}, *, {_OPTIONS}")


def _of_kind(kind: Kind) -> Function:
    name = f"sparse_{kind.short}_tensor"
    parser = _parser(name, kind.pointers, kind.places)

    def make(*args: Any, **kwargs: Any) -> CompressedTensor:
        if (other := kwargs.pop("layout", None)) is not None and other is not kind.layout:
            raise RuntimeError(f"{name}: layout must be {kind.title} but got {layout_title(other)}")
        given = parser.bind(args, kwargs)
        pointers, places = given.pop(kind.pointers), given.pop(kind.places)
        return _made(pointers, places, layout=kind.layout, **given)

    title = kind.short.upper()
    text = f"Return a sparse tensor in {title}: `sparse_compressed_tensor` of that layout."
    return with_name(make, name, text)


sparse_csr_tensor, sparse_csc_tensor, sparse_bsr_tensor, sparse_bsc_tensor = (
    public(_of_kind(_kind), method=False, out=False) for _kind in KINDS.values()
)


@public(method=False)
def _convert_indices_from_coo_to_csr(input: Any, size: int, *, out_int32: bool = False) -> Any:
    """Return where each of `size` rows begins among the rows of entries, which are in order."""
    starts = np.searchsorted(array_of(input), np.arange(size + 1), side="left")
    return wrap(starts.astype(np.int32 if out_int32 else np.int64))


@public(method=False)
def _convert_indices_from_csr_to_coo(
    crow_indices: Any, col_indices: Any, *, out_int32: bool = False, transpose: bool = False
) -> Any:
    """Return rows and columns, ``(2, entries)``, of where each row begins and of the columns."""
    starts, columns = array_of(crow_indices), array_of(col_indices)
    parts = [np.repeat(np.arange(len(starts) - 1), np.diff(starts)), columns]
    made = np.stack(parts[::-1] if transpose else parts)
    return wrap(made.astype(np.int32 if out_int32 else np.int64))
