"""Say what torch says of arguments that fit no signature; loaded by the first call that is refused."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

from ..errors import invalid_combination, type_name
from .argument_types import (
    ELEMENTS,
    Check,
    as_int,
    first_of_size,
    is_size_element,
    is_tensor,
    takes_nothing,
    tested_by_name,
)
from .signature import ALTERNATIVES, COMMA, NotTensorsError, Parameter, Parser, Signature


class Misfit:
    """The arguments of a call of a function, which messages name, held against a signature that they do not
    fit.
    """

    def __init__(
        self, function: str, signature: Signature, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> None:
        self.function, self.signature, self.args, self.kwargs = function, signature, args, kwargs
        #: Whether a size is given number by number.
        self.is_spread = signature.spread and len(args) > 0 and not isinstance(args[0], list | tuple)

    def explain(self) -> None:
        """Raise torch's error."""
        args, kwargs, count = self.args, self.kwargs, len(self.args)
        if count > len(self.signature.positional) and not self.signature.spread:
            self._too_many()
        self.check_spread()
        position = used = 0
        bound: dict[str, Any] = {}
        for parameter in self.signature.parameters:
            if position < count and not parameter.keyword_only:
                value, where = args[position], position
                position = count if self.is_spread else position + 1
                if self.is_spread:
                    continue
            else:
                name = next(
                    (n for n in kwargs if n == parameter.name or ALTERNATIVES.get(n) == parameter.name), None
                )
                if name is None:
                    if parameter.has_default:
                        continue
                    self._missing()
                value, where = kwargs[name or ""], None
                used += 1
            try:
                fits = parameter.take(value, bound)
            except NotTensorsError:
                fits = False
            if not fits:
                self._wrong(parameter, value, where)
        if position < count:
            self._too_many()
        if used < len(kwargs):
            self._unknown()

    def check_elements(self) -> None:
        """Raise the error for sizes of which only the first is an integer, where all else fits: whether a
        signature is the one meant, torch asks the first alone.
        """
        firsts = {name: first_of_size(value) for name, value in self.kwargs.items()}
        if self.signature.match(tuple(map(first_of_size, self.args)), firsts) is not None:
            for parameter, value in self._given(self.args):
                if first_of_size(value) is not value:
                    self._bad_element(parameter, value)

    def check_sizes(self) -> None:
        """Raise the error for sizes of which one is an integer of more than 64 bits."""
        for parameter, value in self._given((self.args,) if self.is_spread else self.args):
            if parameter.kind == "tuple of ints" and isinstance(value, list | tuple):
                for i, item in enumerate(value):
                    try:
                        as_int(item)
                    except ValueError as error:
                        # torch's own place in its source follows
                        raise self._failed_to_unpack(parameter, i, str(error)) from None

    def _given(self, args: tuple[Any, ...]) -> Iterator[tuple[Parameter, Any]]:
        yield from zip(self.signature.positional, args)
        for name, value in self.kwargs.items():
            if name in self.signature.by_name:
                yield self.signature.by_name[name], value

    def check_spread(self) -> None:
        """Raise the error for sizes given one by one, which comes before other signatures are tried."""
        if self.is_spread:
            first, size = self.args[0], self.signature.positional[0]
            if type(first) is bool or not is_size_element(first):
                if len(self.args) > 1:
                    self._too_many()
                self._wrong(size, first, 0)
            self._bad_element(size, self.args)

    def not_tensors(self) -> TypeError:
        """Build the error for the first list in which not all are tensors."""
        for place, parameter in enumerate(self.signature.parameters):
            value = self.args[place] if place < len(self.args) else self.kwargs.get(parameter.name)
            if parameter.kind == "tuple of Tensors" and isinstance(value, list | tuple):
                for at, item in enumerate(value):
                    if not is_tensor(item):
                        return TypeError(
                            f"expected Tensor as element {at} in argument {place}, but got {type_name(item)}"
                        )
        raise AssertionError("all are tensors")

    def _too_many(self) -> NoReturn:
        # torch counts required keywords too: "from 3 to 2".
        most, least, count = len(self.signature.positional), len(self.signature.required), len(self.args)
        if most != least:
            raise TypeError(
                f"{self.function}() takes from {least} to {most} positional arguments but {count} were given"
            )
        raise TypeError(
            f"{self.function}() takes {most} positional argument{'' if most == 1 else 's'} but {count} "
            f"{'was' if count == 1 else 'were'} given"
        )

    def _missing(self) -> NoReturn:
        behind = self.signature.parameters[len(self.args) :]
        missing = [f'"{p.name}"' for p in behind if not p.has_default]
        plural = "s" if len(missing) == 1 else ""  # as torch has it
        raise TypeError(
            f"{self.function}() missing {len(missing)} required positional argument{plural}: "
            f"{', '.join(missing)}"
        )

    def _unknown(self) -> NoReturn:
        for name in self.kwargs:
            if name not in self.signature.by_name:
                raise TypeError(f"{self.function}() got an unexpected keyword argument '{name}'")
        by_place = [p.name for p in self.signature.parameters[: len(self.args)]]
        name = next((name for name in self.kwargs if name in by_place), next(iter(self.kwargs)))
        raise TypeError(f"{self.function}() got multiple values for argument '{name}'")

    def _wrong(self, parameter: Parameter, value: Any, position: int | None) -> NoReturn:
        where = "" if position is None else f" (position {position + 1})"
        kind = parameter.kind
        if isinstance(value, list | tuple) and kind in ELEMENTS:
            at = next((i for i, item in enumerate(value) if not ELEMENTS[kind](item)), 0)
            if kind == "tuple of Tensors":
                raise Misfit(self.function, self.signature, (), {parameter.name: value}).not_tensors()
            if at and kind == "tuple of ints":
                self._bad_element(parameter, value)
            if where:
                raise TypeError(
                    f"{self.function}(): argument '{parameter.name}'{where} must be {kind}, but found "
                    f"element of type {type_name(value[at])} at pos {at}"
                )
        raise TypeError(
            f"{self.function}(): argument '{parameter.name}'{where} must be {kind}, not {type_name(value)}"
        )

    def _bad_element(self, parameter: Parameter, value: Sequence[Any]) -> None:
        for i, item in enumerate(value):
            if not is_size_element(item):
                why = f'type must be {parameter.kind},but got {type_name(item)}"'
                raise self._failed_to_unpack(parameter, i, why)

    def _failed_to_unpack(self, parameter: Parameter, i: int, why: str) -> TypeError:
        return TypeError(
            f"{self.function}(): argument '{parameter.name}' failed to unpack the object at pos {i + 1} with "
            f'error "{why}'
        )


def rejected(parser: Parser, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> TypeError:
    """Build the error for arguments that fit no signature of a function."""
    count = len(args) + len(kwargs)
    if len(plausible := parser.signatures) > 1:
        plausible = [
            s for s in plausible if not s.deprecated and len(s.required) <= count <= len(s.parameters)
        ]
    try:
        if len(plausible) == 1:
            Misfit(parser.function, plausible[0], args, kwargs).explain()
        for signature in parser.signatures:
            misfit = Misfit(parser.function, signature, args, kwargs)
            if signature.spread and args and is_size_element(args[0]) and type(args[0]) is not bool:
                misfit.check_spread()
            misfit.check_elements()
    except TypeError as error:
        return error
    signatures = {s.printed: _compared(s) for s in parser.signatures if not s.deprecated}
    return invalid_combination(parser.function, args, kwargs, signatures)


def _compared(signature: Signature) -> list[tuple[str, Check]]:
    """Return names and tests for torch's comparison with what was given.

    It counts the star as a parameter, takes nothing for one that has a default, and tests the names of
    types only.
    """
    return [
        ("", takes_nothing) if part in ("*", "") or " = " in part
        else (part.rsplit(" ", 1)[1], tested_by_name(Parameter(part, False).kind))
        for part in re.split(COMMA, signature.text[1:-1])
    ]
