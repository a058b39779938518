"""Show the inside of a layer that is one op: the gates of a recurrent layer step by step, and how the
gradient goes back through them; the weights of attention.

The numbers come from what the op saved, and from its own rule and kernel, run step by step.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy import ndarray

from ..core.blame import is_freed
from ..core.node import MultiNode, Node, edge_target
from ..core.value import innermost
from ..ops import recurrent
from .shown import Plain, norm, plain_number

#: Steps, keys and queries that are shown; of more there are the first and the last ones.
MOST_COLUMNS = 12
MOST_ROWS = 12

#: Steps through which the gradient is followed, and elements of what the steps saved together.
MOST_STEPS = 512
MOST_ELEMENTS = 4_000_000

#: The gates of each layer, in the order in which its op saves them.
GATES = {
    "lstm": ("input gate", "forget gate", "candidate", "output gate"),
    "gru": ("reset gate", "update gate", "candidate"),
    "elman": (),
}

#: What the op of a layer that has another name is like.
LIKE = {
    "mkldnn_rnn_layer": "lstm", "lstm_packed": "lstm", "gru_packed": "gru", "elman_packed": "elman",
    "lstm": "lstm", "gru": "gru", "elman": "elman",
}  # fmt: skip

#: Calls whose softmax gives the weights of attention.
PRODUCTS = {
    "bmm", "baddbmm", "matmul", "mul_number", "div_number", "mul", "div", "add", "where", "masked_fill",
}  # fmt: skip


@dataclass(frozen=True)
class Inside(Plain):
    """A table of what happens inside.

    Attributes
    ----------
    title : str
    count : int
        How many columns there are in all, shown or not: the "×T" of a row of steps.
    across : str
        What a column is: "step" or "key".
    columns : list of int
        Which of them are shown, from 0 on.
    rows : list of (str, list of float)
        The name of each row, and a number for each column.
    """

    title: str
    count: int
    across: str
    columns: list[int]
    rows: list[tuple[str, list[float]]]

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain data."""
        rows = [[name, [plain_number(float(f"{v:.4g}")) for v in values]] for name, values in self.rows]
        return {**super().to_dict(), "rows": rows}


def inside(node: Node, g: Any) -> Inside | None:
    """Return what happens inside a node that a covector comes to; None for an op with nothing to show."""
    op, saved = node._op, node._saved
    if op is None or not isinstance(saved, tuple) or is_freed(saved):
        return None
    with np.errstate(all="ignore"):
        if op.name in LIKE:
            return _recurrent(LIKE[op.name], _held(node), g)
        if op.base == "scaled_dot_product_attention":
            return _attention(op, _held(node))
        if op.base in ("softmax", "safe_softmax"):
            return _softmax(node, _held(node))
    return None


def _held(node: Node) -> dict[str, Any]:
    """Return what a node saved, by name."""
    layout = node._op.layout
    values = {name: node._saved[3 * k] for k, name in enumerate(layout.values)}
    rest = node._saved[3 * layout.count :]
    return {**values, **dict(zip((*layout.metadata, *layout.attrs), rest))}


def _shown(count: int, most: int) -> list[int]:
    """Return the places that are shown: all, or the first and last ones."""
    half = most // 2
    return list(range(count)) if count <= most else [*range(half), *range(count - half, count)]


# --- recurrent layers ---------------------------------------------------------------------------------------


def _recurrent(layer: str, held: dict[str, Any], g: Any) -> Inside | None:
    """Return the gates, the state and the gradient of each step, in the order of the sequence."""
    output = held.get("output")
    x = held.get("x")
    if not isinstance(output, ndarray) or not isinstance(x, ndarray) or output.size > MOST_ELEMENTS:
        return None
    sizes: Any = held.get("sizes") or (output.shape[1],) * output.shape[0]
    ends = np.cumsum(sizes)
    parts = [slice(end - size, end) for end, size in zip(ends.tolist(), sizes)]
    rows: list[tuple[str, list[float]]] = []
    gates = held.get({"lstm": "gates", "gru": "reserve"}.get(layer, ""))
    if isinstance(gates, ndarray):
        width = gates.shape[1] // 4
        for k, name in enumerate(GATES[layer]):
            gate = gates[:, k * width : (k + 1) * width].astype(np.float64)
            if name == "candidate":
                rows.append(("|candidate|", [_mean(np.abs(gate[part])) for part in parts]))
            else:
                rows.append((name, [_mean(gate[part]) for part in parts]))
    if isinstance(held.get("cells"), ndarray):
        rows.append(("|cell|", [_mean(np.abs(held["cells"][part])) for part in parts]))
    flat = output.reshape(-1, output.shape[-1])
    rows.append(("|state|", [_mean(np.abs(flat[part])) for part in parts]))
    if held.get("sizes") is None and len(parts) <= MOST_STEPS:
        found = _gradients(layer, held, g)
        if found is not None:
            rows.append(("norm of ∂/∂state", found))
    columns = _shown(len(parts), MOST_COLUMNS)
    back = ", read from the last step on" if held.get("reverse") else ""
    return Inside(
        f"{len(parts)} steps{back}: means over batch and units", len(parts), "step", columns,
        [(name, [values[k] for k in columns]) for name, values in rows],
    )  # fmt: skip


def _mean(part: ndarray) -> float:
    return float(part.astype(np.float64).mean()) if part.size else 0.0


def _gradients(layer: str, held: dict[str, Any], g: Any) -> list[float] | None:
    """Return the norm of the gradient of the state after each step, by the op's rule for a single step."""
    x, h, output = held["x"], held["h"], held["output"]
    covectors = g if isinstance(g, list) else [g]
    given = [None if v is None else np.asarray(innermost(v)) for v in covectors]
    given += [None] * (3 - len(given))
    states: list[ndarray] = [given[1] if given[1] is not None else np.zeros_like(h)]
    if layer == "lstm":
        states.append(given[2] if given[2] is not None else np.zeros_like(held["c"]))
    batch = x.shape[1]
    order = range(len(x))[:: 1 if held["reverse"] else -1]
    sizes = [0.0] * len(x)
    for t in order:
        came = np.zeros_like(output[t]) if given[0] is None else given[0][t]
        sizes[t] = norm(came + states[0])
        before = t + 1 if held["reverse"] else t - 1
        first = not 0 <= before < len(x)
        rows = slice(t * batch, (t + 1) * batch)
        step = slice(t, t + 1)
        common = (x[step], h if first else output[before])
        if layer == "lstm":
            cell = held["c"] if first else held["cells"][before * batch : (before + 1) * batch]
            pulled = recurrent.lstm_pulled(
                came[None], *states, *common, cell, held["w_ih"], held["w_hh"], held.get("w_hr"),
                output[step], held["gates"][rows], held["cells"][rows], False, None,
                (False, True, True, *(False,) * 5),
            )  # fmt: skip
            states = [pulled[1], pulled[2]]
        elif layer == "gru":
            pulled = recurrent.gru_pulled(
                came[None], states[0], *common, held["w_ih"], held["w_hh"], output[step],
                held["reserve"][rows], False, None, (False, True, *(False,) * 4),
            )  # fmt: skip
            states = [pulled[1]]
        else:
            pulled = recurrent.elman_pulled(
                came[None], states[0], *common, held["w_ih"], held["w_hh"], output[step],
                held["activation"], False, None, (False, True, *(False,) * 4),
            )  # fmt: skip
            states = [pulled[1]]
    return sizes


# --- attention ----------------------------------------------------------------------------------------------


def _attention(op: Any, held: dict[str, Any]) -> Inside | None:
    """Return the weights of attention: what the op gives where the values are the rows of the identity."""
    query, key = held.get("query"), held.get("key")
    if not isinstance(query, ndarray) or not isinstance(key, ndarray) or held.get("dropout_p"):
        return None
    count = key.shape[-2]
    if query.size // query.shape[-1] * count > MOST_ELEMENTS or count * key.size > MOST_ELEMENTS * 8:
        return None
    values = np.broadcast_to(np.eye(count, dtype=key.dtype), (*key.shape[:-2], count, count))
    attrs = tuple(held[name] for name in op.layout.attrs)
    found = op.evaluate((query, key, np.ascontiguousarray(values), held.get("attn_mask")), attrs)
    return _weights(np.asarray(found[0] if isinstance(found, tuple) else found))


def _softmax(node: Node, held: dict[str, Any]) -> Inside | None:
    """Return the weights of attention that is written out: a softmax over the last axis of a product."""
    out, edge = held.get("out"), node._edges[0] if node._edges else None
    before = None if edge is None else edge_target(edge)[0]
    op = None if before is None or isinstance(before, MultiNode) else before._op
    if not isinstance(out, ndarray) or out.ndim < 3 or op is None or op.base not in PRODUCTS:
        return None
    if out.size > MOST_ELEMENTS or not np.allclose(out.astype(np.float64).sum(-1), 1, atol=1e-3):
        return None
    return _weights(out)


def _weights(weights: ndarray) -> Inside | None:
    if weights.ndim < 2 or not weights.size:
        return None
    wide = weights.astype(np.float64).reshape(-1, *weights.shape[-2:])
    mean = wide.mean(0)
    queries, keys = _shown(mean.shape[0], MOST_ROWS), _shown(mean.shape[1], MOST_COLUMNS)
    return Inside(
        f"the weights of attention, {mean.shape[0]} queries by {mean.shape[1]} keys: means over "
        f"{len(wide)} samples and heads", mean.shape[1], "key", keys,
        [(f"query {q}", mean[q, keys].tolist()) for q in queries],
    )  # fmt: skip


def table(found: Inside, width: int) -> Sequence[str]:
    """Return the table as lines of text."""
    label = max(len(name) for name, _ in (*found.rows, (found.across, [])))
    fits = max(1, (width - label) // 10)
    shown = _shown(len(found.columns), max(2, fits - fits % 2))
    pairs = enumerate(itertools.pairwise(found.columns[k] for k in shown))
    gap = next((place for place, (before, after) in pairs if after - before > 1), -1)

    def line(name: str, cells: list[str]) -> str:
        marked = [f"{cell:>9}{' …' if k == gap else ''}" for k, cell in enumerate(cells)]
        return f"{name:<{label}}{''.join(marked)}"

    return [
        line(found.across, [str(found.columns[k]) for k in shown]),
        *(line(name, [f"{values[k]:.3g}" for k in shown]) for name, values in found.rows),
    ]
