"""Define transforms of the parts of a tensor along one dimension."""

from collections.abc import Callable, Sequence
from typing import Any

from ...errors import name_constructors
from ...tensor.join import cat, stack
from .. import constraints
from ..utils import _sum_rightmost, lazy_property
from .base import Transform


class _JoinedTransform(Transform):
    """Hold a list of transforms and the dimension along which they apply."""

    transforms: list[Any]
    #: Joins the parts, as a constraint on the whole does in `_constraint`.
    _join: Callable[..., Any]
    _constraint: Callable[[list[Any]], Any]
    _parts: Callable[[Any, str, str], Any]

    def __init__(self, tseq: Sequence[Any], dim: int = 0, cache_size: int = 0) -> None:
        if not all(isinstance(t, Transform) for t in tseq):
            raise AssertionError("All elements of tseq must be Transform instances")
        if cache_size:
            tseq = [t.with_cache(cache_size) for t in tseq]
        super().__init__(cache_size=cache_size)
        self.transforms = list(tseq)
        self.dim = dim

    @property
    def bijective(self) -> bool:
        return all(t.bijective for t in self.transforms)

    def _call(self, x: Any) -> Any:
        parts = self._parts(x, "tensor", "x")
        return self._join([t(part) for t, part in zip(self.transforms, parts)], dim=self.dim)

    def _inverse(self, y: Any) -> Any:
        parts = self._parts(y, "tensor", "y")
        return self._join([t.inv(part) for t, part in zip(self.transforms, parts)], dim=self.dim)

    @constraints.dependent_property
    def domain(self) -> Any:
        return self._constraint([t.domain for t in self.transforms])

    @constraints.dependent_property
    def codomain(self) -> Any:
        return self._constraint([t.codomain for t in self.transforms])

    def _check_size(self, value: Any, size: int, what: str, called: str, name: str) -> None:
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} out of range for {called} with {value.dim()} dimensions")
        if value.size(self.dim) != size:
            raise AssertionError(f"{name}.size({self.dim}) = {value.size(self.dim)} must equal {what} {size}")


class CatTransform(_JoinedTransform):
    """Apply transforms to parts of the given lengths, as `torch.cat` joins them.

    Parameters
    ----------
    tseq : list of Transform
    dim : int
    lengths : list of int, optional
        The parts' sizes along `dim`; 1 each by default.
    """

    _takes = ("transforms", "dim", "lengths")
    _join = staticmethod(cat)

    def __init__(
        self, tseq: Sequence[Any], dim: int = 0, lengths: Sequence[int] | None = None, cache_size: int = 0
    ) -> None:
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(
                f"lengths ({len(self.lengths)}) must match transforms ({len(self.transforms)})"
            )

    @lazy_property
    def event_dim(self) -> int:
        return max(t.event_dim for t in self.transforms)

    @lazy_property
    def length(self) -> int:
        """Return the size of the whole along `dim`."""
        return sum(self.lengths)

    def _parts(self, value: Any, called: str, name: str) -> list[Any]:
        self._check_size(value, self.length, "length", called, name)
        starts = [sum(self.lengths[:i]) for i in range(len(self.lengths))]
        return [value.narrow(self.dim, start, length) for start, length in zip(starts, self.lengths)]

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        terms = []
        for t, part_x, part_y in zip(self.transforms, self._parts(x, "x", "x"), self._parts(y, "y", "y")):
            term = t.log_abs_det_jacobian(part_x, part_y)
            if t.event_dim < self.event_dim:
                term = _sum_rightmost(term, self.event_dim - t.event_dim)
            terms.append(term)
        dim = (self.dim - x.dim() if self.dim >= 0 else self.dim) + self.event_dim
        return cat(terms, dim=dim) if dim < 0 else sum(terms)

    def _constraint(self, parts: list[Any]) -> Any:
        return constraints.cat(parts, self.dim, self.lengths)


class StackTransform(_JoinedTransform):
    """Apply transforms to the slices along a dimension, as `torch.stack` joins them.

    Parameters
    ----------
    tseq : list of Transform
    dim : int
    """

    _takes = ("transforms", "dim")
    _join = staticmethod(stack)

    def _parts(self, value: Any, called: str, name: str) -> Any:
        self._check_size(value, len(self.transforms), "len(transforms)", called, name)
        return value.unbind(self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        slices = zip(self._parts(x, "x", "x"), self._parts(y, "y", "y"))
        terms = [t.log_abs_det_jacobian(*parts) for t, parts in zip(self.transforms, slices)]
        return stack(terms, dim=self.dim)

    def _constraint(self, parts: list[Any]) -> Any:
        return constraints.stack(parts, self.dim)


name_constructors(vars(), _JoinedTransform)
