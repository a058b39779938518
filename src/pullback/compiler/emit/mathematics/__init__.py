"""Mathematical functions of float32 and float64 numbers, in arithmetic that has no branches.

A function takes a `Writer` and `Lanes` of float64 numbers and returns `Lanes`: the result, or the result and
where it does not hold (arguments beyond the reach of the function's reduction, odd special cases); there the
C library's function of float64 stands in, one lane after the other. With ``writer.narrow`` the result need
only be good for rounding to float32.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import circular, errors, exponentials, gammas, hyperbolic, logarithms, powers

FUNCTIONS: dict[str, Callable[..., Any]] = {
    **exponentials.FUNCTIONS, **logarithms.FUNCTIONS, **circular.FUNCTIONS, **hyperbolic.FUNCTIONS,
    **errors.FUNCTIONS, **powers.FUNCTIONS, **gammas.FUNCTIONS,
}  # fmt: skip
