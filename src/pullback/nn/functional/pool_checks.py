"""Say where the windows of a pool lie, from arguments in torch's forms, and torch's errors for those
that do not fit.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from ...array import dtypes
from ...array.dtype_words import not_implemented
from ...array.pool import Windows
from ...core.value import TensorBase, dtype_of, shape_of
from ...errors import type_name
from ...tensor.argument_types import is_integer, is_size
from ...tensor.signature import Parser
from ...tensor.sizes import tensor
from ...tensor.tensor import checked_axis

_COUNTS = {2: "two", 3: "three"}
_AXES = {1: "HW", 2: "HW", 3: "THW"}


def check_kind(x: Any, kinds: str, kernel: str, halves: bool = True) -> None:
    """Raise torch's error for a dtype that a pool refuses; `kinds` are NumPy's letters, V for bfloat16."""
    narrow = not halves and dtype_of(x).name in ("float16", "bfloat16")
    if narrow or dtype_of(x).kind not in kinds or dtype_of(x) in dtypes.FLOAT8_NUMPY:
        raise not_implemented(kernel, dtype_of(x))


def _integers(value: Any, name: str, position: int, function: str) -> tuple[int, ...]:
    if not (is_integer(value) or is_size(value)):
        raise TypeError(
            f"{function}(): argument '{name}' (position {position}) must be tuple of ints, not "
            f"{type_name(value)}"
        )
    return check_longs(int(v) for v in (value if isinstance(value, (list, tuple)) else (value,)))


def check_longs(values: Iterable[int]) -> tuple[int, ...]:
    """Return numbers that 64 bits hold."""
    found = tuple(values)
    if any(abs(n) >= 1 << 63 for n in found):
        raise OverflowError("Overflow when unpacking long long")
    return found


def _numbers(value: Any, rank: int, name: str, position: int, function: str, is_max: bool) -> tuple[int, ...]:
    """Return one number per spatial axis."""
    if type(value) is int and abs(value) < 1 << 63:
        return (value,) * rank
    if len(values := _integers(value, name, position, function)) == 1:
        return values * rank
    if len(values) != rank:
        raise RuntimeError(_count_text(len(values), rank, name, function, is_max))
    return values


def _count_text(count: int, rank: int, name: str, function: str, is_max: bool) -> str:
    if rank == 1:
        if not is_max:
            return f"{function}() argument '{name}' should contain one int (got {count})"
        kinds = {
            "kernel_size": "an int, list of ints or tuple of ints",
            "stride": "None, an int, list of ints, or tuple of ints",
            "padding": "an int, list of ints, or tuple of ints",
            "dilation": "an int, list of ints or tuple of ints",
        }  # fmt: skip
        return f"{function}() {name} must be {kinds[name]} of size 1 but got size {count}"
    either = "" if rank == 3 and not is_max else "be either " if name == "dilation" else "either be "
    if name == "stride":
        either = either.replace("either be ", "either ")
    omitted = "be omitted, " if name == "stride" else ""
    if not either:
        either, omitted = ("", "be omitted, ") if name == "stride" else ("be ", "")
    return f"{function}: {name} must {either}{omitted}a single int, or a tuple of {_COUNTS[rank]} ints"


def _by_axis(word: str, values: Sequence[int]) -> str:
    shown = (1, *values) if len(values) == 1 else values
    return " ".join(f"{word}{axis}: {n}" for axis, n in zip(_AXES[len(values)], shown, strict=True))


def _is_plain(option: Any) -> bool:
    kind = type(option)
    return kind is int or option is None or (kind is tuple and all(type(n) is int for n in option))


def windows_of(
    x: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool, rank: int, function: str,
    is_max: bool, indices: bool = False,
) -> Windows:  # fmt: skip
    """Return the checked windows over the last `rank` axes of x; with indices, one axis is pooled as two."""
    tensor(function, "input", x)
    options = kernel, stride, padding, dilation
    key = None
    if all(map(_is_plain, options)):
        key = shape_of(x), *options, bool(ceil_mode), rank, function, is_max, indices
        if (known := _known.get(key)) is not None:
            return known
    # with indices, one axis is pooled by another function of torch's, which counts in its own words
    by_number = is_max and not (rank == 1 and indices)
    kernel = _numbers(kernel, rank, "kernel_size", 2, function, by_number)
    given = stride is not None and not (isinstance(stride, (tuple, list)) and len(stride) == 0)
    stride = _numbers(stride, rank, "stride", 3, function, by_number) if given else kernel
    padding = _numbers(padding, rank, "padding", 4, function, by_number)
    dilation = _numbers(dilation, rank, "dilation", 5, function, by_number)
    shape = shape_of(x)
    if rank == 1 and is_max and not indices:
        _check_max_pool1d(kernel[0], stride[0], padding[0], dilation[0], shape)
    elif rank == 1 and len(shape) not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {len(shape)}-dimensional tensor for argument #1 'self' "
            f"(while checking arguments for {function})"
        )
    if 0 in stride:
        raise RuntimeError("stride should not be zero")
    for k, p, d in zip(kernel, padding, dilation, strict=True):
        if p < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {p}")
        if p > int(((k - 1) * d + 1) / 2):
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k} and "
                f"dilation={d}"
            )
    if any(k <= 0 for k in kernel):
        raise RuntimeError(f"kernel size should be greater than zero, but got {_by_axis('k', kernel)}")
    if any(s < 0 for s in stride):
        raise RuntimeError(f"stride should be greater than zero, but got {_by_axis('d', stride)}")
    if any(d <= 0 for d in dilation):
        raise RuntimeError(f"dilation should be greater than zero, but got {_by_axis('dilation', dilation)}")
    if rank > 1:
        _check_shape(shape, rank, function, is_max)
    elif not is_max or indices:  # torch pools one axis as two, and says so
        _check_shape((*shape[:-1], 1, shape[-1]), 2, function, is_max)
    windows = Windows(kernel, stride, padding, dilation, bool(ceil_mode))
    output = windows.output(shape[-rank:])
    if any(n < 1 for n in output):
        _refuse_output(shape, output, kernel, rank, is_max and not (indices and rank == 1))
    if key is not None:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[key] = windows
    return windows


#: Windows by the shapes and options that were checked.
_known: dict[Any, Windows] = {}
_MOST_KNOWN = 1024


def _check_max_pool1d(kernel: int, stride: int, padding: int, dilation: int, shape: tuple[int, ...]) -> None:
    if len(shape) not in (2, 3) or 0 in shape[-2:]:
        raise RuntimeError(
            "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but "
            f"got:{list(shape)}"
        )
    for word, number in (("kernel_size", kernel), ("stride", stride)):
        if number <= 0:
            raise RuntimeError(f"max_pool1d() {word} must be greater than zero, but got {number}")
    if padding < 0:
        raise RuntimeError(f"max_pool1d() padding must be non-negative, but got {padding}")
    if padding > kernel // 2:
        raise RuntimeError(
            f"max_pool1d() padding should be at most half of kernel size, but got padding={padding} and "
            f"kernel_size={kernel}"
        )
    if dilation <= 0:
        raise RuntimeError(f"max_pool1d() dilation must be greater than zero, but got {dilation}")


def _check_shape(shape: tuple[int, ...], rank: int, function: str, is_max: bool) -> None:
    ranks = (rank + 1, rank + 2)
    if rank == 2:
        if len(shape) < 3 and not is_max:
            checked_axis(-3, len(shape))
        if len(shape) < 3 or (is_max and len(shape) not in ranks):
            raise RuntimeError("non-empty 3D or 4D (batch mode) tensor expected for input")
        if len(shape) not in ranks or 0 in shape[-3:]:
            raise RuntimeError(
                "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:"
                f"{list(shape)}"
            )
        return
    if len(shape) not in ranks:
        raise RuntimeError("non-empty 4D or 5D (batch mode) tensor expected for input")
    if 0 in shape[-4:]:
        name = f"{function}_with_indices_out_cpu_template" if is_max else function
        raise RuntimeError(
            f"{name}(): Expected input's non-batch dimensions to have positive length, but input has a shape "
            f"of {list(shape)} and non-batch dimension 0 has length zero!"
        )


def _refuse_output(
    shape: tuple[int, ...], output: Sequence[int], kernel: Sequence[int], rank: int, is_max: bool
) -> None:
    size = shape[-rank:]
    if rank == 1 and is_max:
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {output[0]}")
    if rank == 3 and not is_max:
        raise RuntimeError(
            f"input image ({' '.join(f'{a}: {n}' for a, n in zip('THW', size, strict=True))}) smaller than "
            f"kernel size ({_by_axis('k', kernel)})"
        )
    lifted = (1,) if rank == 1 else ()
    before = "x".join(map(str, (shape[-rank - 1], *lifted, *size)))
    after = "x".join(map(str, (shape[-rank - 1], *lifted, *output)))
    raise RuntimeError(
        f"Given input size: ({before}). Calculated output size: ({after}). Output size is too small"
    )


def adaptive_size(x: Any, wanted: Any, rank: int, function: str, is_max: bool) -> tuple[int, ...]:
    """Return the output size of an adaptive pool, one number per spatial axis; None keeps an axis."""
    if rank == 1:
        tensor(function, "input", x)
    shape = shape_of(x) if rank == 1 else tuple(x.size())
    if rank == 1 and len(shape) not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {len(shape)}-dimensional tensor for argument #1 'self' "
            f"(while checking arguments for {function})"
        )
    given = wanted
    if rank > 1 and not isinstance(wanted, int):
        if len(shape) <= len(wanted):
            raise ValueError(f"Input dimension should be at least {len(wanted) + 1}")
        given = [n if o is None else o for o, n in zip(wanted, shape[-len(wanted) :], strict=False)]
    if type(given) is not int or not isinstance(x, TensorBase) or abs(given) >= 1 << 40:
        given = _adaptive_parser(function, rank).bind((x, given), {})["output_size"]
    values = given if isinstance(given, tuple) else (given,) * rank
    if len(values) != rank:
        raise RuntimeError(
            f"{function}() argument 'output_size' should contain one int (got {len(values)})"
            if rank == 1
            else f"{function}(): internal error: output_size.size() must be {rank}"
            if is_max
            else f"{function}: output_size must be {rank}"
        )
    if rank > 1 and len(shape) not in (rank + 1, rank + 2):
        colon = ":" if is_max else ""
        raise RuntimeError(
            f"{function}(): Expected {rank + 1}D or {rank + 2}D tensor, but got{colon} {list(shape)}"
        )
    _check_adaptive(shape, values, rank, function, is_max)
    return values


@cache
def _adaptive_parser(function: str, rank: int) -> Parser:
    return Parser(function, f"(Tensor input, tuple of ints[{rank}] output_size)")


def _check_adaptive(
    shape: tuple[int, ...], size: tuple[int, ...], rank: int, function: str, is_max: bool
) -> None:
    if rank == 1 and not is_max:
        # torch pools one axis as two, and says so.
        shape, size, function = (*shape[:-1], 1, shape[-1]), (1, *size), "adaptive_avg_pool2d"
    # All but the average of two axes look at every axis but the first, be that the batch or not.
    start = 1 if is_max or rank == 3 else len(shape) - len(size)
    empty = next((d for d in range(start, len(shape)) if shape[d] == 0), None)
    if empty is not None:
        raise RuntimeError(
            f"{function}(): Expected input to have non-zero size for non-batch dimensions, but input has "
            f"sizes {list(shape)} with dimension {empty} being empty"
        )
    if any(n < 0 for n in size):
        if is_max:
            wrong = next(n for n in size if n < 0)
            size = (1, *size) if rank == 1 else size
            raise RuntimeError(
                f"Trying to create tensor with negative dimension {wrong}: {[*shape[:-rank], *size]}"
            )
        raise RuntimeError(
            f"{function}: elements of output_size must be greater than or equal to 0 but received "
            f"{{{', '.join(map(str, size))}}}"
        )
