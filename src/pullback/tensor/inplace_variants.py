"""Derive the in-place variant of a function: compute, check that the result fits, write it into the input.

Twins of ops that NumPy computes in place go without a temporary where nothing is recorded.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import dtypes, large
from ..array.elementwise import apply
from ..array.quiet import IGNORE, loud, quiet
from ..core import calls, facade, inplace, overlap
from ..core.blame import written
from ..core.modes import DEFAULT, INFERENCE, NO_GRAD, modes
from ..core.op import Op
from ..core.overlap import overlaps_itself
from ..core.value import TensorBase
from ..core.warn import warn
from ..errors import with_name
from .failed_calls import explain, older_call
from .inplace_checks import check_before_kernel, check_result, check_stored, promoting_two
from .interception import OVERRIDING, intercepted
from .override_dispatch import dispatch_override, overridden
from .read_calls import with_plans

Function = Callable[..., Any]


class InPlace:
    """Say what is particular in the in-place variant of a function.

    ``parts(*args, **kwargs)`` gives (elementwise op, operands after the first, attributes) of the same call;
    where nothing is recorded and dtypes agree, the op's kernel then writes straight into the storage.
    `written` computes what it writes, where that is not the function's result. torch lets one that `fills`
    write to expanded tensors, with a warning, has one that is `apart` not read what it writes to, and takes
    one that is `older` also by an older signature, a number first.
    """

    __slots__ = ("apart", "fills", "older", "parts", "written")

    def __init__(
        self, parts: Function | None = None, written: Function | None = None, *, fills: bool = False,
        apart: bool = False, older: bool = False,
    ) -> None:
        self.parts, self.written = parts, written
        self.fills, self.apart, self.older = fills, apart, older


#: The in-place variant with nothing particular.
PLAIN = InPlace()


def warn_of_expanded(name: str) -> None:
    """Warn as torch does where an in-place function of a mask or of places writes to an expanded tensor."""
    example = "tensor[indices] = tensor" if name == "index_put_" else "tensor[mask] = scalar"
    warn(
        f"Use of {name} on expanded tensors is deprecated. Please clone() the tensor before performing this "
        f"operation. This also applies to advanced indexing e.g. {example}"
    )


def inplace_variant(name: str, function: Function, how: InPlace = PLAIN, operator: bool = False) -> Function:
    """Derive `name_` from a public function of a tensor.

    One that stands behind an operator (`operator`) has no answer to what is no tensor and no number.
    """
    function = how.written or function
    fills, apart, has_older = how.fills, how.apart, how.older
    op: Op | None = getattr(function, "op", None)
    label = name + "_"

    def general(input: Any, *args: Any, **kwargs: Any) -> Any:
        if OVERRIDING:
            if overridden((input, *args)):
                # An operator such as ``+=`` is a variant of its own, which goes by the method's name.
                called = getattr(facade.Tensor, label, call)
                return dispatch_override(called, (input, *args), kwargs)
            if modes().watcher is not None:
                return intercepted(call, None, label, (input, *args), kwargs)
        if has_older and len(args) > 1 and not isinstance(args[0], TensorBase):
            older = older_call("Tensor", label, args, kwargs)
            if older is not None:
                return general(input, **older)
        if operator and not isinstance(args[0], TensorBase):
            args = (dtypes.plain_number(args[0]), *args[1:])
            dtypes.check_number(args[0])
        operands = (*args, *kwargs.values()) if kwargs else args
        recording = inplace.requires_grad(input)
        for v in operands:
            recording = recording or (isinstance(v, TensorBase) and inplace.requires_grad(v))
        if modes().differentiating:
            inplace.check_captured(input, label, args, kwargs)
        writable = False
        try:
            if op is not None and not op.attrs and len(operands) + 1 != len(op.inputs):
                raise TypeError(f"{label}() takes {len(op.inputs)} arguments, not {len(operands) + 1}")
            inplace.check_writable(input, recording, fills, operands, apart)
            if fills and isinstance(input._value, ndarray) and overlap.overlaps_itself(input._value):
                warn_of_expanded(name + "_")
            writable = True
            new = function(input, *args, **kwargs)
        except NotImplementedError:
            if operator and not is_operand(args[0]):
                return NotImplemented
            if not fills:
                check_before_kernel(name, input, operands)
            raise
        except Exception:
            if operator and not is_operand(args[0]):
                return NotImplemented
            explain("Tensor", name + "_", (input, *args), kwargs)
            if writable and operands and (named := promoting_two(name)) is not None:
                check_result(named, input, operands[0])
            raise
        if new is input:
            return input
        check_stored(label, input, operands, new)
        return inplace.store(input, new)

    call = _at_once(op, how.parts, general)
    call.__name__ = name + "_"
    call = with_plans(call)
    return with_name(call, name + "_", f"Write what :func:`{name}` gives into `input`, and return it.")


def _at_once(op: Op | None, parts: Function | None, general: Function) -> Function:
    """Return a variant that has NumPy compute in place where it can; else `general` does the call."""
    if op is not None and op.kind == "elementwise" and not op.attrs:
        if len(op.inputs) == 1:
            return _fast_unary(op, general)
        if op.parallel:
            return _fast_binary(op, general)
    return general if parts is None else _fast_parts(parts, general)


def is_operand(value: Any) -> bool:
    """Return whether an op takes a value as it is: a tensor or a number."""
    return isinstance(value, (TensorBase, bool, int, float, complex, np.generic))


def _lies_apart(array: ndarray) -> bool:
    """Return whether each element has its own place in memory; a detached view, without record, may not."""
    return array.flags.c_contiguous or not overlaps_itself(array)


#: More elements than an array has.
_NEVER = 1 << 62


@functools.cache
def _takes(op: Op, dtype: np.dtype[Any]) -> bool:
    """Return whether an op's kernel takes arrays of a dtype as they are."""
    return bool(calls.runs_at_once(op, (np.empty(0, dtype),)))


def _fast_unary(op: Op, general: Function) -> Function:
    kernel, parallel = op.kernel, op.parallel
    worth = op.worth_asking if parallel else _NEVER

    def call(input: Any, *surplus: Any, **named: Any) -> Any:
        if (type(input) is facade.Tensor or type(input) is facade.Parameter) and not surplus and not named:
            a = input._value
            plain = type(a) is ndarray and (a.dtype is calls.F32 or a.dtype is calls.F64)
            plain = plain and (parallel or _takes(op, a.dtype))
            mode = modes()
            counted = type(input._counter) is list
            free = mode is INFERENCE or (
                counted and (mode is NO_GRAD or (mode is DEFAULT and input._node is None))
            )
            if plain and free and input._view is None and (a.base is None or _lies_apart(a)):
                token = quiet(IGNORE)
                try:
                    if a.size >= worth:
                        apply(kernel, a, out=a)
                    else:
                        kernel(a, out=a)
                except TypeError:
                    return general(input)
                finally:
                    loud(token)
                if counted:
                    written(input._counter)
                return input
        return general(input, *surplus, **named)

    return call


def _fast_binary(op: Op, general: Function) -> Function:
    kernel = op.kernel
    of_integers = kernel in _OF_INTEGERS
    numbers = op.numbers

    def call(input: Any, other: Any = calls.ABSENT, *surplus: Any, **named: Any) -> Any:
        if (type(input) is facade.Tensor or type(input) is facade.Parameter) and not surplus and not named:
            a = input._value
            if (
                type(a) is ndarray
                and ((d := a.dtype) is calls.F32 or d is calls.F64 or (of_integers and d.kind == "i"))
                # A view of what has no history has none.
                and ((view := input._view) is None or view.base._node is None)
            ):
                s = type(other)
                if numbers and (
                    (s is int and calls.LEAST <= other <= calls.MOST) or (s is float and d.kind == "f")
                ):
                    b = other
                    free = input._node is None
                elif s is facade.Tensor or s is facade.Parameter:
                    b = other._value
                    if type(b) is not ndarray or b.dtype is not d or (b.shape != a.shape and b.ndim):
                        return general(input, other)
                    if other._counter is input._counter and other is not input:
                        return general(input, other)
                    free = input._node is None and other._node is None and other._view is None
                else:
                    return general(input, *(() if other is calls.ABSENT else (other,)))
                mode = modes()
                counted = type(input._counter) is list
                if (
                    mode is INFERENCE or (counted and (mode is NO_GRAD or (mode is DEFAULT and free)))
                ) and (a.base is None or _lies_apart(a)):
                    token = quiet(IGNORE)
                    try:
                        if a.size >= large.SIZE:
                            apply(kernel, a, b, out=a)
                        else:
                            kernel(a, b, out=a)
                    except (TypeError, OverflowError):
                        return general(input, other)
                    finally:
                        loud(token)
                    if counted:
                        written(input._counter)
                    return input
        return general(input, *(() if other is calls.ABSENT else (other, *surplus)), **named)

    call.__wrapped__ = _of_two  # type: ignore[attr-defined]  # what `inspect.signature` follows
    return call


def _of_two(input: Any, other: Any) -> Any:
    """Return the signature of the variants of ops with two inputs."""


def _fast_parts(parts: Function, general: Function) -> Function:
    def call(input: Any, *args: Any, **kwargs: Any) -> Any:
        if type(input) is facade.Tensor or type(input) is facade.Parameter:
            a = input._value
            mode = modes()
            counted = type(input._counter) is list
            free = mode is INFERENCE or (
                counted and (mode is NO_GRAD or (mode is DEFAULT and input._node is None))
            )
            if (
                free
                and type(a) is ndarray
                and input._view is None
                and ((d := a.dtype) is calls.F32 or d is calls.F64 or _counts(d, args))
                and (a.base is None or _lies_apart(a))
            ):
                try:
                    op, operands, attrs = parts(*args, **kwargs)
                except TypeError:
                    return general(input, *args, **kwargs)
                if d is calls.I64 and op is not None and op.kernel not in _OF_INTEGERS:
                    return general(input, *args, **kwargs)
                arrays = []
                # A loop: `all` over a generator takes 0.4 µs of an optimizer's 3.5 for a parameter.
                for v in operands:
                    if (plain := _plain_operand(v, a, mode is not DEFAULT)) is None:
                        break
                    arrays.append(plain)
                if op is not None and len(arrays) == len(operands):
                    token = quiet(IGNORE)
                    try:
                        if op.parallel and a.size >= op.worth_asking:
                            apply(op.kernel, a, *arrays, out=a)
                        else:
                            op.kernel(a, *arrays, *attrs, out=a)
                    finally:
                        loud(token)
                    if counted:
                        written(input._counter)
                    return input
        return general(input, *args, **kwargs)

    return call


_OF_INTEGERS = (np.add, np.subtract, np.multiply)


def _counts(dtype: np.dtype[Any], args: tuple[Any, ...]) -> bool:
    """Return whether a small integer meets integers, as where a layer counts batches."""
    return dtype is calls.I64 and len(args) == 1 and type(args[0]) is int and -_SMALL < args[0] < _SMALL


_SMALL = 1 << 31


def _plain_operand(v: Any, a: ndarray, unrecorded: bool) -> Any:
    """Return the operand as the kernel takes it, or None where the general path must decide."""
    if type(v) is float or (type(v) is int and calls.LEAST <= v <= calls.MOST):
        return v
    if isinstance(v, TensorBase) and (unrecorded or v._node is None):
        b = v._value
        if (
            type(b) is ndarray
            and b.dtype is a.dtype
            and (b.shape == a.shape or not b.ndim)
            and v._view is None
        ):
            return b
    return None
