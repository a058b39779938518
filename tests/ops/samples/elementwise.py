"""Samples of functions of one value, powers, comparisons and complex parts."""

from __future__ import annotations

import numpy as np

from . import Sample, apart, between, complex_normal, integers, normal, positive

_EVERYWHERE = [
    "exp",
    "exp2",
    "expm1",
    "sin",
    "cos",
    "sinh",
    "cosh",
    "tanh",
    "sigmoid",
    "atan",
    "asinh",
]
_POSITIVE = ["log", "log2", "log10", "log1p", "sqrt", "rsqrt", "reciprocal"]
_REAL = ["erf", "erfc", "lgamma", "digamma"]

SAMPLES = [
    *(Sample(name, (normal(2, 3),)) for name in _EVERYWHERE),
    Sample("tan", (between(2, 3, low=-1.2, high=1.2),)),
    Sample("tan", (complex_normal(2, 3),)),
    *(
        Sample(name, (complex_normal(2, 3),))
        for name in [*_EVERYWHERE, *_POSITIVE]
        if name not in ("log1p", "expm1")
    ),
    *(Sample(name, (positive(2, 3),)) for name in [*_POSITIVE, *_REAL]),
    *(Sample(name, (between(4, low=-0.8, high=0.8),)) for name in ("asin", "acos", "atanh", "erfinv")),
    *(Sample(name, (complex_normal(3),)) for name in ("asin", "acos", "atanh", "acosh")),
    *(Sample(name, (normal(3),)) for name in ("rad2deg", "deg2rad")),
    Sample("acosh", (positive(4, low=1.2, high=3.0),)),
    *(
        Sample(name, (apart(5),))
        for name in ("abs", "sign", "sgn", "floor", "ceil", "trunc", "round", "frac", "relu")
    ),
    Sample("abs", (complex_normal(3),)),
    Sample("polygamma", (positive(3),), (1,)),
    Sample("nan_to_num", (np.array([1.0, np.nan, np.inf, -2.0]),), (0.0, None, None), smooth=False),
    Sample("nan_to_num", (normal(3),), (0.0, None, None)),
    Sample("zeros_of", (normal(3),)),
    Sample("pow", (positive(3), normal(2, 3)), reference=np.power),
    Sample("scalar_pow", (normal(3),), (2.5,), reference=lambda x, b: b**x),
    *(Sample(n, (apart(4), apart(4)[::-1].copy())) for n in ("eq", "ne", "lt", "le", "gt", "ge")),
    Sample("isclose", (normal(3), normal(2, 3)), (0.5, 0.1, True)),
    Sample("isclose", (np.array([1.0, np.nan, np.inf]), np.array([1.0, np.nan, np.inf])), (0.0, 0.1, True)),
    *(Sample(n, (normal(3),)) for n in ("isnan", "isfinite", "isinf", "signbit", "logical_not")),
    *(Sample(n, (integers(4), integers(4))) for n in ("logical_and", "logical_or", "logical_xor")),
    *(Sample(n, (integers(4), integers(4))) for n in ("bitwise_and", "bitwise_or", "bitwise_xor")),
    *(Sample(n, (integers(4), integers(4, high=4))) for n in ("bitwise_left_shift", "bitwise_right_shift")),
    Sample("bitwise_not", (integers(4),)),
    *(
        Sample(f"{n}_{kind}", (np.array([0.3, -0.2, 0.7]), other))
        for n in ("eq", "ne", "lt", "le", "gt", "ge")
        for kind, other in (("number", 0.1), ("tensor", np.array([0.1, 0.4, 0.6])))
    ),
    Sample("integer_pow", (integers(6, low=-2, high=3), integers(6, low=-3, high=3))),
    Sample("where", (normal(3, 4) > 0, normal(3, 4), normal(4)), reference=np.where),
    Sample("real", (complex_normal(3),)),
    Sample("imag", (complex_normal(3),)),
    Sample("as_complex", (normal(3),)),
]
