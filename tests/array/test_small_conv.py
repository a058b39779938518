"""Convolutions of small images are what the blocks of large ones give."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from pullback.array import conv, small_conv

CASES = list(product([1, 3], [(7,), (5, 6), (3, 4, 5)], [1, 2], [1, 2], [0, 1]))


@pytest.mark.parametrize(("images", "size", "stride", "dilation", "padding"), CASES)
def test_it_is_the_convolution(monkeypatch, images, size, stride, dilation, padding):
    rng = np.random.default_rng(0)
    rank = len(size)
    x = rng.standard_normal((images, 3, *size))
    w, bias = rng.standard_normal((4, 3, *(2,) * rank)), rng.standard_normal(4)
    options: Any = ((stride,) * rank, (padding,) * rank, (dilation,) * rank, 1)
    y = conv.conv(x, w, *options, bias)
    given = conv.conv_weight(x, y, (2,) * rank, *options)
    turned = conv.conv(x.swapaxes(-1, 0).copy().swapaxes(0, -1), w, *options, bias)
    assert small_conv.fits(x, (2,) * rank, y.shape[2:], 1, [(padding, padding)] * rank)
    monkeypatch.setattr(small_conv, "MOST", 0)
    np.testing.assert_allclose(conv.conv(x, w, *options, bias), y, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(conv.conv_weight(x, y, (2,) * rank, *options), given, rtol=1e-12, atol=1e-10)
    np.testing.assert_allclose(turned, y, rtol=1e-12, atol=1e-12)
