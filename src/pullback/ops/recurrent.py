"""Recurrent layers, each one op for a whole sequence in one direction.

torch makes a node per step and function for most of them; here the op that stands for all of these has the
name of the last, which is what a result shows. Time is the first axis of x, or the rows of all steps lie
below each other and `sizes` says how many each step has (a packed sequence). With `reverse` time runs
backward.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import recurrent as kernels
from ..core.op import Covectors, Several, Term, Terms, op
from ..core.recomputed import are_plain, pulled_back, pushed_forward
from ..core.result_shapes import Kinds
from ..core.value import shape_of
from .contract import linear
from .elementwise import relu, sigmoid, tanh
from .join import cat, split, split_with_sizes
from .structure import reshape, stack, unbind

Sizes = tuple[int, ...] | None


def _flat(x: ndarray) -> ndarray:
    return x.reshape(-1, x.shape[-1])


def _steps(x: ndarray, reverse: bool, sizes: Sizes) -> list[kernels.Step]:
    return kernels.steps_of((x.shape[1],) * x.shape[0] if sizes is None else sizes, reverse)


def _as_input(rows: ndarray, x: ndarray) -> ndarray:
    """Return rows of all steps with the axes of x."""
    return rows.reshape(*x.shape[:-1], rows.shape[-1])


def _elman(
    x: ndarray, h: ndarray, w_ih: ndarray, w_hh: ndarray, b_ih: object, b_hh: object, /, activation: str,
    reverse: bool, sizes: Sizes,
) -> tuple[ndarray, ndarray]:  # fmt: skip
    out, last = kernels.elman(
        _flat(x), h, w_ih, w_hh, b_ih, b_hh, _steps(x, reverse, sizes), activation == "relu"
    )
    return _as_input(out, x), last


def _gru(
    x: ndarray, h: ndarray, w_ih: ndarray, w_hh: ndarray, b_ih: Any, b_hh: Any, /, reverse: bool, sizes: Sizes
) -> tuple[ndarray, ndarray, ndarray]:
    out, last, reserve = kernels.gru(_flat(x), h, w_ih, w_hh, b_ih, b_hh, _steps(x, reverse, sizes))
    return _as_input(out, x), last, reserve


def _lstm(
    x: ndarray, h: ndarray, c: ndarray, w_ih: ndarray, w_hh: ndarray, b_ih: Any, b_hh: Any, w_hr: object, /,
    reverse: bool, sizes: Sizes,
) -> tuple[ndarray, ...]:  # fmt: skip
    out, *rest = kernels.lstm(_flat(x), h, c, w_ih, w_hh, b_ih, b_hh, w_hr, _steps(x, reverse, sizes))
    return _as_input(out, x), *rest


# --- covectors on bare arrays -------------------------------------------------------------------------------


def _filled(x: ndarray, covectors: tuple[ndarray | None, ...]) -> tuple[ndarray, ...]:
    """Return covectors with that of x in its shape, and empty arrays for those that nobody needs."""
    first, *rest = (np.empty(0, x.dtype) if v is None else v for v in covectors)
    return (first if covectors[0] is None else first.reshape(x.shape)), *rest


def _elman_pulled(
    g: ndarray, g_h: ndarray, x: ndarray, h: ndarray, w_ih: ndarray, w_hh: ndarray, output: ndarray, /,
    activation: str, reverse: bool, sizes: Sizes, needs: tuple[bool, ...],
) -> tuple[ndarray, ...]:  # fmt: skip
    steps = _steps(x, reverse, sizes)
    return _filled(x, kernels.elman_pulled(
        _flat(g), g_h, _flat(x), h, w_ih, w_hh, _flat(output), steps, activation == "relu", needs
    ))  # fmt: skip


def _gru_pulled(
    g: ndarray, g_h: ndarray, x: ndarray, h: ndarray, w_ih: ndarray, w_hh: ndarray, output: ndarray,
    reserve: ndarray, /, reverse: bool, sizes: Sizes, needs: tuple[bool, ...],
) -> tuple[ndarray, ...]:  # fmt: skip
    steps = _steps(x, reverse, sizes)
    return _filled(x, kernels.gru_pulled(
        _flat(g), g_h, _flat(x), h, w_ih, w_hh, _flat(output), reserve, steps, needs
    ))  # fmt: skip


def _lstm_pulled(
    g: ndarray, g_h: ndarray, g_c: ndarray, x: ndarray, h: ndarray, c: ndarray, w_ih: ndarray, w_hh: ndarray,
    w_hr: object, output: ndarray, gates: ndarray, cells: ndarray, /, reverse: bool, sizes: Sizes,
    needs: tuple[bool, ...],
) -> tuple[ndarray, ...]:  # fmt: skip
    steps = _steps(x, reverse, sizes)
    return _filled(x, kernels.lstm_pulled(
        _flat(g), g_h, g_c, _flat(x), h, c, w_ih, w_hh, w_hr, _flat(output), gates, cells, steps, needs
    ))  # fmt: skip


_COVECTORS = ("d_x", "d_h", "d_w_ih", "d_w_hh", "d_b_ih", "d_b_hh")
elman_pulled: Several = op("elman_pulled", _elman_pulled, outputs=_COVECTORS, halves=True)
gru_pulled: Several = op("gru_pulled", _gru_pulled, outputs=_COVECTORS, halves=True)
lstm_pulled: Several = op(
    "lstm_pulled", _lstm_pulled, outputs=(*_COVECTORS[:2], "d_c", *_COVECTORS[2:], "d_w_hr"), halves=True
)


# --- the same in steps --------------------------------------------------------------------------------------


def _in_steps(
    cell: Callable[[Any, tuple[Any, ...]], tuple[Any, ...]], pre: Term, states: tuple[Any, ...],
    shape: tuple[int, ...], reverse: bool, sizes: Sizes,
) -> tuple[Any, ...]:  # fmt: skip
    """Run a cell on the rows of each step: the first state of all steps, and all states at the end."""
    count = shape_of(states[0])[0]
    if sizes is None:
        # As parts of one stack, which a compiled loop goes along.
        rows = unbind(reshape(pre, (*shape[:2], shape_of(pre)[1])), 0)
        sizes = (count,) * shape[0]
    else:
        rows = split_with_sizes(pre, sizes, 0)
    outs: list[Any] = [None] * len(sizes)
    for k in reversed(range(len(sizes))) if reverse else range(len(sizes)):
        if sizes[k] == count:
            states = cell(rows[k], states)
            outs[k] = states[0]
            continue
        parted = [split_with_sizes(s, (sizes[k], count - sizes[k]), 0) for s in states]
        new = cell(rows[k], tuple(now for now, _ in parted))
        outs[k] = new[0]
        states = tuple(cat((n, rest), 0) for n, (_, rest) in zip(new, parted, strict=True))
    return stack(tuple(outs), 0) if len(shape) == 3 else cat(tuple(outs), 0), *states


def _input_rows(x: Term, w_ih: Term, b_ih: Term) -> Term:
    shape = shape_of(x)
    return _affine(x if len(shape) == 2 else reshape(x, (shape[0] * shape[1], shape[2])), w_ih, b_ih)


def _affine(x: Term, weight: Term, bias: Term | None) -> Term:
    product = linear(x, weight)
    return product if bias is None else product + bias


def elman_in_steps(
    x: Term, h: Term, w_ih: Term, w_hh: Term, b_ih: Term, b_hh: Term, activation: str, reverse: bool,
    sizes: Sizes,
) -> tuple[Any, ...]:
    """Return the layer put together from ops: all states and the last."""
    function = relu if activation == "relu" else tanh

    def cell(pre: Term, states: tuple[Any, ...]) -> tuple[Any, ...]:
        return (function(pre + _affine(states[0], w_hh, b_hh)),)

    return _in_steps(cell, _input_rows(x, w_ih, b_ih), (h,), shape_of(x), reverse, sizes)


def gru_in_steps(
    x: Term, h: Term, w_ih: Term, w_hh: Term, b_ih: Term, b_hh: Term, reverse: bool, sizes: Sizes
) -> tuple[Any, ...]:
    """Return the layer put together from ops: all states and the last."""
    width = shape_of(h)[1]

    def cell(pre: Term, states: tuple[Any, ...]) -> tuple[Any, ...]:
        (state,) = states
        x_r, x_z, x_n = split(pre, width, 1)
        h_r, h_z, h_n = split(_affine(state, w_hh, b_hh), width, 1)
        new = tanh(x_n + sigmoid(x_r + h_r) * h_n)
        return (new + sigmoid(x_z + h_z) * (state - new),)

    return _in_steps(cell, _input_rows(x, w_ih, b_ih), (h,), shape_of(x), reverse, sizes)


def lstm_in_steps(
    x: Term, h: Term, c: Term, w_ih: Term, w_hh: Term, b_ih: Term, b_hh: Term, w_hr: Term | None,
    reverse: bool, sizes: Sizes,
) -> tuple[Any, ...]:
    """Return the layer put together from ops: all states, the last state and the last cell."""
    width = shape_of(c)[1]

    def cell(pre: Term, states: tuple[Any, ...]) -> tuple[Any, ...]:
        i, f, g, o = split(pre + _affine(states[0], w_hh, b_hh), width, 1)
        kept = sigmoid(f) * states[1] + sigmoid(i) * tanh(g)
        new = sigmoid(o) * tanh(kept)
        return (new if w_hr is None else linear(new, w_hr)), kept

    return _in_steps(cell, _input_rows(x, w_ih, b_ih), (h, c), shape_of(x), reverse, sizes)


# --- the ops ------------------------------------------------------------------------------------------------


def _where_needed(covectors: tuple[Any, ...], needs: tuple[bool, ...]) -> tuple[Any, ...]:
    return tuple(v if need else None for v, need in zip(covectors, needs, strict=True))


def _elman_rule(
    g: Any, x: Any, h: Any, w_ih: Any, w_hh: Any, b_ih: object, b_hh: object, output: Term, activation: str,
    reverse: bool, sizes: Sizes, needs: tuple[bool, ...],
) -> Covectors:  # fmt: skip
    if are_plain((*g, x, h, w_ih, w_hh, output)):
        pulled = elman_pulled(*g, x, h, w_ih, w_hh, output, activation, reverse, sizes, needs)
        return _where_needed(pulled, needs)
    again = functools.partial(elman_in_steps, activation=activation, reverse=reverse, sizes=sizes)
    return pulled_back(again, (x, h, w_ih, w_hh, b_ih, b_hh), g, needs)


def _gru_rule(
    g: Any, x: Any, h: Any, w_ih: Any, w_hh: object, b_ih: object, b_hh: object, output: Term, reserve: Term,
    reverse: bool, sizes: Sizes, needs: tuple[bool, ...],
) -> Covectors:  # fmt: skip
    if are_plain((*g, x, h, w_ih, w_hh, output)):
        pulled = gru_pulled(*g, x, h, w_ih, w_hh, output, reserve, reverse, sizes, needs)
        return _where_needed(pulled, needs)
    again = functools.partial(gru_in_steps, reverse=reverse, sizes=sizes)
    return pulled_back(again, (x, h, w_ih, w_hh, b_ih, b_hh), g, needs)


def _lstm_rule(
    g: Any, x: Any, h: Any, c: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: object, w_hr: object, output: Term,
    gates: Term, cells: Term, reverse: bool, sizes: Sizes, needs: tuple[bool, ...],
) -> Covectors:  # fmt: skip
    if are_plain((*g, x, h, c, w_ih, w_hh, w_hr, output)):
        pulled = lstm_pulled(*g, x, h, c, w_ih, w_hh, w_hr, output, gates, cells, reverse, sizes, needs)
        return _where_needed(pulled, needs)
    again = functools.partial(lstm_in_steps, reverse=reverse, sizes=sizes)
    return pulled_back(again, (x, h, c, w_ih, w_hh, b_ih, b_hh, w_hr), g, needs)


def _tangents(in_steps: Callable[..., tuple[Any, ...]], kept: int) -> Callable[..., tuple[Any, ...]]:
    """Return the jvp of a layer whose last `kept` outputs carry none."""

    def jvp(primals: Terms, tangents: Covectors, out: Term, *attrs: Any) -> Covectors:
        found = pushed_forward(lambda *values: in_steps(*values, *attrs), primals, tangents)
        return *found, *(None,) * kept

    return jvp


def _kinds(states: int, *rows: int) -> Callable[..., Kinds]:
    """Return the shape rule of a layer: its output, so many states at the end, and for each step the numbers
    of some gates and cells. The kernel would go through all steps for that: of a bidirectional GRU over 40
    steps in 18 ms.
    """

    def rule(x: ndarray, *rest: Any) -> Kinds:
        last, dtype = rest[:states], x.dtype
        count, width = prod(x.shape[:-1]), last[-1].shape[1]
        output = (*x.shape[:-1], last[0].shape[1])
        shapes = [output, *(s.shape for s in last), *((count, n * width) for n in rows)]
        return tuple((shape, dtype) for shape in shapes)

    return rule


def _elman_op(name: str, node_name: str) -> Several:
    return op(
        name, _elman, _elman_rule, joint=True, outputs=("output", "h_n"), halves=True,
        jvp=_tangents(elman_in_steps, 0), node_name=node_name, shape=_kinds(1),
    )  # fmt: skip


def _gru_op(name: str, node_name: str) -> Several:
    return op(
        name, _gru, _gru_rule, joint=True, outputs=("output", "h_n", "reserve"), differentiable=(0, 1),
        halves=True, jvp=_tangents(gru_in_steps, 1), node_name=node_name, shape=_kinds(1, 4),
    )  # fmt: skip


def _lstm_op(name: str, node_name: str) -> Several:
    return op(
        name, _lstm, _lstm_rule, joint=True, outputs=("output", "h_n", "c_n", "gates", "cells"),
        differentiable=(0, 1, 2), halves=True, jvp=_tangents(lstm_in_steps, 2), node_name=node_name,
        shape=_kinds(2, 4, 1),
    )  # fmt: skip


#: h' = tanh(W_ih x + b_ih + W_hh h + b_hh), or with relu.
elman: Several = _elman_op("elman", "StackBackward0")
elman_packed: Several = _elman_op("elman_packed", "CatBackward0")
#: r, z = σ(…), n = tanh(W_in x + b_in + r·(W_hn h + b_hn)), h' = n + z·(h − n).
gru: Several = _gru_op("gru", "StackBackward0")
gru_packed: Several = _gru_op("gru_packed", "CatBackward0")
#: i, f, o = σ(…), g = tanh(…), c' = f·c + i·g, h' = W_hr (o·tanh(c')), where W_hr may be absent.
lstm: Several = _lstm_op("lstm", "StackBackward0")
lstm_packed: Several = _lstm_op("lstm_packed", "CatBackward0")
#: `lstm` where torch has one node for it, too: float32 sequences of one length.
lstm_onednn: Several = _lstm_op("mkldnn_rnn_layer", "MkldnnRnnLayerBackward0")
