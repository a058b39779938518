"""When the call of an op is written."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as t
from pullback.core import calls
from pullback.ops import arithmetic, elementwise


@pytest.mark.parametrize("public", [False, True])
@pytest.mark.parametrize(("op", "count"), [(elementwise.tanh.op, 1), (arithmetic.mul.op, 2)])
def test_early_calls_give_what_written_ones_give(
    op: Any, count: int, public: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "EARLY", [True] * 3)
    call: Any = calls.make_call(op, public)
    operands = [t.linspace(-1, 1, 4).requires_grad_() for _ in range(count)]
    results, codes = [], []
    for _ in range(5):
        results.append(call(*operands))
        codes.append(call.__code__)
    assert len(set(codes[:3])) == 1 and codes[3] is codes[4] is not codes[0]
    nodes = [(type(y.grad_fn), y.grad_fn._saved_result is not None if count == 1 else None) for y in results]
    assert len(set(nodes)) == 1
    for y in results[1:]:
        np.testing.assert_array_equal(y.detach().numpy(), results[0].detach().numpy(), strict=True)
        assert y.stride() == results[0].stride() and y._version == 0


def test_a_wrong_early_call_has_the_error_of_a_written_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "EARLY", [True] * 3)
    said = []
    for public in (calls.make_call(elementwise.tanh.op, True), t.tanh):
        with pytest.raises(TypeError) as raised:
            public()
        said.append(str(raised.value))
    assert said[0] == said[1]
