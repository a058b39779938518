"""Views by strides: `as_strided`, `unfold`, layouts, and the sums over shared storage that are their
transposes.

Offsets are counted from the first element of the input, so that a step of a view can be replayed on any
array that has
the input's strides. Where it has others (covectors, tangents, batches) `strided_values` gives the same
values by index.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from ..array.deferred_import import import_later
from ..array.strides import contiguous_strides, extent, storage, strided, strides_of
from ..core.op import Call, Term, op, view
from ..core.value import dtype_of, shape_of
from ..core.visible import visible_layout
from .comparison import where
from .structure import Shape, permute_to_front

scatter = import_later("..array.scatter", __package__)
errors = import_later("..core.graph_errors", __package__)

Strides = tuple[int, ...]


def _places(shape: Shape, strides: Strides) -> ndarray:
    """Return the place in storage of every element of a layout."""
    places = np.zeros((1,) * len(shape), np.intp)
    for axis, (size, stride) in enumerate(zip(shape, strides, strict=True)):
        places = places + (np.arange(size) * stride).reshape((-1,) + (1,) * (len(shape) - axis - 1))
    return places


def stays_within(view: Term, x: Term) -> bool:
    """Return whether a view that begins where `x` does shows elements of `x` alone, each in one place."""
    shown, held = (_places(v.shape, strides_of(v)) for v in map(visible_layout, (view, x)))
    return bool(np.isin(shown, held).all()) and np.unique(held).size == held.size


def _span(shape: Shape, strides: Strides, size: Shape, stride: Strides, offset: int) -> tuple[int, int]:
    """Return the lowest place and number of places that two layouts of one storage reach."""
    low = min(0, offset)
    return low, max(extent(shape, strides), offset + extent(size, stride)) - low


def _shared_out(store: ndarray, places: ndarray) -> None:
    """Divide what lies in storage by how many of the places share it."""
    sharing = np.bincount(places.ravel(), minlength=len(store))
    if sharing.max(initial=0) > 1:
        store /= np.maximum(sharing, 1).astype(store.real.dtype)


def _values(
    x: ndarray, /, shape: Shape, strides: Strides, size: Shape, stride: Strides, offset: int
) -> ndarray:
    low, length = _span(shape, strides, size, stride, offset)
    inside = _places(shape, strides) - low
    store = scatter.index_sum(x.ravel(), inside.ravel(), length)
    _shared_out(store, inside)
    return store[_places(size, stride) + (offset - low)]


def _values_backward(
    g: ndarray, /, shape: Shape, strides: Strides, size: Shape, stride: Strides, offset: int
) -> ndarray:
    low, length = _span(shape, strides, size, stride, offset)
    inside = _places(shape, strides) - low
    store = scatter.index_sum(g.ravel(), (_places(size, stride) + (offset - low)).ravel(), length)
    _shared_out(store, inside)
    return store[inside]


def _shown(
    x: ndarray, /, size: Shape, stride: Strides, offset: int, shape: Shape, strides: Strides
) -> ndarray:
    """Return the view of an array that lies as it is said to; of a program's, which does not, a copy."""
    own = strides_of(x)
    if own == strides or all(n == 1 or a == b for n, a, b in zip(shape, own, strides, strict=True)):
        return strided(x, size, stride, offset)
    return _values(x, shape, strides, size, stride, offset)


def _batched(
    count: int, shape: Shape, strides: Strides, size: Shape, stride: Strides, offset: int
) -> tuple[Shape, Strides, Shape, Strides, int]:
    """Return the layouts of a batch whose examples lie one after the other."""
    _, length = _span(shape, strides, size, stride, offset)
    return (count, *shape), (length, *strides), (count, *size), (length, *stride), offset


def _declare(name: str, kernel: Callable[..., ndarray], transpose: Callable[[], Call]) -> Call:
    return op(
        name, kernel,
        (
            lambda g, shape, strides, size, stride, offset: transpose()(
                g, shape, strides, size, stride, offset
            ),
        ),
        kind="linear", batch=_batched,
    )  # fmt: skip


#: What ``as_strided(x, size, stride, offset)`` holds for an `x` of the given layout, whatever layout this
#: `x` has. An element that several of x's places share is their mean.
strided_values = _declare("strided_values", _values, lambda: strided_values_backward)
#: The transpose of `strided_values`: covectors of one place in storage are summed.
strided_values_backward: Call = _declare("strided_values_backward", _values_backward, lambda: strided_values)


#: The view of x's storage with other sizes and strides, from `offset` elements after x's first; `shape` and
#: `strides`
#: are those of x.
as_strided = view(
    "as_strided",
    _shown,
    lambda g, size, stride, offset, shape, strides: strided_values_backward(
        g, shape, strides, size, stride, offset
    ),
    jvp=lambda primals, tangents, out, *attrs: _as_strided_tangent(tangents[0], *attrs),
    batch_rule=lambda count, values, dims, *attrs: _as_strided_batched(
        count, permute_to_front(values[0], dims[0]), *attrs
    ),
    overlaps=True,
)


def _as_strided_tangent(
    tangent: Term, size: Shape, stride: Strides, offset: int, shape: Shape, strides: Strides
) -> Term:
    """Return what lies at the same places of the tangent's own storage, or the values by index."""
    if _holds(visible_layout(tangent), strides, size, stride, offset):
        return as_strided(tangent, size, stride, offset, shape, strides)
    return strided_values(tangent, shape, strides, size, stride, offset)


def _holds(layout: ndarray, strides: Strides, size: Shape, stride: Strides, offset: int) -> bool:
    """Return whether an array has the strides that a view was asked of, and storage where that reaches."""
    root, before = storage(layout)
    first = before // layout.itemsize + offset
    reach = (first + extent(size, stride)) * layout.itemsize
    return strides_of(layout) == strides and first >= 0 and reach <= root.nbytes


def _as_strided_batched(
    count: int, x: Term, size: Shape, stride: Strides, offset: int, shape: Shape, strides: Strides
) -> Term:
    """Return the view of each row, or its values by index."""
    layout = visible_layout(x)
    apart = strides_of(layout)[0]
    rows = (count, *size), (apart, *stride), offset
    if _holds(layout, (apart, *strides), *rows):
        return as_strided(x, *rows, (count, *shape), (apart, *strides))
    return strided_values(x, *_batched(count, shape, strides, size, stride, offset))


def _as_strided_scatter(
    x: ndarray, src: ndarray, /, size: Shape, stride: Strides, offset: int | None, before: int,
    strides: Strides,
) -> ndarray:  # fmt: skip
    offset = before if offset is None else offset
    length = max(before + extent(x.shape, strides), offset + extent(size, stride))
    memory = np.empty(length, x.dtype)
    new = strided(memory, x.shape, strides, before)
    new[...] = x
    strided(memory, size, stride, offset)[...] = src
    return new


def _selected(g: Term, size: Shape, stride: Strides, offset: int | None) -> tuple[Any, ...]:
    """Return attributes by which `strided_values` selects from a covector in C order and own storage."""
    place, shape, width = offset or 0, shape_of(g), dtype_of(g).itemsize
    room = math.prod(shape) * width
    if (place + extent(size, stride)) * width > room:
        raise errors.outside_storage(size, stride, place, width, room)
    return shape, contiguous_strides(shape), size, stride, place


def _replaced(g: Term, size: Shape, stride: Strides, offset: int | None) -> ndarray:
    selected = _selected(g, size, stride, offset)
    return _values_backward(np.ones(size), *selected) != 0


#: `x` (with strides `strides`, `before` elements into its storage) with the elements that ``as_strided``
#: selects replaced by `src`. Covectors are torch's: that of `x` is what lies at the replaced elements, where
#: that of the others would be right.
as_strided_scatter: Call = op(
    "as_strided_scatter",
    _as_strided_scatter,
    (
        lambda g, size, stride, offset: where(_replaced(g, size, stride, offset), g, 0),
        lambda g, size, stride, offset: strided_values(g, *_selected(g, size, stride, offset)),
    ),
    kind="linear",
)


def _unfold(x: ndarray, /, dim: int, size: int, step: int) -> ndarray:
    own = strides_of(x)
    shape = (*x.shape[:dim], (x.shape[dim] - size) // step + 1, *x.shape[dim + 1 :], size)
    return strided(x, shape, (*own[:dim], own[dim] * step, *own[dim + 1 :], own[dim]))


#: Windows of `size` places of axis `dim`, `step` apart, along a new last axis.
unfold = view(
    "unfold", _unfold,
    lambda g, shape_x, dim, size, step: unfold_backward(g, shape_x, dim, size, step),
    batch=lambda count, dim, size, step: (dim + 1, size, step),
    overlaps=True,
)


def _unfold_backward(g: ndarray, /, shape: Shape, dim: int, size: int, step: int) -> ndarray:
    whole = np.zeros(shape, g.dtype)
    if not g.size:
        return whole
    own = strides_of(whole)
    # Places of one window that are less than a step apart fall on others than those of the next window.
    for first in range(0, size, step):
        width = min(step, size - first)
        places = (*shape[:dim], g.shape[dim], *shape[dim + 1 :], width)
        steps = (*own[:dim], own[dim] * step, *own[dim + 1 :], own[dim])
        added = strided(whole, places, steps, first * own[dim])
        added += g[..., first : first + width]
    return whole


#: Windows summed into the places that they came from: the transpose of `unfold`.
unfold_backward: Call = op(
    "unfold_backward", _unfold_backward,
    (lambda g, dim, size, step: unfold(g, dim, size, step),),
    kind="linear",
    batch=lambda count, shape, dim, size, step: ((count, *shape), dim + 1, size, step),
)
