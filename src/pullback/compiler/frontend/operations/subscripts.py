"""Subscripts as rewritten code does them."""

import operator
from types import FunctionType, GenericAlias
from typing import Any

import numpy as np

from ....core.size import Size
from ....core.value import TensorBase, dtype_of, shape_of
from ....core.versions import bump
from ..functions import builtin_functions, native_functions
from ..state import number_inputs
from ..state.deferred import Applied, Deferred, Elements, is_drawn_array
from ..state.guards import ABSENT, SCALARS
from ..state.session import Session, current
from . import calls, containers, operators


def index_of(value: object) -> Any:
    """Return what stands for a number in a subscript as the number itself."""
    session = current.get()
    if isinstance(value, TensorBase):
        value = builtin_functions.index_of(session, value)
    if isinstance(value, Deferred):
        return value.known()
    if type(value) in operators.PLAIN or isinstance(value, (int, np.generic)):
        return value
    session.typed(value)
    method = session.lookup(type(value), "__index__")
    if type(method) is not FunctionType:
        return value
    found = operators._known(calls.call_function(session, method, (value,), {}))
    return found if type(found) is int else operators.taken(operator.index, value, "__index__", found)


def _part(session: Session, values: Any, key: Any) -> Any:
    ends = (key.start, key.stop, key.step) if type(key) is slice else (key,)
    if not all(end is None or type(end) is int for end in ends):
        raise session.refusal("it looks for a part of an array that is drawn")
    found = values.present()[key]
    if type(found) not in (*SCALARS, list, np.ndarray):
        raise session.refusal("it looks for an element of an array that is drawn")
    return Applied(session, type(found), operator.getitem, (values, key))


def _of_numbers(session: Session, key: object) -> Any:
    """Return a subscript with numbers for tensors in slices, and tensors for arrays that they give. A mask
    without axes says what shape comes out, and becomes a part of the program.
    """
    if type(key) is tuple:
        parts = tuple(_of_numbers(session, part) for part in key)
        return key if all(map(operator.is_, key, parts)) else parts
    if type(key) is slice:
        ends = key.start, key.stop, key.step
        if any(isinstance(end, TensorBase) for end in ends):
            return slice(*(builtin_functions.index_of(session, end) if isinstance(end, TensorBase) else end
                           for end in ends))  # fmt: skip
        return key
    traced = isinstance(key, TensorBase) and session.cells.is_traced(key)
    if traced and shape_of(key) == () and dtype_of(key).char in "?B":
        return builtin_functions.bool_of(session, key).known()
    found = number_inputs.shared(key)
    return key if found is None else found


def load_item(container: Any, key: Any) -> Any:
    """Return ``container[key]``."""
    session = current.get()
    if is_drawn_array(container):
        return _part(session, container, key)
    if isinstance(container, TensorBase):
        if type(key) is int:
            return container[key]  # type: ignore[index]  # the facade has it
        key = _of_numbers(session, key)
        if is_drawn_array(key) and (index := number_inputs.array(session, key)) is not None:
            key = index
        picked = number_inputs.item(session, container, key)
        return _of_tensor(session, container, key) if picked is None else picked
    if isinstance(key, Deferred):
        key = key.known()
    if isinstance(container, Elements):
        container = containers.made_within(session, container.read())
    container = containers.behind_proxy(container)
    if type(container) in (str, bytes, range, Size):
        key = slice(*map(index_of, (key.start, key.stop, key.step))) if type(key) is slice else index_of(key)
        return container[key]
    if containers.is_container(container):
        return containers.special(session, container, "__getitem__", key)
    if isinstance(container, type):
        return _of_generic(session, container, key)
    if isinstance(container, GenericAlias):
        return container[key]
    if isinstance(container, np.ndarray):
        if session.is_fresh(container) and operators.is_plain(key):
            value = container[key]
            return session.made(value) if isinstance(value, np.ndarray) else value
        raise session.refusal("it reads an array of NumPy's")
    session.typed(container)
    method = session.lookup(type(container), "__getitem__")
    if method is ABSENT or getattr(method, "__module__", None) == "typing":
        # Dict[str, int], say, which keeps what it has made.
        return container[key]
    return operators.special(session, method, container, key)


def _of_tensor(session: Session, tensor: object, key: object) -> Any:
    """Return ``tensor[key]``: for integers in tensors a copy, as long as nobody could tell."""
    parts = key if type(key) is tuple else (key,)
    places = [n for n, part in enumerate(parts) if _is_traced_integer(session, part)]
    if not places or not all(number_inputs.is_plain(p) for n, p in enumerate(parts) if n not in places):
        return native_functions.call_native(session, operator.getitem, (tensor, key), {})
    if session.knowledge.picks:
        found = native_functions.call_native(session, operator.getitem, (tensor, key), {})
        return session.cells.recorder.pick(found, tensor, key)
    numbers = tuple(index_of(part) if n in places else part for n, part in enumerate(parts))
    return native_functions.call_native(session, operator.getitem, (tensor, numbers), {})


def _is_traced_integer(session: Session, part: Any) -> bool:
    traced = isinstance(part, TensorBase) and session.cells.is_traced(part) and not part._value.shape
    return traced and part._value.dtype.kind in "iu" and part._value.dtype != np.uint8


def _of_generic(session: Session, container: type, key: object) -> Any:
    method = session.lookup(type(container), "__getitem__")
    if type(method) is FunctionType and method.__module__ != "enum":
        return operators.special(session, method, container, key)
    found = session.lookup(container, "__class_getitem__")
    function = found.__func__ if isinstance(found, classmethod) else None
    if type(function) is FunctionType and function.__module__ != "typing":
        return calls.call_function(session, function, (container, key), {})
    return container[key]  # type: ignore[index]  # such as list[int], or a member of an enumeration


def store_item(parts: tuple[Any, Any, Any]) -> None:
    """Do ``container[key] = value``."""
    value, container, key = parts
    session = current.get()
    if isinstance(container, TensorBase):
        _store_in_tensor(session, container, _of_numbers(session, key), value)
        return
    if isinstance(key, Deferred):
        key = key.known()
    if containers.is_container(container):
        containers.set_item(session, container, key, value)
        return
    if isinstance(container, np.ndarray) and session.is_fresh(container) and operators.is_plain(key):
        container[key] = operators._known(value)
        return
    session.typed(container)
    method = session.lookup(type(container), "__setitem__")
    if type(method) is not FunctionType:
        raise session.refusal(f"it assigns an item of a {type(container).__name__}")
    operators.special(session, method, container, key, value)


def _store_in_tensor(session: Session, tensor: Any, key: object, value: object) -> None:
    recorder = session.cells.recorder
    back = recorder.picks.stored(tensor, key, value, recorder.wrote_last)
    # A number that is stored is one that is added to nothing.
    value = number_inputs.operand(value, "+", tensor)
    if not number_inputs.set_item(session, tensor, key, value):
        native_functions.call_native(session, operator.setitem, (tensor, key, value), {})
    if back is not None:
        # Eager writes to the view and then the view to itself.
        bump(tensor)
        back.own, back.version = back.counter[0], tensor._counter[0]


def delete_item(container: object, key: object) -> None:
    """Do ``del container[key]``."""
    session = current.get()
    if containers.is_container(container):
        containers.special(session, container, "__delitem__", key)
        return
    session.typed(container)
    method = session.lookup(type(container), "__delitem__")
    if type(method) is not FunctionType:
        raise session.refusal(f"it deletes an item of a {type(container).__name__}")
    operators.special(session, method, container, key)
