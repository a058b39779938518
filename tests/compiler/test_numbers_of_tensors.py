"""A number that a tensor of the program gives is a value of one program where it meets tensors again."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as torch

from .test_number_inputs import programs, same

pytestmark = pytest.mark.usefixtures("in_haste")

CALLS = [(torch.arange(12.0).reshape(3, 4) / (n + 2) + n,) for n in range(10)]
F = torch.nn.functional
STEPS = {"n": 0}


def clipped(x: Any) -> Any:
    gradient, norm = x.clone(), x.norm().item()
    if norm > 1:
        gradient.mul_(1 / (norm + 1e-6))
    return gradient


def slope(x: Any) -> Any:
    w = x.clone().requires_grad_()
    loss = (w**2).sum()
    (loss / loss.item()).backward()
    return w.grad


def annealed(x: Any) -> Any:
    widest = (x.amax(0) - x.amin(0)).norm().item() / 99 + 3
    for e in np.arange(2 * np.log(widest), np.log(0.01), 2 * np.log(0.5)):
        x = -np.exp(e) * (x / np.exp(e)).logsumexp(0)
    return x


ONE_PROGRAM: dict[str, Callable[[Any], Any]] = {
    "operators": lambda x: (x * x.sum().item(), 1 - x / (1.0 + float(x.sum())), x - x.mean().item()),
    "comparisons": lambda x: (x > x.mean().item(), x.mean().item() <= x),
    "counts": lambda x: x * ((x > 2).sum().item() + 1) / int((x < 9).sum()),
    "integers": lambda x: torch.arange(3) * x.mean().item(),
    "functions": lambda x: x * -math.sqrt(abs(x.sum().item())),
    "powers": lambda x: (x * 0.9 ** x.mean().item(), x * (x.sum().item() ** 2) ** 0.5),
    "least and most": lambda x: (x / max(1, min(x.mean().item(), 5.5)), x * max(x.amax().item(), 4.0, 2.0)),
    "rounded": lambda x: (x * round(x.mean().item(), 2) + round(x.mean().item()), x - x.amax().item() % 3),
    "exponentials": lambda x: x.double() * math.exp(-x.mean().item()) + math.log1p(x.sum().item()),
    "float64": lambda x: x.double() * x.sum().item() + x.double().sum().item() * 0.5,
    "factors": lambda x: (x.add(x, alpha=x.mean().item()), x.addcmul(x, x, value=1 / x.sum().item())),
    "weights": lambda x: (x.lerp(x * 3, x.mean().item() / 20), x.lerp(x + 1, weight=x.mean().item())),
    "limits": lambda x: (x.clamp(max=x.mean().item()), x.clamp(x.mean().item(), x.amax().item() / 2)),
    "elements": lambda x: (torch.full((3,), x.mean().item()), torch.tensor(2 * x.sum().item())),
    "lists": lambda x: (torch.tensor([x.amax().item(), 1.0]), torch.full_like(x.double(), x.mean().item())),
    "exponents": lambda x: (x ** (x.mean().item() / 9 + 0.2), torch.pow(x, x.mean().item() / 9 + 0.2)),
    "slopes of functions": lambda x: (F.leaky_relu(x - 5, x.mean().item() / 30), F.elu(x, x.mean().item())),
    "ends": lambda x: (F.hardtanh(x, 0.5, x.mean().item()), F.threshold(x, x.mean().item(), 0.5)),
    "widths": lambda x: F.smooth_l1_loss(x, x * 2, beta=x.mean().item(), reduction="none"),
    "functions of NumPy's": lambda x: (x * np.exp(-x.mean().item()), x / -np.sqrt(x.sum().item()) + 1),
    "NumPy's numbers": lambda x: (x.double() * (np.log(x.mean().item()) * 2 - np.float64(3)) ** 2,),
    "NumPy's decisions": lambda x: x * 2 if np.log(x.sum().item()) > 1 else x,
    "ranges": lambda x: [
        x.double() * e for e in np.arange(x.sum().item() / 999, 3.05, np.log(x[0, 0].item() + 9))
    ],
    "steps": annealed,
    "branches": clipped,
    "slopes": slope,
}  # fmt: skip


@pytest.mark.parametrize("name", ONE_PROGRAM)
def test_one_program_serves_all_numbers(name):
    assert programs(ONE_PROGRAM[name], CALLS) == 1


def outcome(function: Callable[[Any], Any], x: Any) -> Any:
    try:
        return function(x.clone())
    except (ArithmeticError, RuntimeError, ValueError) as error:
        return str(error)


@pytest.mark.parametrize("function", [
    lambda x: x * (1 / (x.sum().item() - 3)), lambda x: x * math.sqrt(x.sum().item() - 3),
    lambda x: x * math.log(x.sum().item() - 3),
    lambda x: x * math.exp(x.sum().item() * 1e38), lambda x: x * (7 % (x.sum().item() - 3)),
    lambda x: torch.full((2,), x.sum().item() * 1e38), lambda x: torch.tensor(1 / (x.sum().item() - 3)),
    lambda x: x.clamp(max=x.sum().item() * 1e38), lambda x: x.add(x, alpha=x.sum().item() * 1e38),
])  # fmt: skip
def test_a_number_that_raises_an_error_raises_it(function):
    compiled = torch.compile(function)
    for n in (1.0, 5.0, 3.0, 2.0, 7.0, -9.0):
        found, expected = (outcome(f, torch.tensor([n])) for f in (compiled, function))
        assert found == expected if type(expected) is str else same(found, expected)
    assert len(compiled._native.specializations) == 1


def test_zeros_have_the_sign_that_they_have_in_python():
    def function(x):
        ones = torch.ones(2, dtype=torch.float64)
        return ones * (2.0 % x[0].item()), ones * (x[0].item() % 2), ones * round(x[1].item())

    compiled = torch.compile(function)
    for x in ([1.5, 3.0], [-1.0, -0.3], [-2.0, 0.4], [4.0, -0.5]):
        given = torch.tensor(x, dtype=torch.float64)
        assert [repr(t.tolist()) for t in compiled(given)] == [repr(t.tolist()) for t in function(given)]


def test_roots_of_negative_numbers_have_programs_of_their_own():
    def function(x):
        return x * (x.sum().item() - 3) ** -0.5

    compiled = torch.compile(function)
    for n in (4.0, 5.0, 2.0, 7.0, 3.0, 9.0):
        found, expected = (outcome(f, torch.tensor([n])) for f in (compiled, function))
        assert found == expected if type(expected) is str else same(found, expected)
    assert programs(function, CALLS) == 1


@pytest.mark.parametrize("momentum", [None, 0.1])
def test_statistics_move_by_a_number_of_each_call(momentum):
    models = []
    for _ in range(2):
        torch.manual_seed(0)
        models.append(torch.nn.Sequential(torch.nn.Conv1d(3, 4, 1), torch.nn.BatchNorm1d(4)))

    def step(model, x, n):
        model[1].momentum = momentum and momentum / n
        model(x).square().mean().backward()
        return model[1].running_var

    compiled = torch.compile(lambda x, n: step(models[1], x, n))
    for n in range(1, 12):
        x = torch.randn(5, 3, 2)
        expected, found = step(models[0], x, n), compiled(x, n)
        assert torch.allclose(found, expected, rtol=1e-5)
        assert torch.allclose(models[1][1].running_mean, models[0][1].running_mean, atol=1e-6)
        assert found._version == expected._version
    # The first calls make gradients, and find that numbers change.
    assert len(compiled._native.specializations) <= 4


def test_averages_of_models_count_in_one_program():
    models = [torch.nn.Linear(4, 2) for _ in range(2)]
    models[1].load_state_dict(models[0].state_dict())
    averages = [torch.optim.swa_utils.AveragedModel(model) for model in models]

    def step(n, x):
        with torch.no_grad():
            for p in models[n].parameters():
                p.mul_(0.9).add_(x.mean())
        averages[n].update_parameters(models[n])
        return averages[n](x)

    compiled = torch.compile(lambda x: step(1, x))
    for (x,) in CALLS:
        assert same(compiled(x), step(0, x))
    # The first call copies.
    assert len(compiled._native.specializations) == 2


def test_a_function_that_is_decorated_in_each_call_is_of_the_program():
    def step(x):
        @torch.no_grad()
        def twice(y):
            return y * 2

        return twice(x) + torch.enable_grad()(lambda y: y + 1)(x)

    assert programs(step, CALLS) == 1


def test_a_decay_by_the_power_of_a_count_is_one_program():
    def step(x):
        STEPS["n"] += 1
        return x * (1 - math.pow(STEPS["n"], -0.8))

    compiled = torch.compile(step)
    STEPS["n"] = 0
    for n, (x,) in enumerate(CALLS):
        assert same(compiled(x), x * (1 - math.pow(n + 1, -0.8)))
    assert len(compiled._native.specializations) == 1
