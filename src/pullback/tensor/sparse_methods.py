"""Give dense tensors the methods of sparse ones: conversions, and torch's errors for parts that only sparse
tensors have.

The modules of sparse tensors are loaded when the first one is made; this one is loaded by every import.
"""

from collections.abc import Callable
from typing import Any

from ..core.value import shape_of
from ..errors import with_name
from .api import public
from .conversion import cast
from .sparse_refusals import no_kernel

Function = Callable[..., Any]


def _converter(name: str, doc: str) -> Function:
    def convert(self: Any, *args: Any, **kwargs: Any) -> Any:
        from .sparse_conversion import CONVERTERS

        return CONVERTERS[name](self, *args, **kwargs)

    return with_name(convert, name, doc)


_WORDS = "Return the elements that are not zero as a sparse tensor"
for _short in ("csr", "csc", "bsr", "bsc"):
    public(_converter(f"to_sparse_{_short}", f"{_WORDS} in {_short.upper()}."), is_function=False, out=False)
public(_converter("to_sparse_coo", f"{_WORDS} of coordinates."), is_function=False, out=False)
public(
    _converter("to_sparse", f"{_WORDS}: of coordinates, or of another `layout`."),
    is_function=False, out=False,
)  # fmt: skip


@public(is_function=False, out=False)
def smm(self: Any, mat: Any) -> Any:
    """Return the product with a matrix, this one being sparse, as a sparse matrix."""
    from .sparse_products import smm

    return smm(self, mat)


@public(is_function=False, out=False)
def sspaddmm(self: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return ``beta·self + alpha·(mat1 @ mat2)`` as a sparse matrix."""
    from .sparse_products import sspaddmm

    return sspaddmm(self, mat1, mat2, beta=beta, alpha=alpha)


@public(is_function=False, out=False)
def sparse_mask(self: Any, mask: Any) -> Any:
    """Return the elements at the places that `mask`, which is sparse, has entries."""
    from .sparse_indexing import sparse_mask

    return sparse_mask(self, mask)


@public(is_function=False, out=False)
def sparse_dim(self: Any) -> int:
    """Return 0: the tensor is dense."""
    return 0


@public(is_function=False, out=False)
def dense_dim(self: Any) -> int:
    """Return the number of dimensions."""
    return len(shape_of(self))


@public(is_function=False, out=False)
def to_dense(self: Any, dtype: Any = None, *, masked_grad: bool | None = None) -> Any:
    """Return the tensor itself, in another dtype where one is given."""
    return self if dtype is None else cast(self, dtype)


#: The types of results that are not tensors.
_RESULTS = {"is_coalesced": "bool", "_nnz": "int"}


def _absent(name: str, word: str) -> Function:
    def refused(self: Any) -> Any:
        title = "Sparse" if self.is_sparse else "Strided"
        raise RuntimeError(f"{name} expected sparse {word}tensor layout but got {title}")

    refused.__annotations__["return"] = _RESULTS.get(name, "Any")
    return with_name(refused, name, f"Raise torch's error: only a sparse {word}tensor has them.")


#: Parts that dense tensors lack, by the layouts that have them.
_PARTS = {
    "coordinate ": "coalesce indices is_coalesced", "row compressed ": "crow_indices col_indices",
    "column compressed ": "ccol_indices row_indices", "": "values",
}  # fmt: skip
#: The functions that refuse them, by name.
REFUSED = {name: _absent(name, word) for word, names in _PARTS.items() for name in names.split()}
for _refused in REFUSED.values():
    public(_refused, is_function=False, out=False)


def _of_sparse_only(name: str) -> Function:
    def part(self: Any) -> Any:
        raise no_kernel(name, "CPU")

    def resize(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise no_kernel(name, "CPU")

    refused: Function = resize if "resize" in name else part
    refused.__annotations__["return"] = _RESULTS.get(name, "Any")
    return with_name(refused, name, "Raise torch's error: only a sparse tensor has it.")


for _name in (
    "_indices", "_values", "_nnz", "resize_as_sparse_", "sparse_resize_", "sparse_resize_and_clear_",
):
    public(_of_sparse_only(_name), is_function=False, out=False)
