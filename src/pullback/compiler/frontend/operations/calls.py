"""Calls as rewritten code makes them.

A Python function of the user's, or of a library, runs as its rewritten twin. Functions of this package that
work on tensors run as they are, on arguments that hold nothing which is not seen. Of all others one must know
what they do (`functions.builtin_functions`): the trace refuses what is not known.
"""

import builtins
import functools
import inspect
import operator
import sys
import weakref
from enum import Enum, EnumMeta, Flag
from types import (
    BuiltinFunctionType,
    CoroutineType,
    FunctionType,
    GeneratorType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    WrapperDescriptorType,
)
from typing import Any

import numpy as np

from ....core.blame import PACKAGE, own_file
from ....tensor.builtin import behind
from ..bytecode.hooks import HOOKS
from ..bytecode.instrument import instrumented
from ..functions import builtin_methods, caches, iterators, native_functions, outside_functions, rules
from ..state.deferred import Deferred
from ..state.draws import draw, draws_a_number, is_drawing
from ..state.guards import ABSENT, SCALARS, mro_of
from ..state.optimizer_state import is_ours
from ..state.session import Session, current
from . import iteration

_REFUSED_NAMES = frozenset({
    "seed", "initial_seed", "get_rng_state", "set_rng_state", "fork_rng", "set_state", "get_state",
    "clone_state", "set_default_dtype", "set_default_device", "set_default_tensor_type",
    "set_printoptions", "register_post_accumulate_grad_hook", "compile", "frombuffer", "from_dlpack",
})  # fmt: skip

_OPTIM = PACKAGE + "optim"
#: Where functions of functions lie whose steps a trace must not see: they run between levels of tensors.
_TRANSFORMS = tuple(PACKAGE + name for name in ("func/", "torch_names/functorch/", "autograd/functional"))
_GETTERS = (operator.attrgetter, operator.itemgetter, operator.methodcaller)


def call(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Any:
    """Return ``f(*args, **kwargs)``."""
    session = current.get()
    kind = type(f)
    if kind is MethodType:
        if is_drawing(type(f.__func__)) and draws_a_number(f.__self__, f.__name__):
            return draw(session, f, f.__self__, args, kwargs or {})
        return call(f.__func__, (f.__self__, *args), kwargs)
    if kind is FunctionType:
        return call_function(session, f, args, kwargs or {})
    rule = rules.rule_of(f)
    if rule is not None:
        return rule(session, f, args, kwargs or {})
    if (own := behind(f)) is not f:
        return call_function(session, own, args, kwargs or {})
    if isinstance(f, BuiltinFunctionType) or kind is MethodWrapperType:
        return builtin_methods.call_builtin(session, f, args, kwargs or {})
    if isinstance(f, type):
        return construct(session, f, args, kwargs or {})
    if kind is functools.partial or _is_called_as_partial(session, f):
        held = keywords_of(session, f)
        # A derived class may have a `func` of its own, which is not what is called.
        return call(_FUNC(f), (*f.args, *args), {**held, **(kwargs or {})})
    if kind is caches.CACHED:
        return caches.call(session, f, args, kwargs or {})
    if kind in (MethodDescriptorType, WrapperDescriptorType) and args:
        if isinstance(args[0], Deferred):
            args = (args[0].known(), *args[1:])
        return call(f.__get__(args[0], type(args[0])), args[1:], kwargs)
    if isinstance(f, np.ufunc) or (kind.__module__ or "").startswith("numpy"):
        return builtin_methods.call_numpy(session, f, args, kwargs or {})
    if kind in _GETTERS:
        return iterators.call_getter(session, f, args)
    if kind is iterators.KEY and session.is_fresh(f):
        return session.made(f(*args))
    if isinstance(f, weakref.ReferenceType):
        if native_functions.from_our_code() or session.is_fresh(f):
            return f()
        # A guard would keep alive what it refers to.
        raise session.refusal("it asks a weak reference")
    if isinstance(f, Deferred):
        raise session.refusal("it calls a number")
    if isinstance(f, staticmethod):
        return call(f.__func__, args, kwargs)
    session.typed(f)
    method = session.lookup(kind, "__call__")
    if method is ABSENT:
        return f(*args, **(kwargs or {}))
    if type(method) is FunctionType:
        return call_function(session, method, (f, *args), kwargs or {})
    raise session.refusal(f"it calls {name_of(f)}, of which nothing is known")


#: Reads what a partial calls.
_FUNC: Any = vars(functools.partial)["func"].__get__


def _is_called_as_partial(session: Session, f: object) -> bool:
    """Return whether a value's class is derived from `functools.partial` and is called as that is."""
    if not isinstance(f, functools.partial):
        return False
    session.typed(f)
    return session.lookup(type(f), "__call__") is functools.partial.__call__


def keywords_of(session: Session, f: functools.partial[Any]) -> dict[str, Any]:
    """Return the keywords of a partial, whose function and arguments are read, too."""
    held: dict[str, Any] = session.note_native(f, "keywords")
    session.note_native(f, "func")
    session.note_native(f, "args")
    if session.is_fresh(f):
        session.made(held)
    else:
        session.whole_dict(held)
        for value in f.args:
            session.seen(value)
    return held


def has_hooks(kind: type) -> bool:
    """Return whether a class has code of the user's for attributes that are read."""
    names = ("__getattr__", "__getattribute__")
    found = (vars(c).get(name) for c in kind.__mro__ for name in names)
    return any(type(hook) is FunctionType and not is_ours(hook) for hook in found)


def name_of(f: object) -> str:
    """Return how an error calls a function; the code that an object has for unknown attributes is not run."""
    if not isinstance(f, type) and has_hooks(type(f)):
        return f"a {type(f).__name__}"
    name = getattr(f, "__qualname__", None)
    if not isinstance(name, str):
        return f"a {type(f).__name__}"
    module = getattr(f, "__module__", None)
    if not isinstance(module, str):
        owner = getattr(f, "__self__", None)
        module = type(owner).__module__ if owner is not None else None
    return name if module in (None, "builtins", "__main__") else f"{module}.{name}"


def call_function(session: Session, f: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a Python function."""
    if id(f) in session.plain:
        return native_functions.call_native(session, f, args, kwargs)
    file = f.__code__.co_filename
    if file.startswith(native_functions.HERE):
        return f(*args, **kwargs)
    if not own_file[file]:
        rule = rules.rule_of(f)
        if rule is None and file.startswith(native_functions.NUMPY):
            rule = outside_functions.rule_of(f)
        if rule is not None:
            return rule(session, f, args, kwargs)
        return call_user(session, f, args, kwargs)
    if file.startswith(_OPTIM):
        # Only now is there an optimizer.
        from ..functions import optimizers

        if optimizers.is_scheduler_step(f, args):
            optimizers.scheduler_step(session, f, args, kwargs)
            return None
    rule = rules.rule_of(f)
    if rule is not None:
        return rule(session, f, args, kwargs)
    if f.__dict__ and (native := f.__dict__.get("_native")) is not None:
        # A compiled function inside another one is a part of it. What wraps one has its attributes, too.
        if f.__dict__.get("__wrapped__", native.function) is native.function:
            return call(native.function, args, kwargs)
    if f.__name__ in _REFUSED_NAMES:
        raise session.refusal(f"it calls {f.__name__}")
    if native_functions.is_native(file):
        if not native_functions.holds_users(f):
            session.plain[id(f)] = f
            return native_functions.call_native(session, f, args, kwargs)
        if file.startswith(_TRANSFORMS):
            return native_functions.call_native(
                session, native_functions.around_users(session, f), args, kwargs
            )
    return call_user(session, f, args, kwargs)


def call_user(session: Session, f: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run a function as its rewritten twin."""
    if f.__code__.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        # A coroutine of a trace is never awaited, which Python warns of whenever it is freed.
        raise session.refusal(f"it calls {name_of(f)}, which is async")
    found = twin(session, f)(*args, **kwargs)
    if type(found) is GeneratorType:
        session.generator(found)
    elif type(found) is CoroutineType:
        # Else Python says that nothing has awaited it.
        found.close()
        raise session.refusal("it calls a coroutine function")
    return found


#: Functions have them, and not all type checkers know.
_builtins_of = operator.attrgetter("__builtins__")


def twin(session: Session, f: FunctionType) -> FunctionType:
    """Return a function as rewritten code, with the same defaults and closure."""
    session.function(f)
    code = instrumented(f.__code__, HOOKS)
    made = FunctionType(code, f.__globals__, f.__name__, f.__defaults__, f.__closure__)
    made.__kwdefaults__ = f.__kwdefaults__
    # A function keeps the built-in names that its globals had when it was made.
    if _builtins_of(made) is not _builtins_of(f):
        raise session.refusal(f"it calls {name_of(f)}, whose globals have other built-in names now")
    return made


#: What makes members of values that an enumeration does not have.
_ENUMS, _FLAGS = vars(Enum)["_missing_"], vars(Flag)["_missing_"]

# --- classes ------------------------------------------------------------------------------------------------


def construct(session: Session, cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return ``cls(*args, **kwargs)``."""
    meta = type(cls)
    maker = session.lookup(meta, "__call__")
    session.typed(cls)
    if isinstance(cls, EnumMeta):
        missing = session.lookup(cls, "_missing_")
        plain = maker is vars(EnumMeta)["__call__"] and missing in (_ENUMS, _FLAGS)
        if len(args) == 1 and not kwargs and type(args[0]) in (*SCALARS, cls) and plain:
            # A member by its value, or by itself, was there before; one of several flags is kept from now on.
            if type(args[0]) is cls:
                return args[0]
            try:
                return session.seen(cls(args[0]))
            finally:
                session.dict_item(cls.__dict__["_value2member_map_"], args[0])
        raise session.refusal(f"it looks a member of {cls.__name__} up")
    if type(maker) is FunctionType:
        return call_user(session, maker, (cls, *args), kwargs)
    if maker is dict:
        # A `TypedDict`: its class is called as what it describes.
        return call(dict, args, kwargs)
    if maker is not type.__call__:
        raise session.refusal(f"it makes a {cls.__name__}")
    return make(session, cls, args, kwargs)


def make(session: Session, cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return a new object of a class as ``type.__call__`` makes it."""
    if issubclass(cls, type):
        raise session.refusal("it makes a class")
    if session.lookup(cls, "__del__") is not ABSENT:
        raise session.refusal(f"it makes a {cls.__name__}, which has a __del__")
    new = session.lookup(cls, "__new__")
    init = session.lookup(cls, "__init__")
    if isinstance(new, staticmethod):
        new = new.__func__
    if type(new) is FunctionType:
        made = call_function(session, new, (cls, *args), kwargs)
        if cls not in mro_of(type(made), None):
            return made
        session.typed(made)
        init = session.lookup(type(made), "__init__")
    elif issubclass(cls, BaseException):
        made = session.made(new(cls, *args, **kwargs))
    elif new is object.__new__:
        if init is object.__init__ and (args or kwargs):
            return cls(*args, **kwargs)
        made = session.made(object.__new__(cls))
    else:
        made = builtin_methods.new_builtin(session, cls, new, args, kwargs)
        if made is builtin_methods.COMPLETE:
            raise session.refusal(f"it makes a {cls.__name__}")
    if type(init) is FunctionType:
        if call_function(session, init, (made, *args), kwargs) is not None:
            raise TypeError("__init__() should return None")
    elif type(init) is not WrapperDescriptorType and init is not ABSENT:
        raise session.refusal(f"it makes a {cls.__name__}, whose __init__ is a {type(init).__name__}")
    elif init is not object.__init__ and init is not ABSENT:
        builtin_methods.call_builtin(session, init.__get__(made, cls), args, kwargs)
    return made


def call_named(parts: tuple[Any, tuple[Any, ...], tuple[str, ...]]) -> Any:
    """Call with keywords: a function, all values, and the names of the last."""
    f, values, names = parts
    count = len(values) - len(names)
    return call(f, values[:count], dict(zip(names, values[count:], strict=True)))


def call_last_names(f: object, values: tuple[Any, ...]) -> Any:
    """Call with keywords: a function and all values, then the names of the last (CPython 3.13)."""
    return call_named((f, values[:-1], values[-1]))


def call_plain(f: object, args: tuple[Any, ...]) -> Any:
    """Call without keywords."""
    if f is super and not args:
        return _super_of(sys._getframe(1))
    if f is builtins.globals or f is builtins.locals or (f is builtins.vars and not args):
        frame = sys._getframe(1)
        if f is builtins.globals:
            return frame.f_globals
        session = current.get()
        if any(name != "__class__" for name in frame.f_code.co_freevars):
            # What variables of other functions hold would be read unseen.
            raise session.refusal(f"it calls {f.__name__} in a function inside another one")
        return session.made(dict(frame.f_locals))
    return call(f, args)


def _super_of(frame: Any) -> Any:
    """Return ``super()`` of a method's frame."""
    code = frame.f_code
    here = frame.f_locals
    return super(here["__class__"], here[code.co_varnames[0]])


def call_unpacked(parts: tuple[Any, ...]) -> Any:
    """Call with ``*args`` and perhaps ``**kwargs``."""
    session = current.get()
    f, args, *rest = parts
    if type(args) is not tuple:
        args = tuple(iteration.collected(args))
    kwargs: dict[str, Any] = {}
    if rest:
        held = rest[0]
        if not session.is_fresh(held):
            held = iteration.mapping(held)
        kwargs = dict(held)
        if not all(isinstance(key, str) for key in kwargs):
            raise TypeError("keywords must be strings")
    looking = (super, builtins.globals, builtins.locals, builtins.vars)
    if not args and not kwargs and any(f is each for each in looking):
        raise session.refusal(f"it calls {f.__name__} in an unusual way")
    return call(f, args, kwargs)
