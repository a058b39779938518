"""torch.Size: the shape of a tensor, a tuple of integers that knows how many elements they span.

Slices, sums and multiples of a Size are Sizes. A Size made from outside checks its elements; `size_of` wraps
a shape that is known to be good.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

import numpy as np

from ..errors import type_name


class Size(tuple[int, ...]):
    """The shape of a tensor."""

    __module__ = "torch"
    __slots__ = ()

    def __new__(cls, *args: Iterable[object], **kwargs: object) -> Size:
        given = tuple.__new__(cls, *args, **kwargs)
        for item in given:
            if type(item) is not int:
                break
        else:
            return given
        return tuple.__new__(cls, [_dimension(i, item) for i, item in enumerate(given)])

    def __init_subclass__(cls) -> NoReturn:
        raise TypeError("type 'torch.Size' is not an acceptable base type")

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"

    def __reduce__(self) -> tuple[Callable[[tuple[int, ...]], Size], tuple[tuple[int, ...]]]:
        return size_of, (tuple(self),)

    def numel(self) -> int:
        """Return how many elements a tensor of this shape has: the product of the dimensions."""
        return math.prod(self)

    def __getitem__(self, index: Any) -> Any:
        found = tuple.__getitem__(self, index)
        return tuple.__new__(Size, found) if type(found) is tuple else found

    def __add__(self, other: object) -> Any:
        if isinstance(other, tuple):
            return Size(tuple.__add__(self, other))
        if (result := _reflected(other, "__radd__", self)) is not NotImplemented:
            return result
        raise TypeError(f"can only concatenate tuple (not {type_name(other)}) to torch.Size")

    def __radd__(self, other: object) -> Size:
        if isinstance(other, tuple):
            return Size(other + tuple(self))
        name = type_name(other)
        if isinstance(other, list | str):
            raise TypeError(f'can only concatenate {name} (not "torch.Size") to {name}')
        raise TypeError(f"unsupported operand type(s) for +: '{name}' and 'torch.Size'")

    def __mul__(self, other: object) -> Any:
        if not isinstance(other, int | np.integer):
            result = _reflected(other, "__rmul__", self)
            if result is not NotImplemented:
                return result
        return self._repeated(other, type_name(other))

    def __rmul__(self, other: object) -> Size:
        return self._repeated(other, "torch.Size" if isinstance(other, SEQUENCES) else type_name(other))

    def _repeated(self, count: Any, refused: str) -> Size:
        try:
            return tuple.__new__(Size, tuple(self) * operator.index(count))
        except TypeError:
            raise TypeError(f"can't multiply sequence by non-int of type '{refused}'") from None


# Python's own sequences: they concatenate and repeat, but have no arithmetic.
SEQUENCES = (tuple, list, str, bytes, bytearray)


def size_of(shape: tuple[int, ...]) -> Size:
    """Return ``shape``, a tuple of ints, as a Size without checking it."""
    return tuple.__new__(Size, shape)


def _reflected(other: object, method: str, size: Size) -> Any:
    """Return what an array or a tensor on the right makes of ``size``: arithmetic goes before joining."""
    call = None if isinstance(other, SEQUENCES) else getattr(type(other), method, None)
    return NotImplemented if call is None else call(other, size)


def _dimension(position: int, item: Any) -> int:
    try:
        return operator.index(item)
    except TypeError:
        raise TypeError(
            f"torch.Size() takes an iterable of 'int' (item {position} is '{type_name(item)}')"
        ) from None
