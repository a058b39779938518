"""torch.fft.

Written by tools/make_stubs.py: run ``python -m tools.make_stubs``, and change nothing here by hand.
"""

from collections.abc import Sequence
from typing import TypeAlias
from ..array.dtypes import dtype
from ..core.device import device
from ..tensor.constants import layout
from ..tensor.tensor import Tensor

_Device: TypeAlias = device | str | int

def fft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """Return the discrete Fourier transform ``X[k] = Σₙ x[n]·exp(−2πi·kn/N)`` along `dim`."""
def fft2(
    input: Tensor, s: int | Sequence[int] | None = None, dim: int | Sequence[int] = (-2, -1),
    norm: str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """Do :func:`fftn` over two axes, by default the last two; parameters as there."""
def fftfreq(
    n: int, d: float = 1.0, *, out: Tensor | None = None, dtype: dtype | None = None,
    layout: layout | None = None, device: _Device | None = None, pin_memory: bool | None = False,
    requires_grad: bool | None = False,
) -> Tensor:
    """Make the frequencies of :func:`fft` in its order: ``[0, 1, …, ⌈n/2⌉ − 1, −⌊n/2⌋, …, −1]/(d·n)``."""
def fftn(
    input: Tensor, s: int | Sequence[int] | None = None, dim: int | Sequence[int] | None = None,
    norm: str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """Return the discrete Fourier transform over several axes: :func:`fft` along each of them."""
def fftshift(input: Tensor, dim: int | Sequence[int] | None = None) -> Tensor:
    """Move frequency 0 to the middle: each of `dim` (all axes by default) turned by half of its size."""
def hfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """Return :func:`fft` of a Hermitian signal given by its elements 0 … N/2; the result is real."""
def hfft2(
    input: Tensor, s: int | Sequence[int] | None = None, dim: int | Sequence[int] = (-2, -1),
    norm: str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """Do :func:`hfftn` over two axes, by default the last two; parameters as there."""
def hfftn(
    input: Tensor, s: int | Sequence[int] | None = None, dim: int | Sequence[int] | None = None,
    norm: str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """Return :func:`fftn` of a signal that is Hermitian, given by the elements 0 … N/2 of the last axis;
    it is real.
    """
def ifft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """Return the inverse of :func:`fft`: ``x[n] = 1/N·Σₖ X[k]·exp(2πi·kn/N)``, with its parameters."""
def ifft2(
    input: Tensor, s: int | Sequence[int] | None = None, dim: int | Sequence[int] = (-2, -1),
    norm: str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """Do :func:`fftn` over two axes, by default the last two; parameters as there."""
def ifftn(
    input: Tensor, s: int | Sequence[int] | None = None, dim: int | Sequence[int] | None = None,
    norm: str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """Return the inverse of :func:`fftn` (parameters as there)."""
def ifftshift(input: Tensor, dim: int | Sequence[int] | None = None) -> Tensor:
    """Return the inverse of :func:`fftshift`: frequency 0 from the middle to the front."""
def ihfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """Return the inverse of :func:`hfft`: the frequencies 0 … N/2 of :func:`ifft` for a real input."""
def ihfft2(
    input: Tensor, s: int | Sequence[int] | None = None, dim: int | Sequence[int] = (-2, -1),
    norm: str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """Do :func:`ihfftn` over two axes, by default the last two; parameters as there."""
def ihfftn(
    input: Tensor, s: int | Sequence[int] | None = None, dim: int | Sequence[int] | None = None,
    norm: str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """Return the inverse of :func:`hfftn`: :func:`ifftn` of a real input, places 0 … N/2 of the last axis."""
def irfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """Return the inverse of :func:`rfft`: a real signal of `n` elements from its frequencies 0 … N/2."""
def irfft2(
    input: Tensor, s: int | Sequence[int] | None = None, dim: int | Sequence[int] = (-2, -1),
    norm: str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """Do :func:`irfftn` over two axes, by default the last two; parameters as there."""
def irfftn(
    input: Tensor, s: int | Sequence[int] | None = None, dim: int | Sequence[int] | None = None,
    norm: str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """Return the inverse of :func:`rfftn`; the last of `s` is the result's size, by default 2·(size − 1)."""
def rfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """Return the frequencies 0 … N/2 of :func:`fft` for a real input; the others are their conjugates."""
def rfft2(
    input: Tensor, s: int | Sequence[int] | None = None, dim: int | Sequence[int] = (-2, -1),
    norm: str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """Do :func:`rfftn` over two axes, by default the last two; parameters as there."""
def rfftfreq(
    n: int, d: float = 1.0, *, out: Tensor | None = None, dtype: dtype | None = None,
    layout: layout | None = None, device: _Device | None = None, pin_memory: bool | None = False,
    requires_grad: bool | None = False,
) -> Tensor:
    """Make the frequencies of :func:`rfft`: ``[0, 1, …, ⌊n/2⌋]/(d·n)`` (parameters as of :func:`fftfreq`)."""
def rfftn(
    input: Tensor, s: int | Sequence[int] | None = None, dim: int | Sequence[int] | None = None,
    norm: str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """Return :func:`fftn` of a real input with its parameters, frequencies 0 … N/2 of the last axis only."""
