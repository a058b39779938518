"""What functions of nn.functional say of an argument that is no tensor."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback.nn import functional as F

X = torch.rand(2, 3)


@pytest.mark.parametrize(
    ("function", "arguments", "error", "text"),
    [
        ("mse_loss", (X, None), AttributeError, "'NoneType' object has no attribute 'size'"),
        ("mse_loss", (X, 3), AttributeError, "'int' object has no attribute 'size'"),
        ("binary_cross_entropy", (X, [1.0]), AttributeError, "'list' object has no attribute 'size'"),
        ("cross_entropy", (X, [0, 1]), TypeError,
         "cross_entropy_loss(): argument 'target' (position 2) must be Tensor, not list"),
        ("nll_loss", (X, None), TypeError,
         "nll_loss_nd(): argument 'target' (position 2) must be Tensor, not NoneType"),
        ("kl_div", (X, 3), TypeError, "kl_div(): argument 'target' (position 2) must be Tensor, not int"),
        ("cross_entropy", (X, np.array([0, 1])), TypeError,
         "cross_entropy_loss(): argument 'target' (position 2) must be Tensor, not numpy.ndarray"),
        ("embedding", ([1], X), TypeError,
         "embedding(): argument 'indices' (position 2) must be Tensor, not list"),
        ("softmax", ([1.0], 0), AttributeError, "'list' object has no attribute 'softmax'"),
        ("log_softmax", (X, "a"), TypeError,
         "log_softmax(): argument 'dim' (position 1) must be int, not str"),
        ("dropout", ([1.0],), TypeError,
         "dropout(): argument 'input' (position 1) must be Tensor, not list"),
        ("layer_norm", (None, (2,)), TypeError,
         "layer_norm(): argument 'input' (position 1) must be Tensor, not NoneType"),
        ("interpolate", ([1.0], 2), AttributeError, "'list' object has no attribute 'dim'"),
    ],
)  # fmt: skip
def test_as_torch(function: str, arguments: tuple[Any, ...], error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        getattr(F, function)(*arguments)
    assert str(caught.value) == text


def test_what_may_be_none() -> None:
    with pytest.raises(RuntimeError, match="Expected more than 1 value per channel|running_mean"):
        F.batch_norm(X, None, None, training=False)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: torch.dist(X, torch.ones(4, 3)),
         "The size of tensor a (2) must match the size of tensor b (4)"),
        (lambda: torch.ones(2, 2).masked_fill(torch.ones(3) > 0, 0.0),
         "The size of tensor a (3) must match the size of tensor b (2)"),
        (lambda: torch.ones(2, 2).masked_fill_(torch.ones(3) > 0, 0.0),
         "The size of tensor a (2) must match the size of tensor b (3)"),
        (lambda: torch.einsum("ij", torch.ones(2)),
         "does not match the number of dimensions (1) for operand 0"),
        (lambda: torch.nn.Conv2d(1, 1, 1)(torch.ones(1, 1, 2, 2, dtype=torch.uint8)),
         "Input type (unsigned char) and bias type (float) should be the same"),
    ],
)  # fmt: skip
def test_sizes_and_dtypes(call: Any, text: str) -> None:
    with pytest.raises(RuntimeError) as caught:
        call()
    assert text in str(caught.value)


def test_generators_and_quantiles() -> None:
    with pytest.raises(
        RuntimeError, match="Cannot get CUDA generator without ATen_cuda library. PyTorch splits"
    ):
        torch.Generator("cuda:0")
    with pytest.raises(RuntimeError, match="Cannot get XPU generator without ATen_xpu library"):
        torch.Generator(device="xpu")
    with pytest.raises(RuntimeError, match="q tensor must be same dtype as the input tensor"):
        torch.quantile(X, torch.tensor([0.5], dtype=torch.float64))
