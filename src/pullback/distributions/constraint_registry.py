"""torch.distributions.constraint_registry: from a constraint to a transform of all numbers onto it.

`biject_to` gives bijections, which have a Jacobian: for inference. `transform_to` gives simpler transforms,
which may take several points to one: for optimization.
"""

from collections.abc import Callable
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
        if (factory := self._registry.get(type(constraint))) is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _affine_after(transform: Any, loc: Any, scale: Any) -> Any:
    return transforms.ComposeTransform([transform, transforms.AffineTransform(loc, scale)])


def _above(constraint: Any, to: ConstraintRegistry) -> Any:
    return _affine_after(transforms.ExpTransform(), constraint.lower_bound, 1)


def _between(constraint: Any, to: ConstraintRegistry) -> Any:
    low, high = constraint.lower_bound, constraint.upper_bound
    if isinstance(low, NUMBER) and low == 0 and isinstance(high, NUMBER) and high == 1:
        return transforms.SigmoidTransform()
    return _affine_after(transforms.SigmoidTransform(), low, high - low)


#: Kinds of constraints, and what makes a transform of one for a registry.
_FACTORIES: dict[Any, Callable[[Any, ConstraintRegistry], Any]] = {
    constraints.real: lambda c, to: transforms.identity_transform,
    constraints.independent: lambda c, to: (
        transforms.IndependentTransform(to(c.base_constraint), c.reinterpreted_batch_ndims)
    ),
    constraints.positive: _above,
    constraints.nonnegative: _above,
    constraints.less_than: lambda c, to: _affine_after(transforms.ExpTransform(), c.upper_bound, -1),
    constraints.interval: _between,
    constraints.half_open_interval: _between,
    constraints.simplex: lambda c, to: (
        transforms.StickBreakingTransform() if to is biject_to else transforms.SoftmaxTransform()
    ),
    constraints.corr_cholesky: lambda c, to: transforms.CorrCholeskyTransform(),
    constraints.cat: lambda c, to: transforms.CatTransform([to(part) for part in c.cseq], c.dim, c.lengths),
    constraints.stack: lambda c, to: transforms.StackTransform([to(part) for part in c.cseq], c.dim),
}
#: Those that have no bijection.
_FOR_OPTIMIZATION: dict[Any, Callable[[Any, ConstraintRegistry], Any]] = {
    constraints.lower_cholesky: lambda c, to: transforms.LowerCholeskyTransform(),
    constraints.positive_definite: lambda c, to: transforms.PositiveDefiniteTransform(),
    constraints.positive_semidefinite: lambda c, to: transforms.PositiveDefiniteTransform(),
}


def _enter(registry: ConstraintRegistry, kind: Any, factory: Callable[..., Any]) -> None:
    registry.register(kind, lambda constraint: factory(constraint, registry))


for _kind, _factory in _FACTORIES.items():
    _enter(biject_to, _kind, _factory)
for _kind, _factory in {**_FACTORIES, **_FOR_OPTIMIZATION}.items():
    _enter(transform_to, _kind, _factory)
