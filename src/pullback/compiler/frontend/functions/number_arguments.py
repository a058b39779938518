"""Functions that are given a number of a later time, as functions of a tensor that stands for it.

Most functions read a number as a setting. It would be a part of the program, which then serves one number:
the weight of an average that warms up, the rate of an optimizer written by hand, a diffusion's time, the
first place of a text. Here stands what such functions are in operators, which take a tensor in the number's
place (an average with a warm-up: 20.1 ms a step, nearly all of it traces; 1.3 with one program, torch 2.0 to
3.2). Where that is not known to give the same, nothing is returned, and the number is a part of the program.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ....core.modes import is_grad_enabled
from ....core.value import TensorBase, dtype_of, shape_of, wrap
from ....tensor.join import stack
from ....tensor.tensor import Tensor
from ..state.deferred import Applied, Deferred, comes_before
from ..state.number_inputs import FLOATS, item, of_array, operand
from ..state.session import Session

#: What a function gives, as a tensor; None where it is not known.
_Rule = Callable[[Session, Any, tuple[Any, ...], dict[str, Any]], Any]

_SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "lt": "<", "le": "<=", "eq": "==", "ne": "!=", "gt": ">",
    "ge": ">=", "subtract": "-", "multiply": "*", "divide": "/", "true_divide": "/",
}  # fmt: skip


def result(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return what a function of this package gives, some of whose arguments are numbers of a later time, or
    lists that hold such; None where that is not known.
    """
    name = f.__name__
    if len(args) == 1 and not kwargs and (made := of_array(session, name, args)) is not None:
        return made
    rule = _RULES.get(name.removesuffix("_"))
    if rule is not None:
        return rule(session, f, args, kwargs)
    if name.startswith("_foreach_") and (rule := _RULES.get(name.strip("_").removeprefix("foreach_"))):
        return _each(session, rule, f, args, kwargs)
    return None


def _is_early(value: Any) -> bool:
    return isinstance(value, Deferred) and comes_before(value) and type(value.present()) in (int, float)


def _floating(values: Sequence[Any]) -> np.dtype[Any] | None:
    """Return the dtype of tensors that have one in which numbers are what they are; None else."""
    if not values or not all(isinstance(v, TensorBase) for v in values):
        return None
    dtype = dtype_of(values[0])
    return dtype if dtype in FLOATS and all(dtype_of(v) == dtype for v in values) else None


def _taken(session: Session, value: Any, dtype: np.dtype[Any] | None) -> Any:
    """Return a number as a tensor of a dtype, also where it is known; None where it cannot be one."""
    if dtype is None:
        return None
    if _is_early(value):
        return session.number(value, dtype)
    return wrap(np.array(value, dtype)) if type(value) in (int, float) else None


def _operator(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do an operator, in place or not, or a sum with a factor."""
    if kwargs:
        return _scaled(session, f, args, kwargs)
    if len(args) != 2 or not isinstance(args[0], TensorBase):
        return None
    return f(args[0], operand(args[1], _SIGNS[f.__name__.removesuffix("_")], args[0]))


def _scaled(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do ``x ± alpha·y``, ``x + value·y·z`` or ``x + value·y/z``, in the order of their kernels."""
    if len(kwargs) != 1 or not kwargs.keys() <= {"alpha", "value"} or len(args) not in (2, 3):
        return None
    (value,) = kwargs.values()
    factor = _taken(session, value, _floating(args))
    if factor is None:
        return None
    first, second, *third = args
    if not third:
        return f(first, second * factor)
    if is_grad_enabled() and any(t.requires_grad for t in args):
        # They save other values than their parts do.
        return None
    term = second * factor
    term = term * third[0] if f.__name__.startswith("addcmul") else term / third[0]
    return _written(f, first, first + term)


def _written(f: Any, tensor: Any, value: Any) -> Any:
    """Return what a function gives, written to its first tensor where it works in place."""
    return tensor.copy_(value) if f.__name__.endswith("_") else value


def _lerp(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do ``x + weight·(y − x)`` from the nearer end, of which there are two programs."""
    *ends, weight = (*args, *kwargs.values())
    dtype = _floating(ends)
    if len(ends) != 2 or not kwargs.keys() <= {"weight"} or dtype is None or not _is_early(weight):
        return None
    start, end = ends
    if Applied(session, bool, _is_near, (weight,)).known():
        factor = session.number(weight, dtype)
        return None if factor is None else _written(f, start, start + (end - start) * factor)
    factor = session.number(Applied(session, float, operator.sub, (1, weight)), dtype)
    return None if factor is None else _written(f, start, end - (end - start) * factor)


def _is_near(weight: float) -> bool:
    return abs(weight) < 0.5


def _clamp(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    dtype = _floating(args[:1])
    limits = {**dict(zip(("min", "max"), args[1:])), **kwargs}
    found = {name: _taken(session, value, dtype) for name, value in limits.items() if value is not None}
    if not found.keys() <= {"min", "max"} or any(value is None for value in found.values()):
        return None
    return f(args[0], **found)


def _where(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Choose between a tensor and a number."""
    if kwargs or len(args) != 3 or sum(isinstance(a, Deferred) for a in args) != 1:
        return None
    choices = [_taken(session, a, _floating([b])) if isinstance(a, Deferred) else a
               for a, b in (args[1:], args[:0:-1])]  # fmt: skip
    return None if any(c is None for c in choices) else f(args[0], *choices)


def _last(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Fill places of a tensor with a number of its dtype."""
    number = None if kwargs else _taken(session, args[-1], _floating(args[:1]))
    return None if number is None else f(*args[:-1], number)


def _made(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Make a tensor of a number: of the dtype and the shape that another number of its type gives."""
    place = _VALUES[f.__name__]
    values: dict[Any, Any] = {**dict(enumerate(args)), **kwargs}
    key = place if place in values else "fill_value"
    value: Any = values.get(key)
    if type(value) is list:
        return _listed(session, f, args, kwargs)
    if not _is_early(value) or kwargs.get("requires_grad"):
        return None
    values[key] = type(value.present())()
    if any(holds_later(v) for v in values.values()):
        return None
    made = f(*(values[n] for n in range(len(args))), **{name: values[name] for name in kwargs})
    number = _taken(session, value, _fitting(value, dtype_of(made)))
    return None if number is None else number.expand(shape_of(made)).clone()


def holds_later(value: Any) -> bool:
    """Return whether an argument is a number of a later time, or a list with one."""
    return isinstance(value, Deferred) or (type(value) in (list, tuple) and any(map(holds_later, value)))


def _fitting(value: Deferred, dtype: np.dtype[Any]) -> np.dtype[Any] | None:
    """Return a dtype that holds such numbers; None else."""
    return dtype if dtype in FLOATS or (dtype == np.int64 and type(value.present()) is int) else None


def _listed(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Make a vector of a list of numbers."""
    (values,) = args if len(args) == 1 else (None,)
    if values is None or kwargs or not all(type(v) in (int, float) or _is_early(v) for v in values):
        return None
    session.passed(values)
    dtype = dtype_of(f([type(v.present())() if isinstance(v, Deferred) else v for v in values]))
    parts = [_taken(session, v, dtype) for v in values]
    return None if any(part is None for part in parts) else stack(parts)


def _roll(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Select the places of a tensor anew, along one axis after another."""
    given = (*args, *kwargs.values())
    if len(given) != 3 or not kwargs.keys() <= {"dims"}:
        return None
    tensor, *axes = given
    shifts, dims = (axis if type(axis) in (tuple, list) else (axis,) for axis in axes)
    shape = shape_of(tensor)
    fit = len(shifts) == len(dims) and all(type(d) is int and -len(shape) <= d < len(shape) for d in dims)
    if not fit or not all(type(s) is int or _is_early(s) for s in shifts):
        return None
    for shift, dim in zip(shifts, dims):
        number = _taken(session, Applied(session, int, _first, (shift, shape[dim])), np.dtype(np.int64))
        if number is None or not shape[dim]:
            return None
        tensor = tensor.index_select(dim, (number + wrap(np.arange(shape[dim]))) % shape[dim])
    return tensor


def _first(shift: int, size: int) -> int:
    """Return the place that a shift by `shift` brings to the first one."""
    return -shift % size


def _arange(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Count from a number on, as far as the program says."""
    if kwargs or len(args) != 2 or not all(type(a) is int or _is_early(a) for a in args):
        return None
    start, end = args
    length = Applied(session, int, operator.sub, (end, start))
    number = _taken(session, start, np.dtype(np.int64))
    if type(length.present()) is not int or length.present() < 0 or number is None:
        return None
    return number + wrap(np.arange(length.known()))


def _part(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return ``x.select(dim, n)`` or ``x.narrow(dim, n, length)`` as a subscript."""
    if kwargs or len(args) != (3 if f.__name__ == "select" else 4) or not _is_early(args[2]):
        return None
    tensor, dim, start, *length = args
    axes = len(shape_of(tensor))
    if type(dim) is not int or not -axes <= dim < axes:
        return None
    place: Any = start
    if length:
        inside = type(length[0]) is int and 0 <= length[0] <= shape_of(tensor)[dim] - start.present()
        if not inside or not Applied(session, bool, operator.ge, (start, 0)).known():
            return None
        place = slice(start, Applied(session, int, operator.add, (start, length[0])))
    return item(session, tensor, (*(slice(None),) * (dim % axes), place))


def _each(session: Session, rule: _Rule, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do a function of lists: of floating tensors of one dtype, so that all of them are done or none."""
    lists = [a for a in args if type(a) in (list, tuple)]
    count = len(lists[0]) if lists else 0
    if not count or any(len(some) != count for some in lists) or lists[0] is not args[0]:
        return None
    if _floating([t for some in lists for t in some]) is None or any(holds_later(some) for some in lists):
        return None
    for some in lists:
        session.passed(some)
    one = getattr(Tensor, f.__name__.removeprefix("_foreach_"))
    found = [
        rule(session, one, tuple(a[n] if type(a) in (list, tuple) else a for a in args), kwargs)
        for n in range(count)
    ]
    if any(result is None for result in found):
        return None
    return args[0] if f.__name__.endswith("_") else tuple(found)


#: Where functions that make a tensor take its value.
_VALUES = {
    "full": 1, "full_like": 1, "new_full": 2, "new_tensor": 1, "tensor": 0, "as_tensor": 0,
    "scalar_tensor": 0,
}  # fmt: skip
_RULES: dict[str, _Rule] = {
    **dict.fromkeys(_SIGNS, _operator), **dict.fromkeys(_VALUES, _made), "addcmul": _scaled,
    "addcdiv": _scaled, "lerp": _lerp, "clamp": _clamp, "clip": _clamp, "where": _where, "fill": _last,
    "masked_fill": _last, "roll": _roll, "arange": _arange, "narrow": _part, "select": _part,
}  # fmt: skip
