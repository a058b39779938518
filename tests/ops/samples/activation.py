"""Samples of activation functions."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from pullback.core.op import TABLE

from . import Sample, apart, between, fixed, normal

SAMPLES = [
    Sample("leaky_relu", (apart(6),), (0.1,)),
    Sample("rrelu_mean", (apart(6),), (0.2,)),
    Sample("hardtanh", (apart(40),), (-1.0, 1.0)),
    Sample("leaky_relu_in_place", (apart(6),), (0.1,)),
    Sample("threshold", (apart(6),), (0.1, 3.0)),
    Sample("threshold_in_place", (apart(6),), (0.1, 3.0)),
    Sample("hardshrink", (apart(30),), (0.51,)),
    Sample("softshrink", (apart(30),), (0.51,)),
    Sample("hardsigmoid", (apart(100),), second=False),  # torch has no second derivative of it
    Sample("hardswish", (apart(100),)),
    Sample("elu", (apart(6),), (1.5, 1.1, 1.0)),
    Sample("elu_in_place", (apart(6),), (1.5, 1.1, 1.0)),
    Sample("celu", (apart(6),), (1.5,)),
    Sample("celu_in_place", (apart(6),), (1.5,)),
    Sample("softplus", (normal(6),), (2.0, 20.0)),
    Sample("log_sigmoid", (normal(6),)),
    Sample("silu", (normal(6),)),
    Sample("silu_slope", (normal(6),)),
    Sample("mish", (normal(6),)),
    *(Sample(name, (normal(6),), (form,)) for name in ("gelu", "gelu_slope") for form in ("none", "tanh")),
    Sample("prelu", (apart(2, 3), normal(3))),
    Sample("_prelu_kernel", (apart(2, 3), normal(3)), reference=lambda x, w: np.where(x > 0, x, w * x)),
    Sample("prelu_backward", (normal(2, 3), apart(2, 3), normal(3))),
    Sample("prelu_weight_backward", (normal(2, 3), apart(2, 3), normal(3))),
    Sample("rrelu", (normal(4), between(4, low=0.1, high=0.3)), varied={1: fixed}),
    Sample("glu", (normal(3, 4),), (1,)),
]

#: Of the ops of which a setting is an operand: the tensors, the numbers, and the op that has the setting.
_SETTINGS: dict[str, tuple[tuple[np.ndarray, ...], tuple[float, ...], str | None]] = {
    "leaky_relu_by": ((apart(6),), (0.1,), "leaky_relu"),
    "hardtanh_by": ((apart(40),), (-1.0, 1.0), "hardtanh"),
    "threshold_by": ((apart(6),), (0.1, 3.0), "threshold"),
    "hardshrink_by": ((apart(30),), (0.51,), "hardshrink"),
    "softshrink_by": ((apart(30),), (0.51,), "softshrink"),
    "celu_by": ((apart(6),), (1.5,), "celu"),
    "elu_by": ((apart(6),), (1.5,), None),
    "softplus_by": ((normal(6),), (1.5, 20.0), "softplus"),
    "pow_scalar_by": ((1 + between(6, low=0.1, high=0.9),), (2.7, 1.7), None),
    "scalar_pow_by": ((normal(6),), (2.7, math.log(2.7)), None),
    "huber_loss_by": ((apart(3, 4), normal(3, 4, scale=0.01)), (0.51,), None),
    "smooth_l1_loss_by": ((apart(3, 4), normal(3, 4, scale=0.01)), (0.51,), None),
    "addcmul_by": ((normal(3, 4), normal(3, 4), normal(3, 4)), (0.51,), None),
    "addcdiv_by": ((normal(3, 4), normal(3, 4), between(3, 4, low=0.5, high=2.0)), (0.51,), None),
    "scaled_by": ((normal(6),), (0.51,), None),
}


def _same(name: str) -> Callable[..., np.ndarray]:
    return lambda *operands: TABLE[name].kernel(*operands[:1], *(n.item() for n in operands[1:]))


SAMPLES += [
    Sample(
        name, (*tensors, *map(np.asarray, numbers)),
        varied=dict.fromkeys(range(len(tensors), len(tensors) + len(numbers)), fixed),
        reference=None if whole is None else _same(whole),
    )
    for name, (tensors, numbers, whole) in _SETTINGS.items()
]  # fmt: skip
