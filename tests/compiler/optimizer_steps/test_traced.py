"""In a trace, parameters that are alike get the equations that each would have got."""

from __future__ import annotations

from typing import Any

import pytest

import pullback as torch
from pullback import nn, optim
from pullback.compiler.frontend.trace import trace
from pullback.compiler.optimizer_steps import traced as steps_of_a_trace
from pullback.compiler.optimizer_steps.traced import TracedSteps


class Mine(optim.SGD):
    """An optimizer of the user's own, whose update looks at more than its arguments."""

    def update(self, param: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        param.sub_(grad * group["lr"] * getattr(param, "factor", 1.0))


def traced(make: Any, monkeypatch: Any, change: Any = None, repeats: bool = True) -> tuple[str, Any, int]:
    """The program of a step, the parameters after it, and how many updates were written down again."""
    torch.manual_seed(0)
    model = nn.Sequential(*(nn.Linear(5, 5) for _ in range(4)), nn.Linear(5, 2))
    made = make(model.parameters())
    x = torch.randn(3, 5)
    if change is not None:
        change(model)

    def step(x: Any) -> Any:
        made.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        made.step()
        return loss

    step(x)
    count = [0]
    again = TracedSteps._again

    def counted(*args: Any) -> None:
        count[0] += 1
        again(*args)

    with monkeypatch.context() as patch:
        patch.setattr(TracedSteps, "_again", counted)
        if not repeats:
            patch.setattr(steps_of_a_trace, "steps_in_trace", lambda optimizer: None)
        program = trace(step, x, state=[model, made]).program
    values = [
        [p.tolist(), p._version, [s.tolist() for s in made.state[p].values()]] for p in model.parameters()
    ]
    return str(program), values, count[0]


@pytest.mark.parametrize(("name", "options"), [
    ("SGD", {}), ("SGD", {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1}),
    ("Adam", {"amsgrad": True}), ("AdamW", {"maximize": True}), ("Adagrad", {}), ("Adadelta", {}),
    ("Adamax", {}), ("ASGD", {}), ("NAdam", {}), ("RAdam", {}),
    ("RMSprop", {"centered": True, "momentum": 0.5}), ("Adafactor", {}),
])  # fmt: skip
def test_the_program_is_the_same(name, options, monkeypatch):
    def make(parameters: Any) -> Any:
        return getattr(optim, name)(parameters, lr=0.05, **options)

    first, second = (traced(make, monkeypatch, repeats=repeats) for repeats in (True, False))
    assert first[:2] == second[:2]
    # Of four weights and four biases the first is written down by its update.
    assert (first[2], second[2]) == (6, 0)


def test_groups_and_parameters_that_differ_are_apart(monkeypatch):
    def make(parameters: Any) -> Any:
        parameters = list(parameters)
        groups = [
            {"params": parameters[::4]},
            {"params": parameters[2::4], "lr": 0.5},
            {"params": parameters[1::2]},
        ]
        return optim.SGD(groups, lr=0.05, momentum=0.5)

    def without_bias(model: Any) -> None:
        model[1].bias.requires_grad_(False)

    first, second = (traced(make, monkeypatch, without_bias, repeats) for repeats in (True, False))
    assert first[:2] == second[:2] and first[2] == 4


def test_an_update_of_the_users_own_is_called_for_each_parameter(monkeypatch):
    def change(model: Any) -> None:
        model[1].weight.factor = 3.0

    first = traced(lambda p: Mine(p, lr=0.05), monkeypatch, change)
    assert first[2] == 0 and "3.0" in first[0]

    def make(parameters: Any) -> Any:
        made = optim.SGD(parameters, lr=0.05)
        made.update = lambda param, grad, state, group: param.sub_(grad)
        return made

    assert traced(make, monkeypatch)[2] == 0
