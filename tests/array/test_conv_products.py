"""One product for all images gives what the sum over places gives, and is taken where it is less work."""

import numpy as np
import pytest
from hypothesis import assume, given, settings

from pullback.array import conv, conv_products
from pullback.array.geometry import output_size

from .test_conv import by_definition, problems

WAYS = conv_products.CORRELATE, conv_products.TRANSPOSE, conv_products.WEIGHT


@settings(max_examples=80, deadline=None)
@given(problems(groups=[1], images=[1, 2, 9]))
def test_the_three_products_are_the_sums_over_places(problem):
    x, w, stride, padding, dilation, _, rng = problem
    output = output_size(x.shape[2:], w.shape[2:], stride, padding, dilation)
    plan = conv_products.plan(x.shape[2:], w.shape[2:], stride, padding, dilation, output)
    assume(plan.taps)
    # A kernel of one tap is a product for each image, too.
    plan = plan._replace(is_stack=plan.is_full and w[0, 0].size == 1)
    want = by_definition(x, w, stride, padding, dilation, 1)
    bias = rng.standard_normal(len(w)).astype(x.dtype)
    got = conv_products.correlate(x, w, bias, plan)
    np.testing.assert_allclose(got, conv.add_bias(want.copy(), bias), atol=1e-10)
    y = rng.standard_normal(want.shape).astype(x.dtype)
    pulled = conv_products.transpose(y, w, x.shape[2:], plan)
    weight = conv_products.weight(x, y, w.shape, plan)
    assert all(a.flags.c_contiguous for a in (got, pulled, weight))
    inner = np.sum(want * y)
    np.testing.assert_allclose(np.sum(pulled * x), inner, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(np.sum(weight * w), inner, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("way", WAYS)
def test_many_channels_of_few_places_are_one_product(way):
    geometry = (1, 1), (1, 1), (1, 1), 1
    few = (64, 512, 1, 1), (512, 512, 3, 3), (64, 512, 1, 1)
    found = conv.as_product(way, *few, np.dtype(np.float32), *geometry)
    # Of nine taps one meets the only place.
    assert found is not None and found.counts == (1, 1)
    many = (64, 16, 14, 14), (32, 16, 3, 3), (64, 32, 14, 14)
    assert conv.as_product(way, *many, np.dtype(np.float32), *geometry) is None
    # One image of one place was left to a kernel that reads the weight across its rows: 11 times as long.
    one = (1, 512, 1, 1), (512, 512, 3, 3), (1, 512, 1, 1)
    assert conv.as_product(way, *one, np.dtype(np.float32), *geometry) is not None


@pytest.mark.parametrize(
    ("way", "images", "inputs", "outputs", "side", "expected"),
    [
        # ms in a kernel and as a product: 0.43 and 0.55, 1.45 and 0.97, 1.8 and 2.4, 3.4 and 2.1, 5.7 and 7.5
        (conv_products.CORRELATE, 1, 256, 256, 4, False),
        (conv_products.TRANSPOSE, 1, 256, 256, 4, True),
        (conv_products.TRANSPOSE, 4, 256, 256, 4, False),
        (conv_products.TRANSPOSE, 1, 512, 512, 3, True),
        (conv_products.TRANSPOSE, 1, 512, 512, 7, False),
        # 1.4 and 2.3, 6.7 and 3.1; vectors of 136 channels would not be full.
        (conv_products.WEIGHT, 32, 128, 128, 4, False),
        (conv_products.WEIGHT, 4, 512, 512, 4, True),
        (conv_products.WEIGHT, 32, 128, 136, 4, True),
    ],
)
def test_what_takes_less_time_is_chosen(way, images, inputs, outputs, side, expected):
    shapes = (images, inputs, side, side), (outputs, inputs, 3, 3), (images, outputs, side, side)
    found = conv.as_product(way, *shapes, np.dtype(np.float32), (1, 1), (1, 1), (1, 1), 1)
    assert (found is not None) == expected


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("stride", [1, 2])
def test_a_kernel_of_one_tap_is_a_product_for_each_image(way, stride):
    geometry = (stride, stride), (0, 0), (1, 1), 1
    shapes = (2, 64, 20 * stride, 20 * stride), (256, 64, 1, 1), (2, 256, 20, 20)
    found = conv.as_product(way, *shapes, np.dtype(np.float32), *geometry)
    assert found is not None and found.is_stack
    # Of images of few places all are one product.
    few = (8, 256, 7, 7), (256, 256, 1, 1), (8, 256, 7, 7)
    found = conv.as_product(way, *few, np.dtype(np.float32), (1, 1), *geometry[1:])
    assert found is None or not found.is_stack
