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
