"""Loops over flat arrays that one native call runs, from the arrays to the results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback.array import chains, large

pytest.importorskip("llvmlite")
from pullback.compiler.eager_kernels import flat_calls, traced_kernels  # they need llvmlite

X = np.random.default_rng(0).standard_normal((100, 90)).astype(np.float32)


@pytest.fixture(autouse=True)
def hot(monkeypatch: pytest.MonkeyPatch):
    if not large.is_there():
        pytest.skip("native code is switched off")
    monkeypatch.setattr(flat_calls.chains, "native", lambda nanoseconds: large.chains())
    assert chains.native(0) is not None


def called(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return what native calls give from now on."""
    found: list[Any] = []
    real = flat_calls.FlatCall.__call__

    def note(self: Any, *arrays: np.ndarray) -> Any:
        found.append(real(self, *arrays))
        return found[-1]

    monkeypatch.setattr(flat_calls.FlatCall, "__call__", note)
    return found


def test_the_bits_are_those_of_the_call_from_python(monkeypatch: pytest.MonkeyPatch) -> None:
    kernels, given = traced_kernels.TracedKernels(), called(monkeypatch)
    found = kernels.elementwise("tanh", (X,), ())
    assert given[0][0] is found and found.shape == X.shape and found.flags.c_contiguous
    monkeypatch.setattr(traced_kernels.LargeKernel, "at_once", lambda *args: None)
    expected = kernels.elementwise("tanh", (X,), ())
    assert found.tobytes() == expected.tobytes()


def test_it_writes_to_what_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    kernels, given = traced_kernels.TracedKernels(), called(monkeypatch)
    expected, own = kernels.elementwise("leaky_relu", (X,), (0.1,)), X.copy()
    assert kernels.elementwise("leaky_relu", (own,), (0.1,), own) is own and given[1][0] is own
    assert own.tobytes() == expected.tobytes()


def test_several_results(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large, "CHAIN", 1)
    given = called(monkeypatch)
    x, y = (torch.from_numpy(v).requires_grad_() for v in (X, X[::-1].copy()))
    op = torch.atan2(x, y).grad_fn._op
    saved = torch.atan2(x, y).grad_fn._saved
    own = traced_kernels.TracedKernels().pull(op, X, saved, (True, True))
    assert len(given[-1]) == 2 and any(own[0] is r for r in given[-1])
    first, second = torch.autograd.grad(torch.atan2(x, y), (x, y), torch.from_numpy(X))
    torch.testing.assert_close(torch.from_numpy(own[0]), first)
    torch.testing.assert_close(torch.from_numpy(own[1]), second)


@pytest.mark.parametrize("array", [
    X.T, X[:, ::2], X[:0], np.asarray(0.5, np.float32), X.astype(np.float64), np.zeros(1 << 20, np.float32),
    np.frombuffer(bytes(X.nbytes + 1), np.uint8)[1:].view(np.float32).reshape(X.shape),
], ids=["transposed", "strided", "empty", "one", "dtype", "threads", "address"])  # fmt: skip
def test_other_arrays_are_left_to_python(array: np.ndarray) -> None:
    kernels = traced_kernels.TracedKernels()
    kernels.elementwise("relu", (X,), ())
    (kernel, _), *_ = kernels._made.values()
    found = kernel.at_once((array,), None)
    if array.ndim:
        assert found is None
    else:
        assert found[0] == np.float32(0.5)
    assert kernel.at_once((X,), X[:50].copy()) is None
    assert kernel.at_once((X, X), X.copy()) is None


def test_bounds_are_of_another_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    loops, given = traced_kernels.TracedKernels(), called(monkeypatch)
    for dtype in (np.float32, np.float64):
        x, least, most = X.astype(dtype), np.asarray(-0.5, dtype), np.asarray(0.25, dtype)
        out = np.empty_like(x)
        assert loops.clamp(x, out, least, most) and given[-1][0] is out
        np.testing.assert_array_equal(out, np.clip(x, -0.5, 0.25))


G, MEANS, WEIGHT = X[::-1].copy(), X[:, :1].copy(), X[0].copy()


@pytest.mark.parametrize(("name", "operands", "attrs", "per_row"), [
    ("log_softmax", (X,), (1,), (True,)),
    ("softmax_adjoint", (G, X), (1,), (True, True)),
    ("native_layer_norm", (X, WEIGHT, None), (1, 1e-5), (True, False, False)),
    ("native_layer_norm_backward", (G, X, WEIGHT, MEANS, MEANS, None), (1, 0.0),
     (True, True, False, True, True, False)),
    ("weights_of_rows", (np.ones(1, np.float32), WEIGHT, MEANS + 9, X), (), (False, False, True, True)),
], ids=["one", "two", "absent", "sums", "rows come last"])  # fmt: skip
def test_rows_are_one_native_call(
    monkeypatch: pytest.MonkeyPatch, name: str, operands: Any, attrs: Any, per_row: tuple[bool, ...]
) -> None:
    kernels, given = traced_kernels.TracedKernels(), called(monkeypatch)
    found = kernels.rows(name, operands, attrs, per_row)
    assert all(any(x is made for made in given[-1]) for x in found if x is not None)
    monkeypatch.setattr(traced_kernels.LargeKernel, "rows_at_once", lambda *args: None)
    expected = kernels.rows(name, operands, attrs, per_row)
    for x, y in zip(found, expected, strict=True):
        assert (x is None) is (y is None)
        if x is not None:
            assert x.shape == y.shape and x.dtype == y.dtype and x.tobytes() == y.tobytes()


@pytest.mark.parametrize("x", [X[:, ::2], X.T, np.zeros((1 << 14, 90), np.float32)],
                         ids=["strided", "transposed", "threads"])  # fmt: skip
def test_other_rows_are_left_to_python(monkeypatch: pytest.MonkeyPatch, x: np.ndarray) -> None:
    kernels, given = traced_kernels.TracedKernels(), called(monkeypatch)
    (found,) = kernels.rows("softmax", (x,), (1,), (True,))
    assert given == [None]
    np.testing.assert_allclose(found.sum(1), 1, rtol=1e-5)
    assert found.shape == x.shape
