"""Native loops of eager ops that write to one of their operands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback.array import large
from pullback.nn import functional as F

pytest.importorskip("llvmlite")
from pullback.compiler.eager_kernels import traced_kernels  # it needs llvmlite

SIZE = large.WORTH_CHAIN + 123

CALLS = {
    "relu": torch.relu_, "sigmoid": torch.sigmoid_, "tanh": torch.tanh_, "sign": torch.Tensor.sign_,
    "exp": torch.exp_, "log1p": torch.Tensor.log1p_, "erf": torch.erf_,
    "add_scaled": lambda x: x.add_(torch.ones(SIZE), alpha=0.1),
    "lerp": lambda x: x.lerp_(torch.ones(SIZE), 0.1),
    "addcmul": lambda x: x.addcmul_(torch.ones(SIZE), torch.ones(SIZE), value=0.1),
    "remainder": lambda x: x.remainder_(0.3), "clamp": lambda x: x.clamp_(-1, 1),
}  # fmt: skip


@pytest.fixture(autouse=True)
def native():
    if not large.is_there():
        pytest.skip("native code is switched off")


def _not_in_place(name: str, x: Any) -> Any:
    ones = torch.ones(SIZE)
    return {
        "add_scaled": lambda: torch.add(x, ones, alpha=0.1), "lerp": lambda: torch.lerp(x, ones, 0.1),
        "addcmul": lambda: torch.addcmul(x, ones, ones, value=0.1),
        "remainder": lambda: torch.remainder(x, 0.3), "clamp": lambda: torch.clamp(x, -1, 1),
    }.get(name, lambda: getattr(torch, name)(x))()  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_what_is_written_in_place_has_the_bits_of_what_is_not(name: str) -> None:
    x = torch.randn(SIZE)
    x[:3] = torch.tensor([float("nan"), float("inf"), -0.0])
    expected, version = _not_in_place(name, x), x._version
    y = CALLS[name](x)
    assert y is x and x._version == version + 1
    np.testing.assert_array_equal(x.numpy().view(np.int32), expected.numpy().view(np.int32))


@pytest.mark.parametrize("name", ["relu", "sigmoid", "log1p", "erf", "lerp", "addcmul"])
def test_the_loop_writes_to_the_operand_itself(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    written = []

    def laid(kernel: Any, arrays: Any, out: Any) -> Any:
        written.append(out)
        return real(kernel, arrays, out)

    real = traced_kernels._laid
    monkeypatch.setattr(traced_kernels, "_laid", laid)
    monkeypatch.setattr(traced_kernels.LargeKernel, "at_once", lambda *args: None)
    x = torch.randn(SIZE).abs_()
    written.clear()
    CALLS[name](x)
    assert len(written) == 1 and written[0] is x._value


@pytest.mark.parametrize("op", [torch.erf, torch.erfc])
def test_functions_of_scipy_are_native_loops_from_few_elements_on(op: Any) -> None:
    x = torch.randn(large.WORTH_SLOW)
    found = op(x)
    kernels = large.source()._made["TracedKernels"]._made
    assert kernels[op.__name__, "()", np.dtype(np.float32)] is not None
    np.testing.assert_allclose(found.numpy(), op(x.double()).numpy(), rtol=1e-4, atol=1e-5)


def test_softplus_of_few_rows_is_one_loop() -> None:
    F.softplus(torch.randn(48, 64))
    kernels = large.source()._made["TracedKernels"]._made
    assert any(key[0] == "softplus" and made is not None for key, made in kernels.items())
