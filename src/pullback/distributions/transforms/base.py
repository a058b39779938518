"""Define transforms: a function, its inverse and its Jacobian, with a cache; and their composition."""

from collections.abc import Sequence
from functools import reduce
from math import prod
from operator import add
from typing import Any, ClassVar

from ...core.size import Size
from ...tensor.creation_like import zeros_like
from .. import constraints
from ..utils import _sum_rightmost, delegated, lazy_property


class Transform:  # noqa: PLW1641  # torch's cannot be hashed either
    """A function of tensors, whose Jacobian has a determinant that is easy to compute.

    A subclass defines `domain`, `codomain`, and `_call` or, where it is `bijective`, also `_inverse` and
    `log_abs_det_jacobian`.

    Parameters
    ----------
    cache_size : int
        0, or 1: the last x and y are kept, so that the inverse of a result is the tensor that it came from.
        Inverses lose digits, and a value kept also has its history for `backward`.
    """

    bijective: Any = False
    domain: Any
    codomain: Any
    #: The attributes that the constructor takes, in order, before the size of the cache.
    _takes: ClassVar[tuple[str, ...]]

    def __init__(self, cache_size: int = 0) -> None:
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size = cache_size
        self._inv: Any = None
        self._cached_x_y: tuple[Any, Any] = (None, None)
        super().__init__()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_inv": None}

    @property
    def event_dim(self) -> Any:
        """Return the dimensions of one event, where it has as many before as after."""
        if self.domain.event_dim == self.codomain.event_dim:
            return self.domain.event_dim
        raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")

    @property
    def inv(self) -> Any:
        """Return the inverse transform; its own inverse is this one."""
        if self._inv is None:
            self._inv = _InverseTransform(self)
        return self._inv

    @property
    def sign(self) -> Any:
        """Return 1 where a monotone transform increases, −1 where it decreases."""
        raise NotImplementedError

    def with_cache(self, cache_size: int = 1) -> Any:
        """Return the transform itself, or one like it that keeps as many values."""
        if self._cache_size == cache_size:
            return self
        if type(self).__init__ is Transform.__init__:
            return type(self)(cache_size=cache_size)
        for cls in type(self).__mro__:
            if "_takes" in vars(cls):
                return cls(*(getattr(self, name) for name in self._takes), cache_size=cache_size)
        raise NotImplementedError(f"{type(self)}.with_cache is not implemented")

    def __eq__(self, other: object) -> bool:
        return self is other

    def __call__(self, x: Any) -> Any:
        """Return y = f(x)."""
        if not self._cache_size:
            return self._call(x)
        known, y = self._cached_x_y
        if x is not known:
            y = self._call(x)
            self._cached_x_y = x, y
        return y

    def _inv_call(self, y: Any) -> Any:
        """Return x = f⁻¹(y)."""
        if not self._cache_size:
            return self._inverse(y)
        x, known = self._cached_x_y
        if y is not known:
            x = self._inverse(y)
            self._cached_x_y = x, y
        return x

    def _call(self, x: Any) -> Any:
        raise NotImplementedError

    def _inverse(self, y: Any) -> Any:
        raise NotImplementedError

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """Return log |det dy/dx|, of the shape that is left without the events' dimensions."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}()"

    def forward_shape(self, shape: Any) -> Any:
        """Return the shape of y for an x of the given shape."""
        return shape

    def inverse_shape(self, shape: Any) -> Any:
        """Return the shape of x for a y of the given shape."""
        return shape


class PlainTransform(Transform):  # noqa: PLW1641  # torch's cannot be hashed either
    """A transform without parameters: all of one kind are equal."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self))


class _InverseTransform(Transform):  # noqa: PLW1641  # torch's cannot be hashed either
    """The inverse of a transform, whose cache it uses."""

    def __init__(self, transform: Transform) -> None:
        super().__init__(cache_size=transform._cache_size)
        self._inv = transform

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__.copy()  # without the other one it is nothing

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        return self._inv.codomain

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:
        return self._inv.domain

    bijective = delegated("_inv.bijective")
    sign = delegated("_inv.sign")
    inv = delegated("_inv")

    def with_cache(self, cache_size: int = 1) -> Any:
        return self.inv.with_cache(cache_size).inv

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _InverseTransform) and self._inv == other._inv

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({self._inv!r})"

    def __call__(self, x: Any) -> Any:
        return self._inv._inv_call(x)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return -self._inv.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape: Any) -> Any:
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape: Any) -> Any:
        return self._inv.forward_shape(shape)


def _with_event_dim(constraint: Any, event_dim: int, what: str) -> Any:
    """Return a constraint on events of at least its own dimensions."""
    if event_dim < constraint.event_dim:
        raise AssertionError(f"event_dim {event_dim} must be >= {what}.event_dim {constraint.event_dim}")
    if event_dim > constraint.event_dim:
        return constraints.independent(constraint, event_dim - constraint.event_dim)
    return constraint


class ComposeTransform(Transform):  # noqa: PLW1641  # torch's cannot be hashed either
    """Transforms one after the other.

    Parameters
    ----------
    parts : list of Transform
        The first is applied first.
    """

    _takes = ("parts",)

    def __init__(self, parts: list[Any], cache_size: int = 0) -> None:
        if cache_size:
            parts = [part.with_cache(cache_size) for part in parts]
        super().__init__(cache_size=cache_size)
        self.parts = parts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        if not self.parts:
            return constraints.real
        event_dim = self.parts[-1].codomain.event_dim
        for part in reversed(self.parts):
            event_dim = max(
                event_dim + part.domain.event_dim - part.codomain.event_dim, part.domain.event_dim
            )
        return _with_event_dim(self.parts[0].domain, event_dim, "domain")

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:
        if not self.parts:
            return constraints.real
        event_dim = self.parts[0].domain.event_dim
        for part in self.parts:
            event_dim = max(
                event_dim + part.codomain.event_dim - part.domain.event_dim, part.codomain.event_dim
            )
        return _with_event_dim(self.parts[-1].codomain, event_dim, "codomain")

    @lazy_property
    def bijective(self) -> bool:
        return all(part.bijective for part in self.parts)

    @lazy_property
    def sign(self) -> Any:
        return prod(part.sign for part in self.parts)

    @property
    def inv(self) -> Any:
        if self._inv is None:
            self._inv = ComposeTransform([part.inv for part in reversed(self.parts)])
            self._inv._inv = self
        return self._inv

    def __call__(self, x: Any) -> Any:
        return reduce(lambda value, part: part(value), self.parts, x)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        if not self.parts:
            return zeros_like(x)
        values = [x]
        for part in self.parts[:-1]:
            values.append(part(values[-1]))
        values.append(y)
        event_dim = self.domain.event_dim
        terms = []
        for part, before, after in zip(self.parts, values[:-1], values[1:]):
            own = part.log_abs_det_jacobian(before, after)
            terms.append(_sum_rightmost(own, event_dim - part.domain.event_dim))
            event_dim += part.codomain.event_dim - part.domain.event_dim
        return reduce(add, terms)

    def forward_shape(self, shape: Any) -> Any:
        return reduce(lambda before, part: part.forward_shape(before), self.parts, shape)

    def inverse_shape(self, shape: Any) -> Any:
        return reduce(lambda after, part: part.inverse_shape(after), reversed(self.parts), shape)

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}(\n    " + ",\n    ".join(map(repr, self.parts)) + "\n)"


#: The transform that changes nothing.
identity_transform = ComposeTransform([])


class IndependentTransform(Transform):
    """A transform whose Jacobian is taken over further dimensions on the right, as one event.

    Parameters
    ----------
    base_transform : Transform
    reinterpreted_batch_ndims : int
        How many dimensions.
    """

    _takes = ("base_transform", "reinterpreted_batch_ndims")

    def __init__(self, base_transform: Any, reinterpreted_batch_ndims: int, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    bijective = delegated("base_transform.bijective")
    sign = delegated("base_transform.sign")

    def _call(self, x: Any) -> Any:
        check_dimensions(x.dim(), self.domain.event_dim)
        return self.base_transform(x)

    def _inverse(self, y: Any) -> Any:
        check_dimensions(y.dim(), self.codomain.event_dim)
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return _sum_rightmost(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({self.base_transform!r}, {self.reinterpreted_batch_ndims})"

    def forward_shape(self, shape: Any) -> Any:
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape: Any) -> Any:
        return self.base_transform.inverse_shape(shape)


def check_dimensions(found: int, needed: int) -> None:
    """Raise torch's error for an input with fewer dimensions than an event has."""
    if found < needed:
        raise ValueError("Too few dimensions on input")


class ReshapeTransform(Transform):
    """Give the last dimensions another shape.

    Parameters
    ----------
    in_shape, out_shape : tuple of ints
        The events' shapes before and after, of equally many elements.
    """

    bijective = True
    _takes = ("in_shape", "out_shape")

    def __init__(self, in_shape: Sequence[int], out_shape: Sequence[int], cache_size: int = 0) -> None:
        self.in_shape = Size(in_shape)
        self.out_shape = Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise ValueError("in_shape, out_shape have different numbers of elements")
        super().__init__(cache_size=cache_size)

    @constraints.dependent_property
    def domain(self) -> Any:
        return constraints.independent(constraints.real, len(self.in_shape))

    @constraints.dependent_property
    def codomain(self) -> Any:
        return constraints.independent(constraints.real, len(self.out_shape))

    def _call(self, x: Any) -> Any:
        return x.reshape((*x.shape[: x.dim() - len(self.in_shape)], *self.out_shape))

    def _inverse(self, y: Any) -> Any:
        return y.reshape((*y.shape[: y.dim() - len(self.out_shape)], *self.in_shape))

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return x.new_zeros(x.shape[: x.dim() - len(self.in_shape)])

    def forward_shape(self, shape: Any) -> Any:
        return _reshaped(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape: Any) -> Any:
        return _reshaped(shape, self.out_shape, self.in_shape)


def _reshaped(shape: Any, before: Size, after: Size) -> Size:
    check_dimensions(len(shape), len(before))
    cut = len(shape) - len(before)
    if shape[cut:] != before:
        raise ValueError(f"Shape mismatch: expected {shape[cut:]} but got {before}")
    return Size((*shape[:cut], *after))
