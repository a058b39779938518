"""Sparse tensors of coordinates: what graph programs and `SparseAdam` need of ``torch.sparse_coo``.

A `SparseTensor` holds two tensors: the places of its entries, ``(sparse axes, entries)``, and their values,
``(entries, *dense axes)``. The values are ordinary tensors with their history, so that a product with a dense
matrix is differentiable in both. A function without a form for sparse tensors is refused as torch refuses it;
none makes a dense copy unless the program asks for one.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, NoReturn

import numpy as np

from ..array import dtypes
from ..core.value import InnerValue, array_of, dtype_of, wrap
from .api import with_signature
from .constants import SPARSE, layout_title
from .indexing import index_put
from .interception import OVERRIDING
from .interchange import as_tensor
from .printing import contents_text, printing_options, with_suffixes
from .sparse_graph import is_recorded, of_values, record, values_of
from .sparse_refusals import no_kernel, refusal
from .tensor import Tensor

Function = Callable[..., Any]


class NoElements(InnerValue):
    """Stand where a dense tensor has its array: it has a shape and a dtype, and gives no elements."""

    __array_ufunc__ = None
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.shape, self.dtype = shape, dtype

    @classmethod
    def run(cls, op: Any, inputs: tuple[object, ...], attrs: tuple[object, ...], level: int) -> NoReturn:
        """Refuse an op, as none runs on what is not there."""
        refuse(op.name)

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("can't convert Sparse layout tensor to numpy. Use Tensor.to_dense() first.")


class OneElement:
    """Give the number of a tensor without an array: it has `_count` elements, those of `_dense`."""

    __slots__ = ()
    _count: Any
    _dense: Any

    def item(self) -> Any:
        """Return the number that a tensor of one element holds."""
        if self._count != 1:
            raise RuntimeError(f"a Tensor with {self._count} elements cannot be converted to Scalar")
        return self._dense.item()

    def __bool__(self) -> bool:
        if self._count != 1:
            many = "more than one value" if self._count else "no values"
            raise RuntimeError(f"Boolean value of Tensor with {many} is ambiguous")
        return bool(self.item())

    def __float__(self) -> float:
        return float(self._only())

    def __int__(self) -> int:
        return int(self._only())

    def __complex__(self) -> complex:
        return complex(self._only())

    def _only(self) -> Any:
        if self._count != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return self.item()


#: Methods that are no declared functions, which sparse tensors have otherwise.
DISPATCHED = (
    "detach", "apply_", "copy_", "fill_", "squeeze_", "swapaxes_", "swapdims_", "t_", "transpose_", "type",
    "unsqueeze_", "zero_", "_is_view",
)  # fmt: skip


@cache
def functions() -> Function:
    """Return what calls a function of sparse tensors, whose table is imported with the first such call."""
    from .sparse_functions import called

    return called


def _attribute(name: str) -> property:
    def get(self: Any) -> Any:
        return functions()(self.layout_name, name, (self,), {})

    return property(get)


class Sparse(OneElement, Tensor):
    """Hold what tensors of coordinates and compressed ones share: places, and values with a history."""

    _overrides_once_made = True
    _dispatched = DISPATCHED
    _sparse = True
    _plain: Any
    _what = property(values_of)
    _count = property(lambda self: math.prod(self.shape))
    _dense = property(lambda self: self.to_dense())
    #: The short name of the layout.
    layout_name: str

    T, mT, H, mH = map(_attribute, ("T", "mT", "H", "mH"))
    real, imag = map(_attribute, ("real", "imag"))
    data = property(lambda self: self.detach())

    def tolist(self) -> NoReturn:
        """Raise torch's error: ask for `to_dense` first."""
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")

    def is_nonzero(self) -> bool:
        """Return whether the one element is not zero."""
        return bool(self)

    def _is_view(self) -> bool:
        return False

    def __iter__(self) -> Iterator[Any]:
        return (self[n] for n in range(self.shape[0]))

    def __getitem__(self, index: Any) -> Any:
        from .sparse_indexing import item

        return item(self, index)

    def __setitem__(self, index: Any, value: Any) -> NoReturn:
        raise TypeError("Cannot assign to a sparse tensor")

    def __reduce_ex__(self, protocol: Any) -> Any:
        from .sparse_whole import rebuilt, taken_apart

        return rebuilt, taken_apart(self)


class SparseTensor(Sparse):
    """A tensor most of whose elements are zero: the places and values of the others.

    Places that occur more than once stand for the sum of their values; `coalesce` adds them up.
    """

    layout_name = "coo"
    _where: Any
    _unique: bool

    @classmethod
    def __torch_function__(
        cls, func: Function, types: Iterable[type], args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:  # fmt: skip
        for t in types:
            if t is not cls and hasattr(t, "crow_indices") and t.__name__ == "Tensor":
                return NotImplemented  # compressed tensors know those of coordinates
        return functions()("coo", func.__name__, args, kwargs or {})

    # --- its parts ------------------------------------------------------------------------------------------

    is_sparse = property(lambda self: True)
    layout = property(lambda self: SPARSE[0])

    def coalesce(self) -> SparseTensor:
        """Return entries in order of place, one for each place."""
        if self._unique:
            return self
        sizes = self.shape[: self.sparse_dim()]
        flat = (
            np.ravel_multi_index(tuple(self._where.numpy()), sizes) if sizes else np.zeros(self._nnz(), int)
        )
        places, which = np.unique(flat, return_inverse=True)
        plain = self._plain
        summed = plain.new_zeros((len(places), *plain.shape[1:]))
        summed = summed.index_add(0, wrap(which.reshape(-1).astype(np.int64)), plain)
        where = np.stack(np.unravel_index(places, sizes)).astype(np.int64) if sizes else np.zeros((0, 1), int)
        found = sparse(wrap(where), summed, self.shape, unique=True)
        if not is_recorded((self,)):
            return found
        made: SparseTensor = record("CoalesceBackward0", found, (self,), (lambda g: g,))
        return made

    def stride(self, dim: int | None = None) -> Any:
        """Return 0 along each axis: torch keeps no others."""
        return (0,) * self.dim() if dim is None else 0

    @property
    def nbytes(self) -> NoReturn:
        """Raise torch's error: the parts have theirs."""
        raise RuntimeError(
            "nbytes is not defined for sparse tensors.  If you want the size of the constituent tensors, add "
            "the nbytes of the indices and values.  If you want the size of the  equivalent dense tensor, "
            "multiply numel() by element_size()"
        )

    def is_coalesced(self) -> bool:
        """Return whether each place is known to occur once, in order."""
        return self._unique

    def _coalesced_(self, coalesced: bool) -> SparseTensor:
        self._unique = coalesced
        return self

    def indices(self) -> Any:
        """Return the places, of a coalesced tensor."""
        return self._checked("indices")._where

    def values(self) -> Any:
        """Return the values, of a coalesced tensor."""
        return self._checked("values")._what

    def _checked(self, name: str) -> SparseTensor:
        if not self._unique:
            raise RuntimeError(f"Cannot get {name} on an uncoalesced tensor, please call .coalesce() first")
        return self

    def _indices(self) -> Any:
        return self._where

    def _values(self) -> Any:
        return self._what

    def _nnz(self) -> int:
        return int(self._where.shape[1])

    def sparse_dim(self) -> int:
        """Return the number of axes that the places name."""
        return int(self._where.shape[0])

    def dense_dim(self) -> int:
        """Return the number of axes that the values have."""
        return int(self._what.dim() - 1)

    # --- as a dense tensor has them -------------------------------------------------------------------------

    def _spread(self, values: Any) -> Any:
        """Return the covector for one of the values."""
        return sparse(self._where, values, self.shape, self._unique)

    def _gathered(self, g: Any) -> Any:
        """Return the covector of the values for one."""
        if isinstance(g, SparseTensor) and np.array_equal(g._where.numpy(), self._where.numpy()):
            return g._what
        return g.to_dense()[tuple(self._where)]

    def _accumulated(self) -> SparseTensor:
        """Return what becomes a leaf's gradient: it takes the parts, and forgets that they are coalesced."""
        taken = self._plain.is_contiguous()
        return sparse(self._where, self._what, self.shape, self._unique and not taken)

    def detach(self) -> SparseTensor:
        """Return the same entries without history."""
        return self._spread(self._plain.detach())

    def numpy(self, *_: Any, **__: Any) -> NoReturn:
        """Raise torch's error: ask for `to_dense` first."""
        raise TypeError("can't convert Sparse layout tensor to numpy. Use Tensor.to_dense() first.")

    def is_contiguous(self, *_: Any, **__: Any) -> bool:
        """Return False."""
        return False

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        values = shown_part("values", self._what)
        parts = [f"size={tuple(self.shape)}", f"nnz={self._nnz()}"]
        parts += [kind] if (kind := shown_dtype(self._what)) else []
        parts.append("layout=torch.sparse_coo")
        if self.requires_grad:
            node = self.grad_fn
            parts.append(f"grad_fn=<{type(node).__name__}>" if node else "requires_grad=True")
        text = f"tensor({shown_part('indices', self._where)},\n       {values}"
        return with_suffixes(text, parts, len("tensor("), printing_options().linewidth, apart=True)

    def __deepcopy__(self, memo: dict[int, Any]) -> SparseTensor:
        return sparse(self._where.clone(), self._plain.detach().clone(), self.shape, self._unique)


for _kind in (Sparse, SparseTensor):
    _kind.__name__ = _kind.__qualname__ = "Tensor"
    _kind.__module__ = "torch"


def shown_part(name: str, value: Any) -> str:
    """Return how a sparse tensor prints one of its parts."""
    begin = f"{name}=tensor("
    if 0 in value.shape:
        return f"{begin}[], size={tuple(value.shape)})"
    array = array_of(value.detach())
    text = contents_text(array, value.dtype, len("tensor(") + len(begin), printing_options())
    return f"{begin}{text})"


def shown_dtype(values: Any) -> str:
    """Return what a sparse tensor prints of the dtype of its values; nothing where it goes without saying."""
    kind, usual = values.dtype, dtypes.get_default_dtype()
    plain = kind in (usual, usual.to_complex(), dtypes.int64, dtypes.bool)
    return "" if plain else f"dtype={kind}"


def refuse(name: str) -> NoReturn:
    """Raise torch's error for an op without a form for sparse tensors."""
    raise refusal(name, "coo", ())


def in_backend(name: str, backend: str) -> NoReturn:
    """Raise torch's error for an op that a backend does not have."""
    raise no_kernel(name, backend)


def sparse(where: Any, what: Any, size: Sequence[int], unique: bool = False) -> SparseTensor:
    """Return a sparse tensor of its two parts, which are not looked at."""
    OVERRIDING.add(SparseTensor)
    made: Any = wrap(NoElements(tuple(size), dtype_of(what)))
    made.__class__ = SparseTensor
    made._where, made._unique = where, unique or where.shape[1] < 2
    found: SparseTensor = of_values(made, what, "SparseCooTensorWithDimsAndTensorsBackward0")
    return found


_OPTIONS = "torch.dtype dtype = None, torch.device device = None, bool"


@with_signature(
    f"(object indices, object values, *, {_OPTIONS} pin_memory = False, bool requires_grad = False, bool "
    "check_invariants = None, bool is_coalesced = None)",
    f"(object indices, object values, tuple of ints size, *, {_OPTIONS} pin_memory = False, bool "
    "requires_grad = False, bool check_invariants = None, bool is_coalesced = None)",
    f"(tuple of ints size, *, {_OPTIONS} requires_grad = False, bool check_invariants = None)", method=False,
    out=False,
)
def sparse_coo_tensor(
    indices: Any = None, values: Any = None, size: Any = None, *, dtype: Any = None, device: Any = None,
    pin_memory: bool = False, requires_grad: bool = False, check_invariants: bool | None = None,
    is_coalesced: bool | None = None,
) -> SparseTensor:  # fmt: skip
    """Return a sparse tensor of coordinates.

    Parameters
    ----------
    indices : tensor or sequence
        Places, ``(sparse axes, entries)``; or, alone, the size of a tensor without entries, which may
        also be given as `size`.
    values : tensor or sequence
        ``(entries, *dense axes)``.
    size : sequence of int, optional
        By default the least that holds all places.

    Raises
    ------
    RuntimeError
        If the parts do not fit together. Places are held against the size where the program asks for it.
    """
    if values is None and indices is None:
        return _without_entries(size, dtype, requires_grad)
    if indices is None:
        raise TypeError("'NoneType' object cannot be interpreted as an integer")
    where = as_tensor(indices).to(dtypes.int64).detach()
    what = as_tensor(values) if dtype is None else as_tensor(values, dtype=dtype)
    if what._sparse:
        title = layout_title(what.layout)
        raise RuntimeError(f"expected values to be a dense tensor, but got values of layout {title}")
    if not where.dim():
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    if where.dim() != 2:
        raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {list(where.shape)}")
    what = what.unsqueeze(0) if what.dim() == 0 else what
    if size is None:
        most = where.numpy().max(axis=1, initial=-1) + 1
        if where.numel() and int(where.numpy().min()) < 0:
            raise RuntimeError(f"found negative index {int(where.numpy().min())} for dim "
                               f"{int(where.numpy().min(axis=1).argmin())}")  # fmt: skip
        size = (*map(int, most), *what.shape[1:])
    size = checked_size(size)
    checks = invariants.enabled if check_invariants is None else check_invariants
    _check_parts(where, what, size, is_coalesced if checks else None, checks)
    made = sparse(where, what, size, bool(is_coalesced))
    if requires_grad:
        made.requires_grad_()
    return made


def _without_entries(size: Any, dtype: Any, requires_grad: bool) -> SparseTensor:
    shape = checked_size(size)
    dtype = dtypes.get_default_dtype() if dtype is None else dtype
    empty = as_tensor(np.zeros(0), dtype=dtype)
    made = sparse(wrap(np.zeros((len(shape), 0), np.int64)), empty, shape, unique=True)
    if requires_grad:
        made.requires_grad_()
    return made


def checked_size(size: Any) -> tuple[int, ...]:
    """Return a size as a tuple, which has no negative number in it."""
    shape = tuple(size)
    if any(n < 0 for n in shape):
        raise RuntimeError("numel: integer multiplication overflow")
    return shape


def _check_parts(where: Any, what: Any, size: Sequence[int], unique: bool | None, checks: bool) -> None:
    """Raise torch's error where the parts do not fit together; places are looked at if the program asks."""
    if len(size) != len(where) + what.dim() - 1:
        raise RuntimeError(
            f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(size)}, sparse_dim = "
            f"{len(where)}, dense_dim = {what.dim() - 1}"
        )
    if where.shape[1] != what.shape[0]:
        raise RuntimeError(
            f"indices and values must have same nnz, but got nnz from indices: {where.shape[1]}, nnz from "
            f"values: {what.shape[0]}"
        )
    if tuple(size[len(where) :]) != tuple(what.shape[1:]):
        expected = list(what.shape)
        expected[1:] = size[len(where) :]
        raise RuntimeError(f"values has incorrect size, expected {expected}, got {list(what.shape)}")
    if not checks or not where.numel():
        return
    places = where.numpy()
    for axis, n in enumerate(size[: len(where)]):
        if places[axis].min() < 0:
            raise RuntimeError(f"found negative index {places[axis].min()} for dim {axis}")
        if places[axis].max() >= n:
            raise RuntimeError(
                f"size is inconsistent with indices: for dim {axis}, size is {n} but found index "
                f"{places[axis].max()}"
            )
    if unique and len(places):
        steps = np.diff(places, axis=1)  # the first axis along which two neighbours differ says their order
        first = np.argmax(steps != 0, axis=0)
        if (steps[first, np.arange(steps.shape[1])] <= 0).any():
            raise RuntimeError(
                "cannot set is_coalesced to true if indices correspond to uncoalesced COO tensor"
            )


class Invariants(threading.local):
    """Say whether the parts of every sparse tensor are held against each other when it is made."""

    enabled = False


invariants = Invariants()


# --- what functions do to sparse tensors --------------------------------------------------------------------


def dense(x: Any, dtype: Any = None, **_: Any) -> Any:
    """Return all elements as a dense tensor; one that is dense as it is."""
    if not isinstance(x, SparseTensor):
        return x
    if dtype is not None:
        raise RuntimeError("dtype argument is not supported by sparse_to_dense")
    values = x._what
    if not x.sparse_dim():
        return values.sum(0, dtype=values.dtype)
    places = tuple(map(wrap, array_of(x._where)))
    return index_put(values.new_zeros(x.shape), places, values, accumulate=True)


def _no_format() -> NoReturn:
    raise RuntimeError("unsupported memory format option Contiguous")


def become(x: Any, result: Any) -> Any:
    """Give a tensor the entries of another one."""
    x.__dict__.update(result.__dict__)
    x._value, x._node = result._value, result._node
    return x


#: What tensors of coordinates have of them.
HANDLERS: dict[str, Function] = {
    "to_dense": dense, "coalesce": SparseTensor.coalesce,
    "contiguous": lambda x, *_, **__: _no_format(),
}  # fmt: skip
