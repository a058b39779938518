"""Let two tensors change places: each keeps its identity and gets all that the other was."""

import copyreg
import gc
import weakref
from typing import Any, NoReturn

from ..core.holders import HolderReference
from ..core.value import TensorBase
from ..core.views import View


def swap_tensors(t1: Any, t2: Any) -> None:
    """Exchange values, gradients, history, attributes and classes of two tensors.

    Raises
    ------
    RuntimeError
        Where one of them has weak references or views, or their classes have different slots. A graph that
        ends at one of them raises when it goes backward.
    """
    for name, t in (("t1", t1), ("t2", t2)):
        if any(type(found) is not HolderReference for found in weakref.getweakrefs(t)):
            raise RuntimeError(f"Cannot swap {name} because it has weakref associated with it")
    if (slots := set(_slots(t1))) != set(_slots(t2)):
        raise RuntimeError("Cannot swap t1 and t2 if they have different slots")
    for name, t in (("t1", t1), ("t2", t2)):
        views = sum(type(holder) is View and holder.base is t for holder in gc.get_referrers(t))
        if views:
            raise RuntimeError(
                f"Expected use_count of {name} to be 1 or 2 with an AccumulateGrad node but got {1 + views} "
                "make sure you are not holding references to the tensor in other places."
            )
    for t in (t1, t2):
        _leave_graphs(t)
    t1.__class__, t2.__class__ = t2.__class__, t1.__class__
    t1.__dict__, t2.__dict__ = t2.__dict__, t1.__dict__
    for slot in slots:
        first, second = getattr(t1, slot, _EMPTY), getattr(t2, slot, _EMPTY)
        _fill(t1, slot, second)
        _fill(t2, slot, first)


#: In place of what an empty slot holds.
_EMPTY = object()


def _slots(tensor: Any) -> list[str]:
    if not isinstance(tensor, TensorBase):
        raise AttributeError(f"'{type(tensor).__name__}' object has no attribute '_use_count'")
    return copyreg._slotnames(type(tensor))  # type: ignore[attr-defined]  # what pickle goes by


def _fill(tensor: Any, slot: str, value: Any) -> None:
    if value is not _EMPTY:
        setattr(tensor, slot, value)
    elif hasattr(tensor, slot):
        delattr(tensor, slot)


def _leave_graphs(tensor: Any) -> None:
    """Let the graphs that end at a leaf refuse to go backward."""
    node = tensor._accumulator and tensor._accumulator()
    if node is not None:
        node.register_prehook(_refuse)
    tensor._accumulator = None


def _refuse(covectors: Any) -> NoReturn:
    raise RuntimeError(
        "Trying to execute AccumulateGrad node that was poisoned by swap_tensors this can happen when you "
        "try to run backward on a tensor that was swapped. For a module m with "
        "`torch.__future__.set_swap_module_params_on_conversion(True)` you should not change the device or "
        "dtype of the module (e.g. `m.cpu()` or `m.half()`) between running forward and backward. To resolve "
        "this, please only change the device/dtype before running forward (or after both forward and "
        "backward)."
    )
