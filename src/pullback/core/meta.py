"""Tensors without memory: a value that knows its shape, dtype and layout and has no elements.

A `Meta` runs an op by asking for the shapes and dtypes of its results. It is what tensors on torch's device
``meta`` hold: a model of any size can be built, walked and given other tensors in place of its own. Elements
are never computed, drawn or read; who asks for one gets torch's error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import ndarray

from ..array.layout import as_first, placed, shared_strides
from ..array.strides import address, contiguous_strides, extent, strides_of
from .levels import META
from .marked import Marked, shown
from .value import InnerValue, TensorBase, array_of, dtype_of, shape_of, wrap

if TYPE_CHECKING:
    from .op import Op


#: Where the ops of a call are noted: what stands for a tensor that is drawn for, which tells the layout only.
drawn_for: ContextVar[Callable[[Any], Any] | None] = ContextVar("pullback_drawn_for", default=None)


class Memory:
    """Stand for the memory that a tensor and its views would share.

    `shown` is the object that users see, which `tensor.storage` makes when it is first asked for.
    """

    __slots__ = ("nbytes", "shown")

    def __init__(self, nbytes: int) -> None:
        self.nbytes = nbytes
        self.shown: Any = None


class Meta(InnerValue):
    """The layout of a tensor that has no elements; strides and offset are in elements, by default of C order.

    `memory` is that of what this is a view of, in which the first element has the place `offset`.
    """

    __slots__ = ("dtype", "memory", "offset", "shape", "strides")

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    _level = META

    def __init__(
        self, shape: Sequence[int], dtype: np.dtype[Any], strides: Sequence[int] | None = None,
        memory: Memory | None = None, offset: int = 0,
    ) -> None:  # fmt: skip
        self.shape = tuple(shape)
        self.dtype = dtype
        self.strides = contiguous_strides(self.shape) if strides is None else tuple(strides)
        self.memory = Memory(extent(self.shape, self.strides) * dtype.itemsize) if memory is None else memory
        self.offset = offset

    def array(self) -> ndarray:
        """Raise torch's error: there are no elements."""
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")

    def phantom(self) -> ndarray:
        """Return an array of this layout, for readers of layouts; its elements are zeros, without memory."""
        width = self.dtype.itemsize
        strides = tuple(s * width for s in self.strides)
        zeros = promised_zeros(self.memory.nbytes)
        return np.ndarray(self.shape, self.dtype, zeros, self.offset * width, strides)

    def note_look(self, look: Callable[[ndarray], None]) -> None:
        """Take no note that elements are to be looked at."""

    def made_of(self, compute: Callable[[ndarray], ndarray]) -> Any:
        """Raise torch's error: there are no elements."""
        return self.array()

    @classmethod
    def run(cls, op: Op, inputs: tuple[Any, ...], attrs: tuple[object, ...], level: int) -> Any:
        """Make values of the shapes and dtypes that the op gives."""
        _check_devices(op, inputs)
        outs = _views(op, inputs[0], attrs) if op.is_view else _computed(op, inputs, attrs)
        return tuple(outs) if op.many or len(op.outputs) > 1 else outs[0]


def looked_at(tensor: Any, look: Callable[[ndarray], None]) -> None:
    """Let a function look at the elements of a tensor, if it has some, and raise for what it refuses.

    What notes the ops of a call notes the look, too, so that a call with other elements is looked at again.
    """
    if isinstance((value := tensor._value), ndarray):
        look(value)
    elif isinstance(value, Meta):
        value.note_look(look)


def made_of(tensor: Any, compute: Callable[[ndarray], ndarray]) -> Any:
    """Return a tensor without a history around what a function makes of the elements of one, whose shape may
    depend on them. What notes the ops of a call notes the function.
    """
    if isinstance((value := tensor._value), Meta):
        return wrap(value.made_of(compute), None, META)
    return wrap(compute(array_of(tensor)))


def _check_devices(op: Op, inputs: tuple[object, ...]) -> None:
    """Raise torch's error where tensors with and without elements meet: only 0-d ones and indices may."""
    first = None
    for v in inputs:
        if isinstance(v, Meta):
            own = "meta"
        elif isinstance(v, TensorBase) and shape_of(v) and not (
            op.kind == "gather" and dtype_of(v).kind in "iub"
        ):
            own = "cpu"
        else:
            continue
        first = first or own
        if own != first:
            raise RuntimeError(f"Tensor on device {own} is not on the expected device {first}!")


def is_meta(value: object) -> bool:
    """Return whether what a value holds innermost has no elements."""
    while isinstance(value, TensorBase):
        value = value._value
    return isinstance(value, Meta)


def array_or_phantom(value: Any) -> ndarray | None:
    """Return the innermost array of a value, laid out as the value is; None where it has none."""
    while isinstance(value, TensorBase):
        value = value._value
    if (phantom := getattr(value, "phantom", None)) is not None:
        return phantom()
    if (recorder := getattr(value, "recorder", None)) is not None:
        return recorder.layouts.stand_in(value.index)
    if type(value) is Marked:
        return value.memory
    return value if isinstance(value, ndarray) else None


def promised_zeros(size: int) -> Any:
    """Return bytes of zeros that the operating system only promises."""
    if size < 4096:  # less than a page
        return np.zeros(size, np.uint8)
    import mmap

    if hasattr(mmap, "PROT_READ"):
        # What cannot be written to counts for nothing: terabytes can be had.
        return mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ)
    return mmap.mmap(-1, size)


def _views(op: Op, value: Meta, attrs: tuple[object, ...]) -> list[Meta]:
    before = value.phantom()
    result = shown(op, before, attrs)
    first = address(before)
    return [
        Meta(r.shape, r.dtype, strides_of(r), value.memory, _moved(value, r, first))
        for r in (result if isinstance(result, tuple) else (result,))
    ]


def _moved(value: Meta, view: ndarray, first: int) -> int:
    """Return the offset of a view, counted in elements of its own dtype."""
    bytes_before = value.offset * value.dtype.itemsize + (address(view) - first if view.size else 0)
    return bytes_before // view.itemsize


def _by_columns(shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return the strides of matrices that lie column by column; None where there are none."""
    if len(shape) < 2:
        return None
    *lead, between, within = contiguous_strides((*shape[:-2], shape[-1], shape[-2]))
    return *lead, within, between


def _computed(op: Op, inputs: tuple[object, ...], attrs: tuple[object, ...]) -> list[Meta]:
    outs = [
        Meta(shape, dtype, _by_columns(shape) if k in op.columns else None)
        for k, (shape, dtype) in enumerate(op.result_shapes(inputs, attrs))
    ]
    if op.place is not placed and op.place is not as_first:
        return outs
    # As on the CPU, a result lies in memory as the inputs say.
    given = [v.phantom() for v in (inputs if op.place is placed else inputs[:1]) if isinstance(v, Meta)]
    return [
        Meta(out.shape, out.dtype, shared_strides(out.shape, given)) if len(out.shape) > 1 else out
        for out in outs
    ]
