"""Name the functions that nodes call: the paths that graphs print and generated code writes.

A function that torch has in C++ is printed under the module that C++ gives it, such as ``torch._C._nn.gelu``;
one that torch writes in Python passes its defaults on by keyword when it meets a proxy, and so must ours, or
graphs would differ from torch's.
"""

import builtins
import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

from ..tensor.api import REGISTRY
from ..tensor.builtin import behind, described, published
from ..torch_names._aten.overload import OpOverload
from ..torch_names._aten.translated import OwnOp
from ..torch_names.overrides import _namespaces, resolve_name

#: Arguments by keyword that torch declares among the others.
_ALSO_PASSED = {
    "torch.functional.norm": {"out": None, "dtype": None}, "torch.functional.tensordot": {"out": None},
}  # fmt: skip


@cache
def _known() -> dict[int, str]:
    """Return the id of each public function and torch's path of it."""
    _namespaces()  # loads those whose functions are declared when they are first asked for
    known = {}
    for d in reversed(REGISTRY):
        if d.is_function:
            told = described(d.name, d.namespace)
            function = published(d.function, d.name, d.namespace)
            own = (f"torch.{d.namespace}" if d.namespace else "torch.functional", d.name)
            known[id(function)] = ".".join(told or own)
    return known


def torch_path(function: Any) -> str | None:
    """Return torch's path of one of its functions or classes; None for others."""
    if isinstance(function, (OpOverload, OwnOp)):
        return f"torch.ops.{function}"
    if (found := _known().get(id(function))) is not None:
        return found
    module = getattr(function, "__module__", None) or ""
    if (name := getattr(function, "__qualname__", None)) is None or "<" in name:
        return None
    if module == "torch" or module.startswith("torch."):
        return f"{module}.{name}"
    resolved = resolve_name(function) if callable(function) else None
    return resolved if resolved is not None and resolved.startswith("torch.Tensor.") else None


def tensor_method(function: Any) -> str | None:
    """Return the name of the method of Tensor, or of the property, that a function is; None for others."""
    if id(function) in _known():
        return None
    if (resolved := resolve_name(function)) is None or not resolved.startswith("torch.Tensor."):
        return None
    name = resolved.removeprefix("torch.Tensor.")
    return function.__name__ if name.startswith("__") and not name.startswith("__set") else name


def qualified_name(function: Callable[..., Any]) -> str:
    """Return the path under which generated code names a function.

    Raises a RuntimeError for a lambda whose source cannot be read.
    """
    name = function.__name__
    if getattr(builtins, name, None) is function:
        return name
    if (path := torch_path(function)) is not None:
        return path
    if name == "<lambda>":
        try:
            # what is before the equals sign of a lambda's line is what its author calls it
            name = inspect.getsource(function).split("=")[0].strip()
        except OSError as error:
            raise RuntimeError("Unable to represent lambda") from error
    return f"{function.__module__}.{name}"


def as_torch_passes(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments as torch hands them to a proxy.

    A function that torch writes in Python gives what has no default by position and the rest by keyword.
    """
    path = torch_path(function) or ""
    if not path.startswith(("torch.nn.functional.", "torch.functional.")):
        return args, kwargs
    signature = inspect.signature(behind(function))
    parameters = signature.parameters
    if any(p.kind is p.VAR_POSITIONAL for p in parameters.values()):
        return args, kwargs
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    required = [name for name, p in parameters.items() if p.default is p.empty]
    optional = [n for n, p in parameters.items() if p.default is not p.empty and p.kind is not p.KEYWORD_ONLY]
    only = {n: v for n, v in kwargs.items() if parameters[n].kind is inspect.Parameter.KEYWORD_ONLY}
    if path == "torch.functional.split":
        # one of two spellings of an argument that torch requires
        required, optional = ["tensor", "split_size_or_sections"], ["dim"]
    values = bound.arguments
    named = {n: values[n] for n in optional}
    return tuple(values[n] for n in required), {**named, **_ALSO_PASSED.get(path, {}), **only}
