"""Steps of optimizers in native code give NumPy's bits, versions and state, and leave to NumPy what is not
plain.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback.array import large
from pullback.optim import native

pytest.importorskip("llvmlite")
schedulers = torch.optim.lr_scheduler

OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("SGD", {}),
    ("SGD", {"momentum": 0.9, "maximize": True}),
    ("SGD", {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1}),
    ("SGD", {"momentum": 0.5, "dampening": 0.3}),
    ("Adam", {}),
    ("Adam", {"amsgrad": True, "weight_decay": 0.1}),
    ("Adam", {"betas": (0.0, 0.9), "lr": torch.tensor(0.01)}),
    ("Adam", {"betas": (0.5, 0.9), "maximize": True}),
    ("AdamW", {"amsgrad": True}),
    ("NAdam", {"weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("RAdam", {"weight_decay": 0.1}),
    ("Adamax", {"weight_decay": 0.1}),
    ("Adagrad", {"lr_decay": 0.1, "weight_decay": 0.1, "initial_accumulator_value": 0.1}),
    ("Adadelta", {"weight_decay": 0.1}),
    ("RMSprop", {}),
    ("RMSprop", {"momentum": 0.9, "centered": True, "weight_decay": 0.1}),
    ("Rprop", {}),
    ("ASGD", {"t0": 3.0, "weight_decay": 0.1}),
]
NAMES = [f"{name}-{'-'.join(options)}" for name, options in OPTIONS]


class Counted:
    """Counts the parameters that native calls have stepped."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.parameters = 0
        run = native.NativeSteps._run

        def counted(steps: Any, optimizer: Any, group: Any, known: Any, part: Any, *rest: Any) -> bool:
            done = run(steps, optimizer, group, known, part, *rest)
            self.parameters += done * len(part)
            return done

        monkeypatch.setattr(native.NativeSteps, "_run", counted)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    return Counted(monkeypatch)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Native from the first step on."""
    monkeypatch.setattr(native, "COMPILER", 0)
    monkeypatch.setattr(native, "LOOP", 0)


def bits(tensor: Any) -> Any:
    """As integers; which NaN it is, nobody says."""
    array = tensor.detach().nan_to_num(7.0, torch.inf, -torch.inf)
    words = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    return array.view(words[array.element_size()]).tolist() if array.ndim else array.item()


def everything(optimizer: Any) -> list[Any]:
    """Parameters and state, as dtypes, bits and versions."""
    found = []
    for group in optimizer.param_groups:
        for param in group["params"]:
            for value in (param, *optimizer.state.get(param, {}).values()):
                found.append((value.dtype, bits(value), value._version))
    return found


def both(monkeypatch: pytest.MonkeyPatch, train: Callable[[], Any]) -> tuple[list[Any], list[Any]]:
    """What a training leaves in an optimizer, natively and by NumPy."""
    results = []
    for size in (large.WORTH, large._NEVER):
        monkeypatch.setattr(large, "SIZE", size)
        results.append(everything(train()))
    return results[0], results[1]


def parameters(rng: np.random.Generator, dtype: Any, shapes: Any = ((3, 5), (7, 4), (130,))) -> list[Any]:
    return [torch.nn.Parameter(torch.from_numpy(rng.standard_normal(s)).to(dtype)) for s in shapes]


def give_gradients(rng: np.random.Generator, params: list[Any]) -> None:
    for param in params:
        values = rng.standard_normal(param.shape) * 10.0 ** rng.integers(-2, 2)
        param.grad = torch.from_numpy(values).to(param.dtype)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize(("name", "options"), OPTIONS, ids=NAMES)
def test_bits_are_numpys(monkeypatch, counted, name, options, dtype):
    def train() -> Any:
        rng = np.random.default_rng(0)
        params = parameters(rng, dtype)
        optimizer = getattr(torch.optim, name)(params[:2], **copy.deepcopy(options))
        schedule = schedulers.ExponentialLR(optimizer, 0.7)
        for step in range(8):
            give_gradients(rng, params)
            if step in (2, 3):
                params[1].grad = None
            if step == 4:
                optimizer.add_param_group({"params": params[2:], "lr": 0.02})
            if step == 6:
                state = copy.deepcopy(optimizer.state_dict())
                optimizer.load_state_dict(state)
            optimizer.step()
            schedule.step()
        return optimizer

    natively, plainly = both(monkeypatch, train)
    assert natively == plainly
    # All but a first step that copies the gradient to a buffer.
    assert counted.parameters >= 15


@pytest.mark.parametrize("name", ["SGD", "Adam"])
def test_large_parameters_are_native_at_once(monkeypatch, counted, name):
    def train() -> Any:
        rng = np.random.default_rng(0)
        params = parameters(rng, torch.float32, [(large.WORTH + 77,), (5,)])
        optimizer = getattr(torch.optim, name)(params, lr=0.1)
        for _ in range(2):
            give_gradients(rng, params)
            optimizer.step()
        return optimizer

    before = torch.get_num_threads()
    for threads in (1, 3):
        torch.set_num_threads(threads)
        natively, plainly = both(monkeypatch, train)
        assert natively == plainly
    torch.set_num_threads(before)
    assert counted.parameters == 8


def test_what_numpy_has_cost_decides(monkeypatch, counted):
    monkeypatch.setattr(native, "COMPILER", 5 * native.PARAMETER)
    monkeypatch.setattr(native, "LOOP", 5 * native.PARAMETER)
    rng = np.random.default_rng(0)
    params = parameters(rng, torch.float32)
    optimizer = torch.optim.SGD(params)
    for expected in (0, 3, 6):
        give_gradients(rng, params)
        optimizer.step()
        assert counted.parameters == expected
