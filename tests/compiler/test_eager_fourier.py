"""Native Fourier transforms of eager calls, beside pocketfft's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as torch
import pullback.ops.fft
from pullback.array import large
from pullback.array.threads import get_num_threads, set_num_threads
from pullback.core.op import TABLE

pytest.importorskip("llvmlite")
from pullback.compiler.eager_kernels import fourier  # these need llvmlite
from pullback.compiler.runtime import engine

C2C, R2C, C2R = (TABLE[name].kernel for name in ("fft_c2c", "fft_r2c", "fft_c2r"))


@pytest.fixture(autouse=True)
def native(monkeypatch: pytest.MonkeyPatch) -> None:
    if not large.is_there():
        pytest.skip("native code is switched off")
    if engine.register_bytes() < 32:
        pytest.skip("registers are as narrow as pocketfft's vectors")
    monkeypatch.setattr(large, "CHAIN", 0)


def drawn(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    x = np.random.default_rng(0).standard_normal((2, *shape))
    return (x[0] + 1j * x[1]).astype(dtype) if np.dtype(dtype).kind == "c" else x[0].astype(dtype)


def both(monkeypatch: pytest.MonkeyPatch, call: Any, *given: Any) -> tuple[list[bool], Any, Any]:
    """Whether transforms were native ones, the result, and pocketfft's."""
    asked, run = [], fourier.Fourier().run

    def counting(*arguments: Any) -> Any:
        found = run(*arguments)
        asked.append(found is not None)
        return found

    with monkeypatch.context() as patch:
        patch.setattr(large.source(), "fourier", counting, raising=False)
        found = call(*given)
        patch.setattr(large, "CHAIN", 1 << 62)
        return asked, found, call(*given)


def assert_alike(found: np.ndarray, expected: np.ndarray) -> None:
    assert (found.shape, found.dtype, found.strides) == (expected.shape, expected.dtype, expected.strides)
    size = np.abs(expected).max()
    np.testing.assert_allclose(found / size, expected / size, atol=8 * np.finfo(found.dtype).eps, rtol=0)


# Stages of all radices, one and several; blocks of vectors that overlap; vectors of 16, 8 and, of float64, 4.
LENGTHS = [64, 72, 80, 112, 160, 200, 208, 240, 256, 352, 400, 512, 1000, 1024, 1152, 3000]


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_errors_are_not_twice_those_of_pocketfft(
    monkeypatch: pytest.MonkeyPatch, length: int, dtype: Any
) -> None:
    z = drawn(5, length, dtype=np.result_type(dtype, np.complex64))
    x = drawn(5, 2 * length, dtype=dtype)
    halves = np.fft.rfft(x).astype(z.dtype)
    exact = np.longdouble if dtype is np.float64 else np.float64
    wide = np.result_type(exact, np.complex64)
    cases = [
        (C2C, z, (True,), np.fft.fft(z.astype(wide))),
        (C2C, z, (False,), np.fft.fft(z.astype(wide).conj()).conj()),
        (C2R, halves, (2 * length,), np.fft.irfft(halves.astype(wide), 2 * length) * 2 * length),
        (R2C, x, (True,), np.fft.rfft(x.astype(exact))),
    ]
    for call, given, options, expected in cases:
        asked, found, other = both(monkeypatch, call, given, (1,), 0, *options)
        assert asked == [True]
        errors = [np.sqrt(np.mean(np.abs(y - expected) ** 2)) for y in (found, other)]
        assert errors[0] < 2 * errors[1]


@pytest.mark.parametrize("shape", [(3, 20, 128), (6, 9, 256), (2, 3, 5, 160), (7, 512), (192,)], ids=str)
@pytest.mark.parametrize("normalization", [0, 1, 2])
def test_axes_and_layouts(
    monkeypatch: pytest.MonkeyPatch, shape: tuple[int, ...], normalization: int
) -> None:
    last = len(shape) - 1
    for dims in {(last,), (0, last), (last - 1, last), tuple(range(len(shape)))}:
        if min(dims) < 0 or len(set(dims)) < len(dims):
            continue
        for layout in (np.ascontiguousarray, np.asfortranarray, np.flipud, lambda x: x[..., ::2].copy()):
            x, z = layout(drawn(*shape)), layout(drawn(*shape, dtype=np.complex128))
            for call, given, options in (
                (R2C, x, (True,)), (R2C, x, (False,)), (C2C, z, (True,)), (C2C, z, (False,)),
                (C2R, z[..., : z.shape[-1] // 2 + 1], (z.shape[-1],)),
            ):  # fmt: skip
                _, found, expected = both(monkeypatch, call, given, dims, normalization, *options)
                assert_alike(found, expected)


def test_parts_of_a_signal_are_read_where_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = np.lib.stride_tricks.sliding_window_view(drawn(4, 8192), 512, axis=1)[:, ::128]
    asked, found, expected = both(monkeypatch, R2C, parts, (2,), 0, True)
    assert asked == [True]
    assert_alike(found, expected)


def test_other_lengths_are_pocketffts(monkeypatch: pytest.MonkeyPatch) -> None:
    for length in (17, 30, 62, 64, 8 * 17, 1 << 18):
        asked, found, expected = both(monkeypatch, R2C, drawn(2, length), (1,), 0, True)
        assert asked == [False]
        np.testing.assert_array_equal(found, expected)
    asked, _, _ = both(monkeypatch, C2C, drawn(17, 64, dtype=np.complex64), (0, 1), 0, True)
    assert asked == [False]


def test_rows_do_not_depend_on_others() -> None:
    x = drawn(40, 1024)
    whole = R2C(x, (1,), 0, True)
    np.testing.assert_array_equal(R2C(x[7:9], (1,), 0, True), whole[7:9])
    x[3] = np.nan
    x[5, 0] = np.inf
    found = R2C(x, (1,), 0, True)
    assert np.isfinite(np.delete(found, [3, 5], 0)).all()
    np.testing.assert_array_equal(np.delete(found, [3, 5], 0), np.delete(whole, [3, 5], 0))


def test_threads_give_the_same() -> None:
    x, z, before = drawn(200, 2048), drawn(4, 64, 256, dtype=np.complex64), get_num_threads()
    try:
        found = []
        for threads in (1, 3):
            set_num_threads(threads)
            found.append((R2C(x, (1,), 0, True), C2C(z, (1, 2), 0, True)))
    finally:
        set_num_threads(before)
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_what_real_numbers_cannot_have_is_not_read() -> None:
    halves = drawn(3, 129, dtype=np.complex64)
    expected = C2R(halves, (1,), 2, 256)
    halves.imag[:, 0], halves.imag[:, -1] = 5, -np.inf
    np.testing.assert_array_equal(C2R(halves, (1,), 2, 256), expected)


def test_gradients(monkeypatch: pytest.MonkeyPatch) -> None:
    def pulled(x: np.ndarray) -> Any:
        leaf = torch.from_numpy(x.copy()).requires_grad_()
        spectrum = torch.fft.rfft(leaf, norm="ortho")
        torch.fft.irfft(spectrum * spectrum, n=256, norm="forward").sin().sum().backward()
        return leaf.grad.numpy()

    asked, found, expected = both(monkeypatch, pulled, drawn(4, 256, dtype=np.float64))
    assert asked == [True] * 4
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)
