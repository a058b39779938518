"""The compiler's mathematical functions: within two units of the last place, over every exponent,
in vectors.
"""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("llvmlite")

from pullback.compiler.emit import definitions, functions
from pullback.compiler.emit.emitter import Emitter, Module
from pullback.compiler.lower.handlers import MATHEMATICS
from pullback.compiler.lower.kernel_writer import combined
from pullback.compiler.runtime import engine
from tests.compiler.mathematics_cases import TWO_OPERANDS, arguments, errors, expected, loop

LONG = np.finfo(np.longdouble).nmant >= 63
#: Functions of which no wider values are at hand.
FOREIGN = ("lgamma", "tgamma", "digamma")


@pytest.mark.parametrize("real", ["float", "double"])
@pytest.mark.parametrize("name", MATHEMATICS)
def test_within_two_units_of_the_last_place(name, real):
    if real == "double" and (name in FOREIGN or not LONG):
        pytest.skip("no wider numbers to compare with")
    function, _ = loop(name, real)
    xs = arguments(name, np.float32 if real == "float" else np.float64, 2000)
    apart = errors(function(*xs), expected(name, *xs))
    worst = int(np.argmax(apart))
    assert apart[worst] <= 2, f"{name}({', '.join(repr(x[worst]) for x in xs)}) is {apart[worst]} units off"


@pytest.mark.skipif(engine.register_bytes() < 64, reason="powers of two are looked up in wide registers")
@pytest.mark.parametrize("name", ["exp", "exp2"])
def test_exponentials_of_float64_are_nearly_rounded_once(name):
    """The power of two that is looked up has a low part; results without it are up to 1 unit off."""
    if not LONG:
        pytest.skip("no wider numbers to compare with")
    function, _ = loop(name, "double")
    x = np.linspace(-3, 3, 20001)
    assert errors(function(x), expected(name, x)).max() <= 0.6


def test_log1p_of_float32_is_right_beside_the_powers_of_two():
    """What rounding left of 1 + x counts where the logarithm of a power of two and the rest nearly cancel."""
    function, _ = loop("log1p", "float")
    parts = np.linspace(-0.999, 3, 20001), np.linspace(0.4, 0.5, 20001), -np.logspace(-40, -6, 500)
    x = np.concatenate(parts, dtype=np.float32, casting="same_kind")
    assert errors(function(x), expected("log1p", x)).max() <= 1
    assert np.signbit(function(np.float32([-0.0, -1e-45]))).all()


@pytest.mark.skipif(engine.register_bytes() < 64, reason="one instruction scales wide registers")
def test_exponentials_of_float32_are_scaled_as_by_two_factors():
    """The last element alone is computed with two factors; those of a register by one instruction."""
    function, _ = loop("exp", "float")
    parts = np.linspace(-110, 95, 20000), [np.inf, -np.inf, np.nan, -0.0, 1e-40]
    x = np.concatenate(parts, dtype=np.float32, casting="same_kind")
    alone = np.concatenate([function(x[n : n + 1]) for n in range(0, x.size, 7)])
    np.testing.assert_array_equal(function(x)[::7].view(np.int32), alone.view(np.int32))


@pytest.mark.skipif(engine.register_bytes() < 64, reason="coefficients are looked up in wide registers")
def test_the_error_function_of_float32_by_pieces():
    function, _ = loop("erf", "float")
    parts = np.linspace(-4.5, 4.5, 200001), np.logspace(-44, 0, 2000), [np.inf, -0.0, np.nan]
    x = np.concatenate(parts, dtype=np.float32, casting="same_kind")
    assert errors(function(x), expected("erf", x)).max() <= 1.35
    assert function(np.float32([np.inf, -np.inf, 5])).tolist() == [1, -1, 1]
    assert definitions.text("pullback_erf_float_16").count("@llvm.fma") < 12


def test_loops_over_large_arrays_hold_functions_without_branches():
    """A loop that calls a function loads the constants of its polynomial for each register of numbers."""
    module = Module()
    module.function("exp", np.dtype(np.float32))
    module.function("pow", np.dtype(np.float32))
    lanes = functions.widths("float")[0]
    text = "\n".join(functions.declarations(module, inline=True))
    assert (f"define internal <{lanes} x float> @pullback_exp_float_{lanes}(" in text) == engine.fused()
    assert f"declare <{lanes} x float> @pullback_pow_float_{lanes}(" in text


@pytest.mark.parametrize("signed", [True, False])
def test_extremes_within_a_row_do_not_order_zeros(signed):
    ops, dtype = Emitter(Module()), np.dtype(np.float32)
    combined(ops, "maximum", ops.constant(0.0, dtype), ops.constant(-0.0, dtype), dtype, signed)
    assert ("call nsz float" in "\n".join(ops.lines)) != signed


@pytest.mark.parametrize("real", ["float", "double"])
@pytest.mark.parametrize("name", ["exp", "log", "sin", "tanh", "pow"])
def test_loops_call_the_functions_of_whole_registers(name, real):
    _, library = loop(name, real)
    lanes = engine.register_bytes() // (4 if real == "float" else 8)
    assert f"pullback_{name}_{real}_{lanes}" in library.code.called


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
@pytest.mark.parametrize("real", ["float", "double"])
def test_one_huge_argument_among_small_ones(name, real):
    """The C library's value goes to its lane, and to no other."""
    function, _ = loop(name, real)
    dtype = np.float32 if real == "float" else np.float64
    plain = np.linspace(-3, 3, 64).astype(dtype)
    mixed = plain.copy()
    mixed[[5, 40]] = np.finfo(dtype).max, np.inf
    others = np.delete(np.arange(64), [5, 40])
    np.testing.assert_array_equal(function(mixed)[others], function(plain)[others])
    assert errors(function(mixed), expected(name, mixed)).max() <= 2


@pytest.mark.parametrize("real", ["float", "double"])
def test_the_last_elements_are_those_of_one_number_at_a_time(real):
    dtype = np.float32 if real == "float" else np.float64
    for name in MATHEMATICS:
        function, _ = loop(name, real)
        xs = [np.linspace(0.1, 0.9, 37, dtype=dtype)] * (2 if name in TWO_OPERANDS else 1)
        alone = [function(*(x[n : n + 1] for x in xs))[0] for n in range(37)]
        np.testing.assert_array_equal(function(*xs), alone)


@pytest.mark.parametrize("real", ["float", "double"])
@pytest.mark.parametrize("name", ["exp", "log", "sin", "tanh", "pow", "erfc"])
def test_processors_with_neither_wide_registers_nor_fused_operations(name, real, plain_processor):
    if real == "double" and not LONG:
        pytest.skip("no wider numbers to compare with")
    assert engine.register_bytes() == 16
    assert not engine.fused()
    function, library = loop.__wrapped__(name, real)
    xs = arguments(name, np.float32 if real == "float" else np.float64, 500)
    assert errors(function(*xs), expected(name, *xs)).max() <= 2
    assert "zmm" not in library.assembly()
    assert "ymm" not in library.assembly()


@pytest.mark.parametrize(("name", "known"), [("lgamma", "gammaln"), ("digamma", "psi")])
def test_functions_of_gamma_in_float64(name, known):
    special = pytest.importorskip("scipy.special")
    function, _ = loop(name, "double")
    draws = np.random.default_rng(0)
    beside = np.logspace(-12, -1, 50)
    xs = np.concatenate(
        [draws.uniform(0, 12, 500), draws.uniform(-9, 0, 200), np.logspace(-200, 300, 200), 1 + beside]
    )
    np.testing.assert_allclose(function(xs), getattr(special, known)(xs), rtol=2e-13, atol=2e-15)
    if name == "lgamma":
        # lgamma(1 + t) = −γt + π²t²/12 − …: the zeros are zeros of the series, too.
        t = beside[beside < 1e-7]
        np.testing.assert_allclose(function(1 + t), -np.euler_gamma * ((1 + t) - 1), rtol=2e-7)
        np.testing.assert_array_equal(function(np.array([1.0, 2.0])), [0.0, 0.0])
