"""Say how MPI is told of arrays: its datatypes, and its operations for each dtype.

MPI knows C's types. What it does not know (half, bfloat16, float8) goes as unsigned integers of the same
size, and is reduced by an operation of ours, pair by pair in the dtype itself, as torch's gloo does.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy import dtype, ndarray

from . import mpi
from .reductions import ReduceOp

#: By what names MPI knows a dtype.
NAMES = {
    "?": "C_BOOL", "b": "INT8_T", "h": "INT16_T", "i": "INT32_T", "l": "INT64_T", "q": "INT64_T",
    "B": "UINT8_T", "H": "UINT16_T", "I": "UINT32_T", "L": "UINT64_T", "Q": "UINT64_T",
    "f": "FLOAT", "d": "DOUBLE", "F": "C_FLOAT_COMPLEX", "D": "C_DOUBLE_COMPLEX",
}  # fmt: skip

#: What does an operation on arrays where MPI does not know the dtype.
FUNCTIONS: dict[ReduceOp, Any] = {
    ReduceOp.SUM: np.add,
    ReduceOp.PRODUCT: np.multiply,
    ReduceOp.MIN: np.minimum,
    ReduceOp.MAX: np.maximum,
}

BUILT_IN = {
    ReduceOp.SUM: "SUM", ReduceOp.PRODUCT: "PROD", ReduceOp.MIN: "MIN", ReduceOp.MAX: "MAX",
    ReduceOp.BAND: "BAND", ReduceOp.BOR: "BOR", ReduceOp.BXOR: "BXOR",
}  # fmt: skip

#: On truth values sums and maxima are "or", products and minima "and".
LOGICAL = {
    ReduceOp.SUM: "LOR", ReduceOp.MAX: "LOR", ReduceOp.BOR: "LOR", ReduceOp.PRODUCT: "LAND",
    ReduceOp.MIN: "LAND", ReduceOp.BAND: "LAND", ReduceOp.BXOR: "LXOR",
}  # fmt: skip


@cache
def datatype(kind: dtype) -> Any:
    """Return the datatype of elements, or one of their size where MPI does not know them."""
    if kind.isbuiltin == 1 and kind.char in NAMES:
        return getattr(mpi.library(), NAMES[kind.char])
    return getattr(mpi.library(), f"UINT{8 * kind.itemsize}_T")


@cache
def operation(op: ReduceOp, kind: dtype) -> Any:
    """Return MPI's operation on elements of a dtype.

    Raises
    ------
    RuntimeError
        The operation is not one on such elements.
    """
    MPI = mpi.library()
    if op in (ReduceOp.BAND, ReduceOp.BOR, ReduceOp.BXOR) and kind.kind not in "iub":
        raise RuntimeError(f"Cannot use ReduceOp.{op.name} with non-integral dtype")
    if kind.kind == "b":
        return getattr(MPI, LOGICAL[op])
    if kind.isbuiltin == 1 and kind.char in NAMES:
        return getattr(MPI, BUILT_IN[op])
    function = FUNCTIONS[op]

    def reduce(given: Any, result: Any, _: Any) -> None:
        out: ndarray = np.frombuffer(result, kind)
        function(np.frombuffer(given, kind), out, out=out)

    return MPI.Op.Create(reduce, commute=True)
