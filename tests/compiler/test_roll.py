"""Repetitions become loops: the same values, few equations, in time linear in the number of ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback.compiler.frontend.capture import capture
from pullback.compiler.frontend.captured import Captured
from pullback.compiler.frontend.state.knowledge import Knowledge
from pullback.compiler.frontend.state.optimizer_state import FirstState
from pullback.core.recorder import Equation, Recorder, Reference

pytest.importorskip("llvmlite")
from pullback.compiler.passes.loop_rolling import Roller, rolled

pytestmark = pytest.mark.usefixtures("in_haste")


def captured(function: Callable[..., Any], *args: Any) -> Captured:
    return capture(function, args, {}, Knowledge(), FirstState(), frozenset())


def loops(program: Any) -> list[Equation]:
    return [e for e in program.equations if e.op == "scan"]


def agree(function: Callable[..., Any], *args: Any, most: int | None = 60) -> Captured:
    """Compare a compiled function and its gradients with eager; `most`: equations of its two programs."""
    derived = [a.is_floating_point() or a.is_complex() for a in args]
    leaves = [a.detach().clone().requires_grad_() if d else a for a, d in zip(args, derived, strict=True)]
    wanted = [a for a in leaves if a.requires_grad]
    weights = np.random.default_rng(0)

    def pulled(call: Callable[..., Any]) -> list[Any]:
        outputs = call(*leaves)
        outputs = [outputs] if isinstance(outputs, torch.Tensor) else list(outputs)
        covectors = [torch.tensor(weights.standard_normal(y.shape), dtype=y.dtype) for y in outputs]
        grads = torch.autograd.grad(outputs, wanted, covectors, allow_unused=True)
        return [*outputs, *grads]

    weights = np.random.default_rng(1)
    expected = pulled(function)
    weights = np.random.default_rng(1)
    compiled = torch.compile(function, backend="native", fullgraph=True)
    for want, got in zip(expected, pulled(compiled), strict=True):
        assert (want is None) == (got is None)
        if want is not None:
            np.testing.assert_allclose(got.detach().numpy(), want.detach().numpy(), rtol=2e-4, atol=1e-5)
    found = compiled._native.specializations[0].captured
    if most is not None:
        assert loops(found.program)
        assert len(found.program.equations) + len(found.pullback.equations) <= most
    return found


def drawn(*shape: int) -> Any:
    return torch.tensor(np.random.default_rng(sum(shape)).standard_normal(shape), dtype=torch.float32)


def test_a_chain_of_scalars() -> None:
    def chain(x: Any) -> Any:
        y = x
        for _ in range(60):
            y = torch.tanh(torch.sin(y * x + x))
        return y

    found = agree(chain, drawn())
    assert len(loops(found.program)) == len(loops(found.pullback)) == 1


def test_a_system_of_equations() -> None:
    def lorenz(x: Any, y: Any, z: Any, sigma: Any) -> Any:
        for _ in range(40):
            dx, dy, dz = sigma * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z
            x, y, z = x + 0.01 * dx, y + 0.01 * dy, z + 0.01 * dz
        return x + y + z

    agree(lorenz, drawn(), drawn(), drawn(), drawn(), most=90)


@pytest.mark.parametrize("way", ["index", "iterate", "backwards", "shifted"])
def test_a_recurrent_network(way: str) -> None:
    def network(xs: Any, u: Any, w: Any) -> Any:
        h, hs = torch.zeros(2, 4), []
        steps = {
            "index": (xs[t] for t in range(len(xs))), "iterate": iter(xs),
            "backwards": (xs[t] for t in reversed(range(len(xs)))),
            "shifted": (xs[t] for t in range(3, len(xs))),
        }[way]  # fmt: skip
        for x in steps:
            h = (x @ u + h @ w).tanh()
            hs.append(h)
        return h, torch.stack(hs)

    agree(network, drawn(20, 2, 3).requires_grad_(False), drawn(3, 4), drawn(4, 4), most=None)
    found = captured(network, drawn(20, 2, 3), drawn(3, 4).requires_grad_(), drawn(4, 4).requires_grad_())
    assert len(loops(found.program)) == 1
    assert len(found.program.equations) < 20


@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize("way", ["index", "iterate"])
@pytest.mark.parametrize("axis", [1, 2])
def test_slices_along_other_axes(axis: int, way: str, back: bool) -> None:
    """Steps that are not the first axis are read and stacked in a loop as well."""

    def network(xs: Any, w: Any) -> Any:
        h, hs = torch.zeros(2, 4), []
        steps = [xs.select(axis, t) for t in range(20)] if way == "index" else list(xs.unbind(axis))
        for x in reversed(steps) if back else steps:
            h = (x + h @ w).tanh()
            hs.append(h)
        return h, torch.stack(hs[::-1] if back else hs, axis)

    shape = (2, 20, 4) if axis == 1 else (2, 4, 20)
    found = agree(network, drawn(*shape), drawn(4, 4), most=50)
    assert len(loops(found.program)) == len(loops(found.pullback)) == 1


@pytest.mark.parametrize("way", ["slices", "split", "chunk", "uneven", "offset"])
@pytest.mark.parametrize("width", [1, 3])
@pytest.mark.parametrize("axis", [0, 1])
def test_parts_of_several_places(axis: int, width: int, way: str) -> None:
    """Parts of one width are read and joined in a loop; a last one that is smaller is left to itself."""
    more = 1 if way == "uneven" and width > 1 else 0
    shape = (24 * width + more, 4) if axis == 0 else (3, 24 * width + more, 4)

    def network(xs: Any, w: Any) -> Any:
        if way in ("slices", "offset"):
            starts = range(2 * width if way == "offset" else 0, 24 * width, width)
            steps = [xs.narrow(axis, t, width) for t in starts]
        else:
            steps = xs.chunk(24, axis) if way == "chunk" else xs.split(width, axis)
        h, hs = torch.zeros_like(steps[0]), []
        for x in steps:
            h = (x + h @ (w * 0.3)).tanh() if x.shape == h.shape else x.tanh()
            hs.append(h)
        return h, torch.cat(hs[::-1] if way == "chunk" else hs, axis)

    found = agree(network, drawn(*shape), drawn(4, 4), most=None)
    assert len(loops(found.program)) == len(loops(found.pullback)) == 1
    parts = {"slice", "select", "slice_backward", "select_backward"}
    several = sum(e.op in parts for p in (found.program, found.pullback) for e in p.equations)
    assert several <= 12 or more


@pytest.mark.parametrize("back", [False, True])
def test_windows_that_overlap_stay_as_they_are(back: bool) -> None:
    def windows(xs: Any, w: Any) -> Any:
        s = xs[:3] * 0
        for t in reversed(range(30)) if back else range(30):
            s = torch.tanh(s + xs[t : t + 3] * w)
        return s

    agree(windows, drawn(33), drawn(3), most=None)


def test_a_stack_of_neighbours_and_others() -> None:
    def network(xs: Any, first: Any, w: Any) -> Any:
        h, hs = first, [first]
        for t in range(40):
            h = (xs[t] + h @ w).tanh()
            hs.append(h)
        return torch.stack([*hs[:17], first, *hs[32:16:-1], *hs[33:]], 1)

    found = agree(network, drawn(40, 2, 4), drawn(2, 4), drawn(4, 4), most=None)
    assert len(loops(found.program)) == 1
    assert max(len(e.operands) for e in found.program.equations if e.op == "stack") == 1


@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("batch_first", [False, True])
def test_recurrent_layers_are_loops(kind: str, bidirectional: bool, batch_first: bool) -> None:
    torch.manual_seed(0)
    layer = getattr(torch.nn, kind)(3, 4, bidirectional=bidirectional, batch_first=batch_first)
    found = agree(lambda x: layer(x)[0], drawn(*((2, 20, 3) if batch_first else (20, 2, 3))), most=None)
    count = 2 if bidirectional else 1
    assert len(loops(found.program)) == count
    assert count <= len(loops(found.pullback)) <= 2 * count


@pytest.mark.parametrize(("start", "stop"), [(0, 20), (3, 19)])
def test_gradients_of_parts_are_stacked(start: int, stop: int) -> None:
    def function(xs: Any, w: Any) -> Any:
        h = torch.zeros(2, 4)
        for t in range(start, stop):
            h = (xs[t] + h @ w).tanh()
        return h

    found = agree(function, drawn(20, 2, 4), drawn(4, 4), most=45)
    assert len(loops(found.program)) == len(loops(found.pullback)) == 1
    assert sum(e.op == "select_backward" for e in found.pullback.equations) <= 1


def test_a_loss_in_each_step() -> None:
    def losses(x: Any, w: Any, target: Any) -> Any:
        h, loss = x[0], x.new_zeros(())
        for t in range(24):
            h = torch.tanh(h @ w + x[t])
            loss = loss + torch.nn.functional.cross_entropy(h, target[t])
        return loss

    agree(losses, drawn(24, 3, 5), drawn(5, 5), torch.arange(72).reshape(24, 3) % 5)


def test_numbers_of_which_some_are_equal() -> None:
    def driven(x: Any, p: Any) -> Any:
        h = 0.02
        for k in range(60):
            t = torch.tensor(k * h)
            for time in (t, t + h / 2, t + h / 2, t + h):
                x = x + h * torch.stack([x[1], p * torch.cos(0.7 * time) - x[0].sin()])
        return x

    agree(driven, drawn(2), drawn(), most=600)


def test_values_from_repetitions_that_are_read_by_themselves() -> None:
    def function(x: Any) -> Any:
        ys = [x]
        for _ in range(90):
            ys.append((ys[-1] * 1.1).sin() + ys[-1])
        return ys[27] * ys[90], ys[42].exp()

    agree(function, drawn(3), most=90)


def test_a_loop_over_what_another_loop_made() -> None:
    def function(x: Any) -> Any:
        ys, y, total = [], x, x
        for _ in range(50):
            y = (y * 1.01).sin() + x
            ys.append(y)
        for y in ys:
            total = (total * y).tanh() * 0.4 - y
        for y in reversed(ys):
            total = (total + y).cos() * 0.3
        return total

    agree(function, drawn(3), most=90)


def test_repetitions_with_values_of_their_own_stay_as_they_are() -> None:
    weights = [drawn(8, 8) for _ in range(12)]

    def function(x: Any) -> Any:
        for w in weights:
            x = ((x @ w).tanh() * 0.5 + x).exp().log1p()
        return x

    found = captured(function, drawn(2, 8))
    assert not loops(found.program)


def test_long_vectors_are_rather_fused() -> None:
    def function(x: Any) -> Any:
        for _ in range(30):
            x = (x * 1.01).sin() + 1
        return x

    assert not loops(captured(function, drawn(100_000)).program)
    assert loops(captured(function, drawn(100)).program)


def test_slices_of_repetitions_that_do_not_become_a_loop_are_made_once() -> None:
    def step(h: Any, x: Any) -> Any:
        hs = []
        for t in range(len(x)):
            h = (h.roll(1, -1) + x[t]).softmax(-1)
            hs.append(h)
        # The slices are read again behind the repetitions, which have no native code as a loop.
        loss = sum((h * x[t].cos()).sum() for t, h in enumerate(hs))
        return loss, *torch.autograd.grad(loss, (h0, x))

    h0, x = drawn(1, 3).requires_grad_(), drawn(30, 1, 3).requires_grad_()
    compiled = torch.compile(step, backend="native", fullgraph=True)
    for got, want in zip(compiled(h0, x), step(h0, x), strict=True):
        torch.testing.assert_close(got, want)


def test_random_numbers_are_drawn_as_before() -> None:
    def function(x: Any) -> Any:
        for _ in range(30):
            x = torch.dropout(x, 0.5, True) + 1
        return x

    assert not loops(captured(function, drawn(10)).program)


OPS: list[tuple[int, Callable[..., Any]]] = [
    (1, torch.sin), (1, torch.tanh), (1, lambda x: x * 0.9), (1, lambda x: 1 - x), (2, torch.add),
    (2, torch.mul), (2, torch.sub), (2, lambda x, y: torch.where(x > 0, x, y)),
    (1, lambda x: x.unsqueeze(0).sum(0)),
]  # fmt: skip


@pytest.mark.parametrize("seed", range(20))
def test_random_loops(seed: int) -> None:
    """Random bodies over random carries: values of the last steps, of outside, slices in either direction."""
    rng = np.random.default_rng(seed)
    count, size, steps = int(rng.integers(1, 4)), int(rng.integers(3, 9)), int(rng.integers(5, 25))
    plan = []
    for _ in range(size):
        arity, op = OPS[rng.integers(len(OPS))]
        plan.append((op, [int(v) for v in rng.integers(0, 3 * count + 3 + len(plan), arity)]))
    nexts = [int(v) for v in rng.integers(0, size, count)]
    back, kept = bool(rng.integers(2)), int(rng.integers(0, 3))

    def function(x: Any, xs: Any) -> Any:
        carry = [x * (n + 1) for n in range(count)]
        older, oldest, seen = list(carry), list(carry), []
        for t in range(steps):
            values = [*carry, *older, *oldest, x, xs[steps - 1 - t if back else t], xs[0]]
            for op, operands in plan:
                values.append(op(*(values[n] for n in operands)))
            made = values[3 * count + 3 :]
            oldest, older, carry = older, carry, [made[n].tanh() for n in nexts]
            seen.append(made[-1])
        outputs = [sum(carry)]
        if kept == 1:
            outputs.append(seen[steps // 2])
        if kept == 2:
            outputs.append(torch.stack(seen))
        return outputs

    def with_gradients(x: Any, xs: Any) -> Any:
        x, xs = x.clone().requires_grad_(), xs.clone().requires_grad_()
        outputs = function(x, xs)
        grads = torch.autograd.grad(sum(y.sum() for y in outputs), (x, xs), allow_unused=True)
        return [y.detach() for y in outputs] + [g for g in grads if g is not None]

    x, xs = drawn(3), drawn(steps, 3)
    if seed < 5:
        agree(function, x, xs, most=None)
    else:
        found = captured(with_gradients, x, xs)
        program, given = found.program, {x.shape: x, xs.shape: xs}
        values = program.run(*(given[program.shapes[v]].numpy() for v in program.inputs))
        for result, want in zip(found.results, with_gradients(x, xs), strict=True):
            if result.kind == "output":
                np.testing.assert_array_equal(values[result.at], want.numpy())


def test_the_time_is_linear() -> None:
    """Signatures are compared once for each period, however many stretches are tried in vain."""
    recorder = Recorder(1)
    x = recorder.new((3,), np.dtype(np.float32)).index
    previous = [x] * 200
    equations = []
    for n in range(6000):
        # Each equation reads what was made forty repetitions before: no loop can carry that.
        made = recorder.new((3,), np.dtype(np.float32)).index
        op = ("sin", "tanh", "neg", "exp", "cos")[n % 5]
        equations.append(Equation(op, (Reference(previous[-200]),), (), (made,), False))
        previous.append(made)
    assert rolled(equations, Roller(recorder), previous[-200:]) == equations


@pytest.mark.parametrize("steps", range(8, 15))
def test_selects_of_a_stretch_that_is_no_loop_stay(steps: int) -> None:
    """A stretch whose selects are read elsewhere, too, and which is too short without them."""

    def function(v: Any, r: Any) -> Any:
        total, found = torch.zeros(()), []
        for n in reversed(range(steps)):
            following = v[n + 1] if n + 1 < steps else torch.zeros(())
            total = r[n] + 0.9 * following + 0.5 * total
            found.append(total)
        return torch.stack(found)

    v, r = torch.randn(steps), torch.randn(steps)
    compiled = torch.compile(function, backend="native")
    torch.testing.assert_close(compiled(v, r), function(v, r))
    assert compiled._native.eager_because is None


def test_the_first_value_that_is_carried_may_be_broadcast():
    def steps(start: Any, move: Any, rows: Any) -> Any:
        # The first state is one row for all, made where a step would make the next.
        state = torch.log_softmax(start, 0) + rows[0]
        for n in range(1, rows.shape[0]):
            state = torch.logsumexp(state[:, :, None] + move, 1) + rows[n]
        return state

    torch.manual_seed(0)
    agree(steps, torch.randn(3), torch.randn(3, 3), torch.randn(24, 5, 3), most=None)


def test_the_first_repetition_is_given_another_shape() -> None:
    def run(x: Any, w: Any) -> Any:
        for _ in range(16):
            total = torch.exp(-x.abs()).sum(1)
            x = (total[:, None] * w * 0.1).sin() + 0.1
        return x, total

    agree(run, drawn(3, 7), drawn(3, 9), most=None)


@pytest.mark.parametrize("back", [False, True])
def test_floats_that_change(back: bool) -> None:
    steps = [0.1 / (n + 1) for n in range(30)]
    steps = steps[::-1] if back else steps

    def integrated(x: Any, w: Any) -> Any:
        y = x
        for n, h in enumerate(steps):
            y = (1 - h) * y + h * torch.tanh(y @ w * (2 - h)) / (3 + n / 7)
        return y

    found = agree(integrated, drawn(3, 4), drawn(4, 4), most=100)
    assert len(loops(found.program)) == len(loops(found.pullback)) == 1


@pytest.mark.parametrize("kind", [torch.float64, torch.complex64, torch.complex128])
@pytest.mark.parametrize("factor", [lambda n: n, lambda n: n / 7, lambda n: complex(n % 2, n / 7)])
def test_numbers_of_any_type_that_change(kind: Any, factor: Callable[[int], Any]) -> None:
    if not kind.is_complex and type(factor(1)) is complex:
        kind = torch.complex128

    def integrated(x: Any, w: Any) -> Any:
        y = x
        for n in range(30):
            y = y + factor(n) / 90 * (y @ w) - w[0] / (factor(n) + 2)
            y = y / (y.abs() + n + 1)
        return y

    found = agree(integrated, *(torch.randn(3, 3, dtype=kind) for _ in range(2)), most=100)
    assert len(loops(found.program)) == len(loops(found.pullback)) == 1


@pytest.mark.parametrize("factor", [1, 1j])
def test_comparisons_with_numbers_that_change(factor: complex) -> None:
    def step(x: Any, y: Any) -> Any:
        for n in range(30):
            x = torch.where(x == n * factor, x * y, y) + torch.where(x > n / 40, x * 0.1, y)
        return x

    start = torch.tensor([0.0, 0.0, 1.0, -1.0, 2.0])
    # A complex number is not rounded to the real dtype of what it is compared with.
    found = agree(step, start, drawn(5), most=60 if factor == 1 else None)
    assert bool(loops(found.program)) == (factor == 1)


def test_gradients_of_parts_that_are_taken_twice() -> None:
    def paths(x: Any) -> Any:
        above = x.new_zeros(4, 9)
        for i in range(8):
            row = [above[:, 0] - 1]
            for j in range(8):
                row.append(torch.maximum(above[:, j] + x[:, i, j], row[j] * above[:, j + 1]))
            above = torch.stack(row, 1)
        return above[:, -1]

    found = agree(paths, drawn(4, 8, 8), most=None)
    assert sum(e.op == "select_backward" for e in found.pullback.equations) < 20


@pytest.mark.parametrize("reads", [(1, 2), (3,), (1, 2, 3, 4), (2, 8), (1, 9)])
@pytest.mark.parametrize("steps", [24, 61])
def test_steps_that_read_several_before(reads: tuple[int, ...], steps: int) -> None:
    """A step hands on what later ones read, also where the first of them all begin with one value."""

    def recurrence(x: Any, w: Any) -> Any:
        past = [x] * max(reads)
        for _ in range(steps):
            past.append(torch.tanh(sum(w[n] * past[-far] for n, far in enumerate(reads))))
        return past[-1], past[-2], torch.stack(past)

    found = agree(recurrence, drawn(3), drawn(len(reads)), most=None)
    assert loops(found.program) or steps == 24


def test_two_values_of_the_step_before_last() -> None:
    def leapfrog(u: Any, v: Any, k: Any) -> Any:
        before, now, other = u, v, u
        for _ in range(40):
            now, before, other = 2 * now - before + k * torch.roll(now, 1) * other, now, before
        return now, before

    agree(leapfrog, drawn(6), drawn(7)[:6], drawn(1) * 0.1, most=None)


@pytest.mark.parametrize("lay", [lambda v: v[:4].expand(8, 4), lambda v: torch.outer(v, v)[::2].t()])
def test_steps_that_make_a_constant_which_is_not_contiguous(lay: Callable[[Any], Any]) -> None:
    def turned(x: Any, w: Any) -> Any:
        for _ in range(20):
            x = torch.tanh(x * lay(torch.arange(8.0)) + w)
        return x

    agree(turned, drawn(8, 4), drawn(8, 4))
