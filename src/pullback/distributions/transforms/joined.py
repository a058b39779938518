"""Define transforms of the parts of a tensor along one dimension."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...tensor.join import cat, stack
from .. import constraints
from ..utils import _sum_rightmost, lazy_property
from .base import Transform


class _JoinedTransform(Transform):
    """Hold a list of transforms and the dimension along which they apply."""

    transforms: list[Any]

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

    def _check_size(self, value: Any, size: int, what: str, called: str, name: str) -> None:
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} out of range for {called} with {value.dim()} dimensions")
        if value.size(self.dim) != size:
            raise AssertionError(
                f"{name}.size({self.dim}) = {value.size(self.dim)} must equal {what} {size}"
            )


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

    def _call(self, x: Any) -> Any:
        parts = self._parts(x, "tensor", "x")
        return cat([t(part) for t, part in zip(self.transforms, parts)], dim=self.dim)

    def _inverse(self, y: Any) -> Any:
        parts = self._parts(y, "tensor", "y")
        return cat([t.inv(part) for t, part in zip(self.transforms, parts)], dim=self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        terms = []
        for t, part_x, part_y in zip(self.transforms, self._parts(x, "x", "x"), self._parts(y, "y", "y")):
            term = t.log_abs_det_jacobian(part_x, part_y)
            if t.event_dim < self.event_dim:
                term = _sum_rightmost(term, self.event_dim - t.event_dim)
            terms.append(term)
        dim = (self.dim - x.dim() if self.dim >= 0 else self.dim) + self.event_dim
        return cat(terms, dim=dim) if dim < 0 else sum(terms)

    @constraints.dependent_property
    def domain(self) -> Any:
        return constraints.cat([t.domain for t in self.transforms], self.dim, self.lengths)

    @constraints.dependent_property
    def codomain(self) -> Any:
        return constraints.cat([t.codomain for t in self.transforms], self.dim, self.lengths)


class StackTransform(_JoinedTransform):
    """Apply transforms to the slices along a dimension, as `torch.stack` joins them.

    Parameters
    ----------
    tseq : list of Transform
    dim : int
    """

    _takes = ("transforms", "dim")

    def _slices(self, value: Any, called: str, name: str) -> Any:
        self._check_size(value, len(self.transforms), "len(transforms)", called, name)
        return value.unbind(self.dim)

    def _call(self, x: Any) -> Any:
        slices = self._slices(x, "tensor", "x")
        return stack([t(part) for t, part in zip(self.transforms, slices)], dim=self.dim)

    def _inverse(self, y: Any) -> Any:
        slices = self._slices(y, "tensor", "y")
        return stack([t.inv(part) for t, part in zip(self.transforms, slices)], dim=self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        slices = zip(self._slices(x, "x", "x"), self._slices(y, "y", "y"))
        terms = [t.log_abs_det_jacobian(*parts) for t, parts in zip(self.transforms, slices)]
        return stack(terms, dim=self.dim)

    @constraints.dependent_property
    def domain(self) -> Any:
        return constraints.stack([t.domain for t in self.transforms], self.dim)

    @constraints.dependent_property
    def codomain(self) -> Any:
        return constraints.stack([t.codomain for t in self.transforms], self.dim)
