"""Elementwise functions that are an op as it stands: names, in-place twins and what help says of them.

A row says what the result is, as a sentence; the text around it follows from what the op takes.
"""

from __future__ import annotations

from typing import Any

from ..core.op import TABLE
from ..core.value import dtype_of
from ..ops import arithmetic as a
from ..ops import bessel, gamma, special  # noqa: F401  # their ops are declared
from ..ops import comparison as c
from ..ops import elementwise as e
from ..ops import mixture as m
from ..ops import numbers as n
from .api import OUT, public_op
from .operands import TWO, declare, described

_ANY = "Of any dtype."
_NUMBERS = "Not bool."
_FLOATS = "Real or complex; integers and bool are taken as the default dtype."
_REALS = "Real; integers and bool are taken as the default dtype."
_REAL = "Real."
_REAL_NUMBERS = "Real, not bool."
_WHOLE = "Of integers or bool."

_LIKE = "Of the shape and dtype of `input`."
_FLOATING = "Of the shape of `input`, and floating."
_ANSWERS = "Of bool, in the shape of `input`."


def _of_one(summary: str, takes: str, gives: str) -> str:
    return described(summary, f"input : Tensor\n    {takes}", OUT.rstrip(), returns=f"Tensor\n    {gives}")


def _of_two(summary: str, takes: str, gives: str, number: bool) -> str:
    other = "Tensor or number" if number else "Tensor"
    return described(
        summary, f"input : Tensor\n    {takes}",
        f"other : {other}\n    Of a shape that broadcasts with that of `input`.", OUT.rstrip(),
        returns=f"Tensor\n    {gives}",
    )  # fmt: skip


def _no_complex_abs(input: Any) -> Any:
    if dtype_of(input).kind in "cW":
        raise RuntimeError("In-place abs is not supported for complex tensors.")
    return e.abs(input)


# Functions of one value say in their declarations what they return and how they are called.
for _op in TABLE.values():
    _own = [n for n in _op.names if "." not in n]
    if _own:
        _takes = _FLOATS if _op.check is None else _REALS
        public_op(_op.call, _of_one(_op.summary, _takes, _FLOATING), aliases=_own[1:])

for _call, _summary, _takes, _alias in (
    (e.sign, "Return −1, 0 or 1: the sign of each element.", _REAL, ""),
    (e.sgn, "Return the sign of each element; of a complex one its direction x/|x|, and 0 at 0.", _ANY, ""),
    (e.floor, "Return the greatest whole number that is not above each element.", _REAL_NUMBERS, ""),
    (e.ceil, "Return the least whole number that is not below each element.", _REAL_NUMBERS, ""),
    (e.trunc, "Return each element without its fraction: the whole number next to it towards 0.",
     _REAL_NUMBERS, "fix"),
    (e.frac, "Return the fraction x − trunc(x) of each element, of its sign.", "Floating, not complex.", ""),
    (e.relu, "Return the larger of 0 and each element; nan stays.", _REAL_NUMBERS, ""),
    (a.neg, "Return −x of each element.", _NUMBERS, "negative"),
    (c.bitwise_not, "Return each element with every bit turned; of bool the other value.", _WHOLE, ""),
):  # fmt: skip
    public_op(_call, _of_one(_summary, _takes, _LIKE), aliases=(_alias,) if _alias else ())

public_op(
    e.abs, _of_one("Return the size |x| of each element.", _NUMBERS, f"{_LIKE} Real where that is complex."),
    aliases=("absolute",), written=_no_complex_abs,
)
public_op(
    m.angle, _of_one(
        "Return the angle of each element in the complex plane, in radians: 0 or π of a real one.",
        _ANY, "Of the shape of `input`, floating and real.",
    ), inplace=False,
)  # fmt: skip
public_op(c.logical_not, _of_one("Return where the elements are 0.", _ANY, _ANSWERS))
for _call, _summary, _takes in (
    (c.isnan, "Return where the elements are nan; of a complex one either part.", _ANY),
    (c.isfinite, "Return where the elements are neither nan nor infinite.", _ANY),
    (c.isinf, "Return where the elements are ∞ or −∞; of a complex one either part.", _ANY),
    (c.signbit, "Return where the sign is negative, that of −0 and of nan included.", _REAL),
):
    public_op(_call, _of_one(_summary, _takes, _ANSWERS), inplace=False)

_BROADCAST = "Of the common shape and dtype."
_COMPARED = "Of bool, in the common shape."

#: Comparisons: the op, what the in-place twin computes, how it reads, what it takes, its other name.
for _call, _written, _relation, _takes, _alias in (
    (c.lt, c.lt_, "input < other", _REAL, "less"), (c.le, c.le_, "input ≤ other", _REAL, "less_equal"),
    (c.gt, c.gt_, "input > other", _REAL, "greater"), (c.ge, c.ge_, "input ≥ other", _REAL, "greater_equal"),
    (c.ne, c.ne_, "input ≠ other", _ANY, "not_equal"), (c.eq, c.eq_, "input = other", _ANY, ""),
):
    _nan = "True" if _call is c.ne else "False"
    public_op(
        _call, _of_two(f"Return where ``{_relation}``: {_nan} where one is nan.", _takes, _COMPARED, True),
        written=_written, aliases=(_alias,) if _alias else (),
    )  # fmt: skip
for _call, _summary in (
    (c.logical_and, "Return where both elements are other than 0."),
    (c.logical_or, "Return where at least one element is other than 0."),
    (c.logical_xor, "Return where exactly one element is other than 0."),
):
    public_op(_call, _of_two(_summary, _ANY, _COMPARED, False))

public_op(
    a.mul, _of_two("Return the product ``input · other``.", _ANY, _BROADCAST, True), aliases=("multiply",)
)
public_op(
    m.atan2, _of_two(
        "Return the angle in (−π, π] of the point with height `input` and width `other`.", _REALS,
        "Of the common shape, and floating.", False,
    ), aliases=("arctan2",),
)  # fmt: skip
for _call, _summary in (
    (m.maximum, "Return the larger of both elements, and nan where one is nan."),
    (m.minimum, "Return the smaller of both elements, and nan where one is nan."),
    (m.fmax, "Return the larger of both elements, and the other where one is nan."),
    (m.fmin, "Return the smaller of both elements, and the other where one is nan."),
):
    public_op(_call, _of_two(_summary, _REAL, _BROADCAST, False), inplace=False)

for _call, _summary, _takes in (
    (c.bitwise_and, "Return the bits that both elements have.", _WHOLE),
    (c.bitwise_or, "Return the bits that at least one element has.", _WHOLE),
    (c.bitwise_xor, "Return the bits that exactly one element has.", _WHOLE),
    (c.bitwise_left_shift, "Return ``input · 2^other``: the bits moved up.", "Of integers."),
    (c.bitwise_right_shift, "Return ``⌊input / 2^other⌋``: the bits moved down.", "Of integers."),
):
    declare(
        _call.op.name, _call, *TWO, "(Number self, Tensor other)",
        "(Tensor input, Number other, *, Tensor out = None)",
        text=_of_two(_summary, _takes, _BROADCAST, True),
    )  # fmt: skip

_FLOATING_PAIR = "Floating, not complex."
for _call, _summary, _takes in (
    (m.hypot, "Return √(input² + other²), without overflow on the way.", _FLOATING_PAIR),
    (n.nextafter, "Return the number of the dtype that comes next after `input` towards `other`.",
     _FLOATING_PAIR),
    (n.gcd, "Return the greatest common divisor of both elements: 0 of 0 and 0.", "Of integers."),
    (n.lcm, "Return the least common multiple of both elements: 0 where one is 0.", "Of integers."),
    (n.ldexp, "Return ``input · 2^other``.", _FLOATS),
):  # fmt: skip
    declare(_call.op.name, _call, *TWO, text=_of_two(_summary, _takes, _BROADCAST, False))
for _call, _summary, _takes in (
    (m.logaddexp, "Return log(eˣ + eʸ), without overflow on the way.", "Floating or complex."),
    (m.logaddexp2, "Return log₂(2ˣ + 2ʸ), without overflow on the way.", _FLOATING_PAIR),
):
    declare(
        _call.op.name, _call, *TWO, inplace=False, text=_of_two(_summary, _takes, _BROADCAST, False)
    )  # fmt: skip
