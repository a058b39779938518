"""Record which of NumPy's loops a function of arrays calls, so that native code can call them again.

Of a function that is called again and again on arrays of the same shapes and strides, all is known but the
elements: which loops NumPy calls, how often, on which memory and in which steps. A ufunc's call takes 0.3 µs
beside its loop, a reduction's 0.9, a slice 0.1, and the Python around them as much. So the function is run
once on arrays that tell of each ufunc that is called with them (`Recorded`); where an array lies is told by
its address, so views need no record. What is not told (a sort, a library's routine) leaves no step. The
result is then not what the function gives of other elements: a recording is taken only where it `agrees`.
"""

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock, get_ident
from typing import Any

import numpy as np
from numpy import ndarray

from .. import lapack, large, small_fft  # noqa: F401  # what is imported while this records does not tell
from ..strides import address
from . import linear_algebra, moves  # noqa: F401  # they add functions that are recorded
from .arrays import Recorded, plain_of
from .draws import told_draws
from .recorder import Recorder
from .routines import told_routine
from .steps import DECIDE, FIXED, MADE, OWN, SCRATCH, Recording, Step, Unrecorded


class _ToldNumPy:
    """Stand for NumPy: the arrays that one thread makes tell what is done with them, and those that do stay
    so. Other threads get NumPy's own.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder, self._thread = recorder, get_ident()
        for name in ("empty", "zeros", "ones", "full"):
            setattr(self, name, self._maker(getattr(np, name)))

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def _maker(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def make(*args: Any, **named: Any) -> Any:
            made = function(*args, **named)
            return self._recorder.new(made) if get_ident() == self._thread else made

        return make

    def asarray(self, x: Any, dtype: Any = None, *args: Any, **named: Any) -> Any:
        """Return an array as it is where it tells, or its elements in another dtype or order."""
        if type(x) is not Recorded:
            return np.asarray(x, dtype, *args, **named)
        if named.pop("order", None) == "C" and not x.flags.c_contiguous:
            x = x.copy()
        if args or named:
            raise Unrecorded("an array that is made in another way")
        return x if dtype is None else x.astype(dtype, copy=False)

    def ascontiguousarray(self, x: Any, dtype: Any = None) -> Any:
        """Return the same in C order, with an axis at least."""
        if type(x) is not Recorded:
            return np.ascontiguousarray(x, dtype)
        return self.asarray(x.reshape(1) if not x.ndim else x, dtype, order="C")

    def take(self, x: Any, indices: Any, *args: Any, **named: Any) -> Any:
        """Return elements at indices, also those that tell, of an array that does not."""
        if type(x) is not Recorded and type(indices) is Recorded:
            x = self._recorder.told(np.asarray(x))
        return np.take(x, indices, *args, **named)

    def array(self, x: Any, *args: Any, **named: Any) -> Any:
        """Return NumPy's array; refuse a copy of one that tells."""
        if type(x) is not Recorded:
            return np.array(x, *args, **named)
        if args or not named.keys() <= {"order"}:
            raise Unrecorded("a copy of an array")
        return x.copy(named.get("order", "K"))


@contextmanager
def _made_told(recorder: Recorder) -> Iterator[None]:
    """Let the arrays that this thread makes in the block tell what is done with them: in the modules of this
    package, and nowhere else, the name of NumPy means what stands for it. Where a native
    kernel is asked for one of them, NumPy does not tell, and the recording ends.
    """
    if not _EXCHANGED.acquire(blocking=False):
        raise Unrecorded("another thread records")
    told, ask, routine, thread = _ToldNumPy(recorder), large.ask, lapack.routine, get_ident()

    def refuse(kernel: str, *given: Any) -> Any:
        if get_ident() == thread and Recorded in map(type, given):
            raise Unrecorded("what a native kernel does")
        return ask(kernel, *given)

    def find(name: str, dtype: np.dtype[Any]) -> Callable[..., Any]:
        return told_routine(recorder, routine, name, dtype) if get_ident() == thread else routine(name, dtype)

    spaces = [space for space in _spaces(len(sys.modules)) if space.get("np") is np]
    try:
        for space in spaces:
            space["np"] = told
        large.ask = refuse
        lapack.routine = find  # type: ignore[assignment]  # that one is cached
        yield
    finally:
        large.ask, lapack.routine = ask, routine
        for space in spaces:
            space["np"] = np
        _EXCHANGED.release()


@lru_cache(maxsize=1)
def _spaces(modules: int) -> list[dict[str, Any]]:
    """Return the names of the package's modules that have NumPy, kept while there are as many modules: to go
    through them takes 0.6 ms. One that is missed here makes no array that tells: its recording does not
    agree, and is not taken.
    """
    package = f"{__name__.partition('.')[0]}."
    return [
        module.__dict__
        for name, module in [*sys.modules.items()]
        if name.startswith(package) and not name.startswith(__package__) and vars(module).get("np") is np
    ]


#: Held while the name is exchanged.
_EXCHANGED = Lock()


def lying_alike(array: ndarray, elements: ndarray) -> ndarray:
    """Return an array with some elements and memory of its own, with the shape and the strides of one."""
    made: ndarray = np.empty(array.shape, array.dtype)
    if made.strides == array.strides:
        made[...] = elements
        return made
    low, high = np.lib.array_utils.byte_bounds(array)
    memory = np.zeros(high - low, np.uint8)
    made = np.ndarray(array.shape, array.dtype, memory, address(array) - low, array.strides)
    made[...] = elements
    return made


def agrees(
    function: Callable[..., Any], other: Callable[..., Any], arrays: Sequence[ndarray],
    left: Sequence[object] = (),
) -> bool:  # fmt: skip
    """Return whether two functions of arrays of these shapes and strides give the same bits, for numbers of
    many sizes at random, some of which are those that functions are likely to tell apart.

    Some take few such numbers, as a Cholesky factor does; they are given their own in another order, too, in
    which a matrix is as definite as it was. `left` grows where the other one leaves a call to the function,
    which shows nothing: it has to do some itself.
    """
    agreed = own = 0
    alike = {k for k, a in enumerate(arrays) if a.dtype.kind in "iu" and a.any() and _is_one(a)}
    for given in _turns(arrays):
        before = [lying_alike(array, array) for array in given]
        try:
            with np.errstate(all="ignore"):
                expected = function(*given)
        except Exception as error:  # noqa: BLE001  # whatever these numbers are refused for
            if not _raises(type(error), other, before):
                return False
            continue
        were = len(left)
        try:
            with np.errstate(all="ignore"):
                found = other(*before)
        except Exception:  # noqa: BLE001  # Python is to do these calls
            return False
        pairs = [*zip(_parts(expected), _parts(found), strict=True), *zip(given, before, strict=True)]
        if not all(is_equal(x, y) for x, y in pairs):
            return False
        agreed += 1
        own += len(left) == were
        alike -= {k for k in alike if not np.array_equal(given[k], arrays[k])}
    return agreed > 1 and own > 0 and not alike


#: What is done to a number by itself with the same bits, once it is rounded.
_ALIKE = (
    np.negative, np.positive, np.absolute, np.less, np.less_equal, np.greater, np.greater_equal, np.equal,
    np.not_equal, DECIDE,
)  # fmt: skip


def takes_as_they_are(recording: Recording, numbers: Sequence[int]) -> bool:
    """Return whether numbers among arrays, floats in Python, are computed with others' elements alone."""
    alone = set(numbers)
    fixed = {k for k, (kind, _) in enumerate(recording.memories) if kind == FIXED}
    for step in recording.steps:
        inputs = {part.memory for part in step.operands[: len(step.operands) - step.written]}
        if inputs & alone and inputs <= alone | fixed:
            if step.ufunc not in (*_ALIKE, *["convert"][: inputs <= {*numbers}]):
                return False
            alone |= {part.memory for part in step.outputs()}
    return True


def _raises(error: type[Exception], function: Callable[..., Any], given: Sequence[ndarray]) -> bool:
    try:
        with np.errstate(all="ignore"):
            function(*given)
    except error:
        return True
    except Exception:  # noqa: BLE001  # another one
        return False
    return False


def _turns(arrays: Sequence[ndarray]) -> Iterator[list[ndarray]]:
    """Yield lists of arrays that lie as these do, with other elements."""
    for turn, special in enumerate(_SPECIAL):
        yield [
            lying_alike(array, _at_random(array, special, len(_SPECIAL) * k + turn))
            for k, array in enumerate(arrays)
        ]
    for factor in (1.0, 1.25, 0.75):
        turned = [np.flip(array) for array in arrays]
        with np.errstate(over="ignore", invalid="ignore"):
            turned = [a * a.dtype.type(factor) if a.dtype.kind in "fc" else a for a in turned]
        yield [lying_alike(array, again) for array, again in zip(arrays, turned, strict=True)]


def is_equal(x: ndarray, y: ndarray) -> bool:
    """Return whether arrays are equal; of two nan an addition gives the bits of the one or the other."""
    if (x.dtype, x.shape, x.strides) != (y.dtype, y.shape, y.strides):
        return False
    if x.dtype.kind in "fc" and x.tobytes() != y.tobytes():
        x, y = np.where(np.isnan(x), np.nan, x), np.where(np.isnan(y), np.nan, y)
    return x.tobytes() == y.tobytes()


def _parts(result: Any) -> tuple[ndarray, ...]:
    return result if isinstance(result, tuple) else (result,)


#: Numbers that stand among those at random, in each turn others.
_SPECIAL = ((1.0,), (-0.0, 0.0, 1e30), (np.nan, np.inf, -np.inf))


def _at_random(array: ndarray, special: tuple[float, ...], seed: int) -> ndarray:
    if array.dtype.kind in "fc":
        begin = seed * _APART % _PERIOD
        numbers = _numbers(array.dtype, special)[begin : begin + min(array.size, _PERIOD)]
        # To repeat nothing takes 10 µs: a sixth of what it takes to make all arrays of a recording's turns.
        return numbers.reshape(array.shape) if array.size <= _PERIOD else np.resize(numbers, array.shape)
    if array.dtype.kind == "b":
        return (_uniform(array.size, seed) < 0.5).reshape(array.shape)
    # Such elements as there are: they may be places in another array.
    there = array.reshape(-1)
    if not _is_one(array):
        return _chosen(there, array.shape, seed)
    chosen = _chosen(np.append(there[:1], array.dtype.type(0)), array.shape, seed)
    chosen.flat[:1] = there[:1] * (seed % 2)  # so a count is one time what it was, and another time 0
    return chosen


def _chosen(values: ndarray, shape: tuple[int, ...], seed: int) -> ndarray:
    places = _uniform(math.prod(shape), seed) * len(values)
    chosen: ndarray = values[places.astype(np.intp)].reshape(shape)
    return chosen


def _uniform(size: int, seed: int) -> ndarray:
    """Return numbers below 1, by SplitMix64: to import `numpy.random` takes 14 ms and 6 MB."""
    x = np.arange(1 + size * seed, 1 + size * (seed + 1), dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((x ^ (x >> np.uint64(31))) >> np.uint64(11)) * 2.0**-53


def _is_one(array: ndarray) -> bool:
    """Return whether an array holds one number only."""
    return not array.size or bool((array == array.flat[0]).all())


#: Larger arrays repeat so many: 50,000 numbers take 3 ms to draw. It is a prime, so that rows differ.
_PERIOD = 4093
#: How far apart arrays begin among the numbers that all take theirs from.
_APART = 613


@lru_cache(maxsize=256)
def _numbers(dtype: np.dtype[Any], special: tuple[float, ...]) -> ndarray:
    """Return two periods of numbers of many sizes, and some that are special.

    Each array had its own: of the 0.9 s that a transformer's first 50 steps took, 16 ms.
    """
    distance, angle, power, rest = _uniform(4 * _PERIOD, 0).reshape(4, _PERIOD)
    numbers = np.sqrt(-2 * np.log1p(-distance)) * np.cos(2 * np.pi * angle) * 10 ** (6 * power - 3)
    with np.errstate(all="ignore"):  # halves hold no 1e30
        once = np.where(rest < 0.1, np.resize(special, _PERIOD), numbers).astype(dtype)
    return np.tile(once, 2)


def record(function: Callable[..., Any], arrays: Sequence[ndarray], target: int = -1) -> Recording:
    """Return what ``function(*arrays)`` does with arrays of these shapes and strides; it returns arrays.

    It writes to the array number `target` in the end, −1: to none. Raises `Unrecorded` where it does what
    cannot be told, as far as this can be seen.
    """
    # Each has memory of its own: what is given twice in this call may be two arrays in the next.
    own = [lying_alike(array, array) for array in arrays]
    recorder = Recorder(own, target)
    try:
        with _made_told(recorder), told_draws(recorder), np.errstate(all="ignore"):
            found = function(*[recorder.told(array) for array in own])
    finally:
        recorder.is_over = True
    results: list[tuple[int, ndarray]] = []
    for result in map(plain_of, _parts(found)):
        memory, offset = recorder.place(result)
        whole = recorder.memories[memory][1]
        if offset or whole.size != result.size or any(memory == k for k, _ in results):
            raise Unrecorded("a result that is a part of an array, or twice there")
        reach = sum((n - 1) * s for n, s in zip(result.shape, result.strides, strict=True))
        if result.size and reach != result.nbytes - result.itemsize:
            raise Unrecorded("a result with gaps")
        results.append((memory, result))
    ends = [step.written and step.operands[-1].memory == target for step in recorder.steps]
    if target >= 0 and (not any(ends) or not all(ends[ends.index(True) :])):
        raise Unrecorded("a write before the end")
    made = {memory for memory, _ in results}
    written = {part.memory for step in recorder.steps for part in step.outputs()}
    if not made <= written | {k for k in made if not recorder.memories[k][1].size}:
        raise Unrecorded("a result that no step writes")
    fixed = any(kind == FIXED for kind, *_ in recorder.memories)
    if fixed and any(a.dtype.kind in "iu" and a.size and not a.any() for a in arrays):
        # That what it took for fixed follows from these is not seen with others, as there are none.
        raise Unrecorded("constants beside integers that are all 0")
    memories = [(MADE if k in made else kind, whole) for k, (kind, whole, *_) in enumerate(recorder.memories)]
    if sum(whole.nbytes + 64 for kind, whole in memories if kind == OWN) > SCRATCH:
        raise Unrecorded("too much memory")
    if len(recorder.alone) > 1:
        raise Unrecorded("products that are kept from threads and such that are not")
    steps = _read_later(recorder.steps, {*made, target})
    return Recording(steps, memories, results, True in recorder.alone, recorder.draws)


def _read_later(steps: Sequence[Step], asked: set[int]) -> list[Step]:
    """Return the steps that results, or decisions, need; those of a result that a plan leaves out are many in
    a maximum pool, which finds winners for its pullback.

    `asked` are the memories that results are in, and that is written to; others that are read are added.
    """
    needed = []
    for step in reversed(steps):
        written = {part.memory for part in step.outputs()}
        if step.ufunc == DECIDE or written & asked:
            needed.append(step)
            asked |= {part.memory for part in step.operands}
    return needed[::-1]
