"""Ask for native code in kernels of large arrays; the compiler offers it here.

NumPy passes through memory once for each ufunc of a chain, and keeps the interpreter lock in some loops. From
`SIZE` elements on the kernels here, and the rules of the pullback, first ask for one native loop made by the
compiler's own lowering of the same op. Whether there is one depends on the op, the dtypes and the sizes
alone, so that equal calls give equal results. Without llvmlite, or with ``PULLBACK_LARGE_KERNELS=0`` in the
environment, nothing is asked and the NumPy kernels do all the work.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from numpy import ndarray

from .blas import is_narrow

#: Elements from which a native loop is asked for: the call costs 15 µs, which a pass saved over 2¹⁸ elements
#: brings back.
WORTH = 1 << 18
_NEVER = 1 << 62

#: Multiplications and additions of a matrix product from which a native one is asked for: as OpenBLAS comes,
#: and where its kernels are narrow, so that native ones of this size take 0.6 of its time; elements of an
#: operand below which that is not looked at.
WORTH_MULTIPLYING, WORTH_WIDENING, _LOOKED_AT = 1 << 27, 1 << 23, 1 << 15

#: `WORTH`, and the elements of an operand, once there is somebody to ask.
SIZE = MATRIX = _NEVER


class Source(Protocol):
    """Describe what the compiler offers; every answer may be None."""

    def elementwise(self, name: str, arrays: Sequence[ndarray], attrs: tuple[Any, ...]) -> ndarray | None:
        """The op on arrays of one shape."""

    def rows(
        self, name: str, operands: Sequence[ndarray | None], attrs: tuple[Any, ...], per_row: Sequence[bool]
    ) -> tuple[ndarray, ...] | None:
        """The op on operands of which those marked in `per_row` have a row's part at each place of their
        first axis.
        """

    def pull(
        self, op: Any, g: ndarray, saved: tuple[Any, ...], needs: tuple[bool, ...]
    ) -> tuple[Any, ...] | None:
        """The covectors of an op's inputs, from that of its result and what its node saved."""

    def convolution(
        self, x: tuple[int, ...], w: tuple[int, ...], y: tuple[int, ...], dtype: Any, stride: Sequence[int],
        padding: Sequence[int], dilation: Sequence[int], groups: int,
    ) -> Convolutions | None:  # fmt: skip
        """The convolutions of arrays of these shapes; that of one serves any number of images."""

    def read(self, x: ndarray, index: ndarray, out: ndarray, whole: bool) -> bool | None:
        """``out[l, m, t] = x[l, index[l, m, t], t]`` on C-ordered arrays, with an index for each element or,
        if `whole`, ``index[m]``; False where an index is outside.
        """

    def add(self, base: ndarray, index: ndarray, source: ndarray, whole: bool) -> bool | None:
        """``base[l, index[l, m, t], t] += source[l, m, t]``, in order of m; likewise."""

    def running_sums(self, x: ndarray, out: ndarray, reverse: bool) -> bool | None:
        """Running sums of each row of ``(rows, length)``, from its end with `reverse`; whether that
        was done.
        """

    def product(self, x: ndarray, y: ndarray) -> ndarray | None:
        """``x @ y`` for two matrices of one dtype."""

    def sums(self, x: ndarray, out: ndarray) -> bool | None:
        """The sum of each row of C-ordered ``(rows, length)``; whether that was done."""

    def pad(self, planes: ndarray, out: ndarray, before: Sequence[int], value: ndarray) -> bool | None:
        """Write C-ordered planes ``(n, h, w)`` into ``(n, H, W)``, their first element at the place `before`,
        with `value` wherever they are not; whether that was done.
        """

    def clamp(self, x: ndarray, out: ndarray, bounds: ndarray) -> bool | None:
        """Elements of a C-ordered array kept between two bounds, NaN as it is; whether that was done."""

    def over_planes(self, planes: ndarray, out: ndarray, steps: Sequence[Any]) -> bool | None:
        """The maps of `steps` (number of the axis, `array.taps.Taps`) one after another on C-ordered planes
        ``(n, *size)``; whether that was done.
        """

    def first_places(self, x: ndarray, places: ndarray, descending: bool) -> bool | None:
        """The first places of each row of ``(rows, length)`` in order; whether that was done."""

    def pools(
        self, size: tuple[int, ...], output: tuple[int, ...], dtype: Any, kernel: tuple[int, ...],
        stride: tuple[int, ...], padding: tuple[int, ...], dilation: tuple[int, ...],
    ) -> Pools | None:  # fmt: skip
        """The maximum pools of planes of these sizes."""

    def updating(self) -> Updating | None:
        """Loops that do an optimizer's step."""

    def channels(self, images: int, channels: int, places: int, dtype: Any) -> Channels | None:
        """Batch norm of ``(images, channels, places)``."""


class Updating(Protocol):
    """Native loops for the steps of optimizers."""

    def loop(self, written: Any, dtype: Any) -> Any:
        """The loop that does what was written down (`optim.stand_ins`) to arrays of a dtype."""

    def rows(self, arrays: Sequence[Sequence[ndarray]], taken: Sequence[tuple[int, int]]) -> Rows:
        """The arrays of some parameters: of each the parameter and its state; `taken` is the memory, begin
        and end in order, in which no gradient may lie.
        """

    def count(self, counters: tuple[list[Any], ...], code: Any, at: int, number: int) -> int:
        """Count writes at one place in version counters; 0 and nothing done where that is not so simple."""


class Rows(Protocol):
    """The arrays of some parameters."""

    def gradients(self, gradients: Sequence[Any]) -> bool:
        """Take the gradients of a step; whether they are such that it can be done."""


class Pools(Protocol):
    """Maximum pools of any number of contiguous planes; winners are bytes."""

    def maxima(self, x: ndarray, values: ndarray, winners: ndarray) -> None:
        """Write the largest elements under the windows, and which taps they are under."""

    def spread(self, y: ndarray, winners: ndarray, x: ndarray) -> None:
        """Write each y added to the place of its window's winner into x."""


class Channels(Protocol):
    """Batch norm in training, on contiguous arrays; weight and bias may be None."""

    def forward(
        self, x: ndarray, weight: ndarray | None, bias: ndarray | None, eps: float, results: Sequence[ndarray]
    ) -> None:
        """Write (out, mean, invstd, variance)."""

    def backward(
        self, g: ndarray, x: ndarray, weight: ndarray | None, mean: ndarray, invstd: ndarray,
        results: Sequence[ndarray],
    ) -> None:  # fmt: skip
        """Write the covectors of x, weight and bias."""


class Convolutions(Protocol):
    """Convolution and its transposes, on contiguous arrays of one shape, images apart."""

    def forward(self, x: ndarray, w: ndarray, bias: ndarray | None, y: ndarray) -> None:
        """Write conv(x, w) + bias into y."""

    def transpose(self, y: ndarray, w: ndarray, x: ndarray) -> None:
        """Write conv_transpose(y, w) into x."""

    def weight(self, x: ndarray, y: ndarray, w: ndarray) -> None:
        """Write conv_weight(x, y) into w."""


_load: Callable[[], Source | None] | None = None
_source: Source | None = None


def provide(load: Callable[[], Source | None]) -> None:
    """Take the function that loads the source, which the first large call runs; it gives None where there is
    no compiler.
    """
    global _load, SIZE, MATRIX
    if os.environ.get("PULLBACK_LARGE_KERNELS", "1") != "0":
        _load, SIZE, MATRIX = load, WORTH, _LOOKED_AT


def source() -> Source | None:
    """Return the native backend, loading it on first use; None where there is none."""
    global _load, _source, SIZE, MATRIX
    if _load is not None:
        load, _load = _load, None
        _source = load()
        if _source is None:
            SIZE = MATRIX = _NEVER
    return _source


def elementwise(name: str, arrays: Sequence[ndarray], attrs: tuple[Any, ...] = ()) -> ndarray | None:
    """See `Source.elementwise`."""
    found = source()
    return None if found is None else found.elementwise(name, arrays, attrs)


def pull(
    op: Any, g: ndarray, saved: tuple[Any, ...], needs: tuple[bool, ...]
) -> tuple[Any, ...] | None:
    """See `Source.pull`."""
    found = source()
    return None if found is None else found.pull(op, g, saved, needs)


def rows(
    name: str, operands: Sequence[ndarray | None], attrs: tuple[Any, ...], per_row: Sequence[bool]
) -> tuple[ndarray, ...] | None:
    """See `Source.rows`."""
    found = source()
    return None if found is None else found.rows(name, operands, attrs, per_row)


def read(x: ndarray, index: ndarray, out: ndarray, whole: bool = False) -> bool | None:
    """See `Source.read`."""
    found = source()
    return None if found is None else found.read(x, index, out, whole)


def add(base: ndarray, index: ndarray, values: ndarray, whole: bool = False) -> bool | None:
    """See `Source.add`."""
    found = source()
    return None if found is None else found.add(base, index, values, whole)


def running_sums(x: ndarray, out: ndarray, reverse: bool) -> bool | None:
    """See `Source.running_sums`."""
    found = source()
    return None if found is None else found.running_sums(x, out, reverse)


def _worth() -> int:
    return WORTH_WIDENING if is_narrow() else WORTH_MULTIPLYING


def multiplied(x: ndarray, y: ndarray, /) -> ndarray:
    """``x @ y`` for two matrices: native where it is large."""
    if x.size >= MATRIX and x.size * y.shape[1] >= _worth() and x.dtype is y.dtype:
        found = source()
        product = None if found is None else found.product(x, y)
        if product is not None:
            return product
    return x.dot(y)


def sums(x: ndarray, out: ndarray) -> bool | None:
    """See `Source.sums`."""
    found = source()
    return None if found is None else found.sums(x, out)


def pad(planes: ndarray, out: ndarray, before: Sequence[int], value: ndarray) -> bool | None:
    """See `Source.pad`."""
    found = source()
    return None if found is None else found.pad(planes, out, before, value)


def clamp(x: ndarray, out: ndarray, bounds: ndarray) -> bool | None:
    """See `Source.clamp`."""
    found = source()
    return None if found is None else found.clamp(x, out, bounds)


def first_places(x: ndarray, places: ndarray, descending: bool) -> bool | None:
    """See `Source.first_places`."""
    found = source()
    return None if found is None else found.first_places(x, places, descending)


def is_there() -> bool:
    """Whether somebody is there to be asked, or will be when asked first."""
    return SIZE != _NEVER


def is_loaded() -> bool:
    """Whether somebody was asked already, so that asking again costs no import."""
    return _source is not None


def updating() -> Updating | None:
    """See `Source.updating`."""
    found = source()
    return None if found is None else found.updating()


def over_planes(planes: ndarray, out: ndarray, steps: Sequence[Any]) -> bool | None:
    """See `Source.over_planes`."""
    found = source()
    return None if found is None else found.over_planes(planes, out, steps)
