"""Elementwise functions whose operands torch's parser reads: which of them may be numbers, and what it says.

`declare` publishes a function of tensors under torch's signatures; the method, with its own signatures, and
`name_` follow from them. Where all operands are tensors, the parser is not asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from ..core.value import TensorBase
from .api import public
from .signature import Parser, reads

#: The signatures of most functions of one and of two values.
ONE = ("(Tensor input, *, Tensor out = None)",)
TWO = ("(Tensor input, Tensor other, *, Tensor out = None)",)
TENSOR_OR_NUMBER = (*TWO, "(Tensor input, Number other, *, Tensor out = None)")
EITHER_NUMBER = (
    *TWO, "(Number self, Tensor other, *, Tensor out = None)",
    "(Tensor input, Number other, *, Tensor out = None)"
)


def _reading(printed: str, signatures: Iterable[str], function: Callable[..., Any], before: int) -> Any:
    """The function behind a parser of what follows its first `before` arguments."""
    parser = Parser(printed, *signatures)
    tensors = before + next(iter(signatures)).partition("*")[0].count("Tensor ")

    def call(*args: Any, **kwargs: Any) -> Any:
        if not kwargs and len(args) == tensors and all(isinstance(v, TensorBase) for v in args):
            return function(*args)
        first, rest = args[:before], args[before:]
        for signature in parser.signatures:
            bound = signature.match(rest, kwargs)
            if bound is not None:
                given = [bound.pop(p.target) for p in signature.positional if not p.has_default]
                return function(*first, *given, **bound)
        raise parser.rejected(rest, kwargs)

    call.__name__ = call.__qualname__ = printed
    call.__doc__ = function.__doc__
    call.__module__ = function.__module__
    return reads(parser, tensor_first=before == 1)(call)


def _of_method(signature: str) -> str:
    """A function's signature without the tensor whose method it is, and without `out`."""
    rest = re.sub(r", (\*, )?(Tensor|tuple of Tensors) out = None", "", signature)
    return "(" + rest.removeprefix("(Tensor input").removeprefix(", ")


def declare(
    name: str, function: Callable[..., Any], *signatures: str, namespace: str = "", method: bool = True,
    inplace: Any = True, writes_out: bool = False,
) -> Any:
    """Publish a function of tensors.

    Parameters
    ----------
    function : callable
        It gets the required positional arguments by position, the others by name.
    signatures : str
        As torch prints them.
    namespace : str
        Where it lives; functions of a namespace have no method.
    writes_out : bool
        The function takes `out` itself.
    """
    printed = f"{namespace}_{name}" if namespace else name
    published = _reading(printed, signatures, function, 0)
    public(
        published, name=name, namespace=namespace, method=False,
        out=not writes_out and any(" out = " in text for text in signatures),
    )
    if method and not namespace:
        own = [_of_method(text) for text in signatures if text.startswith("(Tensor input")]
        public(
            _reading(name, own, function, 1), name=name, is_function=False, inplace=inplace, out=False
        )
    return published


def documented(summary: str, *parameters: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a function of a table its text: a summary and one entry per parameter."""
    text = summary + "\n\nParameters\n----------\n" + "\n".join(parameters) + "\n\nReturns\n-------\nTensor\n"

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        call.__doc__ = text
        call.__module__ = __name__
        return call

    return decorate


def by_operands(
    both: Callable[..., Any], of_number: Callable[..., Any], with_number: Callable[..., Any]
) -> Callable[..., Any]:
    """A function of two values of which one may be a number, for which torch has nodes of their own."""

    def call(x: Any, y: Any) -> Any:
        if not isinstance(x, TensorBase):
            return of_number(y, x)
        return both(x, y) if isinstance(y, TensorBase) else with_number(x, y)

    return call
