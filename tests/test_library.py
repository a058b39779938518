"""Ops of a program's own: schemas, kernels, derivatives."""

from __future__ import annotations

import pytest

import pullback as torch
from pullback.library import Library, custom_op, define, impl, infer_schema


@custom_op("tests::scaled_sine", mutates_args=())
def scaled_sine(x: torch.Tensor, factor: int = 2) -> torch.Tensor:
    return torch.sin(x) * factor


def keep(ctx, inputs, output):
    ctx.save_for_backward(inputs[0])
    ctx.factor = inputs[1]


def pull(ctx, grad):
    (x,) = ctx.saved_tensors
    return grad * x.cos() * ctx.factor, None


scaled_sine.register_autograd(pull, setup_context=keep)


@scaled_sine.register_fake
def _(x, factor=2):
    return torch.empty_like(x)


def test_an_op_and_its_derivative() -> None:
    x = torch.tensor([0.0, 1.0], dtype=torch.float64, requires_grad=True)
    assert torch.equal(torch.ops.tests.scaled_sine(x, 3), torch.sin(x) * 3)
    assert torch.equal(torch.ops.tests.scaled_sine.default(x), scaled_sine(x, factor=2))
    assert type(scaled_sine(x).grad_fn).__name__ == "GeneratedBackwardFor_tests_scaled_sine_defaultBackward"
    assert torch.autograd.gradcheck(scaled_sine, (x,))
    assert scaled_sine(x.detach()).grad_fn is None


def test_lists_of_tensors() -> None:
    @custom_op("tests::total", mutates_args=())
    def total(xs: list[torch.Tensor], y: torch.Tensor) -> torch.Tensor:
        return sum(x.sum() for x in xs) + y

    total.register_autograd(
        lambda ctx, g: ([g.expand(n) * 2 for n in ctx.sizes], g),
        setup_context=lambda ctx, inputs, output: setattr(ctx, "sizes", [x.shape for x in inputs[0]]),
    )
    a, b = torch.ones(2, requires_grad=True), torch.ones(3, requires_grad=True)
    total([a, b], torch.tensor(1.0)).backward()
    assert (a.grad.tolist(), b.grad.tolist()) == ([2.0, 2.0], [2.0, 2.0, 2.0])


def test_without_a_derivative() -> None:
    plain = custom_op("tests::plain", torch.exp, mutates_args=(), schema="(Tensor x) -> Tensor")
    x = torch.ones(1, requires_grad=True)
    with pytest.raises(
        RuntimeError,
        match="Trying to backward through tests.plain.default but no autograd formula was registered",
    ):
        plain(x).sum().backward()


def test_an_op_that_writes() -> None:
    @custom_op("tests::raise_", mutates_args={"x"})
    def raise_(x: torch.Tensor, by: float) -> None:
        x.add_(by)

    assert raise_._schema == "(Tensor(a0!) x, float by) -> ()"
    x = torch.zeros(2)
    assert raise_(x, 1.5) is None
    assert x.tolist() == [1.5, 1.5]


def test_schemas_and_kernels_apart() -> None:
    define("tests::times", "(Tensor x, int n=4, *, float[2] s=None) -> Tensor")
    with pytest.raises(NotImplementedError, match="no kernel registered for tests::times"):
        torch.ops.tests.times(torch.ones(1))
    impl("tests::times", "cpu", lambda x, n=1, s=None: x * n)
    assert torch.ops.tests.times(torch.ones(1)).item() == 4.0
    assert torch.ops.tests.times(torch.ones(1), n=2).item() == 2.0
    library = Library("tests", "FRAGMENT")
    assert library.define("next(Tensor x) -> Tensor") == "next"
    library.impl("next", lambda x: x + 1, "CPU")
    assert torch.ops.tests.next(torch.ones(1)).item() == 2.0


def several(
    x: torch.Tensor, n: int | None, flags: list[bool], y: torch.Tensor | None = None, *, eps: float = 0.5
) -> tuple[torch.Tensor, int]:
    return x, 1


def test_inferred_schemas() -> None:
    assert infer_schema(several) == (
        "(Tensor x, SymInt? n, bool[] flags, Tensor? y=None, *, float eps=0.5) -> (Tensor, SymInt)"
    )
    with pytest.raises(
        ValueError, match=r"Parameter x must have a type annotation. Got func with signature \(x\)"
    ):
        infer_schema(lambda x: x)


def test_errors() -> None:
    with pytest.raises(AttributeError, match="'_OpNamespace' 'tests' object has no attribute 'nothing'"):
        torch.ops.tests.nothing
    with pytest.raises(ValueError, match="of the form 'namespace::name'"):
        custom_op("alone", torch.exp, mutates_args=(), schema="(Tensor x) -> Tensor")
    with pytest.raises(ValueError, match="the namespace 'random' is pullback's own"):
        define("random::mine", "(Tensor x) -> Tensor")
    same = custom_op("tests::same", lambda x: x, mutates_args=(), schema="(Tensor x) -> Tensor")
    with pytest.raises(RuntimeError, match="must not also be an input to this custom operator"):
        same(torch.ones(1))
