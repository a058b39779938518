"""Sums in float16 and bfloat16 are rounded once, whichever gradient they are part of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
import pullback.nn.functional as F

_ROWS = 3_000
_INDEX = np.arange(_ROWS) % 3

#: What is summed: a function of tensors, and the shapes of these.
_CASES: dict[str, tuple[Callable[..., Any], tuple[tuple[int, ...], ...]]] = {
    "add": (lambda x, b: x + b, ((_ROWS, 3), (3,))),
    "mul": (lambda x, b: x * b, ((3, _ROWS), (3, 1))),
    "div by a scalar": (lambda x, b: x / (b + 1), ((_ROWS,), ())),
    "expand": (lambda b: b.expand(_ROWS, 3), ((3,),)),
    "expand by as_strided": (lambda b: b.as_strided((_ROWS, 3), (0, 1)), ((3,),)),
    "addmm": (pb.addmm, ((2,), (_ROWS, 4), (4, 2))),
    "linear": (F.linear, ((_ROWS, 4), (2, 4), (2,))),
    "bilinear": (F.bilinear, ((_ROWS, 2), (_ROWS, 2), (3, 2, 2), (3,))),
    "prelu": (lambda x, w: F.prelu(x - 0.5, w), ((_ROWS, 3), (3,))),
    "where": (lambda x, y: pb.where(x > 0.25, x, y), ((_ROWS, 3), (3,))),
    "lerp": (pb.lerp, ((_ROWS, 3), (3,), ())),
    "conv1d": (F.conv1d, ((4, 2, 900), (3, 2, 3), (3,))),
    "conv_transpose1d": (F.conv_transpose1d, ((4, 2, 900), (2, 3, 3), (3,))),
    "batch_norm": (lambda x, w, b: F.batch_norm(x, None, None, w, b, True), ((_ROWS, 3), (3,), (3,))),
    "instance_norm": (lambda x, w, b: F.instance_norm(x, None, None, w, b), ((200, 4, 20), (4,), (4,))),
    "rms_norm": (lambda x, w: F.rms_norm(x, (3,), w), ((_ROWS, 3), (3,))),
    "embedding": (lambda w: F.embedding(pb.tensor(_INDEX), w), ((3, 4),)),
    "index_add": (lambda b, s: b.index_add(0, pb.tensor(_INDEX), s), ((3, 4), (_ROWS, 4))),
    "scatter_add": (lambda b, s: b.scatter_add(0, pb.tensor(_INDEX), s), ((3,), (_ROWS,))),
    "replicate pad": (lambda x: F.pad(x, (900, 3), mode="replicate"), ((1, 2, 40),)),
    "cross_entropy": (lambda x, w: F.cross_entropy(x, pb.tensor(_INDEX), w.detach()), ((_ROWS, 3), (3,))),
    "repeat_interleave": (lambda x: x.repeat_interleave(_ROWS), ((3,),)),
}


def _run(function: Callable[..., Any], arrays: list[np.ndarray], dtype: Any, wide: bool) -> list[np.ndarray]:
    """The result and the gradients, for a covector of which each element is the same."""
    kind = pb.float64 if wide else dtype
    leaves = [pb.tensor(array).to(dtype).to(kind).requires_grad_() for array in arrays]
    out = function(*leaves)
    g = pb.full(out.shape, 1e-2 if out.numel() > 1 else 1.0).to(dtype).to(out.dtype)
    results = (out, *pb.autograd.grad(out, leaves, g, allow_unused=True))
    return [t.detach().double().numpy() for t in results if t is not None]


@pytest.mark.parametrize("dtype", [pb.bfloat16, pb.float16], ids=["bfloat16", "float16"])
@pytest.mark.parametrize("name", _CASES)
def test_sums_are_rounded_once(name: str, dtype: Any) -> None:
    function, shapes = _CASES[name]
    random = np.random.default_rng(0)
    arrays = [np.abs(random.standard_normal(shape)) * 0.5 for shape in shapes]
    results, exact = _run(function, arrays, dtype, False), _run(function, arrays, dtype, True)
    for found, expected in zip(results, exact, strict=True):
        bound = 3 * pb.finfo(dtype).eps * np.abs(expected).max() + 1e-5
        np.testing.assert_allclose(found, expected, rtol=0, atol=bound)
