"""Native loops of eager ops on large arrays, against the NumPy kernels of the same ops."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback.array import (
    large,
    random,
    random_choice,
    random_gamma,
    random_integer,
    random_normal,
    random_rounding,
    taps,
    tiering,
)
from pullback.array import sampler as sampler_kernels
from pullback.array.sampler import Sampler
from pullback.array.threads import get_num_threads, set_num_threads
from pullback.nn import functional as F

pytest.importorskip("llvmlite")
from pullback.compiler.eager_kernels import products, traced_kernels  # they need llvmlite

#: Sizes with a last block that is not whole.
SIZE = large.WORTH + 1234


@pytest.fixture(autouse=True)
def threads():
    if not large.is_there():
        pytest.skip("native code is switched off")
    before = get_num_threads()
    yield
    set_num_threads(before)


def both(monkeypatch: pytest.MonkeyPatch, call: Any, *arrays: np.ndarray) -> tuple[Any, Any]:
    """What a function of tensors and its pullback give natively, and by NumPy."""
    found = []
    for size in (large.WORTH, 1 << 62):
        monkeypatch.setattr(large, "SIZE", size)
        monkeypatch.setattr(large, "CHAIN", size if size > large.WORTH else large.WORTH_CHAIN)
        monkeypatch.setattr(large, "ROWS", size if size > large.WORTH else large.WORTH_ROWS)
        monkeypatch.setattr(large, "SLOW", size if size > large.WORTH else large.WORTH_SLOW)
        leaves = [torch.from_numpy(a.copy()) for a in arrays]
        leaves = [x.requires_grad_() if x.is_floating_point() else x for x in leaves]
        out = call(*leaves)
        rng = np.random.default_rng(1)
        out.backward(torch.from_numpy(rng.standard_normal(out.shape).astype(out.detach().numpy().dtype)))
        found.append([out.detach().numpy(), *(x.grad.numpy() for x in leaves if x.requires_grad)])
    return found[0], found[1]


def data(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape).astype(dtype)


CALLS = {
    "sigmoid": torch.sigmoid,
    "relu": torch.relu,
    "gelu": F.gelu,
    "gelu-tanh": lambda x: F.gelu(x, approximate="tanh"),
    "silu": F.silu,
    "logsigmoid": F.logsigmoid,
    "erf": torch.erf,
    "tanh": torch.tanh,
    "sin": torch.sin,
    "sqrt": lambda x: torch.sqrt(x.abs() + 1),
    "mul": lambda x: x * x.sin(),
    "softmax": lambda x: torch.softmax(x, -1),
    "log_softmax": lambda x: torch.log_softmax(x, 1),
}


WEIGHTED = {
    "layer_norm": (lambda x, w, b: F.layer_norm(x, (511,), w, b), (517, 511), (511,)),
    "layer_norm-2": (lambda x, w, b: F.layer_norm(x, (7, 73), w, b), (517, 7, 73), (7, 73)),
    "group_norm": (lambda x, w, b: F.group_norm(x, 4, w, b), (9, 12, 50, 51), (12,)),
    "group_norm-each": (lambda x, w, b: F.group_norm(x, 12, w, b), (9, 12, 50, 51), (12,)),
}


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("name", WEIGHTED)
def test_normalisations(monkeypatch, name, weighted):
    call, shape, of_weights = WEIGHTED[name]
    given = []
    rows = large.source().rows

    def noted(*of: Any) -> Any:
        found = rows(*of)
        if not rows.__self__._making:  # what is made is traced on arrays that are thrown away
            given.append(found)
        return found

    monkeypatch.setattr(large.source(), "rows", noted)
    if weighted:
        natively, plainly = both(monkeypatch, call, data(*shape), data(*of_weights), data(*of_weights) + 1)
    else:
        natively, plainly = both(monkeypatch, lambda x: call(x, None, None), data(*shape))
    assert len(given) >= 2
    assert all(found is not None for found in given)
    for got, want in zip(natively, plainly, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5 * np.abs(want).max())


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_batch_norm_by_given_statistics_is_that_of_numpy(monkeypatch, dtype):
    mean, variance = (torch.from_numpy(v) for v in (data(12, dtype=dtype), data(12, dtype=dtype) ** 2 + 1))
    natively, plainly = both(
        monkeypatch, lambda x, w, b: F.batch_norm(x, mean, variance, w, b), data(9, 12, 20, 21, dtype=dtype),
        data(12, dtype=dtype), data(12, dtype=dtype) + 1,
    )  # fmt: skip
    for got, want in zip(natively, plainly, strict=True):
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", CALLS)
def test_values_and_gradients_are_those_of_numpy(monkeypatch, name, dtype):
    x = data(517, 511, dtype=dtype)
    tolerance = 2e-6 if dtype == np.float32 else 1e-13
    natively, plainly = both(monkeypatch, CALLS[name], x)
    for got, want in zip(natively, plainly, strict=True):
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


#: Activations of arrays of moderate size, and whether their numbers are NumPy's to the bit.
ACTIVATIONS = {
    "relu": (torch.relu, True),
    "leaky_relu": (lambda x: F.leaky_relu(x, 0.2), True),
    "hardtanh": (lambda x: F.hardtanh(x, -0.5, 0.75), True),
    "hardswish": (F.hardswish, True),
    "hardsigmoid": (F.hardsigmoid, True),
    "hardshrink": (F.hardshrink, True),
    "elu": (lambda x: F.elu(x, 1.5), False),
    "celu": (lambda x: F.celu(x, 1.5), False),
    "selu": (F.selu, False),
    "mish": (F.mish, False),
    "softplus": (F.softplus, False),
    "silu": (F.silu, False),
    "glu": (lambda x: F.glu(x, 1), False),
}


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations_of_moderate_size(monkeypatch, name):
    call, exactly = ACTIVATIONS[name]
    x = data(2 * large.WORTH_CHAIN // 64 + 2, 64)
    x[0, :5] = np.nan, np.inf, -np.inf, 0.0, -0.0
    asked = []
    ask = large.ask
    monkeypatch.setattr(large, "ask", lambda kernel, *given: asked.append(kernel) or ask(kernel, *given))
    with np.errstate(all="ignore"):
        natively, plainly = both(monkeypatch, call, x)
    assert set(asked) == ({"elementwise"} if name == "glu" else {"elementwise", "pull"})
    for got, want in zip(natively, plainly, strict=True):
        if exactly:
            np.testing.assert_array_equal(got, want)
        else:
            np.testing.assert_allclose(got, want, rtol=3e-6, atol=3e-6)


def test_a_number_that_is_ever_another_is_not_compiled_for(monkeypatch):
    monkeypatch.setattr(traced_kernels, "MOST_NUMBERS", 2)
    kernels = traced_kernels.TracedKernels()
    x = data(64)
    found = [kernels.elementwise("leaky_relu", (x,), (slope,)) for slope in (0.1, 0.2, 0.3, 0.2)]
    assert [y is None for y in found] == [False, False, True, False]


@pytest.mark.parametrize("name", ["gelu", "softmax"])
def test_threads_change_nothing(name):
    x = torch.from_numpy(data(517, 511)).requires_grad_()
    found = []
    for count in (1, 2, 3):
        set_num_threads(count)
        x.grad = None
        y = CALLS[name](x)
        y.backward(x.detach())
        found.append((y.detach().numpy(), x.grad.numpy()))
    for values, gradient in found[1:]:
        np.testing.assert_array_equal(values, found[0][0])
        np.testing.assert_array_equal(gradient, found[0][1])


def test_layouts_are_kept(monkeypatch):
    x = torch.from_numpy(data(600, 500)).t()
    natively, plainly = both(monkeypatch, lambda x: F.silu(x), x.numpy())
    np.testing.assert_allclose(natively[0], plainly[0], rtol=1e-6, atol=1e-6)
    assert F.silu(x).stride() == x.stride()
    strided = torch.from_numpy(data(SIZE * 2))[::2]
    np.testing.assert_allclose(F.silu(strided), F.silu(strided[:]), rtol=1e-6)


def test_small_arrays_and_other_dtypes_are_left_alone():
    assert large.ask("elementwise", "gelu", (np.zeros(SIZE, np.complex64),), ("none",)) is None
    half = torch.from_numpy(data(SIZE)).half()
    assert F.silu(half).dtype == torch.float16


def run(program: str, **environment: str) -> str:
    import os

    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False,
        env={**os.environ, **environment},
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    return found.stdout


PROGRAM = """
import sys
import pullback as torch
assert "llvmlite" not in sys.modules
{before}
x = torch.ones(1 << 19, requires_grad=True)
torch.nn.functional.gelu(x).sum().backward()
print("llvmlite" in sys.modules and sys.modules["llvmlite"] is not None)
"""


#: Small calls of each kind that becomes native, when native code costs nothing.
SMALL = """
import sys
import pullback as torch
from pullback.array import tiering
{before}
tiering.OPEN = tiering.KERNEL = tiering.COMPILER = tiering.LOOP = 0
weight = torch.ones(4, 4, requires_grad=True)
optimizer = torch.optim.Adam([weight])
for _ in range(30):
    weight.grad = torch.ones(4, 4)
    optimizer.step()
images = torch.rand(1, 2, 12, 12)
for _ in range(60):
    optimizer.zero_grad()
    ((torch.ones(3, 4) @ weight).tanh() * torch.rand(3, 1)).topk(2).values.cumsum(0).sum().backward()
    optimizer.step()
    torch.nn.functional.max_pool2d(images[:, :1], 2).roll(1)
    torch.multinomial(torch.rand(20), 3)
    torch.nn.functional.grid_sample(images, torch.rand(1, 2, 2, 2), align_corners=False)
print("llvmlite" in sys.modules)
"""


def test_loaded_by_the_first_large_call_only():
    assert run(PROGRAM.format(before="")) == "True\n"


def test_switched_off():
    assert run(PROGRAM.format(before=""), PULLBACK_LARGE_KERNELS="0") == "False\n"


def test_without_llvmlite():
    before = (
        "import importlib.util as u; f = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name == 'llvmlite' else f(name, *rest)"
    )
    assert run(PROGRAM.format(before=before)) == "False\n"
    assert run(SMALL.format(before=before)) == "False\n"


PLACES = [
    ((700, 900), (700, 500), 1), ((900, 700), (600, 700), 0), ((20, 100, 300), (20, 77, 300), 1),
    ((400_000,), (300_000,), 0), ((3, 400_000), (3, 300_000), 1),
]  # fmt: skip


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize(("shape", "of_index", "dim"), PLACES)
def test_gather_and_scatter_add(monkeypatch, shape, of_index, dim, count):
    set_num_threads(count)
    x, index = data(*shape), np.random.default_rng(2).integers(0, shape[dim], of_index)
    for call in (
        lambda x, i: x.gather(dim, i),
        lambda x, i: (x * 2).scatter_add(dim, i, x[tuple(map(slice, i.shape))]),
    ):
        natively, plainly = both(monkeypatch, call, x, index)
        for got, want in zip(natively, plainly, strict=True):
            np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize(("shape", "size", "dim"), [((500, 800), 700, 0), ((5, 100, 1200), 90, 1)])
def test_slices(monkeypatch, shape, size, dim, count):
    set_num_threads(count)
    index = np.random.default_rng(2).integers(0, shape[dim], size)
    for call in (
        lambda x, i: x.index_select(dim, i),
        lambda x, i: (x * 2).index_add(dim, i, x.narrow(dim, 0, 1).expand_as(x.index_select(dim, i))),
    ):
        natively, plainly = both(monkeypatch, call, data(*shape), index)
        for got, want in zip(natively, plainly, strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("wrong", [900, -1])
def test_places_outside_raise_what_small_arrays_raise(wrong):
    x, index = torch.from_numpy(data(700, 900)), torch.zeros(700, 500, dtype=torch.int64)
    index[311, 7] = wrong
    message = f"index {wrong} is out of bounds for dimension 1 with size 900"
    with pytest.raises(RuntimeError, match=message):
        x.gather(1, index)
    with pytest.raises(RuntimeError, match=message):
        x.scatter_add(1, index, x)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(700, 401), (3, 100_001)])
def test_running_sums(monkeypatch, shape, dtype):
    x = data(*shape, dtype=dtype)
    natively, _ = both(monkeypatch, lambda x: x.cumsum(-1), x)
    covector = np.random.default_rng(1).standard_normal(shape).astype(dtype).astype(np.float64)
    backwards = np.flip(np.flip(covector, -1).cumsum(-1), -1)
    for got, want in zip(natively, (x.astype(np.float64).cumsum(-1), backwards), strict=True):
        np.testing.assert_array_equal(got, want.astype(dtype))


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "call",
    [lambda x: x.clamp(0, 0.5), lambda x: x.clamp(min=-0.3), lambda x: x.clamp(max=0),
     lambda x: x.clamp(1, -1), torch.abs],
)  # fmt: skip
def test_bounds_and_sizes(monkeypatch, call, dtype, count):
    set_num_threads(count)
    x = data(9, SIZE // 9, dtype=dtype)
    x[0, :6] = np.nan, np.inf, -np.inf, -0.0, 0.0, 0.5
    natively, by_numpy = both(monkeypatch, call, x)
    for got, want in zip(natively, by_numpy, strict=True):
        np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(np.signbit(natively[0]), np.signbit(by_numpy[0]))


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.int16, np.bool_])
@pytest.mark.parametrize(
    "amounts", [(3, 2), (0, 0, 5, 1), (3, 4, 1, 2), (-3, 4, 1, -2), (-3, -4, -1, -2)]
)
def test_padding(monkeypatch, amounts, dtype, count):
    set_num_threads(count)
    x = torch.from_numpy((data(9, 80, 401) * 10).astype(dtype))
    found = []
    for size in (large.WORTH, 1 << 62):
        monkeypatch.setattr(large, "SIZE", size)
        found.append(F.pad(x, amounts, value=1).numpy())
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(700, 401), (3, 100_001), (5, 70, 1000)])
def test_sums(shape, dtype):
    x = data(*shape, dtype=dtype)
    found = []
    for count in (1, 3):
        set_num_threads(count)
        t = torch.from_numpy(x)
        found.append([r.numpy() for r in (t.sum(-1), t.mean(-1, keepdim=True), t.sum(), t.mean())])
    wide = x.astype(np.longdouble)
    exact = [wide.sum(-1), wide.mean(-1, keepdims=True), wide.sum(), wide.mean()]
    for one, three, want in zip(*found, exact, strict=True):
        np.testing.assert_array_equal(one, three)
        bound = 8 * np.finfo(dtype).eps * np.sqrt(x.size)
        np.testing.assert_allclose(one, want.astype(dtype), rtol=0, atol=bound)


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(700, 401), (90, 60, 70), (3, 100_001)])
def test_extremes_over_the_first_axis(monkeypatch, shape, dtype, count):
    set_num_threads(count)
    x = data(*shape, dtype=dtype)
    x.reshape(-1)[::100_003], x.reshape(-1)[5::10_007] = np.nan, np.inf
    for call in (lambda x: x.amax(0), lambda x: x.amin(0, keepdim=True), lambda x: x.aminmax(dim=0).max):
        natively, by_numpy = both(monkeypatch, call, x)
        for got, want in zip(natively, by_numpy, strict=True):
            np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("largest", [True, False])
def test_the_first_few(monkeypatch, dtype, largest, count):
    set_num_threads(count)
    x = np.round(data(600, 500, dtype=dtype), 1)
    flat = x.reshape(-1)
    for n, value in enumerate((np.nan, 0.0, -0.0, np.inf, -np.inf)):
        flat[n::101] = value
    for k, dim in ((1, 1), (7, 1), (7, 0), (32, 1), (33, 1)):
        found = []
        for size in (large.WORTH, 1 << 62):
            monkeypatch.setattr(large, "SIZE", size)
            values, places = torch.topk(torch.from_numpy(x), k, dim, largest)
            found.append((values.numpy(), places.numpy()))
        for got, want in zip(*found, strict=True):
            np.testing.assert_array_equal(got, want)


PLANES = {
    "bilinear up": ((5, 7, 64, 64), lambda x: F.interpolate(x, scale_factor=2, mode="bilinear")),
    "bicubic down": ((5, 7, 120, 121), lambda x: F.interpolate(x, size=(50, 61), mode="bicubic")),
    "smooth down": (
        (5, 7, 120, 121),
        lambda x: F.interpolate(x, size=(50, 61), mode="bilinear", antialias=True),
    ),
    "linear": ((8, 9, 2001), lambda x: F.interpolate(x, scale_factor=2, mode="linear")),
    "trilinear": ((2, 3, 20, 30, 25), lambda x: F.interpolate(x, scale_factor=2, mode="trilinear")),
    "adaptive": ((5, 11, 80, 81), lambda x: F.adaptive_avg_pool2d(x, 7)),
    "adaptive 3d": ((4, 7, 20, 30, 25), lambda x: F.adaptive_avg_pool3d(x, (7, 8, 9))),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", PLANES)
def test_maps_along_axes(monkeypatch, name, dtype):
    shape, call = PLANES[name]
    x = data(*shape, dtype=dtype)
    x.reshape(-1)[::1001], x.reshape(-1)[::57] = np.inf, -0.0
    set_num_threads(3)
    natively, plainly = both(monkeypatch, call, x)
    for got, want in zip(natively, plainly, strict=True):
        np.testing.assert_array_equal(got, want)
        np.testing.assert_array_equal(np.signbit(got), np.signbit(want))


def test_maps_of_moderate_size_are_native_once_they_have_cost_as_much(monkeypatch, price):
    asked = []
    ask = large.ask
    monkeypatch.setattr(large, "ask", lambda kernel, *given: asked.append(kernel) or ask(kernel, *given))
    price(500_000)
    monkeypatch.setattr(taps, "_HOTNESS", tiering.Hotness())
    x = torch.from_numpy(data(2, 3, 20, 21))
    found = [F.interpolate(x, size=(30, 41), mode="bilinear", align_corners=True) for _ in range(40)]
    assert 0 < len(asked) < 40
    for y in found[1:]:
        np.testing.assert_array_equal(y.numpy(), found[0].numpy())


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_of_large_matrices_are_native(dtype, monkeypatch):
    asked = []
    multiply = products.multiply
    monkeypatch.setattr(products, "multiply", lambda *given: asked.append(given) or multiply(*given))
    monkeypatch.setattr(large, "MATRIX", 1)
    monkeypatch.setattr(large, "TAKES_THREADS", 1)
    x, w, b = data(40, 30, dtype=dtype), data(20, 30, dtype=dtype), data(20, dtype=dtype)
    leaves = [torch.from_numpy(a.copy()).requires_grad_() for a in (x, w, b)]
    out = F.linear(*leaves)
    out.backward(out.detach())
    assert len(asked) == 3
    wide = x.astype(np.float64) @ w.astype(np.float64).T + b
    expected = wide, wide @ w, wide.T @ x, wide.sum(0)
    for got, want in zip((out, *(leaf.grad for leaf in leaves)), expected, strict=True):
        np.testing.assert_allclose(got.detach().numpy(), want, rtol=1e-4, atol=1e-4)
    # Neither rows nor columns in one piece, another dtype, no rows: NumPy's.
    del asked[:]
    apart = torch.from_numpy(data(40, 60, dtype=dtype))[:, ::2]
    np.testing.assert_allclose((apart @ leaves[1].mT).detach().numpy(), apart.numpy() @ w.T, rtol=1e-5)
    torch.ones(40, 30, dtype=torch.int64) @ torch.ones(30, 20, dtype=torch.int64)
    assert (leaves[0][:0] @ leaves[1].mT).shape == (0, 20)
    assert not asked


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_of_stacks_are_native(dtype, monkeypatch):
    asked = []
    multiply = products.multiply
    monkeypatch.setattr(products, "multiply", lambda *given: asked.append(multiply(*given)) or asked[-1])
    monkeypatch.setattr(large, "STACK", 1)
    monkeypatch.setattr(large, "TAKES_THREADS", 1)
    heads = data(2, 7, 3, 5, dtype=dtype).transpose(0, 2, 1, 3)
    pairs = [
        (data(4, 6, 5, dtype=dtype), data(4, 5, 3, dtype=dtype)),
        (heads, heads.swapaxes(-1, -2)),
        (data(6, 5, dtype=dtype), data(2, 3, 5, 4, dtype=dtype)),
        (data(3, 1, 6, 5, dtype=dtype), data(2, 5, 4, dtype=dtype)),
        (data(2, 1, 3, 1, 6, 5, dtype=dtype), data(4, 1, 2, 5, 4, dtype=dtype)),
    ]
    for x, y in pairs:
        leaves = [torch.from_numpy(v).requires_grad_() for v in (x, y)]
        out = torch.matmul(*leaves)
        np.testing.assert_allclose(out.detach().numpy(), np.matmul(x, y), rtol=1e-4, atol=1e-5)
        out.backward(out.detach())
        wide = np.matmul(np.matmul(x, y), np.swapaxes(y, -1, -2))
        for axis in range(wide.ndim):
            lead = wide.ndim - x.ndim
            if axis < lead or x.shape[axis - lead] < wide.shape[axis]:
                wide = wide.sum(axis, keepdims=True)
        np.testing.assert_allclose(leaves[0].grad.numpy(), wide.reshape(x.shape), rtol=1e-3, atol=1e-4)
    # Three axes of which none can be joined with another are NumPy's.
    x, y = (data(2, 3, 4, 6, 5, dtype=dtype).transpose(1, 0, 2, 3, 4), data(2, 4, 5, 4, dtype=dtype))
    np.testing.assert_allclose(large.stacked(x, y), np.matmul(x, y), rtol=1e-4, atol=1e-5)
    y = data(4, 3, 2, 5, 4, dtype=dtype).transpose(1, 2, 0, 3, 4)
    np.testing.assert_array_equal(large.stacked(x, y), np.matmul(x, y))
    assert asked[-1] is False and asked.count(True) >= 12


@pytest.mark.parametrize("size", [16, 100, 2000, 70_003])
@pytest.mark.parametrize(("mean", "std"), [(0.0, 1.0), (-0.5, 2.3), (3.0, 0.0)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_normal_numbers_are_the_same_natively(monkeypatch, price, size, mean, std, dtype):
    found = []
    for is_hot in (False, True):
        price(0 if is_hot else 1 << 62)
        monkeypatch.setattr(random_normal, "_HOTNESS", tiering.Hotness())
        generator = torch.Generator().manual_seed(size)
        numbers = [torch.empty(size, dtype=dtype).normal_(mean, std, generator=generator) for _ in range(3)]
        found.append(torch.cat([*numbers, torch.rand(3, generator=generator)]).numpy().view(np.int32))
    np.testing.assert_array_equal(*found)


def test_random_words_are_the_same_natively(monkeypatch, price):
    found = []
    for is_hot in (False, True):
        price(1 << 62)
        monkeypatch.setattr(random, "_HOTNESS", tiering.Hotness())
        generator = torch.Generator().manual_seed(3)
        drawn = [torch.rand(700, generator=generator)]
        random._HOTNESS._is_due = is_hot
        drawn += [torch.rand(n, generator=generator) for n in (1, 2000, 624)]
        state = generator.get_state()
        drawn.append(torch.rand(5000, generator=generator))
        random._HOTNESS._is_due = not is_hot
        drawn.append(torch.rand(1000, generator=generator.clone_state()))
        random._HOTNESS._is_due = is_hot
        assert torch.equal(torch.rand(5000, generator=generator.set_state(state)), drawn[4])
        drawn.append(torch.rand(1300, generator=generator.manual_seed(4)))
        found.append([*drawn, state, generator.get_state()])
    for natively, plainly in zip(*found, strict=True):
        assert torch.equal(natively, plainly)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_draws_by_rejection_are_the_same_natively(monkeypatch, price, dtype):
    sizes = torch.tensor([0.0, 0.3, 1.0, 4.7, 60.0, 1e-3, 9.9, 700.0], dtype=dtype).repeat(90)
    found = []
    for is_hot in (False, True):
        price(0 if is_hot else 1 << 62)
        for module in (random_choice, random_gamma):
            monkeypatch.setattr(module, "_HOTNESS", tiering.Hotness())
        generator = torch.Generator().manual_seed(5)
        drawn = [torch.randn(3, generator=generator)]
        for few in (sizes, sizes[:1], sizes[:5], sizes[4].expand(300), sizes[1::3]):
            drawn += [draw(few, generator=generator) for draw in (torch._standard_gamma, torch.poisson)]
            chances = torch.linspace(0, 1.1, few.numel(), dtype=dtype)
            drawn.append(torch.binomial(few.floor(), chances, generator=generator))
        found.append([*drawn, generator.get_state(), torch.randn(3, generator=generator)])
    for natively, plainly in zip(*found, strict=True):
        assert torch.equal(natively, plainly)


def test_logarithms_of_draws_are_the_same_natively(monkeypatch, price):
    found, asked, ask = [], [], large.ask
    monkeypatch.setattr(large, "ask", lambda kernel, *given: asked.append(kernel) or ask(kernel, *given))
    for is_hot in (False, True):
        price(0 if is_hot else 1 << 62)
        monkeypatch.setattr(random_rounding, "_HOTNESS", tiering.Hotness())
        generator = torch.Generator().manual_seed(7)
        drawn = [torch.empty(n).exponential_(2.0, generator=generator) for n in (1, 40, 3000)]
        drawn.append(torch.empty(40, 50).mT.geometric_(0.3, generator=generator))
        found.append([*drawn, generator.get_state()])
        assert ("c_function" in asked) == is_hot
    for natively, plainly in zip(*found, strict=True):
        assert torch.equal(natively, plainly)


def test_permutations_are_the_same_natively(monkeypatch, price):
    found, asked, ask = [], [], large.ask
    monkeypatch.setattr(large, "ask", lambda kernel, *given: asked.append(kernel) or ask(kernel, *given))
    for is_hot in (False, True):
        price(0 if is_hot else 1 << 62)
        monkeypatch.setattr(random_integer, "_HOTNESS", tiering.Hotness())
        generator = torch.Generator().manual_seed(7)
        drawn = [torch.randperm(n, generator=generator) for n in (1, 2, 31, 32, 33, 400, 3000, 50_000)]
        drawn.append(torch.randperm(700, generator=generator, dtype=torch.float16))
        found.append([*drawn, generator.get_state()])
        assert ("shuffled" in asked) == is_hot
    for natively, plainly in zip(*found, strict=True):
        assert torch.equal(natively, plainly)


def test_native_code_comes_when_numpys_calls_have_cost_as_much(monkeypatch, price):
    price(100)
    kind = tiering.Hotness()
    assert [kind.is_hot(40) for _ in range(4)] == [False, False, True, True]
    monkeypatch.setattr(large, "SIZE", 1 << 62)
    assert not tiering.Hotness().is_hot(1000)


@pytest.mark.parametrize(
    "sampler",
    [
        Sampler("bilinear", "border", True), Sampler("bilinear", "reflection", False),
        Sampler("nearest", "zeros", False), Sampler("nearest", "reflection", True),
        Sampler("bicubic", "zeros", True), Sampler("bicubic", "reflection", False),
    ],
)  # fmt: skip
def test_samples_of_grids(sampler: Sampler, monkeypatch: pytest.MonkeyPatch, price: Any) -> None:
    numbers = np.random.default_rng(0)
    # More places than are taken at a time.
    x, g = numbers.standard_normal((2, 3, 5, 4)), numbers.standard_normal((2, 3, 34, 33))
    grid = numbers.standard_normal((2, 34, 33, 2))
    grid[0, 0, :4, 0] = np.nan, np.inf, -np.inf, 1e30

    def results() -> list[np.ndarray]:
        return [
            sampler_kernels.sample(x, grid, sampler, (0, 0)),
            sampler_kernels.sample_adjoint(g, grid, (5, 4), sampler, (0, 0)),
            sampler_kernels.pull_to_places(g, x, grid, sampler),
        ]

    asked: list[str] = []
    price(1 << 62)
    sampler_kernels._hotness.cache_clear()
    expected = results()
    ask = large.ask
    monkeypatch.setattr(large, "ask", lambda kind, *given: asked.append(kind) or ask(kind, *given))
    price(0)
    sampler_kernels._hotness.cache_clear()
    for found, wanted in zip(results(), expected, strict=True):
        np.testing.assert_array_equal(found, wanted)
    assert "samples" in asked


REDUCTIONS = {
    "sum": lambda x, dim: x.sum(dim),
    "mean": lambda x, dim: x.mean(dim, keepdim=True),
    "amax": lambda x, dim: x.amax(dim),
    "amin": lambda x, dim: x.amin(dim, keepdim=True),
    "max": lambda x, dim: x.max(dim).values,
    "min": lambda x, dim: x.min(dim, keepdim=True).values,
    "prod": lambda x, dim: (1 + x / 1000).prod(dim),
    "nansum": lambda x, dim: x.nansum(dim),
    "norm": lambda x, dim: torch.linalg.vector_norm(x, 2, dim),
    "norm-1": lambda x, dim: torch.linalg.vector_norm(x, 1, dim),
    "var": lambda x, dim: x.var(dim),
    "std": lambda x, dim: x.std(dim, keepdim=True),
    "logsumexp": lambda x, dim: x.logsumexp(dim),
    "cumprod": lambda x, dim: (1 + x / 1000).cumprod(dim),
}


@pytest.mark.parametrize(("shape", "dim"), [
    ((70, 4096), 1), ((9, 31_000), -1), ((4, 1 << 17), 1), ((1 << 14, 17), 1), ((1 << 14, 17), 0),
    ((1000, 270), 0), ((1 << 17, 3), 0), ((70, 64, 60), 1), ((3, 2048, 64), 1),
])  # fmt: skip
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(monkeypatch, name, shape, dim):
    # Of many factors of float32 the product is as uncertain as it is long.
    x = data(*shape, dtype=np.float64 if name == "prod" else np.float32)
    natively, by_numpy = both(monkeypatch, lambda x: REDUCTIONS[name](x, dim), x)
    for got, want in zip(natively, by_numpy, strict=True):
        assert (got.shape, got.dtype) == (want.shape, want.dtype)
        np.testing.assert_allclose(got, want, rtol=2e-5, atol=1e-4 if name in ("sum", "nansum") else 2e-6)


@pytest.mark.parametrize("call", [
    torch.sum, torch.mean, torch.amax, torch.amin, torch.max, torch.min, torch.nansum, torch.var, torch.std,
    lambda x: (1 + x / 1000).prod(), lambda x: torch.linalg.vector_norm(x, 1),
])  # fmt: skip
@pytest.mark.parametrize("special", [None, np.nan, np.inf])
def test_reductions_of_everything(monkeypatch, call, special):
    x = data(SIZE, dtype=np.float64)
    if special is not None:
        x[-3] = special
    for got, want in zip(*both(monkeypatch, call, x), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", [np.int64, np.int32, bool])
def test_reductions_of_whole_numbers(kind):
    x = (data(300, 1000) * 3).astype(kind)
    t = torch.from_numpy(x)
    assert torch.count_nonzero(t).item() == np.count_nonzero(x)
    assert torch.count_nonzero(t, 1).tolist() == np.count_nonzero(x, 1).tolist()
    if kind is not bool:
        for dim in (0, 1):
            assert t.sum(dim).tolist() == x.sum(dim).tolist()
            assert t.amax(dim).tolist() == x.max(dim).tolist()
            assert t.argmin(dim).tolist() == x.argmin(dim).tolist()
            assert t.cumsum(dim).tolist() == x.cumsum(dim).tolist()
        assert t.max().item() == x.max()


@pytest.mark.parametrize("dim", [0, 1])
def test_places_are_the_first_and_those_of_nan(dim):
    x = np.round(data(512, 4, 256)) if dim == 0 else np.round(data(4, 512, 256))
    x[tuple(40 if d == dim else 0 for d in range(3))] = np.nan
    t = torch.from_numpy(x)
    assert t.argmax(dim).tolist() == x.argmax(dim).tolist()
    assert t.argmin(dim).tolist() == x.argmin(dim).tolist()


LOSSES = {
    "mse": F.mse_loss,
    "smooth_l1": lambda x, y, reduction: F.smooth_l1_loss(x, y, reduction=reduction, beta=0.5),
    "huber": F.huber_loss,
    "soft_margin": lambda x, y, reduction: F.soft_margin_loss(x, y.detach(), reduction=reduction),
    "bce": lambda x, y, reduction: F.binary_cross_entropy(
        x.sigmoid(), y.detach().sigmoid(), reduction=reduction
    ),
    "bce_with_logits": lambda x, y, reduction: F.binary_cross_entropy_with_logits(
        x, y.detach().sigmoid(), y.detach().abs(), reduction=reduction
    ),
}


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("name", LOSSES)
def test_losses(monkeypatch, name, reduction):
    x, y = data(SIZE), data(SIZE)[::-1].copy()
    x[5] = 90

    def loss(x, y):
        return LOSSES[name](x, y, reduction=reduction) + 0 * y.sum()

    for got, want in zip(*both(monkeypatch, loss, x, y), strict=True):
        np.testing.assert_allclose(got, want, rtol=2e-5, atol=1e-9 if reduction == "mean" else 2e-6)


@pytest.mark.parametrize("count", [30_000, 300_000])
@pytest.mark.parametrize("name", ["atan", "sinh", "log1p"])
def test_what_is_written_in_place_has_the_same_bits(name: str, count: int) -> None:
    x = torch.rand(count, generator=torch.Generator().manual_seed(0)) * 3 - 0.9
    expected = getattr(x, name)()
    assert torch.equal(getattr(x, f"{name}_")(), expected)
