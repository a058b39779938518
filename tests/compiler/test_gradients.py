"""The native function that looks where gradients lie, against arrays of each kind that it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite")

from pullback.compiler.optimizer_steps.loops import finder
from pullback.compiler.runtime.native_gradients import GOOD, SHARED

FIRST, SECOND = np.zeros((3, 4), np.float32), np.zeros(5)
#: Where gradients may not lie but in the first 10 places and behind 20.
MEMORY = np.zeros(40)


def found(*arrays: Any) -> tuple[int, list[int]]:
    slots = np.zeros((2, 3), np.int64)
    taken = [(a.ctypes.data, a.ctypes.data + a.nbytes) for a in (FIRST, SECOND, MEMORY[10:20])]
    find = finder(slots.ctypes.data + 8, slots.strides[0], [FIRST, SECOND], sorted(taken))
    return find(arrays), slots[:, 1].tolist()


def test_addresses_are_found():
    x, y = np.ones((3, 4), np.float32), np.ones(5)
    assert found(x, y) == (GOOD, [x.ctypes.data, y.ctypes.data])


@pytest.mark.parametrize(
    "other",
    [
        np.ones(5, np.float32), np.ones(6), np.ones((5, 1)), np.ones(10)[::2], np.ones((), np.float64), 1.0,
        None, np.ones(5, np.int64), np.ma.masked_array(np.ones(5)), np.ones(5, ">f8"),
        np.frombuffer(bytes(41), np.uint8)[1:].view(np.float64),
    ],
    ids=repr,
)  # fmt: skip
def test_what_does_not_fit_is_named(other):
    assert found(np.ones((3, 4), np.float32), other)[0] == 1
    assert found(other, np.ones(5))[0] == 0


@pytest.mark.parametrize(
    ("start", "shares"), [(0, False), (5, False), (6, True), (12, True), (19, True), (20, False)]
)
def test_shared_memory_is_named(start, shares):
    x, y = np.ones((3, 4), np.float32), MEMORY[start : start + 5]
    assert found(x, y)[0] == (SHARED | 1 if shares else GOOD)


def test_a_parameter_is_no_gradient_of_its_own():
    assert found(FIRST, np.ones(5))[0] == SHARED
