"""Convolution kernels, compiled: one for each shape, for any number of images.

The weight's covector is summed over images: the parts' sums are added in order (see `apart`), or, where they
would be large, each part has some of the output channels and all images. Its kernel serves any number of
input channels, too, unless it works on several of them together: to compile one takes 50 ms.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import prod

import numpy as np

from ...runtime import shared_kernels
from ...runtime.shared_kernels import Kernel
from .. import tables
from ..codegen import PLACED
from ..vector_registers import registers
from ..vectors import Code
from .by_channel import ByChannel, WeightByChannel, is_better
from .correlate import Correlation
from .nonfinite import GROUP_CHANNELS, mending
from .plan import Shape, two
from .weight import INPUTS, Weight

#: Estimated nanoseconds of a multiplication and addition.
_NANOSECONDS = 0.011
#: Kernels for larger strides, and for larger images, are not made.
_MOST_RESULTS, _IMAGE_BYTES = 9, 16 << 20
#: Kernels that are kept.
_KEPT = 512

_WEIGHT = "ptr noalias %source, ptr noalias %covector, ptr noalias %target"
_REST = "ptr noalias %scratch, i64 %first, i64 %last"


@lru_cache(maxsize=_KEPT)
def correlation(shape: Shape, transposed: bool, bias: bool) -> Kernel:
    """Return the kernel of arrays (source, weight, bias, target)."""
    # Its weight is turned once for each part: there are few of these.
    coarse = is_better(Correlation(shape, registers(shape.real), transposed=transposed, bias=bias))
    kind = ByChannel if coarse else Correlation
    made = kind(shape, registers(shape.real), transposed=transposed, bias=bias)
    return shared_kernels.kernel(
        (kind.__name__, shape, transposed, bias),
        made.write,
        shape.real,
        ("source", "weight", "bias", "target"),
        shape.multiplications * _NANOSECONDS,
        shared_kernels.whole(made.scratch),
        others=("split", "splits"),
        splits=shape.groups if shape.groups > 1 else made.blocks,
        splits_first=made.reads_weight_once(),
        coarse=coarse,
        mending=mending(shape, True) if transposed else None,
        effort=PLACED,
    )


@lru_cache(maxsize=_KEPT)
def weight(shape: Shape) -> Kernel:
    """Return the kernel of arrays (source, covector, target)."""
    like = registers(shape.real)
    # A vector of channels must be full: sums of two that overlap would be added twice.
    made = (Weight if shape.outputs // shape.groups % like.lanes else WeightByChannel)(shape, like)
    each = shape.outputs * shape.taps
    scratch = shared_kernels.whole(made.scratch)
    sums = shared_kernels.whole(each * shape.channels // shape.groups)
    return Kernel(
        (type(made).__name__, shape._replace(channels=0) if made.inputs == INPUTS else shape),
        lambda: _weight_text(made, each, scratch),
        size=4 if shape.real == "float" else 8,
        work=shape.multiplications * _NANOSECONDS,
        scratch=scratch,
        sums=sums,
        splits=shape.groups if shape.groups > 1 else made.tiles,
        mending=mending(shape, False),
        effort=PLACED,
    )


def _weight_text(made: Weight, each: int, scratch: int) -> str:
    code = made.write()
    given = f"{_WEIGHT}, {_REST}, i64 %split, i64 %splits, i64 {INPUTS}"
    lines = [
        *_weight_fields(),
        *shared_kernels.bounds(),
        *shared_kernels.own_scratch(code.real, scratch),
        *_sums_place(code.real, scratch, made.inputs, each),
        "  %further = mul nsw i64 %row, %room",
        f"  %sums = getelementptr {code.real}, ptr %place, i64 %further",
        # A part alone writes the result itself.
        "  %alone = icmp eq i64 %rows, 1",
        "  %target = select i1 %alone, ptr %result, ptr %sums",
        f"  call void @body({given})".replace("noalias ", ""),
    ]
    joining = _joining(code, made.inputs, each, scratch)
    functions = code.text("body", given), shared_kernels.function("part", lines), joining
    return shared_kernels.module(code, *functions)


def _weight_fields() -> list[str]:
    """Return the lines that read the table: the arrays, the fields, and one of the numbers behind them."""
    arrays = ["source", "covector", "result"]
    place = len(arrays) + GROUP_CHANNELS
    return [*shared_kernels.fields(arrays), *tables.read("%table", {INPUTS: "i64"}, place)]


def _sums_place(real: str, scratch: int, inputs: int | str, each: int) -> list[str]:
    """Return the lines that find the parts' sums, which lie behind the scratches, and the room of each."""
    return [
        "  %all = mul nsw i64 %rows, %splits",
        f"  %behind = mul nsw i64 %all, {scratch}",
        f"  %place = getelementptr {real}, ptr %scratches, i64 %behind",
        f"  %count = mul nsw i64 {inputs}, {each}",
        *shared_kernels.whole_of("%count", "%room"),
    ]


def _joining(like: Code, inputs: int | str, each: int, scratch: int) -> str:
    """Return the function that adds the parts' sums in order."""
    code = Code(like.real, like.lanes)
    code.lines += _weight_fields()
    code.lines += _sums_place(code.real, scratch, inputs, each)

    def added(position: int | str, kept: int) -> None:
        slots = code.at("%place", position)
        with code.loop(1, "%rows", [(code.vector, code.load(slots))]) as loop:
            other = code.load(code.at(slots, code.times(loop.index, "%room")))
            loop.values[0] = code.value(f"fadd {code.vector} {loop.values[0]}, {other}")
        code.store_part(loop.values[0], code.at("%result", position), range(kept))

    if isinstance(inputs, int):
        code.along(inputs * each, added)
    else:
        # The last vector ends where the array does.
        last = code.value(f"sub nsw i64 %count, {code.lanes}")
        with code.loop(0, "%count", step=code.lanes) as loop:
            added(code.smaller(loop.index, last), code.lanes)
    like.declarations |= code.declarations
    return shared_kernels.function("joining", code.lines)


def shape_of(
    x: Sequence[int], w: Sequence[int], y: Sequence[int], dtype: np.dtype, stride: Sequence[int],
    padding: Sequence[int], dilation: Sequence[int], groups: int,
) -> Shape | None:  # fmt: skip
    """Return what a convolution of arrays of these shapes needs; None where no kernel is made: for other
    dtypes and more axes, for strides that would take long to compile, and for images that would take much
    memory.

    A single spatial axis is the last of two.
    """
    axes = len(x) - 2
    if axes not in (1, 2) or dtype not in (np.float32, np.float64) or 0 in x or 0 in w or 0 in y:
        return None
    if prod(stride) > _MOST_RESULTS or max(prod(x[1:]), prod(y[2:])) * dtype.itemsize > _IMAGE_BYTES:
        return None

    return Shape(
        "float" if dtype == np.float32 else "double", int(x[1]), int(y[1]), int(groups),
        two(x[2:]), two(y[2:]), two(w[2:]), two(stride), two(padding, 0), two(dilation),
    )  # fmt: skip
