"""What rules say of results that no kernel runs for is what the kernels give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback.ops.cumulative
import pullback.ops.fft
import pullback.ops.pad
import pullback.ops.recurrent
import pullback.ops.sort  # noqa: F401  # these fill the table
from pullback.array import large
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


@pytest.mark.parametrize("name", ["fft_r2c", "reflection_pad1d", "topk", "cumprod", "sort"])
def test_no_native_code_is_made_for_results_that_are_not_read(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(large, "source", lambda: asked.append(name))
    monkeypatch.setattr(large, "CHAIN", 0)
    monkeypatch.setattr(large, "SIZE", 0)
    attrs: dict[str, tuple[Any, ...]] = {
        "fft_r2c": ((1,), 0, True), "reflection_pad1d": (((2, 2),),), "topk": (3, 1, True), "cumprod": (1,),
        "sort": (1, False),
    }  # fmt: skip
    monkeypatch.setattr(TABLE[name], "_known_shapes", {})
    x = np.zeros((64, 256), np.float32)
    found = list(TABLE[name].result_shapes((x,), attrs[name]))
    assert not asked
    assert found == kinds(TABLE[name].evaluate((x,), attrs[name]))
