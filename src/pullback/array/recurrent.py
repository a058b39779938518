"""Recurrent layers on bare arrays: a whole sequence at once, and its covectors back through time.

What this module must do:

- one matrix product for the inputs of all steps, and one per step for the states;
- sequences of different lengths as torch packs them: step t has ``sizes[t]`` rows, those of the first
  ``sizes[t]`` sequences, which are sorted by falling length; a whole batch is the case of equal sizes;
- no copy of a state between steps: the rows of one step are the states of the next, but for sequences that
  end there, or that begin where time runs backward.

Inputs are (rows of all steps, features), states (sequences, features). The logistic function is taken as
``½ + ½·tanh(½x)``, so that one `tanh` serves all gates.
"""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from .activations import sigmoid_block
from .chains import FOUR, ROWS, THREE, VECTOR, Chain, parts_of

#: Which rows a step has, and how many.
Step = tuple[slice, int]


def steps_of(sizes: Sequence[int], reverse: bool) -> list[Step]:
    """Return the rows of each step in the order in which the layer runs them."""
    steps = []
    start = 0
    for size in sizes:
        steps.append((slice(start, start + size), size))
        start += size
    return steps[::-1] if reverse else steps


def _carried(states: ndarray, n: int, initial: ndarray, last: ndarray) -> ndarray:
    """Return the states of the next step's n sequences; those that end are put among the last."""
    if n == (now := len(states)):
        return states
    if n < now:
        last[n:now] = states[n:]
        return states[:n]
    return np.concatenate([states, initial[now:n]])


def _step_by_step(steps: Sequence[Step], *rows: ndarray) -> list[ndarray]:
    """Return rows of steps of one size as ``(steps, rows of one, …)``, in the order in which they run."""
    backward = steps[0][0].start > 0
    shaped = [v.reshape(len(steps), -1, v.shape[1]) for v in rows]
    return [v[::-1] for v in shaped] if backward else shaped


def _projected(
    x: ndarray, weight: ndarray, bias: Any, factor: Any = None, out: ndarray | None = None
) -> ndarray:
    """Return ``(W x + b)·factor``; the factor goes to weight and bias, which have fewer elements."""
    rows = np.matmul(x, weight.T if factor is None else weight.T * factor, out=out)
    if bias is not None:
        rows += bias if factor is None else bias * factor
    return rows


def _sum(b_ih: Any, b_hh: Any) -> Any:
    return None if b_ih is None else b_ih + b_hh


def _before(values: ndarray, initial: ndarray, steps: Sequence[Step]) -> ndarray:
    """Return the state before each step, from the states after."""
    before = np.empty_like(values)
    state = initial.copy()
    for rows, n in steps:
        before[rows] = state[:n]
        state[:n] = values[rows]
    return before


def _of_weights(
    pulled: ndarray, x: ndarray, w_ih: ndarray, needs: Sequence[bool]
) -> tuple[ndarray | None, ndarray | None, ndarray | None]:
    """Return covectors of the inputs, of their weight and of its bias."""
    return (
        np.matmul(pulled, w_ih) if needs[0] else None,
        np.matmul(pulled.T, x) if needs[1] else None,
        np.add.reduce(pulled, axis=0) if needs[2] else None,
    )


def elman(
    x: ndarray, h: ndarray, w_ih: ndarray, w_hh: ndarray, b_ih: Any, b_hh: Any, steps: Sequence[Step],
    relu: bool,
) -> tuple[ndarray, ndarray]:  # fmt: skip
    """Return ``h' = tanh(W_ih x + b_ih + W_hh h + b_hh)``, or with relu: all states, and the last ones."""
    out = _projected(x, w_ih, _sum(b_ih, b_hh))
    last, weight = np.empty_like(h), w_hh.T
    state = h[: steps[0][1]]
    for rows, n in steps:
        new = out[rows]
        new += np.matmul(_carried(state, n, h, last), weight)
        if relu:
            np.maximum(new, 0, out=new)
        else:
            np.tanh(new, out=new)
        state = new
    last[: len(state)] = state
    return out, last


def elman_pulled(
    g: ndarray, g_h: ndarray, x: ndarray, h: ndarray, w_ih: ndarray, w_hh: ndarray, out: ndarray,
    steps: Sequence[Step], relu: bool, needs: Sequence[bool],
) -> tuple[ndarray | None, ...]:  # fmt: skip
    """Return covectors of x, h, W_ih, W_hh, b_ih and b_hh."""
    pulled = (out > 0).astype(out.dtype) if relu else 1 - out * out
    state = g_h.copy()
    for rows, n in reversed(steps):
        now = state[:n]
        now += g[rows]
        each = pulled[rows]
        each *= now
        np.matmul(each, w_hh, out=now)
    need_x, _, need_ih, need_hh, need_b_ih, need_b_hh = needs
    d_x, d_ih, d_b = _of_weights(pulled, x, w_ih, (need_x, need_ih, need_b_ih or need_b_hh))
    d_hh = np.matmul(pulled.T, _before(out, h, steps)) if need_hh else None
    return d_x, state, d_ih, d_hh, d_b, None if d_b is None else d_b.copy()


@functools.lru_cache(maxsize=64)
def _logistic_parts(width: int, gates: str, dtype: Any) -> tuple[ndarray, ndarray]:
    """Return factor and shift, read-only, by which `tanh` makes the logistic function of "s" gates."""
    factor = np.repeat(np.array([0.5 if gate == "s" else 1.0 for gate in gates], dtype), width)
    shift = np.repeat(np.array([0.5 if gate == "s" else 0.0 for gate in gates], dtype), width)
    factor.flags.writeable = shift.flags.writeable = False
    return factor, shift


def gru(
    x: ndarray, h: ndarray, w_ih: ndarray, w_hh: ndarray, b_ih: Any, b_hh: Any, steps: Sequence[Step]
) -> tuple[ndarray, ndarray, ndarray]:
    """Compute gated recurrent units: all states, the last ones, and per step r, z, n, ``W_hn h + b_hn``."""
    width = h.shape[1]
    factor, _ = _logistic_parts(width, "sst", x.dtype)
    bias = b_ih
    if b_hh is not None:
        bias = b_ih.copy()
        bias[: 2 * width] += b_hh[: 2 * width]
    weight = w_hh.T * factor
    last = np.empty_like(h)
    state = h[: steps[0][1]]
    out = np.empty((len(x), width), x.dtype)
    reserve = np.empty((len(x), 4 * width), x.dtype)
    _projected(x, w_ih, bias, factor, reserve[:, : 3 * width])
    shift = np.zeros(width, x.dtype) if b_hh is None else b_hh[2 * width :]
    run = _GRU_STEP.native(h, len(steps)) if shift.flags.c_contiguous else None
    if run is not None and len(x) == len(steps) * len(h):
        product, state = np.empty((len(h), 3 * width), x.dtype), np.ascontiguousarray(h)
        for kept, now in zip(*_step_by_step(steps, reserve, out), strict=True):
            np.matmul(state, weight, out=product)
            run(state, product, kept, shift, now)
            state = now
        return out, state.copy(), reserve
    for rows, n in steps:
        state, kept = _carried(state, n, h, last), reserve[rows]
        product = np.matmul(state, weight)
        if run is not None:
            now = out[rows]
            run(np.ascontiguousarray(state), product, kept, shift, now)
            state = now
            continue
        logistic = kept[:, : 2 * width]
        logistic += product[:, : 2 * width]
        np.tanh(logistic, out=logistic)
        logistic *= 0.5
        logistic += 0.5
        hidden, new = kept[:, 3 * width :], kept[:, 2 * width : 3 * width]
        np.add(product[:, 2 * width :], shift, out=hidden)
        new += logistic[:, :width] * hidden
        np.tanh(new, out=new)
        now = np.subtract(state, new, out=out[rows])
        now *= logistic[:, width:]
        now += new
        state = now
    last[: len(state)] = state
    return out, last, reserve


def _gru_step(state: ndarray, product: ndarray, kept: ndarray, shift: ndarray, now: ndarray) -> None:
    """Do the elementwise part of a step of `gru`."""
    r, z, new, hidden = parts_of(kept, 4)
    of_r, of_z, of_n = parts_of(product, 3)
    for gate, more in ((r, of_r), (z, of_z)):
        np.add(gate, more, out=gate)
        np.tanh(gate, out=gate)
        np.multiply(gate, 0.5, out=gate)
        np.add(gate, 0.5, out=gate)
    np.add(of_n, shift, out=hidden)
    np.add(new, np.multiply(r, hidden, out=...), out=new)
    np.tanh(new, out=new)
    np.subtract(state, new, out=now)
    np.multiply(now, z, out=now)
    np.add(now, new, out=now)


_GRU_STEP = Chain(_gru_step, (ROWS, THREE, FOUR, VECTOR, ROWS), cost=7000)


def gru_pulled(
    g: ndarray, g_h: ndarray, x: ndarray, h: ndarray, w_ih: ndarray, w_hh: ndarray, out: ndarray,
    reserve: ndarray, steps: Sequence[Step], needs: Sequence[bool],
) -> tuple[ndarray | None, ...]:  # fmt: skip
    """Return covectors of x, h, W_ih, W_hh, b_ih and b_hh."""
    width = h.shape[1]
    r, z, new, hidden = (reserve[:, i * width : (i + 1) * width] for i in range(4))
    before = _before(out, h, steps)
    # Of the sums before n, r, z and of W_hn h: the first three are those of the product with the input, the
    # last three those of the product with the state. These are large, so temporaries are few.
    pulled = np.empty((len(x), 4, width), x.dtype)
    of_n, of_r, of_z, of_hidden = (pulled[:, i] for i in range(4))
    np.subtract(1, np.multiply(new, new, out=of_n), out=of_n)
    rest = 1 - z
    of_n *= rest
    np.multiply(np.subtract(before, new, out=of_z), z, out=of_z)
    of_z *= rest
    np.multiply(np.multiply(of_n, hidden, out=of_r), r, out=of_r)
    of_r *= np.subtract(1, r, out=rest)
    np.multiply(of_n, r, out=of_hidden)
    del rest
    flat = pulled.reshape(len(x), 4 * width)
    sums, products = flat[:, : 3 * width], flat[:, width:]
    state = g_h.copy()
    for rows, n in reversed(steps):
        now = state[:n]
        now += g[rows]
        pulled[rows] *= now[:, None]
        now *= z[rows]
        now += np.matmul(products[rows], w_hh)
    need_x, _, need_ih, need_hh, need_b_ih, need_b_hh = needs
    # Weights have the gates in the order r, z, n.
    d_x, d_ih, d_b_ih = _of_weights(sums, x, np.roll(w_ih, width, axis=0), (need_x, need_ih, need_b_ih))
    d_ih, d_b_ih = (None if d is None else np.roll(d, -width, axis=0) for d in (d_ih, d_b_ih))
    d_hh = np.matmul(products.T, before) if need_hh else None
    return d_x, state, d_ih, d_hh, d_b_ih, np.add.reduce(products, axis=0) if need_b_hh else None


def lstm(
    x: ndarray, h: ndarray, c: ndarray, w_ih: ndarray, w_hh: ndarray, b_ih: Any, b_hh: Any, w_hr: Any,
    steps: Sequence[Step],
) -> tuple[ndarray, ndarray, ndarray, ndarray, ndarray]:  # fmt: skip
    """Compute a long short-term memory: all states, last states and cells, gates i, f, g, o, cells."""
    width = c.shape[1]
    factor, shift = _logistic_parts(width, "ssts", x.dtype)
    gates = _projected(x, w_ih, _sum(b_ih, b_hh), factor)
    weight = w_hh.T * factor
    last_state, last_cell = np.empty_like(h), np.empty_like(c)
    state, cell = h[: steps[0][1]], c[: steps[0][1]]
    cells = np.empty((len(x), width), x.dtype)
    out = np.empty((len(x), h.shape[1]), x.dtype)
    i, f, g, o = parts_of(gates, 4)
    run = _LSTM_STEP.native(c, len(steps)) if w_hr is None else None
    if w_hr is None and len(x) == len(steps) * len(c):
        product, cell = np.empty((len(c), 4 * width), x.dtype), np.ascontiguousarray(c)
        rows_of_all = _step_by_step(steps, gates, cells, out, i, f, g, o)
        if run is not None:
            for now, after, new, *_ in zip(*rows_of_all, strict=True):
                np.matmul(state, weight, out=product)
                run(cell, product, now, after, new)
                state, cell = new, after
            return out, state.copy(), cell.copy(), gates, cells
        spare = np.empty_like(cell)
        # Without slices and with room for what comes between: a step of 32 numbers takes 11 µs instead of 17.
        for now, after, new, *parts in zip(*rows_of_all, strict=True):
            np.matmul(state, weight, out=product)
            _lstm_step_at_once(cell, product, now, after, new, parts, factor, shift, spare)
            state, cell = new, after
        return out, state.copy(), cell.copy(), gates, cells
    for rows, n in steps:
        now, new = gates[rows], out[rows]
        product = np.matmul(_carried(state, n, h, last_state), weight)
        before, cell = _carried(cell, n, c, last_cell), cells[rows]
        if run is not None:
            run(np.ascontiguousarray(before), product, now, cell, new)
        else:
            spare, hidden = np.empty_like(cell), new if w_hr is None else np.empty_like(cell)
            _lstm_step_at_once(
                before, product, now, cell, hidden, [v[rows] for v in (i, f, g, o)], factor, shift, spare
            )
            if w_hr is not None:
                np.matmul(hidden, w_hr.T, out=new)
        state = new
    last_state[: len(state)] = state
    last_cell[: len(cell)] = cell
    return out, last_state, last_cell, gates, cells


def _lstm_step_at_once(
    before: ndarray, product: ndarray, gates: ndarray, cell: ndarray, new: ndarray, parts: Sequence[ndarray],
    factor: ndarray, shift: ndarray, spare: ndarray,
) -> None:  # fmt: skip
    """Do the same as `_lstm_step` with all gates in one call each."""
    i, f, g, o = parts
    np.add(gates, product, out=gates)
    np.tanh(gates, out=gates)
    np.multiply(gates, factor, out=gates)
    np.add(gates, shift, out=gates)
    np.multiply(before, f, out=cell)
    np.multiply(i, g, out=spare)
    np.add(cell, spare, out=cell)
    np.tanh(cell, out=spare)
    np.multiply(spare, o, out=new)


def _lstm_step(before: ndarray, product: ndarray, gates: ndarray, cell: ndarray, new: ndarray) -> None:
    """Do the elementwise part of a step of `lstm`, with the factors and shifts of `_logistic_parts`."""
    now = parts_of(gates, 4)
    for gate, more, (factor, shift) in zip(now, parts_of(product, 4), _LSTM_LINES, strict=True):
        np.add(gate, more, out=gate)
        np.tanh(gate, out=gate)
        np.multiply(gate, factor, out=gate)
        np.add(gate, shift, out=gate)
    i, f, g, o = now
    np.multiply(before, f, out=cell)
    np.add(cell, np.multiply(i, g, out=...), out=cell)
    np.multiply(np.tanh(cell, out=...), o, out=new)


_LSTM_LINES = ((0.5, 0.5), (0.5, 0.5), (1.0, 0.0), (0.5, 0.5))
_LSTM_STEP = Chain(_lstm_step, (ROWS, FOUR, FOUR, ROWS, ROWS), cost=7000)


def lstm_pulled(
    g: ndarray, g_h: ndarray, g_c: ndarray, x: ndarray, h: ndarray, c: ndarray, w_ih: ndarray, w_hh: ndarray,
    w_hr: Any, out: ndarray, gates: ndarray, cells: ndarray, steps: Sequence[Step], needs: Sequence[bool],
) -> tuple[ndarray | None, ...]:  # fmt: skip
    """Return covectors of x, h, c, W_ih, W_hh, b_ih, b_hh and W_hr."""
    width = c.shape[1]
    i, f, new, o = (gates[:, k * width : (k + 1) * width] for k in range(4))
    squashed = np.tanh(cells)
    pulled = np.empty((len(x), 4, width), x.dtype)
    pulled[:, 0] = new * i * (1 - i)
    pulled[:, 1] = _before(cells, c, steps) * f * (1 - f)
    pulled[:, 2] = i * (1 - new * new)
    pulled[:, 3] = squashed * o * (1 - o)
    of_cell = o * (1 - squashed * squashed)
    sums = pulled.reshape(len(x), 4 * width)
    state, cell = g_h.copy(), g_c.copy()
    arrived = np.empty_like(out) if w_hr is not None else None
    spare = np.empty_like(cell)
    for rows, n in reversed(steps):
        now, kept, each = state[:n], cell[:n], pulled[rows]
        now += g[rows]
        g_o = now
        if arrived is not None:
            arrived[rows] = now
            g_o = np.matmul(now, w_hr)
        kept += np.multiply(g_o, of_cell[rows], out=spare[:n])
        each[:, :3] *= kept[:, None]
        each[:, 3] *= g_o
        kept *= f[rows]
        np.matmul(sums[rows], w_hh, out=now)
    need_x, _, _, need_ih, need_hh, need_b_ih, need_b_hh, _ = needs
    d_x, d_ih, d_b = _of_weights(sums, x, w_ih, (need_x, need_ih, need_b_ih or need_b_hh))
    d_hh = np.matmul(sums.T, _before(out, h, steps)) if need_hh else None
    d_hr = None if arrived is None else np.matmul(arrived.T, o * squashed)
    return d_x, state, cell, d_ih, d_hh, d_b, None if d_b is None else d_b.copy(), d_hr


# ---------------------------------------------------------------------------------------------- single steps


def _run(chain: Chain, state: ndarray, *others: ndarray) -> None:
    (chain.native(state) or chain.kernel)(state, *others)


def elman_cell(of_state: ndarray, of_input: ndarray, relu: bool) -> ndarray:
    """Return the next states of the two products ``(N, H)`` of a step, which are overwritten."""
    np.add(of_state, of_input, out=of_state)
    return np.maximum(0, of_state, out=of_state) if relu else np.tanh(of_state, out=of_state)


def lstm_cell(cell: ndarray, of_state: ndarray, of_input: ndarray) -> tuple[ndarray, ndarray]:
    """Return next state and cell of cells ``(N, H)`` and two products ``(N, 4·H)``, overwriting these."""
    cell = np.ascontiguousarray(cell)
    state, kept = np.empty_like(cell), np.empty_like(cell)
    _run(_LSTM_CELL, cell, of_state, of_input, kept, state)
    return state, kept


def _lstm_cell(cell: ndarray, gates: ndarray, of_input: ndarray, kept: ndarray, state: ndarray) -> None:
    i, f, g, o = parts_of(gates, 4)
    for gate, more in zip((i, f, g, o), parts_of(of_input, 4), strict=True):
        np.add(gate, more, out=gate)
        if gate is g:
            np.tanh(gate, out=gate)
        else:
            sigmoid_block(gate, gate)
    np.multiply(f, cell, out=kept)
    np.multiply(i, g, out=g)
    np.add(kept, g, out=kept)
    np.tanh(kept, out=g)
    np.multiply(o, g, out=state)


def gru_cell(state: ndarray, of_state: ndarray, of_input: ndarray) -> ndarray:
    """Return the next states of ``(N, H)`` and a step's two products ``(N, 3·H)``, which are overwritten."""
    state = np.ascontiguousarray(state)
    now = np.empty_like(state)
    _run(_GRU_CELL, state, of_state, of_input, now)
    return now


def _gru_cell(state: ndarray, of_state: ndarray, of_input: ndarray, now: ndarray) -> None:
    reset, update, new = parts_of(of_input, 3)
    h_r, h_z, h_n = parts_of(of_state, 3)
    for gate, more in ((reset, h_r), (update, h_z)):
        np.add(gate, more, out=gate)
        sigmoid_block(gate, gate)
    np.multiply(h_n, reset, out=reset)
    np.add(new, reset, out=new)
    np.tanh(new, out=new)
    np.subtract(state, new, out=now)
    np.multiply(now, update, out=now)
    np.add(now, new, out=now)


_LSTM_CELL = Chain(_lstm_cell, (ROWS, FOUR, FOUR, ROWS, ROWS), cost=20_000)
_GRU_CELL = Chain(_gru_cell, (ROWS, THREE, THREE, ROWS), cost=14_000)
