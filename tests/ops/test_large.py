"""Kernels that large arrays have of their own give what the small ones give, element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback.array import activations, large, reduction

ELEMENTS = 70_000

CALLS: dict[str, Callable[[Any], Any]] = {
    "sigmoid": lambda x: torch.sigmoid(x),
    "clamp": lambda x: x.clamp(-0.5, 1.5),
    "clamp_min": lambda x: x.clamp(min=0.25),
    "clamp_max": lambda x: x.clamp(max=0.25),
    "where": lambda x: torch.where(x > 0.5, x, -2 * x),
    "where_number": lambda x: torch.where(x > 0.5, 1.5, x),
    "where_zero": lambda x: torch.where(x > 0.5, x, 0.0),
    "masked_fill": lambda x: x.masked_fill(x.isnan(), -1.0),
    "masked_fill_tensor": lambda x: x.masked_fill(x > 0, torch.tensor(2.5)),
}


def _values() -> np.ndarray:
    x = np.random.default_rng(0).standard_normal(ELEMENTS)
    x[::100] = np.nan
    x[1::100] = np.inf
    x[2::100] = -np.inf
    x[3::100] = 0
    return x


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", CALLS)
def test_large_is_as_small(name: str, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large, "CHAIN", 1 << 62)  # native loops round otherwise
    monkeypatch.setattr(large, "ROWS", 1 << 62)
    whole = torch.from_numpy(_values()).to(getattr(torch, dtype))
    parts = [part.clone().requires_grad_() for part in whole.split(500)]
    expected = [CALLS[name](part) for part in parts]
    x = whole.requires_grad_()
    y = CALLS[name](x)
    np.testing.assert_array_equal(y.detach().numpy(), torch.cat(expected).detach().numpy())
    covector = torch.from_numpy(np.random.default_rng(1).standard_normal(ELEMENTS)).to(x.dtype)
    y.backward(covector)
    for result, piece in zip(expected, covector.split(500), strict=True):
        result.backward(piece)
    np.testing.assert_allclose(
        x.grad.numpy(), torch.cat([part.grad for part in parts]).numpy(), rtol=1e-6, atol=1e-7
    )


_SUMS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "add": lambda x, y, z: torch.add(x, y, alpha=0.3),
    "lerp": lambda x, y, z: x.lerp(y, 0.3),
    "lerp from the end": lambda x, y, z: x.lerp(y, 0.7),
    "addcmul": lambda x, y, z: x.addcmul(y, z, value=-2),
    "addcdiv": lambda x, y, z: x.addcdiv(y, z, value=0.1),
    "in place": lambda x, y, z: x.clone().lerp_(y, 0.3).addcmul_(y, z, value=0.2),
    "sign": lambda x, y, z: torch.sign(x),
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", _SUMS)
def test_native_sums_of_terms_have_the_bits_of_small_arrays(name: str, dtype: str) -> None:
    pytest.importorskip("llvmlite")
    x = torch.from_numpy(_values()).to(getattr(torch, dtype))
    given = x, x.flip(0) * 9, x.roll(7) - 2
    asked: list[str] = []
    with pytest.MonkeyPatch.context() as patch, np.errstate(all="ignore"):
        ask = large.ask
        patch.setattr(large, "ask", lambda kernel, *more: asked.append(kernel) or ask(kernel, *more))
        found = _SUMS[name](*given)
        assert asked
        parts = zip(*(v.split(500) for v in given), strict=True)
        expected = torch.cat([_SUMS[name](*part) for part in parts])
    # A nan of several operands may be any of them.
    np.testing.assert_array_equal(found.numpy(), expected.numpy())
    numbers = ~np.isnan(found.numpy())
    assert found.numpy()[numbers].tobytes() == expected.numpy()[numbers].tobytes()


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8"])
def test_native_choices_have_the_bits_of_their_operands(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(activations._CHOICE, "_is_due", True)
    with np.errstate(invalid="ignore"):
        x, y = _values().astype(dtype), (_values()[::-1] * 9).astype(dtype)
    condition = y > 1
    for number in (y, *np.array([0, 2.75, -0.0, 1 << 20], dtype)):
        other = np.asarray(number)
        for given in ((x, other), (other, x)):
            expected, found = np.where(condition, *given), activations.where(condition, *given)
            assert (found.dtype, found.tobytes()) == (expected.dtype, expected.tobytes())
    for keep in (True, False):
        wide = np.concatenate([x] * 4), np.concatenate([condition] * 4)
        expected = np.where(wide[1] == keep, wide[0], x.dtype.type(0))
        assert activations.masked(wide[1], wide[0], keep).tobytes() == expected.tobytes()


@pytest.mark.parametrize("shape", [(1, reduction.LARGE), (reduction.LARGE, 1)])
def test_a_norm_over_all_that_has_axes_left_keeps_them(shape: tuple[int, ...]) -> None:
    x, dim = torch.ones(shape), shape.index(max(shape))
    for keepdim in (False, True):
        found = torch.linalg.vector_norm(x, 2, dim=dim, keepdim=keepdim)
        assert found.shape == x.sum(dim, keepdim=keepdim).shape
        assert (found.square() == max(shape)).all()


def test_large_writes_to_out_and_in_place() -> None:
    x = torch.from_numpy(np.random.default_rng(0).standard_normal(ELEMENTS))
    for name in ("sigmoid", "clamp", "clamp_min"):
        expected = CALLS[name](x).numpy()
        y = x.clone()
        getattr(y, f"{name.partition('_')[0]}_")(
            **(
                {}
                if name == "sigmoid"
                else {"min": 0.25}
                if name == "clamp_min"
                else {"min": -0.5, "max": 1.5}
            )
        )
        np.testing.assert_array_equal(y.numpy(), expected)
