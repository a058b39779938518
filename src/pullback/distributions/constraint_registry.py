"""torch.distributions.constraint_registry: from a constraint to a transform of all numbers onto it.

`biject_to` gives bijections, which have a Jacobian: for inference. `transform_to` gives simpler transforms,
which may take several points to one: for optimization.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from . import constraints, transforms
from .utils import NUMBER

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]


class ConstraintRegistry:
    """A table from kinds of constraints to functions that make a transform for one of them."""

    def __init__(self) -> None:
        self._registry: dict[type, Callable[[Any], Any]] = {}
        super().__init__()

    def register(self, constraint: Any, factory: Callable[[Any], Any] | None = None) -> Any:
        """Enter a function for a kind of constraint, given as the class or as an instance.

        Without a function it returns a decorator.
        """
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        if isinstance(constraint, constraints.Constraint):
            constraint = type(constraint)
        if not isinstance(constraint, type) or not issubclass(constraint, constraints.Constraint):
            raise TypeError(
                f"Expected constraint to be either a Constraint subclass or instance, but got {constraint}"
            )
        self._registry[constraint] = factory
        return factory

    def __call__(self, constraint: Any) -> Any:
        """Return the transform for a constraint."""
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _register(*kinds: Any, registries: tuple[ConstraintRegistry, ...] = (biject_to, transform_to)) -> Any:
    """Enter a function ``factory(constraint, registry)`` for several kinds of constraints."""

    def declare(factory: Callable[..., Any]) -> Any:
        for registry in registries:
            for kind in kinds:
                registry.register(kind, partial(factory, registry=registry))
        return factory

    return declare


@_register(constraints.real)
def _to_real(constraint: Any, registry: Any) -> Any:
    return transforms.identity_transform


@_register(constraints.independent)
def _to_independent(constraint: Any, registry: Any) -> Any:
    base = registry(constraint.base_constraint)
    return transforms.IndependentTransform(base, constraint.reinterpreted_batch_ndims)


@_register(constraints.positive, constraints.nonnegative)
@_register(constraints.greater_than, constraints.greater_than_eq)
def _to_greater_than(constraint: Any, registry: Any) -> Any:
    return _affine_after(transforms.ExpTransform(), constraint.lower_bound, 1)


@_register(constraints.less_than)
def _to_less_than(constraint: Any, registry: Any) -> Any:
    return _affine_after(transforms.ExpTransform(), constraint.upper_bound, -1)


@_register(constraints.interval, constraints.half_open_interval)
def _to_interval(constraint: Any, registry: Any) -> Any:
    low, high = constraint.lower_bound, constraint.upper_bound
    if isinstance(low, NUMBER) and low == 0 and isinstance(high, NUMBER) and high == 1:
        return transforms.SigmoidTransform()
    return _affine_after(transforms.SigmoidTransform(), low, high - low)


def _affine_after(transform: Any, loc: Any, scale: Any) -> Any:
    return transforms.ComposeTransform([transform, transforms.AffineTransform(loc, scale)])


@_register(constraints.simplex)
def _to_simplex(constraint: Any, registry: Any) -> Any:
    if registry is biject_to:
        return transforms.StickBreakingTransform()
    return transforms.SoftmaxTransform()


@_register(constraints.lower_cholesky, registries=(transform_to,))
def _to_lower_cholesky(constraint: Any, registry: Any) -> Any:
    return transforms.LowerCholeskyTransform()


@_register(constraints.positive_definite, constraints.positive_semidefinite, registries=(transform_to,))
def _to_positive_definite(constraint: Any, registry: Any) -> Any:
    return transforms.PositiveDefiniteTransform()


@_register(constraints.corr_cholesky)
def _to_corr_cholesky(constraint: Any, registry: Any) -> Any:
    return transforms.CorrCholeskyTransform()


@_register(constraints.cat)
def _to_cat(constraint: Any, registry: Any) -> Any:
    parts = [registry(c) for c in constraint.cseq]
    return transforms.CatTransform(parts, constraint.dim, constraint.lengths)


@_register(constraints.stack)
def _to_stack(constraint: Any, registry: Any) -> Any:
    return transforms.StackTransform([registry(c) for c in constraint.cseq], constraint.dim)
