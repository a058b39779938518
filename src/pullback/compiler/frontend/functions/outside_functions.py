"""Rules of functions of other packages, found by name: a trace does not import them.

What such a function gives of the numbers of traced tensors, an op of the program gives.
"""

from typing import Any

import numpy as np

from ....array.deferred_import import import_later
from ....core.value import TensorBase
from ....tensor.tensor import Tensor
from ..operations import formatting
from ..state.deferred import Elements
from ..state.session import Session
from .rules import Rule

assignment: Any = import_later("....ops.assignment", __package__)


def rule_of(f: Any) -> Rule | None:
    """Return the rule of a function; None where it has none."""
    return _RULES.get((f.__module__, f.__name__))


def array_of(session: Session, t: Any) -> Elements | None:
    """Return what `Tensor.numpy` gives of a traced tensor; None where it would raise."""
    plain = formatting.is_plain(session, t) and t.dtype.numpy.isbuiltin == 1
    known = plain and not t.is_conj() and not t.is_neg() and not t.requires_grad
    # It shares the memory of the call's tensor, whatever is written to that later.
    return Elements(session, np.ndarray, t, Tensor.numpy) if known else None


def _linear_sum_assignment(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    cost, maximize = (*args, *kwargs.values(), False)[:2]
    if isinstance(cost, TensorBase):
        cost = array_of(session, cost)
    known = isinstance(cost, Elements) and cost.kind is np.ndarray and kwargs.keys() <= {"maximize"}
    if not known or type(maximize) is not bool or len(cost.tensor.shape) != 2 or cost.tensor.is_complex():
        raise session.refusal(f"it passes what is no matrix of the trace to {f.__name__}")
    return tuple(array_of(session, t) for t in assignment.linear_sum_assignment(cost.tensor, maximize))


def _quadrature(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Make the points and weights of a quadrature, which the number of points gives."""
    if len(args) != 1 or kwargs or type(args[0]) is not int:
        raise session.refusal(f"it passes what is no number of points to {f.__name__}")
    return tuple(map(session.made, f(*args)))


_RULES: dict[tuple[str, str], Rule] = {
    ("scipy.optimize._lsap", "linear_sum_assignment"): _linear_sum_assignment,
    ("numpy.polynomial.legendre", "leggauss"): _quadrature,
    ("numpy.polynomial.hermite", "hermgauss"): _quadrature,
    ("numpy.polynomial.hermite_e", "hermegauss"): _quadrature,
    ("numpy.polynomial.laguerre", "laggauss"): _quadrature,
    ("numpy.polynomial.chebyshev", "chebgauss"): _quadrature,
}
