"""Native loops for arrays of a few thousand elements, which have NumPy's bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback.array import large, reduction

pytest.importorskip("llvmlite")
from pullback.compiler.eager_kernels.scans import Running  # it needs llvmlite

SIZE = large.WORTH_CHAIN + 7


@pytest.fixture(autouse=True)
def native():
    if not large.is_there():
        pytest.skip("native code is switched off")


def drawn(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("shape", [(5001,), (2, 2100), (3, 1999), (9, 700), (700, 9)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
@pytest.mark.parametrize("ufunc", [np.add, np.multiply])
@pytest.mark.parametrize("reverse", [False, True])
def test_running_sums_begin_when_they_pay(
    monkeypatch: pytest.MonkeyPatch, shape: Any, dtype: Any, ufunc: Any, reverse: bool
) -> None:
    x, asked = (1 + 1e-3 * drawn(*shape)).astype(dtype), []
    if dtype is np.int64:
        x[..., ::3] = -1
    running, rows = Running(), x.reshape(-1, x.shape[-1])
    running.gathered(ufunc.__name__, rows, np.empty_like(rows), reverse)  # compiled before it is asked for

    def gathered(*given: Any) -> bool:
        asked.append(running.gathered(*given))
        return asked[-1]

    monkeypatch.setattr(large.source(), "running", gathered, raising=False)
    monkeypatch.setattr(reduction._SCANS, "_is_due", False)
    monkeypatch.setattr(reduction._SCANS, "_due", -1e18)
    expected = reduction.accumulated(ufunc, x, x.ndim - 1, reverse)
    assert not asked
    monkeypatch.setattr(reduction._SCANS, "_is_due", True)
    found = reduction.accumulated(ufunc, x, x.ndim - 1, reverse)
    assert asked == [True]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("shape", [(90, 70), (3, 40, 50), (5001, 16)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
@pytest.mark.parametrize("ufunc", [np.add, np.multiply])
@pytest.mark.parametrize("reverse", [False, True])
def test_running_sums_go_down_columns(
    monkeypatch: pytest.MonkeyPatch, shape: Any, dtype: Any, ufunc: Any, reverse: bool
) -> None:
    x, asked, dim = (1 + 1e-2 * drawn(*shape)).astype(dtype), [], len(shape) - 2
    x[..., ::3] = -1
    x[..., 1] = -x[..., 1] * 0
    running = Running()

    def down(*given: Any) -> bool:
        asked.append(running.down(*given))
        return asked[-1]

    monkeypatch.setattr(reduction._SCANS, "_is_due", False)
    monkeypatch.setattr(reduction._SCANS, "_due", -1e18)
    expected = reduction.accumulated(ufunc, x, dim, reverse)
    monkeypatch.setattr(large.source(), "running_down", down, raising=False)
    running.down(ufunc.__name__, x.reshape(-1, *x.shape[-2:]), np.empty_like(x), reverse)
    monkeypatch.setattr(reduction._SCANS, "_is_due", True)
    found = reduction.accumulated(ufunc, x, dim, reverse)
    assert asked == [True]
    assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("name", ["nan_to_num", "lerp"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_loops_of_several_passes(monkeypatch: pytest.MonkeyPatch, name: str, dtype: Any) -> None:
    x, y, z = (torch.from_numpy(drawn(SIZE)).to(dtype) * k for k in (1, 2, 3))
    x[:5] = torch.tensor([float("nan"), float("inf"), -float("inf"), -0.0, 0.0])
    call = {
        "nan_to_num": lambda x: torch.cat([x.nan_to_num(), x.nan_to_num(0.5, 2.0, -3.0)]),
        "lerp": lambda x: torch.lerp(x, y, z),
    }[name]
    found, own = call(x), x.clone()
    asked = [key[0] for key, made in large.source()._made["TracedKernels"]._made.items() if made is not None]
    assert {"nan_to_num": "nan_to_num", "lerp": "lerp_tensor"}[name] in asked
    if name == "lerp":
        assert torch.equal(own.lerp_(y, z)[5:], found[5:])
    monkeypatch.setattr(large, "CHAIN", 1 << 62)
    np.testing.assert_array_equal(found.numpy(), call(x).numpy())
    assert found.numpy().tobytes() == call(x).numpy().tobytes() or name == "lerp"


@pytest.mark.parametrize("dims", [None, 0, 1])
@pytest.mark.parametrize("layout", ["rows", "columns", "gaps"])
def test_sums_without_nan_choose_nothing(monkeypatch: pytest.MonkeyPatch, dims: Any, layout: str) -> None:
    whole = torch.from_numpy(drawn(90, 160))
    x = {"rows": whole, "columns": whole.T, "gaps": whole[:, ::2]}[layout]
    asked, where = [], np.where
    monkeypatch.setattr(np, "where", lambda *given: asked.append(given) or where(*given))
    found = x.nansum(dims)
    assert bool(asked) == (layout != "rows")
    holes = torch.cat([x, torch.full_like(x[:1], float("nan"))])
    whole_sum = np.nansum(holes.numpy(), axis=dims)
    np.testing.assert_allclose(holes.nansum(dims).numpy(), whole_sum, rtol=1e-4, atol=1e-4)
    chosen = torch.from_numpy(where(np.isnan(x.numpy()), np.float32(0), x.numpy())).sum(dims)
    assert found.numpy().tobytes() == chosen.numpy().tobytes()


def test_minus_of_complex_numbers_goes_to_the_kernel_at_once() -> None:
    from pullback.core.calls import runs_at_once
    from pullback.core.op import TABLE

    x = drawn(3).astype(np.complex64)
    assert runs_at_once(TABLE["neg"], [x]) and not runs_at_once(TABLE["neg"], [x.real > 0])
    with pytest.raises(RuntimeError, match="Negation, the `-` operator, on a bool tensor"):
        -torch.tensor([True])


@pytest.mark.parametrize("name", ["exp", "log", "sin", "cos", "tanh"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_function_alone_has_the_bits_of_a_larger_array(name: str, dtype: Any) -> None:
    x = torch.from_numpy(np.abs(drawn(3 * SIZE)) + np.float32(0.01)).to(dtype)
    expected, small = getattr(x, name)()[:SIZE], x[:SIZE].clone()
    found, asked = getattr(small, name)(), large.ask("elementwise", name, (small.numpy(),), ())
    assert found.numpy().tobytes() == expected.numpy().tobytes() == asked.tobytes()
    assert getattr(small, f"{name}_")().numpy().tobytes() == asked.tobytes()
