"""Tangents of arithmetic are rounded as torch's, recorded from torch 2.13."""

from __future__ import annotations

import pytest

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


def test_gradient_of_x_log_of_a_number_is_such_a_product_in_its_dtype() -> None:
    g = torch.tensor([0.1, 0.7, 1.3])
    names = {torch.xlogy: "XlogyBackward2", torch.special.xlog1py: "SpecialXlog1PyBackward2"}
    for function, name in names.items():
        for number in (0.001, -2.0, float("nan")):
            x = torch.tensor([1.0, 0.0, 2.0], requires_grad=True)
            v = g.clone().requires_grad_()
            (found,) = torch.autograd.grad(function(x, number), x, v, create_graph=True)
            expected = function(g, number)
            if not number > 0:
                name, expected = "MaskedFillBackward0", expected.masked_fill(x == 0, 0)
            assert found.grad_fn.name() == name
            torch.testing.assert_close(found.detach(), expected.detach(), rtol=0, atol=0, equal_nan=True)


def test_special_complex_numbers() -> None:
    z = torch.tensor([0j, complex(-1, -0.0), complex("inf"), 2j], dtype=torch.complex128)
    assert str(z.reciprocal().tolist()) == "[(inf+nanj), (-1-0j), 0j, -0.5j]"
    assert str(z[:3:2].sigmoid().tolist()) == "[(0.5+0j), (1+0j)]"
    assert str(z[1].sigmoid().imag.item()) == "0.0"
    assert str(z[2:].sgn().tolist()) == "[(nan+nanj), 1j]"
    huge = torch.tensor([3e38 + 3e38j, -1e38j] * 9, dtype=torch.complex64)  # the first one's size is infinite
    assert huge.sgn()[:2].tolist() == torch.compile(torch.sgn)(huge)[:2].tolist() == [0, -1j]
    assert torch.tensor([3e-40 + 4e-40j, 2e-45j] * 9, dtype=torch.complex64).sgn()[:2].tolist() == [
        pytest.approx(0.6 + 0.8j, abs=2e-6), 1j,
    ]  # fmt: skip


def test_least_common_multiple_that_overflows_is_not_negative() -> None:
    assert torch.lcm(torch.tensor([2**62]), torch.tensor([3])).tolist() == [2**62]
