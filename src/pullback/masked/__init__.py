"""torch.masked: reductions and normalisations over the elements that a mask lets through (`_ops.py`)."""

from __future__ import annotations

from typing import NoReturn

from ..exclusions import missing
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


def __getattr__(name: str) -> NoReturn:
    raise AttributeError(
        f"module 'torch.masked' has no attribute '{name}': {missing('torch.masked', name)}", name=name
    )
