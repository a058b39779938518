"""Integrals and derivatives of sampled functions: the trapezoidal rule and finite differences."""

from typing import Any

from ..core.value import dtype_of, shape_of
from ..ops.arithmetic import div_number, mul_number
from ..ops.join import cat
from ..ops.structure import reshape
from ..ops.view import select, slice_dim
from .api import with_signature
from .creation import zeros
from .sizes import distinct_dims
from .tensor import checked_axis, checked_dim


def _between(x: Any, dim: int, start: int, stop: int) -> Any:
    """Return the places start … size + stop of an axis, counted from its ends; `stop` is not positive."""
    size = shape_of(x)[dim]
    return slice_dim(x, dim, min(start, size), max(min(start, size), size + stop), 1)


# --- integrals ----------------------------------------------------------------------------------------------


def _refuse_bools(name: str, y: Any, x: Any) -> None:
    if "b" in (dtype_of(y).kind, dtype_of(x).kind if x is not None else ""):
        which = "`y`" if x is None else "`x` or `y`"
        raise RuntimeError(f"{name}: received a bool input for {which}, but bool is not supported")


def _steps(name: str, x: Any, y: Any, dim: int) -> Any:
    """Return the differences of the places `x`, in a shape that broadcasts with `y`'s."""
    shape, own = shape_of(y), shape_of(x)
    if len(own) == 1:
        if own[0] != shape[dim]:
            raise RuntimeError(f"{name}: There must be one `x` value for each sample point")
        x = reshape(x, tuple(own[0] if d == dim else 1 for d in range(len(shape))))
    elif len(own) < len(shape):
        x = reshape(x, (*(1,) * (len(shape) - len(own)), *own))
    return _between(x, dim, 1, 0) - _between(x, dim, 0, -1)


def _refuse_unreal(name: str, dx: Any) -> None:
    if isinstance(dx, bool | complex):
        raise RuntimeError(f"{name}: Currently, we only support dx as a real number.")


def trapezoid(y: Any, x: Any = None, *, dx: Any = 1, dim: int = -1) -> Any:
    """Return integral along `dim` by the trapezoidal rule, ``Σᵢ (yᵢ + yᵢ₊₁)/2·(xᵢ₊₁ − xᵢ)``.

    Parameters
    ----------
    y : Tensor
        Samples.
    x : Tensor, optional
        Their places, one for each: a vector, or of a shape that broadcasts with that of `y`.
    dx : number
        Distance of neighbours where there is no `x`.
    dim : int

    Returns
    -------
    Tensor
        Without the axis; 0 where it is empty.
    """
    shape = shape_of(y)
    dim = checked_axis(dim, len(shape))
    if not shape[dim]:
        return zeros((*shape[:dim], *shape[dim + 1 :]), dtype=y.dtype)
    _refuse_bools("trapezoid", y, x)
    if x is None:
        _refuse_unreal("trapezoid", dx)
        return mul_number(y.sum(dim) - mul_number(y.select(dim, 0) + y.select(dim, -1), 0.5), dx)
    steps = _steps("trapezoid", x, y, dim)
    return div_number(((_between(y, dim, 0, -1) + _between(y, dim, 1, 0)) * steps).sum(dim), 2)


def cumulative_trapezoid(y: Any, x: Any = None, *, dx: Any = 1, dim: int = -1) -> Any:
    """Return the running integral along `dim` by the trapezoidal rule: the sums of :func:`trapezoid` up to
    each place.

    Parameters are as there; the result has one element less along `dim`.
    """
    shape = shape_of(y)
    dim = checked_dim(dim, len(shape))
    _refuse_bools("cumulative_trapezoid", y, x)
    if not shape:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    if x is None:
        _refuse_unreal("cumulative_trapezoid", dx)
        return mul_number(_between(y, dim, 0, -1) + _between(y, dim, 1, 0), dx / 2).cumsum(dim)
    steps = _steps("cumulative_trapezoid", x, y, dim)
    return div_number(((_between(y, dim, 0, -1) + _between(y, dim, 1, 0)) * steps).cumsum(dim), 2)


_AT_PLACES = "(Tensor y, Tensor x, *, int dim = -1)"
_EVENLY = "(Tensor y, *, Number dx = 1, int dim = -1)"
for _function in (trapezoid, cumulative_trapezoid):
    with_signature(_AT_PLACES, _EVENLY, method=False, out=False)(_function)
with_signature(
    "(Tensor y, *, float dx = 1, int dim = -1)", _AT_PLACES, name="trapz", method=False, out=False
)(trapezoid)


# --- derivatives --------------------------------------------------------------------------------------------

_LENGTHS = "torch.gradient expected spacing to be unspecified, a scalar"


@with_signature(
    "(Tensor input, *, tuple of ints dim, int edge_order = 1)",
    "(Tensor input, *, Number spacing, tuple of ints dim, int edge_order = 1)",
    "(Tensor input, *, Number spacing = None, int dim = None, int edge_order = 1)",
    "(Tensor input, *, tuple of Scalars spacing, int dim = None, int edge_order = 1)",
    "(Tensor input, *, tuple of Scalars spacing, tuple of ints dim, int edge_order = 1)",
    "(Tensor input, *, tuple of Tensors spacing, int dim = None, int edge_order = 1)",
    "(Tensor input, *, tuple of Tensors spacing, tuple of ints dim, int edge_order = 1)",
    method=False, out=False,
)
def gradient(input: Any, *, spacing: Any = None, dim: Any = None, edge_order: int = 1) -> tuple[Any, ...]:
    """Return derivatives along axes by finite differences: of second order inside, of `edge_order` at both
    ends.

    Inside, with the steps h before and k after a place,
    ``(h²·f(x + k) + (k² − h²)·f(x) − k²·f(x − h)) / (h·k·(h + k))`` (Fornberg 1988).

    Parameters
    ----------
    input : Tensor
    spacing : number, sequence of numbers or of tensors, optional
        Distance of neighbours (1), the distance for each axis, or the places of the samples of each axis.
    dim : int or sequence of int, optional
        By default all axes.
    edge_order : {1, 2}

    Returns
    -------
    tuple of Tensor
        One for each axis, in the input's shape.
    """
    shape = shape_of(input)
    if dtype_of(input) == "uint8":
        raise RuntimeError("torch.gradient does not support uint8 input.")
    asked = None if dim is None else (dim,) if isinstance(dim, int) else dim
    if isinstance(spacing, tuple):
        if asked is None and len(spacing) != len(shape):
            raise RuntimeError(
                f"{_LENGTHS}, or a list of length equal to 'self.dim() = {len(shape)}', since dim argument "
                f"was not given, but got a list of length {len(spacing)}"
            )
        if asked is not None and len(spacing) != len(asked):
            raise RuntimeError(
                f"{_LENGTHS} or it's spacing and dim arguments to have the same length, but got a spacing "
                f"argument of length {len(spacing)} and a dim argument of length {len(asked)}."
            )
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    dims = tuple(range(len(shape))) if asked is None else distinct_dims(asked, len(shape))
    if any(shape[d] < edge_order + 1 for d in dims):
        raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    each = spacing if isinstance(spacing, tuple) else (1 if spacing is None else spacing,) * len(dims)
    for place in each:
        if len(shape_of(place)) > 1:
            raise RuntimeError(
                "torch.gradient expected each element of spacing to have one dimension, but got an element "
                f"with {len(shape_of(place))} dimensions!"
            )
    return tuple(
        (_uneven if shape_of(s) else _even)(input, d, s, edge_order) for d, s in zip(dims, each, strict=True)
    )


def _place(x: Any, dim: int, index: int) -> Any:
    """Return one place of an axis, the axis kept."""
    at = index % shape_of(x)[dim]
    return slice_dim(x, dim, at, at + 1, 1)


def _even(x: Any, dim: int, step: Any, order: int) -> Any:
    if order == 1:
        first, last = (_place(x, dim, k + 1) - _place(x, dim, k) for k in (0, -2))
    else:
        first = _place(x, dim, 0) * -1.5 + _place(x, dim, 1) * 2 - _place(x, dim, 2) * 0.5
        last = _place(x, dim, -3) * 0.5 - _place(x, dim, -2) * 2 + _place(x, dim, -1) * 1.5
    centre = (_between(x, dim, 2, 0) - _between(x, dim, 0, -2)) / step / 2
    return cat((first / step, centre, last / step), dim)


def _uneven(x: Any, dim: int, places: Any, order: int) -> Any:
    rank = len(shape_of(x))
    steps = _between(places, 0, 1, 0) - _between(places, 0, 0, -1)
    count = shape_of(steps)[0]

    def at(index: int) -> Any:
        return select(steps, 0, index % count)

    if order == 1:
        first, last = ((_place(x, dim, k + 1) - _place(x, dim, k)) / at(0 if k == 0 else -1) for k in (0, -2))
    else:
        h, k = at(0), at(1)
        first = (
            _place(x, dim, 0) * (-(2 * h + k) / (h * (h + k))) + _place(x, dim, 1) * ((h + k) / (h * k))
            + _place(x, dim, 2) * (-h / (k * (h + k)))
        )
        h, k = at(-2), at(-1)
        last = (
            _place(x, dim, -3) * (k / (h * (h + k))) + _place(x, dim, -2) * (-(k + h) / (h * k))
            + _place(x, dim, -1) * ((2 * k + h) / (k * (h + k)))
        )
    sides = (*(1,) * dim, count - 1, *(1,) * (rank - dim - 1))
    h, k = (reshape(v, sides) for v in (_between(steps, 0, 0, -1), _between(steps, 0, 1, 0)))
    centre = (
        -k / (h * (h + k)) * _between(x, dim, 0, -2) + (k - h) / (h * k) * _between(x, dim, 1, -1)
        + h / (k * (h + k)) * _between(x, dim, 2, 0)
    )
    return cat((first, centre, last), dim)
