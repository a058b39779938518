"""Loss scaling: the factor's course, and torch's errors."""

from __future__ import annotations

import pickle

import pytest

import pullback as torch


def model() -> tuple[torch.nn.Linear, torch.optim.SGD]:
    linear = torch.nn.Linear(2, 1, bias=False)
    with torch.no_grad():
        linear.weight.fill_(1.0)
    return linear, torch.optim.SGD(linear.parameters(), lr=0.25)


def test_the_factor_adapts_and_a_bad_step_is_left_out() -> None:
    linear, optimizer = model()
    scaler = torch.amp.GradScaler("cpu", growth_interval=2)
    course = []
    for step in range(6):
        optimizer.zero_grad()
        loss = linear(torch.ones(1, 2)).sum() * (float("inf") if step == 3 else 1.0)
        scaler.scale(loss).backward()
        if step == 1:
            scaler.unscale_(optimizer)
            assert linear.weight.grad.tolist() == [[1.0, 1.0]]
        scaler.step(optimizer)
        scaler.update()
        course.append((scaler.get_scale(), scaler._get_growth_tracker(), linear.weight[0, 0].item()))
    assert course == [
        (65536.0, 1, 0.75), (131072.0, 0, 0.5), (131072.0, 1, 0.25), (65536.0, 0, 0.25), (65536.0, 1, 0.0),
        (131072.0, 0, -0.25),
    ]  # fmt: skip


def test_containers_are_scaled() -> None:
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
    assert scaler.scale([torch.ones(1), (torch.ones(1),)])[1][0].item() == 4.0
    with pytest.raises(ValueError, match="outputs must be a Tensor or an iterable of Tensors"):
        scaler.scale(3)


def test_without_cuda_it_is_disabled() -> None:
    linear, optimizer = model()
    with pytest.warns(UserWarning, match="torch.cuda.amp.GradScaler is enabled, but CUDA is not available"):
        scaler = torch.amp.GradScaler()
    loss = linear(torch.ones(1, 2)).sum()
    assert scaler.scale(loss) is loss
    loss.backward()
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    assert linear.weight.tolist() == [[0.75, 0.75]]
    assert (scaler.get_scale(), scaler.state_dict(), scaler.is_enabled()) == (1.0, {}, False)
    scaler.load_state_dict({})


def test_order_of_calls() -> None:
    linear, optimizer = model()
    scaler = torch.amp.GradScaler("cpu")
    with pytest.raises(AssertionError, match="Attempted unscale_ but _scale is None.  This may indicate"):
        scaler.unscale_(optimizer)
    scaler.scale(linear(torch.ones(1, 2)).sum()).backward()
    with pytest.raises(AssertionError, match="No inf checks were recorded prior to update."):
        scaler.update()
    scaler.unscale_(optimizer)
    with pytest.raises(RuntimeError, match="has already been called on this optimizer since the last update"):
        scaler.unscale_(optimizer)
    scaler.step(optimizer)
    with pytest.raises(RuntimeError, match="is being called after step"):
        scaler.unscale_(optimizer)
    with pytest.raises(RuntimeError, match="has already been called since the last update"):
        scaler.step(optimizer)
    with pytest.raises(RuntimeError, match="Closure use is not currently supported"):
        scaler.step(optimizer, closure=lambda: None)


def test_state() -> None:
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
    scaler.scale(torch.ones(1))
    state = {
        "scale": 8.0, "growth_factor": 2.0, "backoff_factor": 0.5, "growth_interval": 2000,
        "_growth_tracker": 0
    }  # fmt: skip
    assert scaler.state_dict() == state
    scaler.load_state_dict({**state, "scale": 2.0, "_growth_tracker": 5})
    assert (scaler.get_scale(), scaler._get_growth_tracker()) == (2.0, 5)
    assert pickle.loads(pickle.dumps(scaler)).state_dict() == scaler.state_dict()
    with pytest.raises(RuntimeError, match="The source state dict is empty"):
        scaler.load_state_dict({})
    with pytest.raises(AssertionError, match="The growth factor must be > 1.0."):
        torch.amp.GradScaler("cpu", growth_factor=0.5)
