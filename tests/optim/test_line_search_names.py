"""torch's private names of the line search, as pytorch-minimize calls them."""

from __future__ import annotations

import math
from typing import Any

import pytest

import pullback as torch
from pullback.optim.lbfgs import _cubic_interpolate, _strong_wolfe


def test_cubic_with_slopes_of_a_parabola() -> None:
    # (x − 1)² at 0 and 3
    assert _cubic_interpolate(0.0, 1.0, -2.0, 3.0, 4.0, 4.0) == pytest.approx(1.0)


def test_cubic_without_a_minimum_gives_the_middle() -> None:
    assert _cubic_interpolate(0.0, 0.0, 1.0, 1.0, 1.0, 1.0, bounds=(2.0, 4.0)) == 3.0
    assert _cubic_interpolate(0.0, 0.0, 1.0, 1.0, 0.9, 1.0, bounds=(2.0, 4.0)) == 3.0


def test_a_step_meets_both_conditions() -> None:
    def loss(x: Any, t: float, d: Any) -> tuple[float, Any]:
        at = x + t * d
        return float((at**4).sum()), 4 * at**3

    x, d = torch.tensor([2.0]), torch.tensor([-1.0])
    f, g = loss(x, 0.0, d)
    slope = float(g.dot(d))
    f_new, g_new, t, evaluations = _strong_wolfe(loss, x, 1.0, d, f, g, slope)
    assert f_new <= f + 1e-4 * t * slope
    assert abs(float(g_new.dot(d))) <= 0.9 * abs(slope)
    assert evaluations >= 1
    assert math.isfinite(t)
