"""torch.sparse: products, sums and normalisations of sparse tensors."""

from functools import wraps
from typing import Any, NoReturn

from ..array import dtypes
from ..tensor import sparse as of
from ..tensor.builtin import publish
from ..tensor.sizes import tensor
from ..tensor.sparse import in_backend, sparse_coo_tensor
from ..tensor.sparse_products import reduced, sampled_addmm, sparse_addmm, sparse_mm
from ..tensor.sparse_shape import normalized, spdiags
from ..tensor.sparse_whole import sparse_sum
from .exclusions import answer_for

Tensor = of.SparseTensor


def mm(mat1: Any, mat2: Any, reduce: str | None = None) -> Any:
    """Return the product of a sparse matrix and a dense one, differentiable in both.

    Parameters
    ----------
    mat1 : tensor
        Sparse, ``(n, m)``.
    mat2 : tensor
        Dense ``(m, k)``, which gives a dense ``(n, k)``; or sparse, which gives a sparse one.
    reduce : str
        How the terms of a row of a matrix in CSR become one: ``"sum"``, ``"mean"``, ``"amax"``, ``"amin"``.
    """
    tensor("_sparse_mm", "sparse", mat1)
    tensor("_sparse_mm", "dense", mat2, 2)
    return sparse_mm(mat1, mat2) if reduce is None else reduced(mat1, mat2, reduce)


def addmm(mat: Any, mat1: Any, mat2: Any, *, beta: Any = 1.0, alpha: Any = 1.0) -> Any:
    """Return ``beta·mat + alpha·(mat1 @ mat2)``, `mat1` being sparse."""
    return sparse_addmm(mat, mat1, mat2, beta=beta, alpha=alpha)


def spsolve(input: Any, other: Any) -> NoReturn:
    """Raise: torch has it on accelerators only."""
    in_backend("_spsolve", "SparseCsrCPU")


softmax, log_softmax = normalized("softmax"), normalized("log_softmax")


class check_sparse_tensor_invariants:
    """Say whether the parts of sparse tensors are checked against each other: a block or a decorator."""

    def __init__(self, enable: bool = True) -> None:
        self.state = enable
        self.saved_state: bool | None = None

    @staticmethod
    def is_enabled() -> bool:
        """Return whether they are."""
        return of.invariants.enabled

    @staticmethod
    def enable() -> None:
        """Have them checked from now on."""
        of.invariants.enabled = True

    @staticmethod
    def disable() -> None:
        """Have them checked only where a call asks for it."""
        of.invariants.enabled = False

    def __enter__(self) -> None:
        if self.saved_state is not None:
            raise RuntimeError("This context manager instance is already activated. Use a different context "
                               "manager instance for context nesting.")  # fmt: skip
        self.saved_state = self.is_enabled()
        of.invariants.enabled = self.state

    def __exit__(self, *_: object) -> None:
        assert self.saved_state is not None
        of.invariants.enabled, self.saved_state = self.saved_state, None

    def __call__(self, mth: Any) -> Any:
        @wraps(mth)
        def call(*args: Any, **kwargs: Any) -> Any:
            with type(self)(self.state):
                return mth(*args, **kwargs)

        return call


def sum(input: Any, dim: Any = None, dtype: Any = None) -> Any:
    """Return the sum of a sparse tensor: of all elements, or over axes.

    Parameters
    ----------
    input : tensor
        Sparse.
    dim : int or tuple of int, optional
        The result is sparse where a sparse axis is left.
    dtype : dtype, optional
        In which the sum is computed.
    """
    return sparse_sum(input, dim, dtype)


def spmm(input: Any, mat2: Any) -> Any:
    """Return an older name of `mm`."""
    return input.mm(mat2)


dsmm = spmm


def _of_dtype(name: str) -> Any:
    def make(indices: Any = (), values: Any = None, size: Any = None) -> Any:
        return sparse_coo_tensor(indices, values, size, dtype=getattr(dtypes, name))

    make.__doc__ = f"Make a sparse tensor of dtype {name}; the older form of `torch.sparse_coo_tensor`."
    return make


FloatTensor, DoubleTensor, HalfTensor = _of_dtype("float32"), _of_dtype("float64"), _of_dtype("float16")
LongTensor, IntTensor = _of_dtype("int64"), _of_dtype("int32")

check_sparse_tensor_invariants.__module__ = "torch.sparse"
publish(globals(), "sparse")

__all__ = [
    "addmm", "check_sparse_tensor_invariants", "log_softmax", "mm", "sampled_addmm", "softmax",
    "spdiags", "spsolve", "sum",
]  # fmt: skip

answer_for(globals())
