"""Brackets: ``x[...]`` and ``x[...] = v`` for every index that torch takes.

`index_parts` says what an index means; here views are taken, and one `index` op reads or one `index_put`
writes whatever index tensors are left.

``x[3]`` and ``x[:, t]`` are what loops do, so that native code takes such parts whatever the numbers are
(0.4 µs on 8×8; the general path takes 2.4 and 3.3). Without native code an integer has a path of its own
(1.0 µs, and 1.9 without it).
"""

from __future__ import annotations

import operator
from math import prod
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import dtypes, large
from ..array.dtype_words import not_a_mask, type_word
from ..array.elementwise import copy_into
from ..core import calls, facade, inplace, overlap
from ..core.blame import stamp, written
from ..core.calls import ABSENT
from ..core.modes import DEFAULT, INFERENCE, NO_GRAD, change, modes, set_modes
from ..core.node import LEAF, accumulator, unrecorded
from ..core.tracer import is_tracing
from ..core.value import TensorBase, dtype_of, shape_of, wrap, wrap_alias
from ..core.versions import Joined, NoVersions, bump
from ..core.views import DEFAULT_VIEW, INHERITED, NO_GRAD_VIEW, View, bring_up_to_date
from ..errors import type_name
from ..ops import index as i
from ..ops import view as v
from ..ops.convert import cast
from ..ops.structure import reshape
from .api import public
from .argument_types import as_number
from .assign import assign, number_array, without_leading_ones
from .index_parts import (
    Entry,
    Ints,
    applied,
    arrays_of,
    as_tuple,
    is_int,
    is_mask,
    is_plain,
    packed,
    selected,
    sliced,
)
from .inline_cache.cache import HOT, InlineCache
from .inplace_variants import warn_of_expanded
from .interception import OVERRIDING, intercepted
from .override_dispatch import undisturbed
from .read_calls import with_plans
from .tensor import Tensor
from .unrecorded import readable

_INT64 = np.dtype(np.int64)
_BOOL = np.dtype(np.bool_)
_WHOLE = slice(None)
_new = object.__new__
_SELECT = v.select.op
_SELECT_NODE = _SELECT.node_class


# --- reading ------------------------------------------------------------------------------------------------


def _getitem(self: Any, index: Any) -> Any:
    if _bracket is not None and (found := _bracket(self, index)) is not None:
        return found
    if type(index) is int:
        a = self._value
        if type(a) is ndarray and a.ndim and (type(self) is Tensor or type(self) is facade.Parameter):
            mode = modes()
            if mode is DEFAULT or mode is NO_GRAD:
                size = a.shape[0]
                if not -size <= index < size or type(self._counter) is not list:
                    return selected(self, 0, index)
                if (above := self._view) is not None:
                    bring_up_to_date(self)
                y = _new(Tensor)
                y._value = r = a[index, ...]
                y._counter = counter = self._counter
                attrs = (0, index + size if index < 0 else index)
                record = _new(View)
                record.at = counter[0]
                if above is None:
                    record.base = self
                    record.chain = (None, (_SELECT, attrs, None))
                    record.creation = DEFAULT_VIEW if mode is DEFAULT else NO_GRAD_VIEW
                else:
                    record.base = above.base
                    record.chain = (above.chain, (_SELECT, attrs, None))
                    record.creation = INHERITED[above.creation] if mode is DEFAULT else NO_GRAD_VIEW
                y._view = record
                node: Any = self._node
                if node is None or mode is NO_GRAD:
                    y._node = unrecorded(self, r)
                    return y
                y._node = n = _new(_SELECT_NODE)
                n._edges = (accumulator(self) if node is LEAF else node,)
                n._saved = (a.shape, *attrs)
                n._shape = r.shape
                n._dtype = r.dtype
                stamp(n)
                return y
    elif _integers(index) and self._level == 0 and not modes().function_modes:
        shape = shape_of(self)
        if len(index) <= len(shape) and all(-n <= k < n for k, n in zip(index, shape, strict=False)):
            for k in index:
                self = _getitem(self, k)
            return self
    elif _cached is not None and not is_mask(index) and (not OVERRIDING or undisturbed(self, index)):
        if (found := _cached(self, index, ABSENT, ABSENT)) is HOT:
            found = _cache.specialise(self, index, ABSENT, ABSENT)
        if found is not None:
            return found
    return _general_getitem(self, index)


def _use(found: Any) -> None:
    global _cached, _bracket
    _cached = found
    _bracket = found and large.chains().inline_caches.function(HOT, "bracket")[0]


def _integers(index: Any) -> bool:
    """Return whether an index is a tuple of Python integers, at least one."""
    return type(index) is tuple and bool(index) and type(index[0]) is int and set(map(type, index)) == {int}


def _overridden_by(index: Any) -> bool:
    """Return whether an index, or a part of one, overrides functions."""
    return any(type(k) in OVERRIDING for k in (index if type(index) is tuple else (index,)))


def _label(index: Any) -> str:
    """Return the name of an index in torch's dispatcher."""
    return "select" if is_int(index) else "slice" if type(index) is slice else "index"


def _general_getitem(self: Any, index: Any) -> Any:
    if type(self) is not Tensor or OVERRIDING:
        from .override_dispatch import dispatch_override

        if type(self) in OVERRIDING or _overridden_by(index):
            return dispatch_override(_getitem, (self, index), {})
        if modes().watcher is not None:
            return intercepted(_general_getitem, None, _label(index), (self, index), {})
    if (kind := type(index)) is slice:
        return sliced(self, 0, index)
    if (
        kind is Tensor and type(a := index._value) is ndarray
        and a.dtype is _INT64 and a.ndim and shape_of(self)
    ):
        return i.index(self, wrap_alias(a[None], index), (0,))
    if index is None:
        return v.unsqueeze(self, 0)
    if index is Ellipsis:
        return v.alias(self)
    if kind is not tuple and is_int(index):
        return selected(self, 0, operator.index(index))
    if kind in _OF_PLACES or (kind is tuple and not _OF_PLACES.isdisjoint(map(type, index))):
        if (found := _read(self, index)) is not None:
            return found
        if (where := _places_of_mask(self, index)) is not None:
            return i.index(self, where, tuple(range(len(where._value))))
    x, entries = applied(self, as_tuple(index), False)
    if not entries:
        return v.alias(x) if x is self else x
    dims, where = packed(x, entries)
    return i.index(x, where, dims)


def _places_of_mask(x: Any, index: Any) -> Any:
    """Return the places where one mask over the first axes of an array holds; None for other indices."""
    mask = index._value if is_mask(index) and type(x._value) is ndarray else None
    if mask is None or not mask.ndim or mask.shape != x._value.shape[: mask.ndim]:
        return None
    where = wrap(np.array(mask.nonzero()))
    where._counter = Joined(index)
    return where


def _read(x: Any, index: Any) -> Any:
    """Return what index tensors read where nothing is recorded; None where the op is to do it."""
    array = readable(x)
    if array is None or not array.flags.c_contiguous or (x._node is not None and modes() is DEFAULT):
        return None
    places = arrays_of(index, x)
    if places is None or (x._view is not None and inplace.requires_grad(x)):
        return None
    if type(places) is tuple and not all(type(k) is ndarray for k in places):
        return _read_axis(array, places)
    try:
        return wrap(array[places])
    except IndexError:  # which torch says in its own words
        return None


def _read_axis(array: ndarray, places: tuple[Any, ...]) -> Any:
    """Return what a mask over one axis reads of all others; None for other indices: there a slice is taken
    first, and its strides show in what is read.
    """
    at = next(n for n, k in enumerate(places) if type(k) is ndarray)
    mask = places[at]
    whole = all(type(k) is slice and k == _WHOLE for n, k in enumerate(places) if n != at)
    if not whole or mask.dtype is not _BOOL or len(places) > array.ndim or mask.shape != (array.shape[at],):
        return None
    return wrap(array.compress(mask, at))


_cache = InlineCache(_general_getitem, None, lambda args, kwargs: _general_getitem(*args), _use)
#: What does the calls that the inline cache has a plan for, or counts them.
_cached: Any = _cache.count
#: What takes parts at integers and slices, or counts brackets.
_bracket: Any = _cache.count


# --- writing ------------------------------------------------------------------------------------------------


def _setitem(self: Any, index: Any, value: Any) -> None:
    kind, given = type(value), index
    if (
        (kind in _NUMBERS or kind is Tensor)
        and type(self) is Tensor
        and (type(index) is int or is_plain(index) or (index := arrays_of(index, self)) is not None)
    ):
        # What loops do that fill tables and buffers: 1 to 3 µs instead of 8 to 20.
        a, mode = self._value, modes()
        counted = type(self._counter) is list
        if (
            type(a) is ndarray and a.ndim and self._view is None
            and (counted or mode is INFERENCE)
            and (
                mode is NO_GRAD or mode is INFERENCE
                or (self._node is None and (mode is DEFAULT or (kind is float and not mode.function_modes)))
            )
            and not overlap.overlaps_itself(a)
            and (_put_tensor(a, index, value, mode) if kind is Tensor else _put_number(a, index, value))
        ):
            if counted:
                written(self._counter)
            return
    (_general_setitem if is_mask(given) else _put_)(self, given, value)


#: dtypes of tensors that tell by their values which places are meant.
MASKS = (np.dtype(np.bool_), np.dtype(np.uint8))

_NUMBERS = frozenset({bool, int, float})
_OF_PLACES = frozenset({Tensor, list})
_INFINITE = (float("inf"), -float("inf"))


def _put_number(array: ndarray, index: Any, value: Any) -> bool:
    """Write a number to a part of an array where the array's dtype holds it; return whether that was done."""
    dtype = array.dtype
    if type(value) is int and not calls.LEAST <= value <= calls.MOST:
        fits = False
    elif dtype is calls.F32:
        fits = -3e38 < value < 3e38 or value in _INFINITE
    elif dtype is calls.F64:
        fits = True
    elif dtype.kind == "b":
        fits = type(value) is not float
    else:
        bound = 1 << 8 * dtype.itemsize - 1
        fits = dtype.kind == "i" and type(value) is not float and -bound <= value < bound
    if not fits:
        return False
    try:
        array[index] = value
    except IndexError:
        return False
    return True


def _put_tensor(array: ndarray, index: Any, value: Any, mode: Any) -> bool:
    """Write a tensor of one dtype (and, to a view, shape) to a part of an array; return whether it was."""
    source = value._value
    recorded = value._node is not None and mode is DEFAULT
    if recorded or type(source) is not ndarray or source.dtype is not array.dtype:
        return False
    if type(index) is ndarray or (type(index) is tuple and any(type(k) is ndarray for k in index)):
        if not array.size or np.may_share_memory(array, source):
            return False
        try:
            array[index] = source
        except (IndexError, TypeError, ValueError):
            return False  # nothing is written yet; what torch says of it is said elsewhere
        return True
    try:
        if type(index) is not tuple:
            index = (index, ...)
        elif index[0] is not ...:
            index = (*index, ...)
        part = array[index]
    except IndexError:
        return False
    if part.shape != source.shape:
        return False
    if np.may_share_memory(array, source):
        # As in ``x[i] += 1``, which assigns the view that it has written to.
        return overlap.is_same(part, source)
    copy_into(part, source)
    return True


def _general_setitem(self: Any, index: Any, value: Any) -> None:
    if type(self) is not Tensor or OVERRIDING:
        from .override_dispatch import dispatch_override

        if type(self) in OVERRIDING or _overridden_by(index) or type(value) in OVERRIDING:
            dispatch_override(_setitem, (self, index, value), {})
            return
    if type(self._counter) is NoVersions and is_tracing() and modes().inference:
        _set_whole(self, index, value)
        return
    source = _source(self, value)
    if index is False:
        return
    if index is True or index is None:
        assign(v.unsqueeze(self, 0), source, False)
    elif index is Ellipsis:
        assign(self, source, True)
    elif type(index) is slice:
        x = sliced(self, 0, index, keep_whole=False)
        assign(x, source, x is self)
    elif is_int(index):
        place = operator.index(index)
        x = _getitem(self, place) if modes() is DEFAULT else selected(self, 0, place)
        assign(x, source, False)
    else:
        if (where := _places_of_mask(self, index)) is not None:
            x, dims, fills = self, tuple(range(len(where._value))), prod(shape_of(source)) == 1
        else:
            x, entries = applied(self, as_tuple(index), False)
            if not entries:
                assign(x, source, x is self)
                return
            fills = _fills([places for _, places in entries], source, False)
            if fills and _fill(x, *entries[0], source):
                return
            dims, where = packed(x, entries)
        if (own := without_leading_ones(shape_of(source))) != shape_of(source):
            source = reshape(source, own)
        put_into(x, where, source, dims, False, fills)


@with_plans
def _put_(x: Any, index: Any, value: Any) -> Any:
    """Write as `_general_setitem`, by a plan where there is one: its name says that it writes."""
    _general_setitem(x, index, value)
    return x


def _set_whole(x: Any, index: Any, value: Any) -> None:
    """Write to elements of an inference tensor in a trace: to a copy, whose views are known, and all back."""
    before = change(inference=False)
    try:
        whole = facade.clone(x)
        _general_setitem(whole, index, value)
    finally:
        set_modes(before)
    inplace.write(x, whole)


def _fills(indices: Any, values: Any, accumulate: bool) -> bool:
    """Return whether one value goes to all places of one mask, as `masked_fill_` writes it."""
    given = [v for v in indices if v is not None]
    mask = given[0] if len(given) == 1 and not accumulate else None
    if not isinstance(mask, TensorBase) or dtype_of(mask) not in MASKS or shape_of(mask) == ():
        return False
    is_one = prod(shape_of(values)) == 1
    if is_one and dtype_of(mask) != _BOOL:
        raise not_a_mask(dtype_of(mask))
    return is_one


def _fill(x: Any, dim: int, mask: Any, value: Any) -> bool:
    """Write one value where a mask of unknown numbers is True; return whether the index was such a mask."""
    shape, whole = shape_of(mask), shape_of(x)
    behind = dim + len(shape)
    if isinstance(mask._value, ndarray) or dtype_of(mask) != _BOOL or shape != whole[dim:behind]:
        return False
    places = reshape(mask, (*shape, *(1,) * (len(whole) - behind)))
    x.masked_fill_(places, cast(reshape(value, ()), dtype_of(x)))
    return True


def _source(x: Any, value: Any) -> Any:
    """Return what is assigned, as a tensor."""
    if isinstance(value, TensorBase):
        return value
    if isinstance(value, (bool, int, float, complex, np.integer)):
        if isinstance(value, int):
            dtypes.check_long(value)
        return wrap(number_array(as_number(value), dtype_of(x)))
    raise TypeError(f"can't assign a {type_name(value)} to a torch.{type_word(dtype_of(x))}Tensor")


def put_into(x: Any, where: Any, values: Any, dims: Ints, accumulate: bool, fills: bool = False) -> Any:
    """Return ``index_put_`` on a tensor; return it."""
    wanted = inplace.requires_grad(x) or inplace.requires_grad(values)
    inplace.check_history(x, wanted)
    if not fills:
        inplace.check_apart(x._value, values._value)
    values = _as_stored(x, where, values, dims, fills)
    recording = modes().grad and (x._node is not None or values._node is not None)
    read = () if isinstance(x._value, ndarray) else (values,)
    inplace.check_writable(x, False, overlap=True, operands=read, apart=True)  # the history is checked
    a, w, s = x._value, where._value if isinstance(where, TensorBase) else where, values._value
    if expanded := type(a) is ndarray and overlap.overlaps_itself(a):
        warn_of_expanded("masked_fill_" if fills else "index_put_")
    if not fills:
        inplace.check_apart(a, w)
    if not recording and type(a) is ndarray and type(w) is ndarray and type(s) is ndarray:
        i.put_at(a, w, s, dims, accumulate)
        bump(x)
        inplace.record_write(x, None)
        return x
    new = i.index_put(x, where, values, dims, accumulate)
    return inplace.write(x, new) if expanded else inplace.store(x, new)


def _as_stored(x: Any, where: Any, values: Any, dims: Ints, fills: bool) -> Any:
    """Return the values that are put into a tensor, in its dtype, or torch's error where their shape or their
    dtype does not fit; `fills`: it is one value for all places of a mask, which may have another dtype.
    """
    shape = shape_of(values)
    have, want = dtype_of(values), dtype_of(x)
    if not fills:
        target = i.result_shape(shape_of(x), shape_of(where)[1:], dims)
        lead = len(target) - len(shape)
        if lead < 0 or any(n not in (1, target[lead + d]) for d, n in enumerate(shape)):
            raise RuntimeError(
                f"shape mismatch: value tensor of shape {list(shape)} cannot be broadcast to indexing result "
                f"of shape {list(target)}"
            )
    if have == want:
        return values
    if not fills:
        raise RuntimeError(
            f"Index put requires the source and destination dtypes match, got {type_word(want)} for the "
            f"destination and {type_word(have)} for the source."
        )
    if type(values._value) is ndarray:
        number_array(values._value.item(), want)
    return cast(values, want)


def _delitem(self: Any, index: Any) -> None:
    raise TypeError("Tensor does not support deleting items")


# --- the same under names -----------------------------------------------------------------------------------


def _indices(name: str, x: Any, indices: Any) -> tuple[Ints, Any]:
    """Return the axes and places that a tuple of tensors (None for a whole axis) names."""
    rank = len(shape_of(x))
    entries: list[Entry] = []
    dim = 0
    for item in indices:
        if item is None:
            dim += 1
            continue
        entries.append((dim, item))
        dim += (len(shape_of(item)) or 1) if dtype_of(item) in MASKS else 1
    if dim > rank:
        raise IndexError(f"too many indices for tensor of dimension {rank} (got {dim})")
    return packed(x, entries)


@public(out=False)
def index_put(input: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    """Return `input` with the elements at `indices` replaced by `values`, or with `values` added there."""
    dims, where = _indices("index_put", input, indices)
    fills = _fills(indices, values, accumulate)
    return i.index_put(input, where, _as_stored(input, where, values, dims, fills), dims, bool(accumulate))


@public(is_function=True, out=False)
def index_put_(input: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    """Apply :func:`index_put` in place."""
    if isinstance(input, TensorBase):
        inplace.check_history(input, inplace.requires_grad(input))
    dims, where = _indices("index_put_", input, indices)
    return put_into(input, where, values, dims, bool(accumulate), _fills(indices, values, accumulate))


for _name, _function in {"__getitem__": _getitem, "__setitem__": _setitem, "__delitem__": _delitem}.items():
    _function.__name__ = _function.__qualname__ = _name
    setattr(Tensor, _name, _function)
