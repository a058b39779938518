"""Operators, comparisons and truth as rewritten code does them."""

import decimal
import operator
import sys
from collections.abc import Callable
from enum import EnumMeta
from types import (
    FunctionType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    NoneType,
    UnionType,
    WrapperDescriptorType,
)
from typing import Any

import numpy as np

from ....array import dtypes
from ....core.device import device
from ....core.size import Size
from ....core.value import TensorBase
from ....nn.parameter import Buffer, Parameter
from ....tensor.tensor import Tensor
from ..bytecode.hooks import HOOKS, OPERATORS, operator_function
from ..functions import builtin_functions, number_arguments
from ..state import number_inputs
from ..state.deferred import Applied, Deferred, Elements, comes_before, computed, is_drawn_array
from ..state.guards import ABSENT, COMPARED, SCALARS, is_heap_type, mro_of
from ..state.number_kinds import is_number_or_text, kind_of, kind_of_result
from ..state.optimizer_state import is_ours
from ..state.session import Session, current
from ..unsupported import OnlyNow
from . import calls, containers, iteration

#: Types on whose values Python's operators do nothing that is not seen.
PLAIN = frozenset({
    *SCALARS, Tensor, Parameter, Buffer, Size, dtypes.dtype, device, slice, type(Ellipsis),
    type(NotImplemented), *COMPARED,
}) - {decimal.Decimal}  # fmt: skip
_NUMBERS = (bool, int, float, complex)
#: Types of methods that are written in C.
_OF_PYTHON = (WrapperDescriptorType, MethodDescriptorType)


def is_plain(value: Any) -> bool:
    """Return whether operators on a value, and on what it holds, run none of the user's code."""
    kind = type(value)
    if kind in PLAIN or kind in (type, FunctionType, ModuleType):
        return True
    if kind in (tuple, list, set, frozenset, Size):
        return all(map(is_plain, value))
    if kind is dict:
        return all(map(is_plain, value)) and all(map(is_plain, value.values()))
    if isinstance(kind, EnumMeta) or isinstance(value, (type, ModuleType, np.generic, np.dtype)):
        return not is_heap_type(kind) or has_no_methods(kind)
    return False


#: What operators, conversions and formatting ask of a class.
_ASKED = tuple(f"__{name}__" for name in (
    "eq", "ne", "lt", "le", "gt", "ge", "hash", "bool", "len", "index", "int", "float", "str", "repr",
    "format",
))  # fmt: skip


def has_no_methods(kind: type) -> bool:
    """Return whether what operators and conversions ask of a class is Python's own, as enumerations'."""
    session = current.get()
    for name in _ASKED:
        method = session.lookup(kind, name)
        own = type(method) is FunctionType and (method.__module__ == "enum" or is_ours(method))
        if method is not ABSENT and method is not None and type(method) not in _OF_PYTHON and not own:
            return False
    return True


#: Methods of tensors that operators and built-in functions call by themselves.
_OF_TENSORS = tuple(
    name for name, found in vars(Tensor).items()
    if name.startswith("__") and type(found) is FunctionType
    and name not in ("__repr__", "__str__", "__format__", "__dir__", "__init__", "__getattr__", "__setattr__")
)  # fmt: skip


def check_operators(session: Session) -> None:
    """Guard that tensors have this package's operators, which are called without being looked up."""
    for name in _OF_TENSORS:
        found = session.lookup(Tensor, name)
        if type(found) is not FunctionType or not is_ours(found):
            raise session.refusal(f"Tensor.{name} is replaced")


def unsupported(sign: str, a: type, b: type) -> TypeError:
    """Return Python's error for operands of classes that an operator does not take."""
    return TypeError(f"unsupported operand type(s) for {sign}: '{a.__name__}' and '{b.__name__}'")


def _binary(sign: str, function: Callable[[Any, Any], Any], name: str) -> Callable[[Any, Any], Any]:
    direct, reflected = f"__{name}__", f"__r{name}__"

    def hook(a: Any, b: Any) -> Any:
        if type(a) in PLAIN and type(b) in PLAIN:
            return function(a, b)
        return _binary_slowly(current.get(), sign, function, (direct,), reflected, a, b)

    return hook


def _in_place(sign: str, function: Callable[[Any, Any], Any], name: str) -> Callable[[Any, Any], Any]:
    own, direct, reflected = f"__i{name}__", f"__{name}__", f"__r{name}__"

    def hook(a: Any, b: Any) -> Any:
        if type(a) in PLAIN and type(b) in PLAIN:
            return function(a, b)
        session = current.get()
        if containers.is_mutable(a):
            return containers.update(session, a, own, b)
        return _binary_slowly(session, sign, function, (own, direct), reflected, a, b)

    return hook


def _known(value: object) -> Any:
    return value.known() if isinstance(value, Deferred) else value


def known_text(value: object) -> Any:
    """Return a value; of a text of a later time, the text as a part of the program."""
    return value.known() if isinstance(value, Deferred) and value.kind is str else value


def taken(function: Callable[..., Any], thing: object, name: str, found: object) -> Any:
    """Return what a built-in function makes of an unusual answer of a special method, or raise its error."""
    cls: Any = type(type(thing).__name__, (), {name: lambda self, *args: found})
    return function(cls())


def deferred(session: Session, function: Callable[..., Any], args: tuple[Any, ...], kind: type) -> Any:
    """Return a function of deferred numbers as another one."""
    if all(map(is_number_or_text, args)):
        return Applied(session, kind, function, args)
    if not all(isinstance(a, Deferred) or is_plain(a) for a in args):
        raise session.refusal("it passes an object of the user's to a function of numbers or texts")
    return function(*map(_known, args))


def _meets_user(a: Any, b: Any) -> bool:
    """Return whether one of two values is a number of a later time, and the other decides the result."""
    number, other = (a, b) if isinstance(a, Deferred) else (b, a)
    known = isinstance(other, (*SCALARS, np.ndarray)) or containers.is_builtin(other) or is_plain(other)
    return number.kind in _NUMBERS and not known


def _binary_slowly(
    session: Session, sign: str, function: Callable[[Any, Any], Any], names: tuple[str, ...], reflected: str,
    a: object, b: object,
) -> Any:  # fmt: skip
    if isinstance(a, Deferred) or isinstance(b, Deferred):
        if isinstance(a, TensorBase) or isinstance(b, TensorBase):
            if isinstance(a, Deferred):
                # What was no tensor is not written to.
                function = operator_function(OPERATORS[sign.rstrip("=")])
            if sign == "**" and (made := number_arguments.power(session, function, (a, b), {})) is not None:
                return made
            left, right = number_inputs.operand(a, sign, b), number_inputs.operand(b, sign, a)
            if sign == "/" and isinstance(a, Deferred) and isinstance(left, TensorBase):
                # So is a number divided by a tensor.
                return right.reciprocal() * left
            return function(left, right)
        if sign in ("+", "-", "*") and all(map(_is_computed, (a, b))):
            return Applied(session, np.ndarray, computed, (sign, a, b))
        if all(map(is_number_or_text, (a, b))):
            kind = str if type(a) is str else kind_of_result(function, (a, b))
            return Applied(session, kind, function, (a, b))
        if not _meets_user(a, b):
            return _binary_slowly(session, sign, function, names, reflected, _known(a), _known(b))
        return _dispatched(session, sign, names, reflected, a, b)
    if type(a) is str and type(b) is tuple and any(isinstance(part, Deferred) for part in b):
        return deferred(session, lambda text, *parts: text % parts, (a, *b), str)
    if containers.is_builtin(a) and containers.is_builtin(b):
        session.whole(a)
        session.whole(b)
        result = function(a, b)
        return session.made(result) if type(result) in (list, dict, set) else result
    for some, other in ((a, b), (b, a)):
        if type(some) in (list, tuple) and type(other) in (int, bool) and sign.rstrip("=") == "*":
            session.whole(some)
            result = function(a, b)
            return session.made(result) if type(result) is list else result
    for value in (a, b):
        if isinstance(value, np.ndarray) and not session.is_fresh(value):
            raise session.refusal("it reads an array of NumPy's")
    if all(isinstance(v, (np.ndarray, np.generic, TensorBase)) or type(v) in PLAIN for v in (a, b)):
        result = function(a, b)
        return session.made(result) if isinstance(result, np.ndarray) else result
    return _dispatched(session, sign, names, reflected, a, b)


#: What makes ``A | B`` of classes.
_UNIONS = frozenset(vars(kind).get(name) for kind in (type, UnionType) for name in ("__or__", "__ror__"))


def _is_computed(value: Any) -> bool:
    """Return whether a value is an array that is drawn, or a number beside one."""
    return type(value) in (int, float) or (is_drawn_array(value) and value.kind is np.ndarray)


def _dispatched(session: Session, sign: str, names: tuple[str, ...], reflected: str, a: Any, b: Any) -> Any:
    """Ask the methods of the operands' classes, as Python does."""
    first, second = kind_of(a), kind_of(b)
    for value in (a, b):
        if not isinstance(value, Deferred):
            session.typed(value)
    asked: list[tuple[str, Any, Any]] = [(name, a, b) for name in names]
    other = session.lookup(second, reflected)
    if first is not second and other is not ABSENT:
        goes_first = first in mro_of(second, None) and other is not session.lookup(first, reflected)
        asked.insert(0 if goes_first else len(asked), (reflected, b, a))
    for name, own, operand in asked:
        if isinstance(own, Deferred):
            # A number knows no other classes than those of numbers.
            continue
        method = session.lookup(type(own), name)
        if method is ABSENT or method is None:
            continue
        if isinstance(own, TensorBase):
            if is_number(session, operand):
                return method(own, int(operand) if isinstance(operand, int) else float(operand))
            raise session.refusal(f"an operator is applied to a tensor and a {type(operand).__name__}")
        if type(method) is WrapperDescriptorType and (isinstance(own, _NUMBERS) or method in _UNIONS):
            # Of another object it asks for nothing but its class.
            result = method(own, operand)
        else:
            result = special(session, method, own, operand)
        if result is not NotImplemented:
            return result
    raise unsupported(sign, first, second)


def is_number(session: Session, value: object) -> bool:
    """Return whether a value is a number, perhaps of a derived class without code of its own."""
    kind = type(value)
    return isinstance(value, (int, float)) and all(
        type(session.lookup(kind, name)) is not FunctionType
        for name in ("__int__", "__float__", "__index__", "__radd__", "__rmul__", "__rsub__", "__rtruediv__")
    )


def special(session: Session, method: Any, thing: Any, *args: Any) -> Any:
    """Call a special method that a class holds."""
    if type(method) is FunctionType:
        return calls.call_function(session, method, (thing, *args), {})
    if isinstance(method, staticmethod):
        return calls.call(method.__func__, args)
    return calls.call(method.__get__(thing, type(thing)), args)


_WARNS_OF_INVERTED_BOOLS = sys.version_info >= (3, 12)


def _unary(function: Callable[[Any], Any], name: str) -> Callable[[Any], Any]:
    def hook(a: Any) -> Any:
        if function is operator.invert and _WARNS_OF_INVERTED_BOOLS and kind_of(a) is bool:
            raise current.get().refusal("it inverts a bool, which Python warns of")
        if type(a) in PLAIN or isinstance(a, np.generic):
            return function(a)
        session = current.get()
        if isinstance(a, Deferred):
            return Applied(session, kind_of_result(function, (a,)), function, (a,))
        if isinstance(a, np.ndarray) and session.is_fresh(a):
            return session.made(function(a))
        session.typed(a)
        method = session.lookup(type(a), name)
        if method is ABSENT:
            return function(a)
        return special(session, method, a)

    return hook


_MIRRORED = {"__lt__": "__gt__", "__gt__": "__lt__", "__le__": "__ge__", "__ge__": "__le__",
             "__eq__": "__eq__", "__ne__": "__ne__"}  # fmt: skip


def _compare(sign: str, function: Callable[[Any, Any], Any], name: str) -> Callable[[Any, Any], Any]:
    def hook(a: Any, b: Any) -> Any:
        if type(a) in PLAIN and type(b) in PLAIN:
            return function(a, b)
        return compared(current.get(), sign, function, name, a, b)

    return hook


def compared(
    session: Session, sign: str, function: Callable[[Any, Any], Any], name: str, a: object, b: object
) -> Any:
    """Return what a comparison gives."""
    if isinstance(a, Deferred) or isinstance(b, Deferred):
        if isinstance(a, TensorBase) or isinstance(b, TensorBase):
            return function(number_inputs.operand(a, sign, b), number_inputs.operand(b, sign, a))
        if all(map(is_number_or_text, (a, b))):
            found = Applied(session, bool, function, (a, b))
            return found.known() if comes_before(found) else found
        if not _meets_user(a, b):
            return compared(session, sign, function, name, _known(a), _known(b))
    if containers.is_builtin(a) or containers.is_builtin(b):
        for value in (a, b):
            if containers.is_builtin(value):
                session.whole(value)
        if is_plain(a) and is_plain(b):
            return function(a, b)
        if type(a) is type(b):
            return sequences_compared(session, sign, a, b)
    for value in (a, b):
        if isinstance(value, np.ndarray) and not session.is_fresh(value):
            raise session.refusal("it reads an array of NumPy's")
    if all(isinstance(v, (np.ndarray, np.generic)) or is_plain(v) for v in (a, b)):
        return function(a, b)
    first, second = kind_of(a), kind_of(b)
    for value in (a, b):
        if not isinstance(value, Deferred):
            session.typed(value)
    asked = [(name, a, b), (_MIRRORED[name], b, a)]
    if first is not second and first in mro_of(second, None):
        asked.reverse()
    for each, own, operand in asked:
        if isinstance(own, Deferred):
            continue
        method = session.lookup(type(own), each)
        if isinstance(own, TensorBase):
            raise session.refusal(f"a tensor is compared with a {type(operand).__name__}")
        if method is getattr(object, each):
            if each == "__ne__":
                equal = session.lookup(type(own), "__eq__")
                if equal is not object.__eq__:
                    result = special(session, equal, own, operand)
                    if result is not NotImplemented:
                        return not truth(result)
            continue
        # A number or a text asks another object for nothing but its class.
        result = method(own, operand) if type(own) in PLAIN else special(session, method, own, operand)
        if result is not NotImplemented:
            return result
    if name in ("__eq__", "__ne__"):
        tell_apart(session, a, b)
        return (a is b) is (name == "__eq__")
    raise TypeError(
        f"'{sign}' not supported between instances of '{first.__name__}' and '{second.__name__}'"
    )


def same(a: object, b: object) -> bool:
    """Return whether a container takes two values for one: they are one object, or equal."""
    if a is b:
        return True
    current.get().found_apart(a, b)
    return truth(HOOKS.compare["=="](a, b))


def sequences_compared(session: Session, sign: str, a: object, b: object) -> Any:
    """Compare lists or tuples that hold objects with comparisons of their own."""
    kind = containers.kind_of(a) if containers.is_container(a) or type(a) is Size else None
    if kind not in (list, tuple) or not isinstance(b, kind):
        raise session.refusal(f"it compares a {type(a).__name__} and a {type(b).__name__}")
    left, right = tuple(containers.values_of(a)), tuple(containers.values_of(b))
    by_equality = sign in ("==", "!=")
    if by_equality and len(left) != len(right):
        return sign == "!="
    for x, y in zip(left, right):
        if not same(x, y):
            return sign == "!=" if by_equality else HOOKS.compare[sign](x, y)
    return HOOKS.compare[sign](len(left), len(right))


def truth(value: object) -> bool:
    """Return whether a value counts as true."""
    if value is True or value is False or value is None:
        return bool(value)
    if isinstance(value, TensorBase):
        session = current.get()
        if builtin_functions.is_single(session, value):
            return bool(builtin_functions.bool_of(session, value).known())
        return bool(value)
    kind = type(value)
    if kind in PLAIN or kind in (type, FunctionType, MethodType, ModuleType) or isinstance(value, np.generic):
        return bool(value)
    session = current.get()
    if isinstance(value, Deferred):
        return bool((Applied(session, bool, bool, (value,)) if comes_before(value) else value).known())
    session.typed(value)
    for name in ("__bool__", "__len__"):
        method = session.lookup(type(value), name)
        if method is ABSENT:
            continue
        if type(method) is FunctionType:
            found = _known(calls.call_function(session, method, (value,), {}))
            return found if type(found) is bool else taken(bool, value, name, found)
        if containers.is_container(value):
            length = containers.length(session, value)
            if isinstance(length, Deferred):
                return bool(deferred(session, operator.gt, (length, 0), bool).known())
            return bool(length > 0)
        of_number = isinstance(value, SCALARS) and type(method) is WrapperDescriptorType
        if of_number or session.is_fresh(value) or isinstance(value, (Exception,)):
            return bool(value)
        raise session.refusal(f"it asks whether a {type(value).__name__} is true")
    return True


#: Types of numbers and arrays of a later time that are not None, True or False.
_NEVER_NONE = (int, float, str, np.ndarray)


def is_(a: object, b: object) -> bool:
    """Return ``a is b``; which of two equal values is which object is not guarded."""
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Deferred) and one.kind in _NEVER_NONE and type(other) in (bool, NoneType):
            return False
    a, b = _known(a), _known(b)
    if a is None or b is None or a is True or a is False or b is True or b is False:
        return a is b
    if type(a) in COMPARED and type(b) in COMPARED:
        raise current.get().refusal("it asks whether two equal values are one object")
    session = current.get()
    if isinstance(a, TensorBase) and isinstance(b, TensorBase):
        session.told(a)
        session.told(b)
    else:
        tell_apart(session, a, b)
    return a is b


def tell_apart(session: Session, a: object, b: object) -> None:
    """Refuse to tell objects apart of which a call may give one twice, or one that is found elsewhere."""
    if type(a) is type(b) and (id(a) in session.arguments or id(b) in session.arguments):
        raise session.refusal("it asks which container it is given")


def is_not(a: object, b: object) -> bool:
    """Return ``a is not b``."""
    return not is_(a, b)


def not_(value: object) -> bool:
    """Return whether a value counts as false."""
    if isinstance(value, Deferred) and not comes_before(value):
        return Applied(current.get(), bool, operator.not_, (value,))  # type: ignore[return-value]  # later
    return not truth(value)


def contains(item: Any, container: Any) -> bool:
    """Return ``item in container``."""
    session = current.get()
    if isinstance(item, Deferred) and isinstance(now := item.present(), float) and now != now:
        # A number that is not equal to itself is found where it is the same object.
        raise session.refusal("it looks for a nan", OnlyNow)
    item = _known(item)
    if type(container) in (str, bytes, range) or (type(container) is Size and is_plain(item)):
        return item in container
    if isinstance(container, Elements):
        container = containers.made_within(session, container.read())
    container = containers.behind_proxy(container)
    if isinstance(container, TensorBase):
        return bool(operator.contains(container, item))  # type: ignore[arg-type]  # tensors have the method
    if containers.is_container(container):
        return containers.has(session, container, item)
    session.typed(container)
    method = session.lookup(type(container), "__contains__")
    if type(method) is FunctionType:
        return truth(calls.call_function(session, method, (container, item), {}))
    if method is not ABSENT and not containers.is_view(container):
        raise session.refusal(f"it looks for a value in a {type(container).__name__}")
    if containers.is_view(container) and is_plain(item):
        containers.follow_view(session, container)
        return item in container
    return any(same(x, item) for x in iteration.iterate(container))


def not_contains(item: object, container: object) -> bool:
    """Return ``item not in container``."""
    return not contains(item, container)
