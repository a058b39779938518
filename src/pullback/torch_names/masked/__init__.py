"""torch.masked: reductions and normalisations over the elements that a mask lets through (`_ops.py`)."""

from __future__ import annotations

from ..exclusions import answer_for
from . import _ops as _ops  # libraries take it from here
from ._ops import (  # noqa: F401  # these too
    _input_mask,
    _output_mask,
    amax,
    amin,
    argmax,
    argmin,
    cumprod,
    cumsum,
    log_softmax,
    logaddexp,
    logsumexp,
    mean,
    median,
    norm,
    normalize,
    prod,
    softmax,
    softmin,
    std,
    sum,
    var,
)

__all__ = [
    "amax", "amin", "argmax", "argmin", "cumprod", "cumsum", "log_softmax", "logaddexp", "logsumexp", "mean",
    "median", "norm", "normalize", "prod", "softmax", "softmin", "std", "sum", "var",
]

answer_for(globals())
