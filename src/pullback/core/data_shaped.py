"""Ops whose results have a shape that depends on the data: they can be neither traced nor run over a batch.

Declare one with ``shape=no_shape(name)``, and with ``batch_rule=no_batch(name)`` where torch refuses too.
"""

from collections.abc import Callable
from typing import Any


class DataShaped(RuntimeError):
    """Say that the shape of a result depends on elements that are not there."""


def no_shape(name: str) -> Callable[..., Any]:
    """Return the shape rule of such an op, which raises."""

    def shape(*inputs: object) -> Any:
        error = DataShaped(f"the shape of the result of {name} depends on the data, so it cannot be traced")
        error.add_note("A mask in place of a selection (torch.where) keeps the shape.")
        raise error

    return shape


def no_batch(name: str) -> Callable[..., Any]:
    """Return the batching rule of such an op, which raises torch's error."""

    def batch_rule(size: int, inputs: object, in_dims: object, *attrs: object) -> Any:
        raise RuntimeError(
            "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap "
            f"over aten::{name}. Please file an issue at https://github.com/pytorch/pytorch/issues if you "
            "need this feature."
        )

    return batch_rule
