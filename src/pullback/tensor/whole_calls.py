"""Serve public calls of ops that are not the common case: other operands, overrides, `out=`, and errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy import ndarray

from .. import errors
from ..array import dtypes
from ..core import calls, facade
from ..core.op import Op
from ..core.value import TensorBase, run, wrap
from .inplace_twins import is_operand, present
from .interception import OVERRIDING, PASS, intercepted
from .out import write_out
from .read_calls import NUMPY_NAMES, adopt, dispatch_override, explain, overridden
from .signature import Parser
from .wrong_calls import takes_out, wrong_call

Function = Callable[..., Any]


def public_call(op: Op, inputs: tuple[Any, ...], named: Mapping[str, Any], method: str = "") -> Any:
    """Treat what a public closure does not do inline: checks, overrides, `out=`, foreign operands
    of an operator; `method` is the name of the method that was called.
    """
    if not named and not OVERRIDING and len(inputs) == len(op.inputs) and all(map(_is_tensor, inputs)):
        return run(op, inputs, ())
    operator = method.startswith("__")
    if not named.keys() <= {"out"}:
        inputs, named = _by_numpys_names(op, inputs, named)
    out = named.get("out")
    if method and inputs[0] is calls.ABSENT:
        raise TypeError(f"unbound method TensorBase.{method}() needs an argument")
    if method and not isinstance(inputs[0], TensorBase):
        raise errors.foreign_self(method, inputs[0])
    fit = len(inputs) == len(op.inputs) and inputs[-1] is not calls.ABSENT
    wrong = method or named.keys() != {"out"} or not isinstance(out, TensorBase | None)
    if not fit or (named and (wrong or not (out is None or takes_out(op.name)))):
        raise _wrong_call(op, inputs, named, method)
    if operator and not is_operand(inputs[-1]) and not adopt(inputs):
        # torch's == takes arrays; its != does not, so Python compares identities.
        if op.name != "eq" or not isinstance(inputs[-1], ndarray):
            return NotImplemented
        inputs = (inputs[0], wrap(inputs[-1]))
    if OVERRIDING:
        named = {} if out is None else {"out": out}
        if overridden(inputs):
            return dispatch_override(_called(op, method), inputs, named, operator)
        behind = None if named else partial(_checked_call, op, method)
        found = intercepted(op.public, behind, op.name, inputs, named)
        if found is not PASS:
            return found
    return _checked_call(op, method, *inputs, out=out)


def _is_tensor(value: Any) -> bool:
    kind = type(value)
    return kind is facade.Tensor or kind is facade.Parameter


#: The methods that overrides are told of where an operator was called; the others' are their own.
_BEHIND_OPERATORS = {
    "__add__": "add", "__radd__": "add", "__sub__": "sub", "__mul__": "mul", "__rmul__": "mul",
    "__truediv__": "div", "__rand__": "bitwise_and", "__ror__": "bitwise_or", "__rxor__": "bitwise_xor",
    "__eq__": "eq", "__ne__": "ne", "__lt__": "lt", "__le__": "le", "__gt__": "gt", "__ge__": "ge",
}


def _called(op: Op, method: str) -> Function:
    """Return what overrides are told was called: the function, or the method as `Tensor` has it."""
    if not method:
        return op.public
    called: Function = getattr(facade.Tensor, _BEHIND_OPERATORS.get(method, method))
    return called


def override_operator(method: str, *operands: Any) -> Any:
    """Return what overrides of the operands answer to an operator; `PASS` where there are none."""
    if (OVERRIDING and overridden(operands)) or (
        not isinstance(operands[-1], TensorBase) and adopt(operands[-1:])
    ):
        return dispatch_override(getattr(facade.Tensor, method), operands, {}, True)
    return PASS


def _checked_call(op: Op, method: str, *inputs: Any, out: Any = None) -> Any:
    try:
        checked = tuple([
            v if isinstance(v, TensorBase) else checked_operand(op, i, v, bool(method))
            for i, v in enumerate(inputs)
        ])  # fmt: skip
    except TypeError:
        if adopt(inputs):
            return dispatch_override(_called(op, method), inputs, {} if out is None else {"out": out})
        if method:
            explain("Tensor", method, inputs, {})
        if op.name in _COMPARISONS:
            raise _COMPARISONS[op.name].rejected(inputs, {}) from None
        raise
    if not isinstance(checked[0], TensorBase) and not isinstance(checked[-1], TensorBase):
        checked = (wrap(np.asarray(checked[0], dtypes.result_numpy_dtype(checked[:1]))), *checked[1:])
    result = run(op, checked, ())
    return result if out is None else write_out(out, result, op.name, checked)


def _by_numpys_names(
    op: Op, inputs: tuple[Any, ...], named: Mapping[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the inputs with those that were given by NumPy's names for them, and what else was given by
    name.
    """
    left = {NUMPY_NAMES.get(key, key): value for key, value in named.items()}
    if len(left) < len(named):
        return inputs, dict(named)
    places = dict(zip(("input", "other"), inputs))
    found = [left.pop(name, v) if v is calls.ABSENT else v for name, v in places.items()]
    return (*found, *inputs[2:]), dict(named) if left.keys() - {"out"} else left


def _wrong_call(op: Op, inputs: tuple[Any, ...], named: Mapping[str, Any], method: str) -> Exception:
    """Build the error for a call with too few, too many, unknown or wrong named arguments."""
    given = present(*inputs)
    error = None
    for place in ("Tensor",) if method else ("", "special", "linalg", "nn"):
        error = error or wrong_call(place, method or op.name, given[1:] if method else given, named)
    return error or TypeError(
        f"{method or op.name}() takes {len(op.inputs)} positional arguments but {len(given)} were given"
    )


#: What reads the arguments of comparisons, asked for their errors only.
_COMPARISONS = {
    name: Parser(
        name, "(Tensor input, Tensor other, *, Tensor out = None)",
        "(Tensor input, Number other, *, Tensor out = None)",
    )
    for name in ("eq", "ne", "lt", "le", "gt", "ge")
}

#: Functions whose first operand may be a number too.
_NUMBERS_FIRST = frozenset({"add", "sub", "mul", "div"})


def checked_operand(op: Op, position: int, v: Any, method: bool = False) -> Any:
    """Return an operand as ops take it, or raise torch's TypeError; a method does not count itself."""
    if isinstance(v, TensorBase):
        return v
    if op.numbers if position else op.name in _NUMBERS_FIRST:
        if isinstance(v, np.generic) and v.dtype.kind in "biufc":
            return dtypes.python_number(v)
        if isinstance(v, (bool, int, float, complex)):
            dtypes.check_number(v)
            return v
    name = ("input", "other")[min(position, 1)]
    raise errors.argument_type(op.name, name, position + (not method), "Tensor", v)


facade.provide(public_call=public_call)
