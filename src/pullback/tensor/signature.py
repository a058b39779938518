"""Arguments as torch's own parser reads them.

Signatures are read in the form in which torch prints them, such as ``(int n, int m, *, torch.dtype dtype =
None)``; arguments are bound to the first that they fit, numbers, sizes and dtypes converted. What torch says
where they fit none is told by `signature_errors`.

In a signature a question mark behind a type means that None is allowed, ``[n]`` that one element may stand
for many, ``int[]`` that an object's `__index__` may tell it, and ``|deprecated`` at the end that messages do
not name it; these marks are not printed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..array.locks import computed
from ..core.calls import LEAST, MOST
from .argument_types import (
    CHECKS,
    CONVERSIONS,
    LARGEST_USUAL,
    REPEATED,
    USUAL,
    as_ints,
    has_index,
    is_operand,
    is_size_element,
    one_or_each,
    one_or_many,
)
from .schemas import signatures

if TYPE_CHECKING:
    from .signature_errors import Misfit

#: What torch allows NumPy's users to write → its own name.
ALTERNATIVES = {
    "axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other",
}

#: Parameters that functions' bodies call otherwise, as Python reserves the name or it says too little.
KEYWORDS = {"from": "low", "to": "high"}

#: What every function that makes a tensor takes.
OPTIONS = (
    "torch.dtype dtype = None, torch.layout layout = None, torch.device device = None, bool? pin_memory = "
    "False, bool? requires_grad = False"
)
OUT = f"Tensor out = None, {OPTIONS}"


class NotTensorsError(TypeError):
    """Something in a list is no tensor: where tensors are wanted, torch asks no other signature then."""


class Parameter:
    """One parameter of a signature."""

    __slots__ = (
        "accepts", "allows_none", "convert", "counts", "default", "has_default", "keyword_only", "kind",
        "name", "target", "usual",
    )

    def __init__(self, text: str, keyword_only: bool, numbers: bool = False) -> None:
        declared, _, self.default = text.partition(" = ")
        kind, self.name = declared.rsplit(" ", 1)
        self.target = KEYWORDS.get(self.name, self.name)
        self.kind, sized, _ = kind.removesuffix("?").partition("[")
        self.has_default = bool(self.default)
        self.allows_none = kind.endswith("?") or self.default == "None"
        self.keyword_only = keyword_only
        self.accepts = CHECKS[self.kind]
        self.convert = CONVERSIONS.get(self.kind)
        #: The type that is taken as it is, and whether integers are.
        self.usual = USUAL.get(self.kind)
        self.counts = self.kind in ("int", "Number")
        if numbers and self.kind == "Tensor":
            self.accepts = is_operand
        elif sized and self.kind == "int":
            self.accepts = one_or_many(self.accepts, has_index)
        elif sized and self.kind in REPEATED:
            self.accepts = one_or_many(self.accepts, REPEATED[self.kind])
            self.convert = one_or_each(self.kind)

    def take(self, value: Any, bound: dict[str, Any]) -> bool:
        """Put a value into `bound`, converted; whether it is of the right type."""
        kind = type(value)
        if kind is self.usual or (kind is int and self.counts and -LARGEST_USUAL <= value <= LARGEST_USUAL):
            bound[self.target] = value
            return True
        if value is None and self.allows_none:
            bound[self.target] = None
        elif self.accepts(value):
            bound[self.target] = value if self.convert is None else self.convert(value)
        else:
            if self.kind == "tuple of Tensors" and isinstance(value, list | tuple):
                raise NotTensorsError
            return False
        return True


#: Behind a signature that torch still takes but does not name.
DEPRECATED = "|deprecated"
COMMA = r", (?![^{]*\})"
_MARKS = r"(\[\d*\])?\??(?= \w+( =|,|\)))"


class Signature:
    """One way in which a function can be called."""

    def __init__(self, text: str, numbers: bool = False) -> None:
        self.deprecated = text.endswith(DEPRECATED)
        self.text = text = text.removesuffix(DEPRECATED)
        parts = [part for part in re.split(COMMA, text[1:-1]) if part]
        star = parts.index("*") if "*" in parts else len(parts)
        self.parameters = [Parameter(part, i > star, numbers) for i, part in enumerate(parts) if part != "*"]
        self.positional = [p for p in self.parameters if not p.keyword_only]
        self.by_name = {p.name: p for p in self.parameters}
        self.required = [p.target for p in self.parameters if not p.has_default]
        self.needs_keywords = any(p.keyword_only and not p.has_default for p in self.parameters)
        # A size that is the first and only positional parameter may be given number by number.
        self.spread = len(self.positional) == 1 and self.positional[0].kind == "tuple of ints"

    @property
    def printed(self) -> str:
        """Return the signature as torch prints it."""
        return re.sub(_MARKS, "", self.text)

    def match(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the given arguments by name and converted, None where they do not fit."""
        if self.needs_keywords and not kwargs:
            return None
        bound: dict[str, Any] = {}
        if args:
            first = args[0]
            if self.spread and not isinstance(first, list | tuple):
                if type(first) is bool:
                    return None
                for item in args:
                    if type(item) is not int and not is_size_element(item):
                        return None
                bound[self.positional[0].target] = as_ints(args)
            else:
                if len(args) > len(self.positional):
                    return None
                for parameter, value in zip(self.positional, args):
                    if not parameter.take(value, bound):
                        return None
        for name, value in kwargs.items():
            named = self.by_name.get(name) or self.by_name.get(ALTERNATIVES.get(name, ""))
            if named is None or named.target in bound or not named.take(value, bound):
                return None
        for name in self.required:
            if name not in bound:
                return None
        return bound


class Parser:
    """All signatures of a function that messages name so, in the form and the order in which torch prints
    them.

    Where none is given, they are derived from the schemas of the function of that name, at a place that is
    'Tensor' for a method. `numbers` says whether numbers are taken for tensors.
    """

    def __init__(self, function: str, *signatures: str, numbers: bool = False, place: str = "") -> None:
        self.function = function
        self._given = signatures
        self._place = place
        self.numbers = numbers
        #: Types, and names, of arguments that need no parser, where no integer is too long.
        self.known: set[tuple[object, ...]] = set()
        #: Types by place, none of them int, with which the function behind the parser is called as it is.
        self.plain: set[tuple[object, ...]] = set()
        #: By the types of numbers by place: their names, and the types that are made of them.
        self.numbers_read: dict[tuple[type, ...], list[tuple[str, type]]] = {}

    @computed
    def texts(self) -> Sequence[str]:
        """Return the signatures as torch prints them."""
        return self._given or signatures(self._place, self.function)

    @computed
    def signatures(self) -> list[Signature]:
        """Return the signatures, read when first needed: reading those of all functions takes 4 ms."""
        return [Signature(text, self.numbers) for text in self.texts]

    def bind(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the given arguments by name, converted, or raise torch's TypeError."""
        for signature in self.signatures:
            try:
                bound = signature.match(args, kwargs)
            except ValueError:
                self._misfit(signature, args, kwargs).check_sizes()
                raise
            except NotTensorsError:
                raise self._misfit(signature, args, kwargs).not_tensors() from None
            if bound is not None:
                return bound
        raise self.rejected(args, kwargs)

    def _misfit(self, signature: Signature, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Misfit:
        from .signature_errors import Misfit

        return Misfit(self.function, signature, args, kwargs)

    def rejected(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> TypeError:
        """Build the error for arguments that fit no signature."""
        from .signature_errors import rejected

        return rejected(self, args, kwargs)


def parsed(
    function_name: str, *signatures: str, plain: Callable[..., Any] | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a function whose arguments torch's parser reads; the body gets them by name, converted.

    Where no signatures are given, they are derived from schemas. `plain`, which gets all arguments by place
    and unread, is asked before; it gives None where it is not for these.
    """
    parser = Parser(function_name, *signatures)

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            return function(**parser.bind(args, kwargs))

        def asking(*args: Any, **kwargs: Any) -> Any:
            found = None if kwargs else plain(*args)  # type: ignore[misc]  # there is one
            return function(**parser.bind(args, kwargs)) if found is None else found

        if plain is not None:
            return described(asking, function, parser)
        call.behind = function  # type: ignore[attr-defined]  # functions take attributes
        call.taken = lambda: _tensors_alone(parser.texts[0], function)  # type: ignore[attr-defined]  # likewise
        return described(call, function, parser)

    return decorate


def leading(signature: str) -> list[str]:
    """Return the parameters before the star, which may be given by place."""
    return [part for part in signature.strip("()").partition("*")[0].split(", ") if part]


def tensors_needed(parameters: Sequence[str]) -> int:
    """Return how many tensors without a default come first."""
    count = 0
    for part in parameters:
        if not part.startswith("Tensor ") or " = " in part:
            break
        count += 1
    return count


def _tensors_alone(signature: str, function: Callable[..., Any]) -> int:
    """Return how many tensors alone a call may be which a function takes as they come, 0 if it does not."""
    code = getattr(function, "__code__", None)
    parts = leading(signature)
    count = tensors_needed(parts)
    if code is None or not 0 < count < 3 or any(" = " not in part for part in parts[count : count + 1]):
        return 0
    names = tuple([KEYWORDS.get(name, name) for name in (part.split(" ")[1] for part in parts[:count])])
    return count if code.co_varnames[: min(code.co_argcount, count)] == names else 0


_NUMBERS = frozenset({int, float})


def method(function_name: str, *signatures: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a method whose arguments, the tensor aside, torch's parser reads (see `parsed`)."""
    parser = Parser(function_name, *signatures, place="Tensor")

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(self: Any, /, *args: Any, **kwargs: Any) -> Any:
            if kwargs:
                return function(self, **parser.bind(args, kwargs))
            kinds = tuple(map(type, args))
            made = parser.numbers_read.get(kinds)
            if made is not None and all(type(v) is float or LEAST <= v <= MOST for v in args):
                return function(self, **{name: kind(v) for (name, kind), v in zip(made, args)})
            bound = parser.bind(args, kwargs)
            if _NUMBERS.issuperset((*kinds, *map(type, bound.values()))) and [*bound.values()] == [*args]:
                parser.numbers_read[kinds] = [(name, type(v)) for name, v in bound.items()]
            return function(self, **bound)

        return reads(parser, tensor_first=True)(described(call, function, parser))

    return decorate


def described(call: Callable[..., Any], function: Callable[..., Any], parser: Parser) -> Callable[..., Any]:
    """Give a wrapper the name, the text and the signatures of what it wraps, and return it."""
    call.__name__ = call.__qualname__ = parser.function
    call.__doc__ = function.__doc__
    call.__module__ = function.__module__
    call.__wrapped__ = function  # type: ignore[attr-defined]  # what `inspect.signature` follows
    return reads(parser)(call)


def reads(parser: Parser, tensor_first: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a function with the parser that reads its arguments, for the stubs to show.

    `tensor_first`: the tensor whose method it is comes before what the parser reads.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        function.parser = parser  # type: ignore[attr-defined]  # functions take attributes
        function.tensor_first = tensor_first  # type: ignore[attr-defined]  # likewise
        return function

    return decorate
