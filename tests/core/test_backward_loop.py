"""The engine's native loop (`compiler.eager_kernels.backward_loop`) does what the loop in Python does."""

from __future__ import annotations

import gc
import sys
import threading
import weakref

import numpy as np
import pytest

import pullback as torch
from pullback.array import large
from pullback.core import backward_task, blame, engine
from pullback.core.op import TABLE, op

F = torch.nn.functional


def loop_of_its_own(monkeypatch, calls):
    """Return a native loop that knows no rule yet, and makes those native that were called so often."""
    from pullback.compiler.eager_kernels.backward_loop import loop
    from pullback.compiler.eager_kernels.inline_cache.known_rules import KnownRules

    monkeypatch.setattr(loop, "_CALLS", calls)
    chains = large.chains()
    return loop.BackwardLoop(chains.call, KnownRules(chains.inline_caches))


@pytest.fixture
def native(monkeypatch, price):
    """Return what turns the native loop off and on, which is on in the test."""
    if not large.is_there():
        pytest.skip("needs llvmlite")
    price(0)
    own = loop_of_its_own(monkeypatch, 1)
    found = own.run
    assert found is not None
    calls, on_call = [], "ran"

    def turn(on, loop=found):
        def counted(*arguments):
            calls.append(on_call)
            return loop(*arguments)

        monkeypatch.setattr(engine.large, "backward_loop", lambda: counted if on else None)
        return calls

    turn(True)
    yield turn
    assert calls


def leaf(*shape, dtype=torch.float32, seed=0):
    values = np.random.default_rng(seed + sum(shape)).standard_normal(shape)
    return torch.tensor(values.tolist(), dtype=dtype).requires_grad_()


def mlp(x, w1, b1, w2, b2):
    y = F.linear(torch.relu(F.linear(x, w1, b1)), w2, b2)
    return F.smooth_l1_loss(y, torch.zeros(6, 3, dtype=x.dtype))


def coupling(x, w, s):
    a, b = x.chunk(2, -1)
    a = a * torch.exp(torch.tanh(a * w + b @ s)) - b / 1.5
    return (torch.cat([a, b], -1) ** 2).sum(-1).mean()


def distances(x, y):
    d = (x[:, None] - y[None]).pow(2).sum(-1)
    return (torch.sigmoid(-d).log() + (d + 1).sqrt()).mean() + x.norm() + torch.where(d > 1, d, d * d).sum()


def norms(x, w, b):
    y = F.layer_norm(x, (8,), w, b).reshape(2, 3, 8).transpose(1, 2)
    return F.cross_entropy(F.gelu(y.flatten(1)), torch.tensor([1, 5])) + x.T.contiguous().abs().sum()


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, g):
        return 2 * g


def hooked(x, y):
    z = Double.apply(x * y) + x
    z.register_hook(lambda g: g * 3)
    return (z * torch.maximum(x, y)).sum()


PROGRAMS = [
    (mlp, [(6, 4), (5, 4), (5,), (3, 5), (3,)]), (coupling, [(7, 8), (4,), (4, 4)]),
    (distances, [(5, 3), (6, 3)]), (norms, [(6, 8), (8,), (8,)]), (hooked, [(4, 4), (4, 4)]),
]  # fmt: skip


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize(("program", "shapes"), PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_gradients_have_the_same_bits_and_strides(native, program, shapes, dtype):
    found = []
    for on in (False, True):
        native(on)
        leaves = [leaf(*shape, dtype=dtype, seed=k) for k, shape in enumerate(shapes)]
        result = program(*leaves)
        (captured,) = torch.autograd.grad(result, leaves[:1], retain_graph=True)
        result.backward(retain_graph=True)
        first = [v.grad.clone() for v in leaves]
        result.backward()
        grads = [captured, *first, *(v.grad for v in leaves)]
        found.append([(g.stride(), g.detach().numpy().tobytes()) for g in grads])
    assert found[0] == found[1]


def described(tensors):
    """Return bits and strides of tensors, and the classes, edges and lines of the nodes behind them."""
    stack, numbers, told = [t.grad_fn for t in tensors], {}, []
    while stack:
        node = stack.pop()
        if node is None or node in numbers:
            continue
        numbers[node] = len(numbers)
        behind = [(edge, index) for edge, index in node.next_functions]
        line = None if node.name().endswith("AccumulateGrad") else blame.place_of(node)
        told.append((node.name(), line, [(edge and edge.name(), index) for edge, index in behind]))
        stack += [edge for edge, _ in behind]
    return [(t.stride(), t.detach().numpy().tobytes()) for t in tensors], told


@pytest.mark.parametrize(("program", "shapes"), PROGRAMS[:2], ids=lambda v: getattr(v, "__name__", ""))
def test_recorded_passes_leave_the_same_graph(monkeypatch, price, program, shapes):
    if not large.is_there():
        pytest.skip("needs llvmlite")
    leaves = [leaf(*shape, seed=k) for k, shape in enumerate(shapes)]

    def told():
        first = torch.autograd.grad(program(*leaves), leaves, create_graph=True)
        second = torch.autograd.grad(sum((g * g).sum() for g in first), leaves)
        return described(first), described(second)

    with monkeypatch.context() as patch:
        patch.setattr(engine.large, "backward_loop", lambda: None)
        expected = told()
    price(0)
    assert told() == expected
    for _ in range(110):  # by then the pullbacks have plans
        torch.autograd.grad(program(*leaves), leaves, create_graph=True)
    assert told() == expected


def test_only_what_is_asked_for_is_pulled_back(native):
    ran = []
    product = op(
        "product_of_the_test", lambda x, y, /: x * y,
        (lambda g, y: ran.append("x") or g * y, lambda g, x: ran.append("y") or g * x),
    )  # fmt: skip
    try:
        x, w = leaf(3), leaf(3, seed=1)
        for recorded in (False, True):
            (g,) = torch.autograd.grad(product(product(x, w), w).sum(), x, create_graph=recorded)
            assert torch.allclose(g, w * w)
            assert set(ran) == {"x"}
        (h,) = torch.autograd.grad(g.sum(), w)
        assert torch.allclose(h, 2 * w)
    finally:
        del TABLE["product_of_the_test"]


@pytest.mark.parametrize(("program", "shapes"), PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_the_nodes_that_lead_to_what_is_asked_for_are_the_same(native, monkeypatch, program, shapes):
    select = loop_of_its_own(monkeypatch, 1).select
    leaves = [leaf(*shape, seed=k) for k, shape in enumerate(shapes)]
    result = program(*leaves)
    root = result.grad_fn
    monkeypatch.setattr(engine.large, "select", None)
    nodes = sorted(backward_task.nodes_behind([root]), key=backward_task.AGE)
    for places in [*([k] for k in range(len(nodes))), [0, 2], [1, len(nodes) // 2], [0, len(nodes) - 1]]:
        targets = {nodes[k]: None for k in places}
        expected = backward_task.needed_nodes([root], targets)
        assert select([root], targets) == expected
    stranger = (leaf(2) * 2).grad_fn
    assert select([root], {stranger: None}) == set()
    result.backward()


def test_what_is_asked_for_at_leaves_is_taken_in_native_code(native, monkeypatch):
    arrived = []
    arrive = engine.Backward.arrive
    monkeypatch.setattr(
        engine.Backward, "arrive", lambda self, node, g: arrived.append(node) or arrive(self, node, g)
    )
    found = []
    for on in (False, True):
        native(on)
        del arrived[:]
        x, y, z = leaf(3, 4), leaf(3, 4, seed=1), leaf(3, 4, seed=2)
        middle = x * y
        result = (middle.tanh() + x).sum()
        a = torch.autograd.grad(result, (y, x, middle, x), retain_graph=True)
        b = torch.autograd.grad(result, (z, y), retain_graph=True, allow_unused=True)
        (c,) = torch.autograd.grad(result, middle)
        assert a[1] is a[3]
        assert b[0] is None
        found.append([g.numpy().tobytes() for g in (*a, b[1], c)])
        # Of the leaves none needs Python, nor does an inner place behind which nothing else is asked for.
        assert len(arrived) == (1 if on else 5)
    assert found[0] == found[1]


def test_what_a_leaf_keeps_is_its_own(native):
    x, y = leaf(3, 4), leaf(3, 4, seed=1)
    g = torch.ones(3, 4)
    (x + y).backward(g)
    weight = leaf(5, 4)
    F.linear(x, weight).sum().backward()
    kept = (z := (x.detach() * weight[:3])).backward(g, retain_graph=True)
    assert kept is None
    grads = [x.grad, y.grad, weight.grad]
    memory = [v._value for v in (g, x, y, weight, z)]
    for k, one in enumerate(grads):
        assert not any(np.shares_memory(one._value, other._value) for other in grads[k + 1 :])
        assert not any(np.shares_memory(one._value, other) for other in memory)
        one.zero_()
    assert g.sum() == 12


def test_a_saved_array_that_the_graph_keeps_is_copied(native):
    x, c = leaf(2, 2), torch.ones(2, 2)
    y = (x * c).sum()
    y.backward(retain_graph=True)
    x.grad.mul_(5)
    y.backward()
    assert c.tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert x.grad.tolist() == [[6.0, 6.0], [6.0, 6.0]]


def test_gradients_can_be_written_to(native):
    x, w = leaf(3, 4), leaf(4)
    (x.expand(3, 4) * 1.0).sum().backward()
    (w.expand(4) + w.reshape(4)).backward(torch.ones(4).expand(4))
    for v in (x, w):
        assert v.grad._value.flags.writeable
        v.grad.zero_()


def message(call):
    with pytest.raises(RuntimeError) as caught:
        call()
    return str(caught.value), getattr(caught.value, "__notes__", [])


def test_errors_are_the_same(native):
    def changed():
        x = leaf(3)
        y = x.exp()
        z = y.tanh() * 2
        y.add_(1)
        z.sum().backward()

    def changed_before_a_recorded_pass():
        x = leaf(3)
        y = x.exp()
        z = (y.tanh() * y).sum()
        y.add_(1)
        torch.autograd.grad(z, x, create_graph=True)

    def freed():
        y = leaf(3).exp().sum()
        y.backward()
        y.backward()

    def underivable():
        x = leaf(3)
        (torch.heaviside(x, x) * x).sum().backward()

    for failing in (changed, changed_before_a_recorded_pass, freed, underivable):
        texts = []
        for on in (False, True):
            native(on)
            texts.append(message(failing))
        assert texts[0] == texts[1]


def test_an_op_without_a_derivative_is_found(native):
    x = torch.ones(3, requires_grad=True)
    made = sys._getframe().f_lineno + 1
    y = torch.heaviside(x, torch.zeros(3)).sum()
    with pytest.raises(RuntimeError, match="derivative for aten::heaviside") as caught:
        y.backward()
    assert torch.explain.why_error(caught.value).place.line == made


def test_a_failure_leaves_ready_leaves_filled(native):
    x, w = leaf(3), leaf(3, seed=1)

    class Failing(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            raise ValueError("mine")

    y = Failing.apply(x * 2) * 3
    with pytest.raises(ValueError, match="mine"):
        torch.autograd.backward([y, w.exp()], [torch.ones(3)] * 2)
    assert w.grad.tolist() == w.detach().exp().tolist()
    assert x.grad is None


def test_nothing_is_kept_and_nothing_freed_twice(native):
    marks = [None, True, False, torch.Tensor, np.ndarray, engine.AccumulateGrad]
    counts = []
    for _ in range(3):
        for _ in range(20):
            x, w, b = leaf(6, 4), leaf(5, 4), leaf(5)
            y = torch.relu(F.linear(x, w, b)).tanh()
            array = weakref.ref(y._value)
            (y * y + y).sum().backward()
            del y
            assert array() is None
            held = sys.getrefcount(w.grad._value)
            assert held == 2
        gc.collect()  # cycles of earlier tests hold the marks, too
        counts.append([sys.getrefcount(mark) for mark in marks])
    assert all(abs(a - b) < 15 for a, b in zip(counts[1], counts[2], strict=True)), counts


def test_threads_on_shared_leaves_lose_nothing(native):
    x = leaf(4, 4)
    threads = [
        threading.Thread(target=lambda: [(x * 2.0).sum().backward() for _ in range(50)]) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert x.grad.tolist() == [[400.0] * 4] * 4


def chosen(x, w):
    """Call functions whose rules are loops that may be known, and some that look at elements."""
    image = x.reshape(1, 2, 6, 6)
    y = F.max_pool2d(image, 2).sum() + F.avg_pool2d(image, 2).std()
    y = y + F.conv2d(image, w).logsumexp((2, 3)).sum() + F.group_norm(image, 2).prod()
    rows = x.reshape(9, 8)
    y = y + F.layer_norm(rows, (8,))[1:].amax(1).sum() + torch.cdist(rows, rows[:3]).sum()
    y = y + rows.index_select(1, torch.tensor([3, 0])).cumsum(0).roll(1).sum() + torch.pdist(rows).sum()
    y = y + rows.gather(1, torch.tensor([[7], [2]])).sum()
    weights, state = w.reshape(-1), torch.zeros(1, 4, 1)
    weights = [weights[:24].reshape(4, 6), weights[24:28].reshape(4, 1)]
    options = (False, 1, 0.0, True, False, False)
    states, last, _ = torch.lstm(x.reshape(3, 4, 6), (state, state), weights, *options)
    y = y + (states * states).sum() + last.sum()
    return y + rows.sort()[0].take(torch.tensor([1, 1])).sum()


def test_a_rule_becomes_native_when_it_has_been_called_often(native, monkeypatch):
    loop, made = loop_of_its_own(monkeypatch, 3), []
    small = type(loop)._small
    monkeypatch.setattr(type(loop), "_small", lambda *given: made.append(small(*given)) or made[-1])
    native(True, loop.run)
    counts, x = [], leaf(4)
    for _ in range(5):
        torch.tanh(x).sum().backward()
        counts.append(len(made))
    assert counts == [0, 0, 1, 1, 1]
    assert made[0] is not None


def test_known_rules_give_the_same_bits(native, monkeypatch):
    from pullback.compiler.eager_kernels.inline_cache import known_rules

    loop = loop_of_its_own(monkeypatch, 1)
    monkeypatch.setattr(known_rules, "_CALLS", 2)
    added, tell = [], known_rules._KnownRule._tell
    monkeypatch.setattr(
        known_rules._KnownRule, "_tell", lambda rule, *rest: added.append(rule) or tell(rule, *rest)
    )
    numbers = [[leaf(72, seed=k).detach(), leaf(3, 2, 3, 3, seed=k).detach()] for k in range(3)]
    numbers.append([torch.ones(72), torch.zeros(3, 2, 3, 3)])
    numbers.append([torch.full((72,), float("nan")), torch.full((3, 2, 3, 3), float("inf"))])

    def told(on):
        native(on, loop.run)
        found = []
        for _ in range(3 if on else 1):
            for given in numbers:
                leaves = [v.clone().requires_grad_() for v in given]
                grads = torch.autograd.grad(chosen(*leaves), leaves)
                found.append([(g.stride(), g.numpy().tobytes()) for g in grads])
        return found

    expected = told(False)
    found = told(True)
    assert found == expected * 3
    assert len({*map(id, added)}) > 8


def rows_of(values):
    """Return gradients of ops with several results of one rule, of which some or all are used."""
    x = values.clone().requires_grad_()
    several = [
        torch.std_mean(x), torch.var_mean(x, 1), torch.aminmax(x), torch.linalg.qr(x), torch.linalg.svd(x),
        torch.linalg.slogdet(x[:4]), torch.linalg.eigh(x[:4] @ x[:4].T),
    ]  # fmt: skip
    found = []
    for used in [*several, *(parts[-1:] for parts in several)]:
        found += torch.autograd.grad(used, x, [torch.ones_like(t) for t in used], retain_graph=True)
    return found


def test_rules_of_several_results_become_known(native, monkeypatch):
    from pullback.compiler.eager_kernels.inline_cache import known_rules

    loop = loop_of_its_own(monkeypatch, 1)
    monkeypatch.setattr(known_rules, "_CALLS", 2)
    names, joint = [], type(loop)._joint
    monkeypatch.setattr(
        type(loop), "_joint", lambda self, op, *rest: names.append(op.name) or joint(self, op, *rest)
    )
    numbers = [leaf(6, 4, seed=k).detach() for k in range(3)] + [torch.ones(6, 4)]
    native(False)
    expected = [[g.numpy().tobytes() for g in rows_of(v)] for v in numbers]
    native(True, loop.run)
    for _ in range(4):
        assert [[g.numpy().tobytes() for g in rows_of(v)] for v in numbers] == expected
    assert {"std_mean", "var_mean", "aminmax", "linalg_qr", "linalg_svd"} <= {*names}


def resampled_and_transformed(values):
    """Return gradients of ops that are known by complex covectors, and of maps along a later axis."""
    x = values.clone().requires_grad_()
    y = torch.fft.rfft2(x)
    z = torch.fft.ifft(torch.complex(x, x * 2) * y[:1, :1].conj())
    return torch.autograd.grad(F.interpolate(x[None, None], scale_factor=2).square().sum() + z.abs().sum(), x)


def test_rules_of_complex_covectors_become_known(native, monkeypatch):
    from pullback.compiler.eager_kernels.inline_cache import known_rules

    loop = loop_of_its_own(monkeypatch, 1)
    monkeypatch.setattr(known_rules, "_CALLS", 2)
    added, tell = [], known_rules._KnownRule._tell
    monkeypatch.setattr(
        known_rules._KnownRule, "_tell", lambda rule, *rest: added.append(rule._rule) or tell(rule, *rest)
    )
    numbers = [leaf(6, 4, seed=k).detach() for k in range(4)]
    native(False)
    expected = [[g.numpy().tobytes() for g in resampled_and_transformed(v)] for v in numbers]
    native(True, loop.run)
    for _ in range(4):
        assert [[g.numpy().tobytes() for g in resampled_and_transformed(v)] for v in numbers] == expected
    wanted = {"fft_r2c", "fft_c2c", "UpsampleNearest2D"}
    assert {name for name in wanted if not {*TABLE[name].rules}.isdisjoint(added)} == wanted
