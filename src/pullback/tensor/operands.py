"""Elementwise functions whose operands torch's parser reads: which of them may be numbers, and what it says.

`declare` publishes a function of tensors under torch's signatures; the method, with its own signatures, and
`name_` follow from them. Where all operands are tensors, or the rest are Python's own numbers, the parser is
not asked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from ..array import dtypes
from ..core.value import TensorBase
from .api import OUT, public
from .inplace_variants import InPlace
from .signature import Parser, leading, reads

_PLAIN = frozenset({int, float, type(None)})


def _is_plain(value: Any) -> bool:
    """Return whether a number is taken as it is: integers of over 64 bits are left to the parser."""
    return type(value) in _PLAIN and (type(value) is not int or dtypes.LEAST <= value <= dtypes.MOST)


_NUMBERS = frozenset({bool, int, float, complex})


def _tensors_alone(signature: str, before: int) -> int:
    """Return of how many tensors alone a call is, −1 where there is no such call."""
    first = leading(signature)
    if any(not part.startswith("Tensor ") and " = " not in part for part in first):
        return -1
    return before + sum(part.startswith("Tensor ") for part in first)


def _quick(
    signatures: Sequence[str], before: int, numbers: Collection[str], numbers_first: bool
) -> Callable[..., bool]:
    """Return a test of calls that need no parser: tensors, then numbers for the parameters named."""
    tensors = _tensors_alone(signatures[0], before)
    needed = before + sum(" = " not in part for part in leading(signatures[0]))
    last = leading(signatures[-1])
    tensors_first = before + sum(part.startswith("Tensor ") for part in last)
    least = before + sum(" = " not in part for part in last)
    most = before + len(last)

    def quick(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        if numbers_first and args and type(args[0]) in _NUMBERS:
            return (
                len(args) == tensors
                and not kwargs
                and isinstance(args[1], TensorBase | complex | float | int)
            )
        given = 0
        for v in args:
            if isinstance(v, TensorBase):
                given += 1
            elif given != tensors_first or not _is_plain(v) or (v is None and least > tensors_first):
                return False
        count = len(args)
        if given == count and needed <= count <= tensors and not kwargs:
            return True
        if given != tensors_first or not numbers or count > most or count + len(kwargs) < least:
            return False
        return not kwargs or all(name in numbers and _is_plain(v) for name, v in kwargs.items())

    return quick


def _reading(
    printed: str, signatures: Sequence[str], function: Callable[..., Any], before: int,
    numbers: Collection[str] = (), numbers_first: bool = False, text: str | None = None,
) -> Any:
    """Return the function behind a parser of what follows its first `before` arguments."""
    signatures = tuple(signatures)  # a closure over a list may hold what is the user's, as a trace sees it
    parser = Parser(printed, *signatures)
    quick: Callable[..., bool] | None = None

    def call(*args: Any, **kwargs: Any) -> Any:
        nonlocal quick
        if not kwargs and (*map(type, args),) in parser.plain:
            return function(*args)
        given: Any = (*args, *kwargs.values()) if kwargs else args
        kinds = (*map(type, given), *kwargs)
        if kinds in parser.known:
            for v in given:
                if type(v) is int and not dtypes.LEAST <= v <= dtypes.MOST:
                    break
            else:
                return function(*args, **kwargs)
        if quick is None:  # worked out when first needed: for all functions it takes 0.6 ms
            quick = _quick(signatures, before, numbers, numbers_first)
        if quick(args, kwargs):
            parser.known.add(kinds)
            if not kwargs and int not in kinds:
                parser.plain.add(kinds)
            return function(*args, **kwargs)
        first, rest = args[:before], args[before:]
        for signature in parser.signatures:
            if (bound := signature.match(rest, kwargs)) is not None:
                given = [bound.pop(p.target) for p in signature.positional if not p.has_default]
                return function(*first, *given, **bound)
        raise parser.rejected(rest, kwargs)

    call.behind, call.taken = function, lambda: _tensors_alone(signatures[0], before)  # type: ignore[attr-defined]  # functions take attributes
    call.__name__ = call.__qualname__ = printed
    call.__doc__ = text or function.__doc__
    call.__module__ = function.__module__
    return reads(parser, tensor_first=before == 1)(call)


def _of_method(signature: str) -> str:
    """Return a function's signature without the tensor whose method it is, and without `out`."""
    rest = signature
    for kind in ("Tensor", "tuple of Tensors"):
        rest = rest.replace(f", *, {kind} out = None", "").replace(f", {kind} out = None", "")
    return "(" + rest.removeprefix("(Tensor input").removeprefix(", ")


def declare(
    name: str, function: Callable[..., Any], *signatures: str, namespace: str = "", method: bool = True,
    inplace: InPlace | bool = True, writes_out: bool = False, numbers: Collection[str] = (),
    numbers_first: bool = False, text: str | None = None,
) -> Any:
    """Publish a function of tensors, which gets the required arguments by position, the others by name.

    `signatures` are as torch prints them; functions of a namespace have no method. One that `writes_out`
    takes `out` itself. For the parameters `numbers` of the last signature a Python number is taken as it is;
    with `numbers_first` the first operand may be one, too, which no signature says. `text` is what help says,
    by default what it says of `function`.
    """
    printed = f"{namespace}_{name}" if namespace else name
    read = _reading(printed, signatures, function, 0, numbers, numbers_first, text)
    published = public(
        read, name=name, namespace=namespace, method=False,
        out=not writes_out and any(" out = " in text for text in signatures),
    )
    if method and not namespace:
        own = [_of_method(text) for text in signatures if text.startswith("(Tensor input")]
        public(
            _reading(name, own, function, 1, numbers, text=text and text.replace(OUT, "")), name=name,
            is_function=False, inplace=inplace, out=False,
        )
    return published


def described(summary: str, *parameters: str, returns: str = "Tensor") -> str:
    """Put a text together from a summary, one entry per parameter and one of the result."""
    entries = "\n".join(parameters)
    return f"{summary}\n\nParameters\n----------\n{entries}\n\nReturns\n-------\n{returns}\n"


def by_operands(
    both: Callable[..., Any], of_number: Callable[..., Any], with_number: Callable[..., Any]
) -> Callable[..., Any]:
    """Return a function of two values, one of which may be a number: torch has other nodes for those."""

    def call(x: Any, y: Any) -> Any:
        if not isinstance(x, TensorBase):
            return of_number(y, x)
        return both(x, y) if isinstance(y, TensorBase) else with_number(x, y)

    return call
