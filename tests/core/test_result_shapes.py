"""What rules say of results that no kernel runs for is what the kernels give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback.ops.recurrent  # noqa: F401  # fills the table
from pullback.core.op import TABLE, Op
from pullback.core.value import dtype_of, shape_of

GATES = {"elman": 1, "gru": 3, "lstm": 4, "mkldnn_rnn_layer": 4}


def kinds(results: Any) -> list[Any]:
    return [(shape_of(r), dtype_of(r)) for r in (results if isinstance(results, tuple) else (results,))]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("sizes", [None, (3, 2)])
@pytest.mark.parametrize("name", sorted(GATES))
def test_a_recurrent_layer_has_the_results_of_its_kernel(name: str, sizes: Any, dtype: str) -> None:
    op: Op = TABLE[name if sizes is None or name == "mkldnn_rnn_layer" else f"{name}_packed"]
    for projected in {None, 2} if "h_n" in op.outputs and "c_n" in op.outputs else {None}:
        state = projected or 4
        states = [np.ones((3, state), dtype)] + [np.ones((3, 4), dtype)] * ("c_n" in op.outputs)
        x = np.ones((2, 3, 5) if sizes is None else (5, 5), dtype)
        rows = GATES[name] * 4
        weights = [np.ones((rows, 5), dtype), np.ones((rows, state), dtype), *[np.ones(rows, dtype)] * 2]
        last = [None if projected is None else np.ones((2, 4), dtype)] * ("w_hr" in op.inputs)
        attrs = (*["tanh"] * ("activation" in op.attrs), False, sizes)
        inputs = (x, *states, *weights, *last)
        assert list(op.result_shapes(inputs, attrs)) == kinds(op.evaluate(inputs, attrs))


def test_an_elementwise_op_is_asked_once_for_operands_of_any_sizes() -> None:
    op: Op = TABLE["add"]
    op.known_dtypes.clear()
    whole, single = np.ones((2, 3), np.int64), np.ones((2, 3), np.float32)
    for inputs in [(whole, 2), (whole[0], 2), (whole, 2.0), (whole, single), (single, 2.0), (single, 2)]:
        assert list(op.result_shapes(inputs, ())) == kinds(op.evaluate(inputs, ())), inputs
    assert 0 < len(op.known_dtypes) < 6
