"""Define `functionalize`, and `debug_unwrap`, which looks into the tensors of transforms."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..core.batched import Batched
from ..core.dual import Dual
from ..core.value import TensorBase
from ..tensor.batching import as_tensor


def functionalize(func: Callable[..., Any], *, remove: str = "mutations") -> Callable[..., Any]:
    """Return the function with its in-place updates as pure ops.

    Every in-place update of pullback is a pure op whose result is then written to the storage, in each
    transform and in every trace, so the function that is returned calls `func` as it is.

    Parameters
    ----------
    func : callable
    remove : {"mutations", "mutations_and_views"}

    Returns
    -------
    callable
        What it writes to its arguments is seen by the caller, as it is with `func`.
    """
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(
            f"functionalize(f, remove='mutations'): received invalid argument for remove={remove}. Valid "
            "options are:\n     remove='mutations': all inplace and out= operators will be removed from the "
            "program, and replaced with their out-of-place equivalents.\n     remove='mutations_and_views': "
            "In addition to the above, all aliasing operators {view} will be replaced with their "
            "non-aliasing counterparts, {view}_copy.\n"
        )

    @functools.wraps(func)
    def wrapped(*args: object, **kwargs: object) -> Any:
        return func(*args, **kwargs)

    return wrapped


def debug_unwrap(tensor: object, *, recurse: bool = True) -> Any:
    """Return what a tensor inside a transform wraps: with vmap's batch axis, without its tangent.

    For looking at only: what a function computes from it, its transform does not see.

    Parameters
    ----------
    tensor : Tensor
    recurse : bool
        Unwrap every transform, not the innermost alone.
    """
    if not isinstance(tensor, TensorBase) or not tensor._level:
        return tensor
    if isinstance((value := tensor._value), Batched):
        value = value.value
    elif isinstance(value, Dual):
        value = value.primal
    result = as_tensor(value)
    return debug_unwrap(result) if recurse else result
