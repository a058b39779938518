"""The dtypes of eight bits are stored, converted and compared; bytes and texts are those of torch 2.13."""

from __future__ import annotations

import pytest

import pullback as torch

VALUES = [0.1, 1.0, 300.0, 500.0, -2.0, 0.0, float("inf")]

#: What ``torch.tensor(VALUES).to(dtype).view(torch.uint8)`` gives.
BYTES = {
    "float8_e4m3fn": [29, 56, 121, 126, 192, 0, 126],
    "float8_e4m3fnuz": [37, 64, 128, 128, 200, 0, 128],
    "float8_e5m2": [46, 60, 93, 96, 192, 0, 124],
    "float8_e5m2fnuz": [50, 64, 97, 100, 196, 0, 128],
    "float8_e8m0fnu": [124, 127, 135, 136, 128, 0, 255],
}


@pytest.mark.parametrize("name", BYTES)
def test_conversion(name: str) -> None:
    x = torch.tensor(VALUES).to(getattr(torch, name))
    assert x.view(torch.uint8).tolist() == BYTES[name]
    assert torch.tensor(VALUES, dtype=torch.float64).to(x.dtype).view(torch.uint8).tolist() == BYTES[name]


@pytest.mark.parametrize("name", BYTES)
def test_back(name: str) -> None:
    x = torch.tensor([1.0, 2.0, 4.0, 0.5]).to(getattr(torch, name))
    assert x.float().tolist() == x.tolist() == [1.0, 2.0, 4.0, 0.5]
    assert (x == x).all()
    assert torch.cat([x, x])[2:5].tolist() == [4.0, 0.5, 1.0]


def test_gradients_pass_through_conversions() -> None:
    x = torch.tensor([1.0, 3.0], requires_grad=True)
    (x.to(torch.float8_e5m2).float() * 2).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_nothing_is_computed() -> None:
    x = torch.ones(2, dtype=torch.float8_e4m3fn)
    for compute in (
        lambda: x + x, lambda: x * 2, lambda: x.sum(), lambda: -x, lambda: x.exp(), lambda: x @ x
    ):
        with pytest.raises(NotImplementedError, match="not implemented for 'Float8_e4m3fn'"):
            compute()


def test_nothing_is_promoted() -> None:
    x = torch.ones(2, dtype=torch.float8_e5m2)
    text = "Promotion for Float8 Types is not supported, attempted to promote Float8_e5m2 and Float"
    with pytest.raises(RuntimeError, match=text):
        x + torch.ones(2)
    with pytest.raises(TypeError, match="Got unsupported ScalarType Float8_e5m2"):
        x.numpy()


def test_limits() -> None:
    limits = torch.finfo(torch.float8_e4m3fn)
    assert (limits.max, limits.eps, limits.smallest_normal, limits.bits) == (448.0, 0.125, 0.015625, 8)
    assert not torch.float8_e8m0fnu.is_signed
