"""Functions of places of sparse tensors and of lengths of packed sequences, which are a part of the program.

They look at these numbers with NumPy. Numbers that are known only in the program are those of the call that
is traced, and each call compares its own with them (`Session.fixed`).
"""

from typing import Any

from ....core.value import TensorBase, dtype_of
from ....nn.functional import packing
from ....tensor import compressed_functions, sparse
from ..state.session import Session
from . import native_functions
from .rules import rule

_COMPRESSED = tuple(
    getattr(compressed_functions, f"sparse_{name}_tensor")
    for name in ("compressed", "csr", "csc", "bsr", "bsc")
)
#: What constructors call the places.
_PLACES = frozenset({
    "indices", "compressed_indices", "plain_indices", "crow_indices", "col_indices", "ccol_indices",
    "row_indices",
})  # fmt: skip


@rule(sparse.sparse_coo_tensor, *_COMPRESSED)
def _sparse(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    count = 1 if f is sparse.sparse_coo_tensor else 2
    places = (_fixed(session, t) for t in args[:count])
    named = {name: _fixed(session, kwargs[name]) for name in _PLACES & kwargs.keys()}
    return native_functions.call_native(session, f, (*places, *args[count:]), kwargs | named)


def _fixed(session: Session, t: object) -> Any:
    known = not isinstance(t, TensorBase) or dtype_of(t).kind != "i" or not session.cells.is_traced(t)
    return t if known else session.fixed(t)


@rule(packing._pack_padded_sequence, packing._pad_packed_sequence)
def _packed(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    data, lengths, *rest = args
    return native_functions.call_native(session, f, (data, _fixed(session, lengths), *rest), kwargs)
