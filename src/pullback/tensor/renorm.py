"""`renorm`: slices of an axis brought down to a largest norm."""

from typing import Any

from ..array.deferred_import import import_later
from ..core.value import shape_of
from .matrix_checks import check_floating
from .operands import declare
from .tensor import checked_dim

ops = import_later("..ops.renorm", __package__)


def _renorm(input: Any, p: Any, dim: int, maxnorm: Any) -> Any:
    """Bring each slice of `dim` whose norm is above `maxnorm` down to it: times ``maxnorm/(norm + 10⁻⁷)``.

    Parameters
    ----------
    input : Tensor
        Of at least two axes.
    p : float
        Order of the norm, above 0.
    dim : int
    maxnorm : float
    """
    if isinstance(p, complex):
        raise RuntimeError("renorm: p must be real-valued")
    if not p > 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if isinstance(maxnorm, complex):
        raise RuntimeError("renorm: maxnorm must be real-valued")
    if not maxnorm >= 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm:g}")
    if (rank := len(shape_of(input))) < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {rank} dimensions")
    dim = checked_dim(dim, rank)
    check_floating(input, "linalg.vector_norm", halves=True)
    return ops.renorm(input, float(p), dim, float(maxnorm))


renorm = declare("renorm", _renorm, "(Tensor input, Number p, int dim, Number maxnorm, *, Tensor out = None)")
