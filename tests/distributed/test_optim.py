"""An optimizer whose state would be divided among processes does in a group of one what its class does."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import pullback
from pullback import distributed, nn
from pullback.distributed.optim import ZeroRedundancyOptimizer


@pytest.fixture
def group() -> Iterator[None]:
    distributed.init_process_group("gloo", rank=0, world_size=1)
    yield
    distributed.destroy_process_group()


def train(optimizer: pullback.optim.Optimizer, layer: nn.Module) -> list[float]:
    schedule = pullback.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = layer(pullback.ones(4, 3)).pow(2).sum()
        loss.backward()
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
    return losses


@pytest.mark.usefixtures("group")
def test_steps_are_those_of_its_class() -> None:
    pullback.manual_seed(0)
    one, other = nn.Linear(3, 2), nn.Linear(3, 2)
    other.load_state_dict(one.state_dict())
    parted = ZeroRedundancyOptimizer(one.parameters(), pullback.optim.AdamW, lr=0.1, weight_decay=0.1)
    plain = pullback.optim.AdamW(other.parameters(), lr=0.1, weight_decay=0.1)
    assert train(parted, one) == train(plain, other)

    with pytest.raises(
        RuntimeError, match=r"has not been consolidated on this rank. Please call `consolidate"
    ):
        parted.state_dict()
    parted.consolidate_state_dict(to=0)
    state, expected = parted.state_dict(), plain.state_dict()
    assert state["param_groups"] == expected["param_groups"]
    assert pullback.equal(state["state"][0]["exp_avg"], expected["state"][0]["exp_avg"])

    resumed = ZeroRedundancyOptimizer(one.parameters(), pullback.optim.AdamW, lr=1.0)
    resumed.load_state_dict(state)
    assert resumed.param_groups[0]["lr"] == 0.0125
    assert train(resumed, one) == train(plain, other)


@pytest.mark.usefixtures("group")
def test_groups_that_are_added() -> None:
    extra = nn.Parameter(pullback.ones(2))
    optimizer = ZeroRedundancyOptimizer([nn.Parameter(pullback.ones(1))], pullback.optim.SGD, lr=0.5)
    optimizer.add_param_group({"params": [extra], "lr": 0.25})
    extra.grad = pullback.ones(2)
    assert optimizer.step(lambda: "loss") == "loss"
    assert extra.tolist() == [0.75, 0.75]


@pytest.mark.parametrize(
    ("params", "error", "text"),
    [
        ([], ValueError, "ZeroRedundancyOptimizer got an empty parameter list"),
        ([1], TypeError, "`params` argument should be an iterable of Tensors or dicts"),
        (
            nn.Parameter(pullback.ones(2)), TypeError,
            "`params` argument should be an iterable of Tensors, but got torch.FloatTensor",
        ),
        (
            [nn.Parameter(pullback.ones(2))], ValueError,
            "Default process group has not been initialized, please make sure to call init_process_group.",
        ),
    ],
)  # fmt: skip
def test_errors(params: object, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as seen:
        ZeroRedundancyOptimizer(params, pullback.optim.SGD)
    assert str(seen.value) == text
    with pytest.raises(NotImplementedError, match="Overlapping DDP with ZeRO may meet hangs"):
        ZeroRedundancyOptimizer(params, pullback.optim.SGD, overlap_with_ddp=True)
