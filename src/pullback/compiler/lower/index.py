"""Indices of loops as symbols: sums of loop variables, with quotients and remainders simplified by bounds.

A kernel's loads and stores are written as `Index` expressions of its loop variables. Views (transpose,
reshape, expand, slice) only rewrite indices, so the simplification here decides whether a reshape costs a
division in the inner loop or nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from math import gcd, prod
from typing import Any, TypeAlias


class Variable:
    """A loop variable, which counts from 0 to below `extent`."""

    __slots__ = ("extent", "name")

    def __init__(self, name: str, extent: int) -> None:
        self.name = name
        self.extent = extent

    def bounds(self) -> tuple[int, int]:
        """Return the smallest and largest value."""
        return 0, max(self.extent - 1, 0)

    def key(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return self.name


class Quotient:
    """``inner // divisor`` or ``inner % divisor`` of an index that is never negative."""

    __slots__ = ("_key", "divisor", "inner", "remainder")

    def __init__(self, inner: Index, divisor: int, remainder: bool) -> None:
        # Native code divides numbers without signs.
        assert inner.bounds()[0] >= 0, f"{inner} may be negative"
        self.inner = inner
        self.divisor = divisor
        self.remainder = remainder
        self._key = _quotient_key(inner, divisor, remainder)

    def bounds(self) -> tuple[int, int]:
        low, high = self.inner.bounds()
        if self.remainder:
            return 0, min(self.divisor - 1, high)
        return low // self.divisor, high // self.divisor

    def key(self) -> str:
        return self._key

    def __repr__(self) -> str:
        return self._key


def _quotient_key(inner: Index, divisor: int, remainder: bool) -> str:
    return f"({inner.key()}){'%' if remainder else '/'}{divisor}"


class Measured:
    """A number that the loop computes, as a place that an index tensor names; `value` is the handler's
    scalar.

    It is from 0 to below `extent`: its maker sees to that.
    """

    __slots__ = ("_key", "extent", "value")

    def __init__(self, value: Any, key: str, extent: int) -> None:
        self.value = value
        self.extent = extent
        self._key = key

    def bounds(self) -> tuple[int, int]:
        return 0, max(self.extent - 1, 0)

    def key(self) -> str:
        return self._key

    def __repr__(self) -> str:
        return self._key


Atom: TypeAlias = "Variable | Quotient | Measured"


class Index:
    """``constant + Σ coefficient · atom``; it never changes."""

    __slots__ = ("_bounds", "_key", "constant", "terms")

    def __init__(self, terms: dict[str, tuple[Atom, int]], constant: int = 0) -> None:
        self.terms = terms
        self.constant = constant
        self._key: str | None = None
        self._bounds: tuple[int, int] | None = None

    def key(self) -> str:
        """Return what is equal for equal indices."""
        if self._key is None:
            parts = [f"{c}*{name}" for name, (_, c) in sorted(self.terms.items())]
            self._key = "+".join([*parts, str(self.constant)])
        return self._key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Index) and self.key() == other.key()

    def __hash__(self) -> int:
        return hash(self.key())

    def __repr__(self) -> str:
        return self.key()

    def divides(self) -> bool:
        """Return whether a quotient or a rest is a part of it."""
        return any(isinstance(atom, Quotient) for atom, _ in self.terms.values())

    def bounds(self) -> tuple[int, int]:
        """Return the smallest and largest value that the atoms' bounds allow."""
        if self._bounds is None:
            low = high = self.constant
            for atom, coefficient in self.terms.values():
                a, b = atom.bounds()
                low += coefficient * (a if coefficient > 0 else b)
                high += coefficient * (b if coefficient > 0 else a)
            self._bounds = low, high
        return self._bounds

    def __add__(self, other: Index | int) -> Index:
        if isinstance(other, int):
            return Index(self.terms, self.constant + other) if other else self
        if not other.terms:
            return self + other.constant
        if not self.terms:
            return other + self.constant
        terms = dict(self.terms)
        for name, (atom, coefficient) in other.terms.items():
            total = coefficient + (terms[name][1] if name in terms else 0)
            if total:
                terms[name] = (atom, total)
            else:
                del terms[name]
        return _merged(Index(terms, self.constant + other.constant))

    def __mul__(self, factor: int) -> Index:
        if factor == 0:
            return ZERO
        if factor == 1:
            return self
        return Index(
            {name: (atom, c * factor) for name, (atom, c) in self.terms.items()}, self.constant * factor
        )

    def __sub__(self, other: Index | int) -> Index:
        return self + (other * -1 if isinstance(other, Index) else -other)

    def _split(self, divisor: int) -> tuple[Index, Index]:
        """Return (multiple, rest) with ``self == divisor * multiple + rest``; the rest is never negative."""
        multiple: dict[str, tuple[Atom, int]] = {}
        rest: dict[str, tuple[Atom, int]] = {}
        for name, (atom, coefficient) in self.terms.items():
            if coefficient % divisor == 0:
                multiple[name] = (atom, coefficient // divisor)
            else:
                rest[name] = (atom, coefficient)
        above = _multiples(rest, self.constant, divisor)
        return Index(multiple, above), Index(rest, self.constant - above * divisor)

    def _below(self, divisor: int) -> tuple[int, Index, Index]:
        """Return (step, coarse, fine) with ``self == step · coarse + fine``, fine in [0, step) and step a
        divisor of `divisor`; step is 1 when there is no such split.
        """
        ordered = sorted(self.terms.items(), key=lambda item: -abs(item[1][1]))
        best = (1, self, ZERO)
        step = divisor
        for count, (_, (_, coefficient)) in enumerate(ordered, start=1):
            if (step := gcd(step, coefficient)) == 1:
                break
            terms = dict(ordered[count:])
            above = _multiples(terms, self.constant, step)
            fine = Index(terms, self.constant - above * step)
            low, high = fine.bounds()
            if low >= 0 and high < step:
                coarse = {name: (atom, c // step) for name, (atom, c) in ordered[:count]}
                best = (step, Index(coarse, above), fine)
        return best

    def __floordiv__(self, divisor: int) -> Index:
        if divisor == 1:
            return self
        multiple, rest = self._split(divisor)
        low, high = rest.bounds()
        if low >= 0 and high < divisor:
            return multiple
        step, coarse, _ = rest._below(divisor)
        if step > 1:
            return multiple + coarse // (divisor // step)
        return multiple + atom_index(Quotient(rest, divisor, False))

    def __mod__(self, divisor: int) -> Index:
        if divisor == 1:
            return ZERO
        _, rest = self._split(divisor)
        low, high = rest.bounds()
        if low >= 0 and high < divisor:
            return rest
        step, coarse, fine = rest._below(divisor)
        if step > 1:
            return (coarse % (divisor // step)) * step + fine
        return atom_index(Quotient(rest, divisor, True))

    def variables(self) -> set[str]:
        """Return names of the loop variables in it, also below quotients."""
        found: set[str] = set()
        for atom, _ in self.terms.values():
            if isinstance(atom, Variable):
                found.add(atom.name)
            elif isinstance(atom, Quotient):
                found |= atom.inner.variables()
        return found

    def coefficient(self, variable: Variable) -> int | None:
        """Return the factor of a variable; None when it also stands below a quotient."""
        for atom, _ in self.terms.values():
            if isinstance(atom, Quotient) and variable.name in atom.inner.variables():
                return None
        return self.terms[variable.name][1] if variable.name in self.terms else 0


def _multiples(terms: dict[str, tuple[Atom, int]], constant: int, divisor: int) -> int:
    """Return how many times a divisor can be taken out of a constant: terms that count down, as along an axis
    in reverse, need what keeps them from being negative.
    """
    return min(constant, Index(terms, constant).bounds()[0]) // divisor


def _merged(index: Index) -> Index:
    """Replace ``d·(x // d) + x % d`` by ``x``, and ``d·(x // d % e) + x % d`` by ``x % (d·e)``."""
    for atom, low_factor in index.terms.values():
        if type(atom) is not Quotient or not atom.remainder:
            continue
        whole = _quotient_key(atom.inner, atom.divisor, False)
        if whole in index.terms and index.terms[whole][1] == low_factor * atom.divisor:
            terms = {k: v for k, v in index.terms.items() if k not in (atom.key(), whole)}
            return Index(terms, index.constant) + atom.inner * low_factor
        for other, high_factor in index.terms.values():
            if (
                isinstance(other, Quotient)
                and other.remainder
                and high_factor == low_factor * atom.divisor
                and other.inner == atom.inner // atom.divisor
            ):
                terms = {k: v for k, v in index.terms.items() if k not in (atom.key(), other.key())}
                joined = atom.inner % (atom.divisor * other.divisor)
                return Index(terms, index.constant) + joined * low_factor
    return index


def atom_index(atom: Atom) -> Index:
    """Return the index that is one atom."""
    low, high = atom.bounds()
    return constant(low) if low == high else Index({atom.key(): (atom, 1)})


def constant(value: int) -> Index:
    """Return the index that is a number."""
    return Index({}, value)


ZERO = constant(0)

Indices = tuple[Index, ...]


def strides_of(shape: Sequence[int]) -> tuple[int, ...]:
    """Return elements to step per axis of a contiguous array."""
    return _strides(tuple(shape))


@functools.lru_cache(maxsize=4096)
def _strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))


def linear(indices: Iterable[Index], strides: Iterable[int], offset: int = 0) -> Index:
    """Return ``offset + Σ index · stride``."""
    total = constant(offset)
    for index, stride in zip(indices, strides, strict=True):
        if index.terms or index.constant:
            total = total + index * stride
    return total


def unravel(position: Index, shape: Sequence[int]) -> Indices:
    """Return the indices of the element at a position of a contiguous array."""
    parts = []
    for n, (extent, stride) in enumerate(zip(shape, strides_of(shape), strict=True)):
        if extent == 1:
            parts.append(ZERO)
        else:
            part = position // stride
            # The outermost index needs no remainder: the position is below the size.
            parts.append(part % extent if n else part)
    return tuple(parts)


def reshaped(indices: Indices, old: Sequence[int], new: Sequence[int]) -> Indices:
    """Return indices into the shape `old` for indices into the shape `new` of the same number of elements.

    Axes that both shapes share, and groups of axes of equal products, are translated by themselves, which
    keeps quotients out of the common cases (an axis of size 1 more or less, two axes merged).
    """
    result: list[Index] = []
    i = j = 0
    while i < len(old) or j < len(new):
        first_old, first_new = i, j
        size_old = old[i] if i < len(old) else 1
        size_new = new[j] if j < len(new) else 1
        i, j = min(i + 1, len(old)), min(j + 1, len(new))
        while size_old != size_new:
            if size_old < size_new:
                size_old *= old[i]
                i += 1
            else:
                size_new *= new[j]
                j += 1
        group = new[first_new:j]
        position = linear(indices[first_new:j], strides_of(group))
        result += unravel(position, old[first_old:i])
    return tuple(result)


def traced_back(
    old: Sequence[int], shape: tuple[int, ...], strides: Sequence[int], offset: int
) -> Callable[[Indices], Indices]:
    """Return what gives, for indices into a view of a contiguous array of shape `old`, those into the array.

    A view that reorders, cuts or repeats axes, or splits and joins neighbours, is told axis by axis.
    Quotients of the place in the whole array, which many axes make long to simplify, are for the others.
    """
    sources = None if 0 in old else _sources(old, shape, strides, offset)
    if sources is not None:
        return lambda at: tuple(
            at[own[0]] if by == [1] and not start else linear([at[n] for n in own], by, start)
            for own, by, start in sources
        )
    if offset == 0 and 0 not in old and prod(shape) == prod(old) and tuple(strides) == strides_of(shape):
        return lambda at: reshaped(at, old, shape)
    return lambda at: unravel(linear(at, strides, offset), old)


def _sources(
    old: Sequence[int], shape: Sequence[int], strides: Sequence[int], offset: int
) -> list[tuple[list[int], list[int], int]] | None:
    """Return for each axis of `old` the axes of a view that go along it, their steps on it, and where the
    view begins; None where an axis of the view leaves the one that it begins on.
    """
    steps = strides_of(old)
    starts = [offset // step % extent for extent, step in zip(old, steps, strict=True)]
    sources: list[tuple[list[int], list[int], int]] = [([], [], start) for start in starts]
    for own, (extent, stride) in enumerate(zip(shape, strides, strict=True)):
        if extent == 1 or stride == 0:
            continue
        axis = next((n for n, step in enumerate(steps) if old[n] > 1 and stride % step == 0), None)
        if axis is None:
            return None
        sources[axis][0].append(own)
        sources[axis][1].append(stride // steps[axis])
    for extent, (axes, by, start) in zip(old, sources, strict=True):
        if start + sum((shape[n] - 1) * step for n, step in zip(axes, by, strict=True)) >= extent:
            return None
    return sources
