"""Functions that are given a number of a later time, as functions of a tensor that stands for it.

Most functions read a number as a setting. It would be a part of the program, which then serves one number:
the weight of an average that warms up, the rate of an optimizer written by hand, a diffusion's time, the
first place of a text. Here stands what such functions are in operators, which take a tensor in the number's
place (an average with a warm-up: 20.1 ms a step, nearly all of it traces; 1.3 with one program, torch 2.0 to
3.2). Where that is not known to give the same, nothing is returned, and the number is a part of the program.
"""

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ....array.dtypes import get_default_dtype
from ....core.modes import is_grad_enabled
from ....core.value import TensorBase, dtype_of, shape_of, wrap
from ....ops.comparison import where
from ....tensor.join import stack
from ....tensor.legacy import construct
from ....tensor.tensor import Tensor
from ..state.deferred import Applied, Deferred, GivenArray, comes_before
from ..state.number_inputs import FLOATS, floating, item, of_array, of_program, operand, taken
from ..state.session import Session
from .number_settings import (
    DRAWN,
    SETTINGS,
    drawn,
    holds_later,
    integers,
    is_early,
    is_share,
    is_taken,
    is_zero,
    kind_of,
    setting,
    settings,
)  # fmt: skip

#: What a function gives, as a tensor; None where it is not known.
_Rule = Callable[[Session, Any, tuple[Any, ...], dict[str, Any]], Any]

_SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "lt": "<", "le": "<=", "eq": "==", "ne": "!=", "gt": ">",
    "ge": ">=", "subtract": "-", "multiply": "*", "divide": "/", "true_divide": "/", "fmod": "%",
    "remainder": "%", "floor_divide": "//",
}  # fmt: skip


def result(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return what a function gives of numbers of a later time, or lists of such; None if not known."""
    name = f.__name__
    if f is construct:
        return _of_old_type(session, *args)
    if f is Tensor.__new__ and args[0] is Tensor:
        return _of_old_type(session, args[1:], kwargs, get_default_dtype(), False)
    if len(args) == 1 and (made := of_array(session, name, args, kwargs)) is not None:
        return made
    rule = _RULES.get(name.removesuffix("_"))
    # An op's attributes come by place.
    if rule is not None and (name in _SIGNS or not hasattr(f, "op")):
        return rule(session, f, args, kwargs)
    if name.startswith("_foreach_") and (rule := _RULES.get(name.strip("_").removeprefix("foreach_"))):
        return _each(session, rule, f, args, kwargs)
    return None


def _of_old_type(session: Session, given: Any, kwargs: Any, dtype: Any, exact: bool) -> Any:
    """Return what ``torch.FloatTensor(array)`` gives, and its like."""
    known = len(given) == 1 and isinstance(given[0], GivenArray) and not kwargs
    return of_array(session, "as_tensor", given, {"dtype": dtype}) if known else None


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
    factor = taken(session, value, floating(args))
    if factor is None:
        return None
    first, second, *third = args
    if not third:
        return f(first, second * factor)
    # They save other values than their parts do.
    call = settings.addcmul if f.__name__.startswith("addcmul") else settings.addcdiv
    return _written(f, first, call(first, second, third[0], factor))


def _product(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do ``beta·input + alpha·product``; by a factor of 0 eager does not look at what it multiplies."""
    factors = {"beta": 1, "alpha": 1, **kwargs}
    if len(args) != 3 or len(factors) != 2 or f.__name__.endswith("_"):
        return None
    beta, alpha = (taken(session, factor, floating(args)) for factor in factors.values())
    if beta is None or alpha is None:
        return None
    if any(is_zero(session, factor) for factor in factors.values()):
        return None
    return args[0] * beta + f(args[0].detach(), *args[1:], beta=0) * alpha


def _attention(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Multiply the queries by the scale where all is one op; else it is put together (`composed`)."""
    from ....nn.functional.attention import _is_one_op
    from ....torch_names.backends import cuda

    scale = kwargs.get("scale")
    dtype = floating(args)
    fit = len(args) == 3 and not kwargs.keys() - {"is_causal", "scale"} and not any(map(holds_later, args))
    fit = fit and is_early(scale) and cuda.flash_sdp_enabled()
    if not fit or not _is_one_op(args[0], args[1], args[2], None, False):
        return None
    if is_grad_enabled() and not args[0].requires_grad and any(t.requires_grad for t in args[1:3]):
        # It would not save the queries.
        return None
    number = taken(session, scale, dtype)
    kwargs = {**kwargs, "scale": 1.0}
    return None if number is None else f(settings.scaled(args[0], number), *args[1:], **kwargs)


def _written(f: Any, tensor: Any, value: Any) -> Any:
    """Return what a function gives, written to its first tensor where it works in place."""
    return tensor.copy_(value) if f.__name__.endswith("_") else value


def _lerp(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do ``x + weight·(y − x)`` from the nearer end, of which there are two programs."""
    *ends, weight = (*args, *kwargs.values())
    dtype = floating(ends)
    if len(ends) != 2 or not kwargs.keys() <= {"weight"} or dtype is None:
        return None
    start, end = ends
    if isinstance(weight, Deferred) and not comes_before(weight):
        factor = of_program(weight, dtype)
        rest = of_program(Applied(session, float, operator.sub, (1, weight)), dtype)
        if factor is None:
            return None
        way = end - start
        return _written(f, start, where(factor.abs() < 0.5, start + way * factor, end - way * rest))
    if not is_early(weight):
        return None
    if Applied(session, bool, _is_near, (weight,)).known():
        factor = session.number(weight, dtype)
        return None if factor is None else _written(f, start, start + (end - start) * factor)
    factor = session.number(Applied(session, float, operator.sub, (1, weight)), dtype)
    return None if factor is None else _written(f, start, end - (end - start) * factor)


def _is_near(weight: float) -> bool:
    return abs(weight) < 0.5


def _clamp(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    dtype = floating(args[:1])
    limits = {**dict(zip(("min", "max"), args[1:])), **kwargs}
    if any(limit is not None and is_zero(session, limit) for limit in limits.values()):
        # Of zeros of two signs the element stays, and of a tensor's limits the lesser or the greater does.
        return None
    found = {name: taken(session, value, dtype) for name, value in limits.items() if value is not None}
    if not found.keys() <= {"min", "max"} or any(value is None for value in found.values()):
        return None
    return f(args[0], **found)


def _where(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Choose between a tensor and a number."""
    if kwargs or len(args) != 3 or sum(isinstance(a, Deferred) for a in args) != 1:
        return None
    choices = [taken(session, a, floating([b])) if isinstance(a, Deferred) else a
               for a, b in (args[1:], args[:0:-1])]  # fmt: skip
    return None if any(c is None for c in choices) else f(args[0], *choices)


def _last(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Fill places of a tensor with a number of its dtype."""
    number = None if kwargs else taken(session, args[-1], floating(args[:1]))
    return None if number is None else f(*args[:-1], number)


def _scatter(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Write a number to places of a tensor."""
    *given, value = (*args, *kwargs.values())
    number = taken(session, value, floating(args[:1]))
    if len(given) != 3 or not kwargs.keys() <= {"value"} or number is None:
        return None
    return f(*given, number.expand(shape_of(given[2])))


def _pad(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Put a number where there was no element."""
    given = {**dict(zip(("mode", "value"), args[2:])), **kwargs}
    if len(args) < 2 or given.keys() - {"mode"} != {"value"} or given.pop("mode", "constant") != "constant":
        return None
    number = taken(session, given["value"], floating(args[:1]))
    if number is None or any(map(holds_later, args[:2])):
        return None
    there = f(wrap(np.ones(shape_of(args[0]), bool)), args[1], value=False)
    return where(there, f(*args[:2]), number)


def power(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Raise to a number, or a number to a tensor, where eager has no formula of its own for the number."""
    if kwargs or len(args) != 2 or f.__name__.endswith("_"):
        return None
    base, exponent = args
    if holds_later(exponent) and is_taken(exponent) and (dtype := floating([base])) is not None:
        special = Applied(session, object, _special, (exponent,)).known()
        if special is not None:
            return f(base, special)
        lower = Applied(session, kind_of(exponent), operator.sub, (exponent, 1))
        numbers = [taken(session, n, dtype) for n in (exponent, lower)]
        return None if any(n is None for n in numbers) else settings.power(base, *numbers)
    if is_early(base) and (dtype := floating([exponent])) is not None:
        if not Applied(session, bool, operator.gt, (base, 0)).known():
            return None
        numbers = [taken(session, n, dtype) for n in (base, Applied(session, float, math.log, (base,)))]
        return None if any(n is None for n in numbers) else settings.power_of(exponent, *numbers)
    return None


def _special(exponent: float) -> float | None:
    """Return an exponent of which the power, or that of its slope, has a formula of its own."""
    return exponent if exponent in (-2, -1, -0.5, 0, 0.5, 1, 1.5, 2, 3, 4) else None


def _gumbel(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Divide by a temperature, of which the function asks no more."""
    given = {**dict(zip(("tau", "hard", "eps", "dim"), args[1:])), **kwargs}
    tau = given.pop("tau", None)
    if floating(args[:1]) is None or not is_early(tau) or any(map(holds_later, given.values())):
        return None
    return f(args[0], operand(tau, "/", args[0]), **given)


def _smoothed(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the cross entropy with class indices, of which label smoothing takes a share."""
    from ....nn.functional.classification_loss import _nll, _smooth_part
    from ....tensor.softmax import log_softmax

    given = {"weight": None, "ignore_index": -100, "reduction": "mean", **kwargs}
    given.update(zip(("weight",), args[2:]))
    smoothing = given.pop("label_smoothing", None)
    dtype = floating(args[:1])
    plain = len(args) in (2, 3) and len(given) == 3 and given["reduction"] in ("none", "sum", "mean")
    if not plain or dtype is None or shape_of(args[1]) == shape_of(args[0]):
        return None
    if not is_early(smoothing) or not Applied(session, bool, is_share, (smoothing,)).known():
        return None
    axis = 0 if len(shape_of(args[0])) == 1 else 1
    shares = [
        taken(session, Applied(session, float, *how), dtype)
        for how in ((operator.sub, (1, smoothing)), (operator.truediv, (smoothing, shape_of(args[0])[axis])))
    ]
    if any(share is None for share in shares):
        return None
    logs = log_softmax(args[0], axis)
    options = (logs, args[1], given["weight"], given["reduction"], given["ignore_index"])
    return _nll(*options) * shares[0] + _smooth_part(*options, axis) * shares[1]


def _made(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Make a tensor of a number: of the dtype and the shape that another number of its type gives."""
    place = _VALUES[f.__name__]
    values: dict[Any, Any] = {**dict(enumerate(args)), **kwargs}
    key = place if place in values else "fill_value"
    value: Any = values.get(key)
    if type(value) is list:
        return _listed(session, f, args, kwargs)
    if not holds_later(value) or not is_taken(value) or kwargs.get("requires_grad"):
        return None
    values[key] = kind_of(value)()
    if any(holds_later(v) for v in values.values()):
        return None
    made = f(*(values[n] for n in range(len(args))), **{name: values[name] for name in kwargs})
    number = taken(session, value, _fitting(value, dtype_of(made)))
    return None if number is None else number.expand(shape_of(made)).clone()


def _fitting(value: Deferred, dtype: np.dtype[Any]) -> np.dtype[Any] | None:
    """Return a dtype that holds such numbers; None else."""
    return dtype if dtype in FLOATS or (dtype == np.int64 and kind_of(value) is int) else None


def _listed(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Make a vector of a list of numbers."""
    (values,) = args if len(args) == 1 else (None,)
    if values is None or kwargs or not all(map(is_taken, values)):
        return None
    session.passed(values)
    dtype = dtype_of(f([kind_of(v)() if isinstance(v, Deferred) else v for v in values]))
    parts = [taken(session, v, dtype) for v in values]
    return None if any(part is None for part in parts) else stack(parts)


def _roll(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Select the places of a tensor anew, along one axis after another."""
    given = (*args, *kwargs.values())
    if len(given) != 3 or not kwargs.keys() <= {"dims"}:
        return None
    tensor, *axes = given
    shifts, dims = (axis if type(axis) in (tuple, list) else (axis,) for axis in axes)
    shape = shape_of(tensor)
    fit = len(shifts) == len(dims) and all(type(d) is int and -len(shape) <= d < len(shape) for d in dims)
    if not fit or not all(type(s) is int or is_early(s) for s in shifts):
        return None
    for shift, dim in zip(shifts, dims):
        number = taken(session, Applied(session, int, _first, (shift, shape[dim])), np.dtype(np.int64))
        if number is None or not shape[dim]:
            return None
        tensor = tensor.index_select(dim, (number + wrap(np.arange(shape[dim]))) % shape[dim])
    return tensor


def _first(shift: int, size: int) -> int:
    """Return the place that a shift by `shift` brings to the first one."""
    return -shift % size


def _arange(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Count from a number on, as far as the program says."""
    if kwargs or len(args) != 2 or not all(type(a) is int or is_early(a) for a in args):
        return None
    start, end = args
    length = Applied(session, int, operator.sub, (end, start))
    number = taken(session, start, np.dtype(np.int64))
    if type(length.present()) is not int or length.present() < 0 or number is None:
        return None
    return number + wrap(np.arange(length.known()))


def _part(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return ``x.select(dim, n)`` or ``x.narrow(dim, n, length)`` as a subscript."""
    if kwargs or len(args) != (3 if f.__name__ == "select" else 4) or not is_early(args[2]):
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
    if floating([t for some in lists for t in some]) is None or any(holds_later(some) for some in lists):
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
    "masked_fill": _last, "index_fill": _last, "scatter": _scatter, "pad": _pad, "pow": power,
    "cross_entropy": _smoothed, "roll": _roll, "arange": _arange, "narrow": _part, "select": _part,
    "gumbel_softmax": _gumbel, "scaled_dot_product_attention": _attention,
    **dict.fromkeys(("addmm", "addmv", "addbmm", "baddbmm", "addr"), _product),
    **dict.fromkeys(SETTINGS, setting),
    **dict.fromkeys((name.removesuffix("_") for name in DRAWN), drawn), "randint": integers,
    "random": integers,
}  # fmt: skip
