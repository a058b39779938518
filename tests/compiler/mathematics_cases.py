"""Mathematical functions as compiled loops, their arguments over every exponent, and what they
should give.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.compiler.emit import functions
from pullback.compiler.emit.emitter import TYPES, Module
from pullback.compiler.runtime import engine

NUMPY = {
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh",
    "atanh": "arctanh", "atan2": "arctan2", "pow": "power",
}  # fmt: skip
TWO_OPERANDS = ("pow", "atan2", "hypot", "fmod")
#: Functions whose argument has to be reduced by multiples of pi / 2.
CIRCULAR = ("sin", "cos", "tan")


@functools.cache
def loop(name: str, real: str) -> tuple[Callable[..., np.ndarray], engine.Library]:
    """A function of arrays that computes a mathematical function in a loop, and its library."""
    module = Module()
    dtype = np.dtype(np.float32 if real == "float" else np.float64)
    assert TYPES[dtype] == real
    count = 2 if name in TWO_OPERANDS else 1
    symbol = module.function(name, dtype)
    pointers = ", ".join(f"ptr noalias %p{n}" for n in range(count))
    loads = "\n".join(
        f"  %a{n} = getelementptr {real}, ptr %p{n}, i64 %i\n  %x{n} = load {real}, ptr %a{n}"
        for n in range(count)
    )
    operands = ", ".join(f"{real} %x{n}" for n in range(count))
    lines = [
        *functions.declarations(module),
        (
            f"define void @apply({pointers}, ptr noalias %out, i64 %n) nounwind #0 {{\nentry:\n  br label "
            "%body\nbody:"
        ),
        "  %i = phi i64 [ 0, %entry ], [ %next, %body ]",
        loads,
        f"  %y = call {real} @{symbol}({operands})",
        f"  %b = getelementptr {real}, ptr %out, i64 %i\n  store {real} %y, ptr %b",
        "  %next = add nuw nsw i64 %i, 1\n  %more = icmp slt i64 %next, %n",
        "  br i1 %more, label %body, label %exit\nexit:\n  ret void\n}",
        engine.attributes(),
    ]
    library = engine.Library("\n".join(lines), {}, functions.addresses)
    native = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (count + 1), ctypes.c_int64)(
        library.address("apply")
    )

    def apply(*xs: np.ndarray) -> np.ndarray:
        xs = tuple(np.ascontiguousarray(x, dtype) for x in xs)
        out = np.empty_like(xs[0])
        native(*(x.ctypes.data for x in xs), out.ctypes.data, out.size)
        return out

    return apply, library


def arguments(name: str, dtype: Any, count: int, seed: int = 0) -> tuple[np.ndarray, ...]:
    """Random bit patterns, special values, numbers near zero and near multiples of pi / 2."""
    generator = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    whole = np.uint32 if dtype == np.float32 else np.uint64
    info = np.finfo(dtype)

    def some() -> np.ndarray:
        bits = generator.integers(0, np.iinfo(whole).max, count, dtype=whole, endpoint=True).view(dtype)
        unit = generator.uniform(-2, 2, count).astype(dtype)
        near = generator.uniform(-40, 40, count).astype(dtype)
        far = generator.uniform(-800, 800, count).astype(dtype)
        small = (generator.choice([-1, 1], count) * np.exp2(generator.uniform(-60, 2, count))).astype(dtype)
        ones = (1 + small * np.exp2(generator.uniform(-30, 0, count))).astype(dtype)
        turns = generator.integers(-(2**16), 2**16, count) * (np.pi / 2)
        multiples = turns.astype(dtype)
        special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 2, -2, 0.5, -0.5, 3, -3, info.max, -info.max,
                   info.tiny, -info.tiny, info.smallest_subnormal, -info.smallest_subnormal, 1e5, 1e10,
                   2.0**19]
        special = np.asarray(special, dtype)
        return np.concatenate([bits, unit, near, far, small, ones, multiples, special])

    if name not in TWO_OPERANDS:
        return (some(),)
    x, y = some(), some()
    specials = x[-22:]
    pairs = np.meshgrid(specials, specials)
    close = np.abs(x[: 6 * count])
    with np.errstate(all="ignore"):
        exponents = (generator.uniform(-700, 700, close.size) / np.log(close.astype(np.float64))).astype(
            dtype
        )
    shuffled = generator.permutation(y)
    return (
        np.concatenate([x, close, pairs[0].ravel()]),
        np.concatenate([shuffled, exponents, pairs[1].ravel()]),
    )


def _long_erfc(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """erf and erfc in long double: the series of positive terms, and the continued fraction."""
    size = np.abs(x)
    small = np.minimum(size, np.longdouble(1))
    term = total = small
    for n in range(1, 60):
        term = term * 2 * small * small / (2 * n + 1)
        total = total + term
    one, root = np.longdouble(1), np.sqrt(np.longdouble("3.14159265358979323846264338327950288"))
    erf = 2 / root * np.exp(-small * small) * total
    large = np.clip(size, one, 40)
    fraction = large
    for n in range(500, 0, -1):
        fraction = large + np.longdouble(n) / 2 / fraction
    high = large.astype(np.float32).astype(np.longdouble)
    low = large - high
    erfc = np.exp(-high * high) * np.exp(-low * (2 * high + low)) / root / fraction
    erf, erfc = np.where(size < 1, erf, 1 - erfc), np.where(size < 1, 1 - erf, erfc)
    erfc = np.where(size > 40, 0, erfc)
    nan = np.isnan(x)
    return np.where(nan, x, np.copysign(erf, x)), np.where(nan, x, np.where(x < 0, 1 + erf, erfc))


def expected(name: str, *xs: np.ndarray) -> np.ndarray:
    """The exact values, in wider numbers."""
    wide = np.float64 if xs[0].dtype == np.float32 else np.longdouble
    with np.errstate(all="ignore"):
        given = [x.astype(wide) for x in xs]
        if name in ("erf", "erfc", "lgamma", "tgamma", "digamma"):
            if wide == np.float64:
                import scipy.special

                names = {"lgamma": "gammaln", "tgamma": "gamma"}
                found = getattr(scipy.special, names.get(name, name))(*given)
                # C has the logarithm of the gamma function of minus infinity as infinity, SciPy does not.
                return np.where(np.isneginf(given[0]), np.inf, found) if name == "lgamma" else found
            return _long_erfc(given[0])[name == "erfc"]
        return getattr(np, NUMPY.get(name, name))(*given)


def errors(got: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """How far results are from exact values, in units of the last place of the exact value's rounding."""
    dtype = got.dtype
    with np.errstate(all="ignore"):
        rounded = exact.astype(dtype)
        spacing = np.spacing(np.minimum(np.abs(rounded), np.finfo(dtype).max)).astype(exact.dtype)
        difference = np.abs(got.astype(exact.dtype) - exact) / np.abs(spacing)
        same = (got == rounded) & (np.signbit(got) == np.signbit(rounded)) | (
            np.isnan(got) & np.isnan(rounded)
        )
        same &= ~np.isfinite(rounded) | (rounded == 0)
        # The largest number beside infinity is one apart from it.
        beside = np.isinf(rounded) & (np.abs(got) == np.finfo(dtype).max)
        difference = np.where(beside, 1, difference)
        wrong = ~np.isfinite(difference) | (np.isnan(got) != np.isnan(rounded))
        return np.where(same, 0, np.where(wrong, np.inf, difference)).astype(np.float64)
