"""The engine: long chains, freeing, sharing between threads, accumulation."""

from __future__ import annotations

import gc
import threading
import tracemalloc
import weakref

import numpy as np
import pytest

import pullback as torch
from pullback.core.node import AccumulateGrad


@pytest.fixture
def no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def leaf(values, dtype=torch.float64):
    return torch.tensor(values, dtype=dtype, requires_grad=True)


def chain(x, length):
    y = x
    for _ in range(length):
        y = y * 1.0
    return y


def test_many_nodes_without_recursion():
    x = leaf(2.0)
    y = chain(x, 250_000)
    y.backward()
    assert x.grad.item() == 1.0
    del y


def test_steps_are_linear_in_the_length(monkeypatch):
    from pullback.core import engine

    counts = []
    monkeypatch.setattr(engine.large, "backward_loop", lambda: None)
    for length in (1_000, 2_000, 4_000):
        pushes = [0]
        push = engine.heappush

        def counted(heap, item, pushes=pushes, push=push):
            pushes[0] += 1
            assert len(heap) <= 1
            push(heap, item)

        monkeypatch.setattr(engine, "heappush", counted)
        chain(leaf(1.0), length).backward()
        monkeypatch.setattr(engine, "heappush", push)
        counts.append(pushes[0])
    assert counts[1] - counts[0] == 1_000
    assert counts[2] - counts[1] == 2_000


def test_a_node_is_small():
    x = leaf(1.0)
    y = chain(x, 10)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    y = chain(y, 10_000)
    per_node = (tracemalloc.get_traced_memory()[0] - before) / 10_000
    tracemalloc.stop()
    arrays = np.empty(()).nbytes
    assert per_node - arrays <= 400


def test_graph_is_freed_by_reference_counting(no_collector):
    kinds = ["MulBackward0", "ExpBackward0"]

    def count() -> int:
        return len([o for o in gc.get_objects() if type(o).__name__ in kinds])

    others = count()
    x = leaf([1.0, 2.0])
    y = (x * x).exp()
    assert [type(n).__name__ for n in (y.grad_fn.next_functions[0][0], y.grad_fn)] == kinds
    assert count() == others + 2
    del y
    assert count() == others


def test_saved_outputs_make_no_cycle(no_collector):
    x = leaf([1.0, 2.0])
    y = x.exp()
    gone = weakref.ref(y)
    del y
    assert gone() is None


def test_leaf_goes_with_its_graph(no_collector):
    x = leaf([1.0])
    y = x * 2
    gone = weakref.ref(x)
    del x
    assert gone() is not None
    del y
    assert gone() is None


def test_create_graph_leaks_nothing(no_collector):
    x = leaf([1.0, 2.0])
    y = (x * x * x).sum()
    gone = weakref.ref(y)
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    gone_g = weakref.ref(g)
    g.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [6.0, 12.0])
    del y, g
    assert gone() is None
    assert gone_g() is None


@pytest.mark.filterwarnings("ignore:Using backward.. with create_graph=True")
def test_backward_with_create_graph_is_freed_with_the_grad(no_collector):
    x = leaf([1.0, 2.0])
    y = (x * x).sum()
    y.backward(create_graph=True)
    assert x.grad.grad_fn is not None
    gone = weakref.ref(x.grad)
    del y
    x.grad = None
    assert gone() is None


def test_accumulator_is_shared_within_a_graph():
    x = leaf([1.0])
    y = x * x
    (a, _), (b, _) = y.grad_fn.next_functions
    assert a is b
    assert isinstance(a, AccumulateGrad)
    assert a.variable is x


def test_grad_accumulates_in_place_and_is_the_leafs_own():
    x = leaf([1.0, 2.0])
    v = torch.tensor([1.0, 1.0], dtype=torch.float64)
    (x + 0).backward(v)
    first = x.grad
    (x + 0).backward(v)
    assert x.grad is first
    np.testing.assert_array_equal(first.numpy(), [2.0, 2.0])
    np.testing.assert_array_equal(v.numpy(), [1.0, 1.0])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_covectors_of_0d_tensors_meet_users_as_tensors(dtype):
    x = torch.tensor(0.5, dtype=dtype, requires_grad=True)
    seen = []
    for _ in range(2):
        y = x * x
        z = torch.tanh(y + x)
        z.register_hook(seen.append)
        y.retain_grad()
        (z.sin() / x).backward()
    for g in (*seen, y.grad, x.grad):
        assert type(g) is torch.Tensor and g.shape == () and g.dtype == dtype
    assert isinstance(x.grad.numpy(), np.ndarray)
    values = x.detach().numpy().reshape(1).astype(np.float64)
    t = np.tanh(values * values + values)
    slope = np.cos(t) * (1 - t * t) / values
    np.testing.assert_allclose(seen[0].numpy(), (np.cos(t) / values)[0], rtol=1e-6)
    np.testing.assert_allclose(y.grad.numpy(), slope[0], rtol=1e-6)
    expected = 2 * (slope * (2 * values + 1) - np.sin(t) / values**2)
    np.testing.assert_allclose(x.grad.numpy(), expected[0], rtol=5e-6)  # two terms nearly cancel


def test_a_0d_gradient_accumulates_in_place_where_another_leaf_fails():
    x = torch.tensor(0.5, requires_grad=True)
    x.grad = held = torch.tensor(1.0)

    class Fails(torch.autograd.Function):
        @staticmethod
        def forward(ctx, value):
            return value.clone()

        @staticmethod
        def backward(ctx, g):
            raise ValueError("here")

    other = torch.tensor(2.0, requires_grad=True)
    older = Fails.apply(other)
    with pytest.raises(ValueError, match="here"):
        (older * torch.tanh(x)).backward()
    assert x.grad is held
    np.testing.assert_allclose(held.item(), 1 + 2 * (1 - np.tanh(0.5) ** 2), rtol=1e-6)


def test_leaves_do_not_share_a_gradient():
    a, b = leaf([1.0]), leaf([2.0])
    (a + b).backward(torch.tensor([1.0], dtype=torch.float64))
    a.grad.add_(5)
    assert b.grad.item() == 1.0


def test_threads_on_separate_graphs():
    xs = [leaf(np.arange(50.0)) for _ in range(4)]

    def work(x):
        for _ in range(50):
            (x * x).sum().backward()

    threads = [threading.Thread(target=work, args=(x,)) for x in xs]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for x in xs:
        np.testing.assert_allclose(x.grad.numpy(), 50 * 2 * np.arange(50.0))


def test_threads_on_a_shared_graph_lose_nothing():
    x = leaf(np.ones(1000))
    h = x * 3
    rounds, workers = 40, 4

    def work():
        for _ in range(rounds):
            (h * 2).sum().backward(retain_graph=True)

    threads = [threading.Thread(target=work) for _ in range(workers)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    np.testing.assert_allclose(x.grad.numpy(), 6.0 * rounds * workers)


def test_modes_are_per_thread():
    seen = []
    with torch.no_grad():
        thread = threading.Thread(target=lambda: seen.append(torch.is_grad_enabled()))
        thread.start()
        thread.join()
        assert not torch.is_grad_enabled()
    assert seen == [True]


@pytest.mark.parametrize("shape", [(4,), (2, 3)])
def test_a_broadcast_covector_accumulates(shape):
    x = leaf(1.0)
    v = np.arange(1.0, 1.0 + int(np.prod(shape))).reshape(shape)
    (x**2).backward(torch.tensor(v))
    assert x.grad.item() == 2 * v.sum()


def test_a_batch_of_covectors_accumulates():
    x = leaf([1.0, 2.0])
    v = torch.tensor([[1.0, 10.0], [100.0, 1000.0]], dtype=torch.float64)
    (3 * x**2).backward(v)
    np.testing.assert_allclose(x.grad.numpy(), [6 * 101.0, 12 * 1010.0])


def test_a_leaf_that_is_asked_for_twice_gets_its_gradient_once():
    x = leaf([1.0, 2.0])
    torch.autograd.backward([3 * x, x], [torch.ones(2)] * 2, inputs=[x, x])
    assert x.grad.tolist() == [4.0, 4.0]


def test_a_gradient_of_what_a_wider_operand_was_written_into_is_of_its_dtype():
    wide = torch.tensor([2.0, 3.0], dtype=torch.float64)
    x = leaf([1.0, 2.0], torch.float32)
    y = (x * 1).mul_(wide)
    seen = []
    y.register_hook(lambda g: seen.append(g.dtype))
    (captured,) = torch.autograd.grad((y * wide).sum(), y, retain_graph=True)
    y.retain_grad()
    (y * wide).sum().backward()
    assert {captured.dtype, y.grad.dtype, x.grad.dtype, *seen} == {torch.float32}
    assert x.grad.tolist() == [4.0, 9.0]


def test_a_covector_of_another_shape_names_both():
    y = leaf([1.0, 2.0]) * 2
    with pytest.raises(RuntimeError, match="Mismatch in shape") as caught:
        y.backward(torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64))
    assert "[3]" in str(caught.value)
    assert "[2]" in str(caught.value)
    assert any("vᵀ·J" in note for note in caught.value.__notes__)


def test_warnings_as_errors_do_not_reach_the_user():
    import warnings

    x = leaf([0.0, 1.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        y = x.log() / x.detach()
        y.backward(torch.tensor([1.0, 1.0], dtype=torch.float64))
    assert np.isneginf(y.detach().numpy()[0])
    assert np.isinf(x.grad.numpy()[0])


def test_an_error_leaves_ready_leaves_filled():
    x, w = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    early = w * 1  # the leaf's accumulator is the oldest node
    failing = x * 2

    def fail(g):
        raise ValueError("hook")

    failing.register_hook(fail)
    with pytest.raises(ValueError, match="hook"):
        torch.autograd.backward([failing, w.exp()], [torch.ones(2, dtype=torch.float64)] * 2)
    assert w.grad.tolist() == w.detach().exp().tolist()
    assert x.grad is None
    with pytest.raises(ValueError, match="hook"):
        torch.autograd.backward([failing, failing * early], [torch.ones(2, dtype=torch.float64)] * 2)
    assert w.grad.tolist() == w.detach().exp().tolist()


def test_a_leaf_that_no_longer_requires_grad_is_not_filled():
    x = leaf([1.0, 2.0])
    y = x * 2
    x.requires_grad_(False)
    y.sum().backward()
    assert x.grad is None


def test_leaves_run_as_soon_as_nothing_more_arrives():
    # torch's order, in a step whose graph is younger than the ends of the leaves, too.
    weights, called = [leaf([1.0]) for _ in range(3)], []
    for k, w in enumerate(weights):
        w.register_post_accumulate_grad_hook(lambda _, k=k: called.append(k))
    for _ in range(2):
        first = weights[0] * weights[1]
        first.register_hook(lambda _: called.append("first"))
        second = first * weights[2]
        second.register_hook(lambda _: called.append("second"))
        loss = (second * weights[0]).sum()
        loss.backward()
    assert called == ["second", 2, "first", 0, 1] * 2


def test_a_leaf_that_awaits_what_never_arrives_runs_at_last():
    w, called = leaf([1.0, 2.0]), []
    w.register_post_accumulate_grad_hook(lambda w: called.append(w.grad.tolist()))
    halves = w.split(1)
    loss = (halves[0] * 2).sum() + (w * (w.detach() > 5).sign()).sum()
    loss.backward()
    assert called == [[2.0, 0.0]]


@pytest.mark.parametrize("in_backward", [False, True], ids=["accumulated", "stepped in a hook"])
def test_new_gradients_do_not_wait_for_one_another(in_backward):
    # A micro-batch is added layer by layer, though the loss of the one before holds its graph.
    layers = [torch.nn.Linear(256, 256, bias=False) for _ in range(12)]
    if in_backward:
        for layer in layers:
            layer.weight.register_post_accumulate_grad_hook(lambda w: setattr(w, "grad", None))
    loss, x, grown = None, torch.ones(2, 256), []
    tracemalloc.start()
    try:
        for _ in range(4):
            h = x
            for layer in layers:
                h = layer(h)
            loss = h.sum()
            before = tracemalloc.get_traced_memory()[0]
            tracemalloc.reset_peak()
            loss.backward()
            grown.append(tracemalloc.get_traced_memory()[1] - before)
    finally:
        tracemalloc.stop()
    # One of the passes may import what compiles kernels, which takes as much.
    assert sorted(grown[1:])[1] < 4 * 256 * 256 * 4


def test_a_tensor_that_is_named_twice_has_one_gradient():
    x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    first, other, again = torch.autograd.grad((x * y).sum(), [x, y, x])
    assert first is again
    assert first is not other
