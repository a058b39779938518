"""torch.signal.windows: windows of M points, symmetric or one period of a periodic window.

A window is computed from its points by public functions; with ``requires_grad=True`` these are recorded, as
in torch. A symmetric window's last point mirrors its first one; a periodic one (``sym=False``) is a symmetric
one of M + 1 points without the last.
"""

import inspect
import math
from collections.abc import Callable, Collection, Iterable
from typing import Any, TypeVar

from ...array import dtypes
from ...errors import with_name
from ...ops.arithmetic import pow_scalar
from ...ops.bessel import i0
from ...ops.elementwise import abs as absolute
from ...ops.elementwise import cos, exp, sin, sqrt
from ...ops.mixture import minimum
from ...tensor.constants import strided
from ...tensor.creation import empty, ones, tensor
from ...tensor.ranges import arange, linspace

#: What help says of every window, behind its formula and its own parameters.
_HELP = """{summary}

Parameters
----------
M : int
    The number of points.
{own}sym : bool
    False makes one period of a periodic window: M takes the place of M − 1.
dtype : dtype, optional
    float32 or float64, by default the default dtype.
layout, device
    The only ones there are.
requires_grad : bool

Returns
-------
Tensor of shape (M,)
"""

Window = TypeVar("Window", bound=Callable[..., Any])


def _window(function: Window) -> Window:
    """Complete the docstring of a window by what all windows have."""
    summary, _, own = (inspect.getdoc(function) or "").partition("\n\n")
    function.__doc__ = _HELP.format(summary=summary, own=own and f"{own}\n")
    return function


def _options(name: str, M: int, dtype: Any, layout: Any, device: Any, requires_grad: bool) -> dict[str, Any]:
    """Return what the functions that make tensors are told; torch's errors for what no window has."""
    if M < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={M}")
    if layout is not strided:
        raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
    chosen = dtypes.get_default_dtype() if dtype is None else dtype
    if chosen not in (dtypes.float32, dtypes.float64):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {chosen}")
    return {"dtype": chosen, "layout": layout, "device": device, "requires_grad": requires_grad}


@_window
def bartlett(
    M: int, *, sym: bool = True, dtype: Any = None, layout: Any = strided, device: Any = None,
    requires_grad: bool = False,
) -> Any:
    """Return the triangle ``1 − |2k/(M − 1) − 1|``, 0 at both ends."""
    options = _options("bartlett", M, dtype, layout, device, requires_grad)
    if M in (0, 1):
        return ones((1,), **options) if M else empty((0,), **options)
    step = 2 / (M - 1 if sym else M)
    return 1 - absolute(linspace(start=-1, end=-1 + (M - 1) * step, steps=M, **options))


@_window
def cosine(
    M: int, *, sym: bool = True, dtype: Any = None, layout: Any = strided, device: Any = None,
    requires_grad: bool = False,
) -> Any:
    """Return half a wave ``sin(π(k + ½)/M)``."""
    options = _options("cosine", M, dtype, layout, device, requires_grad)
    if M == 0:
        return empty((0,), **options)
    step = math.pi / (M if sym or M == 1 else M + 1)
    return sin(linspace(start=0.5 * step, end=(M - 0.5) * step, steps=M, **options))


@_window
def exponential(
    M: int, *, center: float | None = None, tau: float = 1.0, sym: bool = True, dtype: Any = None,
    layout: Any = strided, device: Any = None, requires_grad: bool = False,
) -> Any:
    """Return a decay to both sides of a centre, ``exp(−|k − c|/τ)``.

    center : float, optional
        c, for a periodic window only; by default the middle.
    tau : float
        τ, positive.
    """
    options = _options("exponential", M, dtype, layout, device, requires_grad)
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    if M == 0:
        return empty((0,), **options)
    middle = (M if not sym and M > 1 else M - 1) / 2 if center is None else center
    points = linspace(start=-middle / tau, end=(-middle + (M - 1)) / tau, steps=M, **options)
    return exp(-absolute(points))


@_window
def gaussian(
    M: int, *, std: float = 1.0, sym: bool = True, dtype: Any = None, layout: Any = strided,
    device: Any = None, requires_grad: bool = False,
) -> Any:
    """Return the bell ``exp(−(k − c)²/(2σ²))`` around the middle c.

    std : float
        σ, positive.
    """
    options = _options("gaussian", M, dtype, layout, device, requires_grad)
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    if M == 0:
        return empty((0,), **options)
    start = -(M if not sym and M > 1 else M - 1) / 2
    scale = 1 / (std * math.sqrt(2))
    points = linspace(start=start * scale, end=(start + (M - 1)) * scale, steps=M, **options)
    return exp(-pow_scalar(points, 2))


@_window
def kaiser(
    M: int, *, beta: float = 12.0, sym: bool = True, dtype: Any = None, layout: Any = strided,
    device: Any = None, requires_grad: bool = False,
) -> Any:
    """Return Kaiser's window ``I₀(β√(1 − x²))/I₀(β)``, x from −1 to 1 (I₀: DLMF 10.25.2).

    beta : float
        β, not negative.
    """
    options = _options("kaiser", M, dtype, layout, device, requires_grad)
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    if M in (0, 1):
        return ones((1,), **options) if M else empty((0,), **options)
    # A tensor, so that the ends of the line have the rounding of β² below it.
    height = tensor(beta, dtype=options["dtype"], device=device)
    end = minimum(height, -height + (M - 1) * (2 * height / (M - 1 if sym else M)))
    points = linspace(start=-height, end=end, steps=M, **options)
    return i0(sqrt(height * height - pow_scalar(points, 2))) / i0(height)


@_window
def general_cosine(
    M: int, *, a: Collection[float], sym: bool = True, dtype: Any = None, layout: Any = strided,
    device: Any = None, requires_grad: bool = False,
) -> Any:
    """Return the sum of cosines ``Σᵢ (−1)ⁱ·aᵢ·cos(2πik/(M − 1))``.

    a : sequence of float
        The coefficients.
    """
    options = _options("general_cosine", M, dtype, layout, device, requires_grad)
    if M in (0, 1):
        return ones((1,), **options) if M else empty((0,), **options)
    if not isinstance(a, Iterable):
        raise TypeError("Coefficients must be a list/tuple")
    if not a:
        raise ValueError("Coefficients cannot be empty")
    step = 2 * math.pi / (M - 1 if sym else M)
    points = linspace(start=0, end=(M - 1) * step, steps=M, **options)
    signed = [(-1) ** i * weight for i, weight in enumerate(a)]
    weights = tensor(signed, dtype=options["dtype"], device=device, requires_grad=requires_grad)
    orders = arange(len(signed), **options)
    return (weights.unsqueeze(-1) * cos(orders.unsqueeze(-1) * points)).sum(0)


@_window
def general_hamming(
    M: int, *, alpha: float = 0.54, sym: bool = True, dtype: Any = None, layout: Any = strided,
    device: Any = None, requires_grad: bool = False,
) -> Any:
    """Return the raised cosine ``α − (1 − α)·cos(2πk/(M − 1))``.

    alpha : float
        α.
    """
    return general_cosine(
        M, a=[alpha, 1.0 - alpha], sym=sym, dtype=dtype, layout=layout, device=device,
        requires_grad=requires_grad,
    )


def _sum_of_cosines(name: str, a: Collection[float], summary: str) -> Callable[..., Any]:
    """Return the window that `general_cosine` is with some coefficients."""

    def window(
        M: int, *, sym: bool = True, dtype: Any = None, layout: Any = strided, device: Any = None,
        requires_grad: bool = False,
    ) -> Any:
        if name == "blackman":  # as in torch, which says its name in errors and not those of the others
            _options(name, M, dtype, layout, device, requires_grad)
        return general_cosine(
            M, a=a, sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad
        )

    return _window(with_name(window, name, summary))


hamming = _sum_of_cosines(
    "hamming", [0.54, 1.0 - 0.54], "Return Hamming's window ``0.54 − 0.46·cos(2πk/(M − 1))``."
)
hann = _sum_of_cosines("hann", [0.5, 0.5], "Return Hann's window ``½ − ½·cos(2πk/(M − 1))``.")
blackman = _sum_of_cosines(
    "blackman", [0.42, 0.5, 0.08], "Return Blackman's window, of the coefficients 0.42, 0.5, 0.08."
)
nuttall = _sum_of_cosines(
    "nuttall", [0.3635819, 0.4891775, 0.1365995, 0.0106411],
    "Return Nuttall's window, which has the least side lobes of sums of four cosines.",
)

__all__ = [
    "bartlett", "blackman", "cosine", "exponential", "gaussian", "general_cosine", "general_hamming",
    "hamming", "hann", "kaiser", "nuttall",
]
