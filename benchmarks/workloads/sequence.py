"""(s) Sequences whose activations are large beside the parameters: memory is what they are measured for, too.

Two encoder layers of width 256 with 8 heads over 16 sequences of 128 places, without dropout, and a GRU of
256 units over 64 sequences of 100 steps; one step of Adam on the mean square of what they give.
"""

from __future__ import annotations

from typing import Any

from benchmarks.case import Case, Library, Row
from benchmarks.suite.steps import training


def encoder(library: Library) -> Case:
    torch = library.module
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(256, 8, 1024, dropout=0.0, batch_first=True)
    model = torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    x = torch.randn(16, 128, 256)

    def loss() -> Any:
        return (model(x) ** 2).mean()

    return training(library, model.parameters(), loss)


def gru(library: Library) -> Case:
    torch = library.module
    torch.manual_seed(0)
    model = torch.nn.GRU(64, 256, batch_first=True)
    x = torch.randn(64, 100, 64)

    def loss() -> Any:
        return (model(x)[0] ** 2).mean()

    return training(library, model.parameters(), loss)


ROWS = [
    Row("s-encoder", "encoder, 2 layers, width 256, 16 × 128 places, Adam", {"torch": encoder}, rounds=7),
    Row("s-gru", "GRU of 256 units, 64 × 100 steps, Adam", {"torch": gru}, rounds=7),
]
