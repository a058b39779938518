"""Read the arguments of public calls: overrides come first, torch's errors when a call has failed.

A public function runs as it is. Only where it fails, or is given what is no tensor of this package, is it
asked what its arguments are; that costs calls that succeed nothing.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from opcode import opmap
from typing import Any

from .. import errors
from ..array import dtypes
from ..core import facade
from ..core.calls import ABSENT
from ..core.modes import modes
from ..core.value import TensorBase
from ..core.warn import warn_once
from .builtin import shown
from .inline_cache.cache import HOT, InlineCache
from .interception import OVERRIDING, PASS, Active, ask_mode, holds, intercepted
from .out import write_out
from .wrong_calls import EVERY, Kinds, converted, deprecated_call, handed_on, wrong_call

Function = Callable[..., Any]


def _items(args: Iterable[Any]) -> Iterator[Any]:
    """Yield the arguments, and what is in those that are lists or tuples."""
    for a in args:
        if isinstance(a, (list, tuple)):
            yield from a
        else:
            yield a


def overridden(args: Iterable[Any]) -> bool:
    """Return whether a function mode is on, or the class of an argument overrides functions."""
    now = modes()
    if now.function_modes or now.function_disabled:
        return bool(now.function_modes)
    # A program that has such a class pays this in every call: 0.5 µs for two tensors and a
    # number, 1.0 by a generator.
    for item in args:
        kind = type(item)
        if kind in _PLAIN:
            continue
        if isinstance(item, (list, tuple)):
            for inner in item:
                if holds(OVERRIDING, type(inner)):
                    return True
        elif holds(OVERRIDING, kind):
            return True
    return False


#: Types that override nothing.
_PLAIN = frozenset({int, float, bool, str, type(None)})
_KNOWN = _PLAIN | {type(ABSENT), dtypes.dtype, slice, type(...)}


def undisturbed(a: Any, b: Any = ABSENT, c: Any = ABSENT, d: Any = ABSENT) -> bool:
    """Return whether arguments by place override nothing and no thread has a mode on, where some class
    overrides functions: 0.2 µs instead of the 1.2 that `general` takes to find that out.
    """
    if holds(OVERRIDING, Active):
        return False
    tensor = facade.Tensor
    if not (type(a) is tensor or _is_known(a)):
        return False
    if b is ABSENT or (c is ABSENT and type(b) is tensor):
        return True
    return _is_known(b) and _is_known(c) and _is_known(d)


def _none_overrides(named: dict[str, Any], more: tuple[Any, ...], *given: Any) -> bool:
    """Return `undisturbed` for more arguments by place, and by name, too."""
    return undisturbed(*given) and all(map(_is_known, more)) and all(map(_is_known, named.values()))


def _is_known(item: Any) -> bool:
    """Return whether an argument overrides nothing, nor what is in it."""
    kind = type(item)
    if kind in _KNOWN or kind is facade.Tensor or kind is facade.Parameter:
        return True
    if kind is not list and kind is not tuple:
        return False
    for inner in item:
        kind = type(inner)
        if kind not in _KNOWN and kind is not facade.Tensor and kind is not facade.Parameter:
            return False
    return True


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
NUMPY_NAMES = {
    "axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other",
}


#: Functions of torch's in Python, which do not.
IN_PYTHON = frozenset({
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
    older = older_call(place, name, args[len(own) :], kwargs)
    if older is not None:
        return function(*own, **older)
    if place == "nn" or name in IN_PYTHON:
        named = dict(kwargs)
    else:
        named = {NUMPY_NAMES.get(key, key): value for key, value in kwargs.items()}
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


def older_call(place: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any] | None:
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

    def general(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        # Overrides are told of this name; the function would tell them of its own.
        asked = OVERRIDING or (place != "Tensor" and _are_foreign(args))
        if asked and overridden((*args, *kwargs.values())):
            return dispatch_override(call, args, kwargs)
        try:
            return method(*args, **kwargs)
        except Exception:
            explain(place, name, args, kwargs)
            raise

    def failed(error: Exception, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        explain(place, name, args, kwargs)
        return PASS

    def of_tensors(a: Any = ABSENT, b: Any = ABSENT, /, *more: Any, **named: Any) -> Any:
        if type(a) is facade.Tensor and not (named or more) and (not OVERRIDING or undisturbed(a, b)):
            try:
                if b is ABSENT:
                    return method(a)
                if type(b) is facade.Tensor or type(b) in _PLAIN:
                    return method(a, b)
            except Exception:
                explain(place, name, _given(a, b, ABSENT, ABSENT), {})
                raise
        return general((*_given(a, b, ABSENT, ABSENT), *more), named)

    call = at_once(method, general, failed) if place == "Tensor" else of_tensors
    return _named(call, method)


def _are_foreign(args: tuple[Any, ...]) -> bool:
    """Return whether arguments of classes that are no tensors override functions."""
    plain = facade.Tensor
    for value in _items(args):
        if type(value) is not plain and type(value) not in _PLAIN:
            return adopt(args)
    return False


def with_overrides(
    function: Function, place: str, name: str,
    arranged: Callable[[tuple[Any, ...]], tuple[Any, ...]] | None = None, mirrors: bool = False,
    numpy: bool = False,
) -> Function:
    """Return a public function that asks overrides first, and has torch's errors where it fails."""
    label = _label(place, name)
    kinds = Kinds(function, place, name)

    def general(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if OVERRIDING:
            if arranged is not None:
                args = arranged(args)
            if overridden((*args, *kwargs.values()) if kwargs else args):
                return dispatch_override(call, args, kwargs)
            found = intercepted(call, function, label, args, kwargs)
            if found is not PASS:
                return found
        wrong = kinds.wrong(args, kwargs) if kwargs or len(args) > kinds.safe else None
        if wrong is not None and (place != "nn" or name in _STRAIGHT):
            raise wrong
        try:
            result = function(*args, **(_in_torchs_names(kwargs) if numpy else kwargs))
        except Exception as error:  # raised again, or the call is done otherwise
            found = failed(error, args, kwargs, wrong)
            if found is PASS:
                raise
            return found
        if wrong is not None:
            raise wrong
        return result

    def failed(
        error: Exception, args: tuple[Any, ...], kwargs: dict[str, Any], wrong: Exception | None = None
    ) -> Any:
        if isinstance(error, (TypeError, AttributeError)):
            if adopt((*args, *kwargs.values())):
                return dispatch_override(call, args, kwargs)
            found = _renamed(function, place, name, args, kwargs)
            if found is not PASS:
                return found
        if mirrors and not _is_told(error):
            return PASS
        if place == "nn" and (
            name in _STRAIGHT
            or isinstance(error, _OF_KERNELS)
            or not (isinstance(error, _CHECKED) and _is_told(error))
        ):
            wrong = wrong or handed_on(name, args, kwargs)
            if wrong is not None:
                raise wrong from None
        explain(place, name, args, kwargs)
        return PASS

    call = at_once(function, general, failed, kinds)
    return _named(call, function)


def at_once(
    function: Function, general: Function, failed: Function, kinds: Kinds | None = None
) -> Function:
    """Return a public function that is called at once where up to four arguments are given by place, none of
    which has to be looked at before, and nothing overrides functions; else `general` does the call. Of one
    that reads its arguments with a parser, that is not asked where they are so many tensors: then it is the
    function `behind` the parser that is called. Before all that, its inline cache is asked.

    Parameters
    ----------
    general : callable
        ``general(args, kwargs)`` does any call.
    failed : callable
        ``failed(error, args, kwargs)`` says what is wrong with a call that failed, or does it otherwise;
        `PASS` where the error is to be raised again. It does not raise it itself: a frame in the error's
        traceback that holds the error would be a cycle.
    kinds : Kinds, optional
        Tells how many arguments need no look; by default none needs one.
    """
    behind, taken = getattr(function, "behind", function), getattr(function, "taken", 0)
    kinds = None if hasattr(function, "taken") else kinds
    cached: Function | None = None
    safe, whole = EVERY if kinds is None else 0, general

    def use(found: Function | None) -> None:
        nonlocal cached
        cached = found

    def first(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        nonlocal safe, whole
        whole = general
        if kinds is not None:
            safe = kinds.safe
        return general(args, kwargs)

    whole = first
    cache = InlineCache(function, kinds, general, use)
    specialise = cache.specialise
    cached = None if function.__name__.endswith("_") else cache.count

    # Without ``*args`` and ``**kwargs`` a call of the function costs 80 ns less.
    def call(
        a: Any = ABSENT, b: Any = ABSENT, c: Any = ABSENT, d: Any = ABSENT, /, *more: Any, **named: Any
    ) -> Any:
        if not (named or more):
            if not OVERRIDING or undisturbed(a, b, c, d):
                found = None if cached is None else cached(a, b, c, d)
                if found is HOT:
                    found = specialise(a, b, c, d)
                if found is not None:
                    return found
                tensor = facade.Tensor
                try:
                    if b is ABSENT:
                        if a is not ABSENT and safe:
                            return (behind if taken == 1 and type(a) is tensor else function)(a)
                    elif c is ABSENT:
                        if safe > 1:
                            plain = taken == 2 and type(a) is type(b) is tensor
                            return (behind if plain else function)(a, b)
                    elif d is ABSENT:
                        if safe > 2:
                            plain = taken == 3 and type(a) is type(b) is type(c) is tensor
                            return (behind if plain else function)(a, b, c)
                    elif safe > 3:
                        return function(a, b, c, d)
                except Exception as error:  # raised again, or the call is done otherwise
                    found = failed(error, _given(a, b, c, d), {})
                    if found is PASS:
                        raise
                    return found
        elif cached is not None and (not OVERRIDING or _none_overrides(named, more, a, b, c, d)):
            found = cached(a, b, c, d, named, *more)
            if found is HOT:
                found = specialise(a, b, c, d, *more, named=named)
            if found is not None:
                return found
        return whole((*_given(a, b, c, d), *more), named)

    return call


def _given(a: Any, b: Any, c: Any, d: Any) -> tuple[Any, ...]:
    if b is ABSENT:
        return () if a is ABSENT else (a,)
    return (a, b) if c is ABSENT else (a, b, c) if d is ABSENT else (a, b, c, d)


def _in_torchs_names(kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments with NumPy's names of a reduction's dims replaced by torch's."""
    for theirs, ours in (("axis", "dim"), ("keepdims", "keepdim")):
        if theirs in kwargs and ours not in kwargs:
            kwargs = {ours if key == theirs else key: value for key, value in kwargs.items()}
    return kwargs


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


def with_out(function: Function, printed: str, place: str, name: str, numpy: bool = False) -> Function:
    """Return the same of a function that has `out`."""
    label = _label(place, name)
    kinds = Kinds(function, place, name)

    def general(args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        out = named.get("out")
        if "out" in named:
            kwargs = {key: value for key, value in named.items() if key != "out"}
            named = kwargs if out is None else named
        else:
            kwargs = named
        if OVERRIDING:
            if overridden((*args, *kwargs.values()) if kwargs else args):
                return dispatch_override(call, args, named)
            found = intercepted(call, function if out is None else None, label, args, named)
            if found is not PASS:
                return found
        if (named or len(args) > kinds.safe) and (wrong := kinds.wrong(args, named)) is not None:
            raise wrong
        if numpy:
            kwargs = _in_torchs_names(kwargs)
        try:
            if out is None:
                return function(*args, **kwargs)
            return write_out(out, function(*args, **kwargs), printed, _items((*args, *kwargs.values())))
        except Exception as error:  # raised again, or the call is done otherwise
            found = failed(error, args, named)
            if found is PASS:
                raise
            return found

    def failed(error: Exception, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        if isinstance(error, (TypeError, AttributeError)):
            if adopt((*args, *[value for key, value in named.items() if key != "out"])):
                return dispatch_override(call, args, named)
            found = PASS if "out" in named else _renamed(function, place, name, args, named)
            if found is not PASS:
                return found
        explain(place, name, args, named)
        return PASS

    call = at_once(function, general, failed, kinds)
    call.takes_out = True  # type: ignore[attr-defined]  # what the stubs ask
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
