"""The constructors of layers take what torch's take, and refuse what those refuse."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import pullback
from pullback import nn

#: Torch's constructor is behind a decorator, or has a function as a default.
OTHERWISE = frozenset({
    "Container", "NLLLoss2d", "Transformer", "TransformerDecoderLayer", "TransformerEncoderLayer",
})  # fmt: skip


def _parameters(cls: type) -> list[tuple[str, Any, str]]:
    return [(p.name, p.kind, repr(p.default)) for p in inspect.signature(cls).parameters.values()]


def test_signatures_are_torchs() -> None:
    torch = pytest.importorskip("torch")
    names = {n for n, v in vars(torch.nn).items() if isinstance(v, type) and not n.startswith("_")}
    ours = {n: getattr(nn, n) for n in names - OTHERWISE if hasattr(nn, n)}
    theirs = {n: _parameters(getattr(torch.nn, n)) for n in ours}
    assert {n: _parameters(cls) for n, cls in ours.items()} == theirs


@pytest.mark.parametrize(
    ("build", "error", "text"),
    [
        (lambda: nn.ReLU(True, 1), TypeError,
         "ReLU.__init__() takes from 1 to 2 positional arguments but 3 were given"),
        (lambda: nn.Threshold(1.0), TypeError,
         "Threshold.__init__() missing 1 required positional argument: 'value'"),
        (lambda: nn.MSELoss(1, 2, "sum", 4), TypeError,
         "_Loss.__init__() takes from 1 to 4 positional arguments but 5 were given"),
        (lambda: nn.MarginRankingLoss(p=1), TypeError,
         "MarginRankingLoss.__init__() got an unexpected keyword argument 'p'"),
        (lambda: nn.Hardtanh(1.0, 0.0), AssertionError, "max_val (0.0) must be greater than min_val (1.0)"),
        (lambda: nn.TripletMarginLoss(-1.0), ValueError,
         "TripletMarginLoss: expected margin to be greater than 0, got -1.0 instead"),
    ],
)  # fmt: skip
def test_what_they_refuse(build: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as raised:
        build()
    assert str(raised.value) == text


def test_former_names_of_limits() -> None:
    with pytest.warns(FutureWarning, match="`min_value` is deprecated and renamed to `min_val`"):
        layer = nn.Hardtanh(min_value=-3.0)
    assert repr(layer) == "Hardtanh(min_val=-3.0, max_val=1.0)"
    assert isinstance(nn.ReLU6(), nn.Hardtanh)
    assert nn.ReLU6()(pullback.tensor([-1.0, 3.0, 7.0])).tolist() == [0.0, 3.0, 6.0]
