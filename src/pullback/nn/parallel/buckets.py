"""Define buckets of gradients: which parameters are reduced together, in which order, in which memory."""

from collections.abc import Sequence
from typing import Any

from ...tensor.creation import zeros


def compute_bucket_assignment_by_size(
    tensors: Sequence[Any], bucket_size_limits: Sequence[int], expect_sparse_gradient: Sequence[bool] = (),
    tensor_indices: Sequence[int] = (), logger: Any = None,
) -> tuple[list[list[int]], list[int]]:  # fmt: skip
    """Return the parameters of each bucket, and the size in bytes at which each was full.

    Parameters
    ----------
    tensors : sequence of Tensor
        The parameters, in the order in which they fill buckets. Those of one dtype share buckets.
    bucket_size_limits : sequence of int
        The sizes in bytes of the first, second, … bucket of a dtype; the last holds for all that follow.
    expect_sparse_gradient : sequence of bool, optional
        By parameter: whether it has a bucket of its own, because its gradient is sparse.
    tensor_indices : sequence of int, optional
        The numbers of `tensors`, by default their places. Where they are given, buckets come in the order in
        which they were full, otherwise in the order of their first parameters.
    logger : Any
        Not used.

    Raises
    ------
    RuntimeError
        A parameter is sparse.
    """
    if any(tensor._sparse for tensor in tensors):
        raise RuntimeError("No support for sparse tensors.")
    numbers = list(tensor_indices) or list(range(len(tensors)))
    buckets: list[tuple[list[int], int]] = []
    open_buckets: dict[Any, tuple[list[int], int, int]] = {}
    for number, tensor in zip(numbers, tensors, strict=True):
        if expect_sparse_gradient and expect_sparse_gradient[number]:
            buckets.append(([number], 0))
            continue
        members, size, place = open_buckets.get(tensor.dtype, ([], 0, 0))
        members = [*members, number]
        size += tensor.numel() * tensor.element_size()
        if size >= bucket_size_limits[place]:
            buckets.append((members, bucket_size_limits[place]))
            members, size, place = [], 0, min(place + 1, len(bucket_size_limits) - 1)
        open_buckets[tensor.dtype] = (members, size, place)
    buckets += [
        (members, bucket_size_limits[place]) for members, _, place in open_buckets.values() if members
    ]
    if not tensor_indices:
        buckets.sort(key=lambda bucket: min(bucket[0]))
    return [members for members, _ in buckets], [limit for _, limit in buckets]


class Bucket:
    """Gradients that are reduced together, of the parameters with some numbers, or one `sparse` one, as it
    is.

    `flat` has all gradients, one after the other, None of a sparse one, and `views` are its parts, with the
    shapes and strides of the parameters. `pending` gradients are still missing; `future` gives the reduced
    bucket, once reduction has begun.
    """

    def __init__(self, numbers: list[int], parameters: list[Any], sparse: bool) -> None:
        self.numbers = numbers
        self.parameters = parameters
        self.sparse = sparse
        self.pending = len(numbers)
        self.future: Any = None
        self.sparse_gradient: Any = None
        self.flat: Any = None
        self.views: list[Any] = []
        if not sparse:
            first = parameters[0]
            self.flat = zeros(sum(p.numel() for p in parameters), dtype=first.dtype)
            self.views = self.views_of(self.flat)

    def size_in_bytes(self) -> int:
        """Return how much is reduced at once."""
        return sum(p.numel() * p.element_size() for p in self.parameters)

    def views_of(self, flat: Any) -> list[Any]:
        """Return the parts of a vector with the shapes and strides of the parameters."""
        views, start = [], 0
        for p in self.parameters:
            count = p.numel()
            part = flat[start : start + count]
            if p.is_contiguous() or not _fills_its_memory(p):
                views.append(part.view(p.shape))
            else:
                views.append(flat.as_strided(p.shape, p.stride(), start))
            start += count
        return views


def _fills_its_memory(tensor: Any) -> bool:
    """Return whether a tensor is dense: every element of its span belongs to it, once."""
    expected = 1
    for stride, size in sorted(zip(tensor.stride(), tensor.shape, strict=True)):
        if size != 1:
            if stride != expected:
                return False
            expected *= size
    return True


class GradBucket:
    """Give a communication hook a bucket whose gradients are all there.

    Parameters
    ----------
    index : int
        Its place in the order of reduction.
    count : int
        How many buckets there are.
    bucket : Bucket
    buffer : Tensor
        The gradients as one vector, or the sparse gradient.
    """

    __module__ = "torch._C._distributed_c10d"

    def __init__(self, index: int, count: int, bucket: Bucket, buffer: Any) -> None:
        self._index = index
        self._count = count
        self._bucket = bucket
        self._buffer = buffer

    def index(self) -> int:
        """Return the place of this bucket in the order of reduction."""
        return self._index

    def buffer(self) -> Any:
        """Return all gradients of the bucket as one vector."""
        return self._buffer

    def gradients(self) -> list[Any]:
        """Return the gradients, with the shapes of the parameters."""
        return [self._buffer] if self._bucket.sparse else self._bucket.views_of(self._buffer)

    def parameters(self) -> list[Any]:
        """Return the parameters whose gradients these are."""
        return list(self._bucket.parameters)

    def is_last(self) -> bool:
        """Return whether no other bucket is reduced after this one in a pass."""
        return self._index == self._count - 1

    def set_buffer(self, buffer: Any) -> None:
        """Put another vector in the place of `buffer`."""
        self._buffer = buffer
