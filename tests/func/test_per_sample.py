"""Gradients for every sample of a batch at once, against loops over the samples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback.func import per_sample_gradients

nn = torch.nn
cross_entropy = nn.functional.cross_entropy


def equal(a: Any, b: Any) -> None:
    np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=1e-5, atol=1e-6)


class ConvNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3)
        self.norm = nn.BatchNorm2d(2)
        self.head = nn.Linear(8, 3)
        self.conv.bias.requires_grad_(False)

    def forward(self, x: Any) -> Any:
        x = nn.functional.max_pool2d(torch.relu(self.norm(self.conv(x))), 2)
        return self.head(x.flatten(1))


@pytest.mark.parametrize("module", [nn.Sequential(nn.Linear(36, 5), nn.ReLU(), nn.Linear(5, 3)), ConvNet()])
def test_samples_are_those_of_a_loop(module: Any) -> None:
    torch.manual_seed(0)
    module.eval()
    inputs = torch.randn(4, 1, 6, 6)
    if not isinstance(module, ConvNet):
        inputs = inputs.flatten(1)
    targets = torch.tensor([0, 2, 1, 1])
    gradients = per_sample_gradients(module, cross_entropy, inputs, targets)
    wanted = {name: p for name, p in module.named_parameters() if p.requires_grad}
    assert set(gradients) == set(wanted)
    for k in range(4):
        loss = cross_entropy(module(inputs[k : k + 1]), targets[k : k + 1])
        for name, row in zip(wanted, torch.autograd.grad(loss, list(wanted.values())), strict=True):
            equal(gradients[name][k], row)
    assert all(p.grad is None for p in module.parameters())
    mean = torch.autograd.grad(cross_entropy(module(inputs), targets), list(wanted.values()))
    for name, row in zip(wanted, mean, strict=True):
        equal(gradients[name].mean(0), row)


def test_dropout_wants_randomness() -> None:
    module = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5))
    inputs, targets = torch.ones(3, 2), torch.tensor([0, 1, 0])
    with pytest.raises(RuntimeError, match="randomness"):
        per_sample_gradients(module, cross_entropy, inputs, targets)
    per_sample_gradients(module, cross_entropy, inputs, targets, randomness="different")
