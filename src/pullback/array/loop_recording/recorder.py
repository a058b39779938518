"""Do NumPy's calls, and note the loops that they are."""

import re
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy import ndarray

from ..blas import TAKES_THREADS, is_held
from ..strides import address
from .arrays import FUNCTIONS, Recorded, plain_of
from .steps import (
    AROUND,
    CONVERTED,
    DECIDE,
    DRAWN,
    FIXED,
    GIVEN,
    MOVED,
    OPERANDS,
    OWN,
    STEPS,
    Operand,
    Step,
    Unrecorded,
)

#: What decisions are made by.
_DECIDED = (np.dtype(bool), np.dtype(np.int64))

#: Multiplications of a product, some 0.1 ms, from which Python is to do it, which lets other threads run.
_LONG = 1 << 22

#: Keywords of ufuncs that say nothing of which loop is called.
_UNASKED = ("casting", "subok", "order")


class Recorder:
    """Collect the steps of a function; it may write to one of the arrays, `target`."""

    def __init__(self, arrays: Sequence[ndarray], target: int = -1) -> None:
        self.is_over = False
        self._target = target
        self.steps: list[Step] = []
        #: Whether products for which OpenBLAS would take threads are kept from them.
        self.alone: set[bool] = set()
        self.draws: list[tuple[int, tuple[Any, ...]]] = []  # see `Recording`
        #: Kind, array, its bounds, and where its first element lies.
        self.memories: list[tuple[int, ndarray, int, int, int]] = []
        #: A layer of 40 steps reads the same constants in each, and a recording has few memories.
        self._fixed: dict[object, ndarray] = {}
        #: Behind how many steps indices were seen to be in range.
        self._in_range: dict[Any, int] = {}
        for array in arrays:
            self.remember(GIVEN, array)

    def told(self, array: ndarray) -> Any:
        """Return an array that tells what is done with it."""
        seen = array.view(Recorded)
        seen.recorder = self
        return seen

    def admit(self, *operands: Any) -> None:
        """Take operands of a call; one that does not tell is what it was, or the recording does not agree."""

    def remember(self, kind: int, array: ndarray) -> int:
        origin = low = address(array)
        high = low + array.nbytes
        if not array.flags.c_contiguous:
            low, high = np.lib.array_utils.byte_bounds(array)  # 6 µs
        self.memories.append((kind, array, low, high, origin))
        return len(self.memories) - 1

    def find(self, array: ndarray) -> tuple[int, int] | None:
        """Return in which memory an array lies, and how far behind the first element of what has that."""
        at = address(array)
        for k, (_, _, low, high, origin) in enumerate(self.memories):
            if low <= at < high:
                return k, at - origin
        return None

    def read(self, array: ndarray) -> ndarray:
        """Return an array that lies in some memory: itself, or a copy of what is always the same."""
        if self.find(array) is not None:
            return array
        copy = array.copy()
        told = copy.dtype, copy.shape, copy.strides, copy.tobytes()
        if told not in self._fixed:
            self._fixed[told] = copy
            self.remember(FIXED, copy)
        return self._fixed[told]

    def place(self, array: ndarray) -> tuple[int, int]:
        """Return where an array lies that is written."""
        if (found := self.find(array)) is None:
            whole = array
            while type(whole.base) is ndarray:
                whole = whole.base
            found = self.remember(OWN, whole), address(array) - address(whole)
        if self.memories[found[0]][0] in (GIVEN, FIXED, DRAWN) and found[0] != self._target:
            raise Unrecorded("a write to an argument")
        return found

    def own(self, array: ndarray) -> Any:
        """Return an array that was just made, and that steps will write, which tells what is done with it."""
        self.remember(OWN, array)
        return self.told(array)

    def new(self, array: ndarray) -> Any:
        """Return an array that was just made, whose numbers may be read where all are the same."""
        made = self.own(array)
        if array.size and array.dtype.kind in "biufc" and (array == (first := array.flat[0])).all():
            self._elements(*self._copy(array, first), array)
        return made

    def _copy(self, out: ndarray, source: Any) -> tuple[Any, list[np.dtype[Any]], list[Any]]:
        """Return the loop that copies, the dtypes of its operands, and its inputs."""
        loop = np.bitwise_or if out.dtype.kind == "b" else np.positive
        return loop, [out.dtype] * (loop.nin + 1), [source] * loop.nin

    # --- calls ---

    def add(self, ufunc: np.ufunc, method: str, inputs: list[Any], named: dict[str, Any]) -> Any:
        """Do a call of a ufunc, and note it."""
        if method == "at" and ufunc is np.add and not named:
            return FUNCTIONS[np.add](self, *inputs)
        named = {k: v for k, v in named.items() if k not in _UNASKED and (v is not None or k == "axis")}
        outs = tuple(map(plain_of, named.pop("out", (None,) * ufunc.nout)))
        if (mask := named.pop("where", True)) is not True:
            return self._add_masked(ufunc, method, inputs, named, outs, mask)
        there = any(isinstance(out, ndarray) for out in outs)
        if there and not all(isinstance(out, ndarray) for out in outs):
            raise Unrecorded("a call with some results given")
        given = {**named, "out": outs if ufunc.nout > 1 else outs[0]} if outs[0] is not None else named
        found = getattr(ufunc, method)(*inputs, **given)
        results = [np.asarray(v) for v in (found if ufunc.nout > 1 else (found,))]
        for result in results if not there else ():
            self.remember(OWN, result)
        (result, *more) = results
        if ufunc.signature is not None:
            self._contract(ufunc, method, inputs, named, results)
        elif method == "__call__":
            self._map(ufunc, inputs, results, **named)
        elif method == "reduce":
            self._reduce(ufunc, inputs[0], result, **named)
        elif method == "accumulate":
            self._accumulate(ufunc, inputs[0], result, **named)
        else:
            raise Unrecorded(f"ufunc.{method}")
        return (*map(self.told, results),) if more else self.told(result)

    def _add_masked(
        self, ufunc: np.ufunc, method: str, inputs: list[Any], named: dict[str, Any], outs: tuple[Any, ...],
        mask: Any,
    ) -> Any:  # fmt: skip
        """Do a call under a mask: of all elements, of which some are chosen."""
        (out, *more) = outs
        if more or out is None or out is ... or method != "__call__":
            raise Unrecorded("a call under a mask without a result, or with several")
        if (result := self.add(ufunc, method, inputs, named)).dtype != out.dtype:
            raise Unrecorded("a result of another dtype")
        self.copy_to(out, result, where=mask)
        return self.told(out)

    def _map(self, ufunc: Any, inputs: Sequence[Any], results: Sequence[ndarray], dtype: Any = None) -> None:
        kinds = [v.dtype if isinstance(v, ndarray | np.generic) else type(v) for v in inputs]
        wanted = (None,) * ufunc.nin + (dtype,) * ufunc.nout
        dtypes = ufunc.resolve_dtypes((*kinds, *[None] * ufunc.nout), signature=wanted)
        if [*dtypes[ufunc.nin :]] != [result.dtype for result in results]:
            raise Unrecorded("a result of another dtype")
        self._elements(ufunc, dtypes, inputs, *results)

    def _elements(
        self, loop: Any, dtypes: Sequence[np.dtype[Any]], inputs: Sequence[Any], *outs: ndarray
    ) -> None:
        arrays = []
        for value, dtype in zip(inputs, dtypes, strict=False):
            if isinstance(value, ndarray) and value.dtype != dtype and self.find(value) is not None:
                value = plain_of(self.cast(value, dtype))
            is_array = isinstance(value, ndarray) and value.dtype == dtype
            arrays.append(self.read(value if is_array else np.array(value, dtype)))
        for array, out in product(arrays, outs):
            if not np.may_share_memory(array, out):
                continue
            same = address(array) == address(out) and array.strides == out.strides
            # A border shares no element with what it repeats: that takes some work to see.
            if not same and np.may_share_memory(array, out, 4096):  # type: ignore[arg-type]  # NumPy's stubs
                raise Unrecorded("operands that overlap")
        shape = outs[0].shape
        spread = [array if array.shape == shape else np.broadcast_to(array, shape) for array in arrays]
        self.loop(loop, dtypes, [*spread, *outs], written=len(outs))

    def places(self, *operands: ndarray, written: int = 1) -> list[tuple[int, int]]:
        """Return where operands lie, of which the last are written."""
        read, outs = operands[: len(operands) - written], operands[len(operands) - written :]
        found = [*map(self.find, read)]
        if None in found:
            raise Unrecorded("an operand that nothing leads to")
        return [place for place in found if place is not None] + [*map(self.place, outs)]

    def loop(
        self, loop: Any, dtypes: Sequence[np.dtype[Any]], operands: Sequence[ndarray], sorted_by: int = -1,
        written: int = 1,
    ) -> None:  # fmt: skip
        """Note calls of a loop over arrays of one shape, the innermost along the axis whose step is least."""
        places = self.places(*operands, written=written)
        if not operands[0].size:
            return
        if all(a.flags.c_contiguous for a in operands):  # 35 µs less
            steps = tuple([a.itemsize for a in operands])
            self.note(loop, dtypes, (), (operands[0].size,), steps, places, written)
            return
        axes = axes_around(operands[0].shape, operands)
        axes.sort(key=lambda axis: -abs(axis[1][sorted_by]))
        joined: list[tuple[int, tuple[int, ...]]] = []
        for size, steps in axes:
            if joined and joined[-1][1] == tuple(size * s for s in steps):
                joined[-1] = (joined[-1][0] * size, steps)
            else:
                joined.append((size, steps))
        *outer, (count, inner) = joined or [(1, tuple(a.itemsize for a in operands))]
        self.note(loop, dtypes, outer, (count,), inner, places, written)

    def note(
        self, loop: Any, dtypes: Sequence[np.dtype[Any]], outer: Sequence[tuple[int, tuple[int, ...]]],
        sizes: tuple[int, ...], steps: tuple[int, ...], places: Sequence[tuple[int, int]], written: int = 1,
    ) -> None:  # fmt: skip
        """Note calls of a loop along axes around it; of more axes than a step has, each call of the first."""
        if len(self.steps) >= STEPS:
            raise Unrecorded("too many steps")
        if len(outer) > AROUND:
            (size, moves), *rest = outer
            for k in range(size):
                moved = [(m, offset + k * by) for (m, offset), by in zip(places, moves, strict=True)]
                self.note(loop, dtypes, rest, sizes, steps, moved, written)
            return
        if len(places) > OPERANDS:
            raise Unrecorded("too many operands")
        if any(dtype.isbuiltin != 1 for dtype in dtypes):
            raise Unrecorded("elements that are none of NumPy's own")
        operands = [Operand(*place, tuple([s[k] for _, s in outer])) for k, place in enumerate(places)]
        around = tuple([size for size, _ in outer])
        self.steps.append(Step(loop, tuple(dtypes), around, sizes, steps, tuple(operands), written))

    def _reduce(
        self, ufunc: np.ufunc, x: ndarray, result: ndarray, axis: Any = 0, keepdims: bool = False,
        dtype: Any = None, initial: Any = None,
    ) -> None:  # fmt: skip
        axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        gone = {a % x.ndim for a in axes} if x.ndim else set()
        if not result.size:
            raise Unrecorded("a reduction of another kind")
        if result.dtype != x.dtype:
            x = plain_of(self.cast(self.read(x), result.dtype))
        if not x.ndim:
            self.copy_to(result, x)
            return
        selects = ufunc in (np.maximum, np.minimum, np.fmax, np.fmin)
        if initial is None and ufunc.identity is None and not selects:
            raise Unrecorded("a reduction of another kind")
        strides = iter(result.strides)
        if keepdims:
            steps = [0 if d in gone else s for d, s in enumerate(strides)]
        else:
            steps = [0 if d in gone else next(strides) for d in range(x.ndim)]
        first = x[tuple([slice(0, 1) if d in gone else slice(None) for d in range(x.ndim)])]
        begin = ufunc.identity if initial is None else initial
        begin = first.reshape(result.shape) if begin is None else begin
        self._elements(*self._copy(result, begin), result)  # noted alone: what is there may be asked for
        spread = np.lib.stride_tricks.as_strided(result, x.shape, steps)
        self.loop(ufunc, (x.dtype,) * 3, [spread, self.read(x), spread], 1)

    def _accumulate(
        self, ufunc: np.ufunc, x: ndarray, result: ndarray, axis: int = 0, dtype: Any = None
    ) -> None:
        if result.dtype != x.dtype or not x.ndim:
            raise Unrecorded("running sums of another dtype")
        mine, its = np.moveaxis(self.read(x), axis, -1), np.moveaxis(result, axis, -1)
        self.copy_to(its[..., :1], mine[..., :1])
        if x.shape[axis] < 2:
            return
        shape = (*mine.shape[:-1], mine.shape[-1] - 1)
        parts = [its[..., :-1], mine[..., 1:], its[..., 1:]]
        places = self.places(*parts)
        steps = tuple([part.strides[-1] for part in parts])
        self.note(ufunc, (x.dtype,) * 3, axes_around(shape[:-1], parts), (shape[-1],), steps, places)

    def _contract(
        self, ufunc: np.ufunc, method: str, inputs: list[Any], named: dict[str, Any],
        results: Sequence[ndarray],
    ) -> None:  # fmt: skip
        if method != "__call__" or named:
            raise Unrecorded(f"a call of {ufunc.__name__} of another kind")
        if ufunc not in (np.matmul, np.vecdot):
            self._stacked(ufunc, [*map(self.read, inputs)], results)
            return
        x, y = map(self.read, inputs)
        (result,) = results
        if x.dtype.kind == "c":
            raise Unrecorded(f"a product by {ufunc.__name__}")
        if not x.dtype == y.dtype == result.dtype or 0 in (*x.shape, *result.shape):
            raise Unrecorded("operands of several dtypes")
        if ufunc is np.vecdot:
            rows = [np.broadcast_to(v, (*result.shape, v.shape[-1])) for v in (x, y)]
            steps: tuple[int, ...] = (0, 0, 0, *(row.strides[-1] for row in rows))
            around = axes_around(result.shape, [*rows, result])
            self.note(ufunc, (x.dtype,) * 3, around, (1, x.shape[-1]), steps, self.places(*rows, result))
            return
        if y.ndim == 1:
            y, result = y[:, None], result[..., None]
        if x.ndim == 1:
            x, result = x[None], result[..., None, :] if inputs[1].ndim > 1 else result[None]
        work = max(x.size * y.shape[-1], y.size * x.shape[-2])
        if work >= _LONG or any(np.may_share_memory(v, result) for v in (x, y)):
            raise Unrecorded("a product that takes long, or operands that overlap")
        if work >= TAKES_THREADS:
            self.alone.add(is_held())
        stack = result.shape[:-2]
        parts = [np.broadcast_to(v, (*stack, *v.shape[-2:])) for v in (x, y)] + [result]
        places = self.places(*parts)
        sizes = (1, x.shape[-2], x.shape[-1], y.shape[-1])
        steps = (0, 0, 0, *(s for part in parts for s in part.strides[-2:]))
        self.note(ufunc, (x.dtype,) * 3, axes_around(stack, parts), sizes, steps, places)

    def _stacked(self, ufunc: np.ufunc, inputs: Sequence[ndarray], results: Sequence[ndarray]) -> None:
        """Note calls of a loop on arrays of more axes, as NumPy's routines of linear algebra are."""
        arrays = [*inputs, *results]
        chars = "".join(array.dtype.char for array in arrays)
        own = [re.findall(r"\w+", axes) for axes in re.findall(r"\(([\w,]*)\)", str(ufunc.signature))]
        names = dict.fromkeys(name for axes in own for name in axes)
        if f"{chars[: ufunc.nin]}->{chars[ufunc.nin :]}" not in ufunc.types or len(own) != len(arrays):
            raise Unrecorded(f"a call of {ufunc.__name__} of other dtypes")
        if any(x.size == 0 for x in arrays) or any(name.isdigit() for name in names):
            raise Unrecorded(f"a call of {ufunc.__name__} of another kind")
        if any(np.may_share_memory(x, out) for x in inputs for out in results):
            raise Unrecorded("operands that overlap")
        lead = results[0].shape[: results[0].ndim - len(own[ufunc.nin])]
        sizes: dict[str, int] = {}
        parts, steps = [], [0] * len(arrays)
        for array, axes in zip(arrays, own, strict=True):
            inner = array.ndim - len(axes)
            sizes |= dict(zip(axes, array.shape[inner:], strict=True))
            steps += array.strides[inner:]
            parts.append(np.broadcast_to(array, (*lead, *array.shape[inner:])) if axes or lead else array)
        for array, axes in zip(parts, own, strict=True):
            if array.shape[array.ndim - len(axes) :] != tuple([sizes[name] for name in axes]):
                raise Unrecorded(f"a call of {ufunc.__name__} of another kind")
        around = axes_around(lead, parts)
        places = self.places(*arrays, written=len(results))
        dims = (1, *[sizes[name] for name in names])
        self.note(ufunc, [a.dtype for a in arrays], around, dims, tuple(steps), places, len(results))

    def multiply(self, x: ndarray, y: ndarray, out: Any) -> Any:
        """Return a product of matrices or vectors, and note it."""
        if out is not None or x.ndim > 2 or y.ndim > 2 or not x.ndim or not y.ndim:
            raise Unrecorded("a product into an array, or of stacks")
        result = plain_of(self.own(np.asarray(x.dot(y))))
        self._contract(np.matmul, "__call__", [x, y], {}, [result])
        return self.told(result)

    def decide(self, array: ndarray) -> int:
        """Return a bool or an integer, and note that it is to be the same in the next call."""
        if array.dtype not in _DECIDED or array.size != 1:
            raise Unrecorded("a look at elements")
        if (place := self.find(array)) is None or self.draws:
            raise Unrecorded("a decision that no step leads to, or behind a draw, which is made once")
        found = int(array.item())
        sizes = (found, array.itemsize)
        self.steps.append(Step(DECIDE, (), (), sizes, (), (Operand(*place, ()),), 0))
        return found

    def cast(self, array: ndarray, dtype: np.dtype[Any]) -> Any:
        """Return elements in another dtype, and note it."""
        plain = plain_of(array)
        made = plain_of(self.own(plain.astype(dtype)))
        if plain.dtype.char + dtype.char not in CONVERTED:
            raise Unrecorded(f"a cast from {plain.dtype} to {dtype}")
        self._elements("convert", [plain.dtype, dtype], [plain], made)
        return self.told(made)

    def move(self, x: ndarray, choose: Callable[[ndarray], ndarray], out: Any = None) -> Any:
        """Return elements that a function chooses of an array, whatever they are, and note it."""
        steps = [np.arange(n) * s for n, s in zip(x.shape, x.strides, strict=True)]
        offsets = np.broadcast_to(sum(np.ix_(*steps)), x.shape)
        result = np.asarray(choose(plain_of(x)))
        if out is None:
            self.remember(OWN, result)
        else:
            out[...] = result
            result = out
        still = np.lib.stride_tricks.as_strided(plain_of(x), result.shape, [0] * result.ndim)
        self.gather(np.asarray(choose(offsets)), still, result)
        return self.told(result)

    def check_places(self, indices: Any, size: int) -> None:
        """Note that indices, in int64, have to be below a size, unless the steps so far ask for that."""
        place = *self.places(plain_of(indices), written=0), indices.shape, indices.strides, size
        since = self._in_range.get(place)
        written = {part.memory for step in self.steps[since:] for part in step.outputs()}
        if since is None or place[0][0] in written:
            # Negative ones are large without a sign.
            if np.logical_or.reduce(indices.view(np.uint64) >= size, axis=None):
                raise Unrecorded("indices out of range")
            self._in_range[place] = len(self.steps)

    def gather(self, offsets: ndarray, x: ndarray, out: ndarray) -> None:
        if out.itemsize not in MOVED:
            raise Unrecorded(f"elements of {out.itemsize} bytes")
        self.loop("gather", [out.dtype], [np.broadcast_to(self.read(offsets), out.shape), x, out])

    # --- functions ---

    def copy_to(self, out: Any, source: Any, casting: str = "", where: Any = True) -> None:
        """Copy elements, and note it."""
        out, source, where = plain_of(out), plain_of(source), plain_of(where)
        if not casting and where is True and type(source) is ndarray and source.dtype is not out.dtype:
            source = plain_of(self.cast(source, out.dtype))  # as `out[...] = source` does
        np.copyto(out, source, where=where)
        if where is not True:
            self._choose([where, source, out], out)
            return
        self._elements(*self._copy(out, source), out)

    def choose(self, condition: Any, *given: Any) -> Any:
        """Return `np.where` of three operands, and note it."""
        if len(given) != 2:
            raise Unrecorded("places where a mask holds")
        condition, x, y = (plain_of(v) for v in (condition, *given))
        out = plain_of(self.own(np.where(condition, x, y)))
        if getattr(condition, "dtype", None) != np.dtype(bool):
            raise Unrecorded("a choice by no mask")
        self._choose([condition, x, y], out)
        return self.told(out)

    def _choose(self, operands: list[Any], out: ndarray) -> None:
        if out.itemsize not in MOVED:
            raise Unrecorded(f"elements of {out.itemsize} bytes")
        self._elements("choose", [np.dtype(bool), *[out.dtype] * 3], operands, out)

    def join(self, arrays: Any, axis: int = 0, out: Any = None, **named: Any) -> Any:
        """Return `np.concatenate`, and note it."""
        plain = [*map(plain_of, arrays)]
        made = plain_of(self.own(np.concatenate(plain, axis, **named)) if out is None else out)
        begin = 0
        for array in plain:
            end = begin + array.shape[axis]
            self.copy_to(made[(*[slice(None)] * (axis % made.ndim), slice(begin, end))], array)
            begin = end
        return self.told(made)

    def alike(self, x: Any, *args: Any, **named: Any) -> Any:
        """Return an array like one, its elements not set."""
        return self.own(np.empty_like(plain_of(x), *args, **named))

    def filled(self, number: Any) -> Callable[..., Any]:
        """Return what makes arrays of one number."""

        def fill(x: Any, *args: Any, **named: Any) -> Any:
            made = self.own(np.empty_like(plain_of(x), *args, **named))
            self.copy_to(made, made.dtype.type(number))  # of bools NumPy takes no 0
            return made

        return fill


def axes_around(shape: Sequence[int], operands: Sequence[ndarray]) -> list[tuple[int, tuple[int, ...]]]:
    """Return the axes of a shape that are no single place, with the steps of the operands along them."""
    return [(n, tuple([a.strides[d] for a in operands])) for d, n in enumerate(shape) if n != 1]


#: Functions of NumPy's that are no ufuncs, nor made of those and of views.
FUNCTIONS |= {
    np.copyto: Recorder.copy_to, np.where: Recorder.choose, np.concatenate: Recorder.join,
    np.empty_like: Recorder.alike,
    np.broadcast_to: lambda recorder, x, shape: recorder.told(np.broadcast_to(plain_of(x), shape)),
    np.isposinf: lambda recorder, x: np.equal(x, np.inf),
    np.isneginf: lambda recorder, x: np.equal(x, -np.inf),
    np.dot: lambda recorder, x, y: recorder.multiply(plain_of(x), plain_of(y), None),
    np.zeros_like: lambda recorder, *args, **named: recorder.filled(0)(*args, **named),
    np.ones_like: lambda recorder, *args, **named: recorder.filled(1)(*args, **named),
    np.full_like: lambda recorder, x, value, *args, **named: recorder.filled(value)(x, *args, **named),
}  # fmt: skip
