"""Define recurrent networks of several layers and directions, under torch's names.

A network is a batch of sequences of one length, or packed: the rows of all steps below each other and how
many each step has. Each layer runs once per direction, as one op (`ops.recurrent`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import pairwise
from typing import Any, cast

import numpy as np
from numpy import ndarray

from ...array import dtypes
from ...array.dtype_words import unlike
from ...array.named_tuples import NamedTuple
from ...core.modes import modes
from ...core.value import array_of, dtype_of, shape_of, wrap
from ...core.warn import warn
from ...errors import with_name
from ...ops import recurrent as ops
from ...ops.rearranged import transpose
from ...tensor.api import public
from ...tensor.join import cat, stack
from ...tensor.product_sums import linear
from ...tensor.signature import parsed
from ...tensor.unrecorded import arrays
from .dropout import dropout


class _Weights(NamedTuple):
    """The parameters of one layer in one direction."""

    w_ih: Any
    w_hh: Any
    b_ih: Any = None
    b_hh: Any = None
    w_hr: Any = None


class _Options(NamedTuple):
    """Hold the options that all networks take."""

    has_biases: bool
    num_layers: int
    dropout: float
    train: bool
    bidirectional: bool


#: One layer in one direction: (input, states, weights, reverse, sizes) to the output and its last states.
_Layer = Callable[[Any, tuple[Any, ...], _Weights, bool, ops.Sizes], tuple[Any, ...]]


def _parted(params: Sequence[Any], has_biases: bool, projected: bool = False) -> list[_Weights]:
    count = (4 if has_biases else 2) + projected
    if len(params) % count:
        raise RuntimeError("got an incorrect number of RNN parameters")
    found = []
    for start in range(0, len(params), count):
        weights = list(params[start : start + count])
        w_hr = weights.pop() if projected else None
        w_ih, w_hh, *biases = weights
        b_ih, b_hh = biases or (None, None)
        found.append(_Weights(w_ih, w_hh, b_ih, b_hh, w_hr))
    return found


def _check_counts(weights: int, states: int, options: _Options) -> None:
    """Raise torch's error for too few or too many weights or states."""
    if options.bidirectional:
        if weights % 2 or states % 2:
            raise RuntimeError("Odd number of params or hiddens given to a bidirectional RNN")
        weights, states = weights // 2, states // 2
    if states != options.num_layers:
        raise RuntimeError("Expected more hidden states in stacked_rnn")
    if weights != options.num_layers:
        raise RuntimeError("Expected more weights in stacked_rnn")


def _network(
    layer: _Layer, input: Any, states: tuple[Any, ...], weights: Sequence[_Weights], options: _Options,
    batch_first: bool, sizes: ops.Sizes,
) -> tuple[Any, ...]:  # fmt: skip
    """Run all layers: the output, and each kind of state at the end, stacked."""
    x = input.transpose(0, 1) if batch_first else input
    if sizes is None and not shape_of(x)[0]:
        raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
    plain = None
    if not (options.train and options.dropout):
        plain = arrays(x, *states, *(v for w in weights for v in w if v is not None))
    if plain is None:
        each = tuple(zip(*(s.unbind(0) for s in states), strict=True))
        x, finals = _layers(layer, x, each, weights, options, sizes, cat)
        return x, *(stack(s, 0) for s in zip(*finals, strict=True))
    # On arrays: one sequence of 16 steps takes 160 µs so, and 215 by ops.
    each = tuple(zip(*plain[1 : 1 + len(states)], strict=True))
    own = [_Weights(*[None if v is None else v._value for v in w]) for w in weights]
    x, finals = _layers(layer, plain[0], each, own, options, sizes, np.concatenate)
    if len(finals) == 1:
        return wrap(x), *(wrap(last.reshape(1, *last.shape)) for last in finals[0])  # `np.stack` takes 10 µs
    return wrap(x), *(wrap(np.stack(s)) for s in zip(*finals, strict=True))


def _layers(
    layer: _Layer, x: Any, states: Sequence[Any], weights: Sequence[_Weights], options: _Options,
    sizes: ops.Sizes, join: Callable[..., Any],
) -> tuple[Any, list[list[Any]]]:  # fmt: skip
    """Return the output of all layers, and the states of each layer and direction at the end."""
    directions = 2 if options.bidirectional else 1
    finals = []
    for first in range(0, options.num_layers * directions, directions):
        outs = []
        for k in range(first, first + directions):
            out, *last = layer(x, states[k], weights[k], k > first, sizes)
            outs.append(out)
            finals.append(last)
        x = outs[0] if directions == 1 else join(outs, -1)
        if options.train and options.dropout and first + directions < options.num_layers * directions:
            x = dropout(x, options.dropout, True)
    return x, finals


def _sizes(data: Any, batch_sizes: Any) -> tuple[Any, tuple[int, ...]]:
    """Return the rows that the sizes tell of, and the sizes."""
    if (given := array_of(batch_sizes)).dtype != np.int64:
        raise unlike(np.dtype(np.int64), given.dtype)
    if not (sizes := tuple(map(int, given.reshape(-1)))):
        raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
    if any(later > earlier for earlier, later in pairwise(sizes)):
        # torch reads past the end of its states here.
        raise RuntimeError("batch_sizes must be in decreasing order")
    rows = shape_of(data)[0]
    start = 0
    for size in sizes:
        if start + size > rows:
            raise RuntimeError(f"start ({start}) + length ({size}) exceeds dimension size ({rows}).")
        start += size
    return (data if start == rows else data[:start]), sizes


_FLOATS = frozenset(d.numpy for d in (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64))


def _fit(x: Any, states: tuple[Any, ...], w: _Weights, gates: int, sizes: ops.Sizes) -> bool:
    """Return whether the op takes these; else torch's error, unless only the dtype is not taken."""
    rows = sizes[0] if sizes is not None else shape_of(x)[1]
    hidden = shape_of(states[-1])[-1]
    out = hidden if w.w_hr is None else shape_of(w.w_hr)[0]
    wanted: list[tuple[Any, tuple[int, ...]]] = [
        (w.w_ih, (gates * hidden, shape_of(x)[-1])), (w.w_hh, (gates * hidden, out)),
        (states[0], (rows, out)), (states[-1], (rows, hidden)),
        (w.b_ih, (gates * hidden,)), (w.b_hh, (gates * hidden,)), (w.w_hr, (out, hidden)),
    ]  # fmt: skip
    dtype = dtype_of(x)
    if all(v is None or (shape_of(v) == shape and dtype_of(v) == dtype) for v, shape in wanted):
        return dtype in _FLOATS
    x, w_ih, w_hh, b_ih, b_hh, state = (wrap(v) if type(v) is ndarray else v for v in (x, *w[:4], states[0]))
    inputs = linear(x, w_ih, b_ih)
    linear(state, w_hh, b_hh).add_(inputs[:rows] if sizes is not None else inputs[0])
    raise RuntimeError("got RNN parameters or hidden states that do not fit together")


def _elman(
    activation: str, x: Any, states: tuple[Any, ...], w: _Weights, reverse: bool, sizes: ops.Sizes
) -> tuple[Any, ...]:
    arguments = (x, *states, *w[:4], activation, reverse, sizes)
    if not _fit(x, states, w, 1, sizes):
        return ops.elman_in_steps(*arguments)
    return (ops.elman if sizes is None else ops.elman_packed)(*arguments)


def _gru(x: Any, states: tuple[Any, ...], w: _Weights, reverse: bool, sizes: ops.Sizes) -> tuple[Any, ...]:
    arguments = (x, *states, *w[:4], reverse, sizes)
    if not _fit(x, states, w, 3, sizes):
        return ops.gru_in_steps(*arguments)
    return (ops.gru if sizes is None else ops.gru_packed)(*arguments)[:2]


def _lstm(
    whole: bool, x: Any, states: tuple[Any, ...], w: _Weights, reverse: bool, sizes: ops.Sizes
) -> tuple[Any, ...]:
    arguments = (x, *states, *w, reverse, sizes)
    if not _fit(x, states, w, 4, sizes):
        return ops.lstm_in_steps(*arguments)
    if sizes is not None:
        return ops.lstm_packed(*arguments)[:3]
    return (ops.lstm_onednn if whole else ops.lstm)(*arguments)[:3]


def _cast(x: Any, states: tuple[Any, ...], params: Any, lower: bool) -> tuple[Any, tuple[Any, ...], Any]:
    """Return under autocast all in one dtype: its own, or that of the states, in which torch adds up."""
    if modes().autocast is None:
        return x, states, params
    dtype = modes().autocast.dtype if lower else states[0].dtype
    return x.to(dtype), tuple(s.to(dtype) for s in states), [p.to(dtype) for p in params]


def _one_state(
    layer: _Layer, input: Any, hx: Any, params: Any, options: _Options, batch_first: bool, batch_sizes: Any
) -> tuple[Any, Any]:
    input, (hx,), params = _cast(input, (hx,), params, False)
    weights = _parted(params, options.has_biases)
    _check_counts(len(weights), shape_of(hx)[0], options)
    sizes = None
    if batch_sizes is not None:
        input, sizes = _sizes(input, batch_sizes)
    output, last = _network(layer, input, (hx,), weights, options, batch_first, sizes)
    return (_batch_first(output) if batch_first else output), last


def _batch_first(output: Any) -> Any:
    """Return the batch as first axis; torch's node is that of `transpose_`, but that bumps the version."""
    return transpose(output, 0, 1)


def _network_of(name: str, layer: _Layer, text: str) -> Callable[..., tuple[Any, Any]]:
    """Declare a network whose layers have one state."""

    def network(
        hx: Any, params: Any, has_biases: bool, num_layers: int, dropout: float, train: bool,
        bidirectional: bool, input: Any = None, batch_first: bool = False, data: Any = None,
        batch_sizes: Any = None,
    ) -> tuple[Any, Any]:  # fmt: skip
        options = _Options(has_biases, num_layers, dropout, train, bidirectional)
        whole = data if input is None else input
        return _one_state(layer, whole, hx, params, options, batch_first, batch_sizes)

    declared = parsed(name)(with_name(network, name, text))
    return cast(Callable[..., tuple[Any, Any]], public(declared, method=False, out=False))


rnn_tanh = _network_of(
    "rnn_tanh", partial(_elman, "tanh"),
    """Return the Elman's network, ``h' = tanh(W_ih x + b_ih + W_hh h + b_hh)``.

    Parameters
    ----------
    input : Tensor
        (T, N, I), or (N, T, I) with `batch_first`.
    data, batch_sizes : Tensor
        Instead of it, a packed sequence (rows of all steps, I) and (T,).
    hx : Tensor
        (layers·directions, N, H).
    params : sequence of Tensor
        For each layer and direction W_ih (H, I), W_hh (H, H) and, with `has_biases`, b_ih and b_hh (H,).
    num_layers : int
    dropout : float
        Probability, of the output of all layers but the last, in training.
    train, bidirectional : bool

    Returns
    -------
    (output, h_n)
        The states of the last layer at all steps, those of all layers at the end.
    """,
)  # fmt: skip
rnn_relu = _network_of(
    "rnn_relu", partial(_elman, "relu"), "Return :func:`rnn_tanh` with relu in place of tanh."
)
gru = _network_of(
    "gru", _gru,
    "Compute gated recurrent units; arguments and results of :func:`rnn_tanh`, weights of `gru_cell`.",
)  # fmt: skip


@cache
def _warn_of_projections() -> None:
    """Warn once per process, as torch."""
    warn("LSTM with projections is not supported with oneDNN. Using default implementation.")


def _check_rows(params: Sequence[Any], hx: Any, options: _Options) -> None:
    """Raise the errors with which torch reads the weights for its one kernel."""
    count, size = 4 if options.has_biases else 2, len(params)
    if size % count:
        raise RuntimeError(f"MatrixRef: ArrayRef size {size} not divisible by stride {count}")
    for k in range(options.num_layers * (2 if options.bidirectional else 1)):
        if (k + 1) * count > size:
            raise RuntimeError(f"ArrayRef: invalid slice, N = {k * count}; M = {count}; size = {size}")
        for states in hx:
            if k >= shape_of(states)[0]:
                states.select(0, k)


@public(method=False, out=False)
@parsed("lstm")
def lstm(
    hx: Any, params: Any, has_biases: bool, num_layers: int, dropout: float, train: bool, bidirectional: bool,
    input: Any = None, batch_first: bool = False, data: Any = None, batch_sizes: Any = None,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """Compute a long short-term memory; arguments as of :func:`rnn_tanh`, weights as of `lstm_cell`.

    `hx` is (h_0, c_0). Where h_0 is narrower than c_0, each layer and direction has one weight more, which
    projects its output to that width (Sak, Senior and Beaufays 2014).

    Returns
    -------
    (output, h_n, c_n)
    """
    options = _Options(has_biases, num_layers, dropout, train, bidirectional)
    if len(hx) != 2:
        raise RuntimeError("lstm expects two hidden states")
    projected = hx[0].size(2) != hx[1].size(2)
    whole, sizes = input, None
    # In half precision torch asks whether the processor computes in it; with bfloat16 it mostly does.
    onednn = input is not None and input.dtype in (dtypes.float32, dtypes.bfloat16) and input.numel() > 0
    if onednn and projected:
        _warn_of_projections()
        onednn = False
    if onednn:
        _check_rows(params, hx, options)
    if batch_sizes is not None:
        whole, sizes = _sizes(data, batch_sizes)
    whole, hx, params = _cast(whole, tuple(hx), params, onednn)
    weights = _parted(params, has_biases, projected)
    if onednn:
        count = num_layers * (2 if bidirectional else 1)
        weights, hx = weights[:count], tuple(s[:count] for s in hx)
    else:
        _check_counts(len(weights), len(hx[0]), options)
    output, h_n, c_n = _network(partial(_lstm, onednn), whole, hx, weights, options, batch_first, sizes)
    if batch_first:
        output = output.transpose(0, 1)
    return output, h_n, c_n
