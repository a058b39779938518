"""vmap: a value with one axis that ops do not see.

A `Batched` moves its batch axis to the front, maps the op's attributes by the op's `batch` rule, and runs the
op once on the larger arrays. An op without a rule is run in a loop over the batch; how often is counted in
`FALLBACKS`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy import ndarray

from ..array import dtypes
from ..errors import check_stacked
from . import facade
from .modes import DEFAULT, NO_GRAD, modes
from .value import InnerValue, TensorBase, Value, dtype_of, run, shape_of, within_transform

if TYPE_CHECKING:
    from .modes import Modes
    from .op import Op
    from .terms import Term


class Mapping:
    """One vmap that is being run: its level, the batch's size, and what rows of random draws share."""

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

    def __init__(self, value: Term, dim: int, level: int) -> None:
        self.value = value
        self.dim = dim
        self._level = level

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the shape without the batch axis."""
        shape, dim = shape_of(self.value), self.dim
        return shape[:dim] + shape[dim + 1 :] if dim else shape[1:]

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

    def escaped(self) -> NoReturn:
        """Refuse: nobody knows any more which row is meant."""
        raise RuntimeError(
            "Either your tensor may have escaped from inside a function being vmapped and this is a user "
            "error (see https://pytorch.org/functorch/stable/ux_limitations.html), or there is an internal "
            "functorch error in `gen_vmap_plumbing` Please file an issue if it looks like the latter"
        )

    @classmethod
    def run(cls, op: Op, inputs: tuple[Any, ...], attrs: tuple[object, ...], level: int) -> Any:
        """Run the op once for the whole batch."""
        return of_rows(op, inputs, attrs, level, modes())


def of_rows(op: Op, inputs: tuple[Any, ...], attrs: tuple[object, ...], level: int, mode: Modes) -> Any:
    """Run an op once for the whole batch, on values of a level of vmap or on tensors that hold them; return
    None where a tensor of the level holds something else, or has a history there.
    """
    values: list[Any] = []
    dims: list[int | None] = []
    #: Whether no transform knows the tensors inside; whether an elementwise op takes them as they are;
    #: whether they are no places: kernels are not to be tried with other ones, which some do not check.
    plain = fits = known = True
    dtype = rank = None
    for v in inputs:
        dim = None
        if isinstance(v, Value):
            own = v._level == level
            if own:
                if type(v) is not Batched:
                    if not isinstance(v, TensorBase) or v._node is not None or type(v._value) is not Batched:
                        return None
                    v = v._value
                dim = v.dim
                fits = fits and not dim
                v = v.value
            if (kind := type(v)) is facade.Tensor or kind is facade.Parameter:
                if type(array := v._value) is not ndarray or v._level:
                    plain = False
                else:
                    known = known and array.dtype.kind not in "iu"
                    if rank is None:
                        dtype, rank = array.dtype, array.ndim - own
                    elif array.dtype is not dtype or array.ndim - own != rank:
                        fits = False
            elif isinstance(v, (Value, ndarray)):
                plain = False
        elif type(v) is ndarray:
            plain = False
        values.append(v)
        dims.append(dim)
    if not plain or not (mode is DEFAULT or mode is NO_GRAD or mode.is_transform_alone):
        result = _computed(op, values, dims, attrs)
    elif fits and op.kind == "elementwise" and op.batch_rule is None:
        result = within_transform(op, values, mode, op.called, values, attrs)
    elif not known:
        result = within_transform(op, values, mode, _computed, op, values, dims, attrs)
    else:
        # By the plan of a public function's inline cache a product of rows takes 6 µs instead of 14.
        result = within_transform(op, values, mode, mapped(op, tuple(dims)), *values, *attrs)
    if isinstance(result, tuple):
        return tuple([Batched(r, 0, level) for r in result])
    return Batched(result, 0, level)


#: What computes an op for whole batches, by the axis of the batch in each input.
_MAPPED: dict[tuple[Op, tuple[int | None, ...]], Callable[..., Any]] = {}


def mapped(op: Op, dims: tuple[int | None, ...]) -> Callable[..., Any]:
    """Return the function of tensors, then attributes, that runs an op for all rows: the batch lies along
    these axes of its inputs, and first in the results.
    """
    if (found := _MAPPED.get((op, dims))) is None:
        known = not (op.draws or op.exchanges)
        found = partial(_of_tensors, op, dims)
        found = _MAPPED[op, dims] = facade.repeated(found) if known else found
    return found


def _of_tensors(op: Op, dims: tuple[int | None, ...], *given: Any) -> Any:
    return _computed(op, given[: len(dims)], dims, given[len(dims) :])


def _computed(op: Op, values: Sequence[Term], dims: Sequence[int | None], attrs: tuple[object, ...]) -> Any:
    """Return the results of all rows, with the batch axis first."""
    size = next(shape_of(v)[d] for v, d in zip(values, dims) if d is not None)
    if op.batch_rule is not None:
        if (result := op.batch_rule(size, tuple(values), tuple(dims), *attrs)) is not NotImplemented:
            return result
    elif op.kind == "elementwise":
        return _elementwise(op, _promoted(op, values, dims), dims, attrs)
    elif op.batch is not None:
        fronts = tuple([front(v, d, size) for v, d in zip(values, dims)])
        if op.batch in (dim_first, dim_second) and all(len(shape_of(v)) == 1 for v in fronts):
            return _of_numbers(op, fronts, size, attrs)
        return op.called(fronts, tuple(op.batch(size, *attrs)))
    return _loop(op, values, dims, size, attrs)


def dim_first(size: int, dim: int, *rest: Any) -> tuple[Any, ...]:
    """Return attributes with the batch axis first: the rule of every op whose first attribute is `dim`."""
    return (dim + 1, *rest)


def dim_second(size: int, first: Any, dim: int, *rest: Any) -> tuple[Any, ...]:
    """Return them for an op whose second attribute is `dim`."""
    return (first, dim + 1, *rest)


def _of_numbers(op: Op, fronts: Sequence[Term], size: int, attrs: tuple[object, ...]) -> Any:
    """Run an op along an axis on rows that have none: as on rows of one element, as torch has it."""
    assert op.batch is not None
    result = op.called([facade.reshape(v, (size, 1)) for v in fronts], tuple(op.batch(size, *attrs)))
    if isinstance(result, tuple):
        return tuple(facade.reshape(part, (size,)) for part in result)
    return facade.reshape(result, (size,))


def front(value: Term, dim: int | None, size: int) -> Term:
    """Return a value with its batch axis first; an array without one is expanded to the batch."""
    if dim is not None:
        return value if dim == 0 else facade.front(value, dim)
    if isinstance(value, (Value, ndarray)):
        return facade.expand(value, (size, *shape_of(value)))
    return value


def _promoted(op: Op, values: Sequence[Term], dims: Sequence[int | None]) -> Sequence[Term]:
    """Return values in their common dtype, which depends on whether a row has axes, not the batch."""
    if op.promote is None or len(values) < 2:
        return values
    if len({dtype_of(v) for v in values if isinstance(v, (Value, ndarray))}) < 2:
        return values
    common = dtypes.result_numpy_dtype(
        [np.zeros((1,) * (len(shape_of(v)) > (d is not None)), dtype_of(v))
         if isinstance(v, (Value, ndarray)) else v for v, d in zip(values, dims) if v is not None]
    )  # fmt: skip
    return tuple(
        facade.convert(v, common) if isinstance(v, (Value, ndarray)) and dtype_of(v) != common else v
        for v in values
    )


def _elementwise(op: Op, values: Sequence[Term], dims: Sequence[int | None], attrs: tuple[Any, ...]) -> Any:
    aligned = [v if not d else front(v, d, 0) for v, d in zip(values, dims)]
    if len(aligned) == 1:
        return op.called(aligned, attrs)
    ranks = [
        len(shape_of(v)) - (d is not None) if isinstance(v, (Value, ndarray)) else 0
        for v, d in zip(aligned, dims)
    ]
    rank = max(ranks)
    for k, own in enumerate(ranks):
        if own < rank and dims[k] is not None:
            shape = shape_of(aligned[k])
            aligned[k] = facade.reshape(aligned[k], (shape[0], *(1,) * (rank - own), *shape[1:]))
    return op.called(aligned, attrs)


def _loop(
    op: Op, values: Sequence[Term], dims: Sequence[int | None], size: int, attrs: tuple[object, ...]
) -> Any:
    FALLBACKS[op.name] += 1
    fronts = [v if d is None else front(v, d, size) for v, d in zip(values, dims)]
    if size == 0:
        raise RuntimeError(
            f"vmap: {op.name} has no batching rule, and its loop cannot run over a batch of size 0"
        )
    take = facade.select
    rows = [
        run(op, tuple([v if d is None else take(v, i) for v, d in zip(fronts, dims)]), attrs)
        for i in range(size)
    ]
    if isinstance(rows[0], tuple):
        return tuple(_stacked(list(column)) for column in zip(*rows, strict=True))
    return _stacked(rows)


def each_row(
    function: Callable[[list[Term]], Sequence[Term | None]], values: Sequence[Any]
) -> tuple[Batched | None, ...]:
    """Call a function without batches once for each row; return results over all, None where one is."""
    level = max(v._level for v in values if isinstance(v, Batched))
    mine = [isinstance(v, Batched) and v._level == level for v in values]
    size = next(v.size for v, m in zip(values, mine, strict=True) if m)
    if size == 0:
        raise RuntimeError("vmap: a compiled pullback cannot run over a batch of size 0")
    fronts = [front(v.value, v.dim, size) if m else v for v, m in zip(values, mine, strict=True)]
    take = facade.select
    rows = [
        function([take(v, i) if m else v for v, m in zip(fronts, mine, strict=True)]) for i in range(size)
    ]
    return tuple(
        None if column[0] is None else Batched(_stacked(list(column)), 0, level)
        for column in zip(*rows, strict=True)
    )


def _stacked(rows: list[Term]) -> Term:
    """Return one value of the results of all rows, which must have one shape."""
    check_stacked([shape_of(row) for row in rows])
    return facade.stack(rows)
