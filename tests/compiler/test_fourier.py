"""Fourier transforms are native loops, whose numbers are as close to the exact ones as eager's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as torch

from . import agreement

pytest.importorskip("llvmlite")

#: Primes, products of few and of many of them, powers of two; even and odd.
LENGTHS = [2, 3, 4, 13, 30, 77, 256]


def transforms(length: int) -> Any:
    """A function of (complex rows, real rows, half spectra) that transforms them in all ways."""
    fft = torch.fft

    def function(z: Any, x: Any, half: Any) -> tuple[Any, ...]:
        return (
            fft.fft(z), fft.ifft(z, dim=0, norm="ortho"), fft.fft(x), fft.rfft(x, norm="forward"),
            fft.rfft(x.T, dim=0), fft.irfft(half, n=length), fft.irfft(half.T, n=length, dim=0),
        )  # fmt: skip

    return function


def exact(length: int, z: np.ndarray, x: np.ndarray, half: np.ndarray) -> tuple[np.ndarray, ...]:
    fft = np.fft
    return (
        fft.fft(z), fft.ifft(z, axis=0, norm="ortho"), fft.fft(x), fft.rfft(x, norm="forward"),
        fft.rfft(x.T, axis=0), fft.irfft(half, n=length), fft.irfft(half.T, n=length, axis=0),
    )  # fmt: skip


@pytest.mark.parametrize("length", LENGTHS)
def test_errors_are_of_the_order_of_rounding(length: int) -> None:
    draws = np.random.default_rng(length)
    z, x, half = (draws.standard_normal((3, n, 2)) for n in (length, length, length // 2 + 1))
    given = z[..., 0] + 1j * z[..., 1], x[..., 0], half[..., 0] + 1j * half[..., 1]
    expected = exact(length, *given)
    for complex_type, real_type in (("complex128", "float64"), ("complex64", "float32")):
        values = [v.astype(complex_type if v.dtype.kind == "c" else real_type) for v in given]
        compiled = torch.compile(transforms(length))
        found = compiled(*map(torch.tensor, values))
        eager = transforms(length)(*map(torch.tensor, values))
        for one, other, wanted in zip(found, eager, expected, strict=True):
            assert (one.dtype, one.shape, one.stride()) == (other.dtype, other.shape, other.stride())
            error = np.abs(one.numpy() - wanted).max() / np.abs(wanted).max()
            assert error < 5 * np.finfo(real_type).eps
        assert agreement.array_kernels(compiled) == []


@pytest.mark.parametrize("shape", [(4, 1), (1, 4), (1, 1)], ids=str)
def test_axes_of_one_element(shape: tuple[int, int]) -> None:
    draws = np.random.default_rng(0)
    z = torch.tensor(draws.standard_normal(shape) + 1j * draws.standard_normal(shape))

    def function(z: Any) -> tuple[Any, ...]:
        fft = torch.fft
        of_real = fft.fft(z.real), fft.rfft(z.real)
        return fft.fft(z), fft.ifft(z, dim=0), fft.fft2(z), *of_real, fft.irfft2(z, (3, 1))

    for one, other in zip(torch.compile(function)(z), function(z), strict=True):
        torch.testing.assert_close(one, other)


def test_long_rows_of_many_stages_and_several_axes() -> None:
    torch.manual_seed(0)
    x, y = torch.randn(2, 10, 24, dtype=torch.float64), torch.randn(3000, dtype=torch.float64)

    def function(x: Any, y: Any) -> tuple[Any, ...]:
        there = torch.fft.rfftn(x, dim=(0, 1, 2))
        return there, torch.fft.irfftn(there * there, s=x.shape, norm="ortho"), torch.fft.fft(y * y).abs()

    for found, expected in zip(torch.compile(function)(x, y), function(x, y), strict=True):
        torch.testing.assert_close(found, expected, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("length", [9, 16])
def test_a_loop_that_transforms_is_rolled_with_its_pullback(length: int) -> None:
    def steps(x: Any, filter: Any) -> Any:
        for _ in range(12):
            moved = torch.fft.irfft(torch.fft.rfft(x) * filter, n=length)
            x = x + torch.fft.ifft(torch.fft.fft(x) * 1j).imag * 0.1 - moved.sin()
        return x

    draws = np.random.default_rng(0)
    x, filter = draws.standard_normal((2, length)), draws.standard_normal(length // 2 + 1)
    compiled = torch.compile(steps)
    for found, expected in zip(
        agreement.results(compiled, [x, filter]), agreement.results(steps, [x, filter]), strict=True
    ):
        torch.testing.assert_close(found, expected, rtol=1e-10, atol=1e-10)
    assert agreement.array_kernels(compiled) == []


def test_lengths_of_large_primes_are_left_to_the_array_kernel() -> None:
    z = torch.randn(2, 34, dtype=torch.complex128)
    compiled = torch.compile(lambda z: torch.fft.fft(z))
    torch.testing.assert_close(compiled(z), torch.fft.fft(z))
    assert agreement.array_kernels(compiled) == ["fft_c2c"]
