"""Channels last in memory goes through a network of images, as in torch."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import pullback as torch
from pullback.nn import functional as F

X = torch.arange(288.0).reshape(2, 4, 6, 6).contiguous(memory_format=torch.channels_last)
WEIGHT = torch.arange(288.0).reshape(8, 4, 3, 3) / 100


@pytest.mark.parametrize(
    "function",
    [
        lambda x: F.conv2d(x, WEIGHT),
        lambda x: F.conv2d(x.contiguous(), WEIGHT.contiguous(memory_format=torch.channels_last)),
        lambda x: F.conv2d(x, WEIGHT, torch.ones(8)),
        lambda x: F.conv2d(x, WEIGHT[:4, :1], groups=4),
        lambda x: F.conv_transpose2d(x, WEIGHT.transpose(0, 1).contiguous()),
        lambda x: F.max_pool2d(x, 2),
        lambda x: F.avg_pool2d(x, 2),
        lambda x: F.adaptive_avg_pool2d(x, 2),
        lambda x: F.adaptive_max_pool2d(x, 2),
        lambda x: F.batch_norm(x, torch.zeros(4), torch.ones(4)),
        lambda x: F.batch_norm(x, torch.zeros(4), torch.ones(4), training=True),
        lambda x: F.group_norm(x, 2),
        lambda x: F.interpolate(x, scale_factor=2),
        lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"),
        lambda x: F.pad(x, (1, 1)),
        lambda x: F.pad(x, (1, 1, 1, 1), mode="reflect"),
        lambda x: F.pixel_unshuffle(x, 2),
        lambda x: F.channel_shuffle(x, 2),
        lambda x: F.relu(x),
    ],
)
def test_results_have_channels_last(function: Callable[[torch.Tensor], torch.Tensor]) -> None:
    y = function(X)
    assert y.is_contiguous(memory_format=torch.channels_last) and not y.is_contiguous()
    assert torch.equal(function(X.contiguous()), y)


def test_contiguous_stays_contiguous() -> None:
    assert F.conv2d(X.contiguous(), WEIGHT).is_contiguous()
    assert F.max_pool2d(X.contiguous(), 2).is_contiguous()


def test_a_module_goes_to_a_format() -> None:
    module = torch.nn.Sequential(torch.nn.Conv2d(4, 2, 3), torch.nn.BatchNorm2d(2))
    module.to(memory_format=torch.channels_last)
    assert module[0].weight.stride() == (36, 1, 12, 4)
    assert module[0].bias.is_contiguous()
    module.to(torch.float64, memory_format=torch.contiguous_format)
    assert module[0].weight.stride() == (36, 9, 3, 1) and module[0].weight.dtype is torch.float64


def test_indices_of_one_place_have_the_format_of_the_maxima() -> None:
    x = torch.arange(36.0).reshape(1, 3, 6, 2).permute(0, 3, 1, 2)
    values, indices = F.max_pool2d(x, 3, 2, 0, (1, 2), return_indices=True)
    assert values.stride() == indices.stride() == (2, 1, 2, 2)
