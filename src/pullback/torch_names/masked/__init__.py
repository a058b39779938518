"""torch.masked: reductions and normalisations over the elements that a mask lets through (`_ops.py`)."""

from ..exclusions import answer_for
from . import _ops as _ops  # libraries take it from here
from ._ops import *  # noqa: F403  # as torch has them
from ._ops import _input_mask, _output_mask  # noqa: F401  # these too
from .maskedtensor import MaskedTensor, as_masked_tensor, is_masked_tensor, masked_tensor

__all__ = ["MaskedTensor", "as_masked_tensor", "is_masked_tensor", "masked_tensor"]
__all__ += _ops.__all__

answer_for(globals())
