"""Types of what functions give of numbers that a trace does not know."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .deferred import Applied, Deferred, comes_before
from .guards import SCALARS

#: A `math.pow` gives a float always.
_POWERS = frozenset({operator.pow, operator.ipow, pow})
#: A number of each type.
_SAMPLES: dict[Any, Any] = {bool: True, int: 1, float: 1.0, complex: 1j, np.float64: np.float64(1)}


def is_number_or_text(value: object) -> bool:
    """Return whether a value is a number or text, perhaps of a later time."""
    return isinstance(value, (Deferred, np.float64)) or type(value) in SCALARS


def kind_of(value: Any) -> type:
    """Return what type a value has, or will have."""
    return value.kind if isinstance(value, Deferred) else type(value)


def _kind_of_power(base: Any, exponent: Any) -> type:
    """Return the type of a power, which depends on the numbers: a root of a negative one is complex."""
    if isinstance(exponent, Deferred):
        return float if type(base) in (int, float) and base > 0 and exponent.kind is float else object
    if type(exponent) is not float or base.kind not in (int, float) or comes_before(base):
        return object
    positive = base.session.may_ask() and Applied(base.session, bool, operator.gt, (base, 0)).known()
    return float if positive else object


def kind_of_result(function: Callable[..., Any], args: tuple[Any, ...]) -> type:
    """Return the type of what a function of numbers gives, where that follows from the types of these."""
    if not all(map(is_number_or_text, args)):
        return object
    values = [_SAMPLES.get(kind_of(a)) if isinstance(a, Deferred) else a for a in args]
    if function in _POWERS and (len(args) != 2 or type(args[1]) is not int or args[1] < 0):
        return _kind_of_power(*args) if len(args) == 2 else object
    try:
        found = type(function(*values))
    except Exception:  # noqa: BLE001  # each call will raise it
        return object
    return found if found in _SAMPLES else object
