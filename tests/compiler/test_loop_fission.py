"""Products of all steps of a loop are one product: the same values, and no product in the loop that need not
wait for a step.
"""

from __future__ import annotations

from typing import Any

import pytest

import pullback as torch

from .test_roll import agree, drawn, loops

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.usefixtures("in_haste")

PRODUCTS = {"linear", "linear_weight", "mm", "addmm", "addmm_nt"}


def products(program: Any) -> list[list[str]]:
    """Return the products in the bodies of a program's loops."""
    return [[e.op for e in loop.attrs[0].equations if e.op in PRODUCTS] for loop in loops(program)]


def test_a_recurrent_layer_multiplies_states_only() -> None:
    layer = torch.nn.LSTM(5, 7)
    weights = [p.detach() for p in layer.parameters()]

    def run(x: Any, *given: Any) -> Any:
        names = [name for name, _ in layer.named_parameters()]
        return torch.func.functional_call(layer, dict(zip(names, given, strict=True)), (x,))[0]

    found = agree(run, drawn(12, 3, 5), *weights, most=None)
    # Its weight is transposed once, before the loop.
    assert products(found.program) == [["mm"]]
    assert products(found.pullback) == [["mm"]]


def test_a_step_takes_what_the_call_and_its_pullback_share_once() -> None:
    layer = torch.nn.GRU(5, 7)

    @torch.compile(fullgraph=True)
    def step(x: Any) -> Any:
        layer.zero_grad()
        out = layer(x)[0].square().sum()
        out.backward()
        return out

    step(drawn(12, 3, 5))
    found = step._native.specializations[0].captured.program
    assert products(found) == [["mm"], ["mm"]]
    got = [p.grad.clone() for p in layer.parameters()]
    layer.zero_grad()
    layer(drawn(12, 3, 5))[0].square().sum().backward()
    for mine, parameter in zip(got, layer.parameters(), strict=True):
        torch.testing.assert_close(mine, parameter.grad)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("turned", [False, True])
def test_a_cell_by_hand(bias: bool, turned: bool) -> None:
    def run(x: Any, h: Any, w: Any, u: Any, b: Any) -> Any:
        outs = []
        for t in range(20):
            if turned:
                given = x[t] @ w + b if bias else x[t] @ w
            else:
                given = torch.nn.functional.linear(x[t], w.t(), b if bias else None)
            h = torch.tanh(given + h @ u)
            outs.append(h)
        return torch.stack(outs)

    found = agree(run, drawn(20, 3, 5), drawn(3, 7), drawn(5, 7), drawn(7, 7), drawn(7), most=None)
    assert [len(body) for body in products(found.program)] == [1]
    assert [len(body) for body in products(found.pullback)] == [1]


def test_results_of_all_steps_are_multiplied_together() -> None:
    def run(x: Any, w: Any, v: Any) -> Any:
        outs, h = [], torch.zeros(2, 6)
        for t in range(9):
            h = torch.sin(h * 0.5 + x[t]).cos() + x[t]
            outs.append(h @ v)
        return torch.stack(outs), h @ w

    found = agree(run, drawn(9, 2, 6), drawn(6, 4), drawn(6, 5), most=None)
    assert products(found.program) == [[]]
    assert not any(body for body in products(found.pullback))


def test_products_of_many_rows_stay() -> None:
    def run(x: Any, w: Any) -> Any:
        h = torch.zeros(200, 8)
        for t in range(12):
            h = torch.tanh(x[t] @ w + h * 0.5).sin() * 2
        return h

    found = agree(run, drawn(12, 200, 8), drawn(8, 8), most=None)
    assert products(found.program) == [["mm"]]
