"""Say what stages of Fourier transforms are made of: roots of unity, and the transform of a few numbers.

Numbers are pairs of a handler's real scalars, or of what stands for many of these.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from math import cos, pi, sin, sqrt
from typing import Any, Protocol

import numpy as np

from .handlers import Pair

#: The radices of stages, those that are tried first in front.
RADICES = (8, 4, 6, 10, 9, 2, 3, 5, 7, 11, 13)


class Arithmetic(Protocol):
    """Compute with real scalars, or with what stands for many of these."""

    def add(self, x: Any, y: Any, /) -> Any: ...
    def sub(self, x: Any, y: Any, /) -> Any: ...
    def mul(self, x: Any, y: Any, /) -> Any: ...
    def neg(self, x: Any, /) -> Any: ...
    def constant(self, value: Any, dtype: np.dtype[Any], /) -> Any: ...


def root(turn: int, length: int) -> complex:
    """Return exp(-2πi·turn/length), exact where a part is 0, 1/2 or 1."""
    turn %= length
    eighth, rest = divmod(8 * turn, length)
    if not rest:
        half = sqrt(0.5)
        skew = half - half * 1j
        return (1, skew, -1j, -skew.conjugate(), -1, -skew, 1j, skew.conjugate())[eighth]
    # Angles of at most an eighth of a turn lose least.
    quarter = (8 * turn + length) // (2 * length)
    angle = 2 * pi * (4 * turn - quarter * length) / (4 * length)
    return (cos(angle) - sin(angle) * 1j) * (1, -1j, -1, 1j)[quarter % 4]


def turned(ops: Arithmetic, x: Pair, root: complex) -> Pair:
    """Return a pair times a number of size 1."""
    re, im = x
    if root == 1:
        return x
    if root == -1:
        return Pair(ops.neg(re), ops.neg(im))
    if root == -1j:
        return Pair(im, ops.neg(re))
    if root == 1j:
        return Pair(ops.neg(im), re)
    dtype = re.dtype
    a, b = ops.constant(root.real, dtype), ops.constant(root.imag, dtype)
    return Pair(ops.sub(ops.mul(re, a), ops.mul(im, b)), ops.add(ops.mul(re, b), ops.mul(im, a)))


def added(ops: Arithmetic, x: Pair, y: Pair) -> Pair:
    """Return the sum of two pairs."""
    return Pair(ops.add(x.real, y.real), ops.add(x.imag, y.imag))


def taken(ops: Arithmetic, x: Pair, y: Pair) -> Pair:
    """Return the difference of two pairs."""
    return Pair(ops.sub(x.real, y.real), ops.sub(x.imag, y.imag))


def few(ops: Arithmetic, xs: Sequence[Pair]) -> list[Pair]:
    """Return the transform of a few pairs."""
    if (n := len(xs)) == 1:
        return list(xs)
    factor = next(p for p in (2, 3, 5, 7, 11, 13) if n % p == 0)
    if factor == n:
        return _prime(ops, xs)
    rest = n // factor
    parts = [few(ops, xs[a::factor]) for a in range(factor)]
    found: list[Any] = [None] * n
    for k in range(rest):
        terms = [turned(ops, part[k], root(a * k, n)) for a, part in enumerate(parts)]
        found[k::rest] = few(ops, terms)
    return found


def _prime(ops: Arithmetic, xs: Sequence[Pair]) -> list[Pair]:
    """Return the transform of as many pairs as a prime number, of which two mirror each other."""
    n, first = len(xs), xs[0]
    if n == 2:
        return [added(ops, *xs), taken(ops, *xs)]
    half = range(1, n // 2 + 1)
    sums = [added(ops, xs[k], xs[n - k]) for k in half]
    gaps = [taken(ops, xs[k], xs[n - k]) for k in half]
    found: list[Any] = [functools.reduce(functools.partial(added, ops), [first, *sums])] + [None] * (n - 1)
    dtype = first.real.dtype

    def weighted(pairs: Sequence[Pair], weights: Sequence[float]) -> Pair:
        terms = []
        for pair, weight in zip(pairs, weights, strict=True):
            factor = ops.constant(weight, dtype)
            terms.append(Pair(ops.mul(pair.real, factor), ops.mul(pair.imag, factor)))
        return functools.reduce(functools.partial(added, ops), terms)

    for j in half:
        roots = [root(j * k, n) for k in half]
        even = added(ops, first, weighted(sums, [r.real for r in roots]))
        odd = weighted(gaps, [r.imag for r in roots])
        found[j] = Pair(ops.sub(even.real, odd.imag), ops.add(even.imag, odd.real))
        found[n - j] = Pair(ops.add(even.real, odd.imag), ops.sub(even.imag, odd.real))
    return found


@functools.lru_cache(256)
def radices(length: int) -> tuple[int, ...] | None:
    """Return the radices of the stages of a transform; None where a prime factor is too large."""
    found = []
    for radix in RADICES:
        while length % radix == 0 and length > 1:
            found.append(radix)
            length //= radix
    return tuple(found) if length == 1 else None


@functools.lru_cache(256)
def roots(radix: int, length: int, dtype: Any) -> np.ndarray:
    """Return the factors ``ω^(p·j)`` of a stage, as (part, j - 1, p)."""
    found = np.array([[root(p * j, length) for p in range(length // radix)] for j in range(1, radix)])
    return np.ascontiguousarray(np.stack([found.real, found.imag]), dtype)


@functools.lru_cache(256)
def half_turns(length: int, dtype: Any) -> np.ndarray:
    """Return ``exp(-2πi·k/length)`` for the first half of k, as (part, k)."""
    found = np.array([root(k, length) for k in range(length // 2)])
    return np.ascontiguousarray(np.stack([found.real, found.imag]), dtype)
