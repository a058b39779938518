"""Describe dimensions whose sizes may change: `Dim`, and which axis of which argument is one.

torch gives them by the names of a function's parameters (`dynamic_shapes`) or, in older calls of
`torch.onnx.export`, by the names of the inputs (`dynamic_axes`). Both become one mapping: for each tensor
among the arguments, what the size of each such axis is called. Axes of one name have one size.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...core.value import TensorBase
from ...nn import Module
from ...tensor.tensor import Tensor
from ..structure import replaced
from .example_trace import Example, traced
from .varying import Family, family

#: By tensor, by axis: what the size is called.
Labels = dict[str, dict[int, str]]


class _Hint:
    """A size of which the user says only how it is to be found out."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"DimHint({self.name})"

    def __call__(self, min: int | None = None, max: int | None = None) -> _Hint:
        return self


class Dim:
    """A size with a name, which may be another one in each call.

    Parameters
    ----------
    name : str
    min, max : int, optional
        Taken for torch's sake: what the model does for other sizes is found out by tracing it at several.
    """

    AUTO = _Hint("AUTO")
    DYNAMIC = _Hint("DYNAMIC")
    STATIC = _Hint("STATIC")

    def __init__(self, name: str, *, min: int | None = None, max: int | None = None) -> None:
        if not name.isidentifier():
            raise AssertionError(f"Dim name must be a valid identifier, got {name}")
        self.__name__ = name
        self.min, self.max = min, max

    def __repr__(self) -> str:
        return self.__name__

    def __mul__(self, other: int) -> Dim:
        """Return a multiple: a size of its own, which the traces hold to be one."""
        made = Dim(f"{self.__name__}_times_{other}")
        made.__name__ = f"{other}*{self.__name__}"
        return made

    __rmul__ = __mul__


def dims(*names: str, min: int | None = None, max: int | None = None) -> tuple[Dim, ...]:
    """Return several dimensions."""
    return tuple(Dim(name, min=min, max=max) for name in names)


def parameter_names(model: Any) -> list[str]:
    """Return the names of what a model is called with."""
    function = model.forward if isinstance(model, Module) else model
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


def labels(model: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], dynamic_shapes: Any) -> Labels:
    """Return which axes may change, from `dynamic_shapes`.

    Raises a ValueError where it names an argument that the model is not given, or an axis that a tensor has
    not.
    """
    if not dynamic_shapes:
        return {}
    names = parameter_names(model)
    given = {names[n] if n < len(names) else f"arg{n}": value for n, value in enumerate(args)} | {**kwargs}
    if not isinstance(dynamic_shapes, Mapping):
        dynamic_shapes = dict(zip(given, dynamic_shapes, strict=False))
    unknown = [name for name in dynamic_shapes if name not in given]
    if unknown:
        raise ValueError(
            f"dynamic_shapes names {', '.join(map(repr, unknown))}; the model is given {', '.join(given)}"
        )
    found: Labels = {}
    for name, spec in dynamic_shapes.items():
        _label(given[name], spec, name, found)
    return found


def _label(value: Any, spec: Any, path: str, found: Labels) -> None:
    if spec is None:
        return
    if not isinstance(value, Tensor):
        parts = value.items() if isinstance(value, Mapping) else enumerate(value)
        for key, item in parts:
            inner = spec.get(key) if isinstance(spec, Mapping) else spec[key]
            _label(item, inner, f"{path}_{key}", found)
        return
    axes = spec.items() if isinstance(spec, Mapping) else enumerate(spec)
    for axis, size in axes:
        if size is None or size is Dim.STATIC or isinstance(size, int):
            continue
        if not -value.dim() <= axis < value.dim():
            raise ValueError(f"dynamic_shapes: {path} has no axis {axis}: its shape is {tuple(value.shape)}")
        axis %= value.dim()
        name = size if isinstance(size, str) else getattr(size, "__name__", None)
        found.setdefault(path, {})[axis] = name or f"{path}_dim_{axis}"


def axis_labels(paths: Sequence[str], input_names: Sequence[str], dynamic_axes: Mapping[str, Any]) -> Labels:
    """Return which axes may change, from `dynamic_axes`, which goes by the names of the graph's inputs."""
    found: Labels = {}
    for path, name in zip(paths, input_names, strict=False):
        if axes := dynamic_axes.get(name, dynamic_axes.get(path)):
            named = axes if isinstance(axes, Mapping) else {axis: f"{name}_dim_{axis}" for axis in axes}
            found[path] = {int(axis): str(label) for axis, label in named.items()}
    return found


def capture(
    model: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], find: Callable[[Example], Labels]
) -> tuple[Family, Labels]:
    """Trace a model on examples, at several sizes where some may change.

    `find` gives the axes that may change, when it is known what the tensors among the arguments are called.
    """
    names = parameter_names(model)
    example = traced(model, args, kwargs, names)
    dynamic = find(example)
    dynamic = {
        path: {axis % t.dim(): label for axis, label in dynamic.get(path, {}).items()}
        for path, t in zip(example.paths, example.arguments, strict=True)
    }

    def again(tensors: list[Any]) -> Example:
        new = {id(old): now for old, now in zip(example.arguments, tensors, strict=True)}
        given, named = replaced((args, dict(kwargs)), TensorBase, lambda t: new.get(id(t), t))
        return traced(model, given, named, names)

    try:
        return family(again, example, dynamic), dynamic
    except RuntimeError:
        if (tied := _tied(example, dynamic)) == dynamic:
            raise
        return family(again, example, tied), tied


def _tied(example: Example, dynamic: Labels) -> Labels:
    """Return the axes with one name for those that have one size in the examples and were given none."""
    first: dict[int, str] = {}
    found: Labels = {}
    for path, t in zip(example.paths, example.arguments, strict=True):
        found[path] = {}
        for axis, label in dynamic[path].items():
            own = label.endswith(f"_dim_{axis}")
            found[path][axis] = first.setdefault(t.shape[axis], label) if own else label
    return found


__all__ = ["Dim", "Labels", "axis_labels", "capture", "dims", "labels", "parameter_names"]
