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
    sizes = shape_of(input)
    if not sizes:
        raise RuntimeError("slice() cannot be applied to a 0-dim tensor.")
    dim = checked_dim(dim, len(sizes))
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    first, last = parts.clamped(start or 0, sizes[dim] if end is None else end, sizes[dim])
    return v.slice_dim(input, dim, first, last, step)


def _narrow(input: Any, dim: int, start: int, length: int) -> Any:
    sizes = shape_of(input)
    if not sizes:
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


def _squeeze_key(dim: Any = None, **_: Any) -> str:
    return "squeeze" if dim is None else "squeeze_dim" if isinstance(dim, int) else "squeeze_dims"


def _expand(input: Any, size: Any, *, implicit: bool = False) -> Any:
    return expanded(input, size)


def _view(input: Any, size: Any = None, dtype: dtypes.dtype | None = None) -> Any:
    return shape.reshaped(input, size) if dtype is None else view_as_dtype(input, dtype)


#: Name of the view → what makes it, the copy's key or a function of the arguments that gives it, what it is,
#: and torch's signatures without the input and `out`.
_COPIES: dict[str, tuple[_Function, str | Callable[..., str], str, tuple[str, ...]]] = {
    "alias": (v.alias, "alias", "the tensor", ("",)),
    "as_strided": (
        rearrange.as_strided, "as_strided", "elements of the storage by sizes and strides",
        ("tuple of ints size, tuple of ints stride, int storage_offset = None",),
    ),
    "detach": (v.alias, "detach", "the tensor without its history", ("",)),
    "diagonal": (
        parts.diagonal, "diagonal", "a diagonal, as a last axis",
        ("int offset = 0, int dim1 = 0, int dim2 = 1",)
    ),
    "expand": (
        _expand, "expand", "axes of size 1 repeated", ("tuple of ints size, *, bool implicit = False",)
    ),
    "narrow": (
        _narrow, "narrow", "some places of an axis", ("int dim, int start, int length",)
    ),
    "permute": (shape.permute, "permute", "the axes in another order", ("tuple of ints dims",)),
    "select": (parts.select, "select", "one place of an axis", ("int dim, int index",)),
    "slice": (
        _slice, "slice", "places of an axis by start, end and step",
        ("int dim = 0, int start = None, int end = None, int step = 1",),
    ),
    "split": (parts.split, "split", "parts of one size along an axis", ("int split_size, int dim = 0",)),
    "split_with_sizes": (
        parts.split_with_sizes, "split_with_sizes", "parts of given sizes along an axis",
        ("tuple of ints split_sizes, int dim = 0",),
    ),
    "squeeze": (shape.squeeze, _squeeze_key, "axes of size 1 removed", ("", "int dim", "tuple of ints dim")),
    "t": (shape.t, "t", "a matrix transposed", ("",)),
    "transpose": (shape.transpose, "transpose", "two axes exchanged", ("int dim0, int dim1",)),
    "unbind": (parts.unbind, "unbind", "the parts along an axis", ("int dim = 0",)),
    "unfold": (
        rearrange.unfold, "unfold", "windows along an axis", ("int dimension, int size, int step",)
    ),
    "unsqueeze": (shape.unsqueeze, "unsqueeze", "a new axis of size 1", ("int dim",)),
    "view_as_real": (view_as_real, "view_as_real", "complex numbers as pairs", ("",)),
    "view": (_view, "view", "another shape or dtype", ("torch.dtype dtype", "tuple of ints size")),
}  # fmt: skip


def _signature(arguments: str, several: bool) -> str:
    middle = f", {arguments}" if arguments else ""
    star = "" if "*" in arguments else " *,"
    return f"(Tensor input{middle},{star} {'tuple of Tensors' if several else 'Tensor'} out = None)"


def _copying(view: _Function, key: str | Callable[..., str]) -> _Function:
    def copied(input: Any, **arguments: Any) -> Any:
        if "split_size" in arguments:  # the view calls it otherwise
            return _copied(view(input, arguments.pop("split_size"), **arguments), c.copies["split"])
        if "dims" in arguments:
            return _copied(view(input, arguments["dims"]), c.copies["permute"])
        chosen = key if isinstance(key, str) else key(**arguments)
        return _copied(view(input, **arguments), c.copies[chosen])

    return copied


def _copied(value: Any, copy: _Function) -> Any:
    return tuple(copy(part) for part in value) if isinstance(value, tuple) else copy(value)


def _publish(name: str, function: _Function, summary: str, signatures: tuple[str, ...]) -> None:
    several = name in ("split", "split_with_sizes", "unbind")
    parser = Parser(f"{name}_copy", *(_signature(text, several) for text in signatures))

    def call(*args: Any, **kwargs: Any) -> Any:
        given = parser.bind(args, kwargs)
        out = given.pop("out", None)
        result = function(**given)
        return result if out is None else write_out(out, result, f"{name}_copy")

    function.__doc__ = f"Copy what :func:`{name}` shows: {summary}."
    public(described(call, function, parser), name=f"{name}_copy", method=name == "narrow", out=False)


for _name, (_view_function, _key, _summary, _signatures) in _COPIES.items():
    _publish(_name, _copying(_view_function, _key), _summary, _signatures)


def _view_as_complex_copy(input: Any) -> Any:
    if modes().grad and input.requires_grad:
        raise RuntimeError(
            "view_as_complex_copy does not support automatic differentiation for outputs with complex dtype."
        )
    return c.copies["alias"](view_as_complex(input))


_publish("view_as_complex", _view_as_complex_copy, "pairs as complex numbers", ("",))


# --- splits that are no views -------------------------------------------------------------------------------


@with_signature("(Tensor input, int split_size, int dim = 0)", out=False)
def unsafe_split(input: Any, split_size: int, dim: int = 0) -> tuple[Any, ...]:
    """Return parts of one size along axis `dim`, as :func:`split` gives them, which autograd takes for no
    views.

    They share the input's storage: writing to one of them changes the others' gradients unnoticed.
    """
    parts.split(input, split_size, dim)
    return c.unsafe_split(input, split_size, checked_dim(dim, len(shape_of(input))))


@with_signature("(Tensor input, tuple of ints split_sizes, int dim = 0)", out=False)
def unsafe_split_with_sizes(input: Any, split_sizes: Any, dim: int = 0) -> tuple[Any, ...]:
    """Return parts of given sizes along axis `dim` (see :func:`unsafe_split`)."""
    parts.split_with_sizes(input, split_sizes, dim)
    return c.unsafe_split_with_sizes(input, split_sizes, checked_dim(dim, len(shape_of(input))))


@with_signature("(Tensor input, int chunks, int dim = 0)", out=False)
def unsafe_chunk(input: Any, chunks: int, dim: int = 0) -> tuple[Any, ...]:
    """Return at most `chunks` parts of one size along axis `dim` (see :func:`unsafe_split`)."""
    parts.chunk(input, chunks, dim)
    dim = checked_dim(dim, len(shape_of(input)))
    size = -(-shape_of(input)[dim] // chunks)
    if not size:
        return c.unsafe_split_with_sizes(input, (0,) * chunks, dim)
    return c.unsafe_split(input, size, dim)
