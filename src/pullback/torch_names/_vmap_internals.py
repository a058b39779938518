"""torch._vmap_internals: the earlier `vmap` under the private name by which libraries still import it."""

from collections.abc import Callable
from typing import Any

from ..func import vmap

__all__ = ["_vmap"]


def _vmap(
    func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, allow_none_pass_through: bool = False
) -> Callable[..., Any]:
    """Map a function over an axis of its inputs, as :func:`pullback.vmap` does.

    Parameters
    ----------
    func : callable
    in_dims, out_dims : int or nested tuple
    allow_none_pass_through : bool
        Whether the function may return None among its outputs, which then stay None.
    """
    if not allow_none_pass_through:
        return vmap(func, in_dims, out_dims)

    def mapped(*args: Any) -> Any:
        present: list[bool] = []
        single: list[bool] = []

        def with_tensors_only(*inner: Any) -> Any:
            result = func(*inner)
            single.append(not isinstance(result, tuple))
            outputs = (result,) if single[-1] else result
            present[:] = [out is not None for out in outputs]
            return tuple(out for out in outputs if out is not None)

        found = iter(vmap(with_tensors_only, in_dims, out_dims)(*args))
        outputs = tuple(next(found) if there else None for there in present)
        return outputs[0] if single[-1] else outputs

    return mapped
