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
from .maskedtensor import MaskedTensor, as_masked_tensor, is_masked_tensor, masked_tensor

__all__ = [
    "MaskedTensor", "amax", "amin", "argmax", "argmin", "as_masked_tensor", "cumprod", "cumsum",
    "is_masked_tensor", "log_softmax", "logaddexp", "logsumexp", "masked_tensor", "mean", "median", "norm",
    "normalize", "prod", "softmax", "softmin", "std", "sum", "var",
]

answer_for(globals())
