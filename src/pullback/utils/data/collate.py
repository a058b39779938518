"""Make batches of samples: tensors and numbers are stacked, containers are gone through."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy as np

from ...array import dtypes
from ...core.value import TensorBase
from ...tensor.creation import tensor
from ...tensor.interchange import as_tensor
from ...tensor.join import stack

#: NumPy's kinds of arrays that no tensor can hold: strings and objects.
np_str_obj_array_pattern = re.compile(r"[SaUO]")

#: The error for samples of other kinds.
default_collate_err_msg_format = (
    "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
)


def _rebuilt_mapping(like: Any, items: dict[Any, Any]) -> Any:
    """Return the items in a mapping of the class of `like`, or in a dict where that cannot be made."""
    try:
        if isinstance(like, MutableMapping):
            clone = copy.copy(like)
            clone.update(items)
            return clone
        return type(like)(items)
    except TypeError:
        return items


def _rebuilt_sequence(like: Any, items: list[Any]) -> Any:
    """Return the items in a sequence of the class of `like`, or in a list."""
    try:
        if isinstance(like, MutableSequence):
            clone = copy.copy(like)
            for i, item in enumerate(items):
                clone[i] = item
            return clone
        return type(like)(items)
    except TypeError:
        return items


def default_convert(data: Any) -> Any:
    """Return NumPy arrays and numbers in nested containers as tensors; all else as it is. What an unbatched
    `DataLoader` does with each sample.
    """
    if isinstance(data, TensorBase):
        return data
    if isinstance(data, (np.ndarray, np.generic)) and not isinstance(data, (np.str_, np.bytes_)):
        return (
            data
            if isinstance(data, np.ndarray) and np_str_obj_array_pattern.search(data.dtype.str)
            else as_tensor(data)
        )
    if isinstance(data, Mapping):
        return _rebuilt_mapping(data, {key: default_convert(data[key]) for key in data})
    if isinstance(data, tuple):
        items = [default_convert(item) for item in data]
        return type(data)(*items) if hasattr(data, "_fields") else items
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return _rebuilt_sequence(data, [default_convert(item) for item in data])
    return data


def collate(batch: Sequence[Any], *, collate_fn_map: Mapping[Any, Callable[..., Any]] | None = None) -> Any:
    """Put the samples of a batch together, container by container.

    Parameters
    ----------
    batch : sequence
        Samples of one structure.
    collate_fn_map : mapping, optional
        From an element's class (or a tuple of classes) to ``f(batch, *, collate_fn_map)``.
    """
    first = batch[0]
    kind = type(first)
    if collate_fn_map is not None:
        function = collate_fn_map.get(kind) or next(
            (f for known, f in collate_fn_map.items() if isinstance(first, known)), None
        )
        if function is not None:
            return function(batch, collate_fn_map=collate_fn_map)

    def together(samples: Sequence[Any]) -> Any:
        return collate(samples, collate_fn_map=collate_fn_map)

    if isinstance(first, Mapping):
        return _rebuilt_mapping(first, {key: together([sample[key] for sample in batch]) for key in first})
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return kind(*(together(samples) for samples in zip(*batch)))
    if isinstance(first, Sequence):
        if any(len(sample) != len(first) for sample in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        items = [together(samples) for samples in zip(*batch, strict=True)]
        return items if isinstance(first, tuple) else _rebuilt_sequence(first, items)
    raise TypeError(default_collate_err_msg_format.format(kind))


def _tensors(batch: Sequence[Any], *, collate_fn_map: Any = None) -> Any:
    return stack(list(batch), 0)


def _arrays(batch: Sequence[Any], *, collate_fn_map: Any = None) -> Any:
    if np_str_obj_array_pattern.search(batch[0].dtype.str):
        raise TypeError(default_collate_err_msg_format.format(batch[0].dtype))
    return collate([as_tensor(array) for array in batch], collate_fn_map=collate_fn_map)


# Functions with names: a program that gives a table like this to its workers pickles them.


def _array_numbers(batch: Sequence[Any], *, collate_fn_map: Any = None) -> Any:
    return as_tensor(np.asarray(batch))


def _floats(batch: Sequence[Any], *, collate_fn_map: Any = None) -> Any:
    return tensor(list(batch), dtype=dtypes.float64)


def _integers(batch: Sequence[Any], *, collate_fn_map: Any = None) -> Any:
    return tensor(list(batch))


def _texts(batch: Sequence[Any], *, collate_fn_map: Any = None) -> Any:
    return batch


default_collate_fn_map: dict[Any, Callable[..., Any]] = {
    TensorBase: _tensors,
    np.ndarray: _arrays,
    (np.bool_, np.number, np.object_): _array_numbers,
    float: _floats,
    int: _integers,
    str: _texts,
    bytes: _texts,
}
_OWN = dict(default_collate_fn_map)


def is_as_it_was() -> bool:
    """Return whether no program has told `default_collate` of other functions."""
    return default_collate_fn_map == _OWN


def default_collate(batch: Sequence[Any]) -> Any:
    """Stack tensors, arrays and numbers of the samples of a batch, through dicts, tuples and lists.

    Floats become float64, ints int64; strings stay a list; of tuples the batch is a list.
    """
    return collate(batch, collate_fn_map=default_collate_fn_map)
