"""Tangents of arithmetic are rounded as torch's, recorded from torch 2.13."""

from __future__ import annotations

import pullback as torch


def test_tangent_of_a_quotient() -> None:
    x, y, tangent_x, tangent_y = (
        torch.arange(1, 7, dtype=torch.float32) * step + start
        for step, start in ((0.37, 0.1), (0.71, -3.0), (0.13, 1.0), (-0.29, 0.7))
    )
    _, both = torch.func.jvp(torch.div, (x, y), (tangent_x, tangent_y))
    assert both.tolist() == [
        -0.5301958918571472, -0.8378464579582214, -1.325934648513794, 18.890600204467773, 7.83471155166626,
        2.9324774742126465,
    ]  # fmt: skip
    _, one = torch.func.jvp(lambda v: 1 / v, (y,), (tangent_y,))
    assert one.tolist() == [
        -0.07818310707807541, -0.048069220036268234, 0.22460031509399414, 17.96872901916504,
        2.479339122772217, 0.6550770401954651,
    ]  # fmt: skip
