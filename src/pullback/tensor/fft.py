"""torch.fft: discrete Fourier transforms under torch's names, their frequencies, and the shifts of these.

All are made of three ops, complex to complex, real to complex and complex to real (`ops.fft`), preceded by a
cut or zeros behind to the size asked for. Loaded with `torch.fft` only.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..array import dtypes
from ..array.dtype_words import not_implemented, type_word
from ..array.ranges import rounded
from ..core.value import dtype_of, shape_of
from ..ops import fft as f
from ..ops.convert import cast, conj, conj_physical
from .api import public
from .creation import check_size, creator, numpy_dtype
from .out import write_out
from .rearrange import roll
from .signature import OUT, Parser, described
from .tensor import checked_axis

_Function = Callable[..., Any]


# --- arguments ----------------------------------------------------------------------------------------------


def _listed(value: Any) -> Any:
    """Return one int where several may be given, as a tuple."""
    return (value,) if type(value) is int else value


def transform(name: str, result: str, family: str = "") -> Callable[[_Function], _Function]:
    """Declare a transform, of a `family` by whose name errors call it: torch's parser reads its arguments,
    and `out` must be `result`, complex or floating.
    """
    parser = Parser(f"fft_{name}")
    several = ("s", "dim") if name.endswith(("2", "n")) else ()

    def declare(function: _Function) -> _Function:
        def call(*args: Any, **kwargs: Any) -> Any:
            given = parser.bind(args, kwargs)
            given |= {k: _listed(given[k]) for k in several if k in given}
            out = given.pop("out", None)
            found = function(**given)
            if out is None:
                return found
            have = dtypes.from_numpy_dtype(dtype_of(out))
            if not (have.is_complex if result == "complex" else have.is_floating_point):
                raise RuntimeError(
                    f"{family or name} expects a {result} output tensor, but got {have.scalar_type}"
                )
            return write_out(out, found, name)

        return public(described(call, function, parser), name=name, namespace="fft", out=False)

    return declare


def _floating(input: Any, complex: bool = False) -> Any:
    """Return the input in the dtype that is transformed: integers as default floats, complex if asked for."""
    if (dtype := dtype_of(input)).kind in "biu":
        dtype = dtypes.get_default_dtype().numpy
    if dtype == dtypes.COMPLEX32:
        raise RuntimeError("MKL FFT doesn't support tensors of type: Half")
    if dtype.kind not in "fc" or dtype.itemsize < 4:
        raise RuntimeError(f"Unsupported dtype {type_word(dtype)}")
    if complex and dtype.kind not in "cW":
        dtype = np.result_type(dtype, np.complex64)
    return input if dtype == dtype_of(input) else cast(input, dtype)


def _normalization(norm: str | None, forward: bool) -> int:
    if norm == "ortho":
        return 1
    if norm not in (None, "forward", "backward"):
        raise RuntimeError(f'Invalid normalization mode: "{norm}"')
    return 2 if (norm == "forward") == forward else 0


def _check_points(count: int) -> None:
    if count < 1:
        raise RuntimeError(f"Invalid number of data points ({count}) specified")


def _axes(input: Any, s: Any, dim: Any) -> tuple[tuple[int, ...], list[int]]:
    """Return axes and sizes of a transform over several axes."""
    shape = shape_of(input)
    rank = len(shape)
    dims: tuple[int, ...]
    if dim is not None:
        dims = tuple(checked_axis(d, rank) for d in dim)
        if len(set(dims)) < len(dims):
            raise RuntimeError("FFT dims must be unique")
    if s is None:
        if dim is None:
            dims = tuple(range(rank))
        sizes = [shape[d] for d in dims]
    else:
        if dim is not None and len(dim) != len(s):
            raise RuntimeError("When given, dim and shape arguments must have the same length")
        if len(s) > rank:
            raise RuntimeError(f"Got shape with {len(s)} values but input tensor only has {rank} dimensions.")
        if dim is None:
            dims = tuple(range(rank - len(s), rank))
        sizes = [shape[d] if n == -1 else n for d, n in zip(dims, s, strict=True)]
    for size in sizes:
        _check_points(size)
    return dims, sizes


def _some(name: str, dims: tuple[int, ...]) -> None:
    if not dims:
        raise RuntimeError(f"{name} must transform at least one axis")


# --- one axis -----------------------------------------------------------------------------------------------


def _complex_1d(input: Any, n: int | None, dim: int, norm: str | None, forward: bool) -> Any:
    x = _floating(input)
    axis = checked_axis(dim, len(shape_of(x)))
    size = shape_of(x)[axis] if n is None else n
    _check_points(size)
    x = f.resized(x, (axis,), (size,))
    scale = _normalization(norm, forward)
    if dtype_of(x).kind in "cW":
        return f.c2c(x, (axis,), scale, forward)
    found = f.r2c(x, (axis,), scale, False)
    return found if forward else conj(found)


@transform("fft", "complex")
def fft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    """Return the discrete Fourier transform ``X[k] = Σₙ x[n]·exp(−2πi·kn/N)`` along `dim`.

    Parameters
    ----------
    input : Tensor
        Real or complex; integers are taken as the default dtype.
    n : int, optional
        N: the input is cut or filled up with zeros to it.
    dim : int
    norm : {"backward", "ortho", "forward"}, optional
        The factor of the sum: 1 (as for None), 1/√N, or 1/N; inverse transforms have what is left of 1/N.

    Returns
    -------
    Tensor
        Complex.
    """
    return _complex_1d(input, n, dim, norm, True)


@transform("ifft", "complex")
def ifft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    """Return the inverse of :func:`fft`: ``x[n] = 1/N·Σₖ X[k]·exp(2πi·kn/N)``, with its parameters."""
    return _complex_1d(input, n, dim, norm, False)


def _real_1d(name: str, input: Any, n: int | None, dim: int, norm: str | None, forward: bool) -> Any:
    if dtype_of(input).kind in "cW":
        raise RuntimeError(f"{name} expects a real input tensor, but got {type_word(dtype_of(input))}")
    x = _floating(input)
    axis = checked_axis(dim, len(shape_of(x)))
    size = shape_of(x)[axis] if n is None else n
    _check_points(size)
    found = f.r2c(f.resized(x, (axis,), (size,)), (axis,), _normalization(norm, forward), True)
    return found if forward else conj(found)


@transform("rfft", "complex")
def rfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    """Return the frequencies 0 … N/2 of :func:`fft` for a real input; the others are their conjugates.

    Parameters are as there; the result has N/2 + 1 (rounded down) elements along `dim`.
    """
    return _real_1d("rfft", input, n, dim, norm, True)


@transform("ihfft", "complex")
def ihfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    """Return the inverse of :func:`hfft`: the frequencies 0 … N/2 of :func:`ifft` for a real input."""
    return _real_1d("ihfft", input, n, dim, norm, False)


def _to_real_1d(input: Any, n: int | None, dim: int, norm: str | None, forward: bool) -> Any:
    x = _floating(input, complex=True)
    axis = checked_axis(dim, len(shape_of(x)))
    size = 2 * (shape_of(x)[axis] - 1) if n is None else n
    _check_points(size)
    if n is not None:
        x = f.resized(x, (axis,), (size // 2 + 1,))
    return f.c2r(conj(x) if forward else x, (axis,), _normalization(norm, forward), size)


@transform("irfft", "floating point")
def irfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    """Return the inverse of :func:`rfft`: a real signal of `n` elements from its frequencies 0 … N/2.

    Parameters are those of :func:`fft`; `n` is the size of the result, by default the even one, 2·(size − 1).
    """
    return _to_real_1d(input, n, dim, norm, False)


@transform("hfft", "floating point")
def hfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    """Return :func:`fft` of a Hermitian signal given by its elements 0 … N/2; the result is real.

    Parameters are those of :func:`fft`; `n` is the size of the result, by default the even one, 2·(size − 1).
    """
    return _to_real_1d(input, n, dim, norm, True)


# --- several axes -------------------------------------------------------------------------------------------


def _complex_nd(input: Any, s: Any, dim: Any, norm: str | None, forward: bool) -> Any:
    dims, sizes = _axes(input, s, dim)
    x = f.resized(_floating(input, complex=True), dims, sizes)
    return f.c2c(x, dims, _normalization(norm, forward), forward)


@transform("fftn", "complex")
def fftn(input: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Any:
    """Return the discrete Fourier transform over several axes: :func:`fft` along each of them.

    Parameters
    ----------
    input : Tensor
        Real or complex; integers are taken as the default dtype.
    s : sequence of int, optional
        Sizes to which the axes are cut or filled up with zeros; −1 leaves one as it is.
    dim : sequence of int, optional
        The axes; by default the last ``len(s)``, or all.
    norm : {"backward", "ortho", "forward"}, optional
        See :func:`fft`; N is the product of the sizes.
    """
    return _complex_nd(input, s, dim, norm, True)


@transform("ifftn", "complex", "fftn")
def ifftn(input: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Any:
    """Return the inverse of :func:`fftn` (parameters as there)."""
    return _complex_nd(input, s, dim, norm, False)


@transform("rfftn", "complex")
def rfftn(input: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Any:
    """Return :func:`fftn` of a real input with its parameters, frequencies 0 … N/2 of the last axis only."""
    if dtype_of(input).kind in "cW":
        raise RuntimeError(f"rfftn expects a real-valued input tensor, but got {type_word(dtype_of(input))}")
    x = _floating(input)
    dims, sizes = _axes(x, s, dim)
    _some("rfftn", dims)
    return f.r2c(f.resized(x, dims, sizes), dims, _normalization(norm, True), True)


def _half_sizes(name: str, input: Any, s: Any, dim: Any) -> tuple[tuple[int, ...], list[int], int]:
    """Return axes, sizes of what is transformed, and the size of the result's last axis."""
    dims, sizes = _axes(input, s, dim)
    _some(name, dims)
    last = 2 * (shape_of(input)[dims[-1]] - 1) if s is None or s[-1] == -1 else sizes[-1]
    _check_points(last)
    return dims, [*sizes[:-1], last // 2 + 1], last


@transform("irfftn", "floating point")
def irfftn(input: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Any:
    """Return the inverse of :func:`rfftn`; the last of `s` is the result's size, by default 2·(size − 1)."""
    dims, sizes, last = _half_sizes("irfftn", input, s, dim)
    x = f.resized(_floating(input, complex=True), dims, sizes)
    return f.c2r(x, dims, _normalization(norm, False), last)


@transform("hfftn", "floating point")
def hfftn(input: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Any:
    """Return :func:`fftn` of a signal that is Hermitian, given by the elements 0 … N/2 of the last axis; it
    is real.

    The last of `s` is the size of the result, by default 2·(size − 1).
    """
    dims, sizes, last = _half_sizes("hfftn", input, s, dim)
    x = f.resized(_floating(input, complex=True), dims, sizes)
    scale = _normalization(norm, True)
    if len(dims) > 1:
        x = f.c2c(x, dims[:-1], scale, True)
    return f.c2r(conj(x), dims[-1:], scale, last)


@transform("ihfftn", "complex")
def ihfftn(input: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Any:
    """Return the inverse of :func:`hfftn`: :func:`ifftn` of a real input, places 0 … N/2 of the last axis."""
    dims, sizes = _axes(input, s, dim)
    _some("ihfftn", dims)
    if dtype_of(input).kind in "cW":
        raise RuntimeError(f"Only supports floating-point dtypes, but found: {type_word(dtype_of(input))}")
    x = f.resized(_floating(input), dims, sizes)
    scale = _normalization(norm, False)
    found = f.r2c(x, dims[-1:], scale, True)
    return conj(found) if len(dims) == 1 else f.c2c(conj_physical(found), dims[:-1], scale, False)


# --- two axes -----------------------------------------------------------------------------------------------


def _over_two(name: str, function: _Function, result: str, family: str = "") -> _Function:
    own = function.__wrapped__.__wrapped__  # type: ignore[attr-defined]  # `described` and `public` set it

    def call(input: Any, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Any:
        return own(input, s, dim, norm)

    call.__doc__ = (
        f"Do :func:`{family or name[:-1] + 'n'}` over two axes, by default the last two; parameters as there."
    )
    return transform(name, result, family)(call)


fft2 = _over_two("fft2", fftn, "complex", "fftn")
ifft2 = _over_two("ifft2", ifftn, "complex", "fftn")
rfft2 = _over_two("rfft2", rfftn, "complex", "rfftn")
irfft2 = _over_two("irfft2", irfftn, "floating point", "irfftn")
hfft2 = _over_two("hfft2", hfftn, "floating point", "hfftn")
ihfft2 = _over_two("ihfft2", ihfftn, "complex", "ihfftn")


# --- frequencies and shifts ---------------------------------------------------------------------------------


def _spaced(counts: np.ndarray, n: int, d: float, dtype: np.dtype[Any]) -> np.ndarray:
    if dtype.kind in "cW":
        raise not_implemented("arange_cpu", dtype)
    with np.errstate(divide="ignore", invalid="ignore"):
        step = np.asarray(np.divide(1.0, np.float64(n) * d))
        return rounded(counts * rounded(step, dtype).astype(np.float64), dtype)


def _frequency_dtype(name: str, dtype: Any) -> np.dtype[Any]:
    if (chosen := numpy_dtype(dtype)).kind in "biu":
        raise RuntimeError(f"{name} requires a floating point or complex dtype")
    return chosen


@creator("fftfreq", f"(int n, float d = 1.0, *, {OUT})", namespace="fft")
def fftfreq(n: int, d: float = 1.0, *, dtype: Any = None) -> np.ndarray:
    """Make the frequencies of :func:`fft` in its order: ``[0, 1, …, ⌈n/2⌉ − 1, −⌊n/2⌋, …, −1]/(d·n)``.

    Parameters
    ----------
    n : int
        Size of the transform.
    d : float
        Distance of two samples.
    """
    chosen = _frequency_dtype("fftfreq", dtype)
    check_size((n,))
    counts = np.arange(n)
    counts[(n + 1) // 2 :] -= n
    return _spaced(counts, n, d, chosen)


@creator("rfftfreq", f"(int n, float d = 1.0, *, {OUT})", namespace="fft")
def rfftfreq(n: int, d: float = 1.0, *, dtype: Any = None) -> np.ndarray:
    """Make the frequencies of :func:`rfft`: ``[0, 1, …, ⌊n/2⌋]/(d·n)`` (parameters as of :func:`fftfreq`)."""
    chosen = _frequency_dtype("rfftfreq", dtype)
    half = int(n / 2) + 1
    check_size((half,))
    return _spaced(np.arange(half), n, d, chosen)


def _shifted(name: str, up: int, text: str) -> _Function:
    """Declare a function that turns axes by half of their sizes, which are rounded down or `up`."""
    parser = Parser(f"fft_{name}")

    def turned(input: Any, dim: Any = None) -> Any:
        shape = shape_of(input)
        dims = tuple(range(len(shape))) if dim is None else tuple(checked_axis(d, len(shape)) for d in dim)
        return roll(input, tuple((shape[d] + up) // 2 for d in dims), dims)

    def call(*args: Any, **kwargs: Any) -> Any:
        return turned(**{k: _listed(v) for k, v in parser.bind(args, kwargs).items()})

    turned.__doc__ = text
    return public(described(call, turned, parser), name=name, namespace="fft", out=False)


fftshift = _shifted(
    "fftshift", 0,
    "Move frequency 0 to the middle: each of `dim` (all axes by default) turned by half of its size.",
)  # fmt: skip
ifftshift = _shifted(
    "ifftshift", 1, "Return the inverse of :func:`fftshift`: frequency 0 from the middle to the front."
)
