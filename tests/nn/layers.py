"""What expressions in layers' functions give: digests of values, nodes, errors and warnings, recorded from
torch.

``expressions/<topic>.txt`` holds the definitions that the topic's expressions share, a line ``---``, and an
expression a line. Before each the seed is set.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

EXPRESSIONS = Path(__file__).parent / "expressions"


def topics() -> list[str]:
    """The names of the recorded topics."""
    return sorted(path.stem for path in EXPRESSIONS.glob("*.txt"))


def read(topic: str) -> tuple[str, list[str]]:
    """The shared definitions of a topic, and its expressions."""
    definitions, expressions = (EXPRESSIONS / f"{topic}.txt").read_text().split("\n---\n")
    return definitions, expressions.splitlines()


def _described(value: Any) -> Any:
    """A tensor as plain data: four numbers stand for its elements."""
    if not hasattr(value, "detach"):
        return value
    array = value.detach()
    array = array.numpy() if array.is_complex() else array.double().numpy()
    array = np.concatenate([array.real.reshape(-1), array.imag.reshape(-1)]) if value.is_complex() else array
    array = array.reshape(-1)
    finite = np.where(np.isfinite(array), array, 0.0)
    weights = np.cos(np.arange(array.size))
    digest = [float((finite * weights).sum()), float(np.abs(finite).sum()), int(np.isnan(array).sum()),
              int(np.isinf(array).sum())]  # fmt: skip
    node = None if value.grad_fn is None else type(value.grad_fn).__name__
    return {
        "dtype": str(value.dtype), "shape": list(value.shape), "strides": list(value.stride()), "node": node,
        "digest": digest,
    }  # fmt: skip


def outcomes(topic: str, torch: Any) -> dict[str, Any]:
    """What each expression of a topic gives in a namespace like torch's."""
    definitions, expressions = read(topic)
    scope: dict[str, Any] = {"t": torch, "F": torch.nn.functional, "nn": torch.nn, "np": np}
    torch.manual_seed(0)
    exec(definitions, scope)
    return {expression: _outcome(expression, scope, torch) for expression in expressions}


def _outcome(expression: str, scope: dict[str, Any], torch: Any) -> Any:
    torch.manual_seed(3)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = eval(expression, scope)
        except Exception as error:  # noqa: BLE001  # any error is a result here
            return {"error": [type(error).__name__, str(error)]}
    values = [_described(v) for v in (value if isinstance(value, (tuple, list)) else (value,))]
    return {"values": values, "warnings": sorted({str(w.message) for w in caught})}
