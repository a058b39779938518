"""Chains of NumPy's loops: what is noted of a kernel, and that native code gives NumPy's bits."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

import pullback  # noqa: F401  # it provides what runs chains
from pullback.array import chain_steps, chains, norm, recurrent, tiering
from pullback.array.chains import COLUMN, FOUR, ROWS, SCALAR, THREE, VECTOR, Chain
from pullback.ops import softmax

native = pytest.mark.skipif(find_spec("llvmlite") is None, reason="chains are native with llvmlite")
F32 = np.dtype(np.float32)


def ways():
    """Return each chain of the package, by name."""
    found = {f"layer_norm{key}": chain for key, chain in norm._LAYER_NORM.items()}
    return found | {
        "centre": norm._CENTRE, "softmax": softmax._SOFTMAX, "log_softmax": softmax._LOG_SOFTMAX,
        "lstm": recurrent._LSTM_STEP, "gru": recurrent._GRU_STEP,
        "logsumexp": softmax._LOGSUMEXP, "rms": norm._RMS[0], "rms_weight": norm._RMS[1],
    }


def arguments(chain, shape, dtype, seed):
    """Return arrays for a chain's roles."""
    rows, length = shape
    draw = np.random.default_rng(seed)
    shapes = {ROWS: shape, COLUMN: (rows, 1), VECTOR: (length,), SCALAR: ()}
    shapes |= {THREE: (rows, 3 * length), FOUR: (rows, 4 * length)}
    return [np.asarray(draw.normal(size=shapes[role]) ** 2 + 0.1, dtype) for role in chain.roles]


@native
@pytest.mark.parametrize("name", ways())
def test_native_code_gives_the_bits_of_numpy(name, price):
    chain = ways()[name]
    price(0)
    for dtype in (np.float32, np.float64):
        for shape in ((1, 1), (1, 7), (3, 8), (2, 129), (130, 3), (1, 4096)):
            given = arguments(chain, shape, dtype, 0)
            copies = [v.copy() for v in given]
            run = chain.native(given[0])
            assert run is not None
            with np.errstate(all="ignore"):
                run(*given)
                spare = [np.empty(shape, dtype) for _ in range(chain.spare)]
                chain.kernel(*copies, *spare)
            for ours, numpys in zip(given, copies, strict=True):
                assert ours.tobytes() == numpys.tobytes()


def test_small_arrays_go_by_numpy_until_that_has_cost_enough(monkeypatch, price):
    price(1_000_000)
    monkeypatch.setattr(chains, "_HOTNESS", tiering.Hotness())
    chain = Chain(np.exp, (ROWS, ROWS), cost=400_000)
    x = np.ones((2, 3), np.float32)
    assert [chain.native(x) is None for _ in range(2)] == [True, True]
    assert (chain.native(x) is None) == (find_spec("llvmlite") is None)


def test_there_is_no_chain_for_other_dtypes_nothing_and_large_arrays(price):
    price(0)
    chain = ways()["softmax"]
    for x in (np.ones(3, np.int64), np.ones((2, 0), F32), np.ones(chains.MOST + 1, F32)):
        assert chain.native(x) is None


@pytest.mark.parametrize("kernel", [
    lambda x, out: np.cumsum(x, 1, out=out),
    lambda x, out: np.add(x[:1], 1, out=out),
    lambda x, out: np.add.reduce(x, axis=0, out=...),
    lambda x, out: np.add.reduce(x, axis=None, out=...),
    lambda x, out: np.add(x, np.ones((3, 5), F32), out=out),
    lambda x, out: np.add(x, np.float64(1), out=out),
    lambda x, out: np.matmul(x, x, out=out),
    lambda x, out: np.modf(x, out, out),
    lambda x, out: np.add(x, np.asarray(np.exp(x)), out=out),
    lambda x, out: np.add(x, 1.0, out=np.empty((3, 5), F32)),
    lambda x, out: np.add(x.astype(np.float64), 1.0, out=np.add(x, 1.0, dtype=np.float64)),
    lambda x, out: np.add(x, float(x.max()), out=out),
])  # fmt: skip
def test_what_is_no_chain_of_loops_is_refused(kernel):
    with pytest.raises(chains.Unfit):
        chain_steps.noted(kernel, (ROWS, ROWS), 0, F32)


def test_rows_of_several_parts_as_a_whole_are_refused():
    with pytest.raises(chains.Unfit):
        chain_steps.noted(lambda x, out: np.exp(x, out=out), (FOUR, FOUR), 0, F32)


def test_a_note_tells_steps_slots_and_numbers():
    def kernel(x, out):
        np.subtract(np.multiply(x, 2.0, out=...), x, out=out)

    note = chain_steps.noted(kernel, (ROWS, ROWS), 0, F32)
    assert [step.ufunc for step in note.steps] == [np.multiply, np.subtract]
    assert (note.given, note.spare, note.constants) == (2, 1, (np.float32(2),))
    assert [[o.slot for o in step.operands] for step in note.steps] == [[0, 3, 2], [2, 0, 1]]


def test_a_chain_runs_on_rows_of_any_layout():
    x = np.arange(12, dtype=np.float32).reshape(3, 4).T
    y, mean, rstd = np.empty((4, 3), F32), np.empty((4, 1), F32), np.empty((4, 1), F32)
    norm._CENTRE.run(x, chains.number(3, F32), chains.number(0.0, F32), y, mean, rstd)
    assert mean.tolist() == [[4], [5], [6], [7]]
    assert y.tolist() == [[-4, 0, 4]] * 4


@native
def test_logsumexp_of_infinite_rows_is_numpys(price):
    x = np.array([[1, np.inf], [-np.inf, -np.inf], [np.nan, 1], [-np.inf, 2], [np.inf, -np.inf]], F32)
    with np.errstate(all="ignore"):
        numpys = softmax._logsumexp(x.astype(np.longdouble), (1,), False).astype(F32)
        price(0)
        np.testing.assert_array_equal(softmax._logsumexp(x, (1,), False), numpys)
