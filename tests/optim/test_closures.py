"""L-BFGS within compiled functions: the search runs eagerly, and what it evaluates as native code."""

from __future__ import annotations

from typing import Any

import pytest

import pullback as torch

pytest.importorskip("llvmlite")


def _problem() -> tuple[Any, Any, Any]:
    torch.manual_seed(0)
    x = torch.randn(50, 6, dtype=torch.float64)
    y = (x.sum(1) > 0).double()
    w = torch.zeros(6, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([w], max_iter=4, line_search_fn="strong_wolfe")

    def loss() -> Any:
        return torch.nn.functional.binary_cross_entropy_with_logits(x @ w, y) + 0.1 * w.square().sum()

    return w, optimizer, loss


def _outside(optimizer: Any, loss: Any) -> Any:
    def closure() -> Any:
        optimizer.zero_grad()
        value = loss()
        value.backward()
        return value

    return lambda: optimizer.step(closure)


def _inside(optimizer: Any, loss: Any) -> Any:
    def step() -> Any:
        def closure() -> Any:
            optimizer.zero_grad()
            value = loss()
            value.backward()
            return value

        return optimizer.step(closure)

    return step


@pytest.mark.filterwarnings("ignore:compile. .* runs eagerly")
@pytest.mark.parametrize("make", [_outside, _inside])
def test_the_closure_is_native_from_its_second_time(make: Any) -> None:
    (w, eager, loss), (v, optimizer, same) = _problem(), _problem()
    step, compiled = make(eager, loss), torch.compile(make(optimizer, same))
    for _ in range(4):
        torch.testing.assert_close(compiled(), step())
        torch.testing.assert_close(v, w)
    ((_, native),) = optimizer._closures._found.values()
    assert native._native.specializations


@pytest.mark.filterwarnings("ignore:compile. .* runs eagerly")
def test_a_closure_around_a_step_s_arguments_reads_those_of_each_call() -> None:
    w, optimizer, loss = _problem()

    def step(scale: float) -> Any:
        def closure() -> Any:
            optimizer.zero_grad()
            value = loss() * scale
            value.backward()
            return value

        return optimizer.step(closure)

    compiled = torch.compile(step)
    for scale in (1.0, 2.0, 3.0):
        with torch.no_grad():
            w.zero_()
        torch.testing.assert_close(compiled(scale), loss().detach() * 0 + scale * 0.6931471805599453)
    ((_, native),) = optimizer._closures._found.values()
    assert native._native.specializations


@pytest.mark.filterwarnings("ignore:compile. .* runs eagerly")
def test_a_closure_that_assigns_to_variables_around_it_stays_eager() -> None:
    _, optimizer, loss = _problem()

    def step() -> Any:
        calls = 0

        def closure() -> Any:
            nonlocal calls
            calls += 1
            optimizer.zero_grad()
            value = loss()
            value.backward()
            return value

        optimizer.step(closure)
        return calls

    compiled = torch.compile(step)
    assert compiled() > 1 and compiled() >= 1
    assert not optimizer._closures._found


@pytest.mark.filterwarnings("ignore:compile. .* runs eagerly")
def test_a_function_kept_from_a_closure_has_that_steps_variables() -> None:
    w = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.LBFGS([w], lr=0.0, max_iter=1)
    kept = []

    @torch.compile
    def step(scale: Any) -> Any:
        def closure() -> Any:
            optimizer.zero_grad()
            loss = lambda: (w * scale).sum()
            kept.append(loss)
            value = loss()
            value.backward()
            return value

        return optimizer.step(closure)

    for n in range(4):
        step(torch.tensor(float(n)))
    assert [loss().item() for loss in kept] == [0.0, 2.0, 4.0, 6.0]
