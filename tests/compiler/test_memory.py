"""Programs read only what they have written in the same call, whoever runs which part.

Before every call the memory of a program is spoilt (`conftest`), and every call here has inputs of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback import nn

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.usefixtures("in_haste")

F = nn.functional


class Mixing(nn.Module):
    """A block of an MLP-Mixer: a perceptron over the patches, then one over the channels."""

    def __init__(self, patches: int, channels: int, hidden: int) -> None:
        super().__init__()
        self.before, self.between = nn.LayerNorm(channels), nn.LayerNorm(channels)
        self.tokens = nn.Sequential(nn.Linear(patches, hidden), nn.GELU(), nn.Linear(hidden, patches))
        self.features = nn.Sequential(nn.Linear(channels, hidden), nn.GELU(), nn.Linear(hidden, channels))

    def forward(self, x: Any) -> Any:
        x = x + self.tokens(self.before(x).transpose(1, 2)).transpose(1, 2)
        return x + self.features(self.between(x))


def encoder(layers: int) -> Any:
    layer = nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True)
    return nn.TransformerEncoder(layer, layers)


def mixer() -> Any:
    return nn.Sequential(*(Mixing(32, 64, 128) for _ in range(3)))


def perceptron() -> Any:
    sizes = pairwise([64, 256, 128, 256, 64])
    return nn.Sequential(*(nn.Sequential(nn.Linear(a, b), nn.LayerNorm(b), nn.GELU()) for a, b in sizes))


def convolutional() -> Any:
    return nn.Sequential(
        nn.Unflatten(2, (8, 8)), nn.Conv2d(32, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(),
        nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.Flatten(2),
    )  # fmt: skip


MODELS: dict[str, Callable[[], Any]] = {
    "encoder of 2": lambda: encoder(2), "encoder of 3": lambda: encoder(3), "mixer": mixer,
    "perceptron": perceptron, "convolutional": convolutional,
}  # fmt: skip


def inputs(call: int, dtype: Any) -> tuple[Any, Any]:
    random = np.random.default_rng(call)
    return tuple(torch.tensor(random.standard_normal((16, 32, 64)), dtype=dtype) for _ in range(2))


def steps(make: Callable[[], Any], dtype: Any, compiled: bool, calls: int = 4) -> list[list[np.ndarray]]:
    """Loss and gradients of some calls, each on numbers of its own."""
    torch.manual_seed(0)
    model = make().to(dtype)
    parameters = list(model.parameters())

    def step(x: Any, y: Any) -> Any:
        loss = ((model(x) - y) ** 2).mean()
        return loss, *torch.autograd.grad(loss, parameters)

    run = torch.compile(step, backend="native") if compiled else step
    found = [[t.detach().numpy().copy() for t in run(*inputs(call, dtype))] for call in range(calls)]
    if compiled:
        assert run._native.specializations
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("machine_code")


@pytest.fixture(autouse=True)
def cache(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what one run compiles be read by those after it."""
    monkeypatch.setenv("PULLBACK_CACHE", "1")
    monkeypatch.setenv("PULLBACK_CACHE_DIR", str(folder))


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_every_call_computes_from_its_own_numbers(name: str, dtype: Any) -> None:
    tolerance = 2e-5 if dtype == torch.float32 else 1e-12
    pairs = zip(steps(MODELS[name], dtype, True), steps(MODELS[name], dtype, False), strict=True)
    for got, want in pairs:
        for a, b in zip(got, want, strict=True):
            np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * max(1.0, abs(b).max()))


# The deeper encoder has all that the shallow one has.
@pytest.mark.parametrize("name", [name for name in MODELS if name != "encoder of 2"])
def test_results_do_not_depend_on_the_run_or_on_threads(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = torch.get_num_threads()
    found = []
    try:
        for threads, kept in ((1, "1"), (2, "1"), (2, "0")):
            monkeypatch.setenv("PULLBACK_CACHE", kept)  # the last is compiled once more
            torch.set_num_threads(threads)
            found.append(steps(MODELS[name], torch.float32, True))
    finally:
        torch.set_num_threads(before)
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            for x, y in zip(a, b, strict=True):
                np.testing.assert_array_equal(x, y)
