"""Convolutional networks, compiled: they compute what their replay computes, without array kernels."""

from __future__ import annotations

import pytest

import pullback as torch
from pullback import nn

pytest.importorskip("llvmlite")
from pullback.compiler.lower.filling import Call
from pullback.compiler.lower.lowered import Precompiled
from tests.compiler.test_executable import agree, backward_of, leaf

functional = nn.functional


def check(function, *leaves, tolerance=2e-5):
    """Compare forward and backward, and see that no array kernel runs in between."""
    compiled = agree(backward_of(function), *leaves, tolerance=tolerance)
    assert not any(isinstance(step, Call) for step in compiled.steps)
    assert compiled.entry
    return compiled


@pytest.mark.parametrize(
    ("x", "w", "rest"),
    [
        ((2, 4, 9, 11), (6, 4, 3, 3), {"stride": 2, "padding": 1}),
        ((3, 6, 8, 7), (4, 3, 2, 3), {"groups": 2, "dilation": 2}),
        ((2, 5, 6, 6), (5, 1, 3, 3), {"groups": 5, "padding": 1}),
    ],
)
def test_convolution(x, w, rest):
    torch.manual_seed(0)
    compiled = check(
        lambda x, w, b: functional.conv2d(x, w, b, **rest).tanh().sum(), leaf(*x), leaf(*w), leaf(w[0])
    )
    assert sum(isinstance(step, Precompiled) for step in compiled.steps) == 3


def test_sequences_and_transposes():
    torch.manual_seed(0)

    def function(x, v, w, b):
        y = functional.conv1d(x, v, padding=2)
        return functional.conv_transpose1d(y, w, b, stride=2, output_padding=1).sin().sum()

    check(function, leaf(2, 3, 17), leaf(4, 3, 5), leaf(4, 3, 3), leaf(3))


@pytest.mark.parametrize("shape", [(8, 3), (4, 5, 6), (3, 4, 5, 6)])
@pytest.mark.parametrize("affine", [True, False])
def test_batch_norm_in_training(shape, affine):
    torch.manual_seed(0)
    parameters = (leaf(shape[1]), leaf(shape[1])) if affine else ()

    def function(x, *parameters):
        y = functional.batch_norm(x, None, None, *parameters, training=True)
        return (y.relu() * x).sum()

    check(function, leaf(*shape), *parameters)


def test_batch_norm_with_given_statistics():
    torch.manual_seed(0)
    mean, var = torch.randn(4), torch.rand(4) + 0.5

    def function(x, weight, bias):
        return functional.batch_norm(x, mean, var, weight, bias).relu().pow(2).sum()

    check(function, leaf(3, 4, 5, 6), leaf(4), leaf(4))


@pytest.mark.parametrize("rest", [(2,), (3, 2, 1), (2, 1)])
def test_maximum_pools(rest):
    torch.manual_seed(0)
    check(lambda x: functional.max_pool2d(x.sin(), *rest).pow(2).sum(), leaf(2, 3, 9, 8))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: functional.avg_pool2d(x.sin(), 2),
        lambda x: functional.avg_pool2d(x, (4, 3), divisor_override=5),
        lambda x: functional.adaptive_avg_pool2d(x.exp(), 1),
        lambda x: functional.adaptive_avg_pool2d(x, (4, 2)),
        lambda x: functional.avg_pool1d(x.flatten(2), 4),
    ],
)
def test_averages_of_windows_side_by_side(function):
    torch.manual_seed(0)
    check(lambda x: function(x).pow(2).sum(), leaf(2, 3, 8, 6))


@pytest.mark.parametrize("rest", [(3, 2), (3, 1, 1), (2, 2, 0, True)])
def test_averages_of_other_windows(rest):
    torch.manual_seed(0)
    agree(backward_of(lambda x: functional.avg_pool2d(x, *rest).pow(2).sum()), leaf(2, 3, 7, 9))


def test_step_of_lenet_is_one_native_call():
    torch.manual_seed(0)

    def function(x, first, a, second, b, last):
        x = functional.max_pool2d(functional.conv2d(x, first, a).relu(), 2)
        x = functional.max_pool2d(functional.conv2d(x, second, b).relu(), 2)
        return torch.log_softmax(x.flatten(1) @ last, 1).square().mean()

    shapes = (4, 1, 20, 20), (3, 1, 5, 5), (3,), (5, 3, 3, 3), (5,), (45, 10)
    check(function, *(leaf(*shape) for shape in shapes))


def test_network_updates_its_running_statistics():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(2, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Conv2d(4, 3, 3, stride=2))
    twin = nn.Sequential(nn.Conv2d(2, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Conv2d(4, 3, 3, stride=2))
    twin.load_state_dict(model.state_dict())
    compiled = torch.compile(model, backend="native", fullgraph=True)
    for _ in range(3):
        x = torch.randn(5, 2, 9, 9)
        for network in (compiled, twin):
            network(x).square().mean().backward()
    for name, value in twin.state_dict().items():
        torch.testing.assert_close(model.state_dict()[name], value, rtol=1e-5, atol=1e-6)
    for mine, theirs in zip(model.parameters(), twin.parameters(), strict=True):
        torch.testing.assert_close(mine.grad, theirs.grad, rtol=1e-4, atol=1e-5)
