"""Tell a size in terms of sizes that are known when a program runs.

Of a size that varies its numbers in a few traces are known, and so are those of all sizes of values that are
there before it. Where they are the same numbers it is the same size; otherwise it is looked for among
multiples, parts, sums and products of such sizes.
"""

import itertools
import math
import operator
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, NamedTuple

Numbers = tuple[int, ...]

#: What a size may be divided by.
_DIVISORS = range(2, 65)
#: Sizes of which products of three are looked for.
_FEW = 12


class Formula(NamedTuple):
    """A size: of a value along an axis (`how` is None), or what a function of `operator` makes of two parts.

    A part is a formula or a number.
    """

    how: Callable[[Any, Any], Any] | None
    first: Any
    second: Any

    def told(self, size: Callable[[Any, int], Any], apply: Callable[[Any, Any, Any], Any]) -> Any:
        """Return what it comes to: `size` gives that of a value, ``apply(how, …)`` what two parts make."""
        if self.how is None:
            return size(self.first, self.second)
        first, second = (part.told(size, apply) if isinstance(part, Formula) else part for part in self[1:])
        return apply(self.how, first, second)


class Sizes:
    """Sizes that are known, by their numbers in the traces."""

    def __init__(self) -> None:
        self._known: dict[Numbers, Formula] = {}
        self._found: dict[Numbers, Formula | None] = {}

    def register(self, value: Hashable, axis: int, numbers: Numbers) -> None:
        """Note where a size stands."""
        if numbers not in self._known:
            self._known[numbers] = Formula(None, value, axis)
            self._found.clear()

    def formula(self, wanted: Numbers) -> Formula | None:
        """Return how a size follows from what is known; None where it does not."""
        if (known := self._known.get(wanted)) is not None:
            return known
        if wanted not in self._found:
            self._found[wanted] = next(self._candidates(wanted), None)
        return self._found[wanted]

    def _candidates(self, wanted: Numbers) -> Iterator[Formula]:
        known = self._known
        for values, size in known.items():
            if factor := _factor(values, wanted):
                yield Formula(operator.mul, size, factor)
            if divisor := _factor(wanted, values):
                yield Formula(operator.floordiv, size, divisor)
            rest = wanted[0] - values[0]
            if all(x - y == rest for x, y in zip(wanted, values, strict=True)):
                yield Formula(operator.add, size, rest)
        yield from self._products(wanted, known, 2)
        for values, size in known.items():
            run = values[1] - values[0]
            slope = (wanted[1] - wanted[0]) // run if run else 0
            rest = wanted[0] - slope * values[0]
            if slope and all(slope * v + rest == w for v, w in zip(values, wanted, strict=True)):
                yield Formula(operator.add, Formula(operator.mul, size, slope), rest)
        for (values, size), divisor in itertools.product(known.items(), _DIVISORS):
            for rest in range(-divisor, divisor + 1):
                if all((v + rest) // divisor == w for v, w in zip(values, wanted, strict=True)):
                    yield Formula(operator.floordiv, Formula(operator.add, size, rest), divisor)
        yield from self._products(wanted, dict(itertools.islice(known.items(), _FEW)), 3)

    @staticmethod
    def _products(wanted: Numbers, known: dict[Numbers, Formula], count: int) -> Iterator[Formula]:
        for group in itertools.combinations_with_replacement(known, count):
            product = tuple(math.prod(part) for part in zip(*group, strict=True))
            factor = 1 if product == wanted else _factor(product, wanted)
            if factor:
                made = known[group[0]]
                for values in group[1:]:
                    made = Formula(operator.mul, made, known[values])
                yield made if factor == 1 else Formula(operator.mul, made, factor)


def _factor(part: Sequence[int], whole: Sequence[int]) -> int:
    """Return the whole number above 1 that makes the one of the other; 0 where there is none."""
    factor = whole[0] // part[0] if part[0] else 0
    return factor if factor > 1 and all(p * factor == w for p, w in zip(part, whole, strict=True)) else 0
