"""What is saved: the same content under torch (to record files) and under pullback (to compare)."""

from __future__ import annotations

from collections import Counter, OrderedDict
from typing import Any


def content(torch: Any) -> dict[str, Any]:
    """Tensors of every kind, with shared storages, and what else a checkpoint may hold."""
    a = torch.arange(6.0).reshape(2, 3)
    param = torch.nn.Parameter(torch.ones(2))
    named = torch.nn.Parameter(torch.zeros(2))
    named.note = "mine"
    return {
        "matrix": a,
        "column": a[:, 1],
        "transposed": a.t(),
        "param": param,
        "param again": param,
        "named": named,
        "requires grad": torch.ones(2, requires_grad=True),
        "frozen": torch.nn.Parameter(torch.ones(1), requires_grad=False),
        **{
            name: torch.tensor([0, 1, 2]).to(getattr(torch, name))
            for name in (
                "bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32",
                "float64", "complex64", "complex128",
            )
        },
        "empty": torch.zeros(0, 3),
        "number": torch.tensor(3.5),
        "expanded": torch.ones(1).expand(3, 2),
        "dtype": torch.bfloat16,
        "device": torch.device("cpu"),
        "size": a.shape,
        "layout": a.layout,
        "state": OrderedDict(weight=torch.ones(1), bias=None),
        "counts": Counter("aab"),
        "plain": [1, -2, 2.5, 2**70, -(2**40), "text é", None, True, (1,), (1, 2, 3, 4), {1}, b"ab", 1 + 2j],
        "deep": {"a": {"b": [{"c": torch.tensor([1])}]}},
    }  # fmt: skip


def described(value: Any) -> Any:
    """A value in words and numbers that are the same for torch and pullback."""
    if hasattr(value, "storage_offset"):
        numbers = value.detach()
        numbers = numbers if not str(value.dtype).endswith("bfloat16") else numbers.float()
        pairs = [numbers.real.tolist(), numbers.imag.tolist()] if value.is_complex() else numbers.tolist()
        return [
            type(value).__name__, str(value.dtype), list(value.shape), list(value.stride()),
            value.storage_offset(), value.requires_grad, pairs, getattr(value, "note", None),
        ]  # fmt: skip
    if isinstance(value, (dict, OrderedDict, Counter)):
        return [type(value).__name__, {str(k): described(v) for k, v in value.items()}]
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, [described(v) for v in value]]
    return str(value)
