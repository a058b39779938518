"""A number that is another one in each call is an input of one program, and counts as the number itself."""

from __future__ import annotations

import math
import threading
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import pytest

import pullback as torch

pytestmark = pytest.mark.usefixtures("in_haste")


def copied(values: Sequence[Any]) -> list[Any]:
    return [v.clone() if isinstance(v, torch.Tensor) else v for v in values]


def same(a: Any, b: Any) -> bool:
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, torch.Tensor):
        return a.dtype == b.dtype and a.shape == b.shape and torch.allclose(a, b, rtol=1e-6, atol=1e-6)
    return type(a) is type(b) and a == b


def programs(function: Callable[..., Any], calls: Sequence[Sequence[Any]]) -> int:
    """Compare a function's compiled calls with eager ones; return how many programs it took."""
    compiled = torch.compile(function)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for args in calls:
            assert same(compiled(*copied(args)), function(*copied(args)))
    return len(compiled._native.specializations)


X = torch.arange(12.0).reshape(3, 4)
I = torch.arange(5)  # as in a formula

def stored(x: Any, n: Any) -> Any:
    x[:2] = n / 3
    x[x > 5] = n
    return x


ONE_PROGRAM: dict[str, Callable[[Any, Any], Any]] = {
    "arithmetic": lambda x, n: x * n + 1 / (n + 1),
    "comparisons": lambda x, n: ((x <= n).float(), n > I, x != n, x == n),
    "integers": lambda x, n: (I + n, n - I, I / (n + 1), (I > 2) * n),
    "powers of numbers": lambda x, n: (x / (1 - 0.9 ** (n + 1)), n + 1),
    "methods": lambda x, n: (x.mul(n), torch.add(x, n), x.eq(n), x.sub(n)),
    "scalars": lambda x, n: (x.sum() * n, I.sum() + n, I.sum().int() * n, x.double().sum() / (n + 1)),
    "its type": lambda x, n: x * (2 if isinstance(n, int) else 3) * n,
    "rows": lambda x, n: x[n % 3] + x[n % 3 - 3, :] * 2,
    "columns": lambda x, n: x[:, n % 4] * 2 + x[..., n % 4 - 4],
    "crops": lambda x, n: x[n % 2 : n % 2 + 2, n % 3 : n % 3 + 2] + x[None, n % 3, ..., n % 2 : n % 2 + 2],
    "functions": lambda x, n: x * (1 + math.cos(math.pi * n / 9)) + math.floor(n / 2) * math.sqrt(n),
    "slices": lambda x, n: (x[n % 2 : n % 2 + 2] * 2, x[1:, n % 3 : n % 3 + 2].sum(1)),
    "slices from the end": lambda x, n: (x[:, n % 2 - 4 : n % 2 - 2] * 2, x[: n % 3 + 9] + 1),
    "boxes of indices": lambda x, n: (x[I[:2], n % 3 : n % 3 + 2], x[None, I[:3], ..., n % 2 : n % 2 + 2]),
    "factors": lambda x, n: (
        x.add(x, alpha=n / 7), torch.sub(x, x + 1, alpha=n), x.mul_(n).add_(x, alpha=1 - n),
        x.addcmul(x, x, value=n / 3), x.addcdiv_(x, x + 200, value=-n),
    ),
    "nearer ends": lambda x, n: (x.lerp(x * 3, n / 30), torch.lerp(x, x + 1, weight=n / 25)),
    "lists": lambda x, n: (
        torch._foreach_mul_([x], n / 2), torch._foreach_add([x, x], [x, x + 1], alpha=n),
        torch._foreach_lerp_([x, x + 1], [x * 2, x], n / 40),
    ),
    "limits": lambda x, n: (x.clamp(-n / 2, 3), x.clamp_(max=n), torch.clip(x, n)),
    "choices": lambda x, n: (
        torch.where(x > 4, x, n), torch.where(x > 4, n / 3, x), x.masked_fill(x > 5, n), x.fill_(n / 7)
    ),
    "new tensors": lambda x, n: (
        torch.tensor(n), torch.tensor([1, n / 2, n]), torch.full((2, 3), n), torch.full_like(x, n / 2),
        x.new_full((2,), n), torch.as_tensor(n / 3), torch.tensor(n, dtype=torch.float64),
        x.new_tensor(n / 2), torch.full((2,), n, dtype=torch.float64), torch.full((), fill_value=n),
    ),
    "shifts": lambda x, n: (
        torch.roll(x, n, 0), x.roll((n, -n), (0, 1)), x.roll((1, n), dims=(-1, 0)), torch.arange(n, n + 4),
    ),
    "places": lambda x, n: (
        torch.select(x, 1, n % 4 - 4) * 2, torch.narrow(x, -1, n % 2, 3) + 1, x.narrow(0, n % 3, 1) + x,
    ),
    "remainders": lambda x, n: (
        x % (n + 1), I % (n + 1), I.fmod(n + 2), n % (x + 1), torch.remainder(x, n / 3 + 1), I // (n + 1),
    ),
    "filled places": lambda x, n: (
        x.index_fill(1, I[:2], n), x.scatter(1, I[:3, None], n),
        torch.scatter(x, 0, I[:2, None], value=n / 2),
        x.scatter_(1, I[:3, None], n / 3), torch.nn.functional.pad(x, (1, 2, -1, 0), value=n), x,
    ),
    "stored": stored,
    "parts of rows": lambda x, n: x[n % 3, 1:] - x[None, n % 3, :3].sum(),
}


@pytest.mark.parametrize("name", ONE_PROGRAM)
def test_an_integer_is_an_input(name):
    assert programs(ONE_PROGRAM[name], [(X, n) for n in range(12)]) == 2


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW"])
def test_a_rate_of_a_counter(name: str) -> None:
    """A warm-up and a cosine, which the step itself puts into the groups."""

    def made() -> tuple[Callable[[], Any], Any]:
        w = torch.arange(4.0).requires_grad_()
        optimizer, state = getattr(torch.optim, name)([w], lr=0.5), {"step": 0}

        def step() -> Any:
            at = state["step"]
            state["step"] += 1
            rate = 0.1 * (at + 1) / 4 if at < 4 else 0.05 * (1 + math.cos(math.pi * (at - 4) / 20))
            for group in optimizer.param_groups:
                group["lr"] = rate
            loss = ((w - 1) ** 2).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            return loss.detach(), w.detach().clone()

        return step, optimizer

    (eager, one), (step, other) = made(), made()
    compiled = torch.compile(step)
    for _ in range(16):
        assert same(compiled(), eager())
        assert one.param_groups[0]["lr"] == other.param_groups[0]["lr"]
    assert len(compiled._native.specializations) == 2


F = torch.nn.functional
#: Functions with settings; all but the last ones are computed alike by eager, bit for bit.
SETTINGS: dict[str, Callable[[Any, Any], Any]] = {
    "leaky_relu": lambda x, k: F.leaky_relu(x, k) + F.leaky_relu(x, negative_slope=-k),
    "threshold": lambda x, k: F.threshold(x, k, -k),
    "hardshrink": F.hardshrink,
    "softshrink": lambda x, k: torch.nn.Softshrink(k)(x),
    "hardtanh": lambda x, k: F.hardtanh(x, -k, k),
    "huber_loss": lambda x, k: F.huber_loss(x, x.detach() * 0.3, delta=k),
    "huber_loss of each": lambda x, k: F.huber_loss(x.detach() * 0.3, x, "none", k),
    "smooth_l1_loss": lambda x, k: F.smooth_l1_loss(x, x.detach() * 0.3, reduction="sum", beta=k),
    "pad": lambda x, k: F.pad(x, (1, -1), value=k),
    "elu": F.elu,
    "celu": F.celu,
    "softplus": lambda x, k: F.softplus(x, k, 4 * k),
    "cross_entropy": lambda x, k: F.cross_entropy(x[1:], I.repeat(8)[1:], label_smoothing=k / 20),
    "cross_entropy of each": lambda x, k: torch.nn.CrossEntropyLoss(
        x[2].detach().abs(), ignore_index=2, reduction="none", label_smoothing=k / 20
    )(x[1:], I.repeat(8)[1:]),
    "power": lambda x, k: x.abs().pow(k) + x.abs() ** -k,
    "power of a number": lambda x, k: torch.pow(k, x) + k**x,
}


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_a_setting_is_an_input_and_counts_as_the_number(name, dtype):
    function = SETTINGS[name]
    x = torch.randn(40, 5, generator=torch.Generator().manual_seed(0), dtype=dtype) * 3
    x[0] = torch.tensor([0.0, -0.0, math.inf, -math.inf, math.nan])

    def step(x: Any, k: float) -> Any:
        y = function(x, k)
        (y * torch.arange(float(y.numel())).reshape(y.shape)).sum().backward()
        return y.detach(), x.grad

    def both(run: Callable[..., Any], k: float) -> list[bytes]:
        found = run(x.clone().requires_grad_(), k)
        return [t.nan_to_num(0.123, math.inf, -math.inf).numpy().tobytes() for t in found]

    rounded = name.split(" of")[0] in ("elu", "celu", "softplus", "power", "cross_entropy")

    compiled = torch.compile(step)
    for k in (0.37, 0.74, 1.11, 2.2, 5.9, 17.3):
        ours = both(compiled, k)
        assert ours == both(torch.compile(step), k)
        if not rounded:
            assert ours == both(step, k)
    assert len(compiled._native.specializations) == 2


def test_a_temperature_that_falls_is_an_input():
    def step(k: float) -> Any:
        x = (torch.arange(12.0, dtype=torch.float64).reshape(3, 4) / 5).requires_grad_()
        soft = F.gumbel_softmax(x, k)
        (soft * X + F.gumbel_softmax(x, tau=k, hard=True, dim=0) * X).sum().backward()
        return soft.detach(), x.grad

    compiled = torch.compile(step)
    for k in (2.0, 1.0, 0.5, 0.25):
        torch.manual_seed(3)
        ours = compiled(k)
        torch.manual_seed(3)
        assert all(map(torch.allclose, ours, step(k)))
    assert len(compiled._native.specializations) <= 2


@pytest.mark.parametrize("shape", [(7,), (40, 5)], ids=str)
def test_draws_of_a_number_are_those_of_eager(shape):
    def step(k: float) -> Any:
        x = torch.empty(shape)
        drawn = [x.normal_(0, k).clone(), x.uniform_(-k, to=k).clone(), x.exponential_(k).clone()]
        x.t().normal_(k)
        drawn += [torch.normal(0, k, shape), torch.normal(k, std=0.5, size=x.shape, dtype=torch.float64)]
        y = torch.ones(shape, requires_grad=True)
        F.dropout(y, k / 9).sum().backward()
        return *drawn, x, torch.empty(shape).bernoulli_(k / 9), y.grad, torch.rand(2)

    compiled = torch.compile(step)
    for k in (0.5, 1.5, 2.5, 3.5, 8.0):
        torch.manual_seed(3)
        ours = compiled(k)
        torch.manual_seed(3)
        assert all(map(torch.equal, ours, step(k)))
    assert len(compiled._native.specializations) == 2
    # Dropout leaves out all: it draws nothing for that.
    torch.manual_seed(3)
    ours = compiled(9.0)
    torch.manual_seed(3)
    assert all(map(torch.equal, ours, step(9.0)))
    with pytest.raises(RuntimeError, match="std >= 0"):
        compiled(-1.0)


def test_bounds_of_integers_that_are_drawn_are_inputs():
    memory = torch.arange(40.0)

    def step(size: int) -> Any:
        first, second = torch.randint(0, size, (6,)), torch.randint(size, size=(2, 3))
        third = torch.empty(5, dtype=torch.int64).random_(-size, size * 2**40)
        few = torch.randint(1, min(size, 12), (4,))
        return memory[first] + memory[second].sum(), third, few, torch.rand(2)

    compiled = torch.compile(step)
    for size in (3, 7, 8, 9, 15, 27, 40):
        torch.manual_seed(3)
        ours = compiled(size)
        torch.manual_seed(3)
        assert all(map(torch.equal, ours, step(size)))
    # Two for `min`, which decides, beside the first call's, of which 3 is a part.
    assert len(compiled._native.specializations) <= 3
    with pytest.raises(RuntimeError, match="random_ expects 'from' to be less than 'to'"):
        compiled(0)


def test_numbers_with_a_formula_of_their_own_have_a_program_of_their_own():
    powers = [(X + 1, k) for k in (5, 0, 1, 2, 3, 7, 9, 8, 1, 2)]
    assert programs(lambda x, k: x**k, powers) == 6
    assert programs(lambda x, k: k ** (x / 10), [(X, k) for k in (3.0, 0.5, 0.0, 2.0, 7.0)]) == 3
    losses = [(X, k) for k in (0.5, 1.5, 0.0, 2.5)]
    assert programs(lambda x, k: F.smooth_l1_loss(x, x * 0.3, beta=k), losses) == 3
    # Of negative whole exponents of integers eager raises.
    compiled = torch.compile(lambda x, k: x**k)
    for k in (3, 2, 1):
        assert same(compiled(I, k), I**k)
    with pytest.raises(RuntimeError, match="negative integer powers"):
        compiled(I, -1)
    # So it does of a division of integers by 0.
    compiled = torch.compile(lambda x, k: x % k)
    for k in (3, 2, 1):
        assert same(compiled(I, k), I % k)
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        compiled(I, 0)
    # And of a delta that is not positive.
    compiled = torch.compile(lambda x, k: F.huber_loss(x, x * 0.3, delta=k))
    for k in (3.0, 2.0, 1.0):
        assert same(compiled(X, k), F.huber_loss(X, X * 0.3, delta=k))
    with pytest.raises(RuntimeError, match="non-positive"):
        compiled(X, -1.0)


def test_a_float_is_an_input():
    calls = [(X, 0.1 * k) for k in range(12)]
    assert programs(lambda x, dt: (x + dt * torch.sin(x) * dt, I * dt), calls) == 2


def test_a_position_in_a_cache():
    cache, other = torch.zeros(3, 8, 2), torch.zeros(3, 8, 2)

    def step(cache: Any, k: Any, position: int) -> Any:
        cache[:, position] = k
        mask = torch.arange(8) <= position
        return (cache * mask[:, None]).sum(1)

    compiled = torch.compile(step)
    for position in range(12):
        k = torch.full((3, 2), float(position))
        assert same(compiled(cache, k, position % 8 - 8 * (position % 2)),
                    step(other, k, position % 8 - 8 * (position % 2)))  # fmt: skip
        assert torch.equal(cache, other)
        assert cache._version == other._version
    assert len(compiled._native.specializations) == 2


def test_a_stretch_of_a_queue():
    """A queue that keys are written to in turn, of which the last ones are read; at its end it is cut off."""
    queue, other = torch.zeros(3, 8, 2), torch.zeros(3, 8, 2)

    def step(queue: Any, keys: Any, place: int) -> Any:
        queue[:, place : place + 3] = keys[:, : 8 - place]
        queue[1, place : place + 1] = 7
        return (queue[:, place : place + 2] * 2).sum()

    compiled = torch.compile(step)
    for place in [0, 1, 2, 3, 4, 5, 0, 5, 6, 7, 6, 8, 1]:
        keys = torch.full((3, 3, 2), float(place))
        assert same(compiled(queue, keys, place), step(other, keys, place))
        assert torch.equal(queue, other)
        assert queue._version == other._version
    # One for the first place, and one each for what is left of three, two, one and no places at its end.
    assert len(compiled._native.specializations) == 5
    with pytest.raises(RuntimeError, match="must match the existing size"):
        torch.compile(lambda x, n: x.__setitem__(slice(n, n + 2), torch.ones(3, 4)))(X.clone(), 0)


def test_a_count_that_each_call_changes():
    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.count = 0
            self.weight = torch.nn.Parameter(torch.ones(4))

        def forward(self, x: Any) -> Any:
            self.count += 1
            return (x * self.weight).sum() * self.count / 10

    eager, model = Model(), Model()
    compiled = torch.compile(model)
    for _ in range(12):
        a, b = eager(X), compiled(X)
        assert torch.equal(a, b)
        a.backward()
        b.backward()
        assert torch.equal(eager.weight.grad, model.weight.grad)
    assert model.count == 12


def test_backward_has_the_number_of_its_own_call():
    w = torch.ones(3, requires_grad=True)
    compiled = torch.compile(lambda w, n: w * n)
    results = [compiled(w, n) for n in range(6)]
    for n, result in enumerate(results):
        (grad,) = torch.autograd.grad(result, w, torch.ones(3))
        assert grad.tolist() == [n] * 3


def test_what_a_number_decides_is_a_part_of_the_program():
    def branch(x: Any, n: int) -> Any:
        return x * 2 if n > 3 else x * n

    assert programs(branch, [(X, n) for n in range(7)]) == 3
    assert programs(lambda x, n: torch.zeros(n) + x.sum(), [(X, n) for n in range(1, 6)]) == 5


def test_what_a_view_shares_is_shared():
    def writes(x: Any, n: int) -> Any:
        row = x[n]
        row.add_(1.0)
        return x.sum()

    def is_written(x: Any, n: int) -> Any:
        row = x[n]
        x.zero_()
        return row.sum()

    rows = [(X, n % 3) for n in range(7)]
    assert programs(writes, rows) == 3
    assert programs(is_written, rows) == 3
    compiled = torch.compile(lambda x, n: x[n])
    for n in (0, 1, 2, 0):
        assert compiled(X, n).data_ptr() == X[n].data_ptr()


def test_a_position_outside_is_eagers_error():
    compiled = torch.compile(lambda x, n: x[n] * 2)
    for n in range(3):
        compiled(X, n)
    with pytest.raises(IndexError, match="index 3 is out of bounds for dimension 0 with size 3"):
        compiled(X, 3)
    with pytest.raises(ZeroDivisionError):
        torch.compile(lambda x, n: x * (1 / n))(X, 0)


def test_numbers_that_do_not_fit():
    x = torch.ones(2, dtype=torch.int32)
    compiled = torch.compile(lambda x, n: x + n)
    for n in (1, 2, 3):
        assert compiled(x, n).tolist() == [n + 1] * 2
    assert same(compiled(x, 1 << 40), x + (1 << 40))
    compiled = torch.compile(lambda x, n: x * n)
    for n in (1, 2, 3, 2.5, True):
        assert same(compiled(x, n), x * n)


def test_numbers_in_containers_are_inputs():
    assert programs(lambda x, a: x * a["k"], [(X, {"k": n}) for n in range(5)]) == 2
    nested = [(X, [{"k": (n, [0.5 * n])}]) for n in range(5)]
    assert programs(lambda x, a: x * a[0]["k"][0] + a[0]["k"][1][0], nested) == 2
    assert programs(lambda x, a, n: x * a[0] + n, [(X, [7, 8], n) for n in range(5)]) == 2


def test_an_error_of_one_number_leaves_the_others_compiled():
    compiled = torch.compile(lambda x, n: x * (1 / n))
    for n in (1, 2, 3, 0, 4, 0, 5):
        if n:
            assert same(compiled(X, n), X * (1 / n))
        else:
            with pytest.raises(ZeroDivisionError):
                compiled(X, n)
    assert compiled._native.eager_because is None


def test_threads_have_numbers_of_their_own():
    compiled = torch.compile(lambda x, n: x * n + n)
    for n in range(3):
        compiled(X, n)
    wrong: list[int] = []

    def many(first: int) -> None:
        for n in range(first, first + 300):
            if not torch.equal(compiled(X, n), X * n + n):
                wrong.append(n)

    threads = [threading.Thread(target=many, args=(1000 * k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


class Loop:
    """What a training loop keeps between steps."""

    def __init__(self):
        self.step, self.counts, self.losses = 0, [0, 5], []


def every_third(loop: Loop, x: Any) -> Any:
    loop.step += 1
    y = x * loop.step
    return (y.neg(), loop.step) if loop.step % 3 == 0 else (y, loop.step)


def counts_in_a_list(loop: Loop, x: Any) -> Any:
    loop.counts[0] += 1
    if loop.counts[0] % 3 == 0:
        loop.counts[1] -= 1
    return x * loop.counts[0] + loop.counts[-1]


def a_list_that_grows(loop: Loop, x: Any) -> Any:
    loop.losses.append(x.sum().item())
    return x * len(loop.losses), len(loop.losses)


def changed_by_others(loop: Loop, x: Any) -> Any:
    return x * loop.step if loop.step > 4 else x


@pytest.mark.parametrize(
    "step, most",
    [(every_third, 3), (counts_in_a_list, 5), (a_list_that_grows, 2), (changed_by_others, 3)],
)
def test_what_is_decided_counts_not_the_number(step, most):
    """A number of the state that every call finds changed makes a program for each decision, not each
    number.
    """
    compiled, loops = torch.compile(step), (Loop(), Loop())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n in range(15):
            if step is changed_by_others:
                for loop in loops:
                    loop.step = n
            assert same(compiled(loops[0], X), step(loops[1], X))
            assert vars(loops[0]) == vars(loops[1])
    assert len(compiled._native.specializations) <= most


def test_a_list_that_is_assigned_to_and_cut():
    """What a list held when the call began is guarded, whatever the call did first."""

    def step(loop: Loop, x: Any) -> Any:
        loop.counts[0] += 1
        loop.counts.append(loop.counts[0])
        loop.counts[1] = len(loop.counts)
        return x * loop.counts[0] + loop.counts.pop(), len(loop.counts)

    compiled, loops = torch.compile(step, fullgraph=True), (Loop(), Loop())
    for _ in range(5):
        assert same(compiled(loops[0], X), step(loops[1], X))
        assert vars(loops[0]) == vars(loops[1])


def test_boxes_are_written_to():
    def boxed(x: Any, n: int) -> Any:
        x = x.clone()
        x[n % 2 : n % 2 + 2, n % 3 : n % 3 + 2] = X[I[1:3] % 3, n % 3 : n % 3 + 2]
        x[n % 3, n % 4] = 7.0
        return x

    assert programs(boxed, [(X, n) for n in range(12)]) == 2


def test_a_number_that_decides_is_still_given_to_what_was_made_of_it():
    """What is written to after it was read is a view, so its place is a part of the program."""

    def step(x: Any, n: int) -> Any:
        x = x.clone()
        columns = x[:, n : n + 2]
        columns += 1
        return x

    assert programs(step, [(X, n) for n in (0, 1, 2, 1, 0)]) == 3


def test_a_slice_to_a_number_is_a_part_of_the_program():
    assert programs(lambda x, n: (x[:, -n:], x[-n:, :1]), [(X, n) for n in (1, 2, 3, 1, 2)]) == 3
    assert programs(lambda x, n: x[: n + 1, None].sum(), [(X, n) for n in (0, 1, 0, 1)]) == 2


def test_code_that_needs_a_number_at_once_makes_it_a_part_of_the_program():
    """What one trace cannot do with a number of a later time, another does with the number itself."""
    counts = [1]

    def step(x: Any) -> Any:
        return x * len(sorted([3, 1], key=lambda v: v * counts[0]))

    compiled = torch.compile(step, fullgraph=True)
    for n in (1, 2, 1):
        counts[0] = n
        assert same(compiled(X), step(X))


def test_an_error_whose_text_has_a_number_is_eagers():
    loop = Loop()

    def step(x: Any) -> Any:
        loop.step += 1
        if loop.step > 3:
            raise ValueError(f"after {loop.step}")
        return x * loop.step

    compiled = torch.compile(step)
    for _ in range(3):
        compiled(X)
    with pytest.raises(ValueError, match="after 4"):
        compiled(X)


@pytest.mark.parametrize("function", [
    lambda x, n: x.fill_(n), lambda x, n: torch.full_like(x, n), lambda x, n: x.masked_fill(x > 5, n),
    lambda x, n: x.clamp(max=n), lambda x, n: x.sub(n),
])  # fmt: skip
def test_a_number_beyond_a_dtype_is_what_it_is_in_eager(function):
    """An error where it fills a tensor, infinity where it is an operand."""
    compiled = torch.compile(function)
    for n in (0.5, 0.75, -1e300, 0.25, math.inf):
        try:
            expected = function(X.clone(), n)
        except RuntimeError as error:
            with pytest.raises(RuntimeError, match=str(error)):
                compiled(X.clone(), n)
        else:
            assert same(compiled(X.clone(), n), expected)


Y = torch.tensor([[math.sin(3.7 * (4 * i + j)) for j in range(4)] for i in range(3)]).double()
SIGNS = torch.tensor([1.0, -1.0, 1.0], dtype=torch.float64)
#: Functions that are put together from others, which is what their number goes to.
COMPOSED: dict[str, Callable[[Any, Any], Any]] = {
    "triplet": lambda x, k: F.triplet_margin_loss(x, Y, Y.flip(0), margin=k, eps=k / 9),
    "triplet with a distance": lambda x, k: F.triplet_margin_with_distance_loss(
        x, Y, Y.flip(0), distance_function=lambda a, b: (a - b).abs().sum(1) * k, margin=k
    ),
    "cosine embedding": lambda x, k: F.cosine_embedding_loss(x, Y, SIGNS, margin=k / 9),
    "hinge embedding": lambda x, k: F.hinge_embedding_loss(x, Y.sign(), margin=k),
    "ranking": lambda x, k: torch.nn.MarginRankingLoss(k)(x[:, 0], Y[:, 0], SIGNS),
    "normalize": lambda x, k: F.normalize(x, eps=k) + F.cosine_similarity(x, Y, eps=k)[:, None],
    "limits": lambda x, k: x.clamp_min(k) + torch.clamp_max(x, max=k) - torch.rsub(x, k),
    "attention": lambda x, k: F.scaled_dot_product_attention(x, Y, Y.flip(0), scale=k),
    "attention in one": lambda x, k: F.scaled_dot_product_attention(
        x[None, None], Y[None, None], Y[None, None], is_causal=True, scale=k
    ),
    "products": lambda x, k: torch.addmm(x[0], x, Y.t() @ Y, beta=k, alpha=k + 1),
    "vectors": lambda x, k: torch.addmv(x[:, 0], Y, x[0], alpha=k) + torch.trapezoid(x, dx=k),
    "terms": lambda x, k: x.addcmul(Y, x, value=k).addcdiv(x, Y + 3, value=-k),
    "poisson": lambda x, k: F.poisson_nll_loss(x.abs(), Y.abs(), log_input=False, eps=k),
    "shares": lambda x, k: F.cross_entropy(x, Y.softmax(1), label_smoothing=k / 20),
    "a class of many": lambda x, k: x * (k if isinstance(k, int | float | None) else 1),
}  # fmt: skip


@pytest.mark.parametrize("name", COMPOSED)
def test_functions_put_together_from_others_take_a_number_as_an_input(name):
    def step(x: Any, k: float) -> Any:
        x = x.detach().requires_grad_()
        y = COMPOSED[name](x, k)
        (y * torch.arange(float(y.numel())).reshape(y.shape)).sum().backward()
        return y.detach(), x.grad

    assert programs(step, [(Y * 1.3 + 0.1, 0.17 + 0.23 * n) for n in range(20)]) == 2


def test_a_class_of_tensors_somewhere_keeps_no_number_from_being_an_input():
    class Own(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            return super().__torch_function__(function, types, args, kwargs or {})

    torch.ones(1).as_subclass(Own)
    assert programs(COMPOSED["normalize"], [(Y * 1.3 + 0.1, 0.17 + 0.23 * n) for n in range(20)]) == 2


def test_what_a_function_asks_of_its_number_is_guarded():
    def loss(x: Any, k: float) -> Any:
        return F.triplet_margin_loss(x, Y, Y.flip(0), margin=k)

    compiled = torch.compile(loss)
    for k in (0.5, 1.0, -1.0, 1.5, 2.0, 0.0, 2.5):
        if k > 0:
            assert same(compiled(2 * Y, k), loss(2 * Y, k))
        else:
            with pytest.raises(ValueError, match="margin must be greater than 0, got"):
                compiled(2 * Y, k)
    # By a factor of 0 the product is not looked at.
    nan, eye = Y.clone(), torch.eye(3, dtype=torch.float64)
    nan[0, 0] = math.nan
    factors = [(nan, 0.5), (nan, 1.5), (nan, 2.5), (nan, 0.0), (nan, 3.5)]
    compiled = torch.compile(lambda x, k: torch.addmm(x, eye, Y, beta=k).nan_to_num(7.0))
    for x, k in factors:
        assert same(compiled(x, k), torch.addmm(x, eye, Y, beta=k).nan_to_num(7.0))


@pytest.mark.parametrize("function", [
    lambda x, y, k: F.scaled_dot_product_attention(*(t[None, None] for t in (x, y, y)), scale=k),
    lambda x, y, k: y.addcmul(x, y, value=k), lambda x, y, k: torch.addmm(y[:, :3], x, y.t(), alpha=k),
])  # fmt: skip
def test_what_such_a_function_saves_must_not_be_written_to(function):
    def step(x: Any, k: float, writes: bool) -> Any:
        x, y = x.clone(), (Y * 2).requires_grad_()
        z = function(x, y, k)
        if writes:
            x.mul_(2)
        z.sum().backward()
        return y.grad

    compiled = torch.compile(step)
    for k in (0.5, 0.75, 1.25):
        assert same(compiled(Y, k, False), step(Y, k, False))
    for k in (0.5, 0.75, 1.25):
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            compiled(Y, k, True)
