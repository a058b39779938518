"""torch.utils.data._utils.collate: batches from samples."""

from ..collate import _tensors as collate_tensor_fn
from ..collate import (
    collate,
    default_collate,
    default_collate_err_msg_format,
    default_collate_fn_map,
    default_convert,
    np_str_obj_array_pattern,
)

__all__ = [
    "collate", "collate_tensor_fn", "default_collate", "default_collate_err_msg_format",
    "default_collate_fn_map", "default_convert", "np_str_obj_array_pattern",
]  # fmt: skip
