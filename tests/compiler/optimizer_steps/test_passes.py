"""Without a compiler, steps for all parameters at once give the bits and versions of steps one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback.array import large
from pullback.compiler.optimizer_steps import native, passes

SHAPES = [(3, 5), (7, 4), (130,), (40, 30), (700,), (1,), (5, 0)]

OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("SGD", {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1, "maximize": True}),
    ("Adam", {"amsgrad": True, "weight_decay": 0.1}),
    ("AdamW", {"betas": (0.3, 0.9)}),
    ("RAdam", {}),
    ("Adagrad", {"lr_decay": 0.1}),
    ("Adadelta", {}),
    ("RMSprop", {"momentum": 0.9, "centered": True}),
    ("Rprop", {}),
]


@pytest.fixture(autouse=True)
def without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large, "SIZE", large._NEVER)
    # Blocks of 128 bytes, so that small parameters fill several.
    monkeypatch.setattr(passes, "_BLOCK", 1 << 7)
    monkeypatch.setattr(passes, "_SMALL", 1 << 6)


def parameters(dtype: Any = torch.float32) -> list[Any]:
    rng = np.random.default_rng(0)
    return [torch.nn.Parameter(torch.from_numpy(rng.standard_normal(s)).to(dtype)) for s in SHAPES]


def train(params: list[Any], name: str, **options: Any) -> list[Any]:
    """Return what five steps leave, as bits and versions."""
    optimizer = getattr(torch.optim, name)(params, **options)
    rng = np.random.default_rng(1)
    for step in range(5):
        for param in params:
            values = rng.standard_normal(param.shape[::-1]) * 10.0 ** rng.integers(-2, 2)
            param.grad = torch.from_numpy(values).to(param.dtype).permute(*range(param.ndim)[::-1])
        if step == 2:
            params[1].grad = None
        optimizer.step()
    values = [v for p in params for v in (p, *optimizer.state[p].values())]
    return [(v.detach().numpy().tobytes(), v._version) for v in values]


def one_by_one(monkeypatch: pytest.MonkeyPatch, params: list[Any], name: str, **options: Any) -> list[Any]:
    with monkeypatch.context() as context:
        context.setattr(native, "native_steps", lambda *given: None)
        return train(params, name, **options)


@pytest.mark.parametrize(("dtype", "threads"), [(torch.float32, 2), (torch.float64, 1)], ids=str)
@pytest.mark.parametrize(("name", "options"), OPTIONS, ids=[name for name, _ in OPTIONS])
def test_steps_have_the_same_bits(monkeypatch, name, options, dtype, threads):
    monkeypatch.setattr(passes, "_WORTH_THREADS", 0)
    monkeypatch.setattr(passes, "get_num_threads", lambda: threads)
    once = train(parameters(dtype), name, **options)
    assert once == one_by_one(monkeypatch, parameters(dtype), name, **options)


def test_parameters_are_stepped_together(monkeypatch):
    blocks = []
    over = passes.Rows.over

    def noted(self: Any, block: Any, *rest: Any) -> None:
        blocks.append(block)
        over(self, block, *rest)

    monkeypatch.setattr(passes.Rows, "over", noted)
    train(parameters(), "SGD")
    assert max(len(block) for block in blocks if type(block) is list) >= 2
    assert any(type(block) is tuple for block in blocks)


def test_halves_are_stepped_one_by_one(monkeypatch):
    once = train(parameters(torch.float16), "Adam")
    assert once == one_by_one(monkeypatch, parameters(torch.float16), "Adam")


@pytest.mark.parametrize("shared", ["gradient", "part", "foreign"])
def test_a_gradient_in_the_memory_of_a_parameter_is_read_in_its_turn(monkeypatch, shared):
    def stepped() -> list[float]:
        memory = np.frombuffer(bytearray(96), np.float32) if shared == "foreign" else np.zeros(24, np.float32)
        memory[:] = np.arange(24)
        first = torch.nn.Parameter(torch.from_numpy(memory[:8]))
        second = torch.nn.Parameter(torch.ones(8))
        optimizer = torch.optim.SGD([first, second], lr=0.5)
        first.grad = torch.ones(8)
        second.grad = torch.from_numpy(memory[4:12] if shared == "part" else memory[:8])
        optimizer.step()
        return second.tolist()

    once = stepped()
    monkeypatch.setattr(native, "native_steps", lambda *given: None)
    assert once == stepped()
    assert once[0] == (1 - 0.5 * 3.5 if shared == "part" else 1 - 0.5 * -0.5)
