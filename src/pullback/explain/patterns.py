"""List the ways in which ops give nan and infinities: at which values, and how to mend it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy import ndarray

from .answer import kind_of, texts
from .finite import has_nan


@dataclass(frozen=True)
class Pattern:
    """A known way in which an op gives nan or infinities.

    ``applies(inputs, out)`` gets what is known of the values; None stands for what is not.
    """

    kind: str
    cause: str
    mend: str
    applies: Callable[[list[Any], Any], bool]


def _some(
    test: Callable[[ndarray], Any], position: int | None = 0
) -> Callable[[list[Any], Any], bool]:
    """Return whether an input, or the result where `position` is None, has elements that pass a test."""

    def applies(inputs: list[Any], out: Any) -> bool:
        value = out if position is None else inputs[position] if position < len(inputs) else None
        return value is not None and bool(np.any(test(np.asarray(value))))

    return applies


def _full_of_minus_infinity(inputs: list[Any], out: Any) -> bool:
    if inputs and inputs[0] is not None and (np.isnan(inputs[0]).any() or not np.isneginf(inputs[0]).any()):
        return False
    return out is not None and bool(np.isnan(out).any())


def _zero_times_infinity(inputs: list[Any], out: Any) -> bool:
    known = [np.asarray(v) for v in inputs if v is not None]
    return len(known) == 2 and any(np.any(np.isinf(v)) for v in known)


def _repeated(inputs: list[Any], out: Any) -> bool:
    """Return whether a symmetric matrix, or the square of another one, has equal eigenvalues."""
    matrix = None if not inputs or inputs[0] is None else np.asarray(inputs[0], dtype=np.float64)
    if matrix is None or matrix.ndim < 2 or not np.isfinite(matrix).all():
        return False
    values = np.linalg.svd(matrix, compute_uv=False)
    return bool((np.abs(np.diff(values, axis=-1)) <= 1e-6 * (1 + np.abs(values[..., :1]))).any())


def _zero_or_gone(inputs: list[Any], out: Any) -> bool:
    """Return whether an input is 0; where it is not known any more, whether a result is."""
    unknown = not inputs or inputs[0] is None
    return _zero(inputs, out) or (unknown and _zero_out(inputs, out))


_zero, _zero_out = _some(lambda v: v == 0), _some(lambda v: v == 0, None)

#: What shows that a pattern applies, by the name that it has in `answers.toml`.
TESTS: dict[str, Callable[[list[Any], Any], bool]] = {
    "zero": _zero,
    "zero or zero result": _zero_or_gone,
    "negative": _some(lambda v: v < 0),
    "infinite": _some(np.isinf),
    "out of (-1, 1)": _some(lambda v: np.abs(v) >= 1),
    "zero divisor": _some(lambda v: v == 0, 1),
    "both zero": lambda inputs, out: (
        all(v is not None for v in inputs) and bool(np.any((inputs[0] == 0) & (inputs[1] == 0)))
    ),
    "infinite factor": _zero_times_infinity,
    "full of -inf": _full_of_minus_infinity,
    "equal eigenvalues": _repeated,
    "zero result": _zero_out,
    "infinite result": _some(np.isinf, None),
    "NaN result": _some(np.isnan, None),
}
UNKNOWN = Pattern(
    "not finite", "The op gives a value that is not finite.", "look at the values that go into it", _zero_out
)


def unused(name: str, at: str, mend: str) -> tuple[str, str]:
    """Return (cause, mend) where a call, such as `where`, leaves out what is not finite."""
    cause = (
        f"`{name}`{at} leaves it out going forward; going backward the op gets a gradient of 0 there, and 0 "
        "times an infinity or NaN is NaN."
    )
    choose = "choose what goes into the op, not only its result: `op(torch.where(ok, x, 1.0))`"
    return cause, f"{choose}; or {mend}"


@cache
def patterns() -> dict[str, list[Pattern]]:
    """Return what is known of each op, likeliest first, of `answers.toml`."""
    found: dict[str, list[Pattern]] = {}
    for name, text in texts().items():
        for op in text.not_finite:
            found.setdefault(op, []).append(Pattern(kind_of(name), text.cause, text.mend, TESTS[text.when]))
    return found


def applying(op: str, inputs: list[Any], out: Any) -> Iterator[Pattern]:
    """Yield the patterns of an op that its values show, likeliest first."""
    for pattern in patterns().get(op, ()):
        if "negative" in pattern.kind and out is not None and not has_nan(out):
            continue
        if pattern.applies(inputs, out):
            yield pattern
