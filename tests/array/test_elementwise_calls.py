"""Ops on small arrays as native functions: they give the bits of the Python path, and leave it the rest."""

from __future__ import annotations

import itertools
from importlib.util import find_spec

import numpy as np
import pytest
import scipy.special  # noqa: F401  # a look imports none of it, and skips its functions till then

import pullback as torch
from pullback.array import chain_steps, elementwise_calls
from pullback.array.chains import MOST_ALONE, ROWS, SCALAR, Unfit
from pullback.array.elementwise_calls import ElementwiseCalls, refuse
from pullback.array.layout import shared_strides
from pullback.array.strides import strides_of
from pullback.core.calls import _elementwise_calls
from pullback.core.op import TABLE

pytestmark = pytest.mark.skipif(find_spec("llvmlite") is None, reason="calls are native with llvmlite")

F32, F64, I64 = map(np.dtype, (np.float32, np.float64, np.int64))
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, -0.5, 3e-39, 1e38, 7.25]


@pytest.fixture(autouse=True)
def at_once(monkeypatch, price):
    """Make an op native at its first call."""
    monkeypatch.setattr(elementwise_calls, "CALLS", 1)
    price(0)


def found(name, attrs=()):
    """Return the native function of an op."""
    op = TABLE[name]
    kinds = F32, F64, I64, np.dtype(bool)
    small = ElementwiseCalls(op.kernel, len(op.inputs), len(op.inputs) == 2, op.promote, kinds)
    return op, small.find(attrs)


def same(ours, expected):
    assert (type(ours), ours.dtype, ours.shape, ours.strides) == (
        np.ndarray, expected.dtype, expected.shape, expected.strides
    )  # fmt: skip
    assert ours.tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", [F32, F64])
@pytest.mark.parametrize("name, attrs", [
    ("exp", ()), ("erf", ()), ("isnan", ()), ("sgn", ()), ("frac", ()), ("softplus", (1.0, 20.0)),
    ("hardshrink", (0.5,)), ("elu", (1.0, 1.0, 1.0)), ("nan_to_num", (0.0, None, None)),
    ("clamp", (-0.5, 0.5)),
    ("pow_scalar", (3,)), ("add", ()), ("gt", ()), ("remainder", ()), ("xlogy", ()), ("fmax", ()),
    ("lerp_tensor", ()), ("addcmul", (2.0,)), ("xlog1py", ()),
])  # fmt: skip
def test_the_result_has_the_bits_of_the_kernel(name, attrs, dtype):
    op, native = found(name, attrs)
    with np.errstate(all="ignore"):
        first = np.array(SPECIAL, dtype).reshape(3, 4)
        given = [first, first[::-1].copy(), first[:, ::-1].copy()][: len(op.inputs)]
        same(native(*given), op.kernel(*given, *attrs, out=...))
        scalars = [np.array(x[1, 3]) for x in given]
        same(native(*scalars), np.asarray(op.kernel(*scalars, *attrs, out=...)))


def test_what_takes_float32_in_double_precision_is_native_in_float64_only():
    op, native = found("igamma")
    x = np.array(SPECIAL[5:7], F64) + 2
    same(native(x, x), op.kernel(x, x))
    assert native(x.astype(F32), x.astype(F32)) is None


@pytest.mark.parametrize("number", [2.5, -0.0, 3, -(1 << 20)])
@pytest.mark.parametrize("dtype", [F32, F64])
def test_a_number_is_read_as_numpy_reads_it(dtype, number):
    op, native = found("mul")
    x = np.array(SPECIAL, dtype)
    with np.errstate(all="ignore"):
        same(native(x, number), op.kernel(x, number))


@pytest.mark.parametrize("number", [-1, 0, 3, (1 << 63) - 1, -(1 << 63)])
@pytest.mark.parametrize("name", ["add", "sub", "mul", "eq", "lt", "bitwise_and", "maximum"])
def test_integers_meet_integers(name, number):
    op, native = found(name)
    x = np.array([0, 1, -1, 5, (1 << 63) - 1, -(1 << 63), 1 << 62, -7], I64).reshape(2, 4)
    for other in (np.full_like(x, number), np.array([number]), np.array(number), number):
        same(native(x, other), op.kernel(x, other, out=...))
    assert [native(x, n) for n in (True, 2.5, 1 << 63, -(1 << 63) - 1)] == [None] * 4


def test_kernels_that_look_for_zeros_take_integers_in_python():
    x, zero = torch.arange(5), torch.zeros(5, dtype=torch.int64)
    for call in (torch.remainder, torch.floor_divide, torch.fmod):
        for _ in range(3):
            call(x, x + 1)
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            call(x, zero)
    assert found("pow")[1](np.arange(3), np.arange(-3, 0)) is None


@pytest.mark.parametrize("ufunc", [np.add, np.less, np.negative, np.bitwise_and, np.logaddexp, np.isfinite])
def test_a_ufunc_tells_what_a_recording_of_it_would(ufunc):
    def told(kernel, roles, dtypes):
        try:
            return chain_steps.variant_of(kernel, roles, dtypes)
        except Unfit:
            return None

    kinds, told_any = (F32, F64, I64, np.dtype(bool)), False
    for roles in ((ROWS,) * ufunc.nin, (ROWS, SCALAR)[: ufunc.nin]):
        for dtypes in ((kind,) * ufunc.nin for kind in kinds):
            found = told(ufunc, roles, dtypes)
            assert found == told(lambda *given: ufunc(*given), roles, dtypes)
            told_any |= found is not None
    assert told_any


@pytest.mark.parametrize("kinds", [*itertools.permutations((F32, F64, I64, np.dtype(bool)), 2)])
@pytest.mark.parametrize("name", ["add", "mul", "lt", "eq", "logical_xor"])
def test_operands_of_two_dtypes_meet_in_the_higher(name, kinds):
    op, native = found(name)
    numbers = np.array([0, 1, -1, (1 << 24) + 1, (1 << 53) + 1, (1 << 63) - 1, -(1 << 63), -7])
    x, y = numbers.reshape(2, 4).astype(kinds[0]), numbers[::-1].reshape(2, 4).astype(kinds[1])
    common, without = np.result_type(*kinds), np.array(y[1, 1])
    if {*kinds} == {F32, I64}:
        common = F32
    if {*kinds} == {F32, F64}:
        # Here it is the one with axes that decides.
        assert native(x, without) is native(without, x) is native(without, np.array(x[1, 1])) is None
        without = y[1]
    for ours, theirs in ((x, y), (x, y[0]), (x[:, :1], y), (x, without), (x.T.copy().T, y)):
        expected = op.kernel(ours.astype(common), theirs.astype(common), out=...)
        made = native(ours, theirs)
        assert (made.dtype, made.tolist()) == (expected.dtype, expected.tolist())


@pytest.mark.parametrize("whole", [I64, np.dtype(bool)])
@pytest.mark.parametrize("dtype", [F32, F64])
@pytest.mark.parametrize("name", ["div", "atan2"])
def test_what_gives_floating_numbers_takes_integers_beside_them(name, dtype, whole):
    small = _elementwise_calls(TABLE[name], True)
    native = small.find(())
    x, y = np.linspace(-2, 2, 6, dtype=dtype).reshape(2, 3), np.array([3, 0, -(1 << 53) - 1]).astype(whole)
    for ours, theirs in ((x, y), (y, x), (x, y[:1]), (x, np.array(y[2]))):
        with np.errstate(all="ignore"):
            same(native(ours, theirs), TABLE[name].kernel(ours.astype(dtype), theirs.astype(dtype), out=...))
    assert native(y, y) is None


ONES = np.ones(3, F32)


@pytest.mark.parametrize("operands", [
    (), (1.0,), (None,), (ONES,), (ONES, ONES, ONES), (np.ones(3, np.int64), 2.0),
    (np.ones((0, 3), F32), 2.0),
    (np.ones(MOST_ALONE + 1, F32), 2.0), (np.ones(3, ">f4"), 2.0),
    (np.ones((200, 1), F32), np.ones(200, F32)),
    (ONES, np.ones(4, F32)), (ONES, np.array(1.0)), (ONES, np.ones(3, np.float16)),
    (ONES, True), (ONES, np.inf), (ONES, 1e300), (ONES, 1 << 70), (ONES, (1 << 24) + 1),
    (torch.ones(3), ONES), (ONES, torch.ones(3)),
    (torch.ones(3, requires_grad=True), 2.0),
    (torch.ones(2, 3, requires_grad=True)[0], 2.0), (torch.ones(3), torch.nn.Parameter(torch.ones(3))),
])  # fmt: skip
def test_the_rest_is_left_to_python(operands):
    assert found("mul")[1](*operands) is None


def odd(rng, shape, dtype):
    """Return an array of a shape, laid out in one of several ways."""
    values = rng.choice(SPECIAL, shape).astype(dtype)
    if not shape:
        return values
    kind = rng.integers(5)
    if kind == 1:
        return np.repeat(values, 2, -1)[..., ::2]
    if kind == 2:
        return values.T.copy().T
    if kind == 3:
        return np.concatenate([values, values])[: shape[0]][::-1]
    return np.broadcast_to(values[..., :1], shape) if kind == 4 else values


@pytest.mark.parametrize("name", ["add", "where", "sigmoid", "lerp_tensor", "gt"])
def test_operands_of_any_strides_give_what_python_gives(name):
    op, native = found(name)
    rng, given = np.random.default_rng(0), 0
    for _ in range(150):
        shape = rng.choice([2, 3, 7], rng.integers(4))
        ones = [np.where(rng.random(len(shape)) < 0.3, 1, shape) for _ in op.inputs]
        operands = [odd(rng, tuple(own[rng.integers(len(shape) + 1) :]), F32) for own in ones]
        if name == "where":
            operands[0] = np.asarray(operands[0] > 0)
        ours = native(*operands)
        if ours is None:  # nothing to broadcast to
            continue
        with np.errstate(all="ignore"):
            expected = np.asarray(op.kernel(*operands, out=...))
        assert (ours.shape, ours.dtype) == (expected.shape, expected.dtype)
        assert np.ascontiguousarray(ours).tobytes() == np.ascontiguousarray(expected).tobytes()
        if 1 not in ours.shape:
            assert strides_of(ours) == shared_strides(ours.shape, operands)
        given += 1
    assert given > 80


@pytest.mark.parametrize("dtype", [F32, F64])
@pytest.mark.parametrize("name", ["mul", "sub", "gt", "maximum"])
@pytest.mark.parametrize("shapes", [
    ((9, 1, 1), (48, 48)), ((1, 64, 64), (4, 64, 1)), ((100, 100), (100,)), ((180, 1), (1, 180)),
    ((5000,), (1,)),
])  # fmt: skip
def test_one_exact_step_takes_larger_broadcasts(name, shapes, dtype):
    op, native = found(name)
    x, y = (np.random.default_rng(0).standard_normal(shape).astype(dtype) for shape in shapes)
    same(native(x, y), op.kernel(x, y, out=...))
    same(native(y, x), op.kernel(y, x, out=...))
    assert native(np.ones((6000, 3), dtype), np.ones((6000, 1), dtype)) is None  # many short rows
    assert found("exp")[1](np.ones(5000, dtype)) is None


def test_one_exponent_for_all_is_left_to_numpy():
    assert found("pow")[1](np.ones((2, 3), F32), np.full((), 2, F32)) is None


def test_tensors_give_tensors_of_their_own():
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    y = found("exp")[1](x)
    assert type(y) is torch.Tensor and y._version == 0 and y.is_leaf and not y.requires_grad
    assert torch.equal(y, x.exp())
    y.add_(1)
    assert (y._version, x._version, x.tolist()) == (1, 0, [[1.0, 2.0], [3.0, 4.0]])


def test_a_mask_chooses_between_arrays_and_numbers():
    op, native = found("where")
    mask, x = np.array([True, False, True]), np.array([1.0, 2.0, np.nan], F32)
    for operands in ((mask, x, -x), (mask, x, 0), (mask, 0.5, x)):
        same(native(*operands), op.kernel(*operands))


def test_zeros_of_either_sign_are_other_attributes():
    small = ElementwiseCalls(TABLE["threshold"].kernel, 1, False, None, (F32,))
    x = np.array([-1.0, 2.0], F32)
    for value in (0.0, -0.0):
        same(small.find((1.0, value))(x), TABLE["threshold"].kernel(x, 1.0, value))
    assert len(small.compiled) == 2


def test_what_looks_at_elements_stays_in_python():
    def kernel(x, /, out=...):
        return x + 1 if x.max() > 0 else x

    def reads(x, /, out=...):
        return np.multiply(x, x.tolist()[0])

    def turned(x, /, out=...):
        return (x + 1)[::-1]

    for looking in (kernel, reads, lambda x, /, out=...: x, lambda x, /, out=...: np.sort(x), turned):
        assert ElementwiseCalls(looking, 1, False, "float", (F32,)).find(()) is refuse


@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_whole_numbers_that_a_check_takes_have_a_native_function(name):
    x, y = np.array([3, -1, 2**62]), np.array([2, 5, -(2**62)])
    native = _elementwise_calls(TABLE[name], True).find(())
    same(native(x, y), TABLE[name].kernel(x, y))
    assert native(x + 0j, y + 0j) is None
