"""Gradients of parts that were taken one by one: a stack in place of a sum of arrays that are mostly zeros.

The pullback of ``x[0]``, ``x[1]``, … puts each covector into zeros in the shape of x and adds these up, which
takes time in the square of their number. Covectors of one place are added up by themselves, in the same
order; they may be parts of parts, as of ``x[0][1]``, so this goes on as long as there are sums of parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...core.recorder import Equation, Reference

if TYPE_CHECKING:
    from .loop_rolling import Roller

#: Parts from which a stack is made.
LEAST = 4


class _Parts(NamedTuple):
    """A sum of covectors at places of zeros; they have the `width` given or, where it is 0, lack the axis."""

    shape: tuple[int, ...]
    dim: int
    width: int
    #: The covectors by their places, and the equations that are not needed once they are stacked.
    covectors: dict[int, Reference]
    equations: list[int]
    #: What adds covectors of one place up, by the equation in whose place it stands.
    sums: list[tuple[int, Equation]]

    def add(self, other: _Parts, n: int, roller: Roller) -> None:
        """Add other parts, as equation `n` does."""
        for place, covector in other.covectors.items():
            known = self.covectors.get(place)
            if known is not None:
                both = Reference(roller.made(*roller.kind(covector.index)))
                self.sums.append((n, Equation("add", (known, covector), (), (both.index,), False)))
                covector = both
            self.covectors[place] = covector
        self.equations.extend([*other.equations, n])
        self.sums.extend(other.sums)


def gathered(equations: Sequence[Equation], roller: Roller, needed: Iterable[int]) -> list[Equation]:
    """Return the equations with stacks of covectors; `needed` are the values that others read."""
    found, wanted = list(equations), list(needed)
    while any(equation.op in ("select_backward", "slice_backward") for equation in found):
        before = len(found)
        found = _gathered(found, roller, wanted)
        if len(found) == before:
            break
    return found


def _place(equation: Equation) -> tuple[tuple[int, ...], int, int, int] | None:
    """Return (shape, axis, width, place) of zeros with a covector at one place; None for other equations."""
    if equation.op == "select_backward":
        shape, dim, index = equation.attrs
        return shape, dim, 0, index
    if equation.op == "slice_backward":
        shape, dim, start, stop, step = equation.attrs
        width = stop - start
        if step == 1 and width > 0 and start % width == 0:
            return shape, dim, width, start // width
    return None


def _gathered(equations: Sequence[Equation], roller: Roller, needed: Iterable[int]) -> list[Equation]:
    uses = Counter(needed)
    uses.update([o.index for e in equations for o in e.operands if type(o) is Reference])
    sums: dict[int, _Parts] = {}
    last: dict[int, int] = {}
    for n, equation in enumerate(equations):
        out = equation.outputs[0]
        if (placed := _place(equation)) is not None:
            shape, dim, width, index = placed
            sums[out] = _Parts(shape, dim, width, {index: equation.operands[0]}, [n], [])
        elif equation.op == "add" and all(
            type(o) is Reference and o.index in sums and uses[o.index] == 1 for o in equation.operands
        ):
            a, b = (sums[o.index] for o in equation.operands)
            if a[:3] != b[:3]:
                continue
            if len(a.covectors) < len(b.covectors):
                a, b = b, a
            # Each is read here only: one may grow.
            a.add(b, n, roller)
            for operand in equation.operands:
                del sums[operand.index]
            sums[out] = a
            last[out] = n
    replaced: dict[int, list[Equation]] = {}
    dropped: set[int] = set()
    for out, n in last.items():
        parts = sums.get(out)
        if parts is None or len(parts.covectors) + len(parts.sums) < LEAST:
            continue
        places = sorted(parts.covectors)
        if places[-1] + 1 - places[0] != len(places):
            continue
        dropped.update(parts.equations)
        for at, add in parts.sums:
            replaced.setdefault(at, []).append(add)
        replaced.setdefault(n, []).extend(_joined(parts, out, places, roller))
    result: list[Equation] = []
    for n, equation in enumerate(equations):
        if n in replaced:
            result += replaced[n]
        elif n not in dropped:
            result.append(equation)
    return result


def _joined(parts: _Parts, out: int, places: list[int], roller: Roller) -> Iterable[Equation]:
    """Yield the equations that write the covectors of places side by side, and zeros around them."""
    covectors = tuple(parts.covectors[place] for place in places)
    low, high, width = places[0], places[-1] + 1, parts.width or 1
    whole = (*parts.shape[: parts.dim], (high - low) * width, *parts.shape[parts.dim + 1 :])
    complete = whole == tuple(parts.shape)
    stack, added = (roller.made(whole, roller.recorder.dtypes[out]) for _ in range(2))
    if parts.width:
        yield Equation("cat", covectors, ((width,) * len(covectors), parts.dim), (stack,), False)
    else:
        yield Equation("stack", covectors, (parts.dim,), (stack,), False)
    # Every place but a lone one has had the zeros of another added to it, which turn -0.0 to 0.0. That is
    # free but for stacks of a MB: 13 % of a step of 60 parts of 64×64, nothing on 30 of 16×16.
    zero = 0.0 if len(places) > 1 else -0.0
    yield Equation("add", (Reference(stack), zero), (), (out if complete else added,), False)
    if not complete:
        attrs = (parts.shape, parts.dim, low * width, high * width, 1)
        yield Equation("slice_backward", (Reference(added),), attrs, (out,), False)
