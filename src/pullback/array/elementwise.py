"""Elementwise loops over large arrays: on several threads, and over blocks that stay in the cache.

`apply` runs one ufunc, `blockwise` a short chain of them; both give what the plain calls give, values and
memory layout alike. Small arrays gain nothing here: an op calls its ufunc directly below so many elements as
`worth_asking` says.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from types import EllipsisType
from typing import Any

import numpy as np
from numpy import ndarray

from . import large
from .broadcasting import plans, spread
from .deferred_import import import_later
from .memory import adapt
from .quiet import IGNORE, ROW_BUFFERS, loud, quiet
from .strides import overlaps
from .threads import get_num_threads, run_parts, stretches

loops = import_later(".strided_loops", __package__)

#: Where two threads begin to beat one, in elements, for loops of the price of an addition (0.1 ns an element
#: in cache; measured between 600,000 and 1,000,000), a transcendental SIMD loop (0.3 ns) and a scalar loop (4
#: to 18 ns).
_CHEAP, _DEAR, _SCALAR = 1_000_000, 250_000, 20_000

#: Nanoseconds that a loop takes for these, and which part of them native threads begin with: 60 µs of work.
_PAYING, _SOONER = 200_000, 0.3

#: Below this many elements no ufunc is split.
WORTH_ASKING = _SCALAR

#: Elements from which a chain of ufuncs is faster in blocks: its temporaries no longer fit the cache.
WORTH_BLOCKS = 1 << 16

_THRESHOLDS: dict[Any, int] = {
    **dict.fromkeys(
        (np.sin, np.cos, np.tan, np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10, np.log1p, np.tanh,
         np.sinh, np.cosh,
         np.arctan, np.arctanh, np.arcsinh, np.arctan2, np.power, np.float_power, np.sqrt, np.cbrt),
        _DEAR,
    ),
    **dict.fromkeys(
        (np.arcsin, np.arccos, np.arccosh, np.remainder, np.fmod, np.floor_divide, np.hypot, np.logaddexp,
         np.logaddexp2, np.copysign, np.nextafter),
        _SCALAR,
    ),
}  # fmt: skip

#: Elements of rows that broadcast operands step evenly along, for which NumPy is given a buffer shorter than
#: they are: it copies all that fits its own first. float32 less what is repeated, one thread, busy, µs before
#: and after: 8×3×40×40 less 1×3×1×1 13 and 6, less 8×1×40×40 16 and 14; 128×300 less a column 17 and 9;
#: 64×32×5×5 less 64×1×1×1 25 and 10; 64×768 less a row 26 and 24. Rows of 64 to 130 are as fast copied.
_LEAST_ROW, _MOST_ROW = 256, 8192

#: The ops that these are, for which large arrays ask for native loops: NumPy computes most of them one number
#: at a time where the processor has no AVX-512. Of 65,536 numbers, one thread, µs, NumPy, native and torch:
#: exp of float64 327, 142, 127, tan of float32 822, 130, 137, atan 709, 125, 189, log1p 627, 169, 103, sin of
#: float64 639, 180, 237. Native errors are at most 1.4 units in the last place (NumPy 3.0).
NAMES: dict[Any, str] = {
    np.exp: "exp", np.exp2: "exp2", np.expm1: "expm1", np.log: "log", np.log2: "log2", np.log10: "log10",
    np.log1p: "log1p", np.sin: "sin", np.cos: "cos", np.tan: "tan", np.arcsin: "asin", np.arccos: "acos",
    np.arctan: "atan",
    np.sinh: "sinh", np.cosh: "cosh", np.tanh: "tanh", np.arcsinh: "asinh", np.arctanh: "atanh",
    np.power: "pow", np.arctan2: "atan2", np.hypot: "hypot",
}  # fmt: skip

#: Those that NumPy computes one number at a time in both precisions, for which native loops are asked from
#: few elements on. 2¹⁴ float32 with the pullback, µs, NumPy, native, torch: log1p 254, 94, 98,
#: expm1 238, 73, 107, atan 231, 83, 125, sinh 511, 121, 134, atan2 574, 178, 185.
_ONE_BY_ONE = {
    np.exp2, np.expm1, np.log2, np.log10, np.log1p, np.tan, np.arcsin, np.arccos, np.arctan, np.sinh, np.cosh,
    np.arcsinh, np.arctanh, np.arctan2, np.floor_divide, np.fmod, np.hypot, np.logaddexp, np.remainder,
}  # fmt: skip

#: NumPy's float32 loops for these stall on memory: 4,000,000 elements take 3.9 ms, and 2.2 ms when each
#: stretch is first copied to its place in the output, which brings it into the cache.
_STALLING = (np.sin, np.cos)

#: Bytes of one operand in a block. Smaller ones make more calls, for which two threads fight over the
#: interpreter, larger ones leave the 1 MiB second-level cache: gelu of 400,000 float32 takes 1.5, 1.2, 1.0
#: and 1.0 ms with blocks of 64, 128, 256 and 512 KiB.
_BLOCK_BYTES = 256 << 10

#: The op, and its attributes, that a chain of ufuncs computes, for those of which large arrays may have a
#: native loop.
OPS_OF_BLOCKS: dict[Callable[..., None], tuple[str, tuple[Any, ...]]] = {}

#: How calls run, by all that this depends on but overlaps and addresses: `PLAIN`, which is NumPy's own call,
#: or a `strided_loops.Plan`.
_PLANS: dict[tuple[Any, ...], Any] = {}
_MOST_PLANS, PLAIN = 1024, "plain"

_F32, _F64 = np.dtype(np.float32), np.dtype(np.float64)

#: Elements of a row that arrays are filled with, and bytes from which that is done: of 2²¹ float32 it takes
#: two threads 243 µs where `fill` takes 382, of 2¹⁹ 73 and 58 (two cores, load 9).
_FILLED, _WORTH_FILLING = 2048, 1 << 22


def worth_asking(kernel: Any) -> int:
    """Return the number of elements from which `apply` is to run an op's kernel.

    Of 2¹⁴ float32 on one thread, µs, NumPy, native, torch: exp 24, 15, 28; tanh 48, 22, 61; log 32, 21, 25;
    sin 31, 18, 37 (load 6 to 10). Of 2¹² they take as long.
    """
    if kernel in _ONE_BY_ONE:
        return large.WORTH_SLOW
    return large.WORTH_CHAIN if kernel in NAMES else WORTH_ASKING


def apply(ufunc: Any, *operands: Any, out: ndarray | EllipsisType = ...) -> ndarray:
    """Return ``ufunc(*operands, out=out)`` of a ufunc with one output, on several threads where that is
    faster.

    `out` is by default a new array of the layout that NumPy would choose.
    """
    key = _key(ufunc, operands if out is ... else (*operands, out))
    if (plan := _PLANS.get(key)) is PLAIN:
        return ufunc(*operands, out=out)
    found = None if plan is None else plan(operands, out)
    return _apply(key, ufunc, operands, out) if found is None else found


def _key(ufunc: Any, operands: Sequence[Any]) -> tuple[Any, ...]:
    """Return all that it depends on how a call runs but for overlaps and addresses."""
    key: list[Any] = [ufunc, get_num_threads(), large.SIZE]
    for x in operands:
        if isinstance(x, ndarray):
            key += x.dtype, x.shape, x.strides
        else:
            key.append(type(x))
    return tuple(key)


def _keep(key: tuple[Any, ...], plan: Any) -> None:
    if len(_PLANS) >= _MOST_PLANS:
        _PLANS.clear()
    _PLANS[key] = plan


def _apply(
    key: tuple[Any, ...], ufunc: Any, operands: tuple[Any, ...], out: ndarray | EllipsisType
) -> ndarray:
    """Do the same where the call has no plan yet, or that one does not fit."""
    adapt()
    arrays = [operand for operand in operands if isinstance(operand, ndarray) and operand.ndim]
    fixed = True
    if out is ... and any(x.shape != arrays[0].shape or 0 in x.strides for x in arrays):
        repeated = plans(operands)
        if repeated is not None:
            fixed, found = False, spread(ufunc, operands, repeated)
            if found is not None:
                return found
    worth = large.SLOW if ufunc in _ONE_BY_ONE else large.CHAIN
    if arrays and arrays[0].size >= worth and ufunc in NAMES:
        fixed, found = False, native(NAMES[ufunc], operands, (), out)
        if found is not None:
            return found
    largest = max((array.size for array in arrays), default=0) if out is ... else out.size
    if not arrays:
        return ufunc(*operands, out=out)
    shape = arrays[0].shape
    if any(array.shape != shape for array in arrays) or (out is not ... and out.shape != shape):
        return _apply_to_rows(key, fixed, ufunc, operands, arrays, out)
    worth = _worth(ufunc, arrays[0])
    if largest < _SOONER * worth or get_num_threads() == 1 or (largest < worth and not large.is_there()):
        if fixed:
            _keep(key, PLAIN)
        return ufunc(*operands, out=out)
    flat_arrays = flat_views(arrays if out is ... else [*arrays, out])
    if flat_arrays is None or (out is not ... and overlaps(out, arrays)):
        return ufunc(*operands, out=out)
    if (found := _planned(key, ufunc, operands, out, worth, True)) is not None:
        return found
    result = np.empty_like(arrays[0], dtype=_result_dtype(ufunc, operands)) if out is ... else out
    flats = iter(flat_arrays)
    flat_operands = [next(flats) if isinstance(x, ndarray) and x.ndim else x for x in operands]
    flat = flat_views([result])[0]  # type: ignore[index]  # laid out as the operands
    _run_split(ufunc, flat_operands, flat, [True] * len(operands))
    return result


def _planned(
    key: tuple[Any, ...], ufunc: Any, operands: Sequence[Any], out: ndarray | EllipsisType, worth: int,
    flat: bool,
) -> ndarray | None:
    """Return the result of native loops, whose plan later calls find; None where there is none."""
    plan = loops.planned(ufunc, operands, out, _PAYING / worth, flat) if large.is_there() else None
    if plan is None:
        return None
    _keep(key, plan)
    found: ndarray | None = plan(operands, out)
    return found


def _worth(ufunc: Any, x: ndarray) -> int:
    """Return the number of elements from which Python's threads pay."""
    return _SCALAR if x.dtype.char == "e" else _THRESHOLDS.get(ufunc, _CHEAP)


def native(
    name: str, operands: Sequence[Any], attrs: tuple[Any, ...] = (), out: ndarray | EllipsisType = ...
) -> ndarray | None:
    """Return what a native loop makes of an op on arrays of one shape and floating dtype, or None.

    What is written in place has the bits of what is not.
    """
    first = operands[0]
    for x in operands:
        if type(x) is not ndarray or x.shape != first.shape or x.dtype is not first.dtype:
            if hasattr(x, "leave_to_native"):
                x.leave_to_native(name)
            return None
    if first.dtype is not _F32 and first.dtype is not _F64:
        return None
    return _asked(name, operands, attrs, out)


def _asked(
    name: str, arrays: Sequence[ndarray], attrs: tuple[Any, ...], out: ndarray | EllipsisType
) -> ndarray | None:
    if out is ...:
        return large.ask("elementwise", name, arrays, attrs)
    if not overlaps(out, arrays):
        found = large.ask("elementwise", name, arrays, attrs, out)
        if found is not None:
            return found
    if (made := large.ask("elementwise", name, arrays, attrs)) is None:
        return None
    copy_into(out, made)
    return out


def _apply_to_rows(
    key: tuple[Any, ...], fixed: bool, ufunc: Any, operands: Sequence[Any], arrays: list[ndarray],
    out: ndarray | EllipsisType,
) -> ndarray:
    """Split operands of different shapes along the result's first axis. Rows keep NumPy's broadcasting."""
    whole, worth = np.broadcast(*arrays), _worth(ufunc, arrays[0])
    if whole.size < _SOONER * worth or not all(array.flags.c_contiguous for array in arrays):
        if fixed:
            evenly = _has_long_rows(ufunc, operands, whole.shape)
            _keep(key, functools.partial(_row_by_row, ufunc) if evenly else PLAIN)
        return ufunc(*operands, out=out)
    shape = whole.shape
    if out is not ... and (out.shape != shape or overlaps(out, arrays)):
        return ufunc(*operands, out=out)
    if (found := _planned(key, ufunc, operands, out, worth, False)) is not None:
        return found
    if whole.size < worth or not 1 < get_num_threads() <= shape[0]:
        return ufunc(*operands, out=out)
    result = np.empty(shape, _result_dtype(ufunc, operands)) if out is ... else out
    cut = [isinstance(x, ndarray) and x.ndim == len(shape) and x.shape[0] != 1 for x in operands]
    _run_split(ufunc, operands, result, cut)
    return result


def _has_long_rows(ufunc: Any, operands: Sequence[Any], shape: tuple[int, ...]) -> bool:
    """Return whether NumPy copies rows of operands that its loop could read where they are."""
    kinds = tuple([x.dtype if isinstance(x, ndarray) else type(x) for x in operands])
    if loops.loop_dtypes(ufunc, kinds) is None:
        return False
    lies = tuple([(x.shape, x.strides) for x in operands if isinstance(x, ndarray)])
    sizes = loops.walk_of(shape, lies).sizes
    return len(sizes) > 1 and _LEAST_ROW <= sizes[-1] < _MOST_ROW


def _row_by_row(ufunc: Any, operands: Sequence[Any], out: ndarray | EllipsisType) -> ndarray:
    """Return ``ufunc(*operands, out=out)``, with each row of an operand read where it is."""
    token = quiet(ROW_BUFFERS)
    try:
        result: ndarray = ufunc(*operands, out=out)
    finally:
        loud(token)
    return result


def _run_split(ufunc: Any, operands: Sequence[Any], result: ndarray, cut: Sequence[bool]) -> None:
    """Let each thread compute a stretch of `result` on its first axis, which `cut` operands have, too."""
    bounds = stretches(result.shape[0], result.size, _THRESHOLDS.get(ufunc, _CHEAP))
    cut = [yes and isinstance(x, ndarray) and x.ndim > 0 for x, yes in zip(operands, cut)]
    stalls = ufunc in _STALLING and result.ndim == 1 and operands[0].dtype == result.dtype == np.float32

    def part(index: int) -> None:
        low, high = bounds[index]
        if not stalls:
            ufunc(*(x[low:high] if yes else x for x, yes in zip(operands, cut)), out=result[low:high])
            return
        step = _BLOCK_BYTES // result.itemsize
        for start in range(low, high, step):
            block = result[start : min(start + step, high)]
            np.copyto(block, operands[0][start : min(start + step, high)])
            ufunc(block, out=block)

    run_parts(part, len(bounds))


def blockwise(
    block: Callable[..., Any], *inputs: ndarray, scratch: int = 0, dtype: Any = None,
    out: ndarray | EllipsisType = ...,
) -> ndarray:
    """Return a chain of ufuncs, run block by block so that its temporaries stay in the cache.

    ``block(*inputs, out, *scratch)`` writes `out`, of dtype `dtype` (by default that of the first input),
    from inputs of one shape. It and the `scratch` temporaries, of the same dtype, start out uninitialised,
    and no two of the arrays share memory; `out` may be one of the inputs if the block writes it in its last
    step only.
    """
    first = inputs[0]
    if out is not ... and (
        out.shape != first.shape or out.dtype != (dtype or first.dtype) or overlaps(out, inputs)
    ):
        out[...] = blockwise(block, *inputs, scratch=scratch, dtype=dtype)
        return out
    if first.size >= large.CHAIN and dtype is None:
        if (named := OPS_OF_BLOCKS.get(block)) is not None and flat_views(inputs) is None:
            inputs = tuple(map(np.ascontiguousarray, inputs))
        found = None if named is None else _asked(named[0], inputs, named[1], out)
        if found is not None:
            return found
    result = np.empty_like(first, dtype=dtype) if out is ... else out
    step = _BLOCK_BYTES // max(1, result.itemsize)
    if first.size <= step:
        block(*inputs, result, *(np.empty_like(result) for _ in range(scratch)))
        return result
    if (flats := flat_views([*inputs, result])) is None and out is not ...:
        out[...] = blockwise(block, *inputs, scratch=scratch, dtype=dtype)
        return out
    if flats is None:
        result = np.empty(first.shape, result.dtype)
        flats = [*(np.ascontiguousarray(array).reshape(-1) for array in inputs), result.reshape(-1)]
    bounds = stretches(first.size, first.size, _CHEAP)

    def part(index: int) -> None:
        low, high = bounds[index]
        spare = [np.empty(min(step, high - low), result.dtype) for _ in range(scratch)]
        for start in range(low, high, step):
            stop = min(start + step, high)
            block(*(flat[start:stop] for flat in flats), *(array[: stop - start] for array in spare))

    run_parts(part, len(bounds))
    return result


def copy_into(target: Any, source: Any) -> None:
    """Do ``target[...] = source`` in silence, on several threads where there is enough to copy."""
    token = quiet(IGNORE)
    try:
        _copy_into(target, source)
    finally:
        loud(token)


def _copy_into(target: Any, source: Any) -> None:
    if type(target) is not ndarray or target.size < large.WORTH or np.may_share_memory(target, source):
        target[...] = source
        return
    if large.is_there() and copied(target, source):
        return
    if target.size < _CHEAP or target.ndim == 0:
        target[...] = source
        return
    if source.shape != target.shape:
        source = np.broadcast_to(source, target.shape)
    bounds = stretches(len(target), target.size, _CHEAP)

    def part(index: int) -> None:
        cut = slice(*bounds[index])
        np.copyto(target[cut], source[cut], casting="unsafe")

    run_parts(part, len(bounds))


def copied(target: ndarray, source: ndarray) -> bool:
    """Do the same by native loops, of arrays that share no memory; return whether there are any for them."""
    key = _key(None, (source, target))
    if (plan := _PLANS.get(key)) is None:
        if (plan := loops.copying(target, source)) is None:
            return False
        _keep(key, plan)
    return plan((source,), target) is not None


def fill(target: ndarray, value: Any) -> None:
    """Do ``target.fill(value)``: a row in the cache is copied to all of a large array."""
    count = target.size // _FILLED
    if target.nbytes >= _WORTH_FILLING and large.is_there() and target.flags.c_contiguous:
        flat, done = target.reshape(-1), count * _FILLED
        if copied(flat[:done].reshape(count, _FILLED), np.full(_FILLED, value, target.dtype)):
            flat[done:] = value
            return
    target.fill(value)


def flat_views(arrays: Sequence[ndarray]) -> list[ndarray] | None:
    """Return flat views of arrays of one shape that walk them in the same order, or None."""
    if all(array.flags.c_contiguous for array in arrays):
        return [array.reshape(-1) for array in arrays]
    first = arrays[0]
    order = sorted(range(first.ndim), key=lambda axis: (-first.strides[axis], axis))
    turned = [array.transpose(order) for array in arrays]
    if not all(array.flags.c_contiguous for array in turned):
        return None
    return [array.reshape(-1) for array in turned]


def result_kind(ufunc: Any, operands: Sequence[Any]) -> tuple[tuple[int, ...], np.dtype]:
    """Return the shape and dtype of what a ufunc makes of arrays, and numbers, that broadcast."""
    shapes = [x.shape for x in operands if isinstance(x, ndarray)]
    return np.broadcast_shapes(*shapes), _result_dtype(ufunc, operands)


def _result_dtype(ufunc: Any, operands: Sequence[Any]) -> np.dtype:
    return ufunc(*(x.reshape(-1)[:0] if isinstance(x, ndarray) and x.ndim else x for x in operands)).dtype
