"""Every optimizer does torch's steps; what it refuses is in tests/errors."""

from __future__ import annotations

import copy
import gc
import weakref

import numpy as np
import pytest

import pullback as torch
from tests.recorded import load

from .programs import CONFIGURATIONS, steps

RECORD = load("optimizers")


# The loss of LBFGS's closure becomes a number with this warning in torch too.
@pytest.mark.filterwarnings("ignore:Converting a tensor with requires_grad=True")
@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_ten_steps_are_torchs(name: str) -> None:
    mine, theirs = steps(name, torch), RECORD[name]
    for kind in mine.keys() & {"real", "complex"}:
        for own, expected in zip(mine[kind], theirs[kind], strict=True):
            np.testing.assert_allclose(own, expected, rtol=1e-6, atol=1e-9)
    assert mine["state"] == theirs["state"]
    assert mine["groups"] == theirs["groups"]


@pytest.mark.parametrize("name", ["SGD(lr=.1)", "Adam()", "Rprop()", "Adagrad()"])
def test_a_step_that_is_loaded_goes_on(name: str) -> None:
    kind, options = CONFIGURATIONS[name]

    def make() -> tuple[list[torch.Tensor], torch.optim.Optimizer]:
        params = [torch.nn.Parameter(torch.arange(3.0))]
        return params, eval(f"torch.optim.{kind}(params, {options})", {"torch": torch, "params": params})

    params, optimizer = make()
    others, other = make()
    for step in range(4):
        params[0].grad = torch.tensor([1.0, -2.0, 0.5]) * (step - 1.5)
        optimizer.step()
        if step == 1:
            other.load_state_dict(copy.deepcopy(optimizer.state_dict()))
            others[0].data.copy_(params[0].data)
        if step > 1:
            others[0].grad = params[0].grad
            other.step()
    assert torch.equal(params[0], others[0])


def test_muon_moves_along_an_orthogonal_matrix() -> None:
    param = torch.nn.Parameter(torch.zeros(3, 5))
    optimizer = torch.optim.Muon([param], lr=1.0, weight_decay=0.0)
    param.grad = torch.tensor(np.random.default_rng(0).standard_normal((3, 5)).astype(np.float32))
    optimizer.step()
    singular = np.linalg.svd(param.detach().numpy(), compute_uv=False)
    # The iteration sends singular values near 1, not to 1 (0.7 to 1.2 with the default coefficients).
    assert (singular > 0.5).all() and (singular < 1.3).all()


def test_muon_divides_a_buffer_in_bfloat16_as_torch_does() -> None:
    param = torch.nn.Parameter(torch.zeros(2, 2, dtype=torch.bfloat16))
    optimizer = torch.optim.Muon([param], momentum=0.5, nesterov=False)
    param.grad = torch.tensor([[6.0, 0.0], [0.0, 8.0]]).bfloat16()
    optimizer.step()
    # Half of the gradient has the norm 5; torch's bfloat16() of it is the buffer itself.
    assert optimizer.state[param]["momentum_buffer"].float().tolist() == [[0.6015625, 0.0], [0.0, 0.80078125]]


def test_sums_of_adagrad_begin_at_the_value_of_the_constructor() -> None:
    params = [torch.ones(2, requires_grad=True) for _ in range(2)]
    groups = [{"params": params[:1]}, {"params": params[1:], "initial_accumulator_value": 0.5}]
    optimizer = torch.optim.Adagrad(groups, initial_accumulator_value=0.25)
    # torch 2.13 looks at no group's own value either.
    assert [optimizer.state[p]["sum"].tolist() for p in params] == [[0.25, 0.25]] * 2


def test_differentiable_step() -> None:
    rate = torch.tensor(0.1, requires_grad=True)
    start = torch.ones(2, requires_grad=True)
    param = start.clone()
    param.grad = (start * 3).detach()
    optimizer = torch.optim.SGD([param], lr=0.5, differentiable=True)
    optimizer.step()
    (param.sum() * rate).backward()
    assert start.grad.tolist() == pytest.approx([0.1, 0.1])


def test_an_optimizer_with_a_schedule_is_freed_without_the_collector() -> None:
    gc.disable()
    try:
        optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.1)
        schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
        gone = weakref.ref(optimizer)
        del optimizer, schedule
        assert gone() is None
    finally:
        gc.enable()


def test_a_loaded_state_is_not_copied():
    """As in torch: a state dict that was loaded once goes on with the steps."""
    x = torch.ones(3, requires_grad=True)
    first = torch.optim.Adam([x], lr=0.1)
    x.grad = torch.ones(3)
    first.step()
    state = first.state_dict()
    second = torch.optim.Adam([x], lr=0.1)
    second.load_state_dict(state)
    assert second.state[x]["exp_avg"] is first.state[x]["exp_avg"]
    second.step()
    assert state["state"][0]["step"].item() == 2
    assert torch.equal(state["state"][0]["exp_avg"], second.state[x]["exp_avg"])


@pytest.mark.parametrize(
    ("name", "state", "first", "later"),
    [("Rprop", "step_size", 2, 8), ("ASGD", "eta", 1, 4), ("Adamax", "exp_inf", 2, 8)],
)
def test_a_state_is_written_as_often_as_in_torch(name, state, first, later):
    param = torch.ones(3, requires_grad=True)
    optimizer = getattr(torch.optim, name)([param], lr=0.01)
    versions = []
    for _ in range(4):
        param.grad = torch.ones(3)
        optimizer.step()
        versions.append(optimizer.state[param][state]._version)
    assert (versions[0], versions[-1]) == (first, later)


def test_a_deep_copy_counts_as_written():
    x, param = torch.ones(3), torch.nn.Parameter(torch.ones(3))
    assert [copy.deepcopy(v)._version for v in (x, x[::2], param)] == [1, 1, 0]
