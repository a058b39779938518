"""torch.nn.parallel.parallel_apply: modules run side by side on accelerators, of which there is none."""

from collections.abc import Sequence
from typing import Any, NoReturn

from ...errors import with_note
from ...tensor.tensor import Tensor
from .comm import NOTE


def get_a_var(obj: Any) -> Any:
    """Return a tensor in nested lists, tuples and dictionaries; None where there is none."""
    if isinstance(obj, Tensor):
        return obj
    if isinstance(obj, dict):
        obj = obj.items()
    elif not isinstance(obj, (list, tuple)):
        return None
    return next((found for found in map(get_a_var, obj) if isinstance(found, Tensor)), None)


def parallel_apply(
    modules: Sequence[Any], inputs: Sequence[Any], kwargs_tup: Any = None, devices: Any = None
) -> NoReturn:
    """Raise for each module's output for its input, on accelerators."""
    for values, what in ((inputs, "inputs"), (kwargs_tup, "kwargs_tup"), (devices, "devices")):
        if values is not None and len(values) != len(modules):
            raise AssertionError(
                f"The number of modules {len(modules)} is not equal to the number of {what} {len(values)}"
            )
    raise with_note(RuntimeError("Cannot access accelerator device when none is available."), NOTE)


__all__ = ["get_a_var", "parallel_apply"]
