"""One declaration per public function; the method, the in-place twin and `out=` are derived from it.

    @public                                  # torch.sum and Tensor.sum
    @public(inplace=True)                    # also Tensor.clamp_ (and torch.clamp_ where torch has it)
    @public(method=False)                    # torch.cat only
    @public(function=False)                  # a Tensor method only
    @public(namespace="nn.functional")       # torch.nn.functional.gelu

A declared function has torch's signature and takes tensors. What is declared lands in `REGISTRY`; `install`
attaches methods to the facade, and `names(namespace)` gives the functions of a module such as `torch.linalg`.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from opcode import opmap
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
from numpy import ndarray

from .. import errors
from ..array import dtypes
from ..array.elementwise import WORTH_ASKING, apply
from ..array.quiet import IGNORE, loud, quiet
from ..core import calls, facade, inplace, overlap
from ..core.blame import written
from ..core.modes import DEFAULT, NO_GRAD, modes
from ..core.op import TABLE, Op
from ..core.overlap import overlaps_itself
from ..core.value import TensorBase, run, wrap
from ..core.warn import warn_once
from .builtin import published, shown
from .inplace_checks import check_result, check_stored
from .interception import OVERRIDING, PASS, ask_mode, intercepted
from .out import write_out
from .out_checks import ALIASES
from .signature import Parser, method, parsed
from .told import tell
from .wrong_calls import Kinds, converted, deprecated_call, handed_on, takes_out, wrong_call

Function = Callable[..., Any]


class Declaration(NamedTuple):
    """A public function and where it appears."""

    name: str
    function: Function
    namespace: str
    #: The function as a method, or None.
    method: Function | None
    inplace: Any
    is_function: bool
    #: What the in-place twin writes, where it is not the result of `function`.
    written: Any = None


REGISTRY: list[Declaration] = []

#: What the texts of functions say of `out`, which methods do not have.
OUT = "out : Tensor, optional\n    Takes the result.\n"


def public(
    function: Function | None = None, *, name: str | None = None, namespace: str = "",
    method: bool | None = None, inplace: Any = False, is_function: bool = True, out: bool = True,
    aliases: Iterable[str] = (), written: Function | None = None,
    arranged: Callable[[tuple[Any, ...]], tuple[Any, ...]] | None = None, behind: str | None = None,
    mirrors: bool = False,
) -> Any:
    """Declare a public function (see the module's docstring).

    `arranged` gives the arguments by place as classes that override functions are to see them; `behind` is
    what Python's errors of surplus and missing arguments call the function, where torch's are another's. One
    of `nn.functional` that `mirrors` torch's Python has Python's errors where that has them, and raises a
    TypeError where torch hands arguments on to a function in C that refuses them.
    """

    def declare(function: Function) -> Function:
        chosen = name or function.__name__
        has_method = (
            (namespace in ("", "linalg", "special", "fft") and namespace == "") if method is None else method
        )
        printed = f"{namespace}_{chosen}" if namespace == "linalg" else chosen
        place = "nn" if namespace == "nn.functional" else namespace
        call = (
            _with_out(function, printed, place, chosen)
            if out
            else _with_overrides(function, place, chosen, arranged, mirrors)
        )
        if behind is not None:
            function.__qualname__ = behind
        bound = None
        if has_method:
            bound = _with_overrides(_of_class(function, chosen), "Tensor", chosen)
            bound.__name__ = bound.__qualname__ = chosen
        REGISTRY.append(Declaration(chosen, call, namespace, bound, inplace, is_function, written))
        for n in aliases:
            ALIASES[n] = chosen
            own = bound and as_function(bound, n, "Tensor")
            found = _alias(call, place, n)
            REGISTRY.append(Declaration(n, found, namespace, own, inplace, is_function, written))
        return call

    return declare if function is None else declare(function)


def with_signature(*signatures: str, name: str | None = None, **options: Any) -> Callable[[Function], Any]:
    """Declare a public function that gets its arguments as torch's parser reads them by these signatures.

    A function ``linalg_…`` is of that namespace; with ``is_function=False`` the signatures are those of a
    method, the tensor aside. The other options are those of `public`.
    """

    def declare(function: Function) -> Any:
        printed = name or function.__name__
        read = (parsed if options.get("is_function", True) else method)(printed, *signatures)(function)
        if printed.startswith("linalg_"):
            return public(read, name=printed.removeprefix("linalg_"), namespace="linalg", **options)
        return public(read, name=printed, **options)

    return declare


def _of_class(function: Function, name: str) -> Function:
    """Return the function behind a method, whose own errors of surplus and missing arguments name the class
    where torch has the method in Python.
    """
    if name not in _IN_PYTHON:
        return function
    own = FunctionType(
        function.__code__, function.__globals__, name, function.__defaults__, function.__closure__
    )
    own.__kwdefaults__, own.__doc__ = function.__kwdefaults__, function.__doc__
    own.__dict__.update(function.__dict__)
    own.__annotations__, own.__module__ = function.__annotations__, function.__module__
    own.__qualname__ = f"Tensor.{name}"
    return own


def public_op(
    call: Function, text: str, *, name: str | None = None, namespace: str = "", method: bool = True,
    inplace: bool = True, is_function: bool = True, aliases: Iterable[str] = (),
    written: Function | None = None,
) -> Function:
    """Declare an op of one or two inputs and no attributes as it is, with what help says of it: its closure
    is both function and method.
    """
    op = call.op  # type: ignore[attr-defined]  # every op's call has it
    op.public.__doc__ = text
    if not namespace and name in (None, op.name):
        # Where pickle finds it: modules keep functions such as `torch.tanh` as attributes.
        op.public.__module__ = "pullback"
    ALIASES.update(dict.fromkeys(aliases, op.name))
    for n in (name or op.name, *aliases):
        bound = calls.make_call(op, public=True, method=n) if method else None
        if bound is not None:
            bound.__doc__ = text.replace(OUT, "")
        found = _alias(op.public, namespace, n) if n in aliases else op.public
        REGISTRY.append(Declaration(n, found, namespace, bound, inplace, is_function, written))
    return op.public


def _alias(function: Function, place: str, name: str) -> Function:
    """Return a public function under another of its names, which its errors have."""
    call = as_function(function, name, place)
    call.__name__ = call.__qualname__ = name
    call.__module__ = {"": "pullback", "nn": "pullback.nn.functional"}.get(place, f"pullback.{place}")
    return call


def _items(args: Iterable[Any]) -> Iterator[Any]:
    """Yield the arguments, and what is in those that are lists or tuples."""
    for a in args:
        if isinstance(a, (list, tuple)):
            yield from a
        else:
            yield a


def _overridden(args: Iterable[Any]) -> bool:
    return bool(modes().function_modes) or any(type(item) in OVERRIDING for item in _items(args))


def _label(place: str, name: str) -> str:
    """Return the name of a public function in torch's dispatcher."""
    return name if place in ("", "Tensor", "nn") else f"{place}_{name}"


def adopt(args: Iterable[Any]) -> bool:
    """Take in the classes of arguments that are no tensors but have `__torch_function__`; whether there are
    any.

    No call looks for them before it has failed, so that they cost the others nothing.
    """
    found = {type(item) for item in _items(args) if hasattr(type(item), "__torch_function__")}
    foreign = {kind for kind in found if not issubclass(kind, TensorBase)}
    for kind in foreign:
        if hasattr(kind, "_facade"):  # the class of tensors of another copy
            raise errors.other_copy(kind)
    OVERRIDING.update(foreign)
    return bool(foreign) and not modes().function_disabled


def explain(place: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raise torch's error where a call that failed had wrong arguments."""
    if place == "Tensor":
        if not args:
            raise TypeError(f"unbound method TensorBase.{name}() needs an argument") from None
        if not isinstance(args[0], TensorBase):
            raise errors.foreign_self(name, args[0]) from None
    error = wrong_call(place, name, args[1:] if place == "Tensor" else args, kwargs)
    if error is not None:
        raise error from None
    limited = _beyond_limits(sys.exception())
    if limited is not None:
        raise limited from None


def _beyond_limits(failed: BaseException | None) -> Exception | None:
    """Build torch's error for more dimensions or more memory than there are; None for other failures."""
    if isinstance(failed, (ValueError, IndexError)) and _TOO_MANY_DIMS.search(str(failed)):
        return errors.with_note(
            RuntimeError("only tensors with up to 64 dims are supported"),
            "torch makes tensors of more, but reduces none; NumPy, whose arrays these are, makes none.",
        )
    if isinstance(failed, ValueError) and str(failed).startswith("array is too big"):
        return RuntimeError("numel: integer multiplication overflow")
    if isinstance(failed, MemoryError) and hasattr(failed, "_total_size"):
        return RuntimeError(
            "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you "
            f"tried to allocate {failed._total_size} bytes. Error code 12 (Cannot allocate memory)"
        )
    return None


#: What NumPy says of more dimensions than its arrays have.
_TOO_MANY_DIMS = re.compile("maximum supported dimension|number of dimensions must be within")


#: NumPy's names of parameters, which torch's own parser takes too, with torch's.
_NUMPY_NAMES = {
    "axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other",
}


#: Functions of torch's in Python, which do not.
_IN_PYTHON = frozenset({
    "istft", "lu", "norm", "split", "stft", "unflatten", "unique", "unique_consecutive"
})  # fmt: skip


def _renamed(
    function: Function, place: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Return what a function gives whose call failed, by an older signature, or with NumPy's names taken for
    torch's, Python's types for dtypes and tensors for numbers; `PASS` where there are none, or where that is
    wrong too.
    """
    own = args[:1] if place == "Tensor" else ()
    older = _older(place, name, args[len(own) :], kwargs)
    if older is not None:
        return function(*own, **older)
    if place == "nn" or name in _IN_PYTHON:
        named = dict(kwargs)
    else:
        named = {_NUMPY_NAMES.get(key, key): value for key, value in kwargs.items()}
    by_place = tuple(map(_as_dtype, args))
    if "dtype" in named:
        named["dtype"] = _as_dtype(named["dtype"])
    if len(named) < len(kwargs):
        return PASS
    if by_place == args and named == kwargs:
        numbers = converted(place, name, args[len(own) :], kwargs)
        if numbers is None:
            return PASS
        by_place, named = own, numbers
    try:
        return function(*by_place, **named)
    except TypeError:
        return PASS


def _as_dtype(value: Any) -> Any:
    """Return the dtype that a Python type stands for; anything else as it is."""
    return dtypes.BY_PYTHON_TYPE.get(value, value) if isinstance(value, type) else value


def _older(place: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any] | None:
    """Return the arguments by name of a call by an older signature, of which it warns."""
    found = deprecated_call(place, name, args, kwargs)
    if found is None:
        return None
    warn_once(found[1], 4, kind="an older signature")
    return found[0]


def as_function(method: Function, name: str, place: str = "") -> Function:
    """Return a function under another name or at another place, which says itself what is wrong with a
    call.
    """

    def call(*args: Any, **kwargs: Any) -> Any:
        # Overrides are told of this name; the function would tell them of its own.
        asked = OVERRIDING or (place != "Tensor" and _are_foreign(args))
        if asked and _overridden((*args, *kwargs.values())):
            return dispatch_override(call, args, kwargs)
        try:
            return method(*args, **kwargs)
        except Exception:
            explain(place, name, args, kwargs)
            raise

    return _named(call, method)


def _are_foreign(args: tuple[Any, ...]) -> bool:
    """Return whether arguments of classes that are no tensors override functions."""
    plain = facade.Tensor
    for value in args:
        if type(value) is not plain:
            return adopt(args)
    return False


def _with_overrides(
    function: Function, place: str, name: str,
    arranged: Callable[[tuple[Any, ...]], tuple[Any, ...]] | None = None, mirrors: bool = False,
) -> Function:  # fmt: skip
    label = _label(place, name)
    kinds = Kinds(function, place, name)
    safe = kinds.safe

    def call(*args: Any, **kwargs: Any) -> Any:
        if OVERRIDING:
            if arranged is not None:
                args = arranged(args)
            if _overridden((*args, *kwargs.values())):
                return dispatch_override(call, args, kwargs)
            found = intercepted(call, function, label, args, kwargs)
            if found is not PASS:
                return found
        wrong = kinds.wrong(args, kwargs) if kwargs or len(args) > safe else None
        if wrong is not None and (place != "nn" or name in _STRAIGHT):
            raise wrong
        try:
            result = function(*args, **kwargs)
        except Exception as error:
            if isinstance(error, (TypeError, AttributeError)):
                if adopt((*args, *kwargs.values())):
                    return dispatch_override(call, args, kwargs)
                found = _renamed(function, place, name, args, kwargs)
                if found is not PASS:
                    return found
            if mirrors and not _is_told(error):
                raise
            if place == "nn" and (
                name in _STRAIGHT
                or isinstance(error, _OF_KERNELS)
                or not (isinstance(error, _CHECKED) and _is_told(error))
            ):
                wrong = wrong or handed_on(name, args, kwargs)
                if wrong is not None:
                    raise wrong from None
            explain(place, name, args, kwargs)
            raise
        if wrong is not None:
            raise wrong
        return result

    return _named(call, function)


def _is_told(error: Exception) -> bool:
    """Return whether a statement of the package raised an error, so that it is meant to be read, and not
    NumPy.
    """
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None or not trace.tb_frame.f_globals["__name__"].startswith(__package__.partition(".")[0]):
        return False
    code = trace.tb_frame.f_code
    # An attribute that a dtype or a tensor lacks is Python's own error.
    return code.co_name != "__getattr__" and code.co_code[trace.tb_lasti] in _RAISING


_RAISING = frozenset({opmap["RAISE_VARARGS"], opmap["RERAISE"]})


#: Functions of `nn.functional` that look at nothing before they pass their arguments on.
_STRAIGHT = frozenset({"layer_norm", "rms_norm"})

#: What functions of `nn.functional` raise that look at an argument before they pass it on.
_CHECKED = (RuntimeError, ValueError)
#: What kernels raise, which torch reaches when it has read all arguments.
_OF_KERNELS = NotImplementedError


def _with_out(function: Function, printed: str, place: str, name: str) -> Function:
    label = _label(place, name)
    kinds = Kinds(function, place, name)
    safe = kinds.safe

    def call(*args: Any, out: Any = None, **kwargs: Any) -> Any:
        if OVERRIDING:
            named = kwargs if out is None else {**kwargs, "out": out}
            if _overridden((*args, *kwargs.values())):
                return dispatch_override(call, args, named)
            found = intercepted(call, function if out is None else None, label, args, named)
            if found is not PASS:
                return found
        if (kwargs or len(args) > safe or out is not None) and (
            wrong := kinds.wrong(args, kwargs if out is None else {**kwargs, "out": out})
        ) is not None:
            raise wrong
        try:
            if out is None:
                return function(*args, **kwargs)
            return write_out(out, function(*args, **kwargs), printed, _items((*args, *kwargs.values())))
        except Exception as error:
            if isinstance(error, (TypeError, AttributeError)):
                if adopt((*args, *kwargs.values())):
                    return dispatch_override(call, args, kwargs if out is None else {**kwargs, "out": out})
                found = PASS if out is not None else _renamed(function, place, name, args, kwargs)
                if found is not PASS:
                    return found
            explain(place, name, args, kwargs if out is None else {**kwargs, "out": out})
            raise

    return _named(call, function)


def _named(call: Function, function: Function) -> Function:
    call.__name__ = function.__name__
    call.__qualname__ = function.__qualname__
    call.__doc__ = function.__doc__
    call.__module__ = function.__module__
    call.__wrapped__ = function  # type: ignore[attr-defined]  # what `inspect.signature` follows
    return call


def dispatch_override(
    function: Function, args: tuple[Any, ...], kwargs: dict[str, Any], operator: bool = False
) -> Any:
    """Call what the arguments' classes override a function with.

    Where none has an answer, an operator has none either; a function raises.
    """
    relevant = (*args, *kwargs.values())
    result = ask_overrides(function, relevant, args, kwargs)
    if operator or result is not NotImplemented:
        return result
    types = overriding_types(relevant)
    raise TypeError(
        f"Multiple dispatch failed for 'torch.{function.__name__}'; all __torch_function__ handlers returned "
        f"NotImplemented:\n\n" + "\n".join(f"  - tensor subclass {t}" for t in types)
        + "\n\nFor more information, try re-running with TORCH_LOGS=not_implemented"
    )


def overriding_types(relevant: Iterable[Any]) -> list[type]:
    """Return the classes of arguments that override functions, most derived first."""
    types: list[type] = []
    for item in _items(relevant):
        kind = type(item)
        if OVERRIDING.has(kind) and kind not in types:
            position = next((i for i, t in enumerate(types) if issubclass(kind, t)), len(types))
            types.insert(position, kind)
    return types


def ask_overrides(
    function: Function, relevant: Iterable[Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Ask the `__torch_function__` of the relevant arguments' classes; NotImplemented if none answers."""
    function = shown(function)
    types = tuple(overriding_types(relevant))
    result = ask_mode(function, types, args, kwargs)
    if result is not NotImplemented:
        return result
    for kind in types:
        result = kind.__torch_function__(function, types, args, kwargs)  # type: ignore[attr-defined]  # what makes a class override
        if result is not NotImplemented:
            return result
    return NotImplemented


#: Functions whose twins torch lets write to expanded tensors, with a warning.
FILLING = frozenset({"index_fill", "masked_fill"})
#: Functions whose results are bools, which any dtype takes.
COMPARING = frozenset({
    "eq", "ne", "lt", "le", "gt", "ge", "less", "less_equal", "greater", "greater_equal", "not_equal",
    "logical_and", "logical_or", "logical_xor",
})  # fmt: skip
#: Functions that torch also takes by an older signature, a number first.
OLDER = frozenset({"add", "addbmm", "addcdiv", "addcmul", "addmm", "addmv", "addr", "baddbmm", "sub"})
#: Functions whose twins may not read what they write to.
SCATTERING = frozenset({
    "index_add", "index_copy", "index_reduce", "put", "scatter", "scatter_add", "scatter_reduce"
})  # fmt: skip
#: Functions whose twins look for a kernel before they look at what the result would be.
MOVING = FILLING | SCATTERING | {"cumprod", "cumsum", "lerp", "masked_scatter"}


def warn_of_expanded(name: str) -> None:
    """Warn as torch does where an in-place function of a mask or of places writes to an expanded tensor."""
    example = "tensor[indices] = tensor" if name == "index_put_" else "tensor[mask] = scalar"
    warnings.warn(
        f"Use of {name} on expanded tensors is deprecated. Please clone() the tensor before performing this "
        f"operation. This also applies to advanced indexing e.g. {example}",
        stacklevel=4,
    )


#: torch's name for the variant of an in-place op that takes a tensor, as it makes of every number.
VARIANTS = {
    f"{name}_": f"{name}_.Tensor"
    for name in (
        "add", "sub", "mul", "div", "subtract", "multiply", "divide", "true_divide", "remainder", "fmod",
        "floor_divide", "copysign", "atan2", "eq", "ne", "lt", "le", "gt", "ge", "xlogy", "lerp",
    )
}  # fmt: skip


def inplace_twin(
    name: str, function: Function, parts: Function | None = None, operator: bool = False
) -> Function:
    """Derive `name_` from a public function of a tensor.

    Parameters
    ----------
    operator : bool
        It stands behind an operator, which has no answer to what is no tensor and no number.
    parts : callable, optional
        ``parts(*args, **kwargs)`` gives (elementwise op, operands after the first, attributes) of the same
        call; where nothing is recorded and dtypes agree, the op's kernel then writes straight into the
        storage.
    """
    op: Op | None = getattr(function, "op", None)
    fills, apart, has_older = name in FILLING, name in SCATTERING, name in OLDER
    label = name + "_"

    def general(input: Any, *args: Any, **kwargs: Any) -> Any:
        if OVERRIDING:
            if _overridden((input, *args)):
                # An operator such as ``+=`` is a twin of its own, which goes by the method's name.
                called = getattr(facade.Tensor, label, call)
                return dispatch_override(called, (input, *args), kwargs)
            if modes().watcher is not None:
                return intercepted(call, None, label, (input, *args), kwargs)
        if has_older and len(args) > 1 and not isinstance(args[0], TensorBase):
            older = _older("Tensor", label, args, kwargs)
            if older is not None:
                return general(input, **older)
        operands = (*args, *kwargs.values())
        recording = any(isinstance(a, TensorBase) and inplace.requires_grad(a) for a in (input, *operands))
        if modes().differentiating:
            inplace.check_captured(input, VARIANTS.get(label, label))
        writable = False
        if operator:
            dtypes.check_number(args[0])
        try:
            if op is not None and not op.attrs and len(operands) + 1 != len(op.inputs):
                raise TypeError(f"{label}() takes {len(op.inputs)} arguments, not {len(operands) + 1}")
            inplace.check_writable(input, recording, fills, operands, apart)
            if apart:
                for operand in operands:
                    if isinstance(operand, TensorBase):
                        inplace.check_apart(input._value, operand._value)
            if fills and isinstance(input._value, ndarray) and overlap.overlaps_itself(input._value):
                warn_of_expanded(name + "_")
            writable = True
            new = function(input, *args, **kwargs)
        except NotImplementedError:
            if operator and not _is_operand(args[0]):
                return NotImplemented
            # torch looks at the result's shape and dtype before it looks for a kernel.
            if name not in MOVING:
                inplace.refuse_result(input, operands, of_bools=name in COMPARING)
            raise
        except Exception:
            if operator and not _is_operand(args[0]):
                return NotImplemented
            explain("Tensor", name + "_", (input, *args), kwargs)
            if writable and operands:
                check_result(label, input, operands[0])
            raise
        if new is input:
            return input
        check_stored(label, input, operands, new)
        return inplace.store(input, new)

    call = general
    if op is not None and op.kind == "elementwise" and not op.attrs and isinstance(op.kernel, np.ufunc):
        call = _fast_unary(op, general) if len(op.inputs) == 1 else _fast_binary(op, general)
    elif parts is not None:
        call = _fast_parts(parts, general)
    call.__name__ = call.__qualname__ = name + "_"
    call.__doc__ = f"Write what :func:`{name}` gives into `input`, and return it."
    return call


def _is_operand(value: Any) -> bool:
    return isinstance(value, (TensorBase, bool, int, float, complex, np.generic))


def _lies_apart(array: ndarray) -> bool:
    """Return whether each element has its own place in memory; a detached view, which has no record, may
    not.
    """
    return array.flags.c_contiguous or not overlaps_itself(array)


def _fast_unary(op: Op, general: Function) -> Function:
    kernel = op.kernel

    def call(input: Any, *surplus: Any, **named: Any) -> Any:
        if (type(input) is facade.Tensor or type(input) is facade.Parameter) and not surplus and not named:
            a = input._value
            plain = type(a) is ndarray and (a.dtype is calls.F32 or a.dtype is calls.F64)
            mode = modes()
            free = (mode is NO_GRAD or (mode is DEFAULT and input._node is None)) and type(
                input._counter
            ) is list
            if plain and free and input._view is None and (a.base is None or _lies_apart(a)):
                token = quiet(IGNORE)
                try:
                    kernel(a, out=a)
                except TypeError:
                    return general(input)
                finally:
                    loud(token)
                written(input._counter)
                return input
        return general(input, *surplus, **named)

    return call


def _fast_binary(op: Op, general: Function) -> Function:
    kernel = op.kernel
    of_integers = kernel in (np.add, np.subtract, np.multiply)
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
                    return general(input, *_present(other))
                mode = modes()
                if (
                    (mode is NO_GRAD or (mode is DEFAULT and free))
                    and type(input._counter) is list
                    and (a.base is None or _lies_apart(a))
                ):
                    token = quiet(IGNORE)
                    try:
                        kernel(a, b, out=a)
                    except (TypeError, OverflowError):
                        return general(input, other)
                    finally:
                        loud(token)
                    written(input._counter)
                    return input
        return general(input, *_present(other, *surplus), **named)

    call.__wrapped__ = _twin_of_two  # type: ignore[attr-defined]  # what `inspect.signature` follows
    return call


def _twin_of_two(input: Any, other: Any) -> Any:
    """Return the signature of the twins of ops with two inputs."""


def _present(*args: Any) -> tuple[Any, ...]:
    return tuple(v for v in args if v is not calls.ABSENT)


def _fast_parts(parts: Function, general: Function) -> Function:
    def call(input: Any, *args: Any, **kwargs: Any) -> Any:
        if type(input) is facade.Tensor or type(input) is facade.Parameter:
            a = input._value
            mode = modes()
            free = (mode is NO_GRAD or (mode is DEFAULT and input._node is None)) and type(
                input._counter
            ) is list
            if (
                free
                and type(a) is ndarray
                and input._view is None
                and (a.dtype is calls.F32 or a.dtype is calls.F64)
                and (a.base is None or _lies_apart(a))
            ):
                try:
                    op, operands, attrs = parts(*args, **kwargs)
                except TypeError:
                    return general(input, *args, **kwargs)
                arrays = []
                # A loop: `all` over a generator takes 0.4 µs of an optimizer's 3.5 for a parameter.
                for v in operands:
                    plain = _plain_operand(v, a, mode is NO_GRAD)
                    if plain is None:
                        break
                    arrays.append(plain)
                if op is not None and len(arrays) == len(operands):
                    token = quiet(IGNORE)
                    try:
                        if op.parallel and a.size >= WORTH_ASKING:
                            apply(op.kernel, a, *arrays, out=a)
                        else:
                            op.kernel(a, *arrays, *attrs, out=a)
                    finally:
                        loud(token)
                    written(input._counter)
                    return input
        return general(input, *args, **kwargs)

    return call


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


def install(facade: type, functions: dict[str, Any]) -> None:
    """Attach methods and in-place twins to the facade and collect the functions of the top-level
    namespace.
    """
    for d in REGISTRY:
        if d.method is not None and not hasattr(facade, d.name):
            setattr(facade, d.name, d.method)
        if d.inplace and not hasattr(facade, d.name + "_"):
            parts = d.inplace if callable(d.inplace) else None
            setattr(facade, d.name + "_", inplace_twin(d.name, d.written or d.function, parts))
    functions.update({d.name: d.function for d in REGISTRY if d.is_function and d.namespace == ""})
    functions.update({name: published(function, name) for name, function in functions.items()})


def names(namespace: str) -> dict[str, Function]:
    """Return the functions declared in a namespace such as 'linalg'."""
    found = {d.name: d.function for d in REGISTRY if d.namespace == namespace}
    tell(namespace, found)
    return {name: published(function, name, namespace) for name, function in found.items()}


def public_call(op: Op, inputs: tuple[Any, ...], named: Mapping[str, Any], method: str = "") -> Any:
    """Treat what a public closure does not do inline: checks, overrides, `out=`, foreign operands
    of an operator; `method` is the name of the method that was called.
    """
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
    if operator and not _is_operand(inputs[-1]) and not adopt(inputs):
        # torch's == takes arrays; its != does not, so Python compares identities.
        if op.name != "eq" or not isinstance(inputs[-1], ndarray):
            return NotImplemented
        inputs = (inputs[0], wrap(inputs[-1]))
    if OVERRIDING:
        named = {} if out is None else {"out": out}
        if _overridden(inputs):
            return dispatch_override(_called(op, method), inputs, named, operator)
        behind = None if named else partial(_checked_call, op, method)
        found = intercepted(op.public, behind, op.name, inputs, named)
        if found is not PASS:
            return found
    return _checked_call(op, method, *inputs, out=out)


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
    if (OVERRIDING and _overridden(operands)) or (
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
    left = {_NUMPY_NAMES.get(key, key): value for key, value in named.items()}
    if len(left) < len(named):
        return inputs, dict(named)
    places = dict(zip(("input", "other"), inputs))
    found = [left.pop(name, v) if v is calls.ABSENT else v for name, v in places.items()]
    return (*found, *inputs[2:]), dict(named) if left.keys() - {"out"} else left


def _wrong_call(op: Op, inputs: tuple[Any, ...], named: Mapping[str, Any], method: str) -> Exception:
    """Build the error for a call with too few, too many, unknown or wrong named arguments."""
    given = _present(*inputs)
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
        if isinstance(v, (bool, int, float, complex)):
            dtypes.check_number(v)
            return v
        if isinstance(v, np.generic) and v.dtype.kind in "biufc":
            return v.item()
    name = ("input", "other")[min(position, 1)]
    raise errors.argument_type(op.name, name, position + (not method), "Tensor", v)


facade.provide(public_call=public_call)

__all__ = ["REGISTRY", "TABLE", "install", "inplace_twin", "names", "public", "public_op", "write_out"]
