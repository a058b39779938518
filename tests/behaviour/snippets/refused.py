"""Dtypes that layers and products refuse, and those that they take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_DTYPES = ("complex64", "int64", "uint8", "bool")


def _say(name: str, call: Callable[[], Any]) -> None:
    try:
        print(name, call())
    except (RuntimeError, TypeError, ValueError) as error:
        print(name, type(error).__name__, error)


def activations(torch: Any) -> None:
    f = torch.nn.functional
    for kind in _DTYPES:
        x = torch.ones(2, dtype=getattr(torch, kind))
        for name in ("relu6", "hardtanh", "hardtanh_", "relu", "elu", "leaky_relu", "silu", "gelu"):
            _say(f"{name} of {kind}", lambda name=name, x=x: getattr(f, name)(x.clone()))
        _say(f"clamp of {kind}", lambda x=x: x.clamp(min=0.5))
        _say(f"hardtanh from 0 of {kind}", lambda x=x: f.hardtanh(x, 0, 1))


def losses(torch: Any) -> None:
    f = torch.nn.functional
    for kind in _DTYPES:
        x = torch.ones(2, dtype=getattr(torch, kind))
        for name in ("hinge_embedding_loss", "soft_margin_loss"):
            _say(f"{name} of {kind}", lambda name=name, x=x: getattr(f, name)(x, x))
        _say(f"margin_ranking_loss of {kind}", lambda x=x: f.margin_ranking_loss(x, x, x))
        _say(f"gaussian_nll_loss of {kind}", lambda x=x: f.gaussian_nll_loss(x, x, x))
        _say(f"cosine_embedding_loss of {kind}",
             lambda x=x: f.cosine_embedding_loss(x, x, torch.tensor(1)))  # fmt: skip


def layers(torch: Any) -> None:
    f = torch.nn.functional
    for kind in _DTYPES:
        x = torch.ones(1, 2, 2, dtype=getattr(torch, kind))
        _say(f"attention of {kind}", lambda x=x: f.scaled_dot_product_attention(x, x, x))
        heads = x[None]
        _say(f"attention by heads of {kind}",
             lambda x=heads: f.scaled_dot_product_attention(x, x, x))  # fmt: skip
        for indices in (False, True):
            _say(f"max_pool1d of {kind}", lambda x=x, i=indices: f.max_pool1d(x, 2, return_indices=i))
        if kind != "int64":
            _say(f"embedding of {kind}", lambda x=x: f.embedding(x, torch.ones(3, 2)))


def products(torch: Any) -> None:
    for shapes in (((1, 2, 2), (1, 2, 2)), ((2, 2), (3, 2, 2)), ((3, 2, 2), (2, 2)), ((3, 2, 2), (2,)),
                   ((2,), (3, 2, 2)), ((2,), (2, 2)), ((2, 2), (2,)), ((2,), (2,))):  # fmt: skip
        for kinds in (("float32", "int64"), ("int64", "float32"), ("float32", "float64"), ("bool", "half")):
            x, y = (torch.ones(s, dtype=getattr(torch, k)) for s, k in zip(shapes, kinds, strict=True))
            _say(f"matmul {shapes} {kinds}", lambda x=x, y=y: torch.matmul(x, y))
