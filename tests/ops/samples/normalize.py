"""Samples of normalisations and of their pullbacks."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import Sample, normal, positive

_EPS = 1e-3


def _statistics(x: Any, axes: Any, keep: bool = True) -> tuple[Any, Any]:
    return x.mean(axes, keepdims=keep), 1 / np.sqrt(x.var(axes, keepdims=keep) + _EPS)


_x = normal(3, 2, 4)
_mean, _invstd = _statistics(_x, (0, 2), keep=False)
_rows = normal(3, 4)
_row_mean, _row_rstd = _statistics(_rows, (1,))
_grouped = normal(2, 4, 3)
_group_mean, _group_rstd = _statistics(_grouped.reshape(2, 2, 6), (2,))

SAMPLES = [
    Sample("native_layer_norm", (_rows, normal(4), normal(4)), (1, _EPS)),
    Sample("native_layer_norm", (normal(2, 3, 4), None, None), (2, _EPS)),
    Sample(
        "native_layer_norm_backward",
        (normal(3, 4), _rows, normal(4), _row_mean, _row_rstd, None),
        (1, _EPS),
        smooth=False,
        batched="first",
    ),
    Sample("native_batch_norm", (_x, normal(2), normal(2), None, None), (True, _EPS)),
    Sample("native_batch_norm", (normal(5, 3), None, None, None, None), (True, _EPS)),
    Sample(
        "native_batch_norm", (_x, normal(2), normal(2), normal(2), positive(2)), (False, _EPS), smooth=False
    ),
    Sample(
        "native_batch_norm_backward",
        (normal(3, 2, 4), _x, normal(2), _mean, _invstd),
        (True, _EPS),
        smooth=False,
        batched="first",
    ),
    Sample(
        "native_batch_norm_backward",
        (normal(3, 2, 4), _x, normal(2), _mean, _invstd),
        (False, _EPS),
        smooth=False,
        batched="first",
    ),
    Sample("native_group_norm", (_grouped, normal(4), normal(4)), (2, _EPS)),
    Sample("native_group_norm", (_grouped, None, None), (4, _EPS)),
    Sample(
        "native_group_norm_backward",
        (normal(2, 4, 3), _grouped, normal(4), _group_mean, _group_rstd),
        (2, _EPS),
        smooth=False,
        batched="first",
    ),
]
