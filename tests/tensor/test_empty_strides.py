"""Strides of tensors without elements, and of tensors made of arrays, are torch's."""

from __future__ import annotations

import numpy as np
import pytest

import pullback as torch

#: Recorded from torch 2.13.
STRIDES = {
    "torch.zeros(0).nonzero()": (1, 0),
    "torch.isreal(torch.tensor(np.zeros((5, 0, 10))))": (0, 0, 0),
    "torch.tensor(np.zeros((5, 0, 10)))": (0, 0, 0),
    "torch.from_numpy(np.zeros((5, 0, 10), bool))": (0, 0, 0),
    "torch.tensor(np.zeros((5, 0, 10))).clone()": (0, 0, 0),
    "torch.tensor(np.zeros((5, 0, 10))).contiguous()": (0, 0, 0),
    "torch.tensor(np.zeros((5, 0, 10))).double().float()": (0, 0, 0),
    "torch.tensor(np.zeros((5, 0, 10))) + 1": (10, 10, 1),
    "torch.tensor(np.zeros((5, 0, 10))).abs()": (10, 10, 1),
    "~torch.tensor(np.zeros((5, 0, 10), bool))": (10, 10, 1),
    "torch.tensor(np.zeros((5, 0, 10))).flip(0)": (0, 0, 0),
    "torch.tensor(np.zeros((5, 0, 10))).roll(1, 0)": (0, 0, 0),
    "torch.tensor(np.zeros((5, 0, 10))).roll(1)": (10, 10, 1),
    "torch.zeros_like(torch.tensor(np.zeros((5, 0, 10))))": (0, 0, 0),
    "torch.rand_like(torch.tensor(np.zeros((5, 0, 10))))": (0, 0, 0),
    "torch.fill(torch.tensor(np.zeros((5, 0, 10))), 1)": (0, 0, 0),
    "torch.tensor(np.zeros((5, 0, 10))).nan_to_num()": (0, 0, 0),
    "torch.nn.functional.relu6(torch.tensor(np.zeros((5, 0, 10))))": (0, 0, 0),
    "torch.frexp(torch.tensor(np.zeros((5, 0, 10))))[1]": (0, 0, 0),
    "torch.tensor(np.zeros((5, 0, 10))).unsqueeze(0)": (0, 0, 0, 0),
    "torch.tensor(np.zeros((5, 0, 10))).unsqueeze(-1)": (0, 0, 0, 1),
    "torch.tensor(np.zeros((5, 0, 10)))[0]": (0, 0),
    "torch.tensor(np.zeros((0, 3))).expand(2, 0, 3)": (0, 0, 0),
    "torch.tensor(np.zeros((5, 0, 10), np.complex64)).imag": (0, 0, 0),
    "torch.tensor(np.zeros((5, 0, 10), np.complex64)).conj().resolve_conj()": (0, 0, 0),
    "torch.tensor(np.zeros((3, 4)).T)": (1, 4),
    "torch.tensor(np.zeros((3, 4)).T, dtype=torch.float32)": (1, 4),
    "torch.zeros(5, 0, 10).transpose(0, 2)": (1, 10, 10),
    "torch.zeros(5, 0, 10).transpose(0, 2).clone()": (1, 10, 10),
    "torch.zeros(5, 0, 10).transpose(0, 2).flip(0)": (1, 10, 10),
    "torch.zeros(5, 0, 10).transpose(0, 2).abs()": (5, 5, 1),
    "torch.zeros(5, 0, 10).abs().permute(2, 1, 0)": (1, 10, 10),
    "torch.zeros(5, 4, 10)[:, 0:0].clone()": (40, 10, 1),
    "torch.zeros(5, 4, 10)[:, 0:0].unsqueeze(0)": (200, 40, 10, 1),
    "torch.zeros(5, 0, 10).unbind(0)[1]": (10, 1),
    "torch.zeros(5, 0, 10, dtype=torch.complex64).real": (20, 20, 2),
    "torch.view_as_real(torch.zeros(5, 0, 10, dtype=torch.complex64))": (20, 20, 2, 1),
    "torch.zeros(1, 1, 1).expand(5, 0, 3)": (0, 0, 0),
    "torch.empty_permuted((5, 0, 5), (1, 2, 0))": (1, 25, 5),
    "torch.empty_permuted((1, 1, 5, 2), (3, 2, 1, 0))": (1, 1, 1, 5),
}


@pytest.mark.parametrize("expression", STRIDES)
def test_strides(expression: str) -> None:
    assert eval(expression, {"torch": torch, "np": np}).stride() == STRIDES[expression]


def test_arrays_get_the_strides_of_numpy() -> None:
    empty = torch.zeros(5, 0, 10).transpose(0, 2).numpy()
    assert empty.shape == (10, 0, 5)
    assert empty.strides == np.zeros((10, 0, 5), np.float32).strides
