"""torch.utils._python_dispatch: modes that see ops under torch's names, and tensors made of other tensors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..core.modes import modes, set_modes
from ..core.value import TensorBase

__all__ = ["TorchDispatchMode", "is_traceable_wrapper_subclass", "transform_subclass"]


class TorchDispatchMode:
    """A ``with`` block whose ops go to `__torch_dispatch__`, which a subclass defines.

    It is told of an op after autograd has been and under torch's name, such as ``aten.mm.default``. Inside
    `__torch_dispatch__` the mode is out of force, so that it can call the op; an outer mode then sees that
    call. Of what makes tensors from nothing, of writes as such, and of what is computed in `backward`, it is
    not told.
    """

    def __torch_dispatch__(
        self, func: Any, types: tuple[type, ...], args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        raise NotImplementedError

    def __enter__(self) -> Any:
        now = modes()
        set_modes(now._replace(dispatch_modes=(*now.dispatch_modes, self)))
        return self

    def __exit__(self, *_: object) -> None:
        now = modes()
        set_modes(now._replace(dispatch_modes=now.dispatch_modes[:-1]))

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> Any:
        """Make an instance."""
        return cls(*args, **kwargs)


def _get_current_dispatch_mode() -> Any:
    """Return the innermost mode in force, if any is."""
    found = modes().dispatch_modes
    return found[-1] if found else None


@contextmanager
def _disable_current_modes() -> Iterator[tuple[Any, ...]]:
    """Leave all modes within the block."""
    before = modes().dispatch_modes
    set_modes(modes()._replace(dispatch_modes=()))
    try:
        yield before
    finally:
        set_modes(modes()._replace(dispatch_modes=before))


def is_traceable_wrapper_subclass(t: object) -> bool:
    """Return whether a tensor's class says how to take it apart into tensors, and how to put it together."""
    kind = t if isinstance(t, type) else type(t)
    return (
        issubclass(kind, TensorBase)
        and hasattr(kind, "__tensor_flatten__")
        and hasattr(kind, "__tensor_unflatten__")
    )


def transform_subclass(t: Any, callback: Any, outer_size: Any = None, outer_stride: Any = None) -> Any:
    """Take a tensor apart, put ``callback(name, part)`` in place of each part, and put it together again."""
    names, context = t.__tensor_flatten__()
    parts = {name: callback(name, getattr(t, name)) for name in names}
    return type(t).__tensor_unflatten__(
        parts, context, t.size() if outer_size is None else outer_size,
        t.stride() if outer_stride is None else outer_stride,
    )
