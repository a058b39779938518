"""Known ways in which ops give nan and infinities: at which values, and how to mend it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy import ndarray


@dataclass(frozen=True)
class Pattern:
    """A known way in which an op gives nan or infinities.

    Attributes
    ----------
    kind, cause, mend : str
    applies : callable
        ``applies(inputs, out)`` with what is known of the values; None stands for what is not.
    """

    kind: str
    cause: str
    mend: str
    applies: Callable[[list[Any], Any], bool]


def _some(test: Callable[[ndarray], Any]) -> Callable[[list[Any], Any], bool]:
    """Return whether the first input has elements that pass a test."""

    def applies(inputs: list[Any], out: Any) -> bool:
        return bool(inputs) and inputs[0] is not None and bool(np.any(test(np.asarray(inputs[0]))))

    return applies


def _zero_out(inputs: list[Any], out: Any) -> bool:
    return out is not None and bool(np.any(out == 0))


def _infinite_out(inputs: list[Any], out: Any) -> bool:
    return out is not None and bool(np.any(np.isinf(out)))


def _zero_divisor(inputs: list[Any], out: Any) -> bool:
    return len(inputs) > 1 and inputs[1] is not None and bool(np.any(np.asarray(inputs[1]) == 0))


def _both_zero(inputs: list[Any], out: Any) -> bool:
    return all(v is not None for v in inputs) and bool(np.any((inputs[0] == 0) & (inputs[1] == 0)))


def _full_of_minus_infinity(inputs: list[Any], out: Any) -> bool:
    if inputs and inputs[0] is not None and (np.isnan(inputs[0]).any() or not np.isneginf(inputs[0]).any()):
        return False
    return out is not None and bool(np.isnan(out).any())


def _zero_times_infinity(inputs: list[Any], out: Any) -> bool:
    known = [np.asarray(v) for v in inputs if v is not None]
    return len(known) == 2 and any(np.any(np.isinf(v)) for v in known)


SQRT_0 = Pattern(
    "square root at 0", "The square root has an infinite slope at 0.",
    "keep its input away from 0: `torch.sqrt(x + 1e-12)`; for a norm, `torch.linalg.vector_norm`",
    lambda inputs, out: _some(lambda v: v == 0)(inputs, out) or (_unknown(inputs) and _zero_out(inputs, out)),
)  # fmt: skip
OVERFLOW = Pattern(
    "overflow", "The result is larger than the dtype can hold.",
    "shift or clamp the input, use the form that does not overflow (`log_softmax`, `logsumexp`), or a wider "
    "dtype",
    _infinite_out,
)  # fmt: skip

#: What is known of each op, likeliest first.
PATTERNS: dict[str, tuple[Pattern, ...]] = {
    "sqrt": (
        SQRT_0,
        Pattern("square root of a negative number", "The square root of a negative number is NaN.",
                "clamp the input: `x.clamp(min=0)`, and look why it is negative (rounding, a difference of "
                "squares)",
                _some(lambda v: v < 0)),
    ),
    "rsqrt": (
        Pattern("square root at 0", "1/√x is infinite at 0.", "add a small number: `torch.rsqrt(x + 1e-12)`",
                _some(lambda v: v == 0)),
        Pattern("square root of a negative number", "The square root of a negative number is NaN.",
                "clamp the input to what is positive", _some(lambda v: v < 0)),
    ),
    "log": (
        Pattern("log of 0", "The logarithm of 0 is -inf, and its slope there infinite.",
                "use the op that does both in one (`log_softmax`, `binary_cross_entropy_with_logits`, "
                "`xlogy`), or "
                "`torch.log(x + 1e-12)`", _some(lambda v: v == 0)),
        Pattern("log of a negative number", "The logarithm of a negative number is NaN.",
                "clamp the input to what is positive", _some(lambda v: v < 0)),
    ),
    "div": (
        Pattern("division by 0", "The divisor has zeros: x/0 is infinite, 0/0 is NaN.",
                "mend the divisor before the division: `x / torch.where(n == 0, 1, n)`, or `x / (n + 1e-12)`",
                _zero_divisor),
    ),
    "reciprocal": (
        Pattern("division by 0", "1/x is infinite at 0.", "keep the input away from 0",
                _some(lambda v: v == 0)),
    ),
    "exp": (OVERFLOW,),
    "pow_scalar": (
        Pattern("power at 0", "A power with an exponent below 1 has an infinite slope at 0.",
                "keep the base away from 0: `(x + 1e-12) ** p`", _some(lambda v: v == 0)),
        Pattern("power of a negative number", "A power of a negative number whose exponent is no whole "
        "number is NaN.",
                "take the power of `x.abs()`, or clamp the base", _some(lambda v: v < 0)),
        OVERFLOW,
    ),
    "pow": (
        Pattern("power at 0", "The slope of a power at base 0 is infinite, or holds log 0.",
                "keep the base away from 0: `(x + 1e-12) ** p`", _some(lambda v: v == 0)),
        Pattern("power of a negative number", "A power of a negative number whose exponent is no whole "
        "number is NaN.",
                "take the power of `x.abs()`, or clamp the base", _some(lambda v: v < 0)),
        OVERFLOW,
    ),
    "vector_norm": (
        Pattern("norm at 0", "A norm has no derivative at 0.", "add a small number inside: "
                "`(x.square().sum(-1) + 1e-12).sqrt()`", _zero_out),
    ),
    "norm_dims": (
        Pattern("norm at 0", "A norm has no derivative at 0.", "add a small number inside: "
                "`(x.square().sum(-1) + 1e-12).sqrt()`", _zero_out),
    ),
    "std": (
        Pattern("deviation of a constant", "The standard deviation is 0: it is a square root, whose slope is "
                "infinite there.", "use `torch.sqrt(x.var() + 1e-12)`", _zero_out),
        Pattern("deviation of one element", "The deviation of a single element divides by 0.",
                "pass `correction=0`, or give it more than one element",
                lambda inputs, out: out is not None and bool(np.isnan(out).any())),
    ),
    "var": (
        Pattern("deviation of one element", "The variance of a single element divides by 0.",
                "pass `correction=0`, or give it more than one element",
                lambda inputs, out: out is not None and bool(np.isnan(out).any())),
    ),
    "softmax": (
        Pattern("softmax of nothing", "A row of the softmax is -inf throughout: everything in it is masked "
                                      "out.",
                "leave at least one place unmasked, mask with a large finite number, or fill the rows "
                "afterwards *and* keep them out of the softmax", _full_of_minus_infinity),
    ),
    "log_softmax": (
        Pattern("softmax of nothing", "A row of the softmax is -inf throughout: everything in it is masked "
                                      "out.",
                "leave at least one place unmasked, or mask with a large finite number",
                _full_of_minus_infinity),
    ),
    "logsumexp": (
        Pattern("softmax of nothing", "All terms of the logsumexp are -inf.",
                "leave at least one finite term", _full_of_minus_infinity),
    ),
    "acos": (
        Pattern("end of a range", "arccos has an infinite slope at ±1, and is NaN beyond.",
                "clamp the input to (-1 + 1e-6, 1 - 1e-6)", _some(lambda v: np.abs(v) >= 1)),
    ),
    "asin": (
        Pattern("end of a range", "arcsin has an infinite slope at ±1, and is NaN beyond.",
                "clamp the input to (-1 + 1e-6, 1 - 1e-6)", _some(lambda v: np.abs(v) >= 1)),
    ),
    "atanh": (
        Pattern("end of a range", "artanh is infinite at ±1.", "clamp the input to (-1 + 1e-6, 1 - 1e-6)",
                _some(lambda v: np.abs(v) >= 1)),
    ),
    "atan2": (
        Pattern("atan2(0, 0)", "atan2 has no derivative at (0, 0).",
                "keep one argument away from 0", _both_zero),
    ),
    "mul": (
        Pattern("0 · inf", "A product of 0 and an infinity is NaN.",
                "choose with `torch.where` before the infinite op, do not multiply by a mask after it",
                _zero_times_infinity),
        OVERFLOW,
    ),
    "sub": (
        Pattern("inf - inf", "A difference of infinities is NaN.", "look where they came from",
                _some(np.isinf)),
    ),
    "cdist": (
        Pattern("norm at 0", "The distance of equal points has no derivative.",
                "use squared distances, or leave the equal pairs out", _zero_out),
    ),
}  # fmt: skip
for _name, _other in (
    ("log2", "log"), ("log10", "log"), ("div_number", "reciprocal"), ("safe_softmax", "softmax"),
    ("exp2", "exp"), ("expm1", "exp"), ("cosh", "exp"), ("sinh", "exp"), ("dist", "vector_norm"),
    ("mul_number", "exp"), ("mm", "exp"), ("matmul", "exp"), ("sum", "exp"), ("sum_all", "exp"),
    ("add", "exp"), ("cast", "exp"), ("integer_pow", "exp"), ("linear", "exp"), ("prod_all", "exp"),
    ("_euclidean_dist", "cdist"), ("pdist", "cdist"), ("bmm", "exp"),
):  # fmt: skip
    PATTERNS[_name] = PATTERNS[_other]
UNKNOWN = Pattern(
    "not finite", "The op gives a value that is not finite.", "look at the values that go into it", _zero_out
)


def _repeated(inputs: list[Any], out: Any) -> bool:
    """Return whether a symmetric matrix, or the square of another one, has equal eigenvalues."""
    matrix = None if not inputs or inputs[0] is None else np.asarray(inputs[0], dtype=np.float64)
    if matrix is None or matrix.ndim < 2 or not np.isfinite(matrix).all():
        return False
    values = np.linalg.svd(matrix, compute_uv=False)
    return bool((np.abs(np.diff(values, axis=-1)) <= 1e-6 * (1 + np.abs(values[..., :1]))).any())


EQUAL_EIGENVALUES = Pattern(
    "equal eigenvalues", "Two eigenvalues (or singular values) are equal: the slope of their vectors divides "
    "by their difference, 0.",
    "use the values alone (`eigvalsh`, `svdvals`), or add a little noise to the matrix so that they differ",
    _repeated,
)
for _name in ("linalg_eigh", "linalg_eig", "linalg_svd"):
    PATTERNS[_name] = (EQUAL_EIGENVALUES,)


def _unknown(inputs: list[Any]) -> bool:
    return not inputs or inputs[0] is None
