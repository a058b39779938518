"""Functions of this package that run as they are in a trace: which they are, and what they are given.

They work on tensors and settings alone. What they are given must hold nothing that is not seen, and functions
of the user's that they call back run as rewritten code.
"""

import functools
import operator
import sys
from collections import deque
from collections.abc import Iterator
from enum import EnumMeta
from types import BuiltinFunctionType, CellType, FunctionType, MethodType, ModuleType, TracebackType
from typing import Any, NoReturn

import numpy as np

from ....array import dtypes
from ....autograd.function import Function
from ....core.blame import PACKAGE, own_file
from ....core.device import device
from ....core.node import Node
from ....core.op import Op
from ....core.size import Size
from ....core.value import TensorBase
from ....nn import Module
from ....tensor.constants import layout, memory_format
from ....tensor.random import Generator
from ..operations import calls, containers
from ..state.deferred import ASKING, Deferred, Elements
from ..state.guards import ABSENT, SCALARS, cell_contents, is_heap_type
from ..state.session import Session
from . import composed, number_arguments, number_settings, rules

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
NUMPY = np.__path__[0]
#: Makes functions of ops, whose closures hold notes of their own.
_OF_OPS = PACKAGE + "core/calls.py"
#: Types of arguments that hold nothing of the user's.
TRANSPARENT = frozenset({
    *SCALARS, slice, type(Ellipsis), type(NotImplemented), range, Size, dtypes.dtype, device, np.dtype,
    layout, memory_format,
})  # fmt: skip
#: Those of them that cannot hold a number of a later time either.
PASSED = TRANSPARENT - {slice}
#: Where the functions lie that rewritten code calls, and those that they make.
HERE = PACKAGE + "compiler/frontend"


@functools.cache
def is_native(file: str) -> bool:
    """Return whether the functions of a file run as they are."""
    return file.startswith(_NATIVE) and not file.startswith(_NOT_NATIVE)


def around_users(session: Session, f: FunctionType) -> FunctionType:
    """Return a transform of a user's function whose closure holds what unrewritten code may be given."""
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


def holds_users(f: FunctionType) -> bool:
    """Return whether a function of ours closes over something that may run code, or hold state, of the
    user's.

    Plain values do not, nor do native functions of ours that close over plain values, in turn.
    """
    if f.__closure__ is None or f.__code__.co_filename == _OF_OPS:
        return False
    waiting, met = [f], {id(f)}
    while waiting:
        for held in _closed_over(waiting.pop()):
            if type(held) is not FunctionType:
                if _may_be_users(held):
                    return True
            elif id(held) not in met:
                file = held.__code__.co_filename
                if file.startswith(NUMPY):
                    continue
                if not (own_file[file] and is_native(file)):
                    return True
                met.add(id(held))
                if file != _OF_OPS:
                    waiting.append(held)
    return False


def _closed_over(f: FunctionType) -> Iterator[Any]:
    """Yield what the closure of a function holds, and what its tuples and bound methods hold."""
    held = [v for c in f.__closure__ or () if (v := cell_contents(c, None)) is not ABSENT]
    while held:
        value = held.pop()
        kind = type(value)
        if kind is MethodType:
            held += (value.__func__, value.__self__)
        elif kind in (tuple, frozenset):
            held += value
        else:
            yield value


def _may_be_users(held: object) -> bool:
    """Return whether a value may run the user's code or hold their state, or is a later number."""
    if isinstance(held, Deferred):
        return True
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


def callback(session: Session, f: object) -> Any:
    """Return a function that code which is not rewritten may call for one of the user's."""
    if type(f) is FunctionType and own_file[f.__code__.co_filename]:
        if f.__code__.co_filename.startswith(HERE) or (
            is_native(f.__code__.co_filename) and rules.rule_of(f) is None and not holds_users(f)
        ):
            return f
    if isinstance(f, type) or not callable(f):
        return f

    def called(*args: Any, **kwargs: Any) -> Any:
        # What it passes on besides what it was given, it has made.
        for container in containers.within((args, kwargs)):
            if not session.was_passed(container):
                session.made(container)
        # Code of the user's gets the objects back that code of ours was given.
        own = {name: _behind(value) for name, value in kwargs.items()}
        return calls.call(f, tuple(map(_behind, args)), own)

    is_object = not isinstance(f, (FunctionType, MethodType, BuiltinFunctionType, functools.partial))
    if is_object:
        return _stand_in(type(f))(session, f, called)  # type: ignore[arg-type]  # classes are hashable
    return functools.update_wrapper(called, f)


def _behind(value: object) -> Any:
    return value._object if isinstance(value, _Object) else value


class _Object:
    """Stand for an object that is called: to code that is not rewritten it shows nothing else of itself."""

    def __init__(self, session: Session, thing: Any, called: Any) -> None:
        self._object = thing
        self._session = session
        self._called = called
        self._has_hooks = calls.has_hooks(type(thing))
        if not self._has_hooks:
            functools.update_wrapper(self, thing, updated=())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._called(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and not self._has_hooks:
            raise AttributeError(name)
        raise self._session.refusal(f"a function of ours asks for the {name} of an object that it is given")


#: What a class may have that code of ours asks an object for without calling it.
_SPECIAL = ("__torch_function__", *(f"__{name}__" for name in ASKING.split() if name != "call"))


@functools.lru_cache(maxsize=256)
def _stand_in(kind: type) -> type[_Object]:
    """Return a class for what stands for objects of a class of the user's. It has that class's name, and
    refuses to run each special method that this class has.
    """

    def refuse(self: _Object, *args: Any) -> NoReturn:
        raise self._session.refusal(f"it passes a {kind.__name__} to a function of ours")

    own = (name for name in _SPECIAL if getattr(kind, name, None) is not getattr(object, name, None))
    return type(kind.__name__, (_Object,), {"__module__": kind.__module__, **dict.fromkeys(own, refuse)})


def call_native(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function of this package on arguments that hold nothing unseen."""
    others = [a for a in (*args, *kwargs.values()) if type(a) not in PASSED and not isinstance(a, TensorBase)]
    if others:
        if any(map(number_settings.holds_later, others)):
            made = number_arguments.result(session, f, args, kwargs)
            if made is not None:
                return made
            made = composed.result(session, f, args, kwargs)
            if made is not ABSENT:
                return made
        args = tuple([given(session, f, arg) for arg in args])
        kwargs = {name: given(session, f, arg) for name, arg in kwargs.items()}
    result = f(*args, **kwargs)
    if type(result) in containers.ITERATORS:
        return session.made(result)
    if not isinstance(result, TensorBase):
        for container in _containers_of(f, result):
            if not session.was_passed(container) and not session.was_there(container):
                session.made(container)
        if type(result) is FunctionType and not session.was_there(result) and result not in args:
            _defined(session, result)
    return result


def _defined(session: Session, f: FunctionType) -> None:
    """Note the closure of a function that code of ours has defined, as a decorator does."""
    if is_native(f.__code__.co_filename):
        for cell in f.__closure__ or ():
            session.made(cell)


def _containers_of(f: Any, result: object) -> Iterator[Any]:
    """Go through the containers in a result, and in the closures of functions that the call has defined: the
    function that `vjp` returns holds lists of tensors.
    """
    yield from containers.within(result)
    for part in result if type(result) is tuple else (result,):
        if type(part) is FunctionType and part.__code__ in f.__code__.co_consts:
            for held in _closed_over(part):
                yield from containers.within(held)


def given(session: Session, f: Any, value: Any) -> Any:
    """Return an argument for a function that runs as it is; everything that it holds is seen."""
    kind = type(value)
    found = _given_container(session, f, value, kind)
    if found is not ABSENT:
        return found
    if kind in TRANSPARENT or isinstance(value, TensorBase):
        return value
    if isinstance(value, Deferred):
        return value.fixed() if isinstance(value, Elements) else value.known()
    if isinstance(kind, EnumMeta) and isinstance(value, int):
        return int(value)
    if isinstance(value, Generator):
        return session.stream(value)
    if isinstance(kind, EnumMeta) or isinstance(value, (Node, np.generic, np.dtype)):
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
        return _given_class(session, f, value)
    if kind in (FunctionType, MethodType, functools.partial, BuiltinFunctionType):
        return callback(session, value)
    if containers.is_view(value):
        containers.follow_view(session, value)
        return value
    known = isinstance(value, (set, frozenset)) or is_of_ours(kind)  # type: ignore[arg-type]  # classes are hashable
    if known or (session.is_fresh(value) and kind in containers.ITERATORS):
        return value
    if callable(value):
        return callback(session, value)
    # Code of ours knows what it passes on.
    if from_our_code():
        return value
    raise session.refusal(f"it passes a {kind.__name__} to {calls.name_of(f)}")


def _given_container(session: Session, f: Any, value: Any, kind: type) -> Any:
    """Return a slice or a container for such a function; `ABSENT` for anything else."""
    if kind is slice:
        ends = value.start, value.stop, value.step
        plain = all(type(end) in SCALARS for end in ends)
        return value if plain else slice(*(given(session, f, end) for end in ends))
    if kind is tuple or kind is list or kind is deque:
        session.passed(value)
        parts = [given(session, f, v) for v in value]
        if all(a is b for a, b in zip(parts, value, strict=True)):
            return value
        return kind(parts)
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
    return ABSENT


def _given_class(session: Session, f: object, cls: type) -> type:
    if issubclass(cls, Function):
        session.custom(cls)
        session.lookup(cls, "generate_vmap_rule")
    elif is_users_class(cls):
        raise session.refusal(f"it passes the class {cls.__name__} to {calls.name_of(f)}")
    return cls


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
