"""torch.nn: modules, parameters, functional forms, initialisation."""

from typing import TYPE_CHECKING, Any

from ..array.deferred_import import uncollected

with uncollected():
    from ..torch_names.exclusions import answer_for
    from . import _reduction as _reduction  # libraries take it from here, as from torch
    from . import attention, functional, grad, init, modules, parameter, utils
    from .modules import *  # noqa: F403  # as torch has them
    from .parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter

if TYPE_CHECKING:
    # Loaded when it is first asked for: with `logging`, to which it writes, it takes an eighth of an import.
    from . import parallel
    from .parallel import DataParallel

__all__ = [
    "Buffer", "DataParallel", "Parameter", "UninitializedBuffer", "UninitializedParameter", "attention",
    "functional", "grad", "init", "modules", "parallel", "parameter", "utils",
]  # fmt: skip
__all__ += modules.__all__
vars(functional)["grad"] = grad  # torch's functional imports it, and its own examples say F.grad


def factory_kwargs(kwargs: dict[str, Any] | None) -> dict[str, Any]:
    """Return the options of a module's constructor that functions such as `torch.empty` take.

    Parameters
    ----------
    kwargs : dict, optional
        `device`, `dtype` and `memory_format`, or a dict of such under the key `factory_kwargs`.

    Raises
    ------
    TypeError
        Where there are others, or one is given twice.
    """
    if kwargs is None:
        return {}
    simple = {"device", "dtype", "memory_format"}
    expected = simple | {"factory_kwargs"}
    if not kwargs.keys() <= expected:
        raise TypeError(f"unexpected kwargs {kwargs.keys() - expected}")
    found = dict(kwargs.get("factory_kwargs", {}))
    for key in simple & kwargs.keys():
        if key in found:
            raise TypeError(f"{key} specified twice, in **kwargs and in factory_kwargs")
        found[key] = kwargs[key]
    return found


answer_for(globals(), "parallel", DataParallel="parallel")
