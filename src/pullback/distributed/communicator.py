"""Run collectives on flat arrays: of an MPI communicator, or of one process alone.

Each method starts an exchange of contiguous arrays and returns MPI's requests for it, or what is asked like
one. A large reduction goes part by part. What MPI does not know, as C has no such type (half, bfloat16,
float8), goes as unsigned integers of the same size, and is reduced by an operation of ours, pair by pair in
the dtype itself, as torch's gloo does. A group of one process needs no MPI: its exchanges are copies, done
at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from itertools import accumulate
from typing import Any

import numpy as np
from numpy import dtype, ndarray

from . import mpi
from .reductions import ReduceOp
from .turns import Line, Start

#: Bytes that are reduced at once. MPI allocates memory of half the size for it, which from 32 MiB on the
#: system clears anew in each call: that takes longer than the reduction.
PART = 4 << 20

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
    """Return MPI's operation on elements of a dtype; RuntimeError where it is not one on such elements."""
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


def whole(array: ndarray, parts: int = 1) -> list[Any]:
    """Return what mpi4py is told of an array, or of one that has equally many elements for each process."""
    return [memory(array), array.size // parts, datatype(array.dtype)]


def memory(array: ndarray) -> Any:
    """Return the bytes of an array as mpi4py takes them."""
    return array.view(np.uint8) if array.size else np.empty(0, np.uint8)


def parts(array: ndarray, counts: Sequence[int]) -> list[Any]:
    """Return what mpi4py is told of consecutive parts of an array, one for each process."""
    starts = [0, *accumulate(counts)][:-1]
    return [memory(array), (list(counts), starts), datatype(array.dtype)]


class Communicator:
    """The processes of a group, as MPI knows them: a communicator of mpi4py's."""

    def __init__(self, comm: Any) -> None:
        self.comm = comm
        self.rank: int = comm.Get_rank()
        self.size: int = comm.Get_size()
        self.in_place = mpi.library().IN_PLACE
        self._line = Line()

    def _begin(self, *starts: Start) -> list[Any]:
        """Begin a collective, or its parts one after the other; all processes begin all in the same order."""
        return [self._line.add(starts) if self._line or len(starts) > 1 else starts[0]()]

    def settle(self) -> Any:
        """Bring on what waits for its turn; return MPI's communicator, for what is no exchange."""
        self._line.finish()
        return self.comm

    def twin(self) -> Communicator:
        """Return another communicator of the same processes; all must ask for it."""
        return Communicator(self.settle().Dup())

    def free(self) -> None:
        """Give it up; exchanges that are under way still end."""
        if self.comm is not None and not mpi.library(start=False).Is_finalized():
            self.comm.Free()
        self.comm = None

    def barrier(self) -> list[Any]:
        return self._begin(self.comm.Ibarrier)

    def all_reduce(self, array: ndarray, op: ReduceOp) -> list[Any]:
        how, size = operation(op, array.dtype), max(1, PART // array.itemsize)
        return self._begin(*(
            partial(self.comm.Iallreduce, self.in_place, whole(array[start : start + size]), how)
            for start in range(0, array.size or 1, size)
        ))  # fmt: skip

    def reduce(self, array: ndarray, op: ReduceOp, root: int) -> list[Any]:
        how = operation(op, array.dtype)
        if self.rank == root:
            return self._begin(partial(self.comm.Ireduce, self.in_place, whole(array), how, root))
        return self._begin(partial(self.comm.Ireduce, whole(array), None, how, root))

    def broadcast(self, array: ndarray, root: int) -> list[Any]:
        return self._begin(partial(self.comm.Ibcast, whole(array), root))

    def all_gather(self, out: ndarray, array: ndarray) -> list[Any]:
        """Put the equally large arrays of all processes into `out`."""
        return self._begin(partial(self.comm.Iallgather, whole(array), whole(out, self.size)))

    def all_gather_parts(self, out: ndarray, array: ndarray, counts: Sequence[int]) -> list[Any]:
        return self._begin(partial(self.comm.Iallgatherv, whole(array), parts(out, counts)))

    def gather(self, out: ndarray | None, array: ndarray, root: int) -> list[Any]:
        given = None if out is None else whole(out, self.size)
        return self._begin(partial(self.comm.Igather, whole(array), given, root))

    def gather_parts(
        self, out: ndarray | None, array: ndarray, counts: Sequence[int], root: int
    ) -> list[Any]:
        given = None if out is None else parts(out, counts)
        return self._begin(partial(self.comm.Igatherv, whole(array), given, root))

    def scatter(self, out: ndarray, array: ndarray | None, root: int) -> list[Any]:
        given = None if array is None else whole(array, self.size)
        return self._begin(partial(self.comm.Iscatter, given, whole(out), root))

    def reduce_scatter(self, out: ndarray, array: ndarray, counts: Sequence[int], op: ReduceOp) -> list[Any]:
        """Reduce `array`; each process gets its part of `counts`."""
        how = operation(op, array.dtype)
        return self._begin(partial(self.comm.Ireduce_scatter, whole(array), whole(out), list(counts), how))

    def all_to_all(
        self, out: ndarray, array: ndarray, received: Sequence[int], sent: Sequence[int]
    ) -> list[Any]:
        return self._begin(partial(self.comm.Ialltoallv, parts(array, sent), parts(out, received)))

    def send(self, array: ndarray, to: int, tag: int) -> list[Any]:
        return [self.comm.Isend(whole(array), to, tag)]

    def receive(self, array: ndarray, source: int | None, tag: int) -> list[Any]:
        MPI = mpi.library()
        return [self.comm.Irecv(whole(array), MPI.ANY_SOURCE if source is None else source, tag)]


class Alone:
    """A group of one process."""

    rank = 0
    size = 1

    def free(self) -> None:
        """Do nothing: there is nothing to give up."""

    def _nothing(self, *_: Any) -> list[Any]:
        return []

    barrier = all_reduce = reduce = broadcast = _nothing

    def all_gather(self, out: ndarray, array: ndarray, *_: Any) -> list[Any]:
        """Copy what one process gives to itself, whatever is said of parts and of the root."""
        np.copyto(out, array)
        return []

    all_gather_parts = gather = gather_parts = scatter = reduce_scatter = all_to_all = all_gather
