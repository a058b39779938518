"""``compile(backend="native")``: results and side effects are eager's, guards notice what changes."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import pullback as torch
from pullback import nn
from pullback.distributions import kl

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.usefixtures("in_haste")


def native(function: Any, **options: Any) -> Any:
    return torch.compile(function, backend="native", **options)


def programs(compiled: Any) -> int:
    return len(compiled._native.specializations)


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


def test_a_result_carries_its_pullback():
    def function(x, y):
        return torch.sin(x) * y, (x * y).sum()

    compiled = native(function)
    x, y = torch.randn(5, requires_grad=True), torch.randn(5, requires_grad=True)
    v = torch.randn(5)
    expected = torch.autograd.grad(function(x, y)[0], (x, y), v)
    out, total = compiled(x, y)
    assert type(out.grad_fn).__name__ == "CompiledFunctionBackward"
    for got, want in zip(torch.autograd.grad(out, (x, y), v, retain_graph=True), expected, strict=True):
        torch.testing.assert_close(got, want)
    torch.testing.assert_close(torch.autograd.grad(total, x)[0], y.detach())
    with pytest.raises(RuntimeError, match="second time"):
        total.backward()


def test_double_backward_is_refused():
    x = torch.randn(3, requires_grad=True)
    out = native(lambda x: (x**3).sum())(x)
    with pytest.raises(RuntimeError, match="does not currently support double backward"):
        torch.autograd.grad(out, x, create_graph=True)


def test_data_are_shown_where_backward_reads_the_former_ones_too():
    def function(x):
        return (x * x * x.detach()).sum()

    x, y = torch.full((3,), 2.0, requires_grad=True), torch.full((3,), 2.0, requires_grad=True)
    out, expected = native(function)(x), function(y)
    x.data = torch.full((3,), 5.0)
    y.data = torch.full((3,), 5.0)
    out.backward()
    expected.backward()
    assert x.grad.tolist() == y.grad.tolist()


def test_a_saved_input_written_to_is_noticed():
    x, w = torch.randn(3, requires_grad=True), torch.randn(3)
    out = native(lambda x, w: (x * w).sum())(x, w)
    w.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.backward()


def network() -> Any:
    return nn.Sequential(
        nn.Linear(8, 16), nn.GELU(), nn.BatchNorm1d(16), nn.Dropout(0.2), nn.Linear(16, 5), nn.LayerNorm(5)
    )


def training(model: Any, name: str) -> Any:
    optimizer = getattr(torch.optim, name)(model.parameters(), lr=0.01)

    def step(x, target):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), target)
        loss.backward()
        optimizer.step()
        return loss

    return optimizer, step


@pytest.mark.parametrize(
    "name", ["SGD", "Adam", "AdamW", "Adagrad", "Adamax", "NAdam", "RMSprop", "Adadelta"]
)
def test_training_steps_are_eagers(name):
    model = network()
    twin = copy.deepcopy(model)
    eager_optimizer, eager = training(model, name)
    optimizer, step = training(twin, name)
    compiled = native(step)
    for seed in range(6):
        x, target = torch.randn(6, 8), torch.randint(0, 5, (6,))
        torch.manual_seed(seed)
        expected = eager(x, target)
        drawn = torch.get_rng_state()
        torch.manual_seed(seed)
        loss = compiled(x, target)
        torch.testing.assert_close(loss, expected)
        assert torch.equal(torch.get_rng_state(), drawn)
    assert programs(compiled) == 1
    for got, want in zip(twin.state_dict().values(), model.state_dict().values(), strict=True):
        torch.testing.assert_close(got, want, rtol=1e-5, atol=1e-5)
    for p, q in zip(model.parameters(), twin.parameters(), strict=True):
        torch.testing.assert_close(q.grad, p.grad, rtol=1e-4, atol=1e-5)
        mine, theirs = optimizer.state[q], eager_optimizer.state[p]
        for key in theirs:
            torch.testing.assert_close(mine[key], theirs[key], rtol=1e-4, atol=1e-5)


def test_changes_are_noticed():
    settings = {"scale": 2.0}
    weight = torch.ones(3)

    def function(x):
        return x * settings["scale"] + weight

    compiled = native(function)
    x = torch.arange(3.0)
    assert compiled(x).tolist() == [1, 3, 5]
    settings["scale"] = 3.0
    assert compiled(x).tolist() == [1, 4, 7]
    weight.add_(1)
    assert compiled(x).tolist() == [2, 5, 8]
    assert programs(compiled) == 2
    assert compiled(torch.arange(4.0)[:3].double()).dtype == torch.float64
    with torch.no_grad():
        assert not compiled(x.requires_grad_()).requires_grad
    assert compiled(x).requires_grad


def test_a_learning_rate_changed_between_calls_is_not_stale():
    p = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([p], lr=0.5)

    @torch.compile(backend="native")
    def step():
        optimizer.zero_grad()
        p.sum().backward()
        optimizer.step()

    step()
    assert p.tolist() == [0.5, 0.5]
    optimizer.param_groups[0]["lr"] = 0.25
    step()
    assert p.tolist() == [0.25, 0.25]


def test_training_and_evaluation_are_different_programs():
    model = nn.Sequential(nn.Dropout(0.5), nn.Linear(4, 2))
    compiled = native(model)
    x = torch.randn(3, 4)
    torch.manual_seed(1)
    expected = model(x)
    torch.manual_seed(1)
    torch.testing.assert_close(compiled(x), expected)
    model.eval()
    torch.testing.assert_close(compiled(x), model(x))


def test_gradients_accumulate():
    x = torch.ones(2, requires_grad=True)

    @torch.compile(backend="native")
    def step(x):
        (x * 3).sum().backward()

    for count in range(1, 4):
        step(x)
        assert x.grad.tolist() == [3 * count, 3 * count]
    x.grad = None
    step(x)
    assert x.grad.tolist() == [3, 3]


def test_control_flow_on_numbers_has_a_program_for_each_way():
    def function(x):
        if x.sum() > 0:
            return x + 1
        return x - 1

    compiled = native(function)
    for sign in (1, -1, 1, -1, -1):
        assert compiled(sign * torch.ones(2)).tolist() == [2 * sign, 2 * sign]
    assert len(compiled._native.specializations) == 2
    with pytest.raises(RuntimeError, match=r"decide what happens next \(.*test_compiled\.py:\d+\)"):
        native(function, fullgraph=True)(torch.ones(2))


@pytest.mark.parametrize(
    "draw",
    [
        lambda: torch.rand(3),
        lambda: torch.randn(2, 3).sum(0),
        lambda: torch.randint(2, 9, (3,)).float(),
        lambda: torch.rand_like(torch.zeros(3)),
        lambda: torch.empty(3).uniform_(1, 2),
        lambda: torch.bernoulli(torch.full((3,), 0.5)),
        lambda: nn.functional.dropout(torch.ones(3)),
        lambda: nn.functional.dropout(torch.rand(3) * 2, inplace=True),
        lambda: nn.functional.alpha_dropout(torch.rand(3) * 2, 0.3, True, inplace=True),
        lambda: torch.rand(3) + torch.randn(3) * torch.rand(()),
    ],
)
def test_random_numbers_are_eagers(draw):
    def function(x):
        return x * torch.rand(3) + draw()

    compiled = native(function, fullgraph=True)
    x = torch.randn(3)
    for seed in range(3):
        torch.manual_seed(seed)
        got = compiled(x), torch.rand(1)
        torch.manual_seed(seed)
        torch.testing.assert_close(got, (function(x), torch.rand(1)))
    assert programs(compiled) == 1


@pytest.mark.parametrize(
    "draw",
    [
        lambda x: nn.functional.dropout((x * 2).transpose(0, 2) + 1, 0.3),
        lambda x: torch.rand_like((x @ x.mT).permute(1, 2, 0)),
        lambda x: torch.randn_like(nn.functional.dropout(x.exp().mT, 0.5) * 2),
        lambda x: nn.functional.dropout(x.sin()[:, ::2].transpose(0, 1) * 2, 0.3),
    ],
)
def test_random_numbers_go_to_the_elements_that_eager_gives_them(draw):
    compiled = native(draw, fullgraph=True)
    x = torch.randn(3, 4, 5)
    for seed in range(2):
        torch.manual_seed(seed)
        got = compiled(x)
        torch.manual_seed(seed)
        torch.testing.assert_close(got, draw(x))


def test_a_layer_with_dropout_trains_as_eager_does():
    torch.manual_seed(0)
    layer, x = nn.TransformerEncoderLayer(16, 4, 32, 0.2, batch_first=True), torch.randn(3, 7, 16)

    def step(x):
        return torch.autograd.grad(layer(x).pow(2).sum(), layer.linear1.weight)[0]

    compiled = native(step, fullgraph=True)
    for seed in range(2):
        torch.manual_seed(seed)
        got = compiled(x)
        torch.manual_seed(seed)
        torch.testing.assert_close(got, step(x), rtol=1e-4, atol=1e-5)


def test_detached_tensors_see_what_is_written():
    def function(x):
        y = x * 2
        kept = y.detach()
        y.add_(1)
        return y, kept, kept * 3

    compiled, x = native(function, fullgraph=True), torch.randn(3)
    for _ in range(2):
        y, kept, product = compiled(x)
        torch.testing.assert_close((y, kept, product), function(x))
        assert kept.data_ptr() == y.data_ptr()

    weight = torch.randn(3, requires_grad=True)

    def saved(x):
        kept = weight.detach()
        out = (kept * x.requires_grad_()).sum()
        with torch.no_grad():
            weight.mul_(2)
        out.backward()

    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        native(saved)(torch.ones(3))


def test_gradients_of_samples_update_what_they_are_of():
    def trained(compile):
        torch.manual_seed(0)
        model = nn.Linear(4, 2)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        x, target = torch.randn(5, 4), torch.randint(0, 2, (5,))

        def loss(parameters, x, target):
            out = torch.func.functional_call(model, parameters, (x[None],))
            return nn.functional.cross_entropy(out, target[None])

        def step():
            parameters = {name: p.detach() for name, p in model.named_parameters()}
            each = torch.func.vmap(torch.func.grad(loss), (None, 0, 0))(parameters, x, target)
            for name, p in model.named_parameters():
                p.grad = each[name].mean(0)
            optimizer.step()
            return each["weight"].norm()

        run = native(step, fullgraph=True) if compile else step
        return [run() for _ in range(4)], model.state_dict()

    torch.testing.assert_close(trained(True), trained(False))


@pytest.mark.parametrize("mode", ["sum", "mean"])
def test_bags_of_one_length(mode):
    bag, indices = nn.EmbeddingBag(7, 3, mode=mode), torch.randint(0, 7, (4, 5))
    scale = torch.randn(4, 5) if mode == "sum" else None

    def step(indices):
        return torch.autograd.grad(bag(indices, per_sample_weights=scale).sin().sum(), bag.weight)[0]

    compiled = native(step, fullgraph=True)
    for _ in range(2):
        torch.testing.assert_close(compiled(indices), step(indices))
    with pytest.raises(RuntimeError, match="which is not in the valid range"):
        compiled(indices + 5)


def test_results_are_written_into_out():
    kept, x = torch.zeros(4, 6), torch.randn(4, 6)

    def function(x):
        torch.add(x, 1, out=kept)
        return torch.mul(kept, x, out=torch.empty(4, 6)).sum()

    compiled = native(function, fullgraph=True)
    for n in range(2):
        torch.testing.assert_close(compiled(x + n), ((x + n + 1) * (x + n)).sum())
        torch.testing.assert_close(kept, x + n + 1)


def test_a_normed_weight_trains_as_eager_does():
    def trained(compile):
        torch.manual_seed(0)
        layer = nn.utils.parametrizations.spectral_norm(nn.Linear(6, 5))
        optimizer = torch.optim.SGD(layer.parameters(), 0.1)

        def step(x):
            optimizer.zero_grad()
            loss = layer(x).pow(2).sum()
            loss.backward()
            optimizer.step()
            return loss

        run = native(step, fullgraph=True) if compile else step
        losses = [run(torch.full((3, 6), 0.1 * n)) for n in range(4)]
        return losses, layer.state_dict()

    torch.testing.assert_close(trained(True), trained(False), rtol=1e-4, atol=1e-5)


def test_distributions_check_what_is_known():
    def function(logits, choice):
        policy = torch.distributions.Categorical(logits=logits)
        return policy.log_prob(choice) + policy.entropy()

    logits, choice = torch.randn(5, 3), torch.randint(0, 3, (5,))
    torch.testing.assert_close(native(function, fullgraph=True)(logits, choice), function(logits, choice))
    known = torch.distributions.Normal(torch.zeros(3), torch.ones(3))
    with pytest.raises(ValueError, match="The value argument to log_prob must be a Tensor"):
        native(lambda x: known.log_prob(1.0) + x, fullgraph=True)(logits)
    with pytest.raises(ValueError, match="Expected parameter scale"):
        native(lambda x: torch.distributions.Normal(x, -torch.ones(3)).mean, fullgraph=True)(logits)


def test_a_registered_divergence_compiles_once() -> None:
    # What other tests asked for is known.
    kl._KL_MEMOIZE.clear()

    def function(x: Any) -> Any:
        return kl.kl_divergence(torch.distributions.Normal(x, 1.0), torch.distributions.Normal(0.0, 1.0))

    compiled, x = native(function, fullgraph=True), torch.randn(5)
    for _ in range(2):
        torch.testing.assert_close(compiled(x), function(x))
    assert programs(compiled) == 1


class Registry(dict):
    """Has methods of its own by names of a dict's."""

    def get(self, key):
        return self[key] * 2

    def __getitem__(self, key):
        return super().__getitem__(key) + 1


def test_dicts_with_methods_of_their_own_are_read_as_they_are():
    registry = Registry(factor=3.0)
    compiled = native(lambda x: x * registry["factor"], fullgraph=True)
    for _ in range(3):
        assert compiled(torch.ones(2)).tolist() == [4, 4]
    assert programs(compiled) == 1
    registry["factor"] = 4.0
    assert compiled(torch.ones(2)).tolist() == [5, 5]


class Layer:
    def __init__(self, keys):
        self.keys, self.is_full = keys, False


class Cache:
    def __init__(self, *keys):
        self.layers, self.config = [Layer(k) for k in keys], CONFIG


CONFIG = Layer(None)


def test_a_function_returns_objects_that_it_made():
    x = torch.randn(3, requires_grad=True)
    compiled = native(lambda x: {"out": x * 2, "cache": Cache(x + 1, x.exp())}, fullgraph=True)
    caches = []
    for n in range(3):
        found = compiled(x + n)["cache"]
        assert type(found) is Cache and found.config is CONFIG and not found.layers[0].is_full
        for layer, want in zip(found.layers, (x + n + 1, (x + n).exp()), strict=True):
            torch.testing.assert_close(layer.keys, want)
        found.layers[1].keys.sum().backward()
        caches.append(found)
    assert len({id(c.layers[0]) for c in caches}) == 3
    torch.testing.assert_close(x.grad, sum((x + n).exp() for n in range(3)).detach())


def test_objects_that_others_hold_are_not_made_anew():
    kept = Cache(torch.zeros(3))

    assert native(lambda x: (x + kept.layers[0].keys, kept))(torch.ones(3))[1] is kept
    compiled = native(lambda x: [Cache(x)] * 2, fullgraph=True)
    first, second = compiled(torch.ones(3))
    assert first is second and compiled(torch.ones(3))[0] is not first


def test_a_function_that_looks_at_what_it_adds_is_one_program():
    calls: list[int] = []

    def function(x):
        calls.append(1)
        return x + len(calls)

    compiled = native(function)
    assert [compiled(torch.zeros(1)).item() for _ in range(12)] == list(range(1, 13))
    assert len(calls) == 12
    assert len(compiled._native.specializations) == 2
