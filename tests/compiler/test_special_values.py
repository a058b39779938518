"""Native code against eager on special values: every pair of dtypes, zeros of both signs, infinities, NaN,
subnormal numbers and the ends of each dtype.

The cases of a table that eager takes run as one compiled function. What eager computes exactly, comparisons,
extremes, roundings, bits, whole numbers and single operations of floats, must be the same number with the
same sign; functions that are approximated may differ by the roundings of `TOLERANCE`.
"""

from __future__ import annotations

import math
import platform
from collections.abc import Callable, Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import pullback as torch

pytest.importorskip("llvmlite")
from pullback.compiler.lower.filling import Call  # it needs llvmlite

F = torch.nn.functional
Case = Callable[..., Any]

INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
HALVES = (torch.float16, torch.bfloat16)
FLOATS = (*HALVES, torch.float32, torch.float64)
DTYPES = (torch.bool, *INTEGERS, *FLOATS)
#: Largest relative difference of an element that is not exact: units in the last place of a function's value.
TOLERANCE = {torch.float16: 2e-3, torch.bfloat16: 2e-2, torch.float32: 4e-6, torch.float64: 1e-12}
#: Which zero is the larger one, eager leaves to the processor: for those of x86 native code does the same.
X86 = platform.machine().lower() in ("x86_64", "amd64")


def special(dtype: Any) -> Any:
    """The values of a dtype with which something is different."""
    if dtype == torch.bool:
        return torch.tensor([True, False, True, True, False])
    if not dtype.is_floating_point:
        ends = torch.iinfo(dtype)
        values = [0, 1, 2, 3, 5, 7, 100, ends.max, ends.max - 1, ends.min, ends.min + 1]
        return torch.tensor([*values, *([-1, -2, -3, -7] if ends.min else [])], dtype=dtype)
    ends = torch.finfo(dtype)
    least = float(ends.smallest_normal)
    values = [
        0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, -7.0, math.inf, -math.inf, math.nan, ends.max,
        ends.min, least, least / 8, -least / 8, float(ends.eps), 1 + float(ends.eps), 100.3, 0.1,
    ]  # fmt: skip
    return torch.tensor(values, dtype=torch.float64).to(dtype)


def pairs(a: Any, b: Any) -> tuple[Any, Any]:
    """Each special value of one dtype beside each of another."""
    x, y = special(a), special(b)
    shape = (len(x), len(y))
    return x.reshape(-1, 1).expand(shape).contiguous(), y.expand(shape).contiguous()


def differences(
    cases: dict[str, Case], inputs: tuple[Any, ...], loose: frozenset[str] = frozenset()
) -> list[str]:
    """What compiled cases do otherwise than eager, of those that eager takes; `loose` ones are not exact."""
    expected = {}
    with np.errstate(all="ignore"):
        for name, case in cases.items():
            try:
                expected[name] = case(*inputs)
            except (RuntimeError, TypeError, ValueError, NotImplementedError, OverflowError, IndexError):
                continue
        taken = [cases[name] for name in expected]
        compiled = torch.compile(lambda *given: tuple(case(*given) for case in taken), backend="native")
        got = compiled(*inputs)
    assert compiled._native.eager_because is None
    found = []
    for (name, want), have in zip(expected.items(), got, strict=True):
        parts = zip(want, have, strict=True) if isinstance(want, tuple) else [(want, have)]
        for a, b in parts:
            found += [f"{name}: {text}" for text in _different(a, b, name)]
            if name.split()[0] not in loose:
                found += [f"{name}: {text}" for text in _inexact(a, b, name)]
    return found


def _arrays(a: Any, b: Any) -> tuple[np.ndarray, np.ndarray]:
    wide = np.float64 if a.dtype.is_floating_point else None
    return np.asarray(a._value, wide), np.asarray(b._value, wide)


def _different(a: Any, b: Any, name: str) -> Iterator[str]:
    if (a.dtype, a.shape) != (b.dtype, b.shape):
        yield f"{a.dtype}{tuple(a.shape)}, compiled {b.dtype}{tuple(b.shape)}"
        return
    x, y = _arrays(a, b)
    same = (x == y) | ((x != x) & (y != y))
    if a.dtype.is_floating_point:
        with np.errstate(all="ignore"):
            same |= np.abs(x - y) <= TOLERANCE[a.dtype] * np.abs(x)
    if not same.all():
        yield f"{x[~same][:3]}, compiled {y[~same][:3]}"


def _inexact(a: Any, b: Any, name: str) -> Iterator[str]:
    if not a.dtype.is_floating_point or a.shape != b.shape:
        return
    x, y = _arrays(a, b)
    same = (x == y) | ((x != x) & (y != y))
    if X86 or not name.startswith(("maximum", "minimum", "clamp of")):
        same &= (x != 0) | (y != 0) | (np.signbit(x) == np.signbit(y))
    if not same.all():
        yield f"{x[~same][:3]} by their bits, compiled {y[~same][:3]}"


def _in_place(name: str) -> Case:
    return lambda x, *others: getattr(x.clone(), name)(*others)


# --- two operands -------------------------------------------------------------------------------------------

BINARY: dict[str, Case] = {
    name: (lambda x, y, name=name: getattr(torch, name)(x, y))
    for name in (
        "add", "sub", "mul", "div", "rsub", "floor_divide", "remainder", "fmod", "maximum", "minimum", "fmax",
        "fmin", "eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor", "bitwise_and",
        "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift", "copysign", "nextafter",
        "heaviside",
    )
}  # fmt: skip
BINARY |= {
    name: _in_place(name)
    for name in (
        "add_", "sub_", "mul_", "div_", "floor_divide_", "remainder_", "fmod_", "eq_", "ne_", "lt_", "ge_",
        "logical_and_", "logical_or_", "logical_xor_", "bitwise_and_", "bitwise_or_", "bitwise_xor_",
        "copysign_", "copy_",
    )
}  # fmt: skip
BINARY |= {
    "where": lambda x, y: torch.where(x != 0, x, y),
    "where by the second": lambda x, y: torch.where(y > 0, x, y),
    "where by a sum of masks": lambda x, y: torch.where((x > 0) + (y > 0), x, y),
    "where by a product of masks": lambda x, y: torch.where((x > 0) * (y > 0), x, y),
    "sum of masks, counted": lambda x, y: ((x != 0) + (y != 0)).sum(),
    "product of masks, counted": lambda x, y: ((x != 0) * (y != 0)).sum(1),
    "div trunc": lambda x, y: torch.div(x, y, rounding_mode="trunc"),
    "div floor": lambda x, y: torch.div(x, y, rounding_mode="floor"),
    "clamp of min": lambda x, y: torch.clamp(x, min=y),
    "clamp of max": lambda x, y: torch.clamp(x, max=y),
    "clamp of both": lambda x, y: torch.clamp(x, y, y + y),
    "masked_fill": lambda x, y: x.masked_fill(y > 0, x[0, 0]),
    "type_as": lambda x, y: x.type_as(y),
    "type_as and back": lambda x, y: x.type_as(y).type_as(x),
    "cat": lambda x, y: torch.cat([x, y]),
}
#: Of 0 and -0, `fmax` and `fmin` of eager give either; NumPy does not say which.
LOOSE = frozenset({"fmax", "fmin"})


@pytest.mark.parametrize("a", DTYPES, ids=str)
def test_of_two_operands(a: Any) -> None:
    found = []
    for b in DTYPES:
        found += [f"{a}, {b}: {text}" for text in differences(BINARY, pairs(a, b), LOOSE)]
    assert not found


# --- an operand and a number --------------------------------------------------------------------------------

NUMBERS = (
    True, False, 0, 1, -1, 3, 7, 0.5, -0.0, 1.5, -2.5, 0.1, math.inf, -math.inf, math.nan, 127, 128, 255, 300,
    -129, 65504, 1e30, 2**31, 2**40,
)  # fmt: skip


def _with_number(n: Any) -> dict[str, Case]:
    cases: dict[str, Case] = {
        f"{name} {n}": (lambda x, name=name: getattr(torch, name)(x, n))
        for name in (
            "add", "sub", "mul", "div", "rsub", "floor_divide", "remainder", "fmod", "eq", "ne", "lt", "le",
            "gt", "ge", "pow", "bitwise_and", "bitwise_or", "bitwise_xor", "copysign",
        )
    }  # fmt: skip
    cases |= {
        f"{name} {n}": (lambda x, name=name: _in_place(name)(x, n))
        for name in (
            "add_", "sub_", "mul_", "div_", "floor_divide_", "remainder_", "fmod_", "eq_", "lt_",
            "bitwise_and_", "bitwise_or_", "bitwise_xor_", "fill_",
        )
    }  # fmt: skip
    return cases | {
        f"masked_fill {n}": lambda x: x.masked_fill(x > 0, n),
        f"clamp min {n}": lambda x: x.clamp(min=n),
        f"clamp max {n}": lambda x: x.clamp(max=n),
        f"clamp {n} to 5": lambda x: x.clamp(n, 5),
        f"clamp_ -1 to {n}": lambda x: x.clone().clamp_(-1, n),
        f"{n} - x": lambda x: n - x,
        f"{n} / x": lambda x: n / x,
        f"where x or {n}": lambda x: torch.where(x > 0, x, n),
        f"where {n} or x": lambda x: torch.where(x > 0, n, x),
    }


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_of_a_number(dtype: Any) -> None:
    cases: dict[str, Case] = {}
    for n in NUMBERS:
        cases |= _with_number(n)
    assert not differences(cases, (special(dtype),), frozenset({"pow"}))


# --- one operand --------------------------------------------------------------------------------------------

UNARY: dict[str, Case] = {
    name: (lambda x, name=name: getattr(torch, name)(x))
    for name in (
        "neg", "abs", "sign", "sgn", "floor", "ceil", "trunc", "round", "frac", "relu", "isnan", "isinf",
        "isfinite", "signbit", "logical_not", "bitwise_not", "square", "positive", "isposinf", "isneginf",
        "nan_to_num", "reciprocal", "sqrt", "rsqrt", "deg2rad", "rad2deg", "clone", "zeros_like",
    )
}  # fmt: skip
UNARY |= {
    name: (lambda x, name=name: getattr(F, name)(x))
    for name in (
        "relu6", "hardtanh", "hardswish", "hardsigmoid", "hardshrink", "softshrink", "leaky_relu", "softsign"
    )
}
UNARY |= {
    f"threshold {at} {value}": (lambda x, at=at, value=value: F.threshold(x, at, value))
    for at, value in ((1, 2), (0.5, -1), (-0.5, 3.7), (0, 0))
}
UNARY |= {
    f"hardtanh {low} {high}": (lambda x, low=low, high=high: F.hardtanh(x, low, high))
    for low, high in ((0, 3), (0.5, 2.5), (-0.0, 2.0), (-3, -0.0), (-300, 300))
}
UNARY |= {f"to {d}": (lambda x, d=d: x.to(d)) for d in DTYPES}
UNARY |= {f"to {d} and back": (lambda x, d=d: x.to(d).to(x.dtype)) for d in DTYPES}
UNARY |= {f"to {d}, cut": (lambda x, d=d: torch.relu(x.to(d))) for d in DTYPES[1:]}
UNARY |= {f"to {d}, sign": (lambda x, d=d: torch.sign(x.to(d))) for d in DTYPES}
UNARY |= {f"{d} of a mask": (lambda x, d=d: (x != 0).to(d) + x) for d in DTYPES}


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_of_one_operand(dtype: Any) -> None:
    assert not differences(UNARY, (special(dtype),))


# --- functions ----------------------------------------------------------------------------------------------

FUNCTIONS: dict[str, Case] = {
    name: (lambda x, y, name=name: getattr(torch, name)(x))
    for name in (
        "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan",
        "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc", "sigmoid", "rsqrt",
    )
}  # fmt: skip
FUNCTIONS |= {
    name: (lambda x, y, name=name: getattr(F, name)(x))
    for name in ("elu", "silu", "softplus", "logsigmoid", "mish", "selu", "celu", "tanhshrink")
}
FUNCTIONS |= {
    "atan2": torch.atan2, "hypot": torch.hypot, "pow": torch.pow, "xlogy": torch.xlogy,
    "clamp_min of a tensor": torch.clamp_min, "clamp_max of a tensor": torch.clamp_max,
    "clamp_min": lambda x, y: torch.clamp_min(x, 0.5), "clamp_max": lambda x, y: torch.clamp_max(x, -1.5),
    "elu_": lambda x, y: F.elu_(x.clone(), 0.7), "threshold_": lambda x, y: F.threshold_(x.clone(), 0.5, 3),
    "leaky_relu_": lambda x, y: F.leaky_relu_(x.clone(), 0.1),
    "exponent of 2": lambda x, y: 2**x, "exponent of a half": lambda x, y: 0.5**x,
}  # fmt: skip


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_of_functions(dtype: Any) -> None:
    # The largest numbers are left out: what a function makes of the last bit of theirs may be anything.
    x, y = pairs(dtype, dtype)
    kept = (x.abs() < 1e4) | ~torch.isfinite(x)
    kept &= (y.abs() < 1e4) | ~torch.isfinite(y)
    assert not differences(FUNCTIONS, (x[kept], y[kept]), frozenset(name.split()[0] for name in FUNCTIONS))


# --- reductions ---------------------------------------------------------------------------------------------

REDUCTIONS: dict[str, Case] = {}
for _name in (
    "sum", "prod", "any", "all", "amax", "amin", "max", "min", "mean", "argmax", "argmin", "count_nonzero",
    "nansum", "cumsum", "cumprod", "cummax", "cummin",
):  # fmt: skip
    REDUCTIONS[_name] = lambda x, name=_name: getattr(torch, name)(x)
    for _dim in (0, 1):
        REDUCTIONS[f"{_name} {_dim}"] = lambda x, name=_name, dim=_dim: getattr(torch, name)(x, dim=dim)
REDUCTIONS |= {
    "sum of a mask": lambda x: (x > 0).sum(0),
    "sum of a mask in uint8": lambda x: (x > 0).sum(0, dtype=torch.uint8),
    "sum in bool": lambda x: x.sum(0, dtype=torch.bool),
    "prod in bool": lambda x: x.prod(0, dtype=torch.bool),
    "prod of a mask in int8": lambda x: (x > 0).prod(0, dtype=torch.int8),
    "cumsum of a mask": lambda x: (x > 0).cumsum(0),
    "sum of a sum of masks": lambda x: ((x > 0) + (x > 1)).sum(),
    "sum of a product of masks": lambda x: ((x > 0) * (x > 1) + (x < 0)).sum(1),
    "any of a sum of masks": lambda x: ((x > 0) + (x > 1)).any(1),
    "all of a product of masks": lambda x: ((x > 0) * (x >= 0)).all(0),
}


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_of_reductions(dtype: Any) -> None:
    x = special(dtype)
    matrix = torch.stack([x, x.flip(0), x.roll(3, 0)])
    # Of which zero is the largest, and of a sum's last bits, the order decides.
    loose = frozenset({name.split()[0] for name in REDUCTIONS})
    assert not differences(REDUCTIONS, (matrix,), loose)


# --- roundings ----------------------------------------------------------------------------------------------


def _near_halves(half: np.dtype[Any], kind: Any) -> np.ndarray:
    """Numbers at, below and above the middles between neighbours of a half, in a wider dtype."""
    bits = np.arange(0, 1 << 15, 7, dtype=np.uint16)
    with np.errstate(all="ignore"):
        values, following = (b.view(half).astype(kind) for b in (bits, bits + np.uint16(1)))
        middles = (values + (following - values) / kind(2))[np.isfinite(values)]
        below, above = np.nextafter(middles, kind(0)), np.nextafter(middles, kind(np.inf))
    positive = np.concatenate([values[np.isfinite(values)], below, middles, above, [np.inf, np.nan]])
    return np.concatenate([positive, -positive]).astype(kind)


def _numpy(half: Any) -> np.dtype[Any]:
    return np.dtype(np.float16) if half == torch.float16 else np.dtype(ml_dtypes.bfloat16)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("half", HALVES, ids=str)
def test_numbers_are_rounded_to_the_nearest_half(half: Any, kind: Any) -> None:
    x = torch.from_numpy(_near_halves(_numpy(half), kind))

    def written(x: Any) -> tuple[Any, ...]:
        new = torch.zeros(len(x), dtype=half)
        return x.to(half), new.copy_(x), torch.zeros(len(x), dtype=half).add_(x)

    with np.errstate(all="ignore"):
        # As torch does: float64 by way of float32.
        expected = np.asarray(x._value).astype(np.float32).astype(_numpy(half)).view(np.uint16)
        made = (*written(x), *torch.compile(written, backend="native")(x))
    for n, got in enumerate(made):
        same = expected == np.asarray(got._value).view(np.uint16)
        # 0 + -0 is 0.
        assert (same | ((n % 3 == 2) & (np.asarray(got._value) == 0))).all(), n


@pytest.mark.parametrize("half", HALVES, ids=str)
def test_every_half_is_widened(half: Any) -> None:
    bits = np.arange(1 << 16, dtype=np.uint32).astype(np.uint16)
    x = torch.from_numpy(bits.view(np.int16)).view(half)

    def function(x: Any) -> tuple[Any, ...]:
        return x.float(), x.double(), x * 1.5, -x, x.abs()

    with np.errstate(all="ignore"):
        for want, got in zip(function(x), torch.compile(function, backend="native")(x), strict=True):
            a, b = np.asarray(want._value, np.float64), np.asarray(got._value, np.float64)
            nan = np.isnan(np.asarray(x._value, np.float64))
            assert (np.isnan(a) == nan).all()
            assert (np.isnan(b) == nan).all()
            np.testing.assert_array_equal(a[~nan].view(np.int64), b[~nan].view(np.int64))


def _of_three(value: float) -> dict[str, Case]:
    return {
        f"addcmul {value}": lambda x, y, z: torch.addcmul(x, y, z, value=value),
        f"addcmul_ {value}": lambda x, y, z: x.clone().addcmul_(y, z, value=value),
        f"addcdiv {value}": lambda x, y, z: torch.addcdiv(x, y, z, value=value),
        f"add alpha {value}": lambda x, y, z: torch.add(x, y, alpha=value),
        f"sub alpha {value}": lambda x, y, z: torch.sub(x, y, alpha=value),
        f"rsub alpha {value}": lambda x, y, z: torch.rsub(x, y, alpha=value),
        f"lerp {value}": lambda x, y, z: torch.lerp(x, y, value),
        f"leaky_relu {value}": lambda x, y, z: F.leaky_relu(x, value),
        f"a product and a sum {value}": lambda x, y, z: x * value + y * z,
    }


THREE: dict[str, Case] = {
    "lerp of a tensor": lambda x, y, z: torch.lerp(x, y, z),
    "squares": lambda x, y, z: F.mse_loss(x, y, reduction="none"),
    "a chain": lambda x, y, z: x * y + z * x - y / z,
    "hardswish": lambda x, y, z: F.hardswish(x),
    "baddbmm": lambda x, y, z: torch.baddbmm(
        *(t.reshape(16, 8, 8) for t in (x, y, z)), alpha=0.3, beta=1.7
    ),
    "addmm": lambda x, y, z: torch.addmm(x, y, z, alpha=0.3, beta=1.7),
    "addmv": lambda x, y, z: torch.addmv(x[0], y, z[0], alpha=0.3, beta=1.7),
    "addr": lambda x, y, z: torch.addr(x, y[0], z[0], alpha=0.3, beta=1.7),
}
for _value in (1, 2, 0.3, -1.7):
    THREE |= _of_three(_value)


@pytest.mark.parametrize("half", HALVES, ids=str)
def test_an_op_on_halves_rounds_once(half: Any) -> None:
    torch.manual_seed(0)
    x, y, z = (torch.randn(32, 32).mul(3).to(half) for _ in range(3))
    assert not differences(THREE, (x, y, z))


@pytest.mark.skipif(not X86, reason="eager leaves it to the processor")
@pytest.mark.parametrize("size", [7, 3000, 10_000, 1 << 17, 1 << 21])
def test_the_sign_of_a_zero_does_not_depend_on_the_size(size: int) -> None:
    zero = torch.zeros(size).neg()
    for function in (torch.relu, F.relu6, lambda x: x.clamp(min=0), lambda x: x.clamp(-1, 0), F.hardtanh):
        assert torch.signbit(function(zero)).all()


def test_a_whole_number_does_not_pass_through_a_float_unchanged() -> None:
    """float64 has 53 bits, int64 has 63: the cast there and back is no identity."""
    x = torch.tensor([2**53 + 1, -(2**53) - 1, 5])
    compiled = torch.compile(lambda x: x.double().long(), backend="native")
    assert compiled(x).tolist() == x.double().long().tolist() == [2**53, -(2**53), 5]


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_hardtanh_of_whole_numbers(dtype: Any) -> None:
    x = special(dtype)
    compiled = torch.compile(lambda x: F.hardtanh(x, -1.5, 1.5), backend="native")
    if dtype == torch.uint8:
        for function in (F.hardtanh, compiled):
            with pytest.raises(RuntimeError, match="^cannot do hardtanh on an unsigned type with negative"):
                function(x)
    else:
        assert compiled(x).tolist() == [min(max(n, -1), 1) for n in x.tolist()]
    if torch.iinfo(dtype).max < 300:
        with pytest.raises(RuntimeError, match="cannot be converted to type .*int8_t without overflow"):
            F.hardtanh(x, 0, 300)


# --- another processor --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.bool, torch.int8, *FLOATS], ids=str)
def test_on_a_processor_without_conversions_of_halves(dtype: Any, plain_processor: None) -> None:
    if dtype in HALVES:  # nothing else converts them in an operation of two
        assert not differences(BINARY, pairs(dtype, dtype), LOOSE)
    assert not differences(UNARY, (special(dtype),))


@pytest.mark.parametrize("half", HALVES, ids=str)
def test_halves_are_converted_in_whole_numbers(half: Any, plain_processor: None) -> None:
    test_every_half_is_widened(half)
    for kind in (np.float32, np.float64):
        test_numbers_are_rounded_to_the_nearest_half(half, kind)


@pytest.mark.parametrize("source", [torch.float32, torch.float64])
@pytest.mark.parametrize("target", [torch.int32, torch.int64])
def test_whole_parts(source, target):
    numbers = [0.5, -0.5, 1.9, -1.9, 2.0**31, 2.0**31 - 1, -(2.0**31), 2.0**62, 2.0**63, -(2.0**63), 1e30]
    x = torch.tensor([*numbers, -1e30, math.inf, -math.inf, math.nan, 1e-40, 16777217.0] * 3, dtype=source)
    compiled = torch.compile(lambda x: x.to(target) + 0, backend="native")
    assert torch.equal(compiled(x), x.to(target))
    steps = compiled._native.specializations[-1].forward.steps
    assert [step for step in steps if isinstance(step, Call)] == []


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("number", [1.0, 0.1, 3, 1e-30, 7.3e5, 2 * math.pi])
def test_rests_of_floating_numbers(dtype, number):
    special = torch.tensor([0.0, -0.0, 1e-40, -1e-9, 3e38, math.inf, -math.inf, math.nan], dtype=dtype)
    many, exact = torch.randn(300, dtype=dtype) * 1e6, (torch.randn(300, dtype=dtype) * 50).round() * number
    x = torch.cat([special, many, exact, torch.nextafter(exact, exact * 0)])
    compiled = torch.compile(lambda x: torch.remainder(x, number), backend="native")
    expected, found = torch.remainder(x, number), compiled(x)
    assert torch.equal(torch.nan_to_num(expected), torch.nan_to_num(found))
    assert torch.equal(expected.isnan(), found.isnan())
    known = ~expected.isnan()
    assert torch.equal(torch.signbit(expected[known]), torch.signbit(found[known]))
    steps = compiled._native.specializations[-1].forward.steps
    assert [step for step in steps if isinstance(step, Call)] == []
