"""Define the base of all distributions: shapes, checks of parameters and values, expansion, printing."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..autograd.grad_mode import no_grad
from ..core.size import Size
from ..core.warn import warn
from ..tensor.reductions import _is_all_true
from ..tensor.tensor import Tensor
from ..tensor.unrecorded import computed, readable
from . import constraints
from .utils import NUMBER, broadcast_all, delegated, is_unknown, lazy_property

__all__ = ["Distribution"]

NO_DIMS = Size()

#: The checks that are written in what arrays have, too.
_ON_ARRAYS = frozenset(
    getattr(constraints, name).check for name in (
        "_Boolean", "_IntegerInterval", "_IntegerGreaterThan", "_Real", "_GreaterThan", "_GreaterThanEq",
        "_LessThan", "_Interval", "_HalfOpenInterval", "_OneHot", "_Simplex", "_Multinomial",
    )
)
_DTYPES = frozenset(map(np.dtype, ("f4", "f8", "i8", "i4", "?")))


def holds(constraint: Any, numbers: np.ndarray) -> bool | None:
    """Return whether all of an array satisfies a constraint; None where the check on tensors has to tell.

    An op on tensors takes 2 to 5 times as long as NumPy's ufunc.
    """
    dims = 0
    while type(constraint) is constraints._IndependentConstraint:
        dims += constraint.reinterpreted_batch_ndims
        constraint = constraint.base_constraint
    if type(constraint).check not in _ON_ARRAYS or numbers.dtype not in _DTYPES:
        return None
    if numbers.ndim < dims + constraint.event_dim:
        return None
    if any(isinstance(bound, Tensor) for bound in vars(constraint).values()):
        given, constraint = constraint, object.__new__(type(constraint))
        for name, bound in vars(given).items():
            constraint.__dict__[name] = readable(bound) if isinstance(bound, Tensor) else bound
    for bound in vars(constraint).values():
        if not isinstance(bound, (int, float, np.ndarray)):
            return None
    return bool(np.logical_and.reduce(constraint.check(numbers), axis=None))


def _is_refused(constraint: Any, value: Any) -> bool:
    """Return whether a value breaks a constraint, as far as numbers are known."""
    if (numbers := readable(value)) is not None:
        found = computed(holds, constraint, numbers)
        if found is not None:
            return not found
    if is_unknown(value):
        return False
    valid = constraint.check(value)
    return not is_unknown(valid) and not _is_all_true(valid)


class Distribution:
    """A probability distribution, or a batch of them.

    A sample has the shape sample_shape + batch_shape + event_shape: `batch_shape` is that of the parameters,
    each element of which makes a distribution of its own, `event_shape` that of one outcome.

    Parameters
    ----------
    batch_shape, event_shape : torch.Size
    validate_args : bool, optional
        Whether parameters, and values given to `log_prob` and the like, are checked. The default is set by
        `set_default_validate_args`.

    Raises
    ------
    ValueError
        Where a parameter does not satisfy its constraint.
    """

    has_rsample: Any = False
    has_enumerate_support: Any = False
    _validate_args = __debug__

    #: What `expand` gives a larger batch: tensors and distributions, whose shapes begin with the batch's.
    _parameters: ClassVar[tuple[str, ...]] = ()
    #: Attributes that a distribution with a larger batch has as they are.
    _kept: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name, found in vars(cls).items():
            # By the name of the function `help` finds what the base says of a property. Users' keep theirs.
            compute: Any = getattr(found, "fget", None)
            is_own = (getattr(compute, "__module__", None) or "").startswith(f"{__package__}.")
            if is_own and compute.__name__ == "<lambda>":
                compute.__name__, compute.__qualname__ = name, f"{cls.__qualname__}.{name}"

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Say whether distributions check their arguments where they are not told."""
        if value not in [True, False]:
            raise ValueError
        Distribution._validate_args = value

    def __init__(
        self, batch_shape: Any = NO_DIMS, event_shape: Any = NO_DIMS, validate_args: bool | None = None
    ) -> None:
        self._batch_shape = batch_shape
        self._event_shape = event_shape
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._check_parameters()
        super().__init__()

    def _set_parameters(self, validate_args: bool | None, **given: Any) -> None:
        """Set parameters, broadcast against each other, whose shape is the batch's; numbers make no batch."""
        for name, value in zip(given, broadcast_all(*given.values())):
            setattr(self, name, value)
        scalar = all(isinstance(value, NUMBER) for value in given.values())
        batch_shape = Size() if scalar else getattr(self, next(iter(given))).size()
        Distribution.__init__(self, batch_shape, validate_args=validate_args)

    def _check_parameters(self) -> None:
        try:
            arg_constraints = self.arg_constraints
        except NotImplementedError:
            arg_constraints = {}
            warn(
                f"{self.__class__} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or "
                "initialize the distribution with `validate_args=False` to turn off validation."
            )
        for name, constraint in arg_constraints.items():
            if constraints.is_dependent(constraint):
                continue
            if name not in self.__dict__ and isinstance(getattr(type(self), name), lazy_property):
                continue  # it would have to be computed from the one that was given
            value = getattr(self, name)
            if _is_refused(constraint, value):
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of "
                    f"distribution {self!r} to satisfy the constraint {constraint!r}, but found invalid "
                    f"values:\n{value}"
                )

    # --- shapes -------------------------------------------------------------------------------------------

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """Return a distribution of the same kind with a larger batch; nothing is copied and nothing checked.

        Parameters
        ----------
        batch_shape : tuple of ints
            What the present batch shape expands to.
        """
        if not (self._parameters or self._kept):
            raise NotImplementedError
        # The classes of this package can do without what their constructors would set.
        cls = next(c for c in type(self).__mro__ if c.__module__.startswith(f"{__package__}."))
        new = self._get_checked_instance(cls, _instance)
        batch_shape = Size(batch_shape)
        for name in self._parameters:
            if name in self.__dict__:
                part = self.__dict__[name]
                shape = part.batch_shape if isinstance(part, Distribution) else part.shape
                setattr(new, name, part.expand(Size((*batch_shape, *shape[len(self._batch_shape) :]))))
        for name in self._kept:
            setattr(new, name, getattr(self, name))
        return self._finish_expanding(new, batch_shape)

    def _get_checked_instance(self, cls: type[Distribution], _instance: Any = None) -> Any:
        """Return an empty instance for an `expand` that `cls` defines, unless a subclass hands down its."""
        if _instance is None and type(self).__init__ != cls.__init__:
            raise NotImplementedError(
                f"Subclass {self.__class__.__name__} of {cls.__name__} that defines a custom __init__ method "
                "must also define a custom .expand() method."
            )
        return self.__new__(type(self)) if _instance is None else _instance

    def _finish_expanding(self, new: Any, batch_shape: Size) -> Any:
        """Give an instance whose parameters are expanded the shapes and the checks of this one."""
        Distribution.__init__(new, batch_shape, self._event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    batch_shape = delegated("_batch_shape", "Return the shape over which the parameters are batched.")
    event_shape = delegated("_event_shape", "Return the shape of one outcome.")

    def _extended_shape(self, sample_shape: Any = ()) -> Size:
        """Return the shape of samples: sample_shape + batch_shape + event_shape."""
        return Size((*Size(sample_shape), *self._batch_shape, *self._event_shape))

    # --- what a distribution says of itself ---------------------------------------------------------------

    @property
    def arg_constraints(self) -> Any:
        """Return the constraint of each parameter, by name."""
        raise NotImplementedError

    @property
    def support(self) -> Any:
        """Return the constraint that the outcomes satisfy."""
        raise NotImplementedError

    @property
    def mean(self) -> Any:
        """Return the mean."""
        raise NotImplementedError

    @property
    def mode(self) -> Any:
        """Return the most likely value."""
        raise NotImplementedError(f"{self.__class__} does not implement mode")

    @property
    def variance(self) -> Any:
        """Return the variance."""
        raise NotImplementedError

    @property
    def stddev(self) -> Any:
        """Return the standard deviation."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Any = ()) -> Any:
        """Draw a sample of the given shape from each distribution of the batch; it has no gradient."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Draw a sample through which gradients flow back to the parameters."""
        raise NotImplementedError

    def sample_n(self, n: int) -> Any:
        """Draw `n` samples; ``sample((n,))`` does the same."""
        warn("`sample_n(n)` will be deprecated. Use `sample((n,))` instead.", FutureWarning)
        return self.sample(Size((n,)))

    def log_prob(self, value: Any) -> Any:
        """Return the logarithm of the density, or of the probability, at `value`."""
        raise NotImplementedError

    def cdf(self, value: Any) -> Any:
        """Return the probability of outcomes up to `value`."""
        raise NotImplementedError

    def icdf(self, value: Any) -> Any:
        """Return the quantile: the inverse of `cdf`."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Any:
        """Return all outcomes of a discrete distribution, along a new first dimension.

        Parameters
        ----------
        expand : bool
            Whether to repeat them over the batch; without it the batch's dimensions have the size 1.
        """
        raise NotImplementedError

    def entropy(self) -> Any:
        """Return the entropy in nats, E[−log p(x)]."""
        raise NotImplementedError

    def perplexity(self) -> Any:
        """Return the exponential of the entropy."""
        return self.entropy().exp()

    # --- checks and printing ------------------------------------------------------------------------------

    def _validate(self, value: Any) -> None:
        """Check `value` where this distribution checks its arguments."""
        if self._validate_args:
            self._validate_sample(value)

    def _validate_sample(self, value: Any) -> None:
        """Raise torch's error where `value` cannot be an outcome."""
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        shape, expected = value.size(), Size((*self._batch_shape, *self._event_shape))
        if shape[len(shape) - len(self._event_shape) :] != self._event_shape:
            raise ValueError(
                f"The right-most size of value must match event_shape: {shape} vs {self._event_shape}."
            )
        if shape != expected and any(
            i != 1 and j != 1 and i != j for i, j in zip(reversed(shape), reversed(expected))
        ):
            raise ValueError(
                f"Value is not broadcastable with batch_shape+event_shape: {shape} vs {expected}."
            )
        try:
            support = self.support
        except NotImplementedError:
            warn(
                f"{self.__class__} does not define `support` to enable sample validation. Please initialize "
                "the distribution with `validate_args=False` to turn off validation."
            )
            return
        if _is_refused(support, value):
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be "
                f"within the support ({support!r}) of the distribution {self!r}, but found invalid "
                f"values:\n{value}"
            )

    def __repr__(self) -> str:
        own = self.__dict__
        given = [
            f"{name}: {own[name] if own[name].numel() == 1 else own[name].size()}"
            for name in self.arg_constraints
            if name in own
        ]
        return f"{self.__class__.__name__}({', '.join(given)})"


class _Symmetric:
    """Give the mean and the mode of a distribution that is symmetric about `loc`, with one maximum."""

    loc: Any

    mean = delegated("loc")
    mode = delegated("loc")
