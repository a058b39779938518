"""Autocast runs each function in the precision that torch runs it in, and comes and goes as it does there."""

from __future__ import annotations

import threading

import pytest

import pullback as torch

from ..autocast_cases import CASES, precision
from ..recorded import load

RECORDED: dict[str, list[str]] = load("autocast")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", CASES)
def test_precision(case: str) -> None:
    assert precision(case, torch, "bfloat16") == RECORDED[case]


def test_float16() -> None:
    x = torch.ones(2, 2)
    with torch.autocast("cpu", dtype=torch.float16):
        assert torch.get_autocast_dtype("cpu") is torch.float16
        assert (x @ x).dtype is torch.float16
    assert torch.get_autocast_dtype("cpu") is torch.bfloat16


def test_the_other_half_joins_nothing() -> None:
    halves = torch.ones(2, dtype=torch.float16), torch.ones(2, dtype=torch.bfloat16)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.cat((torch.ones(2), *halves)).dtype is torch.float32
        with pytest.raises(RuntimeError, match="^Unexpected floating ScalarType in at::autocast"):
            torch.cat(halves)


def test_nested_regions() -> None:
    x = torch.ones(2, 2)
    with torch.autocast("cpu"):
        assert torch.is_autocast_enabled("cpu")
        with torch.autocast("cpu", enabled=False):
            assert not torch.is_autocast_enabled("cpu")
            assert (x @ x).dtype is torch.float32
        assert (x @ x).dtype is torch.bfloat16
    assert (x @ x).dtype is torch.float32


def test_an_error_leaves_the_region() -> None:
    with pytest.raises(ValueError, match="out"), torch.autocast("cpu"):
        raise ValueError("out")
    assert not torch.is_autocast_enabled("cpu")


def test_other_threads_are_not_told() -> None:
    found = []
    with torch.autocast("cpu"):
        thread = threading.Thread(target=lambda: found.append((torch.ones(2, 2) @ torch.ones(2, 2)).dtype))
        thread.start()
        thread.join()
    assert found == [torch.float32]


def test_a_weight_is_cast_once() -> None:
    w = torch.ones(2, 2, requires_grad=True)
    x = torch.ones(2, 2)
    with torch.autocast("cpu"):
        y = x @ w + x @ w
    first, second = (edge.next_functions[1][0] for edge, _ in y.grad_fn.next_functions)
    assert first is second
    y.float().sum().backward()
    assert w.grad.dtype is torch.float32
    assert w.grad.tolist() == [[4.0, 4.0], [4.0, 4.0]]


def test_as_a_decorator() -> None:
    @torch.autocast("cpu")
    def product(x: torch.Tensor) -> torch.Tensor:
        return x @ x

    assert product(torch.ones(2, 2)).dtype is torch.bfloat16


@pytest.mark.parametrize("switch", [torch.autocast, torch.amp.autocast])
def test_cuda_is_off_with_a_warning(switch: type) -> None:
    with pytest.warns(
        UserWarning, match="CUDA is not available or torch_xla is imported. Disabling autocast."
    ):
        region = switch("cuda")
    with region:
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype is torch.float32


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match="Expected `device_type` of type `str`, got: `<class 'int'>`"):
        torch.autocast(1)
    with pytest.raises(RuntimeError, match="unsupported scalarType"):
        torch.autocast("meta")
    with pytest.raises(RuntimeError, match="unknown device type for autocast"):
        torch.is_autocast_enabled("meta")
    with pytest.warns(UserWarning, match="In CPU autocast, but the target dtype is not supported"):
        torch.autocast("cpu", dtype=torch.float64)


class Product(torch.autograd.Function):
    """Runs under the autocast of its call, forward and back."""

    seen: list[object] = []

    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu")
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        Product.seen.append((torch.is_autocast_enabled("cpu"), (a @ b).dtype))
        return g @ b.mT, a.mT @ g


class InFloat32(torch.autograd.Function):
    """Runs in float32 with autocast off."""

    seen: list[object] = []

    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
    def forward(ctx, a):
        InFloat32.seen.append((a.dtype, torch.is_autocast_enabled("cpu")))
        return a @ a

    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")
    def backward(ctx, g):
        InFloat32.seen.append(torch.is_autocast_enabled("cpu"))
        return g


def test_custom_functions() -> None:
    a = torch.ones(2, 2, requires_grad=True)
    with torch.autocast("cpu"):
        y, z = Product.apply(a, a), InFloat32.apply(a.bfloat16())
    assert (y.dtype, z.dtype) == (torch.bfloat16, torch.float32)
    y.float().sum().backward()
    z.sum().backward()
    assert Product.seen == [(True, torch.bfloat16)]
    assert InFloat32.seen == [(torch.float32, False), False]


def test_a_weight_that_was_cast_without_a_graph_has_its_gradient() -> None:
    layer, x = torch.nn.Linear(3, 3), torch.ones(2, 3)
    with torch.autocast("cpu"):
        with torch.no_grad():
            layer(x)
        layer(x).float().sum().backward()
    assert layer.weight.grad.tolist() == [[2.0] * 3] * 3


@pytest.mark.parametrize("reentrant", [False, True])
def test_what_is_computed_again_is_computed_in_the_same_precision(reentrant: bool) -> None:
    layer, seen = torch.nn.Linear(3, 3), []

    def block(x: torch.Tensor) -> torch.Tensor:
        y = layer(x)
        seen.append(y.dtype)
        return y.relu()

    x = torch.ones(2, 3, requires_grad=True)
    with torch.autocast("cpu"):
        y = torch.utils.checkpoint.checkpoint(block, x, use_reentrant=reentrant)
    y.float().sum().backward()
    assert seen == [torch.bfloat16] * 2
    assert not torch.is_autocast_enabled("cpu")
