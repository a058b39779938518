"""What an expression in tensors gives: value, dtype, node, gradient and warnings, recorded from torch and
compared.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from .recorded import load

#: Where the value and the gradient are torch's and the node is not: torch has one op (or another last op)
#: where pullback
#: composes several.
OTHER_NODE = (
    "quantile", "nanquantile",
    "cross_entropy(x,p", "cross_entropy(x[0],p[0]",
)  # fmt: skip


def names(torch: Any, functional: Any) -> dict[str, Any]:
    """The tensors that the expressions are written in."""
    rng = np.random.default_rng(0)

    def made(*shape: int, low: float | None = None) -> Any:
        a = rng.normal(size=shape) if low is None else rng.uniform(low, 0.9, shape)
        return torch.from_numpy(a.astype(np.float32)).requires_grad_()

    x, y, x3 = made(3, 4), made(3, 4), made(2, 4, 3)
    i = torch.tensor([[1, 2, 3, 4], [-1, 0, 3, 2]])
    return {
        "torch": torch, "F": functional, "x": x, "y": y, "x3": x3, "p": made(3, 4, low=0.1),
        "q": made(3, 4, low=0.1), "w": torch.tensor([0.5, 1.0, 2.0, 3.0]), "lab": torch.tensor([0, 1, 2]),
        "i": i, "b": i > 2, "c": torch.tensor([[1 + 2j, 3 - 1j], [0.5j, 2 + 0j]]), "s": torch.tensor(2.0),
        "e": torch.empty(0, 3), "lab3": torch.tensor([[0, 3, 1], [2, 2, 0]]),
        "mlab": torch.tensor([[0, 2, -1, 1], [-1, 0, 0, 0], [3, 1, 2, -1]]),
    }  # fmt: skip


def described(value: Any) -> Any:
    """A result as plain data."""
    if isinstance(value, tuple):
        return {"type": type(value).__name__, "parts": [described(v) for v in value]}
    flat = value.detach()
    flat = [str(v) for v in flat.reshape(-1).tolist()] if flat.is_complex() else flat.tolist()
    node = None if value.grad_fn is None else type(value.grad_fn).__name__
    return {"dtype": str(value.dtype), "shape": list(value.shape), "values": flat, "node": node}


def outcome(expression: str, torch: Any, functional: Any) -> dict[str, Any]:
    """Evaluate an expression and pull the cubes of its result back to its tensors."""
    scope = names(torch, functional)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = eval(expression, scope)
        except Exception as error:  # noqa: BLE001  # any error is a result here
            return {"error": [type(error).__name__, str(error)]}
    result = {"value": described(value), "warnings": [str(w.message) for w in caught]}
    parts = [
        v for v in (value if isinstance(value, tuple) else (value,)) if v.requires_grad and not v.is_complex()
    ]
    if parts and expression != "F.dropout(x,.3,training=False)":
        total = parts[0].pow(3).sum()
        for part in parts[1:]:
            total = total + part.pow(3).sum()
        total.backward()
        result["grads"] = {
            k: None if scope[k].grad is None else scope[k].grad.tolist() for k in ("x", "y", "x3", "p", "q")
        }
    return result


def recorded(topic: str) -> list[Any]:
    """The recorded rows of a topic as parameters of a test."""
    return [
        pytest.param(expression, expected, id=expression) for expression, expected in load("functions")[topic]
    ]


def check(expression: str, expected: dict[str, Any]) -> None:
    """Compare an expression with what torch gave."""
    import pullback
    import pullback.nn.functional

    found = outcome(expression, pullback, pullback.nn.functional)
    if "error" in expected:
        assert found == expected
        return
    assert "error" not in found, found
    assert found["warnings"] == expected["warnings"]
    if any(name in expression for name in OTHER_NODE):
        found["value"]["node"] = expected["value"]["node"]
    _compare(found["value"], expected["value"])
    for name, grad in expected.get("grads", {}).items():
        mine = found["grads"][name]
        assert (mine is None) == (grad is None), name
        if grad is not None:
            np.testing.assert_allclose(mine, grad, rtol=5e-5, atol=3e-5, err_msg=f"gradient of {name}")


def _compare(found: Any, expected: Any) -> None:
    if "parts" in expected:
        assert found["type"] == expected["type"]
        for a, b in zip(found["parts"], expected["parts"], strict=True):
            _compare(a, b)
        return
    assert {k: v for k, v in found.items() if k != "values"} == {
        k: v for k, v in expected.items() if k != "values"
    }
    if expected["dtype"].startswith("torch.complex"):
        mine, theirs = ([complex(v) for v in side["values"]] for side in (found, expected))
    else:
        mine, theirs = found["values"], expected["values"]
    np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-6)
