"""Paddings with elements of the array itself are NumPy's, and their pullbacks are their transposes."""

from __future__ import annotations

import numpy as np
import pytest

from pullback.ops import pad

MODES = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}
SHAPE = (2, 3, 9, 7)
AMOUNTS = [((1, 2), (0, 3)), ((0, 0), (5, 5)), ((8, 8), (6, 6)), ((7, 0), (0, 0))]
CUTTING = [((-1, 2), (3, -2)), ((-2, -3), (1, 1))]


def taken(x: np.ndarray, amounts: pad.Amounts, mode: str) -> np.ndarray:
    for axis, around in enumerate(amounts, 2):
        x = np.take(x, pad.places(x.shape[axis], *around, mode), axis)
    return x


@pytest.mark.parametrize("amounts", AMOUNTS)
@pytest.mark.parametrize("mode", MODES)
def test_values_are_those_of_numpy(mode: str, amounts: pad.Amounts) -> None:
    x = np.arange(np.prod(SHAPE), dtype=np.float32).reshape(SHAPE)
    found = pad.pads[mode, 2](x, amounts)
    np.testing.assert_array_equal(found, np.pad(x, ((0, 0), (0, 0), *amounts), MODES[mode]))
    turned = np.asfortranarray(x)
    np.testing.assert_array_equal(pad.pads[mode, 2](turned, amounts), found)


@pytest.mark.parametrize("amounts", AMOUNTS + CUTTING)
@pytest.mark.parametrize("mode", MODES)
def test_the_pullback_is_the_transpose(mode: str, amounts: pad.Amounts) -> None:
    x = np.random.default_rng(0).integers(-9, 9, SHAPE).astype(np.float64)
    padded = taken(x, amounts, mode)
    np.testing.assert_array_equal(pad.pads[mode, 2](x, amounts), padded)
    y = np.random.default_rng(1).integers(-9, 9, padded.shape).astype(np.float64)
    pulled = pad.pad_adjoint(y, SHAPE[2:], amounts, mode)
    assert pulled.shape == SHAPE
    assert (pulled * x).sum() == (padded * y).sum()


@pytest.mark.parametrize("amounts", [((1, 2), (0, 3)), ((8, 8),), ((3, 1), (39, 2))])
@pytest.mark.parametrize("mode", MODES)
def test_large_arrays_are_padded_as_small_ones(mode: str, amounts: pad.Amounts) -> None:
    x = np.random.default_rng(0).integers(-9, 9, (170, 40, 48)).astype(np.float32)
    whole, adjoint = pad.pads[mode, len(amounts)], pad.pad_adjoint
    found, parts = whole(x, amounts), [whole(part, amounts) for part in np.split(x, 17)]
    np.testing.assert_array_equal(found, np.concatenate(parts))
    size = x.shape[-len(amounts) :]
    pulled = [adjoint(part, size, amounts, mode) for part in np.split(found, 17)]
    np.testing.assert_array_equal(adjoint(found, size, amounts, mode), np.concatenate(pulled))
