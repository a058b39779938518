"""torch.distributions.constraints: the sets that parameters and outcomes belong to.

A constraint checks tensors: `check` gives a boolean for each element, or for each event where the constraint
is one on vectors or matrices (`event_dim`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

from ..array.dtype_limits import finfo
from ..array.dtypes import bool as bool_dtype
from ..linalg import cholesky_ex, eigvalsh, norm
from ..tensor.closeness import isclose
from ..tensor.creation import full
from ..tensor.join import cat as concatenate
from ..tensor.join import stack as stack_tensors
from .utils import delegated, formula

__all__ = [
    "Constraint", "MixtureSameFamilyConstraint", "boolean", "cat", "corr_cholesky", "dependent",
    "dependent_property", "greater_than", "greater_than_eq", "half_open_interval", "independent",
    "integer_interval", "interval", "is_dependent", "less_than", "lower_cholesky", "lower_triangular",
    "multinomial", "nonnegative", "nonnegative_integer", "one_hot", "positive", "positive_definite",
    "positive_integer", "positive_semidefinite", "real", "real_vector", "simplex", "square", "stack",
    "symmetric", "unit_interval",
]


class Constraint:
    """A set of values."""

    #: Whether the set is discrete.
    is_discrete: Any = False
    #: How many dimensions one member has.
    event_dim: Any = 0

    #: The names of the attributes that `repr` shows.
    _shown: ClassVar[tuple[str, ...]] = ()

    def check(self, value: Any) -> Any:
        """Return booleans of the shape sample_shape + batch_shape: which events of `value` are in the set."""
        raise NotImplementedError

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)}" for name in self._shown)
        return f"{self.__class__.__name__[1:]}({shown})"


# --- constraints that depend on other parameters ------------------------------------------------------------


class _Dependent(Constraint):
    """A set that is only known together with other parameters."""

    def __init__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> None:
        self._is_discrete = is_discrete
        self._event_dim = event_dim
        super().__init__()

    @property
    def is_discrete(self) -> Any:
        if self._is_discrete is NotImplemented:
            raise NotImplementedError(".is_discrete cannot be determined statically")
        return self._is_discrete

    @property
    def event_dim(self) -> Any:
        if self._event_dim is NotImplemented:
            raise NotImplementedError(".event_dim cannot be determined statically")
        return self._event_dim

    def __call__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> _Dependent:
        """Return the same with more known about it."""
        return _Dependent(
            is_discrete=self._is_discrete if is_discrete is NotImplemented else is_discrete,
            event_dim=self._event_dim if event_dim is NotImplemented else event_dim,
        )

    def check(self, x: Any) -> Any:
        raise ValueError("Cannot determine validity of dependent constraint")


def is_dependent(constraint: Any) -> bool:
    """Return whether a constraint depends on other parameters."""
    return isinstance(constraint, _Dependent)


class _DependentProperty(property, _Dependent):
    """A property that gives a constraint; on the class it is itself a dependent constraint."""

    def __init__(
        self, fn: Callable[..., Any] | None = None, *, is_discrete: Any = NotImplemented,
        event_dim: Any = NotImplemented,
    ) -> None:  # fmt: skip
        property.__init__(self, fn)
        self._is_discrete = is_discrete
        self._event_dim = event_dim

    def __call__(self, fn: Callable[..., Any]) -> _DependentProperty:  # type: ignore[override]  # it decorates
        return _DependentProperty(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)


# --- constraints on several values at once ------------------------------------------------------------------


class _OfBase(Constraint):
    """Arrays whose parts belong to a set."""

    def __init__(self, base_constraint: Any) -> None:
        if not isinstance(base_constraint, Constraint):
            raise AssertionError(
                f"base_constraint must be a Constraint, got {type(base_constraint).__name__}"
            )
        self.base_constraint = base_constraint
        super().__init__()

    is_discrete = delegated("base_constraint.is_discrete")

    def _all(self, result: Any, value: Any, kept: int) -> Any:
        """Return whether all of what was checked holds, over the dimensions after the first ones."""
        if kept < 0:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        return result.reshape((*result.shape[:kept], -1)).all(-1)


class _IndependentConstraint(_OfBase):
    """Arrays all of whose elements belong to a set."""

    def __init__(self, base_constraint: Any, reinterpreted_batch_ndims: int) -> None:
        super().__init__(base_constraint)
        if not isinstance(reinterpreted_batch_ndims, int):
            raise AssertionError(
                f"reinterpreted_batch_ndims must be an int, got {type(reinterpreted_batch_ndims).__name__}"
            )
        if reinterpreted_batch_ndims < 0:
            raise AssertionError(f"reinterpreted_batch_ndims must be >= 0, got {reinterpreted_batch_ndims}")
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    event_dim = formula(lambda self: self.base_constraint.event_dim + self.reinterpreted_batch_ndims)

    def check(self, value: Any) -> Any:
        result = self.base_constraint.check(value)
        return self._all(result, value, result.dim() - self.reinterpreted_batch_ndims)

    def __repr__(self) -> str:
        return f"{self.__class__.__name__[1:]}({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamilyConstraint(_OfBase):
    """Constrain values to the support of every component of a mixture.

    Parameters
    ----------
    base_constraint : Constraint
        The support of the components.
    """

    event_dim = delegated("base_constraint.event_dim")

    def check(self, value: Any) -> Any:
        result = self.base_constraint.check(value.unsqueeze(-1 - self.event_dim))
        return self._all(result, value, value.dim() - self.event_dim)

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({self.base_constraint!r})"


class _Joined(Constraint):
    """Constraints on the parts of a tensor along one dimension."""

    def __init__(self, cseq: Sequence[Any], dim: int = 0) -> None:
        if not all(isinstance(c, Constraint) for c in cseq):
            raise AssertionError("All elements of cseq must be Constraint instances")
        self.cseq = list(cseq)
        self.dim = dim
        super().__init__()

    is_discrete = formula(lambda self: any(c.is_discrete for c in self.cseq))

    def _check_dim(self, value: Any) -> None:
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} out of range for value with {value.dim()} dimensions")


class _Cat(_Joined):
    """Constraints on parts of the given lengths, which are joined as by `torch.cat`."""

    def __init__(self, cseq: Sequence[Any], dim: int = 0, lengths: Sequence[int] | None = None) -> None:
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.cseq):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match cseq ({len(self.cseq)})")

    event_dim = formula(lambda self: max(c.event_dim for c in self.cseq))

    def _parts(self, value: Any) -> Iterator[Any]:
        start = 0
        for length in self.lengths:
            yield value.narrow(self.dim, start, length)
            start += length

    def check(self, value: Any) -> Any:
        self._check_dim(value)
        return concatenate([c.check(v) for c, v in zip(self.cseq, self._parts(value))], self.dim)


class _Stack(_Joined):
    """Constraints on slices, which are joined as by `torch.stack`."""

    @property
    def event_dim(self) -> Any:
        dim = max(c.event_dim for c in self.cseq)
        return dim + 1 if self.dim + dim < 0 else dim

    def check(self, value: Any) -> Any:
        self._check_dim(value)
        return stack_tensors([c.check(v) for c, v in zip(self.cseq, value.unbind(self.dim))], self.dim)


# --- numbers ------------------------------------------------------------------------------------------------


class _Boolean(Constraint):
    """0 and 1."""

    is_discrete = True

    def check(self, value: Any) -> Any:
        return (value == 0) | (value == 1)


class _Bounded(Constraint):
    """Hold the two bounds of an interval."""

    _shown = ("lower_bound", "upper_bound")

    def __init__(self, lower_bound: Any, upper_bound: Any) -> None:
        self.lower_bound = lower_bound
        self.upper_bound = upper_bound
        super().__init__()


class _BoundedBelow(Constraint):
    """Hold the lower bound of a half-line."""

    _shown = ("lower_bound",)

    def __init__(self, lower_bound: Any) -> None:
        self.lower_bound = lower_bound
        super().__init__()


class _BoundedAbove(Constraint):
    """Hold the upper bound of a half-line."""

    _shown = ("upper_bound",)

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound
        super().__init__()


class _IntegerInterval(_Bounded):
    """The integers from one bound to another, both included."""

    is_discrete = True

    def check(self, value: Any) -> Any:
        return (value % 1 == 0) & (self.lower_bound <= value) & (value <= self.upper_bound)


class _IntegerGreaterThan(_BoundedBelow):
    """The integers from a bound on."""

    is_discrete = True

    def check(self, value: Any) -> Any:
        return (value % 1 == 0) & (value >= self.lower_bound)


class _Real(Constraint):
    """All numbers, infinities included; not nan."""

    def check(self, value: Any) -> Any:
        return value == value  # False for nan


class _GreaterThan(_BoundedBelow):
    """(lower_bound, ∞]."""

    def check(self, value: Any) -> Any:
        return self.lower_bound < value


class _GreaterThanEq(_BoundedBelow):
    """[lower_bound, ∞)."""

    def check(self, value: Any) -> Any:
        return self.lower_bound <= value


class _LessThan(_BoundedAbove):
    """[−∞, upper_bound)."""

    def check(self, value: Any) -> Any:
        return value < self.upper_bound


class _Interval(_Bounded):
    """[lower_bound, upper_bound]."""

    def check(self, value: Any) -> Any:
        return (self.lower_bound <= value) & (value <= self.upper_bound)


class _HalfOpenInterval(_Bounded):
    """[lower_bound, upper_bound)."""

    def check(self, value: Any) -> Any:
        return (self.lower_bound <= value) & (value < self.upper_bound)


# --- vectors ------------------------------------------------------------------------------------------------


class _OneHot(Constraint):
    """Vectors of zeros and one 1."""

    is_discrete = True
    event_dim = 1

    def check(self, value: Any) -> Any:
        return ((value == 0) | (value == 1)).all(-1) & (value.sum(-1) == 1)


class _Simplex(Constraint):
    """Vectors of nonnegative numbers that add up to 1, within 10⁻⁶."""

    event_dim = 1

    def check(self, value: Any) -> Any:
        return (value >= 0).all(-1) & (abs(value.sum(-1) - 1) < 1e-6)


class _Multinomial(Constraint):
    """Vectors of nonnegative numbers that add up to no more than a bound."""

    is_discrete = True
    event_dim = 1

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound

    def check(self, x: Any) -> Any:
        return (x >= 0).all(-1) & (x.sum(-1) <= self.upper_bound)


# --- matrices -----------------------------------------------------------------------------------------------


class _LowerTriangular(Constraint):
    """Square matrices with zeros above the diagonal."""

    event_dim = 2

    def check(self, value: Any) -> Any:
        return (value.tril() == value).all(-1).all(-1)


class _LowerCholesky(Constraint):
    """Lower triangular matrices with a positive diagonal."""

    event_dim = 2

    def check(self, value: Any) -> Any:
        return _LowerTriangular().check(value) & (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)


class _CorrCholesky(Constraint):
    """Lower triangular matrices with a positive diagonal and rows of length 1."""

    event_dim = 2

    def check(self, value: Any) -> Any:
        tolerance = finfo(value.dtype).eps * value.size(-1) * 10
        lengths = norm(value.detach(), dim=-1)
        return _LowerCholesky().check(value) & (lengths - 1.0).abs().le(tolerance).all(dim=-1)


class _Square(Constraint):
    """Square matrices."""

    event_dim = 2

    def check(self, value: Any) -> Any:
        is_square = value.shape[-2] == value.shape[-1]
        return full(value.shape[:-2], is_square, dtype=bool_dtype, device=value.device)


class _Symmetric(_Square):
    """Symmetric matrices, within 10⁻⁶."""

    def check(self, value: Any) -> Any:
        is_square = super().check(value)
        return isclose(value, value.mT, atol=1e-6).all(-2).all(-1) if is_square.all() else is_square


class _PositiveSemidefinite(_Symmetric):
    """Symmetric matrices without negative eigenvalues."""

    def check(self, value: Any) -> Any:
        is_symmetric = super().check(value)
        return eigvalsh(value).ge(0).all(-1) if is_symmetric.all() else is_symmetric


class _PositiveDefinite(_Symmetric):
    """Symmetric matrices with a Cholesky factor."""

    def check(self, value: Any) -> Any:
        is_symmetric = super().check(value)
        return cholesky_ex(value).info.eq(0) if is_symmetric.all() else is_symmetric


dependent = _Dependent()
dependent_property = _DependentProperty
independent = _IndependentConstraint
boolean = _Boolean()
one_hot = _OneHot()
nonnegative_integer = _IntegerGreaterThan(0)
positive_integer = _IntegerGreaterThan(1)
integer_interval = _IntegerInterval
real = _Real()
real_vector = independent(real, 1)
positive = _GreaterThan(0.0)
nonnegative = _GreaterThanEq(0.0)
greater_than = _GreaterThan
greater_than_eq = _GreaterThanEq
less_than = _LessThan
multinomial = _Multinomial
unit_interval = _Interval(0.0, 1.0)
interval = _Interval
half_open_interval = _HalfOpenInterval
simplex = _Simplex()
lower_triangular = _LowerTriangular()
lower_cholesky = _LowerCholesky()
corr_cholesky = _CorrCholesky()
square = _Square()
symmetric = _Symmetric()
positive_semidefinite = _PositiveSemidefinite()
positive_definite = _PositiveDefinite()
cat = _Cat
stack = _Stack
