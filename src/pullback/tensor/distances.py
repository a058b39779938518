"""Distances between the rows of matrices under torch's names."""

from typing import Any

from ..array.deferred_import import import_later
from ..array.dtype_words import not_implemented, type_word, unlike
from ..array.dtypes import BY_NUMPY
from ..core.promotion import broadcast_shape
from ..core.value import dtype_of, shape_of
from ..errors import argument_type
from ..ops.structure import reshape
from .api import public, with_signature
from .argument_types import is_real
from .sizes import tensor

ops = import_later("..ops.distance", __package__)

_MODES = "use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist"

#: Rows of either matrix from which Euclidean distances are made by one matrix product.
_MANY = 25


@public(method=False, out=False)
def cdist(x1: Any, x2: Any, p: float = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary") -> Any:
    """Return distances ``(Σ |x1ᵢ − x2ⱼ|ᵖ)^(1/p)`` of every row of `x1` to every row of `x2`.

    Parameters
    ----------
    x1 : tensor (…, P, M)
    x2 : tensor (…, R, M)
        Leading axes broadcast.
    p : float
        inf for the largest difference, 0 for the number of differences.
    compute_mode : str
        Whether Euclidean distances are √(|x1|² − 2 x1·x2 + |x2|²), by one matrix product, which is fast and
        loses digits where rows are close: "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist", or by
        default where there are more than 25 rows.

    Returns
    -------
    tensor (…, P, R)
        Where rows are equal, or a difference is 0 in a norm with a corner there, the gradient is 0.
    """
    if compute_mode not in _MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    tensor("cdist", "x1", x1)
    tensor("cdist", "x2", x2, 2)
    if not is_real(p):
        raise argument_type("cdist", "p", 3, "float", p)
    a, b = shape_of(x1), shape_of(x2)
    if len(a) < 2:
        raise RuntimeError(f"cdist only supports at least 2D tensors, X1 got: {len(a)}D")
    if len(b) < 2:
        raise RuntimeError(f"cdist only supports at least 2D tensors, X2 got: {len(b)}D")
    if a[-1] != b[-1]:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {a[-1]} X2: {b[-1]}")
    for word, x in (("X1", x1), ("X2", x2)):
        if not BY_NUMPY[dtype_of(x)].is_floating_point:
            raise RuntimeError(
                f"cdist only supports floating-point dtypes, {word} got: {type_word(dtype_of(x))}"
            )
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    many = compute_mode == _MODES[1] or (compute_mode == _MODES[0] and max(a[-2], b[-2]) > _MANY)
    _check_width(x1, "cdist")
    if dtype_of(x1) != dtype_of(x2):
        raise unlike(dtype_of(x1), dtype_of(x2))
    lead = broadcast_shape(a[:-2], b[:-2])
    if p == 2 and many and a[-2] and b[-2]:
        return reshape(ops.euclidean_dist(x1, x2), (*lead, a[-2], b[-2]))
    return ops.cdist(x1, x2, float(p))


def _check_width(x: Any, name: str) -> None:
    if dtype_of(x).itemsize < 4:
        raise not_implemented(name, dtype_of(x))


@with_signature(method=False, out=False)
def pdist(input: Any, p: float = 2.0) -> Any:
    """Return distances ``(Σ |xᵢ − xⱼ|ᵖ)^(1/p)`` of each row to every later: (N, M) -> (N (N − 1) / 2,)."""
    if (rank := len(shape_of(input))) != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {rank}D")
    if not BY_NUMPY[dtype_of(input)].is_floating_point:
        raise RuntimeError("pdist only supports floating-point dtypes")
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
    _check_width(input, "pdist")
    return ops.pdist(input, float(p))
