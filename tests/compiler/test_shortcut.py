"""The short way through a call: it is taken where nothing has changed, and only there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback import nn

pytest.importorskip("llvmlite")
from pullback.compiler.emit import writer
from pullback.compiler.lower.buffer import Buffer
from pullback.compiler.runtime import native_call
from pullback.compiler.runtime.guards import result_record
from pullback.compiler.runtime.object_layout import layout
from pullback.compiler.runtime.specialised_source import MISS

pytestmark = [
    pytest.mark.skipif(layout() is None, reason="another interpreter: calls are checked in Python"),
    pytest.mark.usefixtures("in_haste"),
]


class Counted:
    """A compiled function whose short ways count how often they did a call."""

    def __init__(self, function: Any) -> None:
        self.compiled = torch.compile(function, backend="native")
        native = getattr(self.compiled, "_native", None) or self.compiled.__dict__["_native"]
        self.native = native
        self.short = 0

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        ways = self.native.shortcuts
        for n, way in enumerate(ways):
            if not hasattr(way, "counted"):
                ways[n] = self._counting(way)
        return self.compiled(*args, **kwargs)

    def _counting(self, way: Any) -> Any:
        def counted(args: Any, kwargs: Any) -> Any:
            result = way(args, kwargs)
            self.short += result is not MISS
            return result

        counted.counted = True  # type: ignore[attr-defined]  # tells it from one that does not count
        return counted

    @property
    def programs(self) -> int:
        return len(self.native.specializations)


def test_the_second_call_is_short():
    call = Counted(lambda *xs: sum(xs))
    xs = [torch.randn(3, 2) for _ in range(10)]
    for _ in range(3):
        torch.testing.assert_close(call(*xs), sum(xs))
    assert call.short == 2


def test_containers_keywords_and_numbers():
    def function(pair, scale, *, more):
        return {"y": pair[0] * scale + pair[1], "more": (more["a"], [scale])}

    call = Counted(function)
    x, y = torch.ones(2), torch.arange(2.0)
    for _ in range(2):
        got = call([x, y], 3.0, more={"a": None})
        assert got["y"].tolist() == [3, 4] and got["more"] == (None, [3.0])
    assert call.short == 1
    assert call([x, y], 2.0, more={"a": None})["y"].tolist() == [2, 3]
    assert call((x, y), 3.0, more={"a": None})["y"].tolist() == [3, 4]
    assert call([x, y], 3, more={"a": None})["more"] == (None, [3])
    assert call.short == 1 and call.programs == 4


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x.double(), lambda x: x[:2], lambda x: x.reshape(1, 3), lambda x: x.requires_grad_(),
        lambda x: nn.Parameter(x), lambda x: x.to(torch.int32),
    ],
)  # fmt: skip
def test_another_kind_of_tensor_is_another_program(change):
    call = Counted(lambda x: x * 2)
    x = torch.arange(3.0)
    call(x), call(x)
    assert call.short == 1
    other = change(x.clone())
    got = call(other)
    assert got.dtype == other.dtype and got.requires_grad == other.requires_grad
    assert torch.equal(got.detach(), other.detach() * 2)
    assert call.short == 1 and call.programs == 2


def test_scattered_arrays_have_a_program_for_their_layout():
    call = Counted(lambda x: x * 2)
    x = torch.arange(6.0).reshape(3, 2)
    call(x), call(x)
    turned = torch.arange(6.0).reshape(2, 3).t()
    assert torch.equal(call(turned), turned * 2)
    assert call(turned).stride() == (1, 3)
    assert call.short == 2 and call.programs == 2
    spread = torch.arange(12.0).reshape(3, 4)[:, ::2]
    assert torch.equal(call(spread), spread * 2)
    assert call.short == 2 and call.programs == 3


@pytest.mark.parametrize("dtype", ["bool", "int16", "float32", "float64", "complex128"])
def test_scattered_arrays_of_every_width(dtype):
    call = Counted(lambda x: x.permute(1, 2, 0).flatten().clone())
    x = torch.arange(24).reshape(2, 3, 4).to(getattr(torch, dtype)).permute(2, 0, 1)[:, :, ::2]
    for _ in range(2):
        assert torch.equal(call(x), x.permute(1, 2, 0).reshape(-1))
    assert call.short == 1


@pytest.mark.parametrize("width", [2, 4])
def test_scattered_parameters_are_written_where_they_lie(width):
    whole = torch.arange(3.0 * width).reshape(3, width)
    weight = whole.t() if width == 2 else whole[:, ::2]
    weight.requires_grad_()

    def step(x):
        loss = (weight * weight * x).sum()
        loss.backward()
        with torch.no_grad():
            weight.sub_(weight.grad)
        grad, weight.grad = weight.grad, None
        return grad

    call, x = Counted(step), torch.full(weight.shape, 0.25)
    expected = weight.detach().clone()
    for n in range(3):
        assert torch.equal(call(x), expected / 2)
        expected = expected / 2
        assert torch.equal(weight.detach(), expected) and weight._version == n + 1
    assert call.short == 2
    # What lies between them stays.
    assert width == 2 or whole[:, 1::2].tolist() == [[1, 3], [5, 7], [9, 11]]


def test_gradients_of_scattered_parameters_lie_as_they_do():
    weight = torch.arange(6.0).reshape(2, 3).t().requires_grad_()

    def step(x):
        weight.grad = None
        (weight * x).sum().backward()

    call, x = Counted(step), torch.arange(6.0).reshape(3, 2)
    for _ in range(2):
        call(x)
        assert torch.equal(weight.grad, x) and weight.grad.stride() == (1, 3)
    assert call.short == 1


def test_backward_of_a_call_reads_scattered_tensors():
    weight = torch.arange(6.0).reshape(2, 3).t().requires_grad_()
    call, x = Counted(lambda x: x @ weight), torch.ones(2, 3, requires_grad=True)
    for n in range(2):
        call(x).sum().backward()
        assert torch.equal(x.grad, weight.detach().sum(1).expand(2, 3) * (n + 1))
        assert torch.equal(weight.grad, torch.full((3, 2), 2.0 * (n + 1)))
    assert call.short == 1


def test_the_same_tensor_twice_is_another_program():
    call = Counted(lambda x, y: x.add_(1) + y)
    x, y = torch.zeros(2), torch.zeros(2)
    call(x, y), call(x, y)
    assert call.short == 1
    assert call(x, x).tolist() == [6, 6]
    assert call.short == 1
    assert x.tolist() == [3, 3]


def test_a_tensor_that_the_function_closes_over_as_an_argument():
    w = torch.zeros(2)
    call = Counted(lambda x: w.add_(1) + x)
    x = torch.zeros(2)
    call(x), call(x)
    assert call.short == 1
    assert call(w).tolist() == [6, 6]


def test_what_stands_in_a_place_is_found_anew():
    state = {"x": torch.zeros(3), "y": torch.ones(3), "n": 0}

    def function(a):
        state["x"] = state["x"] * 2 + a
        state["n"] = (state["n"] + 3) % 5
        return state["x"] + state["y"], state["n"]

    call, a = Counted(function), torch.ones(3)
    for value, n in ((2, 3), (4, 1), (8, 4), (16, 2)):
        found, counted = call(a)
        assert found.tolist() == [value] * 3 and counted == n
    assert call.short >= 2
    short = call.short
    # The argument, or what stands in another place, stands there: another program, or none.
    assert call(state["x"])[0].tolist() == [46] * 3
    state["y"] = state["x"]
    assert call(a)[0].tolist() == [136] * 3
    assert call.short == short
    state["x"] = None
    with pytest.raises(TypeError):
        call(a)


def test_an_argument_becomes_a_leaf_on_the_short_way():
    def function(x):
        x.requires_grad_()
        return torch.autograd.grad((x**3).sum(), x)[0]

    call = Counted(function)
    for n in range(3):
        x = torch.full((2,), float(n))
        assert call(x).tolist() == [3.0 * n * n] * 2 and x.requires_grad
    assert call.short == 2


def test_what_the_function_reaches():
    settings, numbers, scale = {"a": 1.0}, [1.0, 2.0], 1.0
    flag = object()

    def function(x):
        return x * settings["a"] + numbers[1] * scale, flag

    call = Counted(function)
    x = torch.ones(1)

    def value() -> float:
        return call(x)[0].item()

    assert [value(), value()] == [3, 3] and call.short == 1
    settings["b"] = 2.0
    del settings["b"]
    assert value() == 3 and call.short == 2
    numbers[1] = 5.0
    assert value() == 6 and call.short == 2
    assert value() == 6 and call.short == 3
    scale = 2.0
    assert value() == 11 and call.short == 3
    settings["a"] = 2.0
    assert value() == 12 and value() == 12 and call.short == 4


def test_freezing_a_parameter_is_another_program():
    model = nn.Linear(3, 2)
    call = Counted(lambda x: model(x))
    x = torch.randn(1, 3)
    call(x), call(x)
    assert call.short == 1
    model.weight.requires_grad_(False)
    call(x).sum().backward()
    assert model.weight.grad is None and model.bias.grad is not None
    assert call.short == 1 and call.programs == 2


def test_modes_and_the_default_dtype():
    w = torch.ones(2, requires_grad=True)
    call = Counted(lambda x: x * w + torch.ones(2))
    x = torch.ones(2)
    assert call(x).requires_grad and call(x).requires_grad
    with torch.no_grad():
        assert not call(x).requires_grad
        assert not call(x).requires_grad
    assert call.short == 2
    torch.set_default_dtype(torch.float64)
    try:
        assert call(x).dtype == torch.float64
    finally:
        torch.set_default_dtype(torch.float32)
    assert call(x).dtype == torch.float32


def test_a_training_step():
    model = nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def step(x):
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        return loss

    call = Counted(step)
    x = torch.randn(5, 4)
    call(x)
    weight = model[0].weight
    kept, version = weight.grad, weight._version
    before = kept.clone()
    losses = [call(x).item() for _ in range(20)]
    assert call.short == 20 and losses[-1] < losses[0]
    assert torch.equal(kept, before) and weight.grad is not kept
    assert weight._version == version + 20
    seen = []
    weight.register_hook(lambda g: seen.append(1))
    call(x)
    call(x)
    # Another program runs them.
    assert seen == [1, 1] and call.native.eager_because is None and call.short == 21


def test_backward_twice_is_refused_and_saved_values_are_watched():
    x, w = torch.randn(3, requires_grad=True), torch.randn(3)
    call = Counted(lambda x, w: (x * w).sum())
    for _ in range(3):
        x.grad = None
        out = call(x, w)
        out.backward()
        np.testing.assert_array_equal(x.grad.numpy(), w.numpy())
    with pytest.raises(RuntimeError, match="second time"):
        out.backward()
    out = call(x, w)
    w.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.backward()
    assert call.short == 3


def test_a_version_is_counted_where_the_user_called():
    total = torch.zeros(2)
    call = Counted(lambda x: total.add_(x))
    x = torch.ones(2)
    for count in range(1, 4):
        assert call(x) is total
        assert total.tolist() == [count, count] and total._version == count
    assert call.short == 2


def test_a_wrong_index_raises_eagers_error_and_changes_nothing():
    table = nn.Embedding(4, 2)
    optimizer = torch.optim.SGD(table.parameters(), lr=0.1)

    def step(index):
        optimizer.zero_grad()
        loss = table(index).square().sum()
        loss.backward()
        optimizer.step()
        return loss

    call = Counted(step)
    good, bad = torch.tensor([1, 3]), torch.tensor([1, 4])
    call(good), call(good)
    before = table.weight.detach().clone()
    with pytest.raises(IndexError, match="out of range"):
        call(bad)
    assert torch.equal(table.weight, before)
    call(good)
    assert call.short == 2


def shared_and_copied(call: Counted) -> tuple[int, int]:
    """How many of the tensors that a program writes get their values at once; bytes of those copied."""
    space = call.native.specializations[0].shortcut.__globals__
    specification = space["keep"][0]
    return len(specification.part("shared_at")) // 2, sum(specification.part("copies_at")[2::3])


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "RMSprop"])
def test_new_values_are_written_over_the_old_ones(name):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 30), nn.Tanh(), nn.Linear(30, 1))
    optimizer = getattr(torch.optim, name)(model.parameters(), lr=0.1)

    def step(x):
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        return loss

    call = Counted(step)
    x = torch.randn(5, 4)
    for _ in range(4):
        call(x)
    shared, copied = shared_and_copied(call)
    # The number of a step is read late.
    assert shared >= 4 and copied <= 16


def test_a_value_that_is_read_elsewhere_is_not_overwritten():
    total = torch.arange(4.0).reshape(2, 2)

    def function(x):
        y = total.t() + x
        total.copy_(y)
        return y

    call = Counted(function)
    expected, x = torch.arange(4.0).reshape(2, 2), torch.ones(2, 2)
    for _ in range(4):
        expected = expected.t() + 1
        assert torch.equal(call(x), expected) and torch.equal(total, expected)
    assert call.short == 3
    assert shared_and_copied(call) == (0, 16)


def test_a_running_mean_that_a_later_result_reads():
    mean = torch.zeros(3)

    def function(x):
        old = mean.clone()
        mean.mul_(0.5).add_(x.mean(0), alpha=0.5)
        return x - old, (x * mean).sum(0)

    call = Counted(function)
    eager = torch.zeros(3)
    for seed in range(5):
        torch.manual_seed(seed)
        x = torch.randn(6, 3)
        first, second = call(x)
        torch.testing.assert_close(first, x - eager)
        eager = 0.5 * eager + 0.5 * x.mean(0)
        torch.testing.assert_close(mean, eager)
        torch.testing.assert_close(second, (x * mean).sum(0))
    assert call.short == 4


def test_tensors_that_overlap_what_is_written_go_eagers_way():
    whole = torch.zeros(6)
    call = Counted(lambda x, y: (x.add_(1), y * 2)[1])
    x, y = torch.zeros(3), torch.ones(3)
    call(x, y), call(x, y)
    assert call.short == 1
    assert call(whole[:3], whole[3:]).tolist() == [0, 0, 0]
    with pytest.warns(UserWarning, match="memory another one shares"):
        assert call(whole[:3], whole[2:5]).tolist() == [4, 0, 0]
    assert whole.tolist() == [2, 2, 2, 0, 0, 0]


def test_parameters_that_move():
    a, b = torch.zeros(3), torch.ones(3)
    call = Counted(lambda x: (a.add_(x), b * 2)[1])
    x = torch.ones(3)
    call(x), call(x)
    assert call.short == 1
    a.data = torch.full((3,), 5.0)
    assert call(x).tolist() == [2, 2, 2] and a.tolist() == [6, 6, 6]
    assert call.short == 2
    memory = torch.zeros(4)
    a.data, b.data = memory[:3], memory[1:]
    with pytest.warns(UserWarning, match="memory another one shares"):
        assert call(x).tolist() == [2, 2, 0]
    assert memory.tolist() == [1, 1, 1, 0]


def _steps(compile: Any) -> Any:
    leaves = [torch.arange(3.0, requires_grad=True) for _ in range(2)]
    optimizer = torch.optim.SGD(leaves, lr=0.125)

    def step():
        optimizer.zero_grad()
        loss = (leaves[0] * leaves[1]).sum()
        loss.backward()
        optimizer.step()
        return loss

    call = compile(step)
    states = []
    for _ in range(4):
        loss = call()
        grads = [leaf.grad for leaf in leaves]
        states.append((loss, grads))
    call()
    return leaves, states


def test_each_call_makes_new_results_as_eager_does():
    leaves, states = _steps(lambda step: torch.compile(step, backend="native"))
    twins, expected = _steps(lambda step: step)
    for (loss, grads), (its_loss, its_grads) in zip(states, expected, strict=True):
        assert loss.item() == its_loss.item() and loss._version == 0 and loss.requires_grad
        assert [g.tolist() for g in grads] == [g.tolist() for g in its_grads]
        assert all(g._version == 0 and g.is_leaf and not g.requires_grad for g in grads)
    assert len({id(g) for _, grads in states for g in grads}) == 8
    assert len({g.data_ptr() for _, grads in states for g in grads}) == 8
    assert [leaf.tolist() for leaf in leaves] == [twin.tolist() for twin in twins]
    # All from one place, and noted as such.
    assert [leaf._version for leaf in leaves] == [5, 5]
    assert [[run[:2] for run in leaf._counter[1]] for leaf in leaves] == [[[1, 4], [5, 5]]] * 2


def test_a_result_that_was_pulled_back_tells_its_leaves():
    leaves, states = _steps(Counted)
    loss = states[-1][0]
    assert type(loss.grad_fn).__name__ == "CompiledFunctionBackward"
    ends = [node for node, _ in loss.grad_fn.next_functions]
    assert [end.variable for end in ends] == leaves
    other = (leaves[0] * 2).grad_fn.next_functions[0][0]
    assert other is ends[0]
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        loss.backward()


def test_results_that_find_no_memory_run_nothing():
    table, keep = np.zeros(8, np.uintp), []
    records = []
    for slot, shape in ((1, (3,)), (2, (1 << 46,))):
        records += result_record(Buffer(slot, shape, np.dtype(np.float32)), slot, id(None), keep)
    # A program at address 0 cannot be run.
    spec = native_call.Specification(table=int(table.ctypes.data), made=2, made_at=records, run=0)
    with pytest.raises(MemoryError):
        spec.call()((), ())
    assert table[1] and not table[2]


@pytest.mark.parametrize("stretch", [1, 2, 200])
def test_what_is_refused_is_refused_before_anything_is_written_over(stretch, monkeypatch):
    monkeypatch.setenv("PULLBACK_CACHE", "0")
    monkeypatch.setattr(writer, "STRETCH", stretch)
    torch.manual_seed(0)
    table, head = torch.randn(5, 7, requires_grad=True), torch.randn(7, 6, requires_grad=True)
    optimizer = torch.optim.Adam([table, head], lr=0.1)

    def step(indices, targets):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(table[indices] @ head, targets)
        loss.backward()
        optimizer.step()
        return loss

    def held():
        state = [v.tolist() for p in (table, head) for v in optimizer.state[p].values()]
        return [table.tolist(), head.tolist(), table._version, state]

    call = Counted(step)
    right = torch.tensor([0, 4, 2, 1, 3, 0]), torch.tensor([2, 0, 1, 5, 4, 3])
    for _ in range(2):
        call(*right)
    # Parameters and their moments are written over; the steps, which are counted first, are copied.
    assert shared_and_copied(call) == (6, 8)
    before = held()
    for wrong in ((right[0] + 1, right[1]), (right[0], right[1] + 1)):
        assert call.native.specializations[0].shortcut(wrong, {}) is MISS
        assert held() == before
        with pytest.raises(IndexError):
            call(*wrong)
        assert held() == before
    assert torch.isfinite(call(*right))


def test_hooks_of_one_of_many_leaves_run():
    leaves = [torch.ones(2, requires_grad=True) for _ in range(3)]

    def step():
        for leaf in leaves:
            leaf.grad = None
        loss = (leaves[0] * leaves[1] * leaves[2]).sum()
        loss.backward()
        return loss

    call = Counted(step)
    for _ in range(3):
        call()
    # Another leaf's hooks are looked at once.
    other = torch.ones(2, requires_grad=True)
    other.register_hook(lambda g: g)
    for _ in range(2):
        call()
    assert call.short == 4
    seen: list[Any] = []
    handle = leaves[1].register_post_accumulate_grad_hook(seen.append)
    with pytest.warns(UserWarning, match="a leaf has a hook that is no function"):
        call()
    assert seen == [leaves[1]] and call.short == 4
    handle.remove()


def test_without_native_calls_everything_goes_the_long_way(monkeypatch):
    monkeypatch.setattr(native_call, "is_there", lambda: False)
    leaves, states = _steps(lambda step: torch.compile(step, backend="native"))
    twins, expected = _steps(lambda step: step)
    assert [leaf.tolist() for leaf in leaves] == [twin.tolist() for twin in twins]
    assert [leaf._version for leaf in leaves] == [5, 5]
    for (loss, grads), (its_loss, its_grads) in zip(states, expected, strict=True):
        assert loss.item() == its_loss.item()
        assert [g.tolist() for g in grads] == [g.tolist() for g in its_grads]


class Settings:
    pass


def test_words_are_watched_where_a_call_needs_python():
    """The long way compares what the function has read by words, too."""
    settings = Settings()
    for n in range(40):
        setattr(settings, f"factor{n}", 1.0)
    offsets = [0.0, 0.0]

    def function(x):
        total = x + torch.rand(3) * 0
        for n in range(40):
            total = total * getattr(settings, f"factor{n}")
        return total + offsets[1]

    run = torch.compile(function, backend="native")._native
    x = torch.ones(3)
    for _ in range(3):
        assert run(x).tolist() == [1.0] * 3
    (specialization,) = run.specializations
    assert specialization._watch is not None
    settings.unrelated = 5
    assert run(x).tolist() == [1.0] * 3
    assert len(run.specializations) == 1
    settings.factor7 = 3.0
    assert run(x).tolist() == [3.0] * 3
    offsets[1] = 2.0
    assert run(x).tolist() == [5.0] * 3
    settings.factor7, offsets[1] = 1.0, 0.0
    assert run(x).tolist() == [1.0] * 3


@pytest.mark.parametrize(
    "decides",
    [
        lambda x: x.sum().item() > 3, lambda x: not bool((x > 2).any()),
        lambda x: float(x.max()) * 2 > 1 + x[1].item(),
        lambda x: int((x > 1).sum()) == 2, lambda x: x[x > 1].numel() == 2, lambda x: bool(x[0]),
    ],
)  # fmt: skip
def test_numbers_that_decide_are_compared_before_anything_is_written(decides):
    def step(x):
        state.add_(x)
        state.mul_(2 if decides(x) else 3)
        return state.sum()

    call, calls = Counted(step), [torch.tensor(v) for v in ([2.0, 3.0], [0.0, 0.5], [2.0, 4.0], [0.0, 1.0])]
    results = []
    for function in (step, call):
        state = torch.ones(2)
        results.append([(function(x).item(), state.tolist(), state._version) for x in calls * 3])
    assert results[0] == results[1]
    assert call.short >= 8 and call.native.eager_because is None
