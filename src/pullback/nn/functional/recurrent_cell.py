"""Define one step of each recurrent layer, under torch's names and with torch's nodes."""

from functools import partial
from typing import Any

from ...array import recurrent as kernels
from ...core.value import wrap
from ...ops.contract import linear_sum
from ...tensor.api import public
from ...tensor.product_sums import linear
from ...tensor.signature import parsed
from ...tensor.unrecorded import arrays, computed


def _check(input: Any, states: tuple[Any, ...], w_ih: Any, w_hh: Any, gates: int) -> None:
    """Raise torch's error for weights, inputs or states that do not fit together."""
    width = w_hh.size(1)
    for name, weight in (("weight_ih", w_ih), ("weight_hh", w_hh)):
        if weight.size(0) != gates * width:
            raise RuntimeError(
                f"{name} first dim must be {gates} * hidden_size = {gates * width}, but got {weight.size(0)}"
            )
    if input.size(1) != w_ih.size(1):
        raise RuntimeError(f"input has inconsistent input_size: got {input.size(1)} expected {w_ih.size(1)}")
    for k, state in enumerate(states):
        if input.size(0) != state.size(0):
            raise RuntimeError(
                f"Input batch size {input.size(0)} doesn't match hidden{k} batch size {state.size(0)}"
            )
        if state.size(1) != width:
            raise RuntimeError(
                f"hidden{k} has inconsistent hidden_size: got {state.size(1)}, expected {width}"
            )


def _products(gates: int, input: Any, states: tuple[Any, ...], *weights: Any) -> Any:
    """Return the states and products of an unrecorded step; None if recorded or where not all fits."""
    if len(weights) != 4 or (weights[2] is None) != (weights[3] is None):
        return None
    found = arrays(input, *states, *weights[: 2 if weights[2] is None else 4])
    if found is None:
        return None
    x, h = found[:2]
    first = 1 + len(states)
    w_ih, w_hh, *biases = found[first:]
    rows, width = len(w_hh), len(w_hh) // gates
    if x.ndim != 2 or w_ih.shape != (rows, x.shape[1]) or w_hh.shape != (rows, width) or rows % gates:
        return None
    for state in found[1:first]:
        if state.shape != (len(x), width):
            return None
    for bias in biases:
        if bias.shape != (rows,):
            return None
    b_ih, b_hh = biases or (None, None)
    return found[1:first], linear_sum(b_hh, h, w_hh.T), linear_sum(b_ih, x, w_ih.T)


def _plain_elman_cell(relu: bool, input: Any, hx: Any, *weights: Any) -> Any:
    found = computed(_products, 1, input, (hx,), *weights)
    return found and wrap(computed(kernels.elman_cell, *found[1:], relu))


def _plain_gru_cell(input: Any, hx: Any, *weights: Any) -> Any:
    found = computed(_products, 3, input, (hx,), *weights)
    return found and wrap(computed(kernels.gru_cell, *found[0], *found[1:]))


def _plain_lstm_cell(input: Any, hx: Any, *weights: Any) -> Any:
    if type(hx) is not tuple or len(hx) != 2:
        return None
    found = computed(_products, 4, input, hx, *weights)
    return found and tuple(map(wrap, computed(kernels.lstm_cell, found[0][1], *found[1:])))


@public(method=False, out=False)
@parsed("rnn_tanh_cell", plain=partial(_plain_elman_cell, False))
def rnn_tanh_cell(input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
    """Return ``tanh(W_ih x + b_ih + W_hh h + b_hh)``: (N, I), (N, H) -> (N, H)."""
    _check(input, (hx,), w_ih, w_hh, 1)
    return (linear(hx, w_hh, b_hh) + linear(input, w_ih, b_ih)).tanh()


@public(method=False, out=False)
@parsed("rnn_relu_cell", plain=partial(_plain_elman_cell, True))
def rnn_relu_cell(input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
    """Return ``relu(W_ih x + b_ih + W_hh h + b_hh)``: (N, I), (N, H) -> (N, H)."""
    _check(input, (hx,), w_ih, w_hh, 1)
    return (linear(hx, w_hh, b_hh) + linear(input, w_ih, b_ih)).relu()


@public(method=False, out=False)
@parsed("gru_cell", plain=_plain_gru_cell)
def gru_cell(input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
    """Compute a gated recurrent unit (Cho et al. 2014): (N, I), (N, H) -> (N, H).

    ``r, z = σ(W_i x + b_i + W_h h + b_h)``, ``n = tanh(W_in x + b_in + r·(W_hn h + b_hn))``,
    ``h' = (h − n)·z + n``; the rows of the weights are those of r, z and n.
    """
    _check(input, (hx,), w_ih, w_hh, 3)
    x_r, x_z, x_n = linear(input, w_ih, b_ih).unsafe_chunk(3, 1)
    h_r, h_z, h_n = linear(hx, w_hh, b_hh).unsafe_chunk(3, 1)
    reset, update = (h_r + x_r).sigmoid(), (h_z + x_z).sigmoid()
    new = (x_n + h_n * reset).tanh()
    return (hx - new) * update + new


@public(method=False, out=False)
@parsed("lstm_cell", plain=_plain_lstm_cell)
def lstm_cell(
    input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None
) -> tuple[Any, Any]:
    """Compute a long short-term memory (Hochreiter and Schmidhuber 1997): (N, I), ((N, H), (N, H)) -> the
    same two.

    ``i, f, o = σ(W_i x + b_i + W_h h + b_h)``, ``g = tanh(…)``, ``c' = f·c + i·g``, ``h' = o·tanh(c')``; the
    rows of the weights are those of i, f, g and o.
    """
    if len(hx) != 2:
        raise RuntimeError("lstm_cell expects two hidden states")
    state, cell = hx
    _check(input, (state, cell), w_ih, w_hh, 4)
    gates = linear(state, w_hh, b_hh) + linear(input, w_ih, b_ih)
    i, f, g, o = gates.unsafe_chunk(4, 1)
    kept = f.sigmoid() * cell + i.sigmoid() * g.tanh()
    return o.sigmoid() * kept.tanh(), kept
