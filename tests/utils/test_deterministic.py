"""Memory that is not set while deterministic algorithms are asked for: expected is what torch gave."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import isnan
from typing import Any

import pytest

import pullback as torch

switch = torch.utils.deterministic


@pytest.fixture(autouse=True, params=[True, False])
def _asked(request: pytest.FixtureRequest) -> Iterator[None]:
    torch.use_deterministic_algorithms(True, warn_only=request.param)
    yield
    torch.use_deterministic_algorithms(False)
    switch.fill_uninitialized_memory = True


MAKERS: dict[str, Callable[[], Any]] = {
    "empty": lambda: torch.empty(2, 2),
    "layout": lambda: torch.empty(1, 2, 2, 2, memory_format=torch.channels_last),
    "strided": lambda: torch.empty_strided((2, 2), (3, 1)),
    "permuted": lambda: torch.empty_permuted((2, 2), (1, 0), dtype=torch.float64),
    "like": lambda: torch.empty_like(torch.ones(2)),
    "new": lambda: torch.ones(2).new_empty(3),
    "new_strided": lambda: torch.ones(2).new_empty_strided((2, 2), (1, 2)),
    "constructor": lambda: torch.Tensor(3),
    "half": lambda: torch.empty(2, dtype=torch.float16),
    "bfloat16": lambda: torch.empty(2, dtype=torch.bfloat16),
    "module": lambda: torch.nn.Linear(2, 1, device="meta").to_empty(device="cpu").weight.detach(),
    "resized": lambda: torch.ones(8)[4:6].resize_(6)[4:],
}


@pytest.mark.parametrize("maker", MAKERS)
def test_numbers_that_are_not_set_are_nan(maker: str) -> None:
    found = MAKERS[maker]().reshape(-1).tolist()
    assert found
    assert all(map(isnan, found))


def test_others_are_the_greatest() -> None:
    assert torch.empty(2, dtype=torch.int32).tolist() == [2**31 - 1] * 2
    assert torch.empty(1, dtype=torch.uint8).tolist() == [255]
    assert torch.empty(1, dtype=torch.int64).tolist() == [2**63 - 1]
    assert torch.empty(2, dtype=torch.bool).tolist() == [True, True]
    assert str(torch.empty(1, dtype=torch.complex64)) == "tensor([nan+0.j])"


def test_a_larger_tensor_keeps_what_was_set() -> None:
    grown = torch.ones(2, dtype=torch.int16).resize_(4)
    assert grown.tolist() == [1, 1, 32767, 32767]
    assert grown.resize_(2).fill_(5).resize_(4).tolist() == [5, 5, 32767, 32767]


def test_the_switch_takes_a_bool() -> None:
    assert switch.fill_uninitialized_memory is True
    with pytest.raises(RuntimeError, match="^expected a bool, but got int$"):
        switch.fill_uninitialized_memory = 1
    switch.fill_uninitialized_memory = False
    assert switch.fill_uninitialized_memory is False
    shorter = torch.ones(4).resize_(2)
    shorter.untyped_storage().resize_(8)  # which keeps its memory
    assert shorter.resize_(4).tolist() == [1.0] * 4
