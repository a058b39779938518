"""Warnings tell the line of the user's program that caused them, also while `explain` records it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

import pullback as torch
from pullback import explain

CALLS: dict[str, Callable[[Any], Any]] = {
    "tensor": lambda x: torch.tensor(x),
    "new_tensor": lambda x: x.new_tensor(x),
    "float": lambda x: float(x.sum()),
    "list": lambda x: torch.tensor([x[0], x[1]]),
    "out": lambda x: torch.add(x.detach(), 1.0, out=torch.ones(2)),
    "range": lambda x: torch.range(0, 3),
    "index": lambda x: torch.ones(2, 2)[[[0, 1], [0, 1]]],
    "mask": lambda x: x[torch.tensor([1, 0, 1], dtype=torch.uint8)],
    "expanded": lambda x: torch.zeros(1).expand(3).masked_fill_(torch.tensor([True, False, True]), 1.0),
    "meshgrid": lambda x: torch.meshgrid(x, x),
    "frombuffer": lambda x: torch.frombuffer(b"abcd", dtype=torch.uint8),
    "real": lambda x: torch.tensor([1 + 1j]).to(torch.float32),
    "qr": lambda x: torch.qr(torch.eye(2)),
    "loss": lambda x: torch.nn.functional.mse_loss(x, torch.ones(3, 1)),
    "softmax": lambda x: torch.nn.functional.softmax(x),
    "optimizer": lambda x: torch.optim.Adam([{"params": [x, x]}]),
    "gradcheck": lambda x: torch.autograd.gradcheck(torch.sin, x, raise_exception=False),
    "loader": lambda x: torch.utils.data.DataLoader(x, num_workers=10_000),
    "checkpoint": lambda x: torch.utils.checkpoint.checkpoint(torch.sin, x),
    "distribution": lambda x: torch.distributions.Normal(0.0, 1.0).sample_n(2),
}


@pytest.mark.parametrize("recorded", [False, True], ids=["alone", "recorded"])
@pytest.mark.parametrize("name", CALLS)
def test_a_warning_tells_the_line_of_the_user(name: str, recorded: bool) -> None:
    call, x = CALLS[name], torch.ones(3, requires_grad=True)
    before = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    try:
        with warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always")
            if recorded:
                with explain.record():
                    call(x)
            else:
                call(x)
    finally:
        torch.set_warn_always(before)
    lines = {(warning.filename, warning.lineno) for warning in given}
    assert lines == {(__file__, call.__code__.co_firstlineno)}
