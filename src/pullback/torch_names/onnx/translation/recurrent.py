"""Tell of recurrent layers: one node of ONNX for one layer in one direction.

ONNX has the gates in another order: input, output, forget, cell of an LSTM (torch: input, forget, cell,
output), and update, reset, hidden of a GRU (torch: reset, update, new).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..builder import Graph, Operand
from ..rules import Unsupported, rule

_LSTM, _GRU, _ELMAN = (0, 3, 1, 2), (1, 0, 2), (0,)


def _gates(g: Graph, x: Operand, order: Sequence[int]) -> str:
    """Return a weight or bias with its gates in another order, as numbers where it is a constant."""
    if len(order) == 1:
        return x.name
    rows = g.number(x.shape[0])
    places = np.arange(rows).reshape(len(order), -1)[[*order]].reshape(-1)
    if (array := g.array(x)) is not None:
        return g.constant(array[places])
    return str(g.node("Gather", x, g.constant(places, np.int64), axis=0))


def _layer(
    g: Graph, kind: str, order: Sequence[int], x: Operand, states: Sequence[Operand], weights: Sequence[Any],
    reverse: bool, sizes: Any, **attrs: Any,
) -> tuple[str, ...]:  # fmt: skip
    if sizes is not None:
        raise Unsupported("packed sequences have no form in ONNX: pad them")
    w_ih, w_hh, b_ih, b_hh = weights
    first = g.ints([0])
    arranged = [g.node("Unsqueeze", _gates(g, w, order), first) for w in (w_ih, w_hh)]
    bias = None
    if b_ih is not None:
        joined = g.node("Concat", _gates(g, b_ih, order), _gates(g, b_hh, order), axis=0)
        bias = g.node("Unsqueeze", joined, first)
    before = [g.node("Unsqueeze", s, first) for s in states]
    found = g.node(
        kind, x, *arranged, bias, None, *before, hidden_size=g.number(w_hh.shape[1]),
        direction="reverse" if reverse else "forward", outputs=1 + len(states), **attrs,
    )  # fmt: skip
    y, *last = found
    return g.node("Squeeze", y, g.ints([1])), *(g.node("Squeeze", s, first) for s in last)


@rule("lstm", "mkldnn_rnn_layer")
def _lstm(
    g: Graph, x: Operand, h: Operand, c: Operand, w_ih: Operand, w_hh: Operand, b_ih: Any, b_hh: Any,
    w_hr: Any, reverse: bool, sizes: Any,
) -> Any:  # fmt: skip
    if w_hr is not None:
        raise Unsupported("ONNX's LSTM has no projection (proj_size)")
    found = _layer(g, "LSTM", _LSTM, x, (h, c), (w_ih, w_hh, b_ih, b_hh), reverse, sizes)
    return *found, None, None


@rule("gru")
def _gru(
    g: Graph, x: Operand, h: Operand, w_ih: Operand, w_hh: Operand, b_ih: Any, b_hh: Any, reverse: bool,
    sizes: Any,
) -> Any:  # fmt: skip
    weights = (w_ih, w_hh, b_ih, b_hh)
    return *_layer(g, "GRU", _GRU, x, (h,), weights, reverse, sizes, linear_before_reset=1), None


@rule("elman")
def _elman(
    g: Graph, x: Operand, h: Operand, w_ih: Operand, w_hh: Operand, b_ih: Any, b_hh: Any, activation: str,
    reverse: bool, sizes: Any,
) -> Any:  # fmt: skip
    word = "Relu" if activation == "relu" else "Tanh"
    return _layer(g, "RNN", _ELMAN, x, (h,), (w_ih, w_hh, b_ih, b_hh), reverse, sizes, activations=[word])


@rule("lstm_packed", "gru_packed", "elman_packed", "pack_padded_sequence", "pad_packed_sequence")
def _packed(g: Graph, *_: Any) -> Any:
    raise Unsupported("packed sequences have no form in ONNX: pad them")
