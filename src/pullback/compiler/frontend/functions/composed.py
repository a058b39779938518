"""Functions of this package that are given a number of a later time, run as rewritten code.

Most of them are put together from others: what a margin, an eps or a step is added to is a tensor. Run as
they are, such functions need the number at once, so that it is a part of the program, which serves one. Run
as rewritten code, what they do with it is seen as in the user's own code: sums are written down, a branch is
guarded, and where the number meets a tensor it is an input. What is the number's alone, as an attribute of an
op that has no other form, is a part of the program still.
"""

import math
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from ....core.blame import PACKAGE
from ....core.op import Op
from ....core.value import TensorBase, dtype_of, shape_of
from ....nn.functional import normalization
from ....ops import arithmetic, mixture
from ....tensor.interception import OVERRIDING
from ....tensor.signature import Parser, Signature
from ..operations import calls
from ..state.deferred import Applied, Deferred, comes_before
from ..state.guards import ABSENT
from ..state.number_inputs import floating, of_program, taken
from ..state.session import Session
from .number_settings import holds_later, is_zero

#: Where functions are put together from others.
_PLACES = tuple(PACKAGE + name for name in (
    "tensor/", "nn/functional/", "linalg/", "special/", "torch_names/functional", "fft/", "array/dtypes",
))  # fmt: skip
#: Where functions are made that read the arguments of others.
_READERS = tuple(PACKAGE + f"tensor/{name}.py" for name in ("read_calls", "signature", "operands"))

#: Ops that take for an operand what another one has as its only attribute, by that.
_OPERANDS: dict[tuple[str, str], Callable[..., Any]] = {
    ("clamp", "low"): mixture.clamp_min, ("clamp", "high"): mixture.clamp_max,
    ("mul_number", "other"): arithmetic.mul, ("div_number", "other"): arithmetic.div,
}  # fmt: skip


def result(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return what a function gives for numbers of a later time; `ABSENT` where it is to run as it is."""
    if (op := getattr(f, "op", None)) is not None:
        made = _of_op(session, op, args) if op.kind == "elementwise" and not kwargs else None
        return ABSENT if made is None else made
    if f is dtype_of and isinstance(args[0], Deferred) and args[0].kind is float:
        # The loops of comprehensions ask it, which are parts of the function itself since Python 3.12.
        return np.dtype(float)
    if getattr(f, "__wrapped__", f) is _BATCH_NORM and (made := _averaged(session, args, kwargs)) is not None:
        return made
    knowledge = session.knowledge
    given = (*args, *kwargs.values())
    if type(f) is not FunctionType or f in knowledge.opaque or not all(map(_is_scalar, given)):
        return ABSENT
    if OVERRIDING and any(map(_overrides, given)):
        return ABSENT
    found = _within(session, f, args, kwargs)
    if found is None:
        return ABSENT
    body, args, kwargs = found
    if body is f and not f.__code__.co_filename.startswith(_PLACES):
        return ABSENT
    outermost = knowledge.composing is None
    if outermost:
        # Left there where the trace ends inside (`Knowledge.settle`).
        knowledge.composing = f
    try:
        made = (calls.call_user if body is f else calls.call_function)(session, body, args, kwargs)
    except Exception as error:
        raise (session.refused or session.refusal(f"{f.__name__} raises {type(error).__name__}")) from error
    if outermost:
        knowledge.composing = None
    return made


#: The function behind its public name, and its parameters in order.
_BATCH_NORM = getattr(normalization.batch_norm, "__wrapped__", normalization.batch_norm)
_PARAMETERS = ("input", "running_mean", "running_var", "weight", "bias", "training", "momentum", "eps")


def _averaged(session: Session, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do a batch norm in training whose statistics move by a number of a later time, as 1 / count; None where
    it is not known.
    """
    given = {"weight": None, "bias": None, "eps": 1e-5, **dict(zip(_PARAMETERS, args)), **kwargs}
    momentum = taken(session, given.pop("momentum", None), np.dtype(np.float64))
    known = given.keys() == {*_PARAMETERS} - {"momentum"} and isinstance(given["input"], TensorBase)
    if momentum is None or not known or given["training"] is not True or type(given["eps"]) is not float:
        return None
    shape = shape_of(given["input"])
    if given["eps"] <= 0 or len(shape) < 2 or shape[1] in (0, math.prod(shape)):
        return None
    return normalization.with_statistics(**given, momentum=momentum)[0]


def _of_op(session: Session, op: Op, args: tuple[Any, ...]) -> Any:
    """Do an op of elements that is given a number as an operand, or as an attribute that may be one."""
    count = len(op.inputs)
    operands, attrs = args[:count], args[count:]
    dtype = floating([v for v in operands if isinstance(v, TensorBase)])
    if any(map(holds_later, attrs)):
        ((name, value), *more) = [pair for pair in zip(op.attrs, attrs) if pair[1] is not None]
        call, number = _OPERANDS.get((op.base, name)), taken(session, value, dtype)
        if more or call is None or number is None or (op.base == "clamp" and is_zero(session, value)):
            return None  # of zeros of two signs a limit that is an attribute lets the element stay
        return call(operands[0], number)
    found = [taken(session, v, dtype) if isinstance(v, Deferred) else v for v in operands]
    return None if any(v is None for v in found) else op.call(*found, *attrs)


def _overrides(value: Any) -> bool:
    return any(type(v) in OVERRIDING for v in (value if type(value) in (list, tuple) else (value,)))


def _is_scalar(value: Any) -> bool:
    """Return whether a value is no list that holds a later time's number, nor one that no program has."""
    if isinstance(value, Deferred):
        if not comes_before(value):
            return value.kind is float and of_program(value, np.dtype(np.float64)) is not None
        return type(value.present()) in (int, float)
    return not (type(value) in (list, tuple) and any(isinstance(v, Deferred) for v in value))


def _within(
    session: Session, f: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[FunctionType, tuple[Any, ...], dict[str, Any]] | None:
    """Return the function inside those that read its arguments, and what it gets; None if not known."""
    while f.__code__.co_filename in _READERS:
        own = f.__dict__
        inner = own.get("behind") or own.get("__wrapped__")
        if (parser := own.get("parser")) is not None:
            first = int(own["tensor_first"])
            found = _bound(session, parser, args[first:], kwargs)
            if found is None:
                return None
            signature, kwargs = found
            args = args[:first]
            if f.__code__.co_filename == _READERS[-1]:
                args += *(kwargs.pop(p.target) for p in signature.positional if not p.has_default),
        if type(inner) is not FunctionType:
            return None
        f = inner
    return f, args, kwargs


def _bound(
    session: Session, parser: Parser, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Signature, dict[str, Any]] | None:
    """Return the signature that fits and the arguments by name; None if numbers are not taken as such."""
    now = tuple(map(_now, args)), {name: _now(value) for name, value in kwargs.items()}
    for signature in parser.signatures:
        bound = signature.match(*now)
        if bound is None:
            continue
        named = [(p.target, value) for p, value in zip(signature.positional, args)]
        named += [(signature.by_name[n].target, v) for n, v in kwargs.items() if n in signature.by_name]
        if len(named) != len(bound) or signature.spread:
            return None
        for target, value in named:
            if not isinstance(value, Deferred):
                continue
            made = bound[target]
            if type(made) not in (int, float) or made != value.present():
                return None
            bound[target] = value if type(made) is value.kind else Applied(session, float, float, (value,))
        return signature, bound
    return None


def _now(value: object) -> Any:
    return value.present() if isinstance(value, Deferred) else value
