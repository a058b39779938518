"""What a trace says of how results lie in memory, beside how they lie in eager."""

from __future__ import annotations

import numpy as np
import pytest

import pullback  # noqa: F401  # it fills the table
from pullback.array.layout import dense_strides
from pullback.array.random import Generator
from pullback.core import traced_layout
from pullback.core.op import TABLE

WHOLE = np.ones((4, 3, 2), np.float32)
OPERANDS = {
    "in order": WHOLE,
    "transposed": WHOLE.transpose(1, 0, 2),
    "backwards": WHOLE.T,
    "with gaps": np.ones((4, 3, 4), np.float32)[..., ::2].transpose(1, 0, 2),
    "expanded": np.broadcast_to(WHOLE[:1], WHOLE.shape).T,
    "empty": WHOLE[:0].T,
}
ATTRS = {
    "uniform": (0.0, 1.0), "normal": (0.0, 1.0), "random_between": (1, 9), "random": (),
    "dropout_noise": (0.5,),
}  # fmt: skip


@pytest.mark.parametrize("way", OPERANDS)
@pytest.mark.parametrize("name", ATTRS)
def test_draws_lie_as_in_eager_without_a_number_drawn(
    monkeypatch: pytest.MonkeyPatch, name: str, way: str
) -> None:
    x, attrs = OPERANDS[way], (*ATTRS[name], Generator())
    drawn = TABLE[name].kernel(x, *attrs)
    monkeypatch.setattr(traced_layout, "_asked", lambda *given: pytest.fail("a kernel ran"))
    found = traced_layout.strides_of_results(TABLE[name], [x], attrs, [x.shape])
    assert found == [dense_strides(drawn)]
