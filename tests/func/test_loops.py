"""scan, fori_loop, while_loop and cond: eagerly, traced to one equation, and compiled, with their
gradients.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback.compiler import trace
from pullback.core.levels import fresh_level
from pullback.core.recorder import Recorder
from pullback.core.tracer import tracing
from pullback.func import cond, fori_loop, grad, hessian, jvp, scan, vmap, while_loop
from pullback.tensor.tree import tree_flatten

F64 = torch.float64


def drawn(*shape: int) -> Any:
    rng = np.random.default_rng(sum(shape))
    return torch.tensor(rng.standard_normal(shape), dtype=F64)


def leaves(value: Any) -> list[Any]:
    return [v for v in tree_flatten(value)[0] if v is not None]


def recurrent(w: Any, xs: Any, h: Any, loop: Callable[..., Any]) -> Any:
    def step(h: Any, x: Any) -> Any:
        h = (x + h @ w).tanh()
        return h, h.sum(-1)

    h, ys = loop(step, h, xs)
    return (ys**2).sum() + h.sum()


def unrolled(step: Callable[..., Any], carry: Any, xs: Any) -> Any:
    ys = []
    for x in xs.unbind(0):
        carry, y = step(carry, x)
        ys.append(y)
    return carry, torch.stack(ys)


def newton(a: Any) -> Any:
    return while_loop(
        lambda s: (s[0] * s[0] - s[1]).abs() > 1e-9, lambda s: (0.5 * (s[0] + s[1] / s[0]), s[1]),
        (a * 0 + 1.0, a)
    )[0]


def turned(x: Any) -> Any:
    return cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos() * 2, x)


def inside(c: Any, xs: Any) -> Any:
    return scan(lambda d, z: ((d * z).sin(), d), c, xs)[0]


FUNCTIONS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "gradient": (
        grad(lambda w, xs, h: recurrent(w, xs, h, scan), argnums=(0, 1, 2)),
        (drawn(3, 3), drawn(5, 2, 3), drawn(2, 3)),
    ),
    "second derivative": (
        grad(lambda w, xs: grad(recurrent)(w, xs, xs[0], scan).pow(2).sum()), (drawn(3, 3), drawn(5, 2, 3))
    ),
    "hessian": (
        hessian(lambda w, xs: recurrent(w, xs, xs[0], scan)), (drawn(2, 2), drawn(4, 1, 2))
    ),
    "forward mode": (
        lambda w, xs: jvp(lambda w: recurrent(w, xs, xs[0], scan), (w,), (w.cos(),)),
        (drawn(3, 3), drawn(5, 2, 3))
    ),
    "batch": (
        lambda w, xs: vmap(lambda x: recurrent(w, x, x[0], scan))(xs), (drawn(3, 3), drawn(4, 5, 3))
    ),
    "gradients of a batch": (
        lambda w, xs: vmap(lambda x: grad(recurrent)(w, x.unsqueeze(1), x[:1], scan))(xs),
        (drawn(3, 3), drawn(4, 5, 3)),
    ),
    "reversed": (
        grad(lambda x: (scan(lambda c, y: (c * y, {"a": c + y}), x[0], x, reverse=True)[1]["a"] * x).sum()),
        (drawn(4),),
    ),
    "number in the carry": (
        lambda x: scan(lambda c, y: ((c[0] + 1, c[1] * y), c[0]), (0, x[0]), x), (drawn(4),)
    ),
    "no slices": (lambda x: scan(lambda c, _: ((c * x).sin(), None), x, length=3)[0], (drawn(4),)),
    "no steps": (lambda x: scan(lambda c, y: (c * y, c), x, x.unsqueeze(0)[:0]), (drawn(4),)),
    "scan in a scan": (grad(lambda x: scan(lambda c, y: (inside(c + y, x), c), x[0], x)[0]), (drawn(4),)),
    "hessian of a scan in a scan": (
        hessian(lambda x: scan(lambda c, y: (inside(c + y, x), c), x[0], x)[0]), (drawn(3),)
    ),
    "fori_loop": (grad(lambda x: fori_loop(0, 5, lambda i, v: (v * 1.1 + i).sin(), x).sum()), (drawn(4),)),
    "index": (grad(lambda x: fori_loop(1, 4, lambda i, v: v + x[i] ** 2, x * 0).sum()), (drawn(4),)),
    "bound of a tensor": (lambda x: fori_loop(0, (x > 0).sum(), lambda i, v: v + x, x), (drawn(4),)),
    "while_loop": (newton, (torch.tensor(2.0, dtype=F64),)),
    "tangent of a while_loop": (
        lambda a: jvp(newton, (a,), (torch.ones_like(a),)), (torch.tensor(2.0, dtype=F64),)
    ),
    "cond": (turned, (drawn(4),)),
    "gradient of a cond": (grad(lambda x: turned(x).sum()), (drawn(4),)),
    "second derivative of a cond": (grad(lambda x: grad(lambda x: turned(x).sum())(x).sum()), (-drawn(4),)),
    "tangent of a cond": (lambda x: jvp(turned, (x,), (x,)), (drawn(4),)),
    "cond in a scan": (
        grad(lambda x: scan(lambda c, y: (turned(c * y), c), x, x)[0].sum()), (drawn(4),)
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_traced_loop_gives_what_the_eager_loop_gives(name: str) -> None:
    function, args = FUNCTIONS[name]
    expected = leaves(function(*args))
    traced = trace(function, *args)
    assert any(e.op in ("scan", "while_loop", "cond") for e in traced.program.equations)
    for found in (leaves(traced()), leaves(traced())):
        for a, b in zip(found, expected, strict=True):
            assert a.shape == b.shape and a.dtype == b.dtype
            np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_compiled_loop_gives_what_the_eager_loop_gives(name: str) -> None:
    pytest.importorskip("llvmlite")
    function, args = FUNCTIONS[name]
    expected = leaves(function(*args))
    found = leaves(torch.compile(function, backend="native", fullgraph=True)(*args))
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-10, atol=1e-10)


def test_the_eager_loop_is_the_unrolled_one() -> None:
    w, xs, h = drawn(3, 3), drawn(5, 2, 3), drawn(2, 3)
    for a, b in zip(
        grad(recurrent, argnums=(0, 1, 2))(w, xs, h, scan),
        grad(recurrent, argnums=(0, 1, 2))(w, xs, h, unrolled), strict=True,
    ):  # fmt: skip
        assert torch.equal(a, b)


def test_a_loop_of_many_steps_is_one_equation() -> None:
    x = drawn(3)
    traced = trace(grad(lambda x: fori_loop(0, 10_000, lambda i, v: v * 0.999 + i * 1e-9, x).sum()), x)
    assert len(traced.program.equations) < 20
    assert np.allclose(traced()[0].item(), 0.999**10_000)


def test_what_a_body_reads_from_outside_gets_gradients() -> None:
    w = drawn(4).requires_grad_()

    def loss() -> Any:
        y = scan(lambda c, _: ((c * w).sin(), None), w, length=3)[0].sum()
        return torch.autograd.grad(y, w)[0]

    expected = loss()
    with tracing(Recorder(fresh_level())):
        assert torch.allclose(loss(), expected)


def test_rows_of_a_batch_end_their_loops_one_by_one() -> None:
    with tracing(Recorder(fresh_level())):
        found = vmap(newton)(torch.tensor([1.0, 2.0, 3.0, 1e4], dtype=F64))
        x = drawn(5)
        chosen = vmap(lambda x: cond(x > 0, lambda x: x.sin(), lambda x: x.cos(), x))(x)
        slopes = vmap(grad(lambda x: cond(x > 0, lambda x: x.sin(), lambda x: x.cos(), x)))(x)
    np.testing.assert_allclose(found.numpy(), np.sqrt([1.0, 2.0, 3.0, 1e4]))
    assert torch.equal(chosen, torch.where(x > 0, x.sin(), x.cos()))
    assert torch.equal(slopes, torch.where(x > 0, x.cos(), -x.sin()))


def test_random_numbers_are_drawn_step_by_step() -> None:
    def noisy(x: Any) -> Any:
        return scan(lambda c, y: (torch.dropout(c, 0.5, True) + y, None), x, torch.ones(6, 4, dtype=F64))[0]

    x = drawn(4)
    torch.manual_seed(3)
    expected = [noisy(x), noisy(x)]
    torch.manual_seed(3)
    # Tracing makes the first call.
    traced = trace(noisy, x)
    assert not torch.equal(*expected)
    assert torch.equal(traced(), expected[1])


def test_what_depends_on_no_tensor_is_drawn_by_every_step() -> None:
    def noisy(x: Any) -> Any:
        return scan(lambda c, y: (c + torch.randn(3, dtype=F64), c * y), x, x.expand(4, 3))

    x = drawn(3)
    torch.manual_seed(3)
    expected = noisy(x)
    torch.manual_seed(3)
    found = torch.compile(noisy, backend="native")(x)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy())


class TestErrors:
    @pytest.mark.parametrize("traced", [False, True])
    def test_a_carry_that_changes_its_shape(self, traced: bool) -> None:
        def grows(x: Any) -> Any:
            return scan(lambda c, y: (torch.stack([c, c]), c), x[0], x)

        with pytest.raises(TypeError, match="before a step"):
            trace(grows, drawn(3)) if traced else grows(drawn(3))

    def test_lengths_that_differ(self) -> None:
        with pytest.raises(ValueError, match="one number"):
            scan(lambda c, y: (c, c), drawn(3), (drawn(3), drawn(4)))
        with pytest.raises(ValueError, match="one number"):
            scan(lambda c, y: (c, c), drawn(3))

    def test_a_step_that_returns_no_pair(self) -> None:
        with pytest.raises(TypeError, match="a pair"):
            scan(lambda c, y: c, drawn(3), drawn(3))

    def test_a_while_loop_is_not_pulled_back(self) -> None:
        with pytest.raises(RuntimeError, match="no reverse-mode derivative"):
            trace(grad(newton), torch.tensor(2.0, dtype=F64))

    def test_branches_that_differ(self) -> None:
        with pytest.raises(TypeError, match="different things"):
            trace(lambda x: cond(x.sum() > 0, lambda x: x, lambda x: x.sum(), x), drawn(3))

    def test_a_body_does_not_write_to_what_is_outside(self) -> None:
        total = torch.zeros(())

        def adds(x: Any) -> Any:
            return scan(lambda c, y: (c + total.add_(y), None), x[0], x)[0]

        with pytest.raises(RuntimeError, match="would mutate a captured Tensor"):
            trace(adds, drawn(3))

    def test_a_value_that_leaves_a_body_by_another_way(self) -> None:
        kept = []

        def leaks(x: Any) -> Any:
            scan(lambda c, y: (kept.append(c) or c + y, None), x[0], x)
            return kept[-1] * 2

        with pytest.raises(RuntimeError, match="used outside"):
            trace(leaks, drawn(3))


class TestTorch:
    """torch.cond and torch.while_loop."""

    def test_cond(self) -> None:
        x = drawn(3)
        assert torch.equal(torch.cond(True, lambda x: x.sin(), lambda x: x, (x,)), x.sin())
        assert torch.equal(torch.cond(torch.tensor(False), lambda x: x.sin(), lambda x: x, (x,)), x)
        found = trace(lambda x: torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,)), x)()
        assert torch.equal(found, x.sin() if x.sum() > 0 else x.cos())

    def test_while_loop(self) -> None:
        i, y = torch.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (0, torch.ones(2)))
        assert i.item() == 3 and y.tolist() == [8.0, 8.0]
        traced = trace(
            lambda x: torch.while_loop(lambda x: x.sum() < 9, lambda x: (x * 2,), (x,))[0], torch.ones(2)
        )
        assert traced().tolist() == [8.0, 8.0]

    @pytest.mark.parametrize(
        ("args", "text"),
        [
            (("a", abs, abs, ()), "Expected pred to be bool or tensor, but got a."),
            ((torch.ones(2), abs, abs, ()), "Expected pred to be bool or single-element tensor, but got "),
            ((torch.tensor(True), 3, abs, ()), "Expect both branches to be callable."),
            ((torch.tensor(True), abs, abs, (3,)), "Expect operands to be a tuple of possibly nested"),
        ],
    )
    def test_torch_refuses(self, args: tuple[Any, ...], text: str) -> None:
        with pytest.raises(RuntimeError, match=f"^{text}"):
            torch.cond(*args)
