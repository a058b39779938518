"""A step length that satisfies the strong Wolfe conditions, by bracketing and cubic interpolation.

Nocedal & Wright, Numerical Optimization (2nd ed.), algorithms 3.5 and 3.6, with the safeguards of Schmidt's
minFunc, which torch uses too: the number of evaluations and every trial point are torch's.

Slopes are NumPy scalars of the parameters' dtype, and so is a step length that was interpolated: this
arithmetic rounds as that of torch's tensors without dimensions does, but for the square root, which MKL
gives torch from an estimate of the processor's with one bit wrong in a fifth of all cases.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .vectors import dot, number

#: Sufficient decrease, and how much of the slope may be left.
DECREASE, CURVATURE = 1e-4, 0.9

#: A bracket narrower than this, in the largest change of a parameter, is not searched further.
NARROW = 1e-9


class Point(NamedTuple):
    """A step length tried: the loss there, its gradient, and the slope along the direction."""

    step: float
    loss: float
    gradient: Any
    slope: float


def cubic_minimum(p: Point, q: Point, low: float, high: float) -> float:
    """Return where the cubic through two points, with their slopes, is lowest, within bounds; the middle of
    the bounds where it has no minimum.
    """
    left, right = (p, q) if p.step <= q.step else (q, p)
    d1 = p.slope + q.slope - _quotient(3 * (p.loss - q.loss), p.step - q.step)
    squared = d1 * d1 - p.slope * q.slope
    if not squared >= 0:
        return (low + high) / 2.0
    d2 = np.sqrt(squared)
    across = right.slope - left.slope + 2 * d2
    if not across:
        return (low + high) / 2.0
    at = right.step - (right.step - left.step) * ((right.slope + d2 - d1) / across)
    return min(max(at, low), high)


def _quotient(x: float, y: Any) -> Any:
    """Return x / y, where torch divides a number by a tensor as ``x·(1/y)``."""
    return x * (1 / y) if isinstance(y, np.floating) else x / y


def strong_wolfe(
    evaluate: Callable[[float], tuple[float, Any]], step: float, direction: Any, start: Point,
    most: int = 25, decrease: float = DECREASE, curvature: float = CURVATURE, narrow: float = NARROW,
) -> tuple[float, Any, float, int]:
    """Search along a direction.

    Parameters
    ----------
    evaluate : callable
        Loss and flat gradient at a step length.
    step : float
        First step length to try.
    direction : tensor
        The flat direction.
    start : Point
        Step length 0.
    most : int
        How many further evaluations there may be.
    decrease, curvature : float
        The constants of the two conditions.
    narrow : float
        How small a change of the parameters ends the search.

    Returns
    -------
    tuple
        Loss, gradient, step length, number of evaluations.
    """

    def at(length: float) -> Point:
        with np.errstate(**outside):
            loss, gradient = evaluate(length)
        return Point(length, loss, gradient, number(dot(gradient, direction)))

    outside = np.geterr()
    with np.errstate(all="ignore"):
        best, evaluations = _search(
            at, step, number(direction.abs().max()), start, most, decrease, curvature, narrow
        )
    return best.loss, best.gradient, best.step, evaluations


def _search(
    at: Callable[[float], Point], step: float, reach: float, start: Point, most: int, decrease: float,
    curvature: float, narrow: float,
) -> tuple[Point, int]:  # fmt: skip
    """Return `strong_wolfe` with the points themselves; `reach` is the direction's largest element."""

    def too_high(point: Point) -> bool:
        return point.loss > start.loss + decrease * point.step * start.slope

    before, new = start, at(step)
    tries = 0
    bracket: list[Point] | None = None
    while tries < most:
        if too_high(new) or (tries > 1 and new.loss >= before.loss):
            bracket = [before, new]
            break
        if abs(new.slope) <= -curvature * start.slope:
            return new, tries + 1
        if new.slope >= 0:
            bracket = [before, new]
            break
        length = cubic_minimum(before, new, new.step + 0.01 * (new.step - before.step), new.step * 10)
        before, new = new, at(length)
        tries += 1
    if bracket is None:
        bracket = [start, new]
    low, high = (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)
    stuck = False
    while tries < most:
        ends = sorted((bracket[0].step, bracket[1].step))
        width = ends[1] - ends[0]
        if width * reach < narrow:
            break
        length = cubic_minimum(bracket[0], bracket[1], *ends)
        # Too near an end twice running, or beyond it: a tenth of the width away from that end instead.
        if min(ends[1] - length, length - ends[0]) < 0.1 * width:
            if stuck or length >= ends[1] or length <= ends[0]:
                near_upper = abs(length - ends[1]) < abs(length - ends[0])
                length = ends[1] - 0.1 * width if near_upper else ends[0] + 0.1 * width
                stuck = False
            else:
                stuck = True
        else:
            stuck = False
        new = at(length)
        tries += 1
        if too_high(new) or new.loss >= bracket[low].loss:
            bracket[high] = new
            low, high = (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)
            continue
        done = abs(new.slope) <= -curvature * start.slope
        if not done and new.slope * (bracket[high].step - bracket[low].step) >= 0:
            bracket[high] = bracket[low]
        bracket[low] = new
        if done:
            break
    return bracket[low], tries + 1
