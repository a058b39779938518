"""Random draws of a compiled program are filled together, with eager's numbers and eager's stream behind."""

from __future__ import annotations

from typing import Any

import pytest

import pullback as torch

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.usefixtures("in_haste")

F = torch.nn.functional


def _many_sizes(x: Any) -> Any:
    return [torch.randn(n) * x[0] for n in (1, 15, 16, 17, 31, 64, 255, 700, 1300)]


def _many_sizes_in_float64(x: Any) -> Any:
    return [torch.randn(n, dtype=torch.float64) * x[0] for n in (3, 16, 31, 64, 700)]


def _kinds(x: Any) -> Any:
    noise = torch.rand(5, 7), torch.rand(()), torch.empty(40).normal_(2.0, 0.5), torch.rand(700)
    trials = F.dropout(x, 0.3), F.dropout(x.expand(100, -1), 0.9), torch.empty(33).bernoulli_(0.25)
    return [v * x[0] for v in (*noise, *trials)]


def _others_between(x: Any) -> Any:
    drawn = torch.randn(32), torch.randint(9, (20,)), torch.randperm(9), torch.rand(20).double()
    more = torch.randint(-3, 5, (7, 3)), torch.randint(1 << 30, (5,))
    last = torch.rand(9, dtype=torch.float64), torch.rand(8), torch.randn(3)
    return [v * x[0] for v in (*drawn, *more, *last)]


def _in_other_order(x: Any) -> Any:
    wide = x[:, None].expand(-1, 40) * torch.arange(40.0)
    return F.dropout(wide.t(), 0.5), torch.randn_like(wide.t())


def _like_gradients(x: Any) -> Any:
    # A gradient lies as its leaf, in another order than what it is computed of.
    leaf = torch.ones(5, 11).t().requires_grad_()
    (leaf * x[:, None].expand(-1, 5).contiguous()).sum().backward()
    first = F.dropout(leaf.grad, 0.5)
    with torch.no_grad():
        leaf.grad.add_(torch.rand(11, 5))
    return [first, torch.rand_like(leaf.grad), torch.rand_like(leaf.grad.t()), leaf.grad.normal_()]


def _behind_products(x: Any) -> Any:
    rows = x[:, None].expand(-1, 12) * torch.arange(12.0)
    heads = (rows @ torch.ones(12, 12)).reshape(11, 3, 4).transpose(0, 1)
    image = F.conv2d(rows.reshape(1, 4, 3, 11).to(memory_format=torch.channels_last), torch.ones(5, 4, 1, 1))
    factor = torch.linalg.cholesky(rows.t() @ rows + 50.0 * torch.eye(12))
    chosen = heads[torch.tensor([2, 0])].softmax(-1)
    return [torch.rand_like(v) for v in (heads, heads.sum(0), image, factor.t(), chosen, chosen @ chosen.mT)]


def _by_drawn_values(x: Any) -> Any:
    # What draws by its inputs' values runs, to see how a later draw lies: not from the user's stream.
    trials, around = torch.bernoulli(x / 12), torch.normal(x, 1.0)
    noise = [torch.rand_like(F.rrelu(around, training=True)), F.dropout(torch.poisson(x), 0.5)]
    return [v * trials for v in noise]


def _in_bodies(x: Any) -> Any:
    # A branch is not called for nothing, nor once for two, nor after the draws behind it.
    def branch(v: Any) -> Any:
        return torch.cond(v.sum() > 3, lambda u: u * torch.bernoulli(u / 80), lambda u: u * 1, (v,))

    branch(x + 1)
    first, second = branch(x), branch(x)
    laid = torch.cond(x.sum() > -1, branch, branch, (x,))
    return [first, second, F.dropout(laid, 0.5), torch.rand_like(x)]


def _by_constants(x: Any) -> Any:
    ones, kinds, row = torch.ones(11), torch.distributions, torch.arange(1.0, 4.0)
    drawn = [
        kinds.Beta(0.4, 0.4).sample(), kinds.Dirichlet(ones).sample(), kinds.Gamma(ones, 2.0).rsample(),
        kinds.Categorical(ones).sample(), kinds.Binomial(9, ones * 0.3).sample(), torch.poisson(ones * 9),
        torch.normal(ones, 2.0), torch.normal(2.0, ones), torch.normal(ones, ones * 3),
        torch.bernoulli(ones, 0.4), torch.empty(11).bernoulli_(ones * 0.4), F.rrelu(-ones, training=True),
        *(torch.multinomial(w, 3, again) for again in (False, True) for w in (ones, row.expand(5, 3))),
    ]  # fmt: skip
    return [v * x[0] for v in drawn]


def _by_constants_with_history(x: Any) -> Any:
    leaf, spread = torch.linspace(0.5, 2, 11, requires_grad=True), torch.ones(11, requires_grad=True)
    gamma, around = torch._standard_gamma(leaf[3:] * 2), torch.normal(torch.zeros(11), spread)
    (gamma.sum() + around @ x).backward()
    with torch.no_grad():
        return [leaf.grad, spread.grad, gamma.detach(), around * x, torch.poisson(leaf)]


def _in_order_of_constants(x: Any) -> Any:
    # A constant that repeats, and what is filled in the order of its memory.
    wide = torch.ones(11).expand(4, 11) * x
    return [torch.rand_like(wide), (wide.t() * 1).bernoulli_(wide.t() / 12)]


def _into_parts_of_constants(x: Any) -> Any:
    # Normal numbers of what has gaps are drawn one after the other, not in blocks of 16.
    image, line = torch.zeros(20, 6), torch.arange(80.0)[::2]
    image[:, 0].normal_(), image[:, 1:5].normal_(), image[:, 0].normal_(), line.normal_()
    return [image * x[0], line, torch.randn_like(torch.ones(9, 8)[:, ::2]), torch.zeros(20).normal_()]


def _derivative_of_branch(x: Any) -> Any:
    w = x.clone().requires_grad_()
    y = torch.cond(x.sum() > 3, lambda v: F.dropout(v, 0.5), lambda v: v * 1, (w,))
    return [*torch.autograd.grad(y.sum(), w), y.detach(), torch.rand_like(x)]


FUNCTIONS = (
    _many_sizes, _many_sizes_in_float64, _kinds, _others_between, _in_other_order, _like_gradients,
    _behind_products, _by_drawn_values, _in_bodies, _in_order_of_constants,
    _by_constants, _by_constants_with_history, _into_parts_of_constants,
)  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS)
def test_draws_what_eager_draws(function: Any, tmp_path: Any, monkeypatch: Any) -> None:
    # Lowered, and not found on disk as an earlier process lowered it.
    monkeypatch.setenv("PULLBACK_CACHE_DIR", str(tmp_path))
    compiled, x = torch.compile(function, fullgraph=True), torch.arange(1.0, 12.0)
    for seed in range(3):
        found, expected = [], []
        for results, call in ((found, compiled), (expected, function)):
            torch.manual_seed(seed)
            for _ in range(3):
                results += call(x)
            results.append(torch.rand(3))
        for a, b in zip(found, expected, strict=True):
            assert torch.equal(a, b)


def test_a_kept_program_knows_the_gaps_of_what_it_draws_into() -> None:
    import numpy as np

    from pullback.compiler.runtime import call_text

    for part in (np.zeros((20, 6))[:, 1:5], np.zeros((4, 3, 2)).transpose(1, 2, 0)[:, 0], np.zeros(9)):
        read = call_text.operand(call_text._operand_told(part))
        assert (read.shape, read.dtype, read.strides) == (part.shape, part.dtype, part.strides)


def test_the_loop_of_draws_is_compiled_as_it_stands(monkeypatch: Any) -> None:
    """LLVM's passes, which made vectors of it, took four fifths of its time."""
    from pullback.compiler.eager_kernels import draws, draws_text
    from pullback.compiler.runtime import engine

    text, size = draws_text.text(), engine.register_bytes()
    for stored in (f"<{size // 4} x float>", f"<{size // 8} x float>", f"<{size // 8} x double>"):
        assert f"store {stored}" in text
    given: list[Any] = []
    monkeypatch.setattr(engine, "named", lambda name, write, effort: given.append(effort) or write)
    draws.begun.__wrapped__()
    assert not given[0].passes


def test_a_branch_that_draws_is_not_drawn_again_for_its_derivative() -> None:
    results, x = [], torch.arange(1.0, 12.0)
    compiled = torch.compile(_derivative_of_branch)
    with pytest.warns(UserWarning, match="runs eagerly: .* cond draws random numbers"):
        compiled(x)
    for call in (_derivative_of_branch, compiled):
        torch.manual_seed(7)
        results.append([v for _ in range(3) for v in call(x)])
    for a, b in zip(*results, strict=True):
        assert torch.equal(a, b)


def test_each_generator_has_its_stream() -> None:
    one, other = torch.Generator(), torch.Generator()

    def function(x: Any) -> Any:
        draws = [torch.randn(20, generator=g) for g in (one, one, other, one)]
        return [d * x for d in (*draws, torch.randn(20), torch.rand(3, generator=other))]

    results = []
    for call in (torch.compile(function), function):
        one.manual_seed(1), other.manual_seed(2), torch.manual_seed(3)
        results.append([v for _ in range(3) for v in call(torch.tensor(2.0))])
    for a, b in zip(*results, strict=True):
        assert torch.equal(a, b)


@pytest.mark.parametrize(("count", "again"), [(1, True), (3, False)])
def test_indices_are_drawn_with_weights(count: int, again: bool) -> None:
    compiled = torch.compile(lambda p: (torch.multinomial(p, count, again), torch.rand(2)), fullgraph=True)
    torch.manual_seed(0)
    rows, row = torch.rand(4, 9), torch.rand(9)
    rows[:, 2] = 0
    for weights in (rows, torch.rand(9, 4).t(), row.expand(4, 9), row, rows.double()):
        torch.manual_seed(3)
        expected, state = (torch.multinomial(weights, count, again), torch.rand(2)), torch.get_rng_state()
        torch.manual_seed(3)
        for found, wanted in zip(compiled(weights), expected, strict=True):
            torch.testing.assert_close(found, wanted, rtol=0, atol=0)
        assert torch.equal(torch.get_rng_state(), state)
    for wrong in (-rows, rows * float("nan"), rows * float("inf"), rows * (torch.arange(4) > 0)[:, None]):
        with pytest.raises(RuntimeError, match="invalid multinomial|probability tensor"):
            compiled(wrong)
        assert torch.equal(torch.get_rng_state(), state)
    for found in compiled._native.specializations:
        assert {step.op for step in found.forward._run if hasattr(step, "op")} == {"uniform"}


def test_weights_and_classes_before_a_draw_may_refuse_zeros() -> None:
    def walk(x: Any) -> Any:
        place = torch.zeros(4, dtype=torch.long)
        for _ in range(3):  # of zeros all weights are 0, and all steps go to one place
            weights = torch.nn.functional.one_hot(place, 3) * x
            place = place + torch.multinomial(weights, 1).squeeze(1)
        return torch.nn.functional.dropout(place[:, None] * x.t().contiguous().t())

    call, x, results = torch.compile(walk, fullgraph=True), torch.tensor([[1.0, 0.0, 0.0]] * 4), []
    for function in (walk, call):
        torch.manual_seed(0)
        results.append(function(x))
    assert torch.equal(*results)
