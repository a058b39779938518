"""Read a schema of torch's: what an overload takes, and how a call's arguments are read by it."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from ...core.value import TensorBase
from ...tensor.schemas import schemas

_NUMBERS = (bool, int, float, complex)
#: What values of a type are, where that is plain.
_CLASSES: dict[str, tuple[type, ...]] = {
    "Scalar": _NUMBERS, "int": (int,), "SymInt": (int,), "float": (int, float),
    "bool": (bool,), "str": (str,), "complex": _NUMBERS,
}  # fmt: skip
_WORDS = {"Scalar": "number", "SymInt": "int"}


class Argument:
    """A parameter or a result of an op.

    Attributes
    ----------
    name : str
    type : str
        As the schema writes it, without what it may alias.
    default_value : object
    kwarg_only : bool
    is_written : bool
        Whether the op writes to it.
    """

    __slots__ = ("_has_default", "default_value", "is_written", "kwarg_only", "name", "type")
    __module__ = "torch"

    def __init__(self, text: str, kwarg_only: bool = False) -> None:
        declared, equals, default = text.partition("=")
        declared, _, self.name = declared.strip().rpartition(" ")
        self.is_written = "!" in declared
        self.type = re.sub(r"\([^)]*\)", "", declared or self.name)
        self.kwarg_only = kwarg_only
        self._has_default = bool(equals)
        self.default_value = _value(default, self.type) if equals else None

    def has_default_value(self) -> bool:
        """Return whether a call may leave it out."""
        return self._has_default

    def takes(self, value: Any) -> bool:
        """Return whether a value may be given for it."""
        return _fits(self.type, value)


def _fits(kind: str, value: Any) -> bool:
    if kind.endswith("?"):
        return value is None or _fits(kind[:-1], value)
    if kind == "Tensor":
        return isinstance(value, (TensorBase, *_NUMBERS))
    if kind.endswith("]"):
        inner, _, size = kind.rpartition("[")
        if isinstance(value, (list, tuple)):
            return all(_fits(inner, v) for v in value)
        return size != "]" and _fits(inner, value)
    if kind in ("int", "SymInt") and isinstance(value, bool):
        return False
    return kind not in _CLASSES or isinstance(value, _CLASSES[kind])


def _value(text: str, kind: str) -> Any:
    words = {"None": None, "True": True, "False": False}
    if text in words:
        return words[text]
    if text.startswith("["):
        return [_value(part.strip(), "") for part in text[1:-1].split(",") if part.strip()]
    if text.startswith('"'):
        return text[1:-1].encode().decode("unicode_escape")
    number = float(text) if re.search(r"[.e]", text) else int(text)
    return float(number) if kind == "float" else number


class FunctionSchema:
    """Hold what an overload takes and gives, by the text that torch writes, without the namespace."""

    __module__ = "torch"

    def __init__(self, text: str, namespace: str = "aten") -> None:
        self._text = f"{namespace}::{text}"
        head, _, rest = text.partition("(")
        packet, _, self.overload_name = head.partition(".")
        self.name = f"{namespace}::{packet}"
        given, _, results = rest.rpartition(") -> ")
        self.arguments: list[Argument] = []
        named = False
        for part in _parts(given):
            if part == "*":
                named = True
            else:
                self.arguments.append(Argument(part, named))
        alone = not results.startswith("(")
        self.returns = [Argument(part) for part in ([results] if alone else _parts(results[1:-1]))]

    def __str__(self) -> str:
        return self._text

    __repr__ = __str__

    @property
    def is_mutable(self) -> bool:
        """Return whether the op writes to an argument."""
        return any(argument.is_written for argument in self.arguments)

    def bound(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of a call by name, those that were left out with their defaults.

        Raises torch's RuntimeError where they are not what the op takes.
        """
        if (given := len(args) + len(kwargs)) > len(self.arguments):
            raise RuntimeError(
                f"{self.name}() expected at most {len(self.arguments)} argument(s) but received {given} "
                f"argument(s). Declaration: {self}"
            )
        found = {}
        by_place = list(args)
        for position, argument in enumerate(self.arguments):
            if by_place and not argument.kwarg_only:
                value = by_place.pop(0)
            elif argument.name in kwargs:
                value = kwargs[argument.name]
            elif argument.has_default_value():
                found[argument.name] = argument.default_value
                continue
            else:
                raise RuntimeError(
                    f"{self.name}() is missing value for argument '{argument.name}'. Declaration: {self}"
                )
            if not argument.takes(value):
                raise self._wrong(argument, position, value)
            found[argument.name] = value
        if by_place:
            many = sum(not a.kwarg_only for a in self.arguments)
            raise RuntimeError(
                f"{self.name}() takes {many} positional argument(s) but {len(args)} was/were given.  "
                f"Declaration: {self}"
            )
        for name in kwargs:
            if name not in found:
                raise RuntimeError(
                    f"Unknown keyword argument '{name}' for operator '{self.name}'. Schema: {self}"
                )
        return found

    def _wrong(self, argument: Argument, position: int, value: Any) -> RuntimeError:
        word = _WORDS.get(argument.type, argument.type)
        kind = "Tensor" if isinstance(value, TensorBase) else type(value).__name__
        if word == "number":
            details = f"Cannot cast {value} to number"
        elif word == "Tensor":
            details = f"Unable to cast {value} to Tensor"
        else:
            details = (
                f"Unable to cast Python instance of type {type(value)} to C++ type '?' (#define "
                "PYBIND11_DETAILED_ERROR_MESSAGES or compile in debug mode for details)"
            )
        return RuntimeError(
            f"{self.name}() Expected a value of type '{_spelt(word)}' for argument '{argument.name}' but "
            f"instead found type '{kind}'.\nPosition: {position}\nValue: {value!r}\nDeclaration: {self}\n"
            f"Cast error details: {details}"
        )

    def shortened(self, values: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return arguments by place and by name, without the last ones that equal their defaults."""
        named = {
            a.name: values[a.name]
            for a in self.arguments
            if a.kwarg_only and not _same(values[a.name], a.default_value)
        }
        by_place = [a for a in self.arguments if not a.kwarg_only]
        while by_place and by_place[-1].has_default_value() and _same(
            values[by_place[-1].name], by_place[-1].default_value
        ):
            by_place.pop()
        return tuple(values[a.name] for a in by_place), named


def _same(value: Any, default: Any) -> bool:
    return not isinstance(value, TensorBase) and type(value) is type(default) and bool(value == default)


def _spelt(word: str) -> str:
    """Return a type as errors of a wrong value spell it."""
    if word.endswith("?"):
        return f"Optional[{_spelt(word[:-1])}]"
    return f"List[{_spelt(word.rpartition('[')[0])}]" if word.endswith("]") else _WORDS.get(word, word)


def _parts(text: str) -> list[str]:
    """Return parts between commas that are in no brackets and no quotes."""
    parts = re.split(r",\s*(?![^\[(]*[\])])(?![^\"]*\"(?:,|$))", text)
    return [part.strip() for part in parts if part.strip()]


def overloads(packet: str) -> list[str]:
    """Return the overloads of an op, in torch's order; none of what is no op."""
    return list(schemas(packet))


@cache
def schema(packet: str, overload: str) -> FunctionSchema:
    """Return the schema of an overload."""
    return FunctionSchema(schemas(packet)[overload])
