"""Discrete Fourier transforms: complex to complex, real to complex and complex to real, over any axes.

``X[k] = s·Σₙ x[n]·exp(∓2πi·kn/N)`` along each axis; `normalization` says which s: 0 is 1, 1 is 1/√N and 2 is
1/N, N the number of elements transformed together. Each transform is linear and its own transpose up to the
sign of the exponent, so rules are transforms again. SciPy computes in the precision of the input.

The strides are those that torch's transforms leave: batch axes outermost and transformed axes innermost, each
in the order of the input's strides.
"""

import functools
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import large, scipy_functions
from ..array.deferred_import import import_later
from ..array.memory import adapt
from ..array.strides import strides_of
from ..array.threads import get_num_threads, worthwhile
from ..core.op import Call, Term, op
from ..core.value import dtype_of, shape_of
from .arithmetic import mul
from .complex import real
from .pad import pad
from .view import slice_dim

small_fft = import_later("..array.small_fft", __package__)

Dims = tuple[int, ...]

#: Elements below which a transform is the work of one thread. To wake pocketfft's threads costs more than it
#: brings on two cores (median wall time in three turns, µs, one thread and two): real transforms of 64×1,024
#: numbers 109 to 151, 189 to 301; of 128×1,024 203 to 281, 354 to 437; of 256×1,024 390 to 542, 363 to 662;
#: of 400×1,024 615 to 909, 494 to 988. On 16 cores threads pay above 2¹⁵ (µs, 1, 4 and 16 threads): real
#: transforms of 64×1,024 110, 72, 81, of 128×1,024 220, 127, 96, complex ones of 32×64×64 611, 386, 214.
_ALONE, _ALONE_OF_MANY, _MANY = 1 << 18, (1 << 15) + 1, 4

#: Bytes from which memory comes afresh from the system: 24 transforms of 128×128 real numbers took 6.8 ms in
#: a process that had not asked for any other (`array.memory`), and take 2.5.
_MAPPED = 1 << 17


def _partition(rank: int, dims: Sequence[int]) -> tuple[list[int], int]:
    """Return the axes with those not in `dims` first, and how many these are.

    They are exchanged in pairs from both ends, which decides among axes of equal strides.
    """
    order = list(range(rank))
    first, last = 0, rank
    while True:
        while first != last and order[first] not in dims:
            first += 1
        while first != last and order[last - 1] in dims:
            last -= 1
        if first == last:
            return order, first
        order[first], order[last - 1] = order[last - 1], order[first]


def _order(strides: Dims, dims: Dims, fixed: int) -> tuple[list[int], list[int]]:
    """Return the batch axes and the transformed ones, each by falling stride; the last `fixed` stay last."""
    axes, count = _partition(len(strides), dims)
    batch = sorted(axes[:count], key=lambda d: -strides[d])
    free = len(dims) - fixed
    return batch, [*sorted(dims[:free], key=lambda d: -strides[d]), *dims[free:]]


@functools.lru_cache(maxsize=1024)
def _axes(strides: Dims, dims: Dims, fixed: int) -> tuple[Dims, Dims, Dims]:
    """Return the axes in the result's order, where the transformed ones are then, and the way back."""
    batch, transformed = _order(strides, dims, fixed)
    axes = (*batch, *transformed)
    return axes, tuple(range(len(batch), len(strides))), tuple(np.argsort(axes).tolist())


@functools.cache
def _pocketfft() -> Any:
    """Return SciPy's own transforms: what is public asks about its arguments for 6 µs, they take 1.5. From
    SciPy 1.18 on, which has no wheels for Python 3.11, they are those of pocketfft's successor.
    """
    try:
        return scipy_functions.extension("fft._duccfft.pyduccfft", "fft._pocketfft.pypocketfft")
    except ImportError:
        from . import public_fft

        return public_fft


def _transform(x: ndarray, dims: Dims, fixed: int, name: str, *options: Any) -> ndarray:
    if 0 in x.shape:
        raise RuntimeError("MKL FFT error: Intel oneMKL DFTI ERROR: Inconsistent configuration parameters")
    axes, last, back = _axes(strides_of(x), dims, fixed)
    if type(x) is not ndarray and small_fft.fits(x, options[0] if name == "c2r" else 1):
        small = small_fft.real_c2c if name == "c2c" and x.dtype.kind == "f" else getattr(small_fft, name)
        found: ndarray = small(x.transpose(axes), tuple(last), *options)
        return found.transpose(back)
    if x.nbytes >= _MAPPED:
        adapt()
    x = x.transpose(axes)
    if name == "c2c" and x.dtype.kind == "f":
        return _mirrored(_computed(x, last, "r2c", options), x.shape[-1], last).transpose(back)
    return _computed(x, last, name, options).transpose(back)


def _computed(x: ndarray, axes: Dims, name: str, options: Sequence[Any]) -> ndarray:
    """Return the transform along the last axes by native code, or else by SciPy's."""
    found: ndarray | None = None
    if x.size >= large.CHAIN:
        found = large.ask("fourier", name, x, axes, options)
    if found is None:
        threads = worthwhile(x.size, _ALONE if get_num_threads() < _MANY else _ALONE_OF_MANY)
        found = getattr(_pocketfft(), name)(x, axes, *options, None, threads)
    return found


def _mirrored(half: ndarray, size: int, axes: Dims) -> ndarray:
    """Return all frequencies of real numbers from those of which the others are conjugates, the last of some
    axes being halved. SciPy, asked for all, fills them in one by one: 24 of 128×128 in 4.5 ms, so in 0.4.
    """
    kept = half.shape[-1]
    whole = np.empty((*half.shape[:-1], size), half.dtype)
    whole[..., :kept] = half
    mirrored, rest = half[..., size - kept : 0 : -1], whole[..., kept:]
    first, others = (slice(0, 1),) * 2, (slice(None, 0, -1), slice(1, None))
    every = (slice(None),) * 2
    cuts = [(first, others) if axis in axes else (every,) for axis in range(half.ndim - 1)]
    for cut in product(*cuts):
        np.conjugate(mirrored[tuple([c for c, _ in cut])], out=rest[tuple([c for _, c in cut])])
    return whole


def _c2c(x: ndarray, /, dims: Dims, normalization: int, forward: bool) -> ndarray:
    return _transform(x, dims, 0, "c2c", forward, normalization) if dims else x.copy()


#: The transform of complex values, with the exponent's minus where `forward`.
c2c: Call = op(
    "fft_c2c", _c2c,
    (lambda g, dims, normalization, forward: c2c(g, dims, normalization, not forward),),
    kind="linear", node_name="FftC2CBackward0", sizes_kept=True,
    batch=lambda size, dims, *rest: (tuple(d + 1 for d in dims), *rest),
)  # fmt: skip


def _weighted(g: Term, dim: int, size: int, weight: float) -> Term:
    """Return frequencies 0 … size/2, those times a weight that stand for their conjugates, too."""
    shape = shape_of(g)
    weights = np.ones(shape[dim], np.zeros((), dtype_of(g)).real.dtype)
    weights[1 : (size + 1) // 2] = weight
    return mul(g, weights.reshape((-1, *(1,) * (len(shape) - dim - 1))))


def _r2c_rule(g: Term, shape_x: Dims, dims: Dims, normalization: int, onesided: bool) -> Term:
    if not onesided:
        return real(c2c(g, dims, normalization, False))
    # Of what is summed over the frequencies that are there, a transform back counts most twice.
    size = shape_x[dims[-1]]
    return c2r(_weighted(g, dims[-1], size, 0.5), dims, normalization, size)


#: The transform of real values; with `onesided` the last of `dims` has frequencies 0 … N/2 only, the rest
#: being the conjugates of these.
r2c = op(
    "fft_r2c",
    lambda x, /, dims, normalization, onesided: _transform(
        x, dims, 1, "r2c" if onesided else "c2c", True, normalization
    ),
    (_r2c_rule,), kind="linear", node_name="FftR2CBackward0", saves=("x",),
    batch=lambda size, dims, *rest: (tuple(d + 1 for d in dims), *rest),
)  # fmt: skip


def _of_size(x: ndarray, dim: int, size: int) -> ndarray:
    """Return x cut along an axis, or filled up with zeros."""
    if (missing := size - x.shape[dim]) <= 0:
        return x[(slice(None),) * dim + (slice(size),)]
    return np.pad(x, [(0, missing if d == dim else 0) for d in range(x.ndim)])


def _c2r(x: ndarray, /, dims: Dims, normalization: int, size: int) -> ndarray:
    # The other axes first, as torch does it: the order of axes in memory is that of the second transform.
    if len(dims) > 1:
        x = _c2c(x, dims[:-1], normalization, False)
    halves = size // 2 + 1
    if x.shape[dims[-1]] != halves:
        x = _of_size(x, dims[-1], halves)
    return _transform(x, dims[-1:], 1, "c2r", size, False, normalization)


#: The transform, with the exponent's plus, of frequencies of which the last of `dims` has 0 … N/2; the result
#: is real and has `size` elements there.
c2r = op(
    "fft_c2r", _c2r, (
    lambda g, dims, normalization, size: _weighted(r2c(g, dims, normalization, True), dims[-1], size, 2),
    ), kind="linear", node_name="FftC2RBackward0",
    batch=lambda count, dims, *rest: (tuple(d + 1 for d in dims), *rest),
)  # fmt: skip


def resized(x: Term, dims: Dims, sizes: Sequence[int]) -> Term:
    """Return the value cut along `dims`, or filled up with zeros behind, to `sizes`."""
    shape = shape_of(x)
    missing = [0] * len(shape)
    for d, size in zip(dims, sizes, strict=True):
        if shape[d] > size:
            x = slice_dim(x, d, 0, size, 1)
        missing[d] = max(0, size - shape[d])
    return pad(x, tuple((0, n) for n in missing), 0) if any(missing) else x
