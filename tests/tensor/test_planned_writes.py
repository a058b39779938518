"""Writes by a plan of an inline cache (`tensor.inline_cache.writes`) are what they are in Python."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import pullback as torch
from pullback.tensor.inline_cache.recording import Notes
from tests.tensor.test_inline_cache import _native, learn  # noqa: F401  # a fixture of all tests here

pytest.importorskip("llvmlite")


def drawn(seed, *shape):
    """Numbers of many sizes, some of which are nan, infinite or 0."""
    stream = np.random.RandomState(seed)
    numbers = stream.standard_normal(shape) * 10 ** stream.uniform(-3, 3, shape)
    special = stream.choice([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0], shape)
    return torch.tensor(np.where(stream.uniform(size=shape) < 0.1, special, numbers).astype(np.float32))


def places(seed, *shape):
    return torch.tensor(np.random.RandomState(seed).randint(0, 5, shape))


def masks(seed, *shape):
    return torch.tensor(np.random.RandomState(seed).uniform(size=shape) < 0.5)


WRITES = {
    "add_": lambda s: (drawn(s + 1, 5, 4),),
    "sub_": lambda s: (drawn(s + 1, 5, 4),),
    "mul_": lambda s: (0.5,),
    "div_": lambda s: (drawn(s + 1, 4),),
    "zero_": lambda s: (),
    "fill_": lambda s: (0.25,),
    "relu_": lambda s: (),
    "sigmoid_": lambda s: (),
    "clamp_": lambda s: (-0.5, 0.5),
    "addcmul_": lambda s: (drawn(s + 1, 5, 4), drawn(s + 2, 5, 4)),
    "lerp_": lambda s: (drawn(s + 1, 5, 4), 0.25),
    "masked_fill_": lambda s: (masks(s, 5, 4), 0.5),
    "index_add_": lambda s: (0, places(s, 3), drawn(s + 1, 3, 4)),
    "index_fill_": lambda s: (0, places(s, 3), 0.5),
    "scatter_": lambda s: (0, places(s, 5, 4), drawn(s + 1, 5, 4)),
    "scatter_add_": lambda s: (0, places(s, 5, 4), drawn(s + 1, 5, 4)),
    "index_put_": lambda s: ((places(s, 3),), drawn(s + 1, 3, 4)),
    "tril_": lambda s: (),
    "cumsum_": lambda s: (0,),
    "addmm_": lambda s: (drawn(s + 1, 5, 3), drawn(s + 2, 3, 4)),
    "fill_diagonal_": lambda s: (0.5,),
    "copy_": lambda s: (drawn(s + 1, 5, 4),),
    "lt_": lambda s: (drawn(s + 1, 5, 4),),
    "abs_": lambda s: (),
    "pow_": lambda s: (2,),
}
#: What has no plan: it writes through a view of its own.
UNPLANNED = {"fill_diagonal_"}


def cold(name):
    """The function behind a method, which has no plans."""
    method = getattr(torch.Tensor, name)
    return getattr(method, "__wrapped__", method)


@pytest.mark.parametrize("name", WRITES)
def test_elements_and_versions_are_those_of_the_call(name):
    method, given = getattr(torch.Tensor, name), WRITES[name]
    x, args = drawn(0, 5, 4), given(0)
    assert learn(method, x, *args) or name in UNPLANNED
    for seed in range(100):
        x, y, args = drawn(seed, 5, 4), drawn(seed, 5, 4), given(seed)
        assert method(x, *args) is x and cold(name)(y, *args) is y
        assert np.array_equal(x.numpy(), y.numpy(), equal_nan=True), seed
        assert np.array_equal(np.signbit(x.numpy()), np.signbit(y.numpy())) or np.isnan(x.numpy()).any()
        assert x._version == y._version == 1
    x, y = drawn(1, 4, 5).T, drawn(1, 4, 5).T
    args = given(1)
    assert np.array_equal(method(x, *args).numpy(), cold(name)(y, *args).numpy(), equal_nan=True)


@pytest.mark.parametrize("name", ["add_", "mul_", "div_", "abs_", "clamp_", "lt_", "zero_", "fill_", "copy_"])
@pytest.mark.parametrize("rows", [5, 3000])
def test_the_only_op_of_a_call_writes_to_the_argument(name, rows, monkeypatch):
    made, real = [], Notes.function

    def function(self, given, results):
        made.append((given, self.lines))
        return real(self, given, results)

    monkeypatch.setattr(Notes, "function", function)
    x, y, args = drawn(0, rows, 4), drawn(0, rows, 4), WRITES[name](0)
    args = [drawn(1, rows, 4) if isinstance(v, torch.Tensor) and v.dim() == 2 else v for v in args]
    while not learn(getattr(torch.Tensor, name), x, *args):
        assert not made and rows > 5  # a look at large arrays is put off
    (line,) = made[-1][1]
    assert line.endswith(f"out={made[-1][0][0]})")
    x.copy_(y)
    assert getattr(x, name)(*args) is x
    assert np.array_equal(x.numpy(), cold(name)(y, *args).numpy(), equal_nan=True)


def test_what_cannot_be_written_there_is_copied(monkeypatch):
    made, real = [], Notes.function
    monkeypatch.setattr(Notes, "function", lambda self, *a: (made.append(self.lines), real(self, *a))[1])
    for _ in range(2):  # `cumsum`, which it calls, may have its plan first
        learn(torch.Tensor.cumsum_, torch.rand(7, 3), 0)
    assert any(lines[-1].startswith("write(") for lines in made)


def test_operands_that_share_memory():
    x, y = torch.rand(5, 4), torch.rand(5, 4)
    assert learn(torch.Tensor.add_, x, y)
    expected = x.numpy() * 2
    x.add_(x)
    assert np.array_equal(x.numpy(), expected)
    whole = torch.arange(24.0).reshape(6, 4).clone()
    with pytest.raises(RuntimeError, match="refer to a single memory location"):
        whole[1:].add_(whole[:-1])
    square = torch.arange(16.0).reshape(4, 4).clone()
    assert learn(torch.Tensor.mul_, torch.rand(4, 4), torch.rand(4, 4))
    with pytest.raises(RuntimeError, match="refer to a single memory location"):
        square.mul_(square.T)
    halves = torch.arange(40.0).reshape(10, 4).clone()
    halves[:5].add_(halves[5:])  # beside each other, and not shared
    assert halves[:5].tolist() == (np.arange(20).reshape(5, 4) * 2 + 20).tolist()


def test_indices_out_of_range_write_nothing():
    x, y = torch.zeros(5, 4), torch.ones(3, 4)
    assert learn(torch.Tensor.index_add_, x, 0, torch.tensor([0, 1, 2]), y)
    x = torch.zeros(5, 4)
    for wrong in ([0, 5, 1], [0, 1, -1]):
        with pytest.raises((IndexError, RuntimeError)):
            x.index_add_(0, torch.tensor(wrong), y)
    assert not x.any() and x._version == 0
    x.index_add_(0, torch.tensor([1, 1, 1]), y)
    assert x[1].tolist() == [3] * 4


def test_what_was_saved_is_known_to_have_changed():
    x, y = torch.rand(5, 4), torch.rand(5, 4)
    assert learn(torch.Tensor.add_, x, y)
    w = torch.rand(5, 4, requires_grad=True)
    z = w * x
    x.add_(y)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def test_leaves_and_histories_are_as_ever():
    x, y = torch.rand(5, 4), torch.rand(5, 4)
    assert learn(torch.Tensor.add_, x, y)
    leaf = torch.rand(5, 4, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        leaf.add_(y)
    with torch.no_grad():
        before = leaf.clone()
        assert leaf.add_(y) is leaf and torch.equal(leaf, before + y)
    assert leaf._version == 1 and leaf.grad_fn is None
    hidden = leaf * 2
    hidden.add_(y)
    assert hidden.grad_fn.name() == "AddBackward0"
    with torch.no_grad():
        hidden.add_(y)
    assert hidden.grad_fn.name() == "AddBackward0" and hidden._version == 2
    x.add_(hidden)
    assert x.requires_grad
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad|a view of a leaf"):
        leaf[0:5].add_(y)


def test_views_count_the_writes_of_their_base():
    assert learn(torch.Tensor.add_, torch.rand(4), torch.rand(4))
    base, row = torch.zeros(5, 4), torch.ones(4)
    other = base[1]
    base[1].add_(row)
    assert base._version == other._version == 1 and other.tolist() == [1] * 4
    hidden = torch.zeros(5, 4, requires_grad=True) * 1
    hidden[1].add_(row)
    assert hidden.grad_fn.name() == "torch::autograd::CopySlices"
    with torch.no_grad():
        hidden[1].add_(row)
    assert hidden.tolist()[1] == [2] * 4 and hidden._version == 2


def test_tensors_that_take_no_write():
    x, y = torch.rand(3), torch.rand(3)
    assert learn(torch.Tensor.add_, x, y)
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        torch.zeros(1).expand(3).add_(y)
    with torch.inference_mode():
        z = torch.zeros(3)
        assert z.add_(y) is z and torch.equal(z, y)
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor"):
        z.add_(y)


def test_the_place_of_a_write_is_kept():
    x, y = torch.rand(5, 4), torch.rand(5, 4)
    assert learn(torch.Tensor.add_, x, y)
    x = torch.rand(5, 4)

    def planned():
        for _ in range(3):
            x.add_(y)

    planned()
    (first, last, code, _, number), = x._counter[1]
    assert (first, last, x._version) == (1, 3, 3) and code is planned.__code__
    x.add_(y)
    assert [run[:2] for run in x._counter[1]] == [[1, 3], [4, 4]]
    assert x._counter[1][1][2] is sys._getframe().f_code and x._counter[1][1][4] > number


#: Also of these: functions that save what they overwrite, what they give, or both.
WITH_A_HISTORY = {name: WRITES[name] for name in WRITES if name not in ("lt_", "fill_diagonal_")} | {
    "mul_": lambda s: (drawn(s + 1, 5, 4),), "exp_": lambda s: (), "tanh_": lambda s: (),
}  # fmt: skip


def written_to(write, seed, args, recorded, retains=False):
    """What a write leaves behind, and the gradients through it."""
    leaf = drawn(seed, 5, 4).requires_grad_()
    args = [
        a.clone().requires_grad_(recorded == "operands")
        if isinstance(a, torch.Tensor) and a.is_floating_point() else a for a in args
    ]  # fmt: skip
    x = drawn(seed, 5, 4) if recorded == "operands" else leaf * 2
    if retains:
        x.retain_grad()
    assert write(x, *args) is x
    edges = [(node and node.name(), place) for node, place in x.grad_fn.next_functions]
    told = x.grad_fn.name(), edges, x._version, x._counter[1][-1][:2], x._counter[2]
    inputs = [v for v in (leaf, *args) if isinstance(v, torch.Tensor) and v.requires_grad]
    (x * x).sum().backward()
    grads = [v.grad for v in (*([x] if retains else []), *inputs)]
    return told, [None if g is None else g.numpy().tobytes() for g in (x.detach(), *grads)]


@pytest.mark.parametrize("recorded", ["itself", "operands"])
@pytest.mark.parametrize("name", WITH_A_HISTORY)
def test_histories_and_gradients_are_those_of_the_call(name, recorded):
    method, given = getattr(torch.Tensor, name), WITH_A_HISTORY[name]
    args = [
        a.requires_grad_(recorded == "operands")
        if isinstance(a, torch.Tensor) and a.is_floating_point() else a for a in given(0)
    ]  # fmt: skip
    if recorded == "itself":
        assert learn_with_a_history(method, *args)
    elif any(isinstance(a, torch.Tensor) and a.requires_grad for a in args):
        x = drawn(0, 5, 4)
        assert learn(lambda: method(x.detach(), *args))
    else:
        return
    for seed in range(5):
        for retains in {False, recorded == "itself"}:
            own, its = [written_to(f, seed, given(seed), recorded, retains) for f in (method, cold(name))]
            assert own == its


def learn_with_a_history(write, *args):
    leaf = torch.rand(5, 4, requires_grad=True)
    return learn(lambda: write(leaf * 2, *args))


def test_what_writes_with_a_history_is_no_leaf_and_no_view():
    y = torch.rand(5, 4)
    assert learn_with_a_history(torch.Tensor.mul_, y)
    leaf = torch.rand(5, 4, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        leaf.mul_(y)
    hidden = torch.rand(7, 4, requires_grad=True) * 1
    hidden[1:6].mul_(y)
    assert hidden.grad_fn.name() == "torch::autograd::CopySlices"
    hidden = leaf * 1
    with torch.no_grad():
        hidden.mul_(y)
    assert hidden.grad_fn.name() == "MulBackward0" and hidden._version == 1
    before = leaf.exp()
    before.mul_(y)  # what it saved is overwritten
    with pytest.raises(RuntimeError, match="modified by .* which is output 0 of Exp, is at version 1"):
        before.sum().backward()
    twice = leaf * 1
    twice.mul_(twice)  # so is the other operand
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        twice.sum().backward()


def test_what_is_saved_is_copied_before_it_is_written_to():
    x, y = torch.rand(5, 4), torch.rand(5, 4)
    assert learn(torch.Tensor.sub_, x, y) and learn_with_a_history(torch.Tensor.sub_, y)
    leaf = torch.rand(5, 4, requires_grad=True)
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        z, hidden = leaf * x, leaf.exp()
        saved, result = x.clone(), hidden.detach().clone()
        x.sub_(y)
        hidden.sub_(y)
        (z + hidden).sum().backward()
    assert torch.equal(leaf.grad, saved + result)


@pytest.mark.parametrize(
    "layer",
    [
        torch.nn.ReLU(True), torch.nn.ReLU6(True), torch.nn.LeakyReLU(0.1, True), torch.nn.Hardswish(True),
        torch.nn.SiLU(True), torch.nn.ELU(inplace=True),
    ],
    ids=lambda layer: type(layer).__name__,
)  # fmt: skip
def test_functions_told_to_write(layer):
    function = getattr(torch.nn.functional, layer.function)
    values = [getattr(layer, name) for name in layer.kept]
    assert learn(function, drawn(0, 5, 4), *values)
    x, y = drawn(1, 5, 4), drawn(1, 5, 4)
    expected = type(layer)()(y) if len(values) == 1 else type(layer)(values[0])(y)
    assert layer(x) is x and x._version == 1 and y._version == 0
    assert np.array_equal(x.numpy(), expected.numpy(), equal_nan=True)
    assert x._counter[1][0][2] is sys._getframe().f_code
    with torch.inference_mode():
        z = y.clone()
        assert layer(z) is z and np.array_equal(z.numpy(), expected.numpy(), equal_nan=True)
    hidden = y.clone().requires_grad_() * 1
    assert layer(hidden) is hidden and hidden._version == 1 and hidden.requires_grad
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        layer(y.requires_grad_())


def test_what_returns_its_argument_unwritten_has_a_plan_too():
    x = torch.rand(5, 4)
    assert learn(torch.nn.functional.dropout, x, 0.5, False)
    assert torch.nn.functional.dropout(x, 0.5, False) is x and x._version == 0
