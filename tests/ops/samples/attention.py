"""Samples of attention as one op."""

from __future__ import annotations

import numpy as np

from pullback.ops.attention import attention

from . import Sample, normal

_HIDDEN = np.array([[True, False, True], [True, True, True]])
_PARTS = (normal(1, 2, 2, 3), normal(1, 2, 3, 3), normal(1, 2, 3, 3))
_GROUPED = (normal(1, 2, 2, 3), normal(1, 1, 3, 3), normal(1, 1, 3, 3))
_FIRST = {"second": False, "forward": False}
_PULLED = (normal(1, 2, 2, 3), *_PARTS, _HIDDEN, *attention(*_PARTS, _HIDDEN, 0.0, False, 0.7))

SAMPLES = [  # torch has neither second nor forward derivatives
    Sample("scaled_dot_product_attention", (*_PARTS, None), (0.0, False, None), **_FIRST),
    Sample("scaled_dot_product_attention", (*_PARTS, None), (0.0, True, 0.7), **_FIRST),
    Sample("scaled_dot_product_attention", (*_PARTS, _HIDDEN), (0.0, False, None), **_FIRST),
    Sample("scaled_dot_product_attention", (*_GROUPED, normal(2, 3)), (0.0, False, None), **_FIRST),
    Sample("scaled_dot_product_attention_pull", _PULLED, (False, 0.7), smooth=False),
]
