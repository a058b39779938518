"""Samples of reductions, running values and order statistics."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from . import Sample, apart, complex_normal, integers, normal, positive


def _xor(x: Any, dims: tuple[int, ...], keepdim: bool) -> Any:
    return np.bitwise_xor.reduce(x, axis=dims, keepdims=keepdim).astype(np.uint64)


def _zeros_in(*shape: int) -> np.ndarray:
    x = normal(*shape)
    x.reshape(-1)[[0, -1]] = 0
    return x


def _norm(x: Any, ord: Any, dims: Any, keepdim: Any) -> Any:
    return np.sum(np.abs(x) ** ord, axis=dims, keepdims=keepdim) ** (1 / ord)


SAMPLES = [
    Sample("sum_all", (normal(3, 4),), reference=np.sum),
    Sample("sum_all", (normal(),), reference=np.sum),
    Sample("sum_all", (complex_normal(3),), reference=np.sum),
    Sample("mean_all", (normal(3, 4),), reference=np.mean),
    Sample("mean", (normal(3, 4),), ((1,), False), reference=lambda x, d, k: np.mean(x, d, keepdims=k)),
    Sample(
        "mean", (complex_normal(3, 4),), ((0, 1), True), reference=lambda x, d, k: np.mean(x, d, keepdims=k)
    ),
    Sample(
        "nansum",
        (np.array([[1.0, np.nan, 2.0], [np.nan, 4.0, 5.0]]),),
        ((1,), False),
        smooth=False,
        reference=lambda x, d, k: np.nansum(x, d, keepdims=k),
    ),
    Sample("nansum", (normal(2, 3),), ((0,), True)),
    Sample("prod", (normal(3, 4),), (1, False), reference=lambda x, d, k: np.prod(x, d, keepdims=k)),
    Sample("prod", (_zeros_in(2, 3),), (1, True)),
    Sample("prod", (np.array([0.0, 0.0, 2.0, 3.0]),), (0, False)),
    Sample("prod", (complex_normal(2, 3),), (0, True)),
    Sample("prod_all", (_zeros_in(2, 3),), reference=np.prod),
    Sample("prod_all", (normal(),)),
    Sample(
        "var",
        (normal(3, 4),),
        ((1,), 1, False),
        reference=lambda x, d, c, k: np.var(x, d, ddof=c, keepdims=k),
    ),
    Sample(
        "var",
        (normal(3, 4),),
        ((0, 1), 0, True),
        reference=lambda x, d, c, k: np.var(x, d, ddof=c, keepdims=k),
    ),
    Sample("var", (complex_normal(5),), ((0,), 1, False)),
    Sample(
        "std",
        (normal(3, 4),),
        ((1,), 1, False),
        reference=lambda x, d, c, k: np.std(x, d, ddof=c, keepdims=k),
    ),
    Sample("std", (complex_normal(5),), ((0,), 1, True)),
    Sample("var_mean", (normal(3, 4),), ((0,), 1, False)),
    Sample("std_mean", (normal(3, 4),), ((1,), 0, True)),
    *(
        Sample("vector_norm", (normal(3, 4),), (float(p), (1,), False), reference=_norm)
        for p in (1, 2, 3, 1.5)
    ),
    *(Sample("vector_norm", (apart(3, 4),), (p, (0, 1), True)) for p in (math.inf, -math.inf, 0.5)),
    Sample("vector_norm", (complex_normal(3, 4),), (2.0, (1,), True), reference=_norm),
    Sample("vector_norm", (complex_normal(3, 4),), (3.0, (0,), False), reference=_norm),
    Sample("vector_norm", (normal(3),), (0.0, (0,), False), smooth=False),
    Sample("norm_dims", (normal(3, 4),), (2.0, (1,), False), reference=_norm),
    Sample("dist", (normal(3, 4), normal(4)), (2.0,)),
    Sample("dist", (normal(3), normal(3)), (3.0,)),
    Sample(
        "logsumexp",
        (normal(3, 4),),
        ((1,), False),
        reference=lambda x, d, k: special.logsumexp(x, axis=d, keepdims=k),
    ),
    Sample("logsumexp", (complex_normal(3, 4),), ((0, 1), True)),
    Sample(
        "all", (integers(3, 4, high=2),), ((1,), False), reference=lambda x, d, k: np.all(x, d, keepdims=k)
    ),
    Sample(
        "any", (integers(3, 4, high=2),), ((0, 1), True), reference=lambda x, d, k: np.any(x, d, keepdims=k)
    ),
    Sample("count_nonzero", (integers(3, 4, high=2),), ((1,),), reference=np.count_nonzero),
    Sample("hash_tensor", (integers(3, 4, high=9),), ((1,), False), reference=_xor),
    # running values
    Sample("cumsum", (normal(3, 4),), (1, False), reference=lambda x, d, r: np.cumsum(x, d)),
    Sample("cumsum", (complex_normal(3, 4),), (0, True)),
    Sample("cumprod", (normal(3, 4),), (1,), reference=np.cumprod),
    Sample("cumprod", (_zeros_in(5),), (0,)),
    Sample("cumprod", (complex_normal(4),), (0,)),
    Sample("exclusive_cumprod", (_zeros_in(3, 4),), (1, False)),
    Sample("exclusive_cumprod", (complex_normal(4),), (0, True)),
    Sample("shift", (normal(3, 4),), (1, True)),
    Sample("shift", (normal(3, 4),), (0, False)),
    Sample("recurrence", (normal(3, 4), normal(3, 4)), (1, False)),
    Sample("recurrence", (complex_normal(4), complex_normal(4)), (0, True)),
    Sample("logcumsumexp", (normal(3, 4),), (1,), reference=lambda x, d: np.logaddexp.accumulate(x, d)),
    Sample("logcumsumexp", (complex_normal(4),), (0,)),
    Sample("cummax", (apart(3, 4),), (1,)),
    Sample("cummin", (apart(3, 4),), (0,)),
    # extremes and order statistics
    Sample("pick", (normal(3, 4), np.array([[0, 2], [1, 1], [3, 0]])), (1,), reference=np.take_along_axis),
    Sample("place", (normal(3, 2), np.array([[0, 2], [1, 1], [3, 0]])), (1, 4)),
    *(
        Sample(name, (apart(3, 4),), (1, keep))
        for name in ("max", "min", "median", "nanmedian")
        for keep in (True, False)
    ),
    *(Sample(name, (apart(3, 4),), (0, False)) for name in ("argmax", "argmin")),
    *(Sample(name, (apart(3, 4),)) for name in ("max_all", "min_all", "median_all", "nanmedian_all")),
    *(Sample(name, (apart(3, 4),), ((1,), False)) for name in ("amax", "amin", "aminmax")),
    Sample("amax", (apart(2, 3, 2),), ((0, 2), True), reference=lambda x, d, k: np.max(x, d, keepdims=k)),
    Sample("kthvalue", (apart(3, 4),), (2, 1, False)),
    Sample("mode", (integers(3, 6, high=3),), (1, False)),
    Sample("mode", (positive(3, 4),), (0, True)),
]
