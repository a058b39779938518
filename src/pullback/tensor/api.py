"""One declaration per public function; the method, the in-place variant and `out=` are derived from it.

    @public                                  # torch.sum and Tensor.sum
    @public(inplace=True)                    # also Tensor.clamp_ (and torch.clamp_ where torch has it)
    @public(method=False)                    # torch.cat only
    @public(function=False)                  # a Tensor method only
    @public(namespace="nn.functional")       # torch.nn.functional.gelu

A declared function has torch's signature and takes tensors. What is declared lands in `REGISTRY`; `install`
attaches methods to the facade, and `names(namespace)` gives the functions of a module such as `torch.linalg`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

from ..core import calls
from ..core.op import TABLE
from .builtin import published
from .failed_calls import IN_PYTHON
from .inplace_variants import PLAIN, InPlace, inplace_variant
from .out import ALIASES, write_out
from .read_calls import as_function, with_overrides
from .shown_signatures import tell
from .signature import method, parsed

Function = Callable[..., Any]


class Declaration:
    """A public function and where it appears: the `method`, if any, and what is particular in the variant in
    place.
    """

    __slots__ = ("function", "inplace", "is_function", "method", "name", "namespace")

    def __init__(
        self, name: str, function: Function, namespace: str, method: Function | None, inplace: InPlace | bool,
        is_function: bool,
    ) -> None:
        self.name, self.function, self.namespace = name, function, namespace
        self.method, self.inplace, self.is_function = method, inplace, is_function


REGISTRY: list[Declaration] = []

#: What the texts of functions say of `out`, which methods do not have.
OUT = "out : Tensor, optional\n    Takes the result.\n"


def public(
    function: Function | None = None, *, name: str | None = None, namespace: str = "",
    method: bool | None = None, inplace: InPlace | bool = False, is_function: bool = True, out: bool = True,
    aliases: Iterable[str] = (), arranged: Callable[[tuple[Any, ...]], tuple[Any, ...]] | None = None,
    behind: str | None = None, mirrors: bool = False, numpy: bool = False,
) -> Any:
    """Declare a public function (see the module's docstring).

    `arranged` gives the arguments by place as classes that override functions are to see them; `behind` is
    what Python's errors of surplus and missing arguments call the function, where torch's are another's. One
    of `nn.functional` that `mirrors` torch's Python has Python's errors where that has them, and raises a
    TypeError where torch hands arguments on to a function in C that refuses them. With `numpy` it takes
    NumPy's `axis` and `keepdims` for `dim` and `keepdim`.
    """

    def declare(function: Function) -> Function:
        chosen = name or function.__name__
        has_method = (
            (namespace in ("", "linalg", "special", "fft") and namespace == "") if method is None else method
        )
        printed = f"{namespace}_{chosen}" if namespace == "linalg" else chosen
        place = "nn" if namespace == "nn.functional" else namespace
        parts = inplace.parts if isinstance(inplace, InPlace) else None
        call = with_overrides(
            function, place, chosen, arranged, mirrors, numpy, printed if out else "", parts
        )
        if behind is not None:
            function.__qualname__ = behind
        bound = None
        if has_method:
            bound = with_overrides(_of_class(function, chosen), "Tensor", chosen, numpy=numpy)
            bound.__name__ = bound.__qualname__ = chosen
        REGISTRY.append(Declaration(chosen, call, namespace, bound, inplace, is_function))
        for n in aliases:
            ALIASES[n] = chosen
            own = bound and as_function(bound, n, "Tensor")
            found = _alias(call, place, n)
            REGISTRY.append(Declaration(n, found, namespace, own, inplace, is_function))
        return call

    return declare if function is None else declare(function)


def with_signature(*signatures: str, name: str | None = None, **options: Any) -> Callable[[Function], Any]:
    """Declare a public function that gets its arguments as torch's parser reads them by these signatures, by
    default those that its schemas tell.

    A function ``linalg_…`` is of that namespace; with ``is_function=False`` the signatures are those of a
    method, the tensor aside. The other options are those of `public`.
    """

    def declare(function: Function) -> Any:
        printed = name or function.__name__
        read = (parsed if options.get("is_function", True) else method)(printed, *signatures)(function)
        if printed.startswith("linalg_"):
            return public(read, name=printed.removeprefix("linalg_"), namespace="linalg", **options)
        return public(read, name=printed, **options)

    return declare


def _of_class(function: Function, name: str) -> Function:
    """Return the function behind a method, whose own errors of surplus and missing arguments name the class
    where torch has the method in Python.
    """
    if name not in IN_PYTHON:
        return function
    own = FunctionType(
        function.__code__, function.__globals__, name, function.__defaults__, function.__closure__
    )
    own.__kwdefaults__, own.__doc__ = function.__kwdefaults__, function.__doc__
    own.__dict__.update(function.__dict__)
    own.__annotations__, own.__module__ = function.__annotations__, function.__module__
    own.__qualname__ = f"Tensor.{name}"
    return own


def public_op(
    call: Function, text: str, *, name: str | None = None, namespace: str = "", method: bool = True,
    inplace: InPlace | bool = True, is_function: bool = True, aliases: Iterable[str] = (),
) -> Function:
    """Declare an op of one or two inputs and no attributes; its closure is both function and method."""
    op = call.op  # type: ignore[attr-defined]  # every op's call has it
    op.public.__doc__ = text
    if not namespace and name in (None, op.name):
        # Where pickle finds it: modules keep functions such as `torch.tanh` as attributes.
        op.public.__module__ = "pullback"
    ALIASES.update(dict.fromkeys(aliases, op.name))
    for n in (name or op.name, *aliases):
        bound = calls.make_call(op, public=True, method=n) if method else None
        if bound is not None:
            bound.__doc__ = text.replace(OUT, "")
        found = _alias(op.public, namespace, n) if n in aliases else op.public
        REGISTRY.append(Declaration(n, found, namespace, bound, inplace, is_function))
    return op.public


def _alias(function: Function, place: str, name: str) -> Function:
    """Return a public function under another of its names, which its errors have."""
    call = as_function(function, name, place)
    call.__name__ = call.__qualname__ = name
    call.__module__ = {"": "pullback", "nn": "pullback.nn.functional"}.get(place, f"pullback.{place}")
    return call


def install(facade: type, functions: dict[str, Any]) -> None:
    """Attach methods and in-place variants to the facade; collect functions of the top-level namespace."""
    own = set(dir(facade))
    for d in REGISTRY:
        if d.method is not None and d.name not in own:
            own.add(d.name)
            setattr(facade, d.name, d.method)
        if d.inplace and d.name + "_" not in own:
            own.add(d.name + "_")
            how = d.inplace if isinstance(d.inplace, InPlace) else PLAIN
            setattr(facade, d.name + "_", inplace_variant(d.name, d.function, how))
    functions.update({d.name: d.function for d in REGISTRY if d.is_function and d.namespace == ""})
    functions.update({name: published(function, name) for name, function in functions.items()})


def declared(name: str) -> Function | None:
    """Return the function of the top level that a module has declared; None where none has."""
    found = (d.function for d in REGISTRY if d.name == name and d.is_function and not d.namespace)
    return next(found, None)


def names(namespace: str) -> dict[str, Function]:
    """Return the functions declared in a namespace such as 'linalg'."""
    found = {d.name: d.function for d in REGISTRY if d.namespace == namespace}
    tell(namespace, found)
    return {name: published(function, name, namespace) for name, function in found.items()}


__all__ = ["REGISTRY", "TABLE", "install", "inplace_variant", "names", "public", "public_op", "write_out"]
