"""`segment_reduce`: reductions of neighbouring places, under torch's name and checks."""

from typing import Any

from ..array.deferred_import import import_later
from ..array.dtype_words import not_implemented
from ..core.value import array_of, dtype_of, shape_of
from .api import public, with_signature
from .tensor import checked_dim

segment = import_later("..ops.segment", __package__)

_REDUCTIONS = {
    "sum": "sum", "mean": "mean", "prod": "prod", "max": "max", "amax": "max", "min": "min", "amin": "min"
}  # fmt: skip


def _expected(text: str) -> RuntimeError:
    return RuntimeError(
        f"Expected {text} to be true, but got false.  (Could this error message be improved?  If so, please "
        "report an enhancement request to PyTorch.)"
    )


@with_signature(method=False, out=False)
def segment_reduce(
    data: Any, reduce: str, *, lengths: Any = None, indices: Any = None, offsets: Any = None, axis: int = 0,
    unsafe: bool = False, initial: Any = None,
) -> Any:  # fmt: skip
    """Reduce neighbouring places of an axis, segment by segment.

    Parameters
    ----------
    data : Tensor
        (…, n, …), floating; `axis` is that of n.
    reduce : {"sum", "mean", "prod", "max", "min"}
    lengths : Tensor, optional
        Sizes of the segments (…, s), for each row of the axes before `axis`.
    offsets : Tensor, optional
        In their place: where each segment begins and the last one ends, (…, s + 1).
    axis : int
    unsafe : bool
        Leave out the checks that sizes are not negative and sum to n.
    initial : number, optional
        Takes part in every segment; without it an empty one gives 0, nan, 1, −inf or inf.

    Returns
    -------
    Tensor
        (…, s, …).
    """
    axis = checked_dim(axis, len(shape_of(data)))
    if reduce not in _REDUCTIONS:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    if indices is not None:
        raise RuntimeError("segment_reduce(): indices based reduction is not supported yet.")
    if lengths is None and offsets is None:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    given, name = (lengths, "lengths") if lengths is not None else (offsets, "offsets")
    rank = len(shape_of(given))
    if len(shape_of(data)) < rank:
        raise _expected(f"data.dim() >= {name}_value.dim()")
    if axis != rank - 1:
        raise RuntimeError(
            f"segment_reduce(): Expected axis to be the last dimension of {name} but got {axis}."
        )
    if lengths is None:
        lengths = offsets.diff()
    elif not unsafe:
        if (sizes := array_of(lengths)).size and sizes.min() < 0:
            raise RuntimeError("lengths contains negative value!")
        if (sizes.sum(-1) != shape_of(data)[axis]).any():
            raise RuntimeError(
                "segment_reduce(): Expected all rows of lengths along axis to sum to "
                "data.size(lengths.dim()-1) when !unsafe."
            )
    if dtype_of(data).kind in "biucW":
        raise not_implemented("_segment_reduce_cpu", dtype_of(data))
    return segment.segment_reduce(
        data, lengths, _REDUCTIONS[reduce], axis, None if initial is None else float(initial)
    )


public(segment_reduce, name="_segment_reduce", method=False, out=False)
