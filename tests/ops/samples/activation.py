"""Samples of activation functions."""

from __future__ import annotations

import numpy as np

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
