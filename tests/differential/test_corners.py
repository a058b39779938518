"""Single calls at the edges of what torch takes, in torch and in pullback: value, dtype, shape, version and
the error's text are the same.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import pullback

torch = pytest.importorskip("torch")


class Two:
    """An integer of the user's."""

    def __index__(self) -> int:
        return 2


MASK = np.array([True, False])

CALLS = """
F.one_hot(T.tensor([0, 2]))
F.one_hot(T.tensor([0, 2]), 5)
T.logsumexp(x, None)
x.logsumexp(dim=None)
T.func.grad(lambda z: z.logcumsumexp(0).sum())(T.tensor([0.0, math.inf, 3.0]))
F.multi_margin_loss(T.zeros(1, 5, dtype=T.float64), T.tensor([1]))
T.func.grad(lambda z: F.multi_margin_loss(z, T.tensor([1])))(T.zeros(1, 5, dtype=T.float64))
T.func.grad(lambda z: F.layer_norm(z, (0,)).sum())(T.zeros(3, 0))
T.prod(x, None)
T.prod(x, dim=None)
x.prod(None, True)
x.prod()
T.prod(x, (0,))
T.flip(x, 1)
T.flip(x, 0, 1)
T.flip(x, dims=1)
T.flip(x, [0.5])
T.flip(x)
T.flip(1, 2)
T.flip(dims=[0], input=x)
x.flip(0, 1)
x.flip(0.5)
x.flip(dims=(1,))
T.permute(x, 0, 1)
T.permute(x, 1)
T.permute(x, (1, 0))
T.permute(dims=(1, 0), input=x)
x.permute(1, 0)
x.masked_fill(MASK, 2.0)
T.masked_fill(x, MASK, 2.0)
x.masked_fill_(MASK, 2.0)
x.masked_fill(np.ones(3, bool), 2.0)
x.masked_fill(mask=MASK, value=2)
x.masked_fill([True, False], 2.0)
x.to(True)
x.to(False)
x.to(1.5)
x.to(1j)
x.to(np.float32(1))
x.to(np.bool_(True))
x.to(tensor=1)
x.to(dtype=True)
x.to(True, T.float64)
T.nn.Linear(2, 2).to(True)
T.nn.Linear(2, 2).to(1.5).weight.dtype is T.float64
T.eye(Two())
T.eye(3, Two())
T.eye(True)
T.randperm(Two()).sort().values
T.randint(Two(), (2,)) < 2
T.arange(Two())
T.linspace(0, 1, Two())
T.linalg.slogdet(x * math.nan)
T.linalg.slogdet(x * math.inf)
T.linalg.slogdet(-math.inf * T.eye(1))
T.linalg.slogdet(T.ones(1, 1, dtype=T.complex64) * math.nan)
T.linalg.slogdet(x * 0)
T.logdet(x * math.nan)
F.lp_pool1d(row, math.inf, 2)
F.lp_pool1d(row, -math.inf, 2)
F.lp_pool1d(row, 3, 2)
F.lp_pool1d(row, math.inf, [2])
F.lp_pool1d(row, 2, [2])
F.lp_pool2d(row.view(1, 2, 4), math.inf, 2, 1, True)
F.lp_pool3d(row.view(1, 2, 2, 2), -math.inf, 2)
T.mv(x.bool(), x[0].bool())
x.bool() @ x[0].bool()
x[0].bool() @ x.bool()
x.bool() @ x.bool()
F.linear(x[0], x[0], T.tensor(2.0))
F.linear(x[0], x[0], T.tensor(2.0, dtype=T.float64))
F.linear(x[0], x[0], x[0])
F.linear(x[0], x[0], x[:1, :1])
F.linear(x[0], T.ones(3), T.tensor(2.0))
F.linear(x, x[0], T.tensor(2.0))
F.linear(x[None], x[0], T.tensor(2.0))
F.linear(x[None], x[0], x[0])
x[None, None].squeeze(0, 1)
x[None, None].squeeze(0, -4)
x[None, None].squeeze(dim=(0, 1))
T.squeeze(x[None, None], (0, 1))
x[None, None].squeeze_(0, 1)
x[None, None].squeeze_(0, 0)
T.ones(3).float_power_(T.ones(2))
T.float_power(T.ones(3), T.ones(2), out=x)
F.cross_entropy(T.zeros(2, 0, 4), T.zeros(2, 0, 4))
F.cross_entropy(T.zeros(2, 0, 4), T.zeros(2, 0, 4), label_smoothing=0.1)
F.cross_entropy(T.zeros(2, 0, 4), T.zeros(2, 0, 4), reduction="none")
F.cross_entropy(T.zeros(2, 0, 4), T.zeros(2, 4, dtype=T.int64))
F.pad(T.zeros(2, 0, 4), (1, 1, 1, 1), "replicate")
F.pad(T.zeros(0, 2, 4), (1, 1, 1, 1), "replicate")
F.pad(T.zeros(0, 2, 4, 4), (1, 1, 1, 1), "replicate")
F.pad(T.zeros(2, 0), (1, 1), "reflect")
F.pad(T.zeros(1, 2, 4, 0), (0, 0, 1, 1), "reflect")
T.nn.AlphaDropout(1.0, inplace=True)(x) is x
T.nn.FeatureAlphaDropout(1.0, inplace=True)(x) is x
F.scaled_dot_product_attention(q, q, v, T.zeros(2, 2), is_causal=True)
F.scaled_dot_product_attention(q, q, v, T.tensor([[True, False], [True, True]]), is_causal=True)
F.scaled_dot_product_attention(q[0], q[0], v[0], T.zeros(2, 2), is_causal=True)
T.func.grad(lambda z: F.scaled_dot_product_attention(q, q, z, T.zeros(2, 2), is_causal=True).sum())(v)
""".strip().splitlines()


def shown(T: Any, value: Any) -> Any:
    if isinstance(value, T.Tensor):
        kind = str(value.dtype).split(".")[-1]
        return kind, tuple(value.shape), value.stride(), value._version, repr(value.tolist())
    return [shown(T, v) for v in value] if isinstance(value, tuple | list) else repr(value)


def outcome(T: Any, call: str) -> Any:
    names = {
        "T": T, "F": T.nn.functional, "x": T.ones(2, 2), "row": T.arange(8.0).view(1, 1, 8) - 4,
        "q": T.zeros(1, 1, 2, 2), "v": T.tensor([[[[0.0, 2.0], [0.0, 4.0]]]]),
        "MASK": MASK, "Two": Two, "math": math, "np": np,
    }  # fmt: skip
    try:
        return shown(T, eval(call, names))
    except (TypeError, ValueError, RuntimeError, IndexError) as error:
        return type(error).__name__, str(error)


@pytest.mark.parametrize("call", CALLS)
def test_torch_does_the_same(call: str) -> None:
    assert outcome(pullback, call) == outcome(torch, call)
