"""Mathematical functions of float32 and float64 numbers, in arithmetic that has no branches.

A function takes a `Writer` and `Lanes` of float64 numbers and returns `Lanes`: the result, or the result and
where it does not hold (arguments beyond the reach of the function's reduction, odd special cases); there the
C library's function of float64 stands in, one lane after the other. With ``writer.narrow`` the result need
only be good for rounding to float32.
"""

from ...lower.handlers import MATHEMATICS
from . import circular, errors, exponentials, gammas, hyperbolic, logarithms, powers, single

_WIDE = (exponentials, logarithms, circular, hyperbolic, errors, powers, gammas)

#: The functions by name, and those of float32 numbers in arithmetic of float32.
FUNCTIONS = {name: vars(m)[name] for m in _WIDE for name in MATHEMATICS if name in vars(m)}
SINGLE = {name: vars(single)[name] for name in MATHEMATICS if name in vars(single)}
