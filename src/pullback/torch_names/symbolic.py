"""torch.SymInt and its kin: numbers of programs that are traced without sizes, of which pullback has none.

Libraries ask whether a number is one.
"""

from typing import Any, NoReturn


class _Symbolic:
    def __new__(cls, *_: Any, **__: Any) -> NoReturn:
        raise NotImplementedError(f"torch.{cls.__name__} has no instances in pullback: sizes are numbers")


class SymInt(_Symbolic):
    """The class of integers that are not known yet."""

    __module__ = "torch"


class SymFloat(_Symbolic):
    """The class of real numbers that are not known yet."""

    __module__ = "torch"


class SymBool(_Symbolic):
    """The class of truths that are not known yet."""

    __module__ = "torch"
