"""Arguments as torch's own parser reads them, and the errors that it raises where they do not fit.

What this module must do:

- read signatures in the form in which torch prints them, such as ``(int n, int m, *, torch.dtype dtype =
  None)``;
- bind arguments to the first signature that they fit, numbers, sizes and dtypes converted;
- where they fit none, say what torch says, which depends on how many signatures have the right count of
  arguments.

In a signature a question mark behind a type (it is not printed) means that None is allowed.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import dtypes
from ..core.value import TensorBase, array_of
from ..device import device as device_class
from ..errors import invalid_combination, type_name
from .constants import layout, memory_format

#: What torch allows NumPy's users to write.
ALTERNATIVES = {"dim": ("axis",), "keepdim": ("keepdims",), "input": ("x", "a", "x1"), "other": ("x2",)}

#: Parameters that the bodies of functions call otherwise, because Python reserves the name or it says too
#: little.
KEYWORDS = {"from": "low", "to": "high"}

Check = Callable[[Any], bool]

#: What every function that makes a tensor takes.
OPTIONS = (
    "torch.dtype dtype = None, torch.layout layout = None, torch.device device = None, bool pin_memory = "
    "False, bool requires_grad = False"
)
OUT = f"Tensor out = None, {OPTIONS}"


def is_integer(value: Any) -> bool:
    """Whether torch takes a value where an integer is wanted: also a tensor of one, of no dimension."""
    if type(value) is int:
        return True
    if isinstance(value, TensorBase):
        return _is_plain_scalar(value) and array_of(value).dtype.kind in "iu"
    if isinstance(value, np.ndarray):
        return value.ndim == 0 and value.dtype.kind in "iu"
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def is_real(value: Any) -> bool:
    """Whether torch takes a value where a real number is wanted."""
    if isinstance(value, float | int | np.floating | np.integer | np.bool_):
        return True
    return isinstance(value, TensorBase) and _is_plain_scalar(value)


def is_number(value: Any) -> bool:
    """Whether torch takes a value where a number is wanted."""
    return isinstance(value, complex | np.number) or is_real(value)


def _is_plain_scalar(tensor: Any) -> bool:
    return not tensor.shape and not tensor.requires_grad


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool | np.bool_)


def _is_list(check: Check) -> Check:
    def is_list(value: Any) -> bool:
        return isinstance(value, list | tuple) and all(map(check, value))

    return is_list


def _is_dtype(value: Any) -> bool:
    return type(value) is dtypes.dtype or (isinstance(value, type) and value in dtypes.BY_PYTHON_TYPE)


def _is_device(value: Any) -> bool:
    return isinstance(value, device_class | str) or (is_integer(value) and not isinstance(value, TensorBase))


def _is_tensor(value: Any) -> bool:
    return isinstance(value, TensorBase)


def _is_generator(value: Any) -> bool:
    from ..array.random import Generator

    return isinstance(value, Generator)


def _is_storage(value: Any) -> bool:
    return hasattr(value, "_is_pullback_storage")


def _is_size_element(value: Any) -> bool:
    return is_integer(value) or isinstance(value, bool)


#: Printed name of a type → its test.
CHECKS: dict[str, Check] = {
    "int": is_integer,
    "float": is_real,
    "Number": is_number,
    "bool": _is_bool,
    "Tensor": _is_tensor,
    "tuple of ints": _is_list(_is_size_element),
    "tuple of floats": _is_list(is_real),
    "tuple of Tensors": _is_list(_is_tensor),
    "torch.dtype": _is_dtype,
    "torch.layout": lambda value: type(value) is layout,
    "torch.memory_format": lambda value: type(value) is memory_format,
    "torch.device": _is_device,
    "torch.Generator": _is_generator,
    "torch.Storage": _is_storage,
    "str": lambda value: isinstance(value, str),
    "object": lambda value: True,
}


def as_number(value: Any) -> Any:
    """A number of any kind as a Python number."""
    if type(value) in (int, float, bool, complex):
        return value
    return value.item() if hasattr(value, "item") else value


def _as_dtype(value: Any) -> Any:
    return value if type(value) is dtypes.dtype else dtypes.BY_PYTHON_TYPE[value]


CONVERSIONS: dict[str, Callable[[Any], Any]] = {
    "int": operator.index,
    "float": lambda value: float(as_number(value)),
    "Number": as_number,
    "bool": bool,
    "tuple of ints": lambda value: tuple(map(operator.index, value)),
    "tuple of floats": lambda value: tuple(float(as_number(item)) for item in value),
    "tuple of Tensors": tuple,
    "torch.dtype": _as_dtype,
}


class Parameter:
    """One parameter of a signature."""

    __slots__ = (
        "accepts",
        "allows_none",
        "convert",
        "has_default",
        "keyword_only",
        "kind",
        "name",
        "printed",
        "target",
    )

    def __init__(self, text: str, keyword_only: bool) -> None:
        declared, _, default = text.partition(" = ")
        kind, self.name = declared.rsplit(" ", 1)
        self.target = KEYWORDS.get(self.name, self.name)
        self.kind = kind.removesuffix("?")
        self.has_default = bool(default)
        self.allows_none = kind.endswith("?") or default == "None"
        self.keyword_only = keyword_only
        self.accepts = CHECKS[self.kind]
        self.convert = CONVERSIONS.get(self.kind)
        self.printed = text.replace("?", "")


def _nothing(value: Any) -> bool:
    return False


def _named(kind: str) -> Check:
    """How that comparison tests a value: by the name of its type alone."""
    names = {"float": ("float", "int"), "Tensor": ("Tensor", "Parameter")}.get(kind, (kind,))
    return lambda value: type_name(value) in names


class Signature:
    """One way in which a function can be called."""

    def __init__(self, text: str) -> None:
        parts = [part for part in text[1:-1].split(", ") if part]
        star = parts.index("*") if "*" in parts else len(parts)
        self.parameters = [Parameter(part, i > star) for i, part in enumerate(parts) if part != "*"]
        self.printed = text.replace("?", "")
        self.most_positional = sum(not p.keyword_only for p in self.parameters)
        self.least = sum(not p.has_default for p in self.parameters)
        self.least_positional = sum(not p.has_default and not p.keyword_only for p in self.parameters)
        self.names = frozenset(p.name for p in self.parameters)
        # A size that is the first and only positional parameter may be given number by number.
        self.spread = self.most_positional == 1 and self.parameters[0].kind == "tuple of ints"
        # torch's comparison with what was given counts the star as a parameter and knows no name that has a
        # default.
        self.compared: list[tuple[str, Check]] = [
            ("", _nothing) if part in ("*", "")
            else ("" if " = " in part else part.rsplit(" ", 1)[1], _named(Parameter(part, False).kind))
            for part in text[1:-1].split(", ")
        ]

    def bind(
        self, function: str, args: tuple[Any, ...], kwargs: Mapping[str, Any], explain: bool
    ) -> dict[str, Any] | None:
        """Return the given arguments by name; where they do not fit, None, or raise when asked to explain."""
        count = len(args)
        if count > self.most_positional and not self.spread:
            return self._too_many(function, count) if explain else None
        bound: dict[str, Any] = {}
        used = 0
        position = 0
        for parameter in self.parameters:
            name = parameter.name
            if position < count and not parameter.keyword_only:
                value, by_keyword = args[position], False
            elif name in kwargs:
                value, by_keyword = kwargs[name], True
            else:
                found = _alternative(name, kwargs)
                if found is not None:
                    value, by_keyword = kwargs[found], True
                elif parameter.has_default:
                    continue
                else:
                    return self._missing(function, args, kwargs) if explain else None
            used += by_keyword
            if value is None and parameter.allows_none:
                bound[parameter.target] = None
            elif self.spread and position == 0 and not by_keyword and not isinstance(value, list | tuple):
                if not _is_size_element(value) or type(value) is bool:
                    return self._wrong(function, parameter, value, 0) if explain else None
                if not all(map(_is_size_element, args)):
                    return self._bad_element(function, parameter, args)
                bound[parameter.target] = tuple(map(operator.index, args))
                position = count
                continue
            elif parameter.kind == "tuple of ints" and _starts_well(value) and not parameter.accepts(value):
                return self._bad_element(function, parameter, value)
            elif parameter.accepts(value):
                bound[parameter.target] = value if parameter.convert is None else parameter.convert(value)
            else:
                where = None if by_keyword else position
                return self._wrong(function, parameter, value, where) if explain else None
            position += not by_keyword
        if position < count:
            return self._too_many(function, count) if explain else None
        if used < len(kwargs):
            return self._unknown(function, kwargs) if explain else None
        return bound

    def _too_many(self, function: str, count: int) -> Any:
        most, least = self.most_positional, self.least_positional
        if most != least:
            raise TypeError(
                f"{function}() takes from {least} to {most} positional arguments but {count} were given"
            )
        raise TypeError(
            f"{function}() takes {most} positional argument{'' if most == 1 else 's'} but {count} "
            f"{'was' if count == 1 else 'were'} given"
        )

    def _missing(self, function: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        missing = [
            f'"{p.name}"' for i, p in enumerate(self.parameters) if not p.has_default and i >= len(args)
        ]
        plural = "s" if len(missing) == 1 else ""  # as torch has it
        raise TypeError(
            f"{function}() missing {len(missing)} required positional argument{plural}: {', '.join(missing)}"
        )

    def _unknown(self, function: str, kwargs: Mapping[str, Any]) -> Any:
        for name in kwargs:
            if name not in self.names:
                raise TypeError(f"{function}() got an unexpected keyword argument '{name}'")
        name = next(name for name in kwargs if name in self.names)
        raise TypeError(f"{function}() got multiple values for argument '{name}'")

    def _wrong(self, function: str, parameter: Parameter, value: Any, position: int | None) -> Any:
        where = "" if position is None else f" (position {position + 1})"
        if isinstance(value, list | tuple) and parameter.kind.startswith("tuple of"):
            return self._bad_list(function, parameter, value, where)
        raise TypeError(
            f"{function}(): argument '{parameter.name}'{where} must be {parameter.kind}, not "
            f"{type_name(value)}"
        )

    def _bad_list(self, function: str, parameter: Parameter, value: Sequence[Any], where: str) -> Any:
        element = _is_size_element if parameter.kind == "tuple of ints" else is_real
        if parameter.kind == "tuple of Tensors":
            element = _is_tensor
        at = next(i for i, item in enumerate(value) if not element(item))
        if not where:
            raise TypeError(
                f"{function}(): argument '{parameter.name}' must be {parameter.kind}, not {type_name(value)}"
            )
        raise TypeError(
            f"{function}(): argument '{parameter.name}'{where} must be {parameter.kind}, but found element "
            f"of type {type_name(value[at])} at pos {at}"
        )

    def _bad_element(self, function: str, parameter: Parameter, value: Sequence[Any]) -> Any:
        at = next(i for i, item in enumerate(value) if not _is_size_element(item))
        raise TypeError(
            f"{function}(): argument '{parameter.name}' failed to unpack the object at pos {at + 1} with "
            f"error "
            f'"type must be {parameter.kind},but got {type_name(value[at])}"'
        )


def _starts_well(value: Any) -> bool:
    """Whether torch takes a value for sizes by its first element; of the others it complains at once."""
    return isinstance(value, list | tuple) and len(value) > 0 and _is_size_element(value[0])


def _alternative(name: str, kwargs: Mapping[str, Any]) -> str | None:
    return next((other for other in ALTERNATIVES.get(name, ()) if other in kwargs), None)


class Parser:
    """All signatures of a function.

    Parameters
    ----------
    function : str
        The name that messages use.
    *signatures : str
        In the form and the order in which torch prints them.
    """

    def __init__(self, function: str, *signatures: str) -> None:
        self.function = function
        self.signatures = [Signature(text) for text in signatures]

    def bind(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the given arguments by name, converted, or raise torch's TypeError."""
        for signature in self.signatures:
            bound = signature.bind(self.function, args, kwargs, False)
            if bound is not None:
                return bound
        raise self.rejected(args, kwargs)

    def rejected(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> TypeError:
        """Build the error for arguments that fit no signature."""
        count = len(args) + len(kwargs)
        plausible = [s for s in self.signatures if s.least <= count <= len(s.parameters)]
        if len(self.signatures) == 1:
            plausible = self.signatures
        if len(plausible) == 1:
            try:
                plausible[0].bind(self.function, args, kwargs, True)
            except TypeError as error:
                return error
        return invalid_combination(
            self.function,
            args,
            dict(sorted(kwargs.items())),
            {s.printed: s.compared for s in self.signatures},
        )


def parsed(function_name: str, *signatures: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a function whose arguments torch's parser reads; the body gets them by name, converted."""
    parser = Parser(function_name, *signatures)

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            return function(**parser.bind(args, kwargs))

        return described(call, function, function_name)

    return decorate


def method(function_name: str, *signatures: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a method whose arguments, the tensor aside, torch's parser reads (see `parsed`)."""
    parser = Parser(function_name, *signatures)

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(self: Any, /, *args: Any, **kwargs: Any) -> Any:
            return function(self, **parser.bind(args, kwargs))

        return described(call, function, function_name)

    return decorate


def described(call: Callable[..., Any], function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Give a wrapper the name, the text and the signature of what it wraps, and return it."""
    call.__name__ = call.__qualname__ = name
    call.__doc__ = function.__doc__
    call.__module__ = function.__module__
    call.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]  # functions take attributes
    return call
