"""torch.jit.trace gives programs, which run at other sizes, train, and go to files and back."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

import pullback as torch
from pullback import nn


def network() -> Any:
    torch.manual_seed(0)
    layers = [nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(144, 2)]
    return nn.Sequential(*layers).eval()


def test_a_module_runs_at_other_batch_sizes_and_trains() -> None:
    model = network()
    traced = torch.jit.trace(model, torch.randn(2, 3, 8, 8))
    assert isinstance(traced, torch.jit.ScriptModule)
    assert list(traced.state_dict()) == list(model.state_dict())
    x = torch.randn(5, 3, 8, 8)
    assert torch.equal(traced(x), model(x))
    traced(x).sum().backward()
    assert model[0].weight.grad is not None
    assert "conv_biased" in traced.code


def test_files(tmp_path: Path) -> None:
    model, x = network(), torch.randn(3, 3, 8, 8)
    path = tmp_path / "model.pt"
    torch.jit.save(torch.jit.trace(model, x[:2]), path, _extra_files={"labels": "a,b"})
    extra = {"labels": ""}
    loaded = torch.jit.load(path, _extra_files=extra)
    assert torch.equal(loaded(x), model(x))
    assert extra["labels"] == b"a,b"
    loaded(x).sum().backward()
    assert loaded.state_dict()["4.weight"].shape == (2, 144)


def test_functions() -> None:
    def f(a: Any, b: Any) -> Any:
        return {"product": a @ b, "sum": (a.sum(), b.sum())}

    traced = torch.jit.trace(f, (torch.ones(2, 3), torch.ones(3, 2)))
    assert traced.name == "f"
    a, b = torch.randn(4, 3), torch.randn(3, 5)
    assert torch.equal(traced(a, b)["product"], a @ b)
    memory = io.BytesIO(traced.save_to_buffer())
    again = torch.jit.load(memory)
    assert torch.equal(again(torch.eye(2, 3), torch.ones(3, 2))["sum"][1], torch.tensor(6.0))


def test_what_python_decides_is_fixed_and_warned_of() -> None:
    def f(x: Any) -> Any:
        return x if x.sum() > 0 else -x

    with pytest.warns(torch.jit.TracerWarning, match="treated as a constant"):
        traced = torch.jit.trace(f, torch.ones(3))
    assert torch.equal(traced(-torch.ones(3)), -torch.ones(3))


def test_tracing_is_seen() -> None:
    seen = []

    def f(x: Any) -> Any:
        seen.append(torch.jit.is_tracing())
        return x + 1

    torch.jit.trace(f, torch.ones(3))
    assert seen == [True]
    assert not torch.jit.is_tracing()


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "state.pt"
    torch.save({"a": torch.ones(2)}, path)
    with pytest.raises(RuntimeError, match="is not a program that pullback has saved"):
        torch.jit.load(path)
    with pytest.raises(RuntimeError, match="does not save TorchScript"):
        torch.jit.save(nn.Linear(1, 1), path)
