"""Counting operations; the counts are torch's."""

from __future__ import annotations

import pytest

import pullback as torch
from pullback.utils.flop_counter import FlopCounterMode


def test_counts_as_torch(capsys: pytest.CaptureFixture[str]) -> None:
    net = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.Flatten(), torch.nn.Linear(144, 5))
    counter = FlopCounterMode()
    with counter:
        net(torch.ones(2, 3, 8, 8))
    assert counter.get_total_flops() == 18432
    assert counter.get_flop_counts() == {"Global": {"aten.convolution": 15552, "aten.addmm": 2880}}
    assert "18,432  100.00%" in capsys.readouterr().out


def test_each_block_counts_anew() -> None:
    counter = FlopCounterMode(display=False)
    for _ in range(2):
        with counter:
            torch.ones(2, 3) @ torch.ones(3, 4)
            torch.bmm(torch.ones(2, 3, 4), torch.ones(2, 4, 5))
            torch.addmm(torch.ones(4), torch.ones(2, 3), torch.ones(3, 4))
            torch.nn.functional.conv_transpose2d(torch.ones(1, 3, 4, 4), weight=torch.ones(3, 2, 3, 3))
        assert counter.get_total_flops() == 48 + 240 + 48 + 1728
    torch.ones(2, 3) @ torch.ones(3, 4)
    assert counter.get_total_flops() == 48 + 240 + 48 + 1728
