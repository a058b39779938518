"""What an explanation costs beyond the program: memory, over the layers of nn that need care."""

from __future__ import annotations

import itertools
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


def _dimensions(name: str) -> int:
    """Spatial axes in the name of a layer: 2 of Conv2d."""
    return next((int(c) for c, d in itertools.pairwise(name) if c.isdigit() and d == "d"), 2)


#: Arguments of layers that need some, by the end or the beginning of their name; N are the spatial axes.
ARGUMENTS: dict[str, Any] = {
    "Linear": (3, 5), "Bilinear": (3, 3, 2), "Conv": (3, 4, 2), "MaxPool": (2,), "AvgPool": (2,),
    "LPPool": (2, 2),
    "MaxUnpool": (2,), "BatchNorm": (3,), "SyncBatchNorm": (3,), "LinearCrossEntropy": (3, 3),
    "InstanceNorm": (3,), "LayerNorm": (6,), "RMSNorm": (6,),
    "GroupNorm": (1, 3), "LocalResponseNorm": (2,), "RNN": (3, 4), "GRU": (3, 4), "LSTM": (3, 4),
    "Embedding": (5, 3), "MultiheadAttention": (4, 2), "TransformerEncoderLayer": (4, 2, 8),
    "TransformerDecoderLayer": (4, 2, 8), "Transformer": (4, 2, 1, 1, 8), "Threshold": (0.1, 0.0),
    "PixelShuffle": (1,), "PixelUnshuffle": (1,), "ChannelShuffle": (3,), "ZeroPad": (1,),
    "ConstantPad": (1, 0.5),
    "CircularPad": (1,), "ReflectionPad": (1,), "ReplicationPad": (1,), "Upsample": (None, 2),
    "Unflatten": (1, (3, 1)),
    "AdaptiveAvgPool": (2,), "AdaptiveMaxPool": (2,), "FractionalMaxPool": (2, 3), "Fold": ((4, 4), 2),
    "Unfold": (2,),
    "UpsamplingNearest": (None, 2), "UpsamplingBilinear": (None, 2), }  # fmt: skip

#: What is no layer with an output of its own: containers, bases, and what needs parts to be made of.
NO_LAYERS = {
    "Module", "Container", "Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict",
    "TransformerEncoder", "TransformerDecoder", "RNNBase", "RNNCellBase", "DataParallel",
    "UninitializedParameter",
    "AdaptiveLogSoftmaxWithLoss", "CrossMapLRN2d",
}  # fmt: skip


def _arguments(name: str) -> tuple[Any, ...]:
    lazy = name.removeprefix("Lazy")
    found = next((ARGUMENTS[k] for k in sorted(ARGUMENTS, key=len, reverse=True) if lazy.startswith(k)), ())
    return found[1:] if lazy != name else found


def _inputs(name: str) -> tuple[Any, ...]:
    """Inputs of a layer, small, and requiring grad where they can."""
    x = torch.randn(2, 3, *[6] * _dimensions(name), requires_grad=True)
    rows = torch.randn(4, 3, requires_grad=True)
    if name == "Bilinear" or name in ("CosineSimilarity", "PairwiseDistance"):
        return rows, torch.randn(4, 3)
    if name.startswith("Embedding"):
        return (torch.tensor([[0, 2], [4, 1]]),)
    if name.endswith("Cell") or name in ("Linear", "LazyLinear"):
        return (rows,)
    if name in ("RNN", "GRU", "LSTM"):
        return (torch.randn(3, 2, 3, requires_grad=True),)
    if name == "MultiheadAttention":
        return (torch.randn(3, 2, 4, requires_grad=True),) * 3
    if name.startswith("Transformer"):
        y = torch.randn(3, 2, 4, requires_grad=True)
        return (y,) if "Encoder" in name else (y, y)
    if name.startswith("MaxUnpool"):
        pool = getattr(nn, name.replace("Unpool", "Pool"))(2, return_indices=True)
        return pool(x)
    if name == "Fold":
        return (torch.randn(1, 12, 9, requires_grad=True),)
    if name == "Unflatten":
        return (rows,)
    if name == "GLU":
        return (torch.randn(4, 6, requires_grad=True),)
    return (x,)


def _loss_inputs(name: str) -> tuple[Any, ...]:
    x = torch.rand(4, 3, requires_grad=True)
    y = torch.rand(4, 3)
    signs = torch.tensor([1.0, -1, 1, -1])
    special = {
        "CrossEntropyLoss": (x, torch.tensor([0, 2, 1, 0])),
        "LinearCrossEntropyLoss": (x, torch.tensor([0, 2, 1, 0])), "NLLLoss": (x, torch.tensor([0, 2, 1, 0])),
        "MultiMarginLoss": (x, torch.tensor([0, 2, 1, 0])),
        "NLLLoss2d": (torch.rand(2, 3, 2, 2, requires_grad=True), torch.zeros(2, 2, 2).long()),
        "CTCLoss": (torch.randn(5, 2, 4).log_softmax(2).requires_grad_(), torch.tensor([[1, 2], [3, 1]]),
                    torch.tensor([5, 5]), torch.tensor([2, 2])),
        "CosineEmbeddingLoss": (x, y, signs), "HingeEmbeddingLoss": (x, signs.unsqueeze(1).expand(4, 3)),
        "MarginRankingLoss": (x[:, 0], y[:, 0], signs), "GaussianNLLLoss": (x, y, torch.ones(4, 3)),
        "TripletMarginLoss": (x, y, torch.rand(4, 3)),
        "TripletMarginWithDistanceLoss": (x, y, torch.rand(4, 3)),
        "MultiLabelMarginLoss": (x, torch.tensor([[0, 2, -1]] * 4)),
        "MultiLabelSoftMarginLoss": (x, (y > 0.5).float()),
        "SoftMarginLoss": (x, signs.unsqueeze(1).expand(4, 3)),
    }  # fmt: skip
    return special.get(name, (x, y))


EVERY_LAYER = sorted(
    name
    for name in dir(nn)

       if isinstance(kind := getattr(nn, name), type)
    if issubclass(kind, nn.Module) and name not in NO_LAYERS
)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", EVERY_LAYER)
def test_every_layer_is_explained(name: str) -> None:
    torch.manual_seed(0)
    layer = getattr(nn, name)(*_arguments(name))
    inputs = _loss_inputs(name) if name.endswith(("Loss", "Loss2d")) else _inputs(name)
    with explain.record() as recording:
        out = layer(*inputs)
        while isinstance(out, tuple):
            out = out[0]
        out.square().sum().backward()
    (found,) = recording.explanations
    assert found.steps, found.notes
    assert not any(note.startswith("Not explained") for note in found.notes)
    assert len(str(found)) < 60_000
