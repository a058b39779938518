"""Exchanges between processes as ops, by which a program holds them.

What these ops must do:

- keep their order, and run as often as they were written down: the others in the group do the same;
- write their result to memory that the program has for it (`into`), where an exchange that goes on while the
  program does something else finds it at its end; mostly that is the memory of the operand, and nothing is
  copied;
- leave what is exchanged, and how, to the group.

An op has the group as its last attribute; `how` is the name of the collective and its number or operation.
"""

from typing import Any

import numpy as np
from numpy import ndarray

from ..core.op import Term, like_first, op
from ..core.process_group import ProcessGroup
from ..core.tracer import traced
from ..core.underivable import not_implemented


def _copy(out: ndarray, x: ndarray) -> None:
    """Copy an array, unless it lies where the copy does."""
    if out is not x and out.ctypes.data != x.ctypes.data:
        np.copyto(out, x)


def exchange_into(out: ndarray, x: ndarray, how: tuple[str, Any], group: ProcessGroup) -> None:
    """Write what an exchange makes of an array."""
    _copy(out, x)
    group.exchange(out, how)


def begin_into(out: ndarray, x: ndarray, how: tuple[str, Any], group: ProcessGroup) -> None:
    """Begin to exchange what an array holds, up to `end_into`."""
    _copy(out, x)
    group.under_way[out.ctypes.data] = group.begin_exchange(out, how)


def end_into(out: ndarray, x: ndarray, group: ProcessGroup) -> None:
    """Write what an exchange has made of an array, once it has ended; one may have been waited for before."""
    if group.under_way and (work := group.under_way.pop(x.ctypes.data, None)) is not None:
        work.wait()
    _copy(out, x)


def _exchange(x: ndarray, /, how: tuple[str, Any], group: ProcessGroup) -> ndarray:
    out = np.empty(x.shape, x.dtype)
    exchange_into(out, x, how, group)
    return out


def _begin(x: ndarray, /, how: tuple[str, Any], group: ProcessGroup) -> ndarray:
    out = np.empty(x.shape, x.dtype)
    begin_into(out, x, how, group)
    return out


def _end(x: ndarray, /, group: ProcessGroup) -> ndarray:
    out = np.empty(x.shape, x.dtype)
    end_into(out, x, group)
    return out


_RULES = (not_implemented("exchange"),)
_exchange_op = op("exchange", _exchange, _RULES, shape=like_first, into=exchange_into)
_begin_op = op("begin_exchange", _begin, _RULES, shape=like_first, into=begin_into)
#: Wait for an exchange; return what it has made.
end_exchange = op("end_exchange", _end, _RULES, shape=like_first, into=end_into)


def exchange(x: Term, how: tuple[str, Any], group: ProcessGroup) -> Term:
    """Return what an exchange makes of a value."""
    return _exchange_op(traced(x), how, group)


def begin_exchange(x: Term, how: tuple[str, Any], group: ProcessGroup) -> Term:
    """Begin an exchange; return a value for `end_exchange`, which alone may read it."""
    return _begin_op(traced(x), how, group)
