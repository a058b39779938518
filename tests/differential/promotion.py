"""Every function of two operands, on all pairs of dtypes, ranks and numbers.

``python -m tests.differential.promotion --show 3`` compares pullback with torch live, values included, and
tells for each function what differs. ``--record`` writes what torch gives, dtypes and errors without values,
as ``tests/data/two_operands.json``: what is compared where torch is missing.
"""

from __future__ import annotations

import argparse
import importlib
import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.recorded import save

from .compare import TOLERANCE

DTYPES = (
    "bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64",
    "complex32", "complex64", "complex128",
)  # fmt: skip

#: Of float64 and what it promotes others to, torch's own functions differ by this much.
_EXACT = (0.0, 0.0)


@dataclass(frozen=True)
class Operand:
    """A tensor of a dtype with one axis or none, or a number."""

    name: str
    number: Any = None
    rank: int = 1

    def __str__(self) -> str:
        if self.number is not None:
            return repr(self.number)
        return f"{self.name}{'[3]' if self.rank else '[]'}"

    def make(self, torch: Any, values: tuple[int, ...]) -> Any:
        if self.number is not None:
            return self.number
        return torch.tensor(values if self.rank else values[0]).to(getattr(torch, self.name))


OPERANDS = (
    *(Operand(name) for name in DTYPES),
    *(Operand(name, rank=0) for name in DTYPES),
    *(Operand("number", number) for number in (True, 3, 2.5, 1j)),
)

#: What the first and the second operand hold: numbers that every dtype has, and no zero.
_FIRST, _SECOND = (1, 2, 3), (2, 1, 3)

_FUNCTIONS = [
    "add", "sub", "mul", "div", "true_divide", "floor_divide", "remainder", "fmod", "pow", "float_power",
    "maximum", "minimum", "fmax", "fmin", "atan2", "arctan2", "hypot", "copysign", "nextafter", "logaddexp",
    "logaddexp2", "xlogy", "ldexp", "heaviside", "eq", "ne", "lt", "le", "gt", "ge", "greater", "less",
    "isclose", "logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor",
    "bitwise_left_shift", "bitwise_right_shift", "gcd", "lcm", "rsub", "dist", "clamp_min", "clamp_max",
    "dot", "inner", "outer", "mv", "kron", "cross", "equal", "allclose", "result_type", "special.xlogy",
    "special.xlog1py", "special.zeta", "special.gammainc", "special.gammaincc",
]  # fmt: skip

_METHODS = [
    "add_", "sub_", "mul_", "div_", "floor_divide_", "remainder_", "fmod_", "pow_", "atan2_", "hypot_",
    "copysign_", "xlogy_", "ldexp_", "heaviside_", "eq_", "ne_", "lt_", "ge_", "logical_and_", "logical_or_",
    "logical_xor_", "bitwise_and_", "bitwise_or_", "bitwise_xor_", "__lshift__", "gcd_", "lcm_", "copy_",
    "fill_", "type_as", "clamp_", "float_power_", "nextafter_",
]  # fmt: skip

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b,
    "//": lambda a, b: a // b, "%": lambda a, b: a % b, "**": lambda a, b: a**b, "&": lambda a, b: a & b,
    "|": lambda a, b: a | b, "^": lambda a, b: a ^ b, "<<": lambda a, b: a << b, ">>": lambda a, b: a >> b,
    "==": lambda a, b: a == b, "<": lambda a, b: a < b,
}  # fmt: skip

_OTHERS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "div trunc": lambda torch, a, b: torch.div(a, b, rounding_mode="trunc"),
    "div floor": lambda torch, a, b: torch.div(a, b, rounding_mode="floor"),
    "add alpha": lambda torch, a, b: torch.add(a, b, alpha=2),
    "sub alpha": lambda torch, a, b: torch.sub(a, b, alpha=2),
    "where": lambda torch, a, b: torch.where(torch.tensor([True, False, True]), a, b),
    "clamp min": lambda torch, a, b: torch.clamp(a, min=b),
    "clamp max": lambda torch, a, b: torch.clamp(a, max=b),
    "masked_fill": lambda torch, a, b: a.masked_fill(torch.tensor([True, False, True]), b),
    "lerp": lambda torch, a, b: torch.lerp(a, b, 0.5),
    "addcmul": lambda torch, a, b: torch.addcmul(a, b, b),
    "addcdiv": lambda torch, a, b: torch.addcdiv(a, b, b),
    "cat": lambda torch, a, b: torch.cat([a, b]),
    "stack": lambda torch, a, b: torch.stack([a, b]),
}

#: Each function as ``call(torch, first, second)``.
FUNCTIONS: dict[str, Callable[[Any, Any, Any], Any]] = {
    **{name: (lambda torch, a, b, name=name: _attribute(torch, name)(a, b)) for name in _FUNCTIONS},
    **{f".{name}": (lambda torch, a, b, name=name: getattr(a, name)(b)) for name in _METHODS},
    **{name: (lambda torch, a, b, call=call: call(a, b)) for name, call in _OPERATORS.items()},
    **_OTHERS,
}


def _attribute(torch: Any, name: str) -> Any:
    for part in name.split("."):
        torch = getattr(torch, part)
    return torch


@dataclass(frozen=True)
class Outcome:
    """What a call gave: a dtype (or the type of what is no tensor), values, and an error's class and text."""

    kind: str
    values: Any = None
    error: tuple[str, str] | None = None


def outcome(name: str, a: Operand, b: Operand, torch: Any) -> Outcome | None:
    """What a function gives under a module; None where neither operand is a tensor."""
    x, y = a.make(torch, _FIRST), b.make(torch, _SECOND)
    if a.number is not None and (b.number is not None or name.startswith(".")):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = FUNCTIONS[name](torch, x, y)
    except Exception as error:  # noqa: BLE001  # any error is an outcome
        return Outcome("", error=(type(error).__name__, str(error)))
    if isinstance(found, torch.Tensor):
        return Outcome(str(found.dtype), found.tolist())
    return Outcome(type(found).__name__, str(found))


def pairs(name: str) -> Iterator[tuple[Operand, Operand]]:
    """The operands that a function is tried with."""
    for a in OPERANDS:
        for b in OPERANDS:
            if a.number is None or (b.number is None and not name.startswith(".")):
                yield a, b


def same_values(a: Any, b: Any, dtype: str) -> bool:
    """Whether values of a dtype are equal within the tolerance that it has in every comparison here."""
    if isinstance(a, list) or isinstance(b, list):
        alike = isinstance(a, list) and isinstance(b, list) and len(a) == len(b)
        return alike and all(same_values(x, y, dtype) for x, y in zip(a, b))
    if isinstance(a, complex) and isinstance(b, complex):
        return same_values(a.real, b.real, dtype) and same_values(a.imag, b.imag, dtype)
    if a == b or (a != a and b != b):
        return True
    relative, absolute = TOLERANCE.get(dtype, _EXACT)
    return (
        isinstance(a, float) and isinstance(b, float) and math.isfinite(a) and math.isfinite(b)
        and abs(a - b) <= absolute + relative * abs(a)
    )  # fmt: skip


def difference(expected: Outcome, found: Outcome) -> str | None:
    """``"kind"``, ``"values"``, ``"text"`` (of an error) or None."""
    if (expected.error is None) != (found.error is None) or expected.kind != found.kind:
        return "kind"
    if expected.error is not None:
        return None if expected.error == found.error else "text"
    return None if same_values(expected.values, found.values, expected.kind) else "values"


# --- what torch gave ----------------------------------------------------------------------------------------


def recorded_text(found: Outcome) -> str:
    """An outcome without its values, as one line."""
    return found.kind.removeprefix("torch.") if found.error is None else ": ".join(found.error)


def record(torch: Any) -> dict[str, Any]:
    """What torch gives, as data: texts once, and for each function and first operand the texts' numbers."""
    texts: dict[str, int] = {}
    rows: dict[str, list[str]] = {}
    for name in FUNCTIONS:
        lines: dict[str, list[str]] = {}
        for a, b in pairs(name):
            found = outcome(name, a, b, torch)
            assert found is not None
            number = texts.setdefault(recorded_text(found), len(texts))
            lines.setdefault(str(a), []).append(str(number))
        rows[name] = [" ".join(numbers) for numbers in lines.values()]
    return {"torch": torch.__version__, "texts": list(texts), "functions": rows}


def compared_with_record(torch: Any, data: dict[str, Any]) -> tuple[int, list[str], list[str]]:
    """How many pairs were compared, which differ in a dtype or in whether they raise, and which in a text."""
    count, wrong, worded = 0, [], []
    for name, rows in data["functions"].items():
        texts = iter([data["texts"][int(number)] for row in rows for number in row.split()])
        for a, b in pairs(name):
            expected, found = next(texts), outcome(name, a, b, torch)
            assert found is not None
            count += 1
            have = recorded_text(found)
            if have != expected:
                raised = ": " in expected
                (worded if raised and found.error is not None else wrong).append(
                    f"{name} of {a} and {b}: {expected!r}, here {have!r}"
                )
    return count, wrong, worded


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.differential.promotion", description=__doc__)
    parser.add_argument("--show", type=int, default=2, help="examples of each function and kind")
    parser.add_argument("--record", action="store_true", help="write what torch gives, and compare nothing")
    parser.add_argument("--function", help="only this one")
    options = parser.parse_args()
    torch = importlib.import_module("torch")
    if options.record:
        save("two_operands", record(torch))
        return
    tested = importlib.import_module("pullback")
    total, errors, wrong, worded = 0, 0, 0, 0
    for name in [options.function] if options.function else FUNCTIONS:
        kinds: dict[str, list[str]] = {}
        for a, b in pairs(name):
            expected, found = outcome(name, a, b, torch), outcome(name, a, b, tested)
            assert expected is not None
            assert found is not None
            total += 1
            errors += expected.error is not None
            kind = difference(expected, found)
            if kind is not None:
                wrong, worded = wrong + (kind != "text"), worded + (kind == "text")
                kinds.setdefault(kind, []).append(f"{a}, {b}: {expected}, here {found}")
        for kind, found_here in kinds.items():
            print(f"{name}: {kind} {len(found_here)}")
            for text in found_here[: options.show]:
                print(f"    {text}"[:300])
    share = 100 - 100 * wrong / total
    print(f"{total} pairs: {share:.2f} % equal; of {errors} errors {worded} worded otherwise")


if __name__ == "__main__":
    main()
