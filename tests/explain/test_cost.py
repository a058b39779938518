"""What an explanation costs beyond the program: memory, over the layers of nn that need care."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest

import pullback as torch
from pullback import explain, nn
from pullback.explain.formula import LONGEST

#: Layers with an input each; the steps of the recurrent ones are what a rule is unrolled over.
LAYERS: dict[str, tuple[Any, tuple[int, ...]]] = {
    "Linear": (lambda: nn.Linear(3, 5), (4, 3)),
    "Conv1d": (lambda: nn.Conv1d(3, 5, 3), (2, 3, 8)),
    "Conv2d": (lambda: nn.Conv2d(3, 5, 3), (2, 3, 8, 8)),
    "Conv3d": (lambda: nn.Conv3d(3, 2, 3), (2, 3, 5, 5, 5)),
    "ConvTranspose1d": (lambda: nn.ConvTranspose1d(3, 5, 3), (2, 3, 8)),
    "ConvTranspose2d": (lambda: nn.ConvTranspose2d(3, 5, 3), (2, 3, 6, 6)),
    "BatchNorm1d": (lambda: nn.BatchNorm1d(3), (4, 3)),
    "BatchNorm2d": (lambda: nn.BatchNorm2d(3), (4, 3, 5, 5)),
    "InstanceNorm2d": (lambda: nn.InstanceNorm2d(3, affine=True), (4, 3, 5, 5)),
    "LayerNorm": (lambda: nn.LayerNorm(3), (4, 3)),
    "GroupNorm": (lambda: nn.GroupNorm(2, 4), (4, 4, 5)),
    "RMSNorm": (lambda: nn.RMSNorm(3), (4, 3)),
    "PReLU": (lambda: nn.PReLU(), (4, 3)),
    "RNN": (lambda: nn.RNN(3, 5), (4, 4, 3)),
    "GRU": (lambda: nn.GRU(3, 5), (4, 4, 3)),
    "GRU of 12 steps, two layers": (lambda: nn.GRU(3, 5, 2, bidirectional=True), (12, 4, 3)),
    "LSTM": (lambda: nn.LSTM(3, 5), (4, 4, 3)),
    "LSTM with projection": (lambda: nn.LSTM(3, 5, proj_size=2), (6, 4, 3)),
    "GRUCell": (lambda: nn.GRUCell(3, 5), (4, 3)),
    "LSTMCell": (lambda: nn.LSTMCell(3, 5), (4, 3)),
    "TransformerEncoderLayer": (lambda: nn.TransformerEncoderLayer(4, 2, 8), (5, 2, 4)),
}

#: Bytes that an explanation may take while it is made.
ALLOWED = 300 * 2**20


@pytest.mark.filterwarnings("ignore:LSTM with projections")
@pytest.mark.parametrize("name", LAYERS)
def test_an_explanation_takes_little_memory(name: str) -> None:
    make, shape = LAYERS[name]
    torch.manual_seed(0)
    out = make()(torch.randn(shape))
    while isinstance(out, tuple):
        out = out[0]
    loss = out.square().sum()
    tracemalloc.start()
    try:
        with explain.record() as recording:
            loss.backward()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < ALLOWED
    (found,) = recording.explanations
    assert found.steps, found.notes
    lines = [line for step in found.steps for line in (step.formula or "").splitlines()]
    assert lines
    assert max(map(len, lines)) <= LONGEST + len("g_weight_hh[99] = ")
