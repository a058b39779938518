"""Places in order: what NumPy's stable argsort gives."""

from __future__ import annotations

import numpy as np
import pytest

from pullback.array import order
from pullback.array.threads import get_num_threads, set_num_threads


def stable(x: np.ndarray, descending: bool) -> np.ndarray:
    if not descending:
        return np.argsort(x, axis=-1, kind="stable")
    back = np.argsort(np.flip(x, -1), axis=-1, kind="stable")
    return x.shape[-1] - 1 - np.flip(back, -1)


def numbers(shape: tuple[int, ...], dtype: type) -> np.ndarray:
    x = (np.random.default_rng(0).standard_normal(shape) * 50).astype(dtype)
    if dtype == np.float32:
        flat = x.reshape(-1)
        flat[::7] = np.round(flat[::7])
        special = (np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, -1e-45, 3.4e38, -3.4e38)
        for n, value in enumerate(special):
            flat[n :: 41 + n] = value
    return x


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.int32])
@pytest.mark.parametrize("shape", [(300, 257), (70_000,), (2, 3, 1000), (5000, 1)])
def test_places_are_those_of_a_stable_sort(shape, dtype, descending):
    x = numbers(shape, dtype)
    assert order.packs(x)
    np.testing.assert_array_equal(order.sorted_places(x, descending), stable(x, descending))


def test_on_several_threads():
    x = numbers((600, 401), np.float32)
    before = get_num_threads()
    try:
        set_num_threads(3)
        np.testing.assert_array_equal(order.sorted_places(x, True), stable(x, True))
    finally:
        set_num_threads(before)


def test_what_has_no_room_beside_its_place_is_left_to_argsort():
    assert not order.packs(np.zeros((3, 4)))
    assert not order.packs(np.zeros((3, 4), np.int64))
