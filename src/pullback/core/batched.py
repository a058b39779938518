"""vmap: a value with one axis that ops do not see.

A `Batched` moves its batch axis to the front, maps the op's attributes by the op's `batch` rule, and runs the
op once on the larger arrays. An op without a rule is run in a loop over the batch; how often is counted in
`FALLBACKS`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import ndarray

from ..array import dtypes
from . import facade
from .modes import modes
from .value import InnerValue, Value, dtype_of, run, shape_of, within_transform

if TYPE_CHECKING:
    from .op import Op


class Mapping:
    """One vmap that is being run: its level, the size of the batch, and what rows of random draws
    have in common.
    """

    __slots__ = ("level", "randomness", "size")

    def __init__(self, level: int, size: int, randomness: str) -> None:
        self.level, self.size, self.randomness = level, size, randomness


#: The vmaps that are being run, outermost first.
mappings: ContextVar[tuple[Mapping, ...]] = ContextVar("pullback_vmaps", default=())

#: How often each op was run in a loop because it has no batching rule.
FALLBACKS: Counter[str] = Counter()


class Batched(InnerValue):
    """A value of a lower level whose axis `dim` is the batch axis of one vmap level."""

    __slots__ = ("_level", "dim", "value")

    def __init__(self, value: Any, dim: int, level: int) -> None:
        self.value = value
        self.dim = dim
        self._level = level

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the shape without the batch axis."""
        shape = shape_of(self.value)
        return shape[: self.dim] + shape[self.dim + 1 :]

    @property
    def dtype(self) -> np.dtype[Any]:
        """Return the NumPy dtype."""
        return dtype_of(self.value)

    @property
    def size(self) -> int:
        """Return the size of the batch."""
        return shape_of(self.value)[self.dim]

    def array(self) -> ndarray:
        """Refuse: there is no one array."""
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")

    def escaped(self) -> Any:
        """Refuse: nobody knows any more which row is meant."""
        raise RuntimeError(
            "Either your tensor may have escaped from inside a function being vmapped and this is a user "
            "error (see https://pytorch.org/functorch/stable/ux_limitations.html), or there is an internal "
            "functorch error in `gen_vmap_plumbing` Please file an issue if it looks like the latter"
        )

    @classmethod
    def run(cls, op: Op, inputs: tuple[Any, ...], attrs: tuple[Any, ...], level: int) -> Any:
        """Run the op once for the whole batch."""
        mine, values = [], []
        #: Whether no transform knows the tensors inside; whether an elementwise op takes them as they are.
        plain = fits = True
        dtype = rank = None
        for v in inputs:
            own = type(v) is Batched and v._level == level
            mine.append(own)
            if own:
                fits = fits and not v.dim
                v = v.value
            values.append(v)
            if (kind := type(v)) is facade.Tensor or kind is facade.Parameter:
                array = v._value
                if type(array) is not ndarray or v._level:
                    plain = False
                    continue
                if rank is None:
                    dtype, rank = array.dtype, array.ndim - own
                elif array.dtype is not dtype or array.ndim - own != rank:
                    fits = False
            elif isinstance(v, (Value, ndarray)):
                plain = False
        mode = modes()
        if not plain or not mode.is_transform_alone:
            result = _computed(op, inputs, values, mine, attrs)
        elif fits and op.kind == "elementwise" and op.batch_rule is None:
            result = within_transform(op, values, mode, op.called, values, attrs)
        else:
            result = within_transform(op, values, mode, _computed, op, inputs, values, mine, attrs)
        if isinstance(result, tuple):
            return tuple([cls(r, 0, level) for r in result])
        return cls(result, 0, level)


def _computed(
    op: Op, inputs: tuple[Any, ...], values: list[Any], mine: list[bool], attrs: tuple[Any, ...]
) -> Any:
    """Return the results of all rows, with the batch axis first."""
    size = next(v.size for v, m in zip(inputs, mine) if m)
    if op.batch_rule is not None:
        dims = tuple([v.dim if m else None for v, m in zip(inputs, mine)])
        result = op.batch_rule(size, tuple(values), dims, *attrs)
        if result is not NotImplemented:
            return result
    elif op.kind == "elementwise":
        return _elementwise(op, _promoted(op, inputs), mine, attrs)
    elif op.batch is not None:
        fronts = tuple([front(v, m, size) for v, m in zip(inputs, mine)])
        return op.called(fronts, tuple(op.batch(size, *attrs)))
    return _loop(op, inputs, mine, size, attrs)


def front(value: Any, batched: bool, size: int) -> Any:
    """Return the value with the batch axis first; an unbatched array is expanded to the batch."""
    if batched:
        return value.value if value.dim == 0 else facade.front(value.value, value.dim)
    if isinstance(value, (Value, ndarray)):
        return facade.expand(value, (size, *shape_of(value)))
    return value


def _promoted(op: Op, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return inputs of the dtype in which they meet, which depends on whether a row has axes, not the
    batch.
    """
    if op.promote is None or len(inputs) < 2:
        return inputs
    if len({dtype_of(v) for v in inputs if isinstance(v, (Value, ndarray))}) < 2:
        return inputs
    common = dtypes.result_numpy_dtype(
        [np.zeros((1,) * min(len(shape_of(v)), 1), dtype_of(v)) if isinstance(v, (Value, ndarray)) else v
         for v in inputs if v is not None]
    )  # fmt: skip
    return tuple(
        facade.convert(v, common) if isinstance(v, (Value, ndarray)) and dtype_of(v) != common else v
        for v in inputs
    )


def _elementwise(op: Op, inputs: tuple[Any, ...], mine: list[bool], attrs: tuple[Any, ...]) -> Any:
    aligned = [front(v, True, 0) if m else v for v, m in zip(inputs, mine)]
    if len(aligned) == 1:
        return op.called(aligned, attrs)
    ranks = [
        len(shape_of(v)) - m if isinstance(v, (Value, ndarray)) else 0 for v, m in zip(aligned, mine)
    ]
    rank = max(ranks)
    for k, own in enumerate(ranks):
        if own < rank and mine[k]:
            shape = shape_of(aligned[k])
            aligned[k] = facade.reshape(aligned[k], (shape[0], *(1,) * (rank - own), *shape[1:]))
    return op.called(aligned, attrs)


def _loop(op: Op, inputs: tuple[Any, ...], mine: list[bool], size: int, attrs: tuple[Any, ...]) -> Any:
    FALLBACKS[op.name] += 1
    fronts = [front(v, True, size) if m else v for v, m in zip(inputs, mine, strict=True)]
    if size == 0:
        raise RuntimeError(
            f"vmap: {op.name} has no batching rule, and its loop cannot run over a batch of size 0"
        )
    take = facade.select
    rows = [
        run(op, tuple(take(v, i) if m else v for v, m in zip(fronts, mine, strict=True)), attrs)
        for i in range(size)
    ]
    if isinstance(rows[0], tuple):
        return tuple(_stacked(list(column)) for column in zip(*rows, strict=True))
    return _stacked(rows)


def each_row(function: Callable[[list[Any]], Sequence[Any]], values: Sequence[Any]) -> tuple[Any, ...]:
    """Call a function that knows no batches once for each row of the values of the highest level; return its
    results over all rows, None where a row's is.
    """
    level = max(v._level for v in values if isinstance(v, Batched))
    mine = [isinstance(v, Batched) and v._level == level for v in values]
    size = next(v.size for v, m in zip(values, mine, strict=True) if m)
    if size == 0:
        raise RuntimeError("vmap: a compiled pullback cannot run over a batch of size 0")
    fronts = [front(v, True, size) if m else v for v, m in zip(values, mine, strict=True)]
    take = facade.select
    rows = [
        function([take(v, i) if m else v for v, m in zip(fronts, mine, strict=True)]) for i in range(size)
    ]
    return tuple(
        None if column[0] is None else Batched(_stacked(list(column)), 0, level)
        for column in zip(*rows, strict=True)
    )


def _stacked(rows: list[Any]) -> Any:
    """Return one value of the results of all rows, which must have one shape."""
    first = shape_of(rows[0])
    for k, row in enumerate(rows):
        if shape_of(row) != first:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and "
                f"{list(shape_of(row))} at entry {k}"
            )
    return facade.stack(rows)
