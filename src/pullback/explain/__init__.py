"""Explain what `backward` does with the program's own names, lines and numbers.

``pullback.explain(y, v)`` explains the call ``y.backward(v)`` without making it; `record` explains the calls
made within a block. Nothing here changes the run that is explained.
"""

import sys
from types import ModuleType
from typing import Any

from ..tensor.backward import backward_call
from .answer import Answer
from .build import Builder
from .explanation import Explanation
from .missing import why_none
from .nonfinite import why_nan
from .raised import why_error
from .record import record, watch
from .site import Site
from .vanished import why_zero


def explain(y: Any, gradient: Any = None, inputs: Any = None) -> Explanation:
    """Explain what ``y.backward(gradient, inputs=inputs)`` would do, without doing it.

    Parameters
    ----------
    y : tensor or sequence of tensors
        Outputs.
    gradient : tensor or sequence of (tensor or None), optional
        Covectors v, one per output and of its shape; may be left out where the output has one element.
    inputs : tensor or sequence of tensors, optional
        Explain the gradients of these only; by default of every leaf.

    Returns
    -------
    Explanation
        For each leaf x the Jacobian ``J = ∂y/∂x``, ``vᵀ·J``, what each element of v contributes, and the path
        that the covector takes.

    Raises
    ------
    RuntimeError
        Where ``y.backward(gradient)`` would: torch's error.
    """
    return Builder(backward_call(y, gradient, inputs), Site.of("explain", sys._getframe(1))).build()


class CallableModule(ModuleType):
    """A module that can be called; its functions are named once more for type checkers."""

    record = staticmethod(record)
    watch = staticmethod(watch)
    why_error = staticmethod(why_error)
    why_nan = staticmethod(why_nan)
    why_none = staticmethod(why_none)
    why_zero = staticmethod(why_zero)

    def __call__(self, y: Any, gradient: Any = None, inputs: Any = None) -> Explanation:
        return explain(y, gradient, inputs)


sys.modules[__name__].__class__ = CallableModule

__all__ = [
    "Answer", "Explanation", "explain", "record", "watch", "why_error", "why_nan", "why_none", "why_zero",
]  # fmt: skip
