"""Functions with settings, and draws, of which a number of a later time is an operand.

The ops of which it is one are those of `ops.settings`; a number that such an op does not serve is a part of
the program.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ....array.deferred_import import import_later
from ....array.dtypes import int64
from ....core.size import Size
from ....core.value import dtype_of, shape_of
from ....tensor.creation import empty
from ....tensor.random import _of
from ....tensor.random_in_place import _fill
from ....tensor.tensor import Tensor
from ..state.deferred import Applied, Deferred, comes_before
from ..state.number_inputs import floating, of_program, taken
from ..state.session import Session

#: Ops of settings that differ from call to call, which are declared in 1 ms, once something has such.
settings: Any = import_later("....ops.settings", __package__)


def is_early(value: object) -> bool:
    """Return whether a value is a number that is known before the program runs."""
    return isinstance(value, Deferred) and comes_before(value) and type(value.present()) in (int, float)


def is_taken(value: object) -> bool:
    """Return whether `taken` makes a tensor of a number: one known before the program, or of its tensors."""
    if not isinstance(value, Deferred) or comes_before(value):
        return type(value) in (int, float) or is_early(value)
    return value.kind is float and of_program(value, np.dtype(np.float64)) is not None


def kind_of(value: Deferred) -> type:
    """Return the type of a number of a later time."""
    return type(value.present()) if comes_before(value) else value.kind


def is_zero(session: Session, number: object) -> bool:
    """Return whether a number is 0; the program is for those that are, or for those that are not."""
    return not Applied(session, bool, bool, (number,)).known()


def holds_later(value: Any) -> bool:
    """Return whether an argument is a number of a later time, or a list with one."""
    return isinstance(value, Deferred) or (type(value) in (list, tuple) and any(map(holds_later, value)))


def setting(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do the op of which the settings of a function are operands."""
    if f.__name__ not in SETTINGS:
        return None
    tensors, parameters, fits = SETTINGS[f.__name__]
    reduction = {**parameters, **dict(zip(parameters, args[tensors:])), **kwargs}.get("reduction", "none")
    alike = len(args) >= tensors and len({shape_of(t) for t in args[:tensors]}) == 1
    if not alike or reduction not in ("none", "sum", "mean"):
        return None
    operands = _operands(session, args, kwargs, tensors, parameters, fits, floating(args[:tensors]))
    if operands is None:
        return None
    each = getattr(settings, f.__name__)(*args[:tensors], *operands)
    return each if reduction == "none" else getattr(each, reduction)()


def _operands(
    session: Session, args: tuple[Any, ...], kwargs: dict[str, Any], tensors: int, parameters: dict[str, Any],
    fits: Callable[..., bool], dtype: np.dtype[Any] | None,
) -> list[Any] | None:  # fmt: skip
    """Return as tensors the numbers behind a function's tensors; None where it is given anything else."""
    given = {**parameters, **dict(zip(parameters, args[tensors:])), **kwargs}
    numbers = [given.pop(name) for name, usual in parameters.items() if type(usual) is float]
    if "reduction" in parameters:
        del given["reduction"]
    plain = all(name in parameters and value is parameters[name] for name, value in given.items())
    if not plain or dtype is None or len(args) > tensors + len(parameters):
        return None
    if not all(map(is_taken, numbers)):
        return None
    if not Applied(session, bool, fits, tuple(numbers)).known():
        return None
    operands = [taken(session, n, dtype) for n in numbers]
    return None if any(n is None for n in operands) else operands


def _fits(*numbers: float) -> bool:
    """Return whether numbers are those of any floating dtype."""
    return all(abs(n) < 1e38 for n in numbers)


def _are_limits(low: float, high: float) -> bool:
    return -1e38 < low < high < 1e38


def _is_positive(number: float) -> bool:
    return 0 < number < 1e38


def _is_spread(mean: float, std: float) -> bool:
    return _fits(mean) and 0 <= std < 1e38


def is_share(number: float) -> bool:
    """Return whether a number is a share of the whole, neither none of it nor all."""
    return 0 < number < 1


def drawn(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Draw for a tensor, or multiply it with what dropout draws."""
    if f.__name__ not in DRAWN:
        return _normal(session, args, kwargs) if f.__name__ == "normal" else None
    parameters, fits = DRAWN[f.__name__]
    dtype = None if floating(args[:1]) is None else np.dtype(np.float64)
    operands = _operands(session, args, kwargs, 1, parameters, fits, dtype)
    if operands is None:
        return None
    draw = getattr(settings, f.__name__.removesuffix("_"))
    if f.__name__ != "dropout":
        return _fill(args[0], draw, *operands, _of(None))
    return args[0] * draw.call(args[0].detach(), *operands, _of(None))


def _normal(session: Session, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Draw a tensor of normal numbers of which mean and deviation are numbers."""
    given = {**dict(zip(("mean", "std", "size"), args)), **kwargs}
    numbers = [given.pop(name, None) for name in ("mean", "std")]
    size = given.pop("size", None)
    if type(size) not in (tuple, Size) or given.keys() - {"dtype"} or holds_later(size):
        return None
    return drawn(session, Tensor.normal_, (empty(size, **given), *numbers), {})


def integers(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Draw integers below a number, or from one to another: places in a buffer that fills."""
    if f.__name__ == "randint":
        *bounds, size = (*args, kwargs["size"]) if "size" in kwargs else args
        if kwargs.keys() - {"size", "dtype"} or holds_later(size):
            return None
        tensor = empty(size, dtype=kwargs.get("dtype", int64))
    else:
        tensor, *bounds = args
    low, high = (0, *bounds) if len(bounds) == 1 else bounds if len(bounds) == 2 else (None, None)
    whole = all(type(n) is int or (is_early(n) and type(n.present()) is int) for n in (low, high))
    if not whole or dtype_of(tensor) != np.int64:
        return None
    if not Applied(session, bool, _is_range, (low, high)).known():
        return None
    operands = [taken(session, n, dtype_of(tensor)) for n in (low, high)]
    if any(n is None for n in operands):
        return None
    return _fill(tensor, settings.random_between, *operands, _of(None))


def _is_range(low: int, high: int) -> bool:
    return -(2**62) < low < high < 2**62


#: Of functions with settings: how many tensors, the other parameters, and which numbers it serves.
SETTINGS: dict[str, tuple[int, dict[str, Any], Callable[..., bool]]] = {
    "leaky_relu": (1, {"negative_slope": 0.01, "inplace": False}, _fits),
    "elu": (1, {"alpha": 1.0, "inplace": False}, _fits),
    "celu": (1, {"alpha": 1.0, "inplace": False}, _is_positive),
    "threshold": (1, {"threshold": 0.0, "value": 0.0, "inplace": False}, _fits),
    "hardtanh": (1, {"min_val": -1.0, "max_val": 1.0, "inplace": False}, _are_limits),
    "softplus": (1, {"beta": 1.0, "threshold": 20.0}, _fits),
    "hardshrink": (1, {"lambd": 0.5}, _fits),
    "softshrink": (1, {"lambd": 0.5}, _is_positive),
    "huber_loss": (2, {"reduction": "mean", "delta": 1.0, "weight": None}, _is_positive),
    "smooth_l1_loss": (
        2, {"size_average": None, "reduce": None, "reduction": "mean", "beta": 1.0}, _is_positive,
    ),
}  # fmt: skip
#: Of functions that draw: the parameters behind the tensor, and which numbers it serves.
DRAWN: dict[str, tuple[dict[str, Any], Callable[..., bool]]] = {
    "normal_": ({"mean": 0.0, "std": 1.0}, _is_spread),
    "uniform_": ({"from": 0.0, "to": 1.0}, _are_limits),
    "exponential_": ({"lambd": 1.0}, _is_positive),
    "bernoulli_": ({"p": 0.5}, is_share),
    "dropout": ({"p": 0.5, "training": True, "inplace": False}, is_share),
}  # fmt: skip
