"""Fourier transforms of short parts of a signal, and the signal back from them: `stft` and `istft`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..array import dtypes
from ..array.deferred_import import import_later
from ..array.dtype_words import class_name
from ..core.meta import looked_at
from ..core.value import dtype_of, shape_of, wrap
from ..core.warn import warn, warn_once
from ..ops.strided import unfold, unfold_backward
from ..ops.structure import expand, reshape
from ..ops.view import slice_dim, squeeze_dim, transpose, unsqueeze, view_as_complex, view_as_real
from .api import public, with_signature
from .padding import pad
from .signature import Parser
from .sizes import count
from .tensor import checked_dim

f = import_later("..ops.fft", __package__)
padding = import_later("..ops.pad", __package__)

_NO_WINDOW = (
    "A window was not provided. A rectangular window will be applied{}To suppress this warning and use a "
    "rectangular window, explicitly set `window=torch.ones(n_fft, device=<device>)`."
)


def _flag(value: bool | None) -> str:
    return "None" if value is None else str(int(value))


class _Call:
    """A call as torch's errors print it: the text takes 15 µs, which only an error needs."""

    def __init__(self, name: str, input: Any, taper: Any, /, **arguments: Any) -> None:
        self._name, self._input, self._taper, self._arguments = name, input, taper, arguments

    def __str__(self) -> str:
        shown = {k: _flag(v) if isinstance(v, bool) else str(v) for k, v in self._arguments.items()}
        if self._taper is not None:
            shown["window"] = f"{class_name(dtype_of(self._taper))}{{{list(shape_of(self._taper))}}}"
        printed = ", ".join(f"{k}={v}" for k, v in shown.items())
        signal = f"{class_name(dtype_of(self._input))}{list(shape_of(self._input))}"
        return f"{self._name}({signal}, {printed})"


def _is_complex(x: Any) -> bool:
    return x is not None and dtype_of(x).kind in "cW"


def _filled_window(window: Any, length: int, n_fft: int, dtype: np.dtype[Any]) -> Any:
    """Return the window, or ones, with zeros on both sides up to `n_fft`."""
    if window is None:
        window = wrap(np.ones(length, dtype))
    if length == n_fft:
        return window
    left = (n_fft - length) // 2
    return padding.pad(window, ((left, n_fft - length - left),), 0)


def _centred(input: Any, n_fft: int, mode: str) -> Any:
    """Return the signal with half of a window more on both sides."""
    rank = input.dim()
    half = int(n_fft // 2)
    padded = pad(input.view([1] * (3 - rank) + list(input.size())), [half, half], mode)
    return padded.view(padded.shape[-rank:])


_STFT = Parser(
    "stft", *(
        f"(Tensor input, int n_fft, int? hop_length = None, int? win_length = None, Tensor? window = None, "
        f"{centred}bool normalized = False, bool? onesided = None, bool? return_complex = None, bool? "
        f"align_to_window = None)"
        for centred in ('bool center = True, str pad_mode = "reflect", ', "")
    )
)  # fmt: skip


def _refuse_pairs(return_complex: bool | None) -> None:
    """Raise torch's error where nothing says what real inputs give; warn of pairs of numbers."""
    if return_complex is None:
        raise RuntimeError(
            "stft requires the return_complex parameter be given for real inputs, and will further "
            "require that return_complex=True in a future PyTorch release."
        )
    warn_once(
        "stft with return_complex=False is deprecated. In a future pytorch release, stft will return "
        "complex tensors for all inputs, and return_complex=False will raise an error.\nNote: you can "
        "still call torch.view_as_real on the complex output to recover the old return format.",
    )


@public(out=False)
def stft(
    input: Any, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Any = None,
    center: bool = True, pad_mode: str = "reflect", normalized: bool = False, onesided: bool | None = None,
    return_complex: bool | None = None, align_to_window: bool | None = None,
) -> Any:  # fmt: skip
    """Return the short-time Fourier transform ``X[k, m] = Σₙ window[n]·x[n + m·hop]·exp(−2πi·kn/n_fft)``.

    Parameters
    ----------
    input : Tensor
        Signals (time) or (batch, time), real or complex.
    n_fft : int
        Size of each transform.
    hop_length : int, optional
        Distance of two parts, by default a quarter of `n_fft`.
    win_length : int, optional
        Size of the window, by default `n_fft`; zeros fill it up on both sides.
    window : Tensor, optional
        By default ones.
    center : bool
        Add half a window on both sides of the signal, in mode `pad_mode` of `torch.nn.functional.pad`.
    normalized : bool
        Divide by √n_fft.
    onesided : bool, optional
        Give the frequencies 0 … n_fft/2 only; the default where signal and window are real.
    return_complex : bool, optional
        False: pairs of numbers along a new last axis.
    align_to_window : bool, optional
        Without `center`: start with the first element of the window rather than with the zeros before it.

    Returns
    -------
    Tensor
        (batch, frequencies, parts).
    """
    if center and align_to_window is not None:
        raise RuntimeError("stft align_to_window should only be set when center = false")
    x = _centred(input, n_fft, pad_mode) if center else input
    bound = _STFT.bind(
        (x, n_fft, hop_length, win_length, window, normalized, onesided, return_complex, align_to_window), {}
    )
    n_fft, hop_length, win_length = map(bound.__getitem__, ("n_fft", "hop_length", "win_length"))
    hop = n_fft // 4 if hop_length is None else hop_length
    length = n_fft if win_length is None else win_length
    if window is None:
        warn_once(_NO_WINDOW.format(
            ",which is known to cause spectral leakage. Other windows such as torch.hann_window or "
            "torch.hamming_window are recommended to reduce spectral leakage."
        ))
    as_complex = return_complex if return_complex is not None else _is_complex(x) or _is_complex(window)
    if not as_complex:
        _refuse_pairs(return_complex)
    _check_parts(x, n_fft, hop, length, window, _Call(
        "stft", x, window, n_fft=n_fft, hop_length=hop, win_length=length, window=None, normalized=normalized,
        onesided=onesided, return_complex=return_complex, align_to_window=align_to_window,
    ))
    shape = shape_of(x)
    signals = unsqueeze(x, 0) if len(shape) == 1 else x
    if align_to_window:
        left = (n_fft - length) // 2
        signals = padding.pad(signals, ((0, 0), (left, n_fft - length - left)), 0)
    parts = unfold(signals, 1, n_fft, hop)
    if window is not None or length < n_fft:
        real = np.zeros((), dtype_of(x)).real.dtype
        parts = parts * _filled_window(window, length, n_fft, real)
    found = _transformed(parts, 1 if normalized else 0, onesided)
    found.transpose_(1, 2)
    if len(shape) == 1:
        found.squeeze_(0)
    return found if as_complex else view_as_real(found)


def _check_parts(x: Any, n_fft: int, hop: int, length: int, window: Any, call: _Call) -> None:
    shape = shape_of(x)
    if dtype_of(x).kind in "biu":
        raise RuntimeError(f"{call} : expected a tensor of floating point or complex values")
    if len(shape) not in (1, 2):
        raise RuntimeError(f"{call} : expected a 1D or 2D tensor")
    if not 0 < n_fft <= shape[-1]:
        raise RuntimeError(f"{call} : expected 0 < n_fft < {shape[-1]}, but got n_fft={n_fft}")
    if hop <= 0:
        raise RuntimeError(f"{call} : expected hop_length > 0, but got hop_length={hop}")
    if not 0 < length <= n_fft:
        raise RuntimeError(f"{call} : expected 0 < win_length <= n_fft, but got win_length={length}")
    if window is not None and shape_of(window) != (length,):
        raise RuntimeError(
            f"{call} : expected a 1D window tensor of size equal to win_length={length}, but got window with "
            f"size {list(shape_of(window))}"
        )


def _transformed(parts: Any, scale: int, onesided: bool | None) -> Any:
    """Return the transform of each part, along the last of three axes."""
    if dtype_of(parts).itemsize < 4:
        raise RuntimeError(
            f"MKL FFT doesn't support tensors of type: {dtypes.from_numpy_dtype(dtype_of(parts)).scalar_type}"
        )
    if not _is_complex(parts):
        return f.r2c(parts, (2,), scale, onesided is not False)
    if onesided:
        raise RuntimeError("Cannot have onesided output if window or input is complex")
    return f.c2c(parts, (2,), scale, True)


def _inverse(
    input: Any, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Any = None,
    center: bool = True, normalized: bool = False, onesided: bool | None = None, length: int | None = None,
    return_complex: bool = False,
) -> Any:  # fmt: skip
    """Signal from its short-time Fourier transform: the least-squares one (Griffin and Lim 1984).

    Parts are transformed back, multiplied by the window, added at their places and divided by the sum of the
    squared windows there.

    Parameters
    ----------
    input : Tensor
        Complex, (frequencies, parts) or (batch, frequencies, parts), as :func:`stft` gives it.
    n_fft, hop_length, win_length, window, center, normalized
        As they were for :func:`stft`.
    onesided : bool, optional
        Whether the input has the frequencies 0 … n_fft/2 only; by default where it has not all of them.
    length : int, optional
        Size of the result: the rest is cut off, and zeros stand for what is missing.
    return_complex : bool
        Give a complex signal.
    """
    hop = n_fft // 4 if hop_length is None else hop_length
    size = n_fft if win_length is None else win_length
    if window is None:
        warn_once(_NO_WINDOW.format(
            ".Please provide the same window used by stft to make the inversion lossless."
        ))
    if not _is_complex(input):
        raise RuntimeError(
            "istft requires a complex-valued input tensor matching the output from stft with "
            "return_complex=True."
        )
    call = _Call(
        "istft", input, window, n_fft=n_fft, hop_length=hop, win_length=size, window=None, center=center,
        normalized=normalized, onesided=onesided, length=length, return_complex=return_complex,
    )
    _check_spectrum(input, n_fft, hop, size, window, onesided, call)
    single = len(shape_of(input)) == 2
    pairs = view_as_real(unsqueeze(input, 0) if single else input)
    parts = view_as_complex(transpose(pairs, 1, 2))
    scale = 1 if normalized else 2
    if onesided is None:
        onesided = shape_of(parts)[2] != n_fft
    if return_complex:
        if onesided:
            raise RuntimeError("Cannot have onesided output if window or input is complex")
        parts = f.c2c(parts, (2,), scale, False)
    else:
        if _is_complex(window):
            raise RuntimeError("Complex windows are incompatible with return_complex=False")
        if not onesided:
            parts = slice_dim(parts, 2, 0, n_fft // 2 + 1, 1)
        parts = f.c2r(parts, (2,), scale, n_fft)
    real = np.zeros((), dtype_of(input)).real.dtype
    return _overlapped(
        parts, _filled_window(window, size, n_fft, real), n_fft, hop, center, length, single, call
    )


def _overlapped(
    parts: Any, window: Any, n_fft: int, hop: int, center: bool, length: int | None, single: bool, call: _Call
) -> Any:
    """Return windowed parts summed where they lie, divided by the squared windows summed there."""
    batch, parts_count, _ = shape_of(parts)
    whole = n_fft + hop * (parts_count - 1)
    y = unfold_backward(parts * reshape(window, (1, 1, n_fft)), (batch, whole), 1, n_fft, hop)
    squares = expand(window * window, (1, parts_count, n_fft))
    weights = unfold_backward(squares, (1, whole), 1, n_fft, hop)
    start = n_fft // 2 if center else 0
    end = whole - start if length is None else start + length
    y, weights = (slice_dim(v, 1, start, max(start, min(end, whole)), 1) for v in (y, weights))
    if not count(shape_of(weights)):
        raise RuntimeError(
            "min(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim "
            "with the 'dim' argument."
        )

    def look(values: np.ndarray) -> None:
        if np.abs(values).min() < 1e-11:
            raise RuntimeError(f"{call} window overlap add min: 1\n[ CPUBoolType{{}} ]")

    looked_at(weights, look)
    y = y / weights
    if single:
        y = squeeze_dim(y, 0)
    if end > whole:
        warn(
            "The length of signal is shorter than the length parameter. Result is being padded with zeros in "
            "the tail. Please check your center and hop_length settings."
        )
        y = padding.pad(y, (*((0, 0),) * (len(shape_of(y)) - 1), (0, end - whole)), 0)
    return y


def _check_spectrum(
    x: Any, n_fft: int, hop: int, size: int, window: Any, onesided: bool | None, call: _Call
) -> None:
    if len(shape := shape_of(x)) < 2:
        checked_dim(-3 if shape else -2, len(shape) + 1)
    if not count(shape):
        raise RuntimeError(f"{call} : input tensor cannot be empty.")
    if len(shape) not in (2, 3):
        raise RuntimeError(f"{call} : expected a tensor with 3 or 4 dimensions, but got {len(shape) + 1}")
    found = shape[-2]
    half = onesided if onesided is not None else found != n_fft
    if found != (n_fft // 2 + 1 if half else n_fft):
        raise RuntimeError(
            f"{call} : expected the frequency dimension (3rd to the last) of the input tensor to match n_fft "
            f"{'/ 2 + 1 when onesided=True' if half else 'when onesided=False'}, but got {found}"
        )
    if not 0 < hop <= size:
        raise RuntimeError(f"{call} : expected 0 < hop_length <= win_length")
    if not 0 < size <= n_fft:
        raise RuntimeError(f"{call} : expected 0 < win_length <= n_fft")
    if window is not None and shape_of(window) != (size,):
        raise RuntimeError(f"{call} : Invalid window shape. window has to be 1D and length of `win_length`")


istft = with_signature(name="istft", out=False, method=False)(_inverse)


def _method(
    self: Any, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Any = None,
    center: bool = True, normalized: bool = False, onesided: bool | None = None, length: int | None = None,
    return_complex: bool = False,
) -> Any:  # fmt: skip
    return istft(
        self, n_fft, hop_length, win_length, window, center, normalized, onesided, length,
        return_complex=return_complex,
    )  # fmt: skip


_method.__doc__ = istft.__doc__
public(_method, name="istft", is_function=False, out=False)
