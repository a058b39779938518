"""torch.functional: the functions of torch's top level that torch writes in Python."""

from .. import nn
from . import public

#: What torch's module of this name has.
_NAMES = (
    "align_tensors", "atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_shapes",
    "broadcast_tensors", "cartesian_prod", "cdist", "chain_matmul", "einsum", "istft", "lu", "meshgrid",
    "norm", "pca_lowrank", "split", "stft", "svd_lowrank", "tensordot", "unique", "unique_consecutive",
    "unravel_index",
)  # fmt: skip

F = nn.functional
_functions = {name: found for name in _NAMES if (found := public(name)) is not None}
globals().update(_functions)

__all__ = [*_functions]  # noqa: PLE0604  # names
