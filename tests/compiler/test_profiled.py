"""Under a profiler a compiled function tells of its native kernels, and computes what it computes without."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import pullback as torch
from pullback.profiler import profile

pytest.importorskip("llvmlite")


def step_and_parameters() -> tuple[Any, list[torch.Tensor]]:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(9, 7), torch.nn.Tanh(), torch.nn.Linear(7, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.5)

    @torch.compile(fullgraph=True)
    def step(x: torch.Tensor) -> torch.Tensor:
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        return loss

    return step, list(model.parameters())


def test_kernels_are_named_and_change_no_number(tmp_path: Path) -> None:
    x = torch.randn(5, 9, generator=torch.Generator().manual_seed(1))
    step, parameters = step_and_parameters()
    losses = [step(x).item() for _ in range(5)]
    profiled, others = step_and_parameters()
    found = [profiled(x).item() for _ in range(2)]
    with profile() as recorded:
        found += [profiled(x).item() for _ in range(2)]
    assert [*found, profiled(x).item()] == losses
    assert all(torch.equal(a, b) for a, b in zip(parameters, others, strict=True))

    averages = {event.key: event for event in recorded.key_averages()}
    region = averages["Torch-Compiled Region: step_and_parameters.<locals>.step"]
    assert region.count == 2
    assert averages["native: matrix product, 5 x 9 by 9 x 7"].count == 2
    assert averages["native: add, tanh over 35 elements"].count == 2
    assert averages["pullback: compile the kernels apart"].count == 1
    inside = [e for e in recorded.events() if e.name.startswith("native")]
    assert {e.cpu_parent.name for e in inside} == {region.key}
    path = tmp_path / "trace.json"
    recorded.export_chrome_trace(str(path))
    events = json.loads(path.read_text())["traceEvents"]
    assert sum(event["name"].startswith("native: ") for event in events) == len(inside)


def test_refused_indices_and_array_kernels() -> None:
    table = torch.arange(6.0)

    @torch.compile
    def f(x: torch.Tensor, at: torch.Tensor) -> torch.Tensor:
        return torch.linalg.inv(x)[:3, :3] * table[at]

    # The inverse of a matrix of up to 64 KiB is native.
    x, at = torch.eye(130) * 2, torch.tensor([0, 5, 2])
    expected = f(x, at)
    with profile() as recorded:
        assert torch.equal(f(x, at), expected)
        with pytest.raises(IndexError, match="out of range|out of bounds"):
            f(x, torch.tensor([0, 6, 2]))
    assert any(e.name.startswith("native: array kernel") for e in recorded.events())
