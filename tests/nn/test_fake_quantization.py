"""Fake quantisation: numbers, gradients, errors, and the program that comes of a step."""

from __future__ import annotations

import math
from typing import Any

import pytest

import pullback as torch

X = [-3.0, 0.24, 0.26, 1.5, 200.0, math.nan, math.inf]
EXPECTED = [-1.5, 0.0, 0.5, 1.5, 126.0, -1.5, 126.0]
SCALE, ZERO = torch.tensor([0.5]), torch.tensor([3], dtype=torch.int32)
SCALES, ZEROS = torch.tensor([0.1, 0.2, 0.3]), torch.tensor([0, 1, 2], dtype=torch.int32)
per_tensor, per_channel = torch.fake_quantize_per_tensor_affine, torch.fake_quantize_per_channel_affine


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
@pytest.mark.parametrize(("scale", "zero"), [(0.5, 3), (SCALE, ZERO)])
def test_of_a_tensor(dtype: Any, scale: Any, zero: Any) -> None:
    x = torch.tensor(X, dtype=dtype, requires_grad=True)
    y = per_tensor(x, scale, zero, 0, 255)
    assert (y.dtype, y.tolist()) == (dtype, EXPECTED)
    y.sum().backward()
    assert x.grad.tolist() == [0, 1, 1, 1, 0, 0, 0]


def test_of_channels() -> None:
    w = torch.tensor([[1.54, -0.29, -2.18, 0.57]] * 3, requires_grad=True)
    y = per_channel(w, SCALES, ZEROS, 0, -3, 5)
    whole = [[5, -3, -3, 5], [4, -1, -4, 3], [3, -1, -5, 2]]
    torch.testing.assert_close(y, torch.tensor(whole) * SCALES[:, None])
    y.sum().backward()
    assert w.grad.tolist() == [[0, 1, 0, 0], [0, 1, 0, 1], [0, 1, 0, 1]]
    assert type(y.grad_fn).__name__ == "FakeQuantizePerChannelAffineCachemaskBackward0"


RANGE = "`zero_point` must be between `quant_min` and `quant_max`."
REFUSED = [
    (lambda x: per_tensor(x, 0.5, 300, 0, 255), RANGE),
    (lambda x: per_channel(x, SCALES, ZEROS, 0, 1, 5), RANGE),
    (
        lambda x: per_tensor(x, 0.5, 3, 10, 5),
        "`quant_min` should be less than or         equal to `quant_max`.",
    ),
    (
        lambda x: per_tensor(x.int(), 0.5, 3, 0, 5),
        "\"fake_quantize_tensor_cachemask_kernel_type_handling\" not implemented for 'Int'",
    ),
    (lambda x: per_tensor(x, SCALES, ZEROS, 0, 5), "a Tensor with 3 elements cannot be converted to Scalar"),
    (
        lambda x: per_channel(x, SCALES.clone().requires_grad_(), ZEROS, 0, 0, 5),
        (
            "The function 'fake_quantize_per_channel_affine_cachemask' is not differentiable with respect to "
            "argument 'scale'. This input cannot have requires_grad True."
        ),
    ),
    (
        lambda x: per_channel(x, SCALES.double(), ZEROS, 0, 0, 5),
        "Scale must be Float or BFloat16, found Double",
    ),
    (
        lambda x: per_channel(x, SCALES, ZEROS.long(), 0, 0, 5),
        "Zero-point must be Int32, Float or Half, found Long",
    ),
    (
        lambda x: per_channel(x, SCALES[:2], ZEROS[:2], 0, 0, 5),
        "dimensions of scale and zero-point are not consistent with input tensor",
    ),
    (
        lambda x: per_channel(x, SCALES, ZEROS[:2], 0, 0, 5),
        "scale and zero-point need to have the same dimensions",
    ),
    (lambda x: per_channel(x, SCALES[:, None], ZEROS, 0, 0, 5), "scale should be a 1-D tensor"),
    (
        lambda x: per_channel(x.T, SCALES, ZEROS, -1, 0, 5),
        "`axis` must be between 0 and number of dimensions of input",
    ),
]


@pytest.mark.parametrize(("call", "text"), REFUSED)
def test_errors_are_torchs(call: Any, text: str) -> None:
    with pytest.raises((RuntimeError, NotImplementedError)) as error:
        call(torch.ones(3, 4))
    assert str(error.value) == text


def test_a_step_of_quantised_weights_is_one_program() -> None:
    pytest.importorskip("llvmlite")

    def step(w: Any, x: Any) -> Any:
        scale = w.detach().abs().amax(1) / 127
        zero = (scale * 0).int()
        y = x @ per_channel(w, scale, zero, 0, -128, 127).T
        low = y.detach().amin().clamp(max=0)
        width = ((y.detach().amax() - low) / 255).reshape(1)
        loss = per_tensor(y, width, (-low / width).round().int(), 0, 255).square().sum()
        return loss.detach(), *torch.autograd.grad(loss, w)

    compiled = torch.compile(step)
    torch.manual_seed(0)
    for _ in range(4):
        w, x = torch.randn(3, 4, requires_grad=True), torch.randn(5, 4)
        torch.testing.assert_close(compiled(w, x), step(w, x))
    assert len(compiled._native.specializations) == 1
