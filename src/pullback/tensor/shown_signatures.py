"""Tell `inspect.signature`, and so help and editors, of public functions: the types of the stubs.

Requirements:

- Nothing is read before it is asked for.
- Names, order and defaults are the function's own; where it takes whatever comes, for torch's parser to read,
  they are those of the longest way to call it.
- Types are written as a reader knows them, not as quoted text.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from inspect import Parameter, Signature
from types import FunctionType
from typing import Any

from .builtin import behind

#: Place of functions → the stub that has them.
_STUBS = {"": "__init__.pyi", "Tensor": "tensor/methods.pyi", "nn.functional": "nn/functional/__init__.pyi"}
#: Unions that stubs write once.
_UNIONS = {"_Number": "int | float | complex", "_Device": "device | str | int"}


class Text(str):
    """A type in words, shown without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class Told(Signature):
    """The signature of a public function, put together when first asked for."""

    __slots__ = ("_asked",)

    @classmethod
    def of(cls, function: Callable[..., Any], place: str, name: str) -> Told:
        """Make the signature of a function that is known under a name at a place."""
        made = cls.__new__(cls)
        made._asked = (function, place, name)  # type: ignore[attr-defined]  # the slot
        return made

    def __getattr__(self, attribute: str) -> Any:
        if attribute not in ("_parameters", "_return_annotation"):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{attribute}'")
        made = _read(*self._asked)
        self.__init__(list(made.parameters.values()), return_annotation=made.return_annotation)  # type: ignore[misc]  # once
        return object.__getattribute__(self, attribute)


def tell(place: str, names: Mapping[str, Any]) -> None:
    """Give the functions among a place's names their signatures."""
    for name, function in ((name, behind(held)) for name, held in names.items()):
        if type(function) is FunctionType and "__signature__" not in function.__dict__:
            function.__signature__ = Told.of(function, place, name)  # type: ignore[attr-defined]  # what `inspect` looks for


def own_signature(function: Callable[..., Any]) -> Signature:
    """Read the signature in the source behind all wrappers, with options that a wrapper takes itself."""
    options: list[Parameter] = []
    while hasattr(function, "__wrapped__"):
        if hasattr(function, "takes_options"):
            parameters = signature_of(function).parameters.values()
            options = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
        function = function.__wrapped__
    own = signature_of(function)
    if not options:
        return own
    return own.replace(parameters=[*own.parameters.values(), *options], return_annotation="Any")


def signature_of(function: Callable[..., Any]) -> Signature:
    """Read the signature of a function's code, whatever it wraps and whatever it was told."""
    if type(function := behind(function)) is not FunctionType:
        return inspect.signature(function)
    bare = FunctionType(function.__code__, function.__globals__, closure=function.__closure__)
    bare.__defaults__, bare.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    bare.__annotations__ = function.__annotations__
    return inspect.signature(bare)


def _read(function: Callable[..., Any], place: str, name: str) -> Signature:
    own = own_signature(function)
    if not (forms := _functions(place).get(name, [])):
        parameters = [p.replace(annotation=_words(p.annotation)) for p in own.parameters.values()]
        return Signature(parameters, return_annotation=_words(own.return_annotation))
    longest: Mapping[str, Parameter] = max((form.parameters for form in forms), key=len)
    result = _united(str(form.return_annotation) for form in forms)
    if not {Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD} <= {p.kind for p in own.parameters.values()}:
        longest = _typed(own.parameters.values(), forms)
    return Signature(list(longest.values()), return_annotation=result)


def _typed(own: Iterable[Parameter], forms: list[Signature]) -> dict[str, Parameter]:
    """Return a function's own parameters with the types that they have in the ways to call it."""
    made: dict[str, Parameter] = {}
    longest = max((form.parameters for form in forms), key=len)
    for position, p in enumerate(own):
        receiver = position == 0 and "self" in longest
        if p.name == "out" and "self" in longest and "out" not in longest:
            continue  # a method's: only the function has it
        kinds = [str(f.parameters[p.name].annotation) for f in forms if p.name in f.parameters]
        if kinds and p.default is None:
            kinds.append("None")
        kind = _united(kinds) if kinds else _words(p.annotation)
        if receiver:
            p = p.replace(name="self")
        made[p.name] = p.replace(annotation=Parameter.empty if receiver else kind)
    if "out" in longest and "out" not in made:
        last = [made.pop(name) for name, p in list(made.items()) if p.kind is p.VAR_KEYWORD]
        made["out"] = longest["out"].replace(default=None)
        made |= {p.name: p for p in last}
    return made


def _united(kinds: Iterable[str]) -> Text:
    """Return the union of types, some of which are unions."""
    parts = dict.fromkeys(part for kind in kinds for part in re.split(r" \| (?![^\[]*\])", kind))
    if "Any" in parts:
        return Text("Any")
    return Text(" | ".join(part for part in parts if "bool" not in parts or not part.startswith("Literal")))


@cache
def _functions(place: str) -> dict[str, list[Signature]]:
    """Return the functions of a stub, each with the ways to call it."""
    # Imported for the first signature: with what it imports it takes 2 of the package's 90 ms.
    from pathlib import Path

    path = Path(__file__).parents[1] / _STUBS.get(place, f"{place}/__init__.pyi")
    if not path.is_file():
        return {}
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found: dict[str, list[Signature]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append(_signature(node))
    return found


def _signature(node: ast.FunctionDef) -> Signature:
    args = node.args
    defaults = [None] * (len(args.posonlyargs) + len(args.args) - len(args.defaults)) + args.defaults
    positional = [*((a, Parameter.POSITIONAL_ONLY) for a in args.posonlyargs),
                  *((a, Parameter.POSITIONAL_OR_KEYWORD) for a in args.args)]  # fmt: skip
    made = [_parameter(a, kind, d) for (a, kind), d in zip(positional, defaults, strict=True)]
    if args.vararg:
        made.append(_parameter(args.vararg, Parameter.VAR_POSITIONAL, None))
    only = zip(args.kwonlyargs, args.kw_defaults, strict=True)
    made += [_parameter(a, Parameter.KEYWORD_ONLY, d) for a, d in only]
    if args.kwarg:
        made.append(_parameter(args.kwarg, Parameter.VAR_KEYWORD, None))
    return Signature(made, return_annotation=_words(node.returns and ast.unparse(node.returns)))


def _parameter(arg: ast.arg, kind: Any, default: ast.expr | None) -> Parameter:
    return Parameter(
        arg.arg, kind, annotation=_words(arg.annotation and ast.unparse(arg.annotation)),
        default=Parameter.empty if default is None else _value(default),
    )  # fmt: skip


def _value(default: ast.expr) -> Any:
    value = ast.literal_eval(default)
    return Text("...") if value is ... else value


def _words(annotation: Any) -> Any:
    """Return an annotation as a reader knows it."""
    if annotation is None or annotation is Parameter.empty:
        return Parameter.empty
    if not isinstance(annotation, str):
        return annotation
    text = re.sub(r"\b_(?:Number|Device)\b", lambda m: _UNIONS[m[0]], annotation)
    return Text(re.sub(r"\bbuiltins\.|\b_(?=[A-Za-z])", "", text))
