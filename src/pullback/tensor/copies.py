"""Copying variants of the view functions (`select_copy` and its like), splits without the care of views."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..array import dtypes
from ..core.modes import modes
from ..core.value import shape_of
from ..ops import copies as c
from ..ops import view as v
from . import parts, rearrange, shape
from .api import public, with_signature
from .broadcast import expanded
from .complex_parts import view_as_complex, view_as_real
from .out import write_out
from .shape import view_as_dtype
from .signature import Parser, described
from .tensor import checked_dim

_Function = Callable[..., Any]


def _slice(input: Any, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Any:
    if not (sizes := shape_of(input)):
        raise RuntimeError("slice() cannot be applied to a 0-dim tensor.")
    dim = checked_dim(dim, len(sizes))
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    first, last = parts.clamped(start or 0, sizes[dim] if end is None else end, sizes[dim])
    return v.slice_dim(input, dim, first, last, step)


def _narrow(input: Any, dim: int, start: int, length: int) -> Any:
    if not (sizes := shape_of(input)):
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if dim >= len(sizes):
        raise RuntimeError(
            "Expected dim < static_cast<int64_t>(self_sizes.size()) to be true, but got false.  (Could this "
            "error message be improved?  If so, please report an enhancement request to PyTorch.)"
        )
    if length < 0:
        first = start + sizes[dim] if start < 0 else start
        raise RuntimeError(f"start ({first}) + length ({length}) exceeds dimension size ({sizes[dim]}).")
    return parts.narrow(input, dim, start, length)


def _expand(input: Any, size: Any, *, implicit: bool = False) -> Any:
    return expanded(input, size)


def _view(input: Any, size: Any = None, dtype: dtypes.dtype | None = None) -> Any:
    return shape.reshaped(input, size) if dtype is None else view_as_dtype(input, dtype)


#: Name of the view -> what makes it, and what it is.
_COPIES: dict[str, tuple[_Function, str]] = {
    "alias": (v.alias, "the tensor"),
    "as_strided": (rearrange.as_strided, "elements of the storage by sizes and strides"),
    "detach": (v.alias, "the tensor without its history"),
    "diagonal": (parts.diagonal, "a diagonal, as a last axis"),
    "expand": (_expand, "axes of size 1 repeated"),
    "narrow": (_narrow, "some places of an axis"),
    "permute": (shape.permute, "the axes in another order"),
    "select": (parts.select, "one place of an axis"),
    "slice": (_slice, "places of an axis by start, end and step"),
    "split": (parts.split, "parts of one size along an axis"),
    "split_with_sizes": (parts.split_with_sizes, "parts of given sizes along an axis"),
    "squeeze": (shape.squeeze, "axes of size 1 removed"),
    "t": (shape.t, "a matrix transposed"),
    "transpose": (shape.transpose, "two axes exchanged"),
    "unbind": (parts.unbind, "the parts along an axis"),
    "unfold": (rearrange.unfold, "windows along an axis"),
    "unsqueeze": (shape.unsqueeze, "a new axis of size 1"),
    "view_as_real": (view_as_real, "complex numbers as pairs"),
    "view": (_view, "another shape or dtype"),
}


def _copying(view: _Function, name: str) -> _Function:
    def copied(input: Any, **arguments: Any) -> Any:
        if "split_size" in arguments:  # the view calls it otherwise
            return _copied(view(input, arguments.pop("split_size"), **arguments), c.copies["split"])
        if "dims" in arguments:
            return _copied(view(input, arguments["dims"]), c.copies["permute"])
        chosen = name
        if "dim" in arguments and name == "squeeze":
            chosen = "squeeze_dim" if isinstance(arguments["dim"], int) else "squeeze_dims"
        return _copied(view(input, **arguments), c.copies[chosen])

    return copied


def _copied(value: Any, copy: _Function) -> Any:
    return tuple(copy(part) for part in value) if isinstance(value, tuple) else copy(value)


def _publish(name: str, function: _Function, summary: str) -> None:
    parser = Parser(f"{name}_copy")

    def call(*args: Any, **kwargs: Any) -> Any:
        given = parser.bind(args, kwargs)
        out = given.pop("out", None)
        result = function(**given)
        return result if out is None else write_out(out, result, f"{name}_copy", (given["input"],))

    function.__doc__ = f"Copy what :func:`{name}` shows: {summary}."
    public(described(call, function, parser), name=f"{name}_copy", method=name == "narrow", out=False)


for _name, (_view_function, _summary) in _COPIES.items():
    _publish(_name, _copying(_view_function, _name), _summary)


def _view_as_complex_copy(input: Any) -> Any:
    if modes().grad and input.requires_grad:
        raise RuntimeError(
            "view_as_complex_copy does not support automatic differentiation for outputs with complex dtype."
        )
    return c.copies["alias"](view_as_complex(input))


_publish("view_as_complex", _view_as_complex_copy, "pairs as complex numbers")


# --- splits that are no views -------------------------------------------------------------------------------


@with_signature(out=False)
def unsafe_split(input: Any, split_size: int, dim: int = 0) -> tuple[Any, ...]:
    """Return parts of one size along axis `dim`, as :func:`split` gives them, which autograd takes for no
    views.

    They share the input's storage: writing to one of them changes the others' gradients unnoticed.
    """
    parts.split(input, split_size, dim)
    return c.unsafe_split(input, split_size, checked_dim(dim, len(shape_of(input))))


@with_signature(out=False)
def unsafe_split_with_sizes(input: Any, split_sizes: Any, dim: int = 0) -> tuple[Any, ...]:
    """Return parts of given sizes along axis `dim` (see :func:`unsafe_split`)."""
    parts.split_with_sizes(input, split_sizes, dim)
    return c.unsafe_split_with_sizes(input, split_sizes, checked_dim(dim, len(shape_of(input))))


@with_signature(out=False)
def unsafe_chunk(input: Any, chunks: int, dim: int = 0) -> tuple[Any, ...]:
    """Return at most `chunks` parts of one size along axis `dim` (see :func:`unsafe_split`)."""
    parts.chunk(input, chunks, dim)
    dim = checked_dim(dim, len(shape_of(input)))
    if not (size := -(-shape_of(input)[dim] // chunks)):
        return c.unsafe_split_with_sizes(input, (0,) * chunks, dim)
    return c.unsafe_split(input, size, dim)
