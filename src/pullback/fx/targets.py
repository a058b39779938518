"""What torch calls the functions that nodes call: the paths that graphs print and generated code writes.

A function that torch has in C++ is printed under the module that C++ gives it, such as ``torch._C._nn.gelu``;
one that torch writes in Python passes its defaults on by keyword when it meets a proxy, and so must ours, or
graphs would differ from torch's.
"""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

from ..overrides import _namespaces, resolve_name
from ..tensor.api import REGISTRY

#: Names of torch.nn.functional that are C++ functions, by the module that torch says they are in.
_IN_CPP = {
    "torch": (
        "adaptive_avg_pool1d avg_pool1d bilinear celu_ channel_shuffle conv1d conv2d conv3d conv_tbc "
        "conv_transpose1d conv_transpose2d conv_transpose3d cosine_similarity hardshrink "
        "native_channel_shuffle pairwise_distance pdist pixel_shuffle pixel_unshuffle prelu relu_ rrelu_ "
        "selu_ threshold_"
    ),
    "torch._C._nn": (
        "avg_pool2d avg_pool3d elu_ gelu hardtanh_ leaky_relu_ linear one_hot scaled_dot_product_attention "
        "softplus softshrink"
    ),
}
_CPP_HOME = {name: home for home, names in _IN_CPP.items() for name in names.split()}

#: Names of torch's top level that are Python functions.
IN_FUNCTIONAL = frozenset(
    {
        "align_tensors", "atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_shapes",
        "broadcast_tensors", "cartesian_prod", "cdist", "chain_matmul", "einsum", "lu", "meshgrid", "norm",
        "split", "stft", "tensordot", "unique", "unique_consecutive", "unravel_index",
    }
)  # fmt: skip

#: Arguments by keyword that torch declares among the others.
_ALSO_PASSED = {
    "torch.functional.norm": {"out": None, "dtype": None}, "torch.functional.tensordot": {"out": None},
}  # fmt: skip


@cache
def _known() -> dict[int, str]:
    """The id of each public function and torch's path of it."""
    _namespaces()  # loads those whose functions are declared when they are first asked for
    return {id(d.function): _path(d.namespace, d.name) for d in reversed(REGISTRY) if d.is_function}


def _path(namespace: str, name: str) -> str:
    if namespace == "nn.functional":
        if name == "logsigmoid":
            return "torch._C._nn.log_sigmoid"
        return f"{_CPP_HOME.get(name, 'torch.nn.functional')}.{name}"
    if namespace in ("linalg", "fft", "special"):
        return f"torch._C._{namespace}.{namespace}_{name}"
    if namespace:
        return f"torch.{namespace}.{name}"
    return f"torch.functional.{name}" if name in IN_FUNCTIONAL else f"torch.{name}"


def torch_path(function: Any) -> str | None:
    """Torch's path of one of its functions or classes; None for others."""
    found = _known().get(id(function))
    if found is not None:
        return found
    module = getattr(function, "__module__", None) or ""
    name = getattr(function, "__qualname__", None)
    if name is None or "<" in name:
        return None
    if module == "torch" or module.startswith("torch."):
        return f"{module}.{name}"
    resolved = resolve_name(function) if callable(function) else None
    return resolved if resolved is not None and resolved.startswith("torch.Tensor.") else None


def tensor_method(function: Any) -> str | None:
    """The name of the method of Tensor, or of the property, that a function is; None for others."""
    if id(function) in _known():
        return None
    resolved = resolve_name(function)
    if resolved is None or not resolved.startswith("torch.Tensor."):
        return None
    name = resolved.removeprefix("torch.Tensor.")
    return function.__name__ if name.startswith("__") and not name.startswith("__set") else name


def qualified_name(function: Callable[..., Any]) -> str:
    """The path under which generated code names a function.

    Raises
    ------
    RuntimeError
        For a lambda whose source cannot be read.
    """
    name = function.__name__
    if getattr(builtins, name, None) is function:
        return name
    path = torch_path(function)
    if path is not None:
        return path
    if name == "<lambda>":
        try:
            # what stands before the equals sign of a lambda's line is what its author calls it
            name = inspect.getsource(function).split("=")[0].strip()
        except OSError as error:
            raise RuntimeError("Unable to represent lambda") from error
    return f"{function.__module__}.{name}"


def as_torch_passes(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments as torch hands them to a proxy.

    A function that torch writes in Python gives what has no default by position and the rest by keyword.
    """
    path = torch_path(function) or ""
    if not path.startswith(("torch.nn.functional.", "torch.functional.")):
        return args, kwargs
    parameters = inspect.signature(function).parameters
    if any(p.kind is p.VAR_POSITIONAL for p in parameters.values()):
        return args, kwargs
    bound = inspect.signature(function).bind(*args, **kwargs)
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
