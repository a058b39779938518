"""Functions of numbers, Python's and NumPy's, as an op, bit for bit: `x.item() ** 0.5` may meet tensors."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from ..core.op import op

#: Functions of `math` of one number that no tensor's function gives bit for bit.
_OF_ONE = "exp exp2 expm1 log log2 log10 log1p sin cos tan tanh sinh cosh atan asin acos"
#: Functions of NumPy's of one number or two that are no operators.
_OF_NUMPY = (
    *(np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10, np.log1p, np.sqrt, np.square, np.abs),
    *(np.sin, np.cos, np.tan, np.sinh, np.cosh, np.tanh, np.arcsin, np.arccos, np.arctan),
    *(np.power, np.minimum, np.maximum, np.floor, np.ceil),
)


def _of_first(function: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda x, y: function(x)


FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "pow": lambda x, y: x**y,
    "mod": lambda x, y: x % y,
    "round": lambda x, y: round(x, int(y)),
    **{name: _of_first(getattr(math, name)) for name in _OF_ONE.split() if hasattr(math, name)},
}
#: The names of functions of NumPy's.
UFUNCS = {ufunc: f"numpy.{ufunc.__name__}" for ufunc in _OF_NUMPY}
FUNCTIONS |= {name: ufunc if ufunc.nin == 2 else _of_first(ufunc) for ufunc, name in UFUNCS.items()}


def _applied(x: ndarray, y: ndarray, /, name: str) -> ndarray:
    try:
        found = FUNCTIONS[name](x.item(), y.item())
    except (ArithmeticError, ValueError):
        # What raises is worked out as a number, too, before the call changes anything.
        found = math.nan
    return np.array(math.nan if isinstance(found, complex) else found, np.float64)


#: A function of one number or two, each in a tensor of float64 without axes; nan where there is no real one.
number_function: Any = op("number_function", _applied)
