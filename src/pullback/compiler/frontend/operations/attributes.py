"""Attributes as rewritten code reads, assigns and deletes them.

The rules are those of ``object.__getattribute__`` and its kin (Data Model, "Customizing attribute access"),
taken apart so that each dict that is looked into is seen, and so that properties, descriptors and
``__getattr__`` of the user's run as rewritten code.
"""

import functools
import threading
from collections import namedtuple
from enum import EnumMeta
from types import (
    ClassMethodDescriptorType,
    CodeType,
    FunctionType,
    GenericAlias,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    UnionType,
    WrapperDescriptorType,
)
from typing import Any

import numpy as np

from ....core.blame import own_file
from ....core.node import Node
from ....core.value import TensorBase
from ..functions import native_functions, rules
from ..state.deferred import Applied, Deferred, Elements, comes_before, converted, is_array, is_drawn_array
from ..state.draws import is_drawing
from ..state.guards import ABSENT, SCALARS, native_attribute
from ..state.session import Session, current
from ..unsupported import Again
from . import calls

_BUILTIN_DESCRIPTORS = (MethodDescriptorType, WrapperDescriptorType, ClassMethodDescriptorType)
#: Kinds of methods written in C that find their object.
_IN_C = (MethodDescriptorType, WrapperDescriptorType)
#: What gives a field of a named tuple.
_FIELD: Any = type(vars(namedtuple("_Probe", "field"))["field"])
#: Of a tensor: what a trace does not have as a call will have it.
_UNKNOWN_OF_TENSORS = frozenset({
    "_version", "data_ptr", "storage", "untyped_storage", "_typed_storage", "__dict__", "_value",
    "__array_interface__", "is_shared", "share_memory_", "register_post_accumulate_grad_hook", "set_",
    "resize_", "resize_as_", "__reduce_ex__", "__deepcopy__",
})  # fmt: skip
#: Of a tensor that the function is given: what says how it was made.
_HISTORY_OF_TENSORS = frozenset({
    "is_leaf", "grad_fn", "_base", "_is_view", "output_nr", "retains_grad", "retain_grad", "_backward_hooks",
    "is_inference",
})  # fmt: skip


def load_attribute(thing: Any, name: str) -> Any:
    """Return ``thing.name``."""
    session = current.get()
    cls = type(thing)
    if isinstance(thing, TensorBase):
        return _of_tensor(session, thing, cls, name)
    if cls is ModuleType or isinstance(thing, ModuleType):
        return _of_module(session, thing, name)
    if isinstance(thing, type):
        return _of_class(session, thing, cls, name)
    if is_array(thing) and name in ("shape", "dtype", "size", "ndim"):
        return getattr(thing.outline() if isinstance(thing, Elements) else thing.present(), name)
    if is_drawn_array(thing) and thing.kind is np.ndarray and name == "astype":
        return lambda dtype: Applied(session, np.ndarray, converted, (thing, np.dtype(dtype)))
    if isinstance(thing, Deferred):
        if thing.kind is str and comes_before(thing):
            return load_attribute(thing.known(), name)
        raise session.refusal(f"it reads .{name} of a number that a tensor will give")
    if isinstance(thing, Node):
        return getattr(thing, name)
    if cls is super:
        return _of_super(session, thing, name)
    reader = session.lookup(cls, "__getattribute__")
    session.typed(thing)
    if type(reader) is FunctionType:
        try:
            return calls.call_user(session, reader, (thing, name), {})
        except AttributeError:
            fallback = session.lookup(cls, "__getattr__")
            if type(fallback) is not FunctionType:
                raise
            return calls.call_user(session, fallback, (thing, name), {})
    if reader is not object.__getattribute__ and not _is_generic(reader):
        return _of_other(session, thing, cls, name)
    return generic(session, thing, cls, name)


#: Built-in classes that look attributes up in their own way.
_OWN_WAY = (type, super, ModuleType, MethodType, GenericAlias, UnionType, threading.local)
_GENERIC_MODULES = frozenset({
    "builtins", "collections", "functools", "re", "datetime", "decimal", "itertools", "operator", "_io",
    "types", "_thread", "contextvars", "_contextvars", "weakref", "enum",
})  # fmt: skip


def _is_generic(reader: object) -> bool:
    """Return whether a class written in C looks attributes up as ``object`` does."""
    if type(reader) is not WrapperDescriptorType:
        return False
    owner = reader.__objclass__
    return owner not in _OWN_WAY and owner.__module__ in _GENERIC_MODULES


def generic(session: Session, thing: object, cls: type, name: str) -> Any:
    """Return an attribute as ``object.__getattribute__`` and ``__getattr__`` find it."""
    found = session.lookup(cls, name)
    kind = type(found)
    error = None
    try:
        if found is not ABSENT and _is_data(session, kind) and session.lookup(kind, "__get__") is not ABSENT:
            return _through(session, found, kind, thing, cls, name)
        held = session.dict_of(thing)
        if held is not None:
            value = session.dict_item(held, name)
            if value is not ABSENT:
                return value
        if found is not ABSENT:
            return _through(session, found, kind, thing, cls, name)
    except AttributeError as raised:
        # Of a slot that is not set, or out of a property: Python asks ``__getattr__`` then, too.
        error = raised
    fallback = session.lookup(cls, "__getattr__")
    if type(fallback) is FunctionType:
        return (rules.rule_of(fallback) or calls.call_user)(session, fallback, (thing, name), {})
    if type(fallback) in _IN_C:
        return calls.call(fallback, (thing, name))
    if fallback is not ABSENT:
        raise session.refusal(f"{cls.__name__}.__getattr__ is no function")
    raise error or _missing(thing, name)


def _missing(thing: object, name: str) -> BaseException:
    """Return the error of an attribute that is not there, as Python has it."""
    try:
        object.__getattribute__(thing, name)
    except AttributeError as error:
        return error
    return AttributeError(name)


def _is_data(session: Session, kind: type) -> bool:
    """Return whether objects of a class are descriptors that go before what an object itself holds."""
    if kind in (FunctionType, classmethod, staticmethod):
        return False
    if kind in (property, MemberDescriptorType, GetSetDescriptorType, _FIELD) or _is_property(session, kind):
        return True
    if kind in _BUILTIN_DESCRIPTORS:
        return False
    return session.lookup(kind, "__set__") is not ABSENT or session.lookup(kind, "__delete__") is not ABSENT


def _is_property(session: Session, kind: type) -> bool:
    """Return whether a class is derived from ``property`` and gives values as that does."""
    return issubclass(kind, property) and session.lookup(kind, "__get__") is vars(property)["__get__"]


def _through(session: Session, found: Any, kind: type, thing: Any, cls: type, name: str) -> Any:
    """Return what something that a class holds under a name is for an object of the class."""
    if kind in (FunctionType, functools._lru_cache_wrapper):
        return MethodType(found, thing)
    if kind is property or _is_property(session, kind):
        return found.__get__(thing, cls) if found.fget is None else calls.call(found.fget, (thing,))
    if kind is staticmethod:
        return found.__func__
    if kind is classmethod:
        return MethodType(found.__func__, cls)
    if kind is MemberDescriptorType:
        return (rules.rule_of(found) or _slot)(session, found, (thing,), {})
    if kind is GetSetDescriptorType:
        return _getset(session, thing, found, name)
    if kind in _BUILTIN_DESCRIPTORS or kind is _FIELD or is_drawing(kind):
        return found.__get__(thing, cls)
    if kind is functools.cached_property:
        session.note_native(found, "func")
        value = calls.call(found.func, (thing,))
        held = session.dict_of(thing)
        if held is not None and found.attrname is not None:
            session.write_item(held, found.attrname, value)
        return value
    getter = session.lookup(kind, "__get__")
    if getter is ABSENT:
        return session.seen(found)
    if type(getter) is FunctionType:
        return calls.call_user(session, getter, (found, thing, cls), {})
    raise session.refusal(f"it reads .{name}, which is a {kind.__name__}")


def _slot(session: Session, slot: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    (thing,) = args
    if session.is_fresh(thing):
        return slot.__get__(thing, type(thing))
    return session.read_slot(thing, slot)


def _getset(session: Session, thing: Any, found: Any, name: str) -> Any:
    """Return an attribute that C code computes."""
    if name == "__dict__":
        return session.dict_of(thing)
    if name == "__class__":
        return type(thing)
    if (rule := rules.rule_of(found)) is not None:
        return rule(session, found, (thing,), {})
    value = found.__get__(thing, type(thing))
    new = session.is_fresh(thing) or (isinstance(thing, BaseException) and not session.was_there(thing))
    if new or isinstance(thing, CodeType):
        return value
    if type(value) in SCALARS or isinstance(value, (type, tuple, CodeType)):
        return session.seen(session.note_native(thing, name))
    if type(thing) is FunctionType and isinstance(value, dict):
        # It may have been made just now, and is the function's from now on.
        session.not_made(value)
        return session.note_native(thing, name)
    raise session.refusal(f"it reads .{name} of a {type(thing).__name__}")


def _of_super(session: Session, thing: Any, name: str) -> Any:
    """Return an attribute as ``super()`` finds it."""
    after, bound, kind = thing.__thisclass__, thing.__self__, thing.__self_class__
    if name == "__class__":
        return super
    mro = session.mro(kind)
    session.typed(bound)
    for base in mro[mro.index(after) + 1 :]:
        found = session.class_item(base, name)
        if found is not ABSENT:
            if bound is kind:
                return _of_class_item(session, found, bound, name)
            return _through(session, found, type(found), bound, kind, name)
    return getattr(thing, name)


def load_super(parts: tuple[Any, Any, Any, str, bool]) -> Any:
    """Return ``super(cls, thing).name`` (CPython 3.12 and newer have an instruction for it).

    The last part is whether both arguments are written down.
    """
    maker, cls, thing, name, is_written = parts
    if maker is super:
        return _of_super(current.get(), super(cls, thing), name)
    return load_attribute(calls.call(maker, (cls, thing) if is_written else ()), name)


def _of_module(session: Session, thing: ModuleType, name: str) -> Any:
    session.typed(thing)
    held = vars(thing)
    # A module's own `__getattr__` may give any answer.
    file = held.get("__file__")
    own = type(file) is str and own_file[file]
    if type(thing) is not ModuleType and not own:
        return generic(session, thing, type(thing), name)
    if name not in held and own:
        # Modules of ours load some of their parts when they are asked for.
        native_attribute(thing, name)
    value = session.dict_item(held, name)
    if value is not ABSENT:
        return value
    if name in ("__dict__", "__class__"):
        return held if name == "__dict__" else type(thing)
    fallback = session.dict_item(held, "__getattr__")
    if type(fallback) is FunctionType and not own_file[fallback.__code__.co_filename]:
        return calls.call_user(session, fallback, (name,), {})
    # A module of ours, or of a library, that loads its parts when they are asked for.
    value = getattr(thing, name)
    if held.get(name, ABSENT) is not value:
        session.note_native(thing, name)
    return session.seen(value)


def _of_class(session: Session, thing: type, meta: type, name: str) -> Any:
    """Return an attribute of a class, as ``type.__getattribute__`` finds it."""
    if type(session.lookup(meta, "__getattribute__")) is FunctionType:
        raise session.refusal(f"the metaclass {meta.__name__} has a __getattribute__ of its own")
    session.typed(thing)
    above = session.lookup(meta, name)
    above_gives = above is not ABSENT and session.lookup(type(above), "__get__") is not ABSENT
    if above_gives and _is_data(session, type(above)):
        if type(above) is GetSetDescriptorType or type(above) is MemberDescriptorType:
            return getattr(thing, name) if name == "__dict__" else session.note_native(thing, name)
        return _through(session, above, type(above), thing, meta, name)
    found = session.lookup(thing, name)
    if found is not ABSENT:
        if isinstance(thing, EnumMeta):
            if isinstance(getattr(thing, name), thing):
                return session.note_native(thing, name)
        return _of_class_item(session, found, thing, name)
    if above is not ABSENT:
        return _through(session, above, type(above), thing, meta, name)
    fallback = session.lookup(meta, "__getattr__")
    if isinstance(thing, EnumMeta):
        getattr(thing, name)
        return session.note_native(thing, name)
    if type(fallback) is FunctionType:
        return calls.call_user(session, fallback, (thing, name), {})
    return getattr(thing, name)


#: Types of what a class holds that is the same for the class itself.
_FOUND_AS_THEY_ARE = (
    FunctionType, property, MemberDescriptorType, GetSetDescriptorType, functools.cached_property, _FIELD,
    functools._lru_cache_wrapper,
)  # fmt: skip


def _of_class_item(session: Session, found: Any, thing: type, name: str) -> Any:
    """Return what something that a class holds is for the class itself."""
    kind = type(found)
    if kind is staticmethod:
        return found.__func__
    if kind is classmethod:
        return MethodType(found.__func__, thing)
    if kind in _FOUND_AS_THEY_ARE or _is_property(session, kind):
        return found
    if kind in _BUILTIN_DESCRIPTORS:
        return found.__get__(None, thing)
    getter = session.lookup(kind, "__get__")
    if getter is ABSENT:
        return session.seen(found)
    if type(getter) is FunctionType:
        return calls.call_user(session, getter, (found, None, thing), {})
    raise session.refusal(f"it reads .{name}, which is a {kind.__name__}")


def _of_tensor(session: Session, thing: Any, cls: type, name: str) -> Any:
    if name in _UNKNOWN_OF_TENSORS and not native_functions.from_our_code():
        raise session.refusal(f"it reads .{name} of a tensor")
    if name in _HISTORY_OF_TENSORS and session.cells.is_cell(thing):
        if name == "is_leaf":
            return not session.cells.has_history(thing)
        if name == "grad_fn" and thing.grad_fn is None and not session.cells.has_history(thing):
            return None
        raise session.refusal(f"it reads .{name} of a tensor that it is given")
    if name == "grad":
        session.asked_grads.add(id(thing))
        if session.cells.is_stand_in(thing._grad) and not native_functions.from_our_code():
            raise session.refusal("it looks for a gradient", Again)
        if session.cells.has_history(thing) and thing._grad is None and not thing._retained:
            raise session.refusal("it looks for the gradient of a tensor that is no leaf, which warns")
    found = session.lookup(cls, name)
    if found is ABSENT:
        value = session.tensor_attribute(thing, name)
        return getattr(thing, name) if value is ABSENT else value
    if type(found) is FunctionType and not own_file[found.__code__.co_filename]:
        return MethodType(found, thing)
    if type(found) is property:
        if found.fget is not None and (found.fget is id or not own_file[found.fget.__code__.co_filename]):
            return calls.call(found.fget, (thing,))
    return getattr(thing, name)


def _of_other(session: Session, thing: Any, cls: type, name: str) -> Any:
    """Return an attribute of an object whose class looks names up in C code of its own."""
    if cls is MethodType:
        if name in ("__self__", "__func__"):
            return getattr(thing, name)
        return load_attribute(thing.__func__, name)
    if cls is threading.local:
        value = session.note_native(thing, name)
        if value is ABSENT:
            raise _missing(thing, name)
        return session.seen(value)
    if isinstance(thing, (MappingProxyType, *SCALARS)):
        return getattr(thing, name)
    raise session.refusal(f"it reads .{name} of a {cls.__name__}")


# --- assigning ----------------------------------------------------------------------------------------------


def store_attribute(parts: tuple[Any, Any, str]) -> None:
    """Do ``thing.name = value``."""
    value, thing, name = parts
    session = current.get()
    cls = type(thing)
    if isinstance(thing, TensorBase):
        _set_on_tensor(session, thing, name, value)
        return
    if isinstance(thing, Node):
        setattr(thing, name, value)
        return
    if isinstance(thing, ModuleType) and type(thing) is ModuleType:
        session.write_item(vars(thing), name, value)
        return
    session.typed(thing)
    if _by_class(session, thing, "__setattr__", name, value):
        return
    if isinstance(thing, type):
        above = session.lookup(cls, name)
        if above is not ABSENT and _is_data(session, type(above)):
            if type(above) is not property or above.fset is None:
                raise session.refusal(f"the function assigns to .{name} of a class")
            calls.call(above.fset, (thing, value))
            return
        session.write_class(thing, name, value)
        return
    set_generic(session, thing, name, value)


def _by_class(session: Session, thing: object, name: str, *args: Any) -> bool:
    """Set or delete an attribute by the method that a class has for it; return whether it has one."""
    method = session.lookup(type(thing), name)
    kind = type(method)
    if kind is FunctionType:
        calls.call_user(session, method, (thing, *args), {})
    elif kind in _IN_C and method.__name__ != name:
        # As in `__setattr__ = dict.__setitem__`.
        calls.call(method, (thing, *args))
    elif kind is WrapperDescriptorType or method is ABSENT:
        return False
    else:
        raise session.refusal(f"{type(thing).__name__}.{name} is no function")
    return True


def set_generic(session: Session, thing: object, name: str, value: object) -> None:
    """Assign an attribute as ``object.__setattr__`` does."""
    cls = type(thing)
    session.typed(thing)
    found = session.lookup(cls, name)
    kind = type(found)
    if name in ("__class__", "__dict__"):
        if not session.is_fresh(thing) or id(thing) in session.arguments:
            raise session.refusal(f"the function assigns to {name}")
        setattr(thing, name, value)
        return
    if found is not ABSENT and _is_data(session, kind):
        if kind is property:
            if found.fset is None:
                object.__setattr__(thing, name, value)
            calls.call(found.fset, (thing, value))
            return
        if kind is MemberDescriptorType:
            session.write_slot(thing, found, value)
            return
        if kind is GetSetDescriptorType:
            made = session.is_fresh(thing) or isinstance(thing, BaseException)
            if not made or session.was_there(thing):
                raise session.refusal(f"the function assigns to .{name} of a {cls.__name__}")
            setattr(thing, name, value)
            return
        setter = session.lookup(kind, "__set__")
        if type(setter) is not FunctionType:
            raise session.refusal(f"the function assigns to .{name}, which is a {kind.__name__}")
        calls.call_user(session, setter, (found, thing, value), {})
        return
    if cls is threading.local:
        raise session.refusal("the function assigns to a thread's own attribute")
    held = session.dict_of(thing)
    if held is None:
        object.__setattr__(thing, name, value)
        return
    session.write_item(held, name, value)


def _set_on_tensor(session: Session, thing: object, name: str, value: object) -> None:
    found = session.lookup(type(thing), name)
    if found is ABSENT:
        session.write_tensor_attribute(thing, name, value)
        return
    if isinstance(value, Deferred) or not own_file[_file_of(found)]:
        raise session.refusal(f"the function assigns to .{name} of a tensor")
    if name == "grad" and session.cells.has_history(thing):
        raise session.refusal("it assigns the gradient of a tensor that is no leaf")
    setattr(thing, name, value)


def _file_of(found: object) -> str:
    function = getattr(found, "fset", None) or found
    code = getattr(function, "__code__", None)
    return "" if code is None else str(code.co_filename)


def delete_attribute(thing: object, name: str) -> None:
    """Do ``del thing.name``."""
    session = current.get()
    if isinstance(thing, TensorBase):
        session.delete_tensor_attribute(thing, name)
        return
    session.typed(thing)
    if not _by_class(session, thing, "__delattr__", name):
        delete_generic(session, thing, name)


def delete_generic(session: Session, thing: object, name: str) -> None:
    """Delete an attribute as ``object.__delattr__`` does."""
    found = session.lookup(type(thing), name)
    if isinstance(thing, type) or (found is not ABSENT and _is_data(session, type(found))):
        raise session.refusal(f"the function deletes .{name} of a {type(thing).__name__}")
    held = vars(thing) if isinstance(thing, ModuleType) else session.dict_of(thing)
    if held is None or session.dict_item(held, name) is ABSENT:
        object.__delattr__(thing, name)
        raise session.refusal(f"the function deletes .{name} of a {type(thing).__name__}")
    session.delete_item(held, name)
