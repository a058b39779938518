"""(o) Single ops on large arrays, forward only and forward + backward: 1 to 16 million float32 elements.

What a call costs does not matter here; how often an array goes through the memory does, and whether all cores
work. Against torch eager only, as both come: each with all the threads it gives itself.

The backward row calls ``y.backward(v)`` with a covector that exists beforehand, and drops the old gradients
first. An op whose result has no gradient (a comparison) has the forward row only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.case import Case, Library, Row

#: Heavy enough that few rounds give a steady median.
ROUNDS = 5
TARGET = 1.5

Make = Callable[[], np.ndarray]


def _normal(*shape: int) -> Make:
    return lambda: data.normal(*shape)


def _positive(*shape: int) -> Make:
    return lambda: np.abs(data.normal(*shape)) + np.float32(0.1)


def _integers(high: int, *shape: int) -> Make:
    return lambda: np.random.default_rng(7).integers(0, high, shape)


def _mask(*shape: int) -> Make:
    return lambda: data.normal(*shape) > 0


@dataclass(frozen=True)
class Large:
    """``call(torch, torch.nn.functional, *inputs)`` on arrays that `inputs` make."""

    name: str
    title: str
    call: Callable[..., Any]
    inputs: tuple[Make, ...]
    backward: bool = True


MATRIX = (2048, 2048)
IMAGES = (16, 64, 64, 64)
X, Y, POSITIVE = _normal(*MATRIX), lambda: data.normal(2, *MATRIX)[1], _positive(*MATRIX)
X16 = _normal(4096, 4096)
ROWS_1M = _normal(1024, 1024)
IMAGE = _normal(*IMAGES)
CHANNELS = (_positive(64), _normal(64))

OPS = (
    # --- element by element
    Large("add", "x + y, 16 million", lambda t, F, x, y: x + y, (X16, X16)),
    Large("mul", "x · y", lambda t, F, x, y: x * y, (X, Y)),
    Large("div", "x / y", lambda t, F, x, y: x / y, (X, POSITIVE)),
    Large("bias", "x + a row", lambda t, F, x, b: x + b, (X, _normal(2048))),
    Large("square", "x ** 2", lambda t, F, x: x**2, (X,)),
    Large("sqrt", "sqrt", lambda t, F, x: t.sqrt(x), (POSITIVE,)),
    Large("abs", "abs", lambda t, F, x: t.abs(x), (X,)),
    Large("exp", "exp", lambda t, F, x: t.exp(x), (X,)),
    Large("log", "log", lambda t, F, x: t.log(x), (POSITIVE,)),
    Large("sin", "sin", lambda t, F, x: t.sin(x), (X,)),
    Large("tanh", "tanh", lambda t, F, x: t.tanh(x), (X,)),
    Large("sigmoid", "sigmoid", lambda t, F, x: t.sigmoid(x), (X,)),
    Large("relu", "relu", lambda t, F, x: F.relu(x), (X,)),
    Large("gelu", "gelu", lambda t, F, x: F.gelu(x), (X,)),
    Large("silu", "silu", lambda t, F, x: F.silu(x), (X,)),
    Large("clamp", "clamp", lambda t, F, x: t.clamp(x, -0.5, 0.5), (X,)),
    Large("where", "where", lambda t, F, c, x, y: t.where(c, x, y), (_mask(*MATRIX), X, Y)),
    Large("masked_fill", "masked_fill", lambda t, F, x, c: x.masked_fill(c, 0.5), (X, _mask(*MATRIX))),
    Large("greater", "x > y", lambda t, F, x, y: x > y, (X, Y), backward=False),
    Large("double", "to float64", lambda t, F, x: x.double(), (X,)),
    Large("dropout", "dropout", lambda t, F, x: F.dropout(x, 0.5), (X,)),
    # --- many to one
    Large("sum", "sum, 16 million", lambda t, F, x: x.sum(), (X16,)),
    Large("sum-0", "sum over dim 0", lambda t, F, x: x.sum(0), (X,)),
    Large("sum-1", "sum over the last dim", lambda t, F, x: x.sum(-1), (X,)),
    Large("mean", "mean over the last dim", lambda t, F, x: x.mean(-1), (X,)),
    Large("var", "variance over the last dim", lambda t, F, x: x.var(-1), (X,)),
    Large("max", "max with indices over the last dim", lambda t, F, x: x.max(-1).values, (X,)),
    Large("amax", "amax over dim 0", lambda t, F, x: x.amax(0), (X,)),
    Large("norm", "norm", lambda t, F, x: t.linalg.vector_norm(x), (X,)),
    Large("logsumexp", "logsumexp over the last dim", lambda t, F, x: t.logsumexp(x, -1), (X,)),
    Large("cumsum", "cumsum along the last dim", lambda t, F, x: x.cumsum(-1), (X,)),
    # --- normalisation and loss
    Large("softmax", "softmax", lambda t, F, x: t.softmax(x, -1), (X,)),
    Large("log_softmax", "log_softmax", lambda t, F, x: t.log_softmax(x, -1), (X,)),
    Large("cross_entropy", "cross_entropy, 2048 classes", lambda t, F, x, i: F.cross_entropy(x, i),
          (X, _integers(2048, 2048))),
    Large("layer_norm", "layer_norm over 2048", lambda t, F, x, w, b: F.layer_norm(x, (2048,), w, b),
          (X, _positive(2048), _normal(2048))),
    Large("batch_norm", "batch_norm in training",
          lambda t, F, x, w, b: F.batch_norm(x, None, None, w, b, True), (IMAGE, *CHANNELS)),
    Large("group_norm", "group_norm, 8 groups", lambda t, F, x, w, b: F.group_norm(x, 8, w, b),
          (IMAGE, *CHANNELS)),
    # --- convolution and pooling
    Large("conv2d", "conv2d 3×3, 32 channels", lambda t, F, x, w, b: F.conv2d(x, w, b, padding=1),
          (_normal(8, 32, 64, 64), _normal(32, 32, 3, 3), _normal(32))),
    Large("conv2d-1x1", "conv2d 1×1, 64 channels", lambda t, F, x, w, b: F.conv2d(x, w, b),
          (IMAGE, _normal(64, 64, 1, 1), _normal(64))),
    Large("conv2d-stride", "conv2d 3×3, stride 2",
          lambda t, F, x, w, b: F.conv2d(x, w, b, stride=2, padding=1),
          (_normal(8, 32, 64, 64), _normal(64, 32, 3, 3), _normal(64))),
    Large("conv2d-depthwise", "conv2d 3×3, each channel alone",
          lambda t, F, x, w, b: F.conv2d(x, w, b, padding=1, groups=64),
          (IMAGE, _normal(64, 1, 3, 3), _normal(64))),
    Large("conv1d", "conv1d 5, 64 channels", lambda t, F, x, w, b: F.conv1d(x, w, b, padding=2),
          (_normal(16, 64, 1024), _normal(64, 64, 5), _normal(64))),
    Large("max_pool2d", "max_pool2d 2×2", lambda t, F, x: F.max_pool2d(x, 2), (IMAGE,)),
    Large("max_pool2d-3", "max_pool2d 3×3, stride 2", lambda t, F, x: F.max_pool2d(x, 3, 2, 1), (IMAGE,)),
    Large("avg_pool2d", "avg_pool2d 2×2", lambda t, F, x: F.avg_pool2d(x, 2), (IMAGE,)),
    Large("adaptive_avg_pool2d", "adaptive_avg_pool2d to 7×7", lambda t, F, x: F.adaptive_avg_pool2d(x, 7),
          (IMAGE,)),
    Large("interpolate", "interpolate ×2, bilinear",
          lambda t, F, x: F.interpolate(x, scale_factor=2, mode="bilinear"), (_normal(8, 32, 64, 64),)),
    Large("pad", "pad by 3", lambda t, F, x: F.pad(x, (3, 3, 3, 3)), (IMAGE,)),
    # --- moving elements
    Large("embedding", "embedding, 65,536 of 10,000 × 64", lambda t, F, w, i: F.embedding(i, w),
          (_normal(10_000, 64), _integers(10_000, 65_536))),
    Large("index_select", "index_select of rows", lambda t, F, x, i: x.index_select(0, i),
          (X, _integers(2048, 2048))),
    Large("gather", "gather along the last dim", lambda t, F, x, i: x.gather(1, i),
          (ROWS_1M, _integers(1024, 1024, 1024))),
    Large("scatter_add", "scatter_add along the last dim",
          lambda t, F, x, i, y: x.scatter_add(1, i, y),
          (ROWS_1M, _integers(1024, 1024, 1024), ROWS_1M)),
    Large("cat", "cat", lambda t, F, x, y: t.cat((x, y), 1), (X, Y)),
    Large("transpose", "transpose, contiguous", lambda t, F, x: x.t().contiguous(), (X,)),
    Large("permute", "permute to channels last, contiguous",
          lambda t, F, x: x.permute(0, 2, 3, 1).contiguous(), (IMAGE,)),
    Large("sort", "sort along the last dim", lambda t, F, x: x.sort(-1).values, (ROWS_1M,)),
    Large("topk", "topk, 10 of 1024", lambda t, F, x: x.topk(10, -1).values, (ROWS_1M,)),
    # --- for comparison: both call a BLAS
    Large("matmul", "1024 × 1024 matrix product", lambda t, F, x, y: x @ y, (ROWS_1M, ROWS_1M)),
)  # fmt: skip


def torch_like(large: Large, backward: bool, library: Library) -> Case:
    torch = library.module
    torch.manual_seed(0)
    inputs = [torch.from_numpy(make()) for make in large.inputs]
    inputs = [x.requires_grad_() if backward and x.is_floating_point() else x for x in inputs]
    leaves = [x for x in inputs if x.requires_grad]
    call = partial(large.call, torch, torch.nn.functional, *inputs)

    def mean_square(result: Any) -> float:
        return sum(x.float().square().mean().item() for x in result)

    if not backward:
        return Case(lambda: (call(),), mean_square)
    v = torch.from_numpy(data.normal(*call().shape).astype(str(call().dtype).removeprefix("torch.")))

    def step() -> Any:
        for x in leaves:
            x.grad = None
        call().backward(v)
        return [x.grad for x in leaves]

    return Case(step, mean_square)


def _rows() -> list[Row]:
    return [
        Row(
            f"o-{large.name}" + ("-grad" if backward else ""),
            large.title + (", forward + backward" if backward else ", forward"),
            {"torch": partial(torch_like, large, backward)},
            target=TARGET,
            rounds=ROUNDS,
            compiled=False,
        )
        for large in OPS
        for backward in (False, True)
        if large.backward or not backward
    ]


ROWS = _rows()
