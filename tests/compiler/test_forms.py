"""Scalar forms of elementwise ops, run by the reference handler: each gives what the op's array
kernel gives.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback
from pullback.compiler.lower.elementwise import FORMS
from pullback.compiler.lower.handlers import Reference
from pullback.core.op import TABLE

assert pullback.nn.functional  # the ops of layers are declared when they are first used
ATTRIBUTES: dict[str, tuple[Any, ...]] = {
    "mul_number": (3,), "div_number": (3,), "pow_scalar": (3,), "scalar_pow": (1.5,),
    "add_scaled": (0.3,), "sub_scaled": (0.3,),
    "addcmul": (0.7,), "addcdiv": (0.7,), "lerp": (0.3,), "clamp": (-0.5, 0.5), "hardtanh": (-1.0, 1.0),
    "clamp_min_number": (0.2, None), "clamp_max_number": (None, 0.2), "leaky_relu": (0.1,),
    "leaky_relu_in_place": (0.1,), "threshold": (0.1, 9.0), "threshold_in_place": (0.1, 9.0),
    "softplus": (2.0, 20.0), "elu": (1.0, 1.0, 1.0), "elu_in_place": (1.0, 1.0, 1.0), "gelu": ("tanh",),
    "gelu_slope": ("none",),
}  # fmt: skip
NUMBERS = np.array([0.3, 0.9, 0.51, 0.77, 0.12])
BITS = {"bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not"}
SELECTING = {"where", "masked_fill", "masked_fill_tensor"}
SMOOTH = sorted(FORMS.keys() - BITS - SELECTING - {"acosh"})


@pytest.mark.parametrize("name", SMOOTH)
def test_a_form_is_its_kernel(name: str) -> None:
    op = TABLE[name]
    assert op.attrs == () or name in ATTRIBUTES
    attrs = ATTRIBUTES.get(name, ())
    inputs = tuple(np.roll(NUMBERS, k) for k in range(len(op.inputs)))
    expected = op.evaluate(inputs, attrs)
    ops = Reference({}, {})
    for at in range(NUMBERS.size):
        got = FORMS[name](ops, *(x[at] for x in inputs), *attrs)
        np.testing.assert_allclose(got, expected[at], rtol=1e-12)


@pytest.mark.parametrize("name", ["sign", "sgn"])
def test_the_sign_of_a_negative_zero_and_of_nan_is_zero(name: str) -> None:
    ops = Reference({}, {})
    numbers = np.array([-0.0, 0.0, -3.0, 2.0, np.inf, np.nan])
    got = [FORMS[name](ops, x) for x in numbers]
    np.testing.assert_array_equal(got, [0, 0, -1, 1, 1, 0])
    assert not np.signbit(got[0])
