"""Say what torch says of a call whose arguments fit none of a function's signatures.

Functions here check only what they need, so a wrong call fails somewhere inside, as Python has it. Only then
is the call read as torch's parser reads it, with the signatures that torch prints, from `schemas.py`: a right
call costs nothing. What torch wrote in Python has no parser; what its functions say of an argument that is no
tensor was recorded (`tensor_arguments.json`, written by ``tools/record_tensor_arguments.py``).
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import numpy as np

from ..array import dtypes
from ..core.calls import LEAST, MOST
from ..core.tracer import is_tracing
from ..core.value import TensorBase, dtype_of, shape_of, wrap
from ..errors import type_name
from .schemas import recorded, signatures
from .signature import Parser

#: Functions that take a number where their signatures say Tensor.
NUMBERS_AS_TENSORS = frozenset({
    "add", "copy", "copy_", "div", "divide", "floor_divide", "mul", "multiply", "sub", "subtract", "to",
    "true_divide",
})  # fmt: skip


#: Functions of `torch.nn.functional` that are those of torch's top level.
OF_TOP_LEVEL = frozenset({
    "adaptive_avg_pool1d", "avg_pool1d", "bilinear", "celu_", "channel_shuffle", "conv1d", "conv2d", "conv3d",
    "conv_tbc", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "native_channel_shuffle",
    "pixel_shuffle", "pixel_unshuffle", "relu_", "rrelu_", "selu_", "threshold_",
})  # fmt: skip


def _natives() -> dict[str, str]:
    return recorded("natives.json")


#: The functions of `nn.functional`, by name.
_OF_LAYERS: dict[str, Any] = {}


@cache
def _defaults(name: str) -> dict[str, Any]:
    """Return the parameters of a function of `nn.functional` with their defaults, `empty` where none is."""
    return {key: p.default for key, p in inspect.signature(_OF_LAYERS[name]).parameters.items()}


@cache
def _parser(place: str, name: str) -> Parser | None:
    texts = signatures("" if place == "nn" and name in OF_TOP_LEVEL else place, name)
    if not texts:
        return None
    printed = f"{place}_{name}" if place in ("linalg", "fft", "special") else name
    numbers = name in NUMBERS_AS_TENSORS or name.removesuffix("_") in NUMBERS_AS_TENSORS
    return Parser(printed, *texts, numbers=numbers)


@cache
def takes_out(name: str) -> bool:
    """Return whether a function writes into tensors that it is given."""
    parsers = [p for p in (_parser(place, name) for place in ("", "special", "linalg")) if p is not None]
    return not parsers or any("out" in s.by_name for p in parsers for s in p.signatures)


def deprecated_call(
    place: str, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[dict[str, Any], str] | None:
    """Read a call that torch takes by an older signature, such as ``add_(alpha, other)``: return the
    arguments by name, and torch's warning; None where no such signature fits.
    """
    if (parser := _parser(place, name)) is None:
        return None
    for signature in parser.signatures:
        bound = signature.match(args, kwargs) if signature.deprecated else None
        if bound is not None:
            instead = "".join(f"\n\t{name}{s.printed}" for s in parser.signatures if not s.deprecated)
            return bound, (
                f"This overload of {name} is deprecated:\n\t{name}{signature.printed}\nConsider using one of "
                f"the following signatures instead:{instead}"
            )
    return None


def converted(
    place: str, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Read a call as torch's parser does, which takes tensors and NumPy's numbers for Python's: return the
    arguments by name; None where they are wrong, or none was given in another form.
    """
    parser = _parser(place, name)
    given = (*args, *kwargs.values())
    if parser is None or all(type(v) in _PLAIN and type(v) not in (list, tuple) for v in given):
        return None
    try:
        bound = parser.bind(args, kwargs)
    except (TypeError, ValueError, OverflowError):
        return None
    return bound if _tensors(given) != _tensors(bound.values()) else None


def _tensors(values: Iterable[Any]) -> int:
    """Return how many tensors and numbers of NumPy's there are among values and in lists of them."""
    items = [i for v in values for i in (v if isinstance(v, list | tuple) else (v,))]
    return sum(isinstance(i, TensorBase | np.generic | np.ndarray) for i in items)


#: Methods of tensors that NumPy's arrays and dtypes have as plain attributes.
_CALLED = frozenset({"size", "is_floating_point", "is_complex"})


def no_tensor(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Exception | None:
    """Build the error of a function of `nn.functional` for the first argument that has to be a tensor and is
    none; None where all are.
    """
    for place, (parameter, text) in enumerate(recorded("tensor_arguments.json").get(name, {}).items()):
        optional, parameter = parameter.endswith("?"), parameter.rstrip("?")
        value = args[place] if place < len(args) else kwargs.get(parameter, TensorBase)
        if value is TensorBase or isinstance(value, TensorBase) or (optional and value is None):
            continue
        if "must be Tensor" in text:
            return TypeError(text.format(type_name(value)))
        attribute = text.split("'")[-2]
        if not hasattr(value, attribute):
            return AttributeError(text.format(type_name(value)), name=attribute, obj=value)
        if attribute in _CALLED:
            return TypeError(f"'{type_name(getattr(value, attribute))}' object is not callable")
    return None


def handed_on(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Exception | None:
    """Build the error for arguments of a function of `nn.functional` that its Python or the function in C
    that it ends in refuses; None where they fit, or where that is not known.
    """
    if isinstance((error := no_tensor(name, args, kwargs)), TypeError) and name in _natives():
        return passed_on(name, args, kwargs) or error
    return error or passed_on(name, args, kwargs)


#: What stands for a default that a function replaces, as far as the parser can tell: the input, and 1.
_LIKES = ("Tensor", "tuple of ints")


#: Constants that a function passes on.
_CONSTANTS = {"True": True, "1": 1}


@cache
def _native(name: str) -> tuple[Parser, list[str], list[str]] | None:
    """Return the parser of the function in C that one ends in, and its arguments; None where unknown."""
    # A function that gives the first of two results ends in the one that gives both.
    text = _natives().get(name) or _natives().get(f"{name}_with_indices")
    if text is None:
        return None
    native, _, given = text.rstrip(")").partition("(")
    by_place, _, by_name = given.partition(", *, ")
    named = by_name.split(", ") if by_name else []
    return Parser(native, *signatures("", native)), by_place.split(", "), named


def passed_on(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Exception | None:
    """Build the error of the function in C that a function of `nn.functional` ends in; None where its
    arguments fit, or where that is not known.
    """
    if (native := _native(name)) is None:
        return None
    defaults = _defaults(name)
    parameters = list(defaults)
    if len(args) > len(parameters) or not set(kwargs) <= set(parameters[len(args) :]):
        return None
    known = {key: value for key, value in defaults.items() if value is not inspect.Parameter.empty}
    bound = {**_CONSTANTS, **known, **dict(zip(parameters, args)), **kwargs}
    if f"{name}_with_indices" in _natives() and bound["return_indices"]:
        native = _native(f"{name}_with_indices") or native
    parser, by_place, by_name = native
    try:
        given = [bound[a] for a in by_place]
        named = {a: bound[a] for a in by_name}
    except KeyError:
        return None
    for place, a in enumerate(by_place):
        # A default that the function replaces before it passes it on.
        expected = parser.signatures[0].positional[place]
        if bound[a] is None and known.get(a, a) is None and not expected.allows_none:
            if expected.kind not in _LIKES:
                return None
            given[place] = bound[parameters[0]] if expected.kind == "Tensor" else 1
    try:
        parser.bind(tuple(given), named)
    except (TypeError, ValueError, OverflowError) as error:
        return error
    return None


class Kinds:
    """The combinations of kinds of arguments that a function was called with and that its signatures allow.

    The bodies of functions would take `keepdim=1` or `alpha=True`, which torch's parser refuses: it is asked
    once about each combination.
    """

    __slots__ = ("expected", "free", "function", "name", "place", "reads", "safe", "seen", "usual")

    #: Parameters -> the one type that is not looked at twice; None where each has to be of its kind, for the
    #: function to go on.
    expected: dict[str, type | None]
    #: The parameters that are not looked at.
    free: frozenset[str]
    #: The types by place from `safe` on, None where any will do.
    usual: list[type | None]
    #: Whether the function reads its arguments with a parser of its own.
    reads: bool
    #: How many arguments by place come before the first such: what stands for a tensor, a size or a dim has
    #: to be one, for the function to go on.
    safe: int
    #: The combinations that were seen.
    seen: set[tuple[Any, ...]]

    def __init__(self, function: Any, place: str, name: str) -> None:
        self.function, self.place, self.name = function, place, name
        if place == "nn":
            _OF_LAYERS[name] = function

    def __getattr__(self, name: str) -> Any:
        """Work all out when the function is first called: for all functions that takes 5 ms."""
        if name not in self.__slots__:
            raise AttributeError(name)
        self.seen = set()
        self.reads = hasattr(self.function, "parser")
        kinds = [] if self.reads else _lenient(self.function)
        self.safe = min((place for _, place, _ in kinds), default=EVERY)
        self.expected = {} if self.reads else _expected(self.function, kinds)
        self.free = frozenset({name for name, kind in self.expected.items() if kind is None})
        self.usual = _by_place(kinds, self.safe)
        return object.__getattribute__(self, name)

    def wrong(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Exception | None:
        """Build the error for arguments of a combination that was not seen before, or remember it."""
        if self.reads or (len(args) <= self.safe and kwargs.keys() <= self.free):
            return None
        for parameter, value in kwargs.items():
            if (expected := self.expected.get(parameter, ())) is not None and expected is not type(value):
                break
        else:
            for value, usual in zip(args[self.safe :], self.usual):
                if usual is not None and type(value) is not usual:
                    break
            else:
                return None
        key = (
            *[kind if (kind := type(v)) not in _LOOKED_INTO else _kind(v) for v in args], *kwargs,
            *[kind if (kind := type(v)) not in _LOOKED_INTO else _kind(v) for v in kwargs.values()],
        )
        if key in self.seen:
            return None
        if any(type(v) not in _PLAIN and not isinstance(v, TensorBase) for v in (*args, *kwargs.values())):
            return None
        if self.place == "nn":
            error = handed_on(self.name, args, kwargs) or wrong_call("nn", self.name, args, kwargs)
        else:
            given = args[1:] if self.place == "Tensor" else args
            error = wrong_call(self.place, self.name, given, kwargs)
        if error is None:
            self.seen.add(key)
            if _read_one_by_one(self.place, self.name):
                # There each argument is right by itself: the next of its type is not looked at.
                for parameter, value in kwargs.items():
                    if type(value) not in _HOLDING:
                        self.expected.setdefault(parameter, type(value))
        return error


@cache
def _read_one_by_one(place: str, name: str) -> bool:
    """Return whether a function, and what it ends in, have one signature each."""
    if (parser := _parser(place, name)) is not None:
        return len(parser.signatures) == 1
    if place != "nn":
        return False
    found = [n for n in (_native(name), _native(f"{name}_with_indices")) if n is not None]
    return all(len(native.signatures) == 1 for native, *_ in found)


#: More arguments than a call has.
EVERY = 1 << 30

#: The types for which Python takes others, by their names in annotations.
_WORDS = {"bool": bool, "str": str, "float": float}


def _lenient(function: Any) -> list[tuple[str, int, type]]:
    """Return the parameters of a function that are of such a type, with their places."""
    kinds = [item for item in function.__annotations__.items() if item[0] != "return"]
    by_name = getattr(function, "__kwdefaults__", None) or ()
    return [
        (name, EVERY if name in by_name else place, kind)
        for place, (name, annotation) in enumerate(kinds)
        for kind in _types_in(str(annotation))
    ]


@cache
def _types_in(annotation: str) -> tuple[type, ...]:
    return tuple([kind for word, kind in _WORDS.items() if word in annotation])


def _expected(function: Any, kinds: list[tuple[str, int, type]]) -> dict[str, type | None]:
    found: dict[str, type | None] = {
        name: None for name, annotation in function.__annotations__.items() if "Any" not in str(annotation)
    }
    return found | {name: kind for name, _, kind in kinds}


def _by_place(kinds: list[tuple[str, int, type]], first: int) -> list[type | None]:
    places = {place: kind for _, place, kind in kinds if place < EVERY}
    return [places.get(place) for place in range(first, max(places) + 1)] if places else []


def _kind(value: Any) -> Any:
    """Return the type of an argument, those of its elements where it is a list."""
    if (kind := type(value)) is int:
        # An integer of more than 64 bits has errors of its own.
        return kind if LEAST <= value <= MOST else value
    return kind if kind is not list and kind is not tuple else (kind, *map(type, value))


#: The types whose kind is that of what they hold, and all of which the type alone is not the kind.
_HOLDING = (list, tuple)
_LOOKED_INTO = frozenset({int, list, tuple})
#: The kinds of arguments that are looked at beforehand; of others the function itself decides.
_PLAIN = frozenset({int, float, bool, complex, str, type(None), list, tuple, dtypes.dtype})


def wrong_call(place: str, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Exception | None:
    """Build torch's error for a call, or return None where the arguments fit.

    The place is 'Tensor' for a method, otherwise the namespace, at torch's top level ''; of a method the
    arguments are without the tensor itself.
    """
    if (parser := _parser(place, name)) is None:
        return no_tensor(name, args, kwargs) if place == "nn" else None
    if parser.texts == ("()",):
        if kwargs:
            return TypeError(f"TensorBase.{name}() takes no keyword arguments")
        return TypeError(f"TensorBase.{name}() takes no arguments ({len(args)} given)") if args else None
    if is_tracing():
        args, kwargs = tuple(map(_of_zeros, args)), {k: _of_zeros(v) for k, v in kwargs.items()}
    try:
        parser.bind(args, kwargs)
    except (TypeError, ValueError, OverflowError) as error:
        return error
    except NotImplementedError:  # a layout that some functions take and most do not
        return None
    return None


def _of_zeros(value: Any) -> Any:
    """Return zeros for a tensor whose numbers a trace does not know: parsers take numbers out of tensors."""
    if isinstance(value, (list, tuple)):
        return [_of_zeros(item) for item in value]
    if not isinstance(value, TensorBase):
        return value
    return wrap(np.broadcast_to(np.zeros((), dtype_of(value)), shape_of(value)))
