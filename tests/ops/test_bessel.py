"""Bessel functions of float32 are as exact as that dtype, and have torch's values at the ends."""

import numpy as np
import pytest

import pullback
from pullback import special
from pullback.array import large
from pullback.array.elementwise import native
from pullback.ops import bessel as ops

scipy_special = pytest.importorskip("scipy.special")

NAMES = {
    "i0": "i0", "i0e": "i0e", "i1": "i1", "i1e": "i1e", "modified_bessel_k0": "k0",
    "modified_bessel_k1": "k1", "scaled_modified_bessel_k0": "k0e", "scaled_modified_bessel_k1": "k1e",
    "airy_ai": "airy",
}  # fmt: skip
X = np.concatenate([np.linspace(-20, 20, 4001), np.logspace(-20, 1.5, 500)]).astype(np.float32)


@pytest.mark.parametrize("name", NAMES)
def test_float32_is_as_exact_as_its_rounding(name):
    found = getattr(special, name)(pullback.tensor(X)).numpy()
    expected = getattr(scipy_special, NAMES[name])(X.astype(np.float64))
    expected = expected[0] if type(expected) is tuple else expected
    assert found.dtype == np.float32
    known = np.isfinite(expected.astype(np.float32))
    # Near the zeros of Ai the error is that of a number near 1.
    close = np.spacing(np.maximum(np.abs(expected), 1e-2 if name == "airy_ai" else 1e-30).astype(np.float32))
    assert (np.abs(found[known] - expected[known]) <= 0.6 * close[known]).all()
    assert (np.isnan(found) == np.isnan(expected)).all()


@pytest.mark.parametrize(
    ("name", "at_zero", "at_infinity"),
    [("i0", 1, np.nan), ("i0e", 1, 0), ("i1", 0, np.nan), ("i1e", 0, 0), ("modified_bessel_k0", np.inf, 0),
     ("scaled_modified_bessel_k1", np.inf, 0), ("airy_ai", 0.35502806, np.nan)],
)  # fmt: skip
def test_values_at_the_ends(name, at_zero, at_infinity):
    found = getattr(special, name)(pullback.tensor([0.0, -0.0, np.inf])).numpy()
    np.testing.assert_allclose(found, [at_zero, at_zero, at_infinity], rtol=1e-6)


@pytest.mark.parametrize("name", [*NAMES, "bessel_j0", "bessel_y1"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_many_numbers_give_what_few_do(name, dtype):
    function, x = getattr(special, name), np.linspace(0.1, 20, 5000).astype(dtype)
    whole = function(pullback.tensor(x)).numpy()
    parts = [function(pullback.tensor(part)).numpy() for part in np.split(x, 50)]
    np.testing.assert_allclose(whole, np.concatenate(parts), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_many_numbers_of_float32_have_a_native_loop(name):
    pytest.importorskip("llvmlite")
    if not large.is_there():
        pytest.skip("native code is switched off")
    made = native(getattr(ops, name).op.name, (np.linspace(0.1, 9, 5000, dtype=np.float32),), (), ...)
    assert made is not None
