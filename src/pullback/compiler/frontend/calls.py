"""Calls as rewritten code makes them.

A Python function of the user's, or of a library, runs as its rewritten twin. Functions of this package that
work on tensors run as they are, on arguments that hold nothing which is not seen. Of all others one must know
what they do (`callables`): the trace refuses what is not known.
"""

from __future__ import annotations

import builtins
import functools
import inspect
import operator
import sys
import weakref
from collections.abc import Iterator
from enum import Enum, EnumMeta
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    CoroutineType,
    FunctionType,
    GeneratorType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    TracebackType,
    WrapperDescriptorType,
)
from typing import Any

import numpy as np

from ...array import dtypes
from ...autograd.function import Function
from ...core.blame import PACKAGE, own_file
from ...core.device import device
from ...core.node import Node
from ...core.op import Op
from ...core.size import Size
from ...core.value import TensorBase
from ...nn import Module
from ...tensor.builtin import behind
from ...tensor.constants import layout, memory_format
from ...tensor.random import Generator
from . import builtin_methods, callables, containers, iteration, iteration_rules, number_inputs
from .deferred import Deferred
from .draws import DRAWING, draw, draws_a_number
from .guards import ABSENT, SCALARS, is_heap_type, mro_of
from .hooks import HOOKS
from .instrument import instrumented
from .session import Session, current

#: Folders and files of this package whose functions work on tensors and settings alone.
_NATIVE = tuple(PACKAGE + name for name in (
    "array", "autograd", "core", "errors", "fft", "func", "linalg", "nn/functional", "nn/parameter", "ops",
    "special", "tensor", "utils/_contextlib", "utils/_pytree", "utils/checkpoint",
    *(f"torch_names/{name}" for name in (
        "_VF", "_higher_order_ops", "amp", "functional", "functorch", "masked", "nested", "return_types",
        "signal", "sparse",
    )),
))  # fmt: skip
#: Parts of these that change settings, draw from generators by themselves, or hand memory out.
_NOT_NATIVE = tuple(PACKAGE + name for name in (
    "tensor/settings", "tensor/printing", "tensor/serialization", "tensor/data", "tensor/storage",
    "array/threads", "func/functional_call", "autograd/gradcheck", "autograd/profiler",
    "autograd/anomaly_mode", "core/process_group", "torch_names/amp/grad_scaler",
))  # fmt: skip
_NUMPY = np.__path__[0]
#: Makes functions of ops, whose closures hold notes of their own.
_OF_OPS = PACKAGE + "core/calls.py"
_REFUSED_NAMES = frozenset({
    "manual_seed", "seed", "initial_seed", "get_rng_state", "set_rng_state", "fork_rng", "set_state",
    "get_state", "set_default_dtype", "set_default_device", "set_default_tensor_type", "set_printoptions",
    "register_post_accumulate_grad_hook", "compile", "frombuffer", "from_dlpack",
})  # fmt: skip

#: Types of arguments that hold nothing of the user's.
TRANSPARENT = frozenset({
    *SCALARS, slice, type(Ellipsis), type(NotImplemented), range, Size, dtypes.dtype, device, np.dtype,
    layout, memory_format,
})  # fmt: skip
#: Those of them that cannot hold a number of a later time either.
PASSED = TRANSPARENT - {slice}
#: Where the functions lie that rewritten code calls, and those that they make.
_HERE = PACKAGE + "compiler/frontend"
_OPTIM = PACKAGE + "optim"
#: Where functions of functions lie whose steps a trace must not see: they run between levels of tensors.
_TRANSFORMS = tuple(PACKAGE + name for name in ("func/", "torch_names/functorch/", "autograd/functional"))
_GETTERS = (operator.attrgetter, operator.itemgetter, operator.methodcaller)


def call(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Any:
    """Return ``f(*args, **kwargs)``."""
    session = current.get()
    kind = type(f)
    if kind is MethodType:
        if type(f.__func__) in DRAWING and draws_a_number(f.__self__, f.__name__):
            return draw(session, f, f.__self__, args, kwargs or {})
        return call(f.__func__, (f.__self__, *args), kwargs)
    if kind is FunctionType:
        return call_function(session, f, args, kwargs or {})
    rule = callables.rule_of(f)
    if rule is not None:
        return rule(session, f, args, kwargs or {})
    if (own := behind(f)) is not f:
        return call_function(session, own, args, kwargs or {})
    if isinstance(f, BuiltinFunctionType) or kind is MethodWrapperType:
        return builtin_methods.call_builtin(session, f, args, kwargs or {})
    if isinstance(f, type):
        return construct(session, f, args, kwargs or {})
    if kind is functools.partial:
        held = f.keywords
        session.note_native(f, "func")
        session.note_native(f, "args")
        if session.is_fresh(f):
            session.made(held)
        else:
            session.whole_dict(held)
            for value in f.args:
                session.seen(value)
        return call(f.func, (*f.args, *args), {**held, **(kwargs or {})})
    if kind in (MethodDescriptorType, WrapperDescriptorType) and args:
        return call(f.__get__(args[0], type(args[0])), args[1:], kwargs)
    if isinstance(f, np.ufunc) or (kind.__module__ or "").startswith("numpy"):
        return builtin_methods.call_numpy(session, f, args, kwargs or {})
    if kind in _GETTERS:
        return iteration_rules.call_getter(session, f, args)
    if kind is iteration_rules.KEY and session.is_fresh(f):
        return session.made(f(*args))
    if isinstance(f, weakref.ReferenceType):
        if from_our_code():
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


def name_of(f: Any) -> str:
    """Return how an error calls a function."""
    name = getattr(f, "__qualname__", None)
    if not isinstance(name, str):
        return f"a {type(f).__name__}"
    module = getattr(f, "__module__", None)
    if not isinstance(module, str):
        owner = getattr(f, "__self__", None)
        module = type(owner).__module__ if owner is not None else None
    return name if module in (None, "builtins", "__main__") else f"{module}.{name}"


@functools.cache
def is_native(file: str) -> bool:
    """Return whether the functions of a file run as they are."""
    return file.startswith(_NATIVE) and not file.startswith(_NOT_NATIVE)


def call_function(
    session: Session, f: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Call a Python function."""
    file = f.__code__.co_filename
    if file.startswith(_HERE):
        return f(*args, **kwargs)
    if not own_file[file]:
        rule = callables.rule_of(f)
        if rule is not None:
            return rule(session, f, args, kwargs)
        return call_user(session, f, args, kwargs)
    if file.startswith(_OPTIM):
        # Only now is there an optimizer.
        from . import optimizers

        if optimizers.is_scheduler_step(f, args):
            optimizers.scheduler_step(session, f, args, kwargs)
            return None
    rule = callables.rule_of(f)
    if rule is not None:
        return rule(session, f, args, kwargs)
    if f.__dict__ and (native := f.__dict__.get("_native")) is not None:
        # A compiled function inside another one is a part of it.
        return call(native.function, args, kwargs)
    if f.__name__ in _REFUSED_NAMES:
        raise session.refusal(f"it calls {f.__name__}")
    if is_native(file):
        if not _holds_users(f):
            return call_native(session, f, args, kwargs)
        if file.startswith(_TRANSFORMS):
            return call_native(session, _around_users(session, f), args, kwargs)
    return call_user(session, f, args, kwargs)


def _around_users(session: Session, f: FunctionType) -> FunctionType:
    """Return a transform of a user's function whose closure holds what code that is not rewritten may be
    given.
    """
    session.function(f)
    cells = []
    for cell in f.__closure__ or ():
        held = session.cell(cell)
        passed = held if held is ABSENT else given(session, f, held)
        cells.append(cell if passed is held else CellType(passed))
    made = FunctionType(f.__code__, f.__globals__, f.__name__, f.__defaults__, tuple(cells))
    made.__kwdefaults__ = f.__kwdefaults__
    made.__dict__.update(f.__dict__)
    return made


def _holds_users(f: FunctionType) -> bool:
    """Return whether a function of ours closes over something that may run code, or hold state, of the
    user's.

    Plain values do not, nor do native functions of ours that close over plain values, in turn.
    """
    if f.__code__.co_filename == _OF_OPS:
        return False
    waiting, met = [f], {id(f)}
    while waiting:
        for held in _closed_over(waiting.pop()):
            if type(held) is not FunctionType:
                if _may_be_users(held):
                    return True
            elif id(held) not in met:
                file = held.__code__.co_filename
                if file.startswith(_NUMPY):
                    continue
                if not (own_file[file] and is_native(file)):
                    return True
                met.add(id(held))
                if file != _OF_OPS:
                    waiting.append(held)
    return False


def _closed_over(f: FunctionType) -> Iterator[Any]:
    """Yield what the closure of a function holds, and what its tuples and bound methods hold."""
    held = [*map(_contents, f.__closure__ or ())]
    while held:
        value = held.pop()
        kind = type(value)
        if kind is MethodType:
            held += (value.__func__, value.__self__)
        elif kind in (tuple, frozenset):
            held += value
        else:
            yield value


def _contents(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _may_be_users(held: Any) -> bool:
    """Return whether a value that is no function may run code, or hold state, of the user's."""
    if isinstance(held, type):
        return is_users_class(held)
    kind = type(held)
    plain = (BuiltinFunctionType, operator.itemgetter, np.dtype, np.generic, ModuleType, Op)
    if kind in TRANSPARENT or isinstance(held, plain) or (callable(held) and kind.__module__ == "numpy"):
        return False
    return not is_of_ours(kind)  # type: ignore[arg-type]  # classes are hashable


def is_users_class(cls: type) -> bool:
    """Return whether a class may run code of the user's when it is called."""
    return is_heap_type(cls) and cls.__module__.partition(".")[0] not in ("pullback", "torch", "numpy")


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


def twin(session: Session, f: FunctionType) -> FunctionType:
    """Return a function as rewritten code, with the same defaults and closure."""
    session.function(f)
    made = FunctionType(rewritten(f.__code__), f.__globals__, f.__name__, f.__defaults__, f.__closure__)
    made.__kwdefaults__ = f.__kwdefaults__
    return made


def rewritten(code: CodeType) -> CodeType:
    """Return a code object as rewritten code."""
    return instrumented(code, HOOKS)


def callback(session: Session, f: Any) -> Any:
    """Return a function that code which is not rewritten may call for one of the user's."""
    if type(f) is FunctionType and own_file[f.__code__.co_filename]:
        if f.__code__.co_filename.startswith(_HERE) or (
            is_native(f.__code__.co_filename) and callables.rule_of(f) is None and not _holds_users(f)
        ):
            return f
    if isinstance(f, (type, BuiltinFunctionType)) or not callable(f):
        return f

    @functools.wraps(f)
    def called(*args: Any, **kwargs: Any) -> Any:
        # What it passes on besides what it was given, it has made.
        for container in containers.within((args, kwargs)):
            if not session.was_passed(container):
                session.made(container)
        return call(f, args, kwargs)

    return called


# --- functions that run as they are -------------------------------------------------------------------------


def call_native(
    session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Call a function of this package on arguments that hold nothing unseen."""
    if not kwargs and any(isinstance(arg, Deferred) for arg in args):
        made = number_inputs.of_array(session, f.__name__, args)
        if made is not None:
            return made
        args = number_inputs.operands(f.__name__, args)
    for n, arg in enumerate(args):
        if type(arg) not in PASSED and not isinstance(arg, TensorBase):
            args = (*args[:n], *(given(session, f, a) for a in args[n:]))
            break
    for name, arg in kwargs.items():
        if type(arg) not in TRANSPARENT and not isinstance(arg, TensorBase):
            kwargs = {**kwargs, name: given(session, f, arg)}
    result = f(*args, **kwargs)
    if type(result) in containers.ITERATORS:
        return session.made(result)
    if not isinstance(result, TensorBase):
        for container in containers.within(result):
            if not session.was_passed(container) and not session.was_there(container):
                session.made(container)
    return result


def given(session: Session, f: Any, value: Any) -> Any:
    """Return an argument for a function that runs as it is; everything that it holds is seen."""
    kind = type(value)
    if kind is slice:
        ends = value.start, value.stop, value.step
        plain = all(type(end) in SCALARS for end in ends)
        return value if plain else slice(*(given(session, f, end) for end in ends))
    if kind in TRANSPARENT or isinstance(value, TensorBase):
        return value
    if isinstance(value, Deferred):
        return value.known()
    if kind is tuple or kind is list:
        session.passed(value)
        parts = [given(session, f, v) for v in value]
        if all(a is b for a, b in zip(parts, value, strict=True)):
            return value
        return tuple(parts) if kind is tuple else parts
    if isinstance(value, dict) and session.lookup(kind, "__getitem__") is dict.__getitem__:
        session.passed(value)
        parts = [given(session, f, v) for v in dict.values(value)]
        if all(a is b for a, b in zip(parts, dict.values(value), strict=True)):
            return value
        return dict(zip(dict.keys(value), parts, strict=True))
    if kind in (set, frozenset):
        session.passed(value)
        return value
    if isinstance(value, tuple) and hasattr(kind, "_fields"):
        return tuple.__new__(kind, (given(session, f, v) for v in value))
    if isinstance(kind, EnumMeta) and isinstance(value, int):
        return int(value)
    if isinstance(kind, EnumMeta) or isinstance(value, (Node, Generator, np.generic, np.dtype)):
        return value
    if isinstance(value, (BaseException, TracebackType)):
        # What leaves a context of ours passes it on, or looks at its class.
        return value
    if isinstance(value, np.ndarray):
        if session.is_fresh(value):
            # A tensor may get its memory.
            session.cells.recorder.lent.append(value)
            return value
        raise session.refusal("it reads an array of NumPy's")
    if isinstance(value, type):
        if is_users_class(value) and not issubclass(value, Function):
            raise session.refusal(f"it passes the class {value.__name__} to {name_of(f)}")
        if issubclass(value, Function):
            session.custom(value)
            session.lookup(value, "generate_vmap_rule")
        return value
    if kind in (FunctionType, MethodType, functools.partial, BuiltinFunctionType):
        return callback(session, value)
    if session.is_fresh(value) and kind in containers.ITERATORS:
        return value
    if containers.is_view(value):
        containers.follow_view(session, value)
        return value
    if isinstance(value, (set, frozenset)):
        return value
    if is_of_ours(kind):  # type: ignore[arg-type]  # classes are hashable
        return value
    if callable(value):
        return callback(session, value)
    # Code of ours knows what it passes on.
    if from_our_code():
        return value
    raise session.refusal(f"it passes a {kind.__name__} to {name_of(f)}")


@functools.lru_cache(maxsize=4096)
def is_of_ours(kind: type) -> bool:
    """Return whether a class is one of this package's whose objects hold nothing of the user's."""
    if kind.__module__.partition(".")[0] not in ("pullback", "torch"):
        return False
    makers = (vars(base).get(name) for base in kind.__mro__ for name in ("__init__", "__enter__", "__call__"))
    codes = [code for maker in makers if (code := getattr(maker, "__code__", None)) is not None]
    if issubclass(kind, Module) or hasattr(kind, "add_param_group"):
        return False
    return bool(codes) and all(own_file[c.co_filename] for c in codes)


def from_our_code() -> bool:
    """Return whether the code that makes the call, which is rewritten, is this package's."""
    frame: Any = sys._getframe(1)
    here = PACKAGE + "compiler"
    while frame is not None and frame.f_code.co_filename.startswith(here):
        frame = frame.f_back
    return frame is not None and own_file[frame.f_code.co_filename]


# --- classes ------------------------------------------------------------------------------------------------


def construct(session: Session, cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return ``cls(*args, **kwargs)``."""
    meta = type(cls)
    maker = session.lookup(meta, "__call__")
    session.typed(cls)
    if isinstance(cls, EnumMeta):
        missing = session.lookup(cls, "_missing_")
        plain = maker is vars(EnumMeta)["__call__"] and missing is vars(Enum)["_missing_"]
        if len(args) == 1 and not kwargs and type(args[0]) in SCALARS and plain:
            # A member by its value was there before.
            session.whole_dict(cls.__dict__["_value2member_map_"])
            return session.seen(cls(args[0]))
        raise session.refusal(f"it looks a member of {cls.__name__} up")
    if type(maker) is FunctionType:
        return call_user(session, maker, (cls, *args), kwargs)
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


def call_last_names(f: Any, values: tuple[Any, ...]) -> Any:
    """Call with keywords: a function and all values, then the names of the last (CPython 3.13)."""
    return call_named((f, values[:-1], values[-1]))


def call_plain(f: Any, args: tuple[Any, ...]) -> Any:
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
