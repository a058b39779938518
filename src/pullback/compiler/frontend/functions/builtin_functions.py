"""Say what functions do that are not written in Python: a rule for each that is known.

A function without a rule is one of which nothing is known, and the trace refuses its call.
"""

import abc
import builtins
import functools
import io
import math
import operator
import sys
import threading
from enum import EnumMeta
from types import FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from ....array import dtypes
from ....core.size import Size
from ....core.value import TensorBase
from ....tensor.api import REGISTRY
from ....tensor.properties import is_tensor
from ....tensor.python_protocol import warn_of_lost_history
from ....tensor.tensor import Tensor
from ..bytecode.hooks import HOOKS
from ..operations import (
    attributes,
    calls,
    containers,
    formatting,
    operators,
    subscripts,
)
from ..state.deferred import Applied, Deferred, Elements, Item, comes_before
from ..state.guards import ABSENT, COMPARED, SCALARS, Contents, answer, class_dict, is_heap_type
from ..state.number_kinds import kind_of_result
from ..state.session import Session
from ..unsupported import OnlyNow
from . import native_functions, outside_functions
from .rules import rule


def refuse(session: Session, f: object) -> Exception:
    """Return the error for a function of which nothing is known."""
    return session.refusal(f"it calls {calls.name_of(f)}, of which nothing is known")


# --- functions of plain values ------------------------------------------------------------------------------

_PURE = frozenset(map(id, [
    *(f for name, f in vars(math).items() if callable(f) and name not in ("fsum", "prod", "sumprod", "dist")),
    builtins.round, builtins.divmod, builtins.chr, builtins.ord, builtins.bin, builtins.hex, builtins.oct,
    operator.index,
]))  # fmt: skip


def _pure(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function of plain values; of deferred ones it is deferred."""
    if any(isinstance(a, TensorBase) for a in args):
        if f in _NOT_OF_TENSORS or not all(_is_taken(f, a) for a in args if isinstance(a, TensorBase)):
            # It raises an error, or asks the tensor for what a trace does not have.
            return f(*args, **kwargs)
        args = tuple(_number(session, a) if isinstance(a, TensorBase) else a for a in args)
    every = (*args, *kwargs.values())
    later = any(isinstance(a, Deferred) for a in every)
    if all(isinstance(a, Deferred) or operators.is_plain(a) for a in every) and not (later and kwargs):
        if not later:
            return f(*args, **kwargs)
        kind = kind_of_result(f, args)
        if kind not in (int, float) and all(comes_before(a) for a in args if isinstance(a, Deferred)):
            return f(*map(operators._known, args))
        return operators.deferred(session, f, args, kind)
    raise session.refusal(f"it passes an object of the user's to {calls.name_of(f)}")


#: Functions that ask for a method of their own, which tensors do not have.
_NOT_OF_TENSORS = (builtins.round, builtins.divmod, math.trunc)


def _is_taken(f: Any, t: Any) -> bool:
    """Return whether a function takes a tensor for a number: those outside of `math` take integers alone."""
    return f.__module__ == "math" or not (t.dtype.is_floating_point or t.dtype.is_complex)


def _number(session: Session, t: Any) -> Any:
    return float_of(session, t) if t.dtype.is_floating_point else int_of(session, t)


@rule(builtins.pow)
def _pow(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if len(args) == 2:
        return HOOKS.binary["**"](*args)
    return _pure(session, f, args, kwargs)


@rule(str)
def _str(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if len(args) != 1 or kwargs:
        return _pure(session, f, args, kwargs)
    return formatting.text_of(session, args[0], str)


@rule(builtins.hash)
def _hash(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if operators.is_plain(args[0]) and not _holds_tensor(args[0]):
        return hash(args[0])
    raise session.refusal(f"it asks for the hash of a {type(args[0]).__name__}")


def _holds_tensor(value: object) -> bool:
    if isinstance(value, (tuple, frozenset, list)):
        return any(map(_holds_tensor, value))
    return isinstance(value, TensorBase)


@rule(builtins.id)
def _id(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    (thing,) = args
    if isinstance(thing, TensorBase):
        alike = session.cells.is_cell(thing) and not session.cells.is_argument(thing)
    elif isinstance(thing, (type, ModuleType, FunctionType)):
        alike = not session.is_fresh(thing)
    else:
        alike = is_told_by_identity(session, thing)
    if alike or native_functions.from_our_code():
        session.told(thing)
        return id(thing)
    raise session.refusal("it asks for the id of an object")


def is_told_by_identity(session: Session, thing: object) -> bool:
    """Return whether an object stands in the user's state, where each call looks for this very one."""
    found = session.was_there(thing) and id(thing) not in session.arguments and not session.is_fresh(thing)
    return found and not isinstance(thing, (*COMPARED, np.generic))


@rule(sys.exc_info)
def _handled(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return that no error is being handled, by the callers of the function neither."""
    found = f()
    if found[0] is not None:
        raise session.refusal("it asks for the error that is being handled", OnlyNow)
    session.note(Contents(answer, f, (), found), (id(f), "answer"))
    return found


@rule(sys.getrecursionlimit, threading.get_ident)
def _guarded(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return what a function says without arguments; each call asks it again."""
    return session.ask(f)


# --- numbers ------------------------------------------------------------------------------------------------


def _scalar(session: Session, t: Any) -> Any:
    """Return a tensor's only element, as the tensor holds it now."""
    return formatting.as_it_is_now(t) if t.numel() == 1 else None


def item_of(session: Session, t: Any) -> Any:
    """Return ``t.item()``."""
    alone = _scalar(session, t) if session.cells.is_traced(t) else None
    if alone is None:
        return t.item()
    kind = t.dtype
    return Item(session, complex if kind.is_complex else float if kind.is_floating_point else
                bool if kind is dtypes.bool else int, alone, None)  # fmt: skip


def float_of(session: Session, t: object) -> Any:
    """Return ``float(t)``."""
    return _converted(session, t, float)


def int_of(session: Session, t: object) -> Any:
    """Return ``int(t)``."""
    return _converted(session, t, int)


def _converted(session: Session, t: Any, kind: Any) -> Any:
    alone = _scalar(session, t) if session.cells.is_traced(t) and not t.is_complex() else None
    if alone is None:
        return kind(t)
    if kind is float:
        warn_of_lost_history(t)
    return Item(session, kind, alone, kind)


def is_single(session: Session, value: object) -> bool:
    """Return whether a value is a traced tensor of one element."""
    tensor: Any = value
    return isinstance(value, TensorBase) and session.cells.is_traced(value) and tensor.numel() == 1


def bool_of(session: Session, t: object) -> Item:
    """Return ``bool(t)`` of a traced tensor of one element."""
    return Item(session, bool, _scalar(session, t), bool)


@rule(
    *(d.function for d in REGISTRY if d.name in ("equal", "allclose") and not d.namespace),
    Tensor.equal, Tensor.allclose,
)  # fmt: skip
def _are_alike(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Compare two tensors in the program."""
    if len(args) < 2 or not all(isinstance(t, TensorBase) for t in args[:2]):
        return f(*args, **kwargs)
    if not any(map(session.cells.is_traced, args[:2])):
        return f(*args, **kwargs)
    first, second, *rest = args
    if f.__name__ == "allclose":
        return bool_of(session, first.isclose(second, *rest, **kwargs).all())
    alike = first.shape == second.shape
    return bool_of(session, (first == second).all()) if alike else f(*args, **kwargs)


def index_of(session: Session, t: object) -> Any:
    """Return a tensor of one integer as that number; any other as it is."""
    return int_of(session, t) if is_single(session, t) and _is_taken(operator.index, t) else t


@rule(Tensor.tolist)
def _tolist(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    (t,) = args
    if not formatting.is_plain(session, t):
        return f(t)
    return Elements(session, list, formatting.as_it_is_now(t), f) if t.shape else item_of(session, t)


@rule(Tensor.numpy)
def _numpy(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    found = None if len(args) > 1 or kwargs else outside_functions.array_of(session, args[0])
    return f(*args, **kwargs) if found is None else found


@rule(int, float, complex)
def _convert(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if len(args) == 1 and not kwargs:
        value = args[0]
        if isinstance(value, TensorBase) and f is not complex:
            return float_of(session, value) if f is float else int_of(session, value)
        if isinstance(value, Deferred):
            return operators.deferred(session, f, args, f)
        if not operators.is_plain(value):
            for name in (f"__{f.__name__}__", "__index__"):
                method = session.lookup(type(value), name)
                if type(method) is FunctionType:
                    session.typed(value)
                    found = calls.call_function(session, method, (value,), {})
                    kind = found.kind if isinstance(found, Deferred) else type(found)
                    return found if kind is f else operators.taken(f, value, name, operators._known(found))
            if isinstance(value, (int, float, str)):
                return f(value)
    return _pure(session, f, args, kwargs)


@rule(bool)
def _bool(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if args and isinstance(args[0], Deferred) and not comes_before(args[0]):
        return Applied(session, bool, bool, args)
    if args and is_single(session, args[0]):
        return bool_of(session, args[0])
    return operators.truth(args[0]) if args else False


# --- objects ------------------------------------------------------------------------------------------------


@rule(builtins.len)
def _len(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    thing = containers.behind_proxy(*args)
    if type(thing) in (str, bytes, range, Size) or isinstance(thing, TensorBase):
        return len(thing)
    if containers.is_view(thing):
        containers.follow_view(session, thing)
        return len(thing)
    if isinstance(thing, Elements) and thing.kind is not str and thing.shape:
        return thing.shape[0]
    if isinstance(thing, Deferred):
        return Applied(session, int, len, (thing,))
    if containers.is_container(thing):
        return containers.length(session, thing)
    session.typed(thing)
    method = session.lookup(type(thing), "__len__")
    if type(method) is FunctionType:
        return containers.counted(thing, calls.call_function(session, method, (thing,), {}))
    if method is ABSENT or session.is_fresh(thing) or isinstance(thing, str | bytes):
        return len(thing)
    raise session.refusal(f"it asks for the length of a {type(thing).__name__}")


@rule(builtins.isinstance, builtins.issubclass)
def _isinstance(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    thing, classes = args
    session.typed(thing)
    if f is issubclass and isinstance(thing, type):
        session.mro(thing)
    elif not isinstance(thing, (TensorBase, Deferred)):
        session.mro(type(thing))
        if session.lookup(type(thing), "__class__") is not vars(object)["__class__"]:
            raise session.refusal(f"a {type(thing).__name__} says itself of which class it is")
    for cls in _flat(classes):
        meta = type(cls)
        if isinstance(cls, type) and meta in (type, EnumMeta):
            continue
        check = session.lookup(meta, "__instancecheck__" if f is isinstance else "__subclasscheck__")
        if check is vars(type).get("__instancecheck__" if f is isinstance else "__subclasscheck__"):
            continue
        if isinstance(cls, abc.ABCMeta) and not getattr(cls, "_is_protocol", False) and (
            check is vars(abc.ABCMeta).get("__instancecheck__" if f is isinstance else "__subclasscheck__")
        ):
            # It changes when a class is registered with any abstract one.
            session.ask(abc.get_cache_token)
            if type(session.lookup(cls, "__subclasshook__")) is not classmethod:
                continue
            hook = session.lookup(cls, "__subclasshook__")
            if hook.__func__.__module__ in ("collections.abc", "_collections_abc", "os", "contextlib"):
                continue
        if type(check) is FunctionType and _is_of_tensors(cls):
            continue
        if not isinstance(cls, type) and type(cls).__module__ in ("types", "typing"):
            continue
        raise session.refusal(f"it asks whether something is a {calls.name_of(cls)}")
    if isinstance(thing, Deferred):
        if thing.kind is object:
            raise session.refusal("it asks for the type of a number that a tensor will give")
        return issubclass(thing.kind, classes)
    return f(thing, classes)


# It is asked of any object, which call_native would not pass on.
rule(is_tensor)(lambda session, f, args, kwargs: _isinstance(session, isinstance, (*args, Tensor), kwargs))


def _flat(classes: object) -> list[Any]:
    return [c for each in classes for c in _flat(each)] if isinstance(classes, tuple) else [classes]


def _is_of_tensors(cls: type) -> bool:
    """Return whether a class is one of ours whose instances are told by what tensors are."""
    return cls.__module__.partition(".")[0] in ("torch", "pullback")


@rule(builtins.getattr)
def _getattr(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    thing, name, *default = args
    try:
        return attributes.load_attribute(thing, operators._known(name))
    except AttributeError:
        if not default:
            raise
        return default[0]


@rule(builtins.hasattr)
def _hasattr(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    try:
        attributes.load_attribute(*map(operators._known, args))
    except AttributeError:
        return False
    return True


@rule(builtins.callable)
def _callable(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    session.typed(args[0])
    if not isinstance(args[0], (type, FunctionType, MethodType)):
        session.lookup(type(args[0]), "__call__")
    return callable(args[0])


@rule(type)
def _type(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if len(args) != 1:
        raise session.refusal("it makes a class")
    if isinstance(args[0], Deferred):
        if args[0].kind is object:
            raise session.refusal("it asks for the type of a number that a tensor will give")
        return args[0].kind
    session.typed(args[0])
    return type(args[0])


@rule(builtins.dir)
def _dir(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    cls = args[0] if args else None
    if not isinstance(cls, type) or session.lookup(type(cls), "__dir__") is not type.__dir__:
        raise refuse(session, f)
    for base in session.mro(cls):
        if is_heap_type(base):
            session.dict_keys(class_dict(base))
    return session.made(f(*args))


@rule(builtins.vars)
def _vars(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    thing = args[0]
    if isinstance(thing, ModuleType):
        return vars(thing)
    if isinstance(thing, (type, TensorBase)):
        raise session.refusal(f"it calls vars of a {type(thing).__name__}")
    session.typed(thing)
    held = session.dict_of(thing)
    return vars(thing) if held is None else held


@rule(functools.partial)
def _partial(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return new_partial(session, f.__new__, (f, *args), kwargs)


def new_partial(session: Session, new: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return a new partial, perhaps of a derived class."""
    for function in args[1:2]:
        if isinstance(function, functools.partial):  # the new one takes over what that holds
            calls.keywords_of(session, function)
    made: Any = session.made(new(*args, **kwargs))
    session.made(made.keywords)
    return made


rule(builtins.abs)(lambda session, f, args, kwargs: operators._unary(abs, "__abs__")(*args))
rule(builtins.repr, builtins.ascii)(
    lambda session, f, args, kwargs: formatting.text_of(session, args[0], f)
)
rule(builtins.format)(
    lambda session, f, args, kwargs: formatting.formatted((args[0], 0, args[1] if len(args) > 1 else ""))
)
rule(Tensor.item)(lambda session, f, args, kwargs: item_of(session, *args))
rule(Tensor.__float__)(lambda session, f, args, kwargs: float_of(session, *args))
rule(builtins.setattr)(
    lambda session, f, args, kwargs: attributes.store_attribute((args[2], args[0], operators._known(args[1])))
)
rule(builtins.delattr)(
    lambda session, f, args, kwargs: attributes.delete_attribute(*map(operators._known, args))
)
rule(super)(lambda session, f, args, kwargs: super(*args))
rule(slice, range)(
    lambda session, f, args, kwargs: _pure(session, f, tuple(map(subscripts.index_of, args)), kwargs)
)
rule(
    object, property, classmethod, staticmethod, operator.attrgetter, operator.itemgetter,
    operator.methodcaller,
)(
    # A name may be a text of the call's.
    lambda session, f, args, kwargs: session.made(f(*map(operators.known_text, args), **kwargs))
)  # fmt: skip


# --- state that Python keeps elsewhere ----------------------------------------------------------------------


_STREAMS = (io.TextIOWrapper, io.StringIO)


@rule(builtins.print)
def _print(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    stream = kwargs.get("file") or sys.stdout
    if not kwargs.get("file") and session.was_written(vars(sys), "stdout"):
        kwargs = {**kwargs, "file": stream}
    if not isinstance(stream, _STREAMS):
        raise session.refusal("it prints to something that is no stream of Python's own")
    shown = tuple(formatting.text_of(session, a, str) for a in args)
    for value in kwargs.values():
        if type(value) not in SCALARS and value is not stream:
            raise session.refusal("it prints with arguments that are not known")
    session.effect(_printed, kwargs, *shown)


def _printed(kwargs: dict[str, Any], *shown: str) -> None:
    builtins.print(*shown, **kwargs)


def _written(stream: Any, text: str) -> None:
    stream.write(text)
