"""Every schedule sets torch's rates; averaged models are torch's."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import pullback as torch
from tests.recorded import load

from .programs import SCHEDULES, averages, rates

RECORD = load("schedules")


@pytest.mark.parametrize("name", SCHEDULES)
def test_rates_are_torchs(name: str) -> None:
    mine, theirs = rates(name, torch), RECORD[name]
    np.testing.assert_allclose(mine["trace"], theirs["trace"], rtol=1e-12)
    np.testing.assert_allclose(mine["last"], theirs["last"], rtol=1e-12)
    assert mine["state"] == theirs["state"]


@pytest.mark.parametrize(
    "source",
    ["StepLR(o, 3, .5)", "CyclicLR(o, .01, .1, 3)", "SequentialLR(o, [ConstantLR(o), StepLR(o, 2)], [3])"]
)
def test_state_goes_on(source: str) -> None:
    def make() -> tuple[torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler]:
        optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.1, momentum=0.5)
        names = {**vars(torch.optim.lr_scheduler), "o": optimizer}
        return optimizer, eval(source, names)

    optimizer, schedule = make()
    for _ in range(5):
        optimizer.step()
        schedule.step()
    other, resumed = make()
    other.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    resumed.load_state_dict(copy.deepcopy(schedule.state_dict()))
    for _ in range(4):
        optimizer.step()
        schedule.step()
        other.step()
        resumed.step()
        assert schedule.get_last_lr() == resumed.get_last_lr()


def test_a_schedule_stepped_first_warns() -> None:
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.1)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2)
    with pytest.warns(
        UserWarning, match=r"Detected call of `lr_scheduler.step\(\)` before `optimizer.step\(\)`"
    ):
        schedule.step()


def test_averages_are_torchs() -> None:
    mine, theirs = averages(torch), load("averages")
    for kind, state in theirs.items():
        assert list(mine[kind]) == list(state)
        for key, value in state.items():
            np.testing.assert_allclose(mine[kind][key], value, rtol=1e-5, atol=1e-6)
