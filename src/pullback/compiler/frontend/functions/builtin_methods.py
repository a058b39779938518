"""Rules of methods of built-in classes, of functions in C modules, and of NumPy's functions."""

import contextvars
import decimal
import functools
import itertools
import re
from collections import OrderedDict, deque
from collections.abc import Callable
from types import (
    FunctionType,
    GeneratorType,
    MappingProxyType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    UnionType,
)
from typing import Any

import numpy as np

from ....core.modes import modes
from ....core.value import TensorBase
from ....ops.python_numbers import UFUNCS
from ..operations import (
    attributes,
    calls,
    containers,
    formatting,
    iteration,
    operators,
)
from ..state import draws
from ..state.deferred import NUMBERS, Applied, Deferred, comes_before
from ..state.guards import COMPARED, Contents, Guard, answer
from ..state.number_kinds import kind_of, kind_of_result
from ..state.session import Session
from . import builtin_functions, container_methods, outside_functions

_IMMUTABLE = (
    str, bytes, int, float, complex, bool, range, slice, type(None), re.Pattern, re.Match, np.generic,
    np.dtype,
    *COMPARED,
)  # fmt: skip

_COMPARING = frozenset({"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"})
_COMPARED_BY_CONTENTS = (int, float, str, bytes)

#: What `new_builtin` answers where it does not know how an object is made.
COMPLETE: Any = object()


def call_builtin(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function or a bound method that is written in C."""
    owner, name = f.__self__, f.__name__
    if owner is None or isinstance(owner, ModuleType):
        if (f.__module__ or "").startswith("numpy"):
            return call_numpy(session, f, args, kwargs)
        if id(f) in builtin_functions._PURE:
            return builtin_functions._pure(session, f, args, kwargs)
        if (rule := outside_functions.rule_of(f)) is not None:
            return rule(session, f, args, kwargs)
        raise builtin_functions.refuse(session, f)
    if name == "__new__" and isinstance(owner, type):
        return _new(session, f, args, kwargs)
    if isinstance(owner, type):
        return _class_method(session, f, owner, name, args, kwargs)
    of_object = name in _OF_OBJECTS and _is_of_object(owner, name)
    if of_object and type(owner) not in containers.EXACT and not isinstance(owner, _IMMUTABLE):
        # A dict or a list of a derived class has attributes, too.
        return _OF_OBJECTS[name](session, owner, args, kwargs)
    if containers.is_container(owner):
        return container_methods.method(session, owner, name, args, kwargs)
    if isinstance(owner, _IMMUTABLE):
        return _of_immutable(session, f, owner, name, args, kwargs)
    if isinstance(owner, (GeneratorType, *containers.ITERATORS)) and session.is_fresh(owner):
        return f(*args, **kwargs)
    if isinstance(owner, np.ndarray) and session.is_fresh(owner):
        return _of_array(session, f, args, kwargs)
    if isinstance(owner, (FunctionType, MethodType)) and name == "__call__":
        return calls.call(owner, args, kwargs)
    if type(owner) is FunctionType and name == "__get__" and not kwargs:
        return owner if args[0] is None else MethodType(owner, args[0])
    if draws.draws_a_number(owner, name):
        return draws.draw(session, f, owner, args, kwargs)
    if type(owner) is contextvars.ContextVar and name == "get":
        value = owner.get(*args)
        if f == modes:  # what was in force before decides which program runs, and that sets the rest
            return value
        session.note(Guard(answer, owner.get, args, value), (id(owner), "context"))
        return session.seen(value)
    if isinstance(owner, builtin_functions._STREAMS) and name == "write" and len(args) == 1:
        text = args[0]
        if not isinstance(text, (str, Deferred)):
            return f(*args)
        session.effect(builtin_functions._written, owner, text)
        return Applied(session, int, len, (text,)) if isinstance(text, Deferred) else len(text)
    if isinstance(owner, builtin_functions._STREAMS) and name == "flush":
        session.effect(owner.flush)
        return None
    if isinstance(owner, MappingProxyType):
        held = containers.behind_proxy(owner)
        if held is not owner and name in _OF_PROXIES:
            return container_methods.method(session, held, name, args, kwargs)
        raise session.refusal("it reads a mappingproxy")
    if isinstance(owner, BaseException) and not session.was_there(owner):
        return f(*args, **kwargs)
    if name in ("__eq__", "__ne__") and not kwargs and all(type(u) is UnionType for u in (owner, *args)):
        if all(type(part) is type for union in (owner, *args) for part in union.__args__):
            return f(*args)
    if isinstance(owner, property) and session.is_fresh(owner):
        return f(*args, **kwargs)
    raise builtin_functions.refuse(session, f)


#: Methods of proxies that are those of dicts.
_OF_PROXIES = frozenset({"get", "keys", "values", "items", "copy", "__getitem__", "__contains__", "__iter__"})


def _is_of_object(owner: object, name: str) -> bool:
    """Return whether a method is ``object``'s own, not that of a class written in C in between."""
    for cls in type(owner).__mro__:
        found = vars(cls).get(name)
        if found is not None and type(found) is not FunctionType:
            return found is vars(object).get(name)
    return False


def _new(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    cls, *rest = args
    if f.__self__ is object:
        return session.made(object.__new__(cls, *rest, **kwargs))
    made = new_builtin(session, cls, f, tuple(rest), kwargs)
    if made is COMPLETE:
        raise session.refusal(f"it makes a {cls.__name__}")
    return made


def new_builtin(session: Session, cls: type, new: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return a new object of a class derived from one of Python's; `COMPLETE` where that is not known."""
    if issubclass(cls, (dict, list, set, deque, property)):
        return session.made(new(cls))
    if issubclass(cls, (tuple, frozenset)):
        return session.made(new(cls, *(tuple(iteration.iterate(a)) for a in args)))
    if issubclass(cls, (int, str, float, bytes, complex, np.generic, *COMPARED)):
        if all(map(operators.is_plain, args)) and all(map(operators.is_plain, kwargs.values())):
            return session.made(new(cls, *args, **kwargs))
        return COMPLETE
    if cls is MappingProxyType and len(args) == 1 and type(args[0]) in (dict, OrderedDict) and not kwargs:
        return session.made(MappingProxyType(args[0]))
    if cls is MethodType and len(args) == 2 and not kwargs:
        return _method(session, *args)
    if issubclass(cls, functools.partial):
        return builtin_functions.new_partial(session, new, (cls, *args), kwargs)
    if cls.__module__ == "types" and cls.__name__ == "SimpleNamespace":
        return session.made(new(cls))
    return COMPLETE


def _method(session: Session, f: Any, thing: Any) -> Any:
    """Return a method of an object, as results may hold it: of what was there, or of an object alone."""
    if session.is_fresh(f) or isinstance(thing, (TensorBase, Deferred)):
        raise session.refusal("it makes a method of what the function makes")
    return session.made(MethodType(f, thing))


def _class_method(
    session: Session, f: Any, owner: type, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    if owner is itertools.chain and name == "from_iterable":
        walks = iteration.iterate(*args)
        return session.made(part for thing in walks for part in iteration.iterate(thing))
    if owner in (dict, OrderedDict) and name == "fromkeys":
        keys, *value = args
        return session.made(f([iteration.key(k) for k in iteration.iterate(keys)], *value))
    if owner in (int, float, bytes, str) and all(map(operators.is_plain, args)):
        return f(*args, **kwargs)
    if name == "__setattr__" and len(args) == 2:
        attributes.store_attribute((args[1], owner, args[0]))
        return None
    if name == "__call__" and type(f) is MethodWrapperType and f == type.__call__.__get__(owner):
        return calls.make(session, owner, args, kwargs)
    if name == "__subclasses__" and not args and not kwargs:
        found: list[type] = type.__subclasses__(owner)
        session.note(Contents(answer, type.__subclasses__, (owner,), tuple(found)), (id(owner), "subclasses"))
        return session.made(found)
    if name == "__init__" or name == "__init_subclass__":
        return None
    raise builtin_functions.refuse(session, f)


def _of_immutable(
    session: Session, f: Any, owner: object, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    if name == "join" and isinstance(owner, (str, bytes)):
        values = iteration.collected(args[0])
        if any(isinstance(v, Deferred) for v in values):
            return Applied(session, str, lambda *parts: owner.join(parts), tuple(values))
        return owner.join(values)
    if name == "format" and isinstance(owner, str):
        every = [*args, *kwargs.values()]
        if any(isinstance(v, Deferred) for v in every):
            names = tuple(kwargs)
            return operators.deferred(
                session,
                lambda *parts: owner.format(*parts[: len(args)], **dict(zip(names, parts[len(args) :]))),
                tuple(every), str,
            )  # fmt: skip
        if all(formatting.is_written_plainly(session, v) for v in every):
            return f(*args, **kwargs)
        raise session.refusal("it writes an object of the user's into a text")
    if name == "format_map" or isinstance(owner, decimal.Decimal):
        # What Decimals give depends on the thread's context.
        raise builtin_functions.refuse(session, f)
    args = tuple(map(operators._known, args))
    if isinstance(owner, str) and name in ("__contains__", "__eq__", "__ne__", "__mod__"):
        sign = {"__eq__": "==", "__ne__": "!="}.get(name)
        if sign:
            return f(*args)
    if name in _COMPARING and all(isinstance(a, _COMPARED_BY_CONTENTS) for a in (owner, *args)):
        # A class derived from int, as that of a constant of an IntEnum is, has no say in what int's own does.
        return f(*args)
    if all(map(operators.is_plain, args)) and all(map(operators.is_plain, kwargs.values())):
        result = f(*args, **kwargs)
        return session.made(result) if isinstance(result, (list, *containers.ITERATORS)) else result
    raise session.refusal(f"it passes an object of the user's to {calls.name_of(f)}")


def _init_object(session: Session, owner: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if (args or kwargs) and session.lookup(type(owner), "__init__") is object.__init__:
        object.__init__(owner, *args, **kwargs)
    elif args or kwargs:
        raise TypeError("object.__init__() takes exactly one argument (the instance to initialize)")


def _identical(session: Session, a: object, b: object) -> bool:
    operators.tell_apart(session, a, b)
    return a is b


_OF_OBJECTS: dict[str, Callable[[Session, Any, tuple[Any, ...], dict[str, Any]], Any]] = {
    "__init__": _init_object,
    "__init_subclass__": lambda session, owner, args, kwargs: None,
    "__setattr__": lambda session, owner, args, kwargs: attributes.set_generic(session, owner, *args),
    "__delattr__": lambda session, owner, args, kwargs: attributes.delete_generic(session, owner, *args),
    "__getattribute__": lambda session, owner, args, kwargs: attributes.generic(
        session, owner, type(owner), *args
    ),
    "__eq__": lambda session, owner, args, kwargs: _identical(session, owner, *args) or NotImplemented,
    "__ne__": lambda session, owner, args, kwargs: (
        False if _identical(session, owner, *args) else NotImplemented
    ),
    "__str__": lambda session, owner, args, kwargs: formatting.text_of(session, owner, repr),
}


# --- NumPy --------------------------------------------------------------------------------------------------

_NUMPY = frozenset({
    "array", "asarray", "zeros", "ones", "full", "empty", "arange", "linspace", "eye", "prod", "sum", "mean",
    "cumsum", "cumprod", "concatenate", "stack", "reshape", "transpose", "dot", "matmul", "argsort", "sort",
    "unique", "where", "clip", "max", "min", "amax", "amin", "std", "var", "isscalar", "ndim", "shape",
    "size",
    "broadcast_shapes", "float_power", "round", "diff", "outer", "meshgrid", "zeros_like", "ones_like",
})  # fmt: skip


def call_numpy(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function of NumPy on values that the trace has made."""
    name = getattr(f, "__name__", "")
    if not isinstance(f, np.ufunc) and (name not in _NUMPY or getattr(np, name, None) is not f):
        raise builtin_functions.refuse(session, f)
    later = not kwargs and any(isinstance(a, Deferred) for a in args)
    found = _of_numbers(session, f, args) if later else None
    return _of_array(session, f, args, kwargs) if found is None else found


def _of_numbers(session: Session, f: object, args: tuple[Any, ...]) -> Any:
    """Return what a function gives of numbers of a later time; None where it is a part of the program."""
    kinds = [kind_of(a) for a in args]
    if not NUMBERS.issuperset(kinds):
        return None
    if f is np.arange:
        later = any(isinstance(a, Deferred) and not comes_before(a) for a in args)
        fits = later and len(args) == 3 and kinds != [int, int, int]
        return Applied(session, np.ndarray, f, args) if fits else None
    if f not in UFUNCS or kind_of_result(f, args) is not np.float64:
        return None
    return Applied(session, np.float64, f, args)


def _of_array(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    args = tuple(_for_numpy(session, a) for a in args)
    kwargs = {name: _for_numpy(session, a) for name, a in kwargs.items()}
    if "out" in kwargs:
        raise session.refusal(f"it writes to an array by {calls.name_of(f)}")
    result = f(*args, **kwargs)
    return session.made(result) if isinstance(result, (np.ndarray, list)) else result


def _for_numpy(session: Session, value: object) -> Any:
    if isinstance(value, Deferred):
        return value.known()
    if isinstance(value, np.ndarray):
        if not session.is_fresh(value):
            raise session.refusal("it reads an array of NumPy's")
        return value
    if isinstance(value, (list, tuple)):
        session.whole(value)
        for part in value:
            _for_numpy(session, part)
        return value
    if isinstance(value, TensorBase):
        return value
    if operators.is_plain(value) or isinstance(value, (np.generic, np.dtype)):
        return value
    raise session.refusal(f"it passes a {type(value).__name__} to a function of NumPy's")
