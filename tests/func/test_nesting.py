"""Transforms nest in every order and agree with each other and with recorded graphs."""

from __future__ import annotations

import re

import numpy as np
import pytest

import pullback as torch
from pullback.func import grad, hessian, jacfwd, jacrev, jvp, linearize, vjp, vmap

W = np.array([0.5, -1.0, 0.25])
X = np.array([[1.0, 2.0, -1.0], [3.0, 4.0, 0.5]])


def f(x):
    return ((x * torch.tensor(W)).tanh() * x.exp()).sum()


def g(x):
    return (x * torch.tensor(W)).sin() * x.sum()


def plain_gradient(x):
    leaf = torch.tensor(x, requires_grad=True)
    f(leaf).backward()
    return leaf.grad.numpy()


def test_grad():
    np.testing.assert_allclose(grad(f)(torch.tensor(X[0])).numpy(), plain_gradient(X[0]))


def test_vmap_of_grad():
    got = vmap(grad(f))(torch.tensor(X)).numpy()
    np.testing.assert_allclose(got, [plain_gradient(row) for row in X])


def test_grad_of_vmap():
    got = grad(lambda x: vmap(f)(x).sum())(torch.tensor(X)).numpy()
    np.testing.assert_allclose(got, [plain_gradient(row) for row in X])


@pytest.mark.parametrize("outer", [jacfwd, jacrev])
@pytest.mark.parametrize("inner", [jacfwd, jacrev])
def test_hessian_in_every_order(outer, inner):
    x = torch.tensor(X[0])
    np.testing.assert_allclose(outer(inner(f))(x).numpy(), hessian(f)(x).numpy(), rtol=1e-10, atol=1e-12)


def test_hessian_against_differences():
    step = 1e-6
    rows = [
        (plain_gradient(X[0] + step * e) - plain_gradient(X[0] - step * e)) / (2 * step) for e in np.eye(3)
    ]
    np.testing.assert_allclose(hessian(f)(torch.tensor(X[0])).numpy(), rows, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("jacobian", [jacfwd, jacrev])
def test_jacobian_of_a_vector_function(jacobian):
    x = torch.tensor(X[0])
    J = jacobian(g)(x).numpy()
    t = np.array([0.3, -0.2, 0.9])
    np.testing.assert_allclose(jvp(g, (x,), (torch.tensor(t),))[1].numpy(), J @ t, rtol=1e-12)
    np.testing.assert_allclose(vjp(g, x)[1](torch.tensor(t))[0].numpy(), t @ J, rtol=1e-12)


def test_vmap_of_jacobians():
    got = vmap(jacrev(g))(torch.tensor(X)).numpy()
    for row, J in zip(X, got, strict=True):
        np.testing.assert_allclose(J, jacfwd(g)(torch.tensor(row)).numpy(), rtol=1e-12)


def test_jvp_through_vmap_and_back():
    x, t = torch.tensor(X), torch.tensor(X[::-1].copy())
    inside = vmap(lambda a, b: jvp(f, (a,), (b,))[1])(x, t).numpy()
    outside = jvp(lambda a: vmap(f)(a), (x,), (t,))[1].numpy()
    np.testing.assert_allclose(inside, outside, rtol=1e-12)


def test_linearize():
    x = torch.tensor(X[0])
    value, push = linearize(g, x)
    t = torch.tensor(W)
    np.testing.assert_allclose(push(t).numpy(), jvp(g, (x,), (t,))[1].numpy())
    np.testing.assert_allclose(value.numpy(), g(x).numpy())


def test_a_recorded_graph_around_a_transform():
    leaf = torch.tensor(X[0], requires_grad=True)
    grad(f)(leaf).sum().backward()
    np.testing.assert_allclose(leaf.grad.numpy(), hessian(f)(torch.tensor(X[0])).numpy().sum(0), rtol=1e-12)


def test_backward_inside_vmap():
    def row_gradient(x):
        leaf = x.detach().requires_grad_()
        f(leaf).backward()
        return leaf.grad

    np.testing.assert_allclose(vmap(row_gradient)(torch.tensor(X)).numpy(), [plain_gradient(r) for r in X])


def test_vmap_dims_and_containers():
    x = torch.tensor(X)
    out = vmap(lambda d, b: {"sum": d["a"] + b, "same": b}, in_dims=({"a": 1}, None), out_dims=1)(
        {"a": x}, torch.tensor([1.0, 2.0], dtype=torch.float64)
    )
    np.testing.assert_allclose(out["sum"].numpy(), X + np.array([[1.0], [2.0]]))
    assert out["same"].shape == (2, 3)


def test_is_grads_batched():
    leaf = torch.tensor(X, requires_grad=True)
    y = leaf * leaf
    vs = torch.tensor(np.stack([np.ones_like(X), X]))
    (got,) = torch.autograd.grad(y, leaf, vs, is_grads_batched=True)
    np.testing.assert_allclose(got.numpy(), np.stack([2 * X, 2 * X * X]))


def test_mean_in_a_gradient_of_each_sample() -> None:
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    each = torch.vmap(torch.func.grad(lambda v: (v**2).mean()))(x)
    assert each.tolist() == x.tolist()


def test_writes_within_transforms_are_told_from_writes_outside():
    outside = torch.ones(3)

    def made_within(x):
        y = torch.func.vmap(lambda v: v * 2)(outside)
        y.add_(1)
        z = outside * 2
        z.add_(y)
        return (x * z).sum()

    def given(x):
        outside[1:].add_(1)
        return (x * outside).sum()

    assert torch.func.grad(made_within)(torch.ones(3)).tolist() == [5.0, 5.0, 5.0]
    with pytest.raises(RuntimeError, match="in-place"):
        torch.func.grad(given)(torch.ones(3))


@pytest.mark.parametrize("call, variant", [
    (lambda x: x.add_(2.0), "add_.Tensor"),
    (lambda x: x.eq_(2.0), "eq_.Scalar"),
    (lambda x: x.greater_(x), "greater_.Tensor"),
    (lambda x: x.atan2_(x), "atan2_"),
    (lambda x: x.bitwise_left_shift_(1), "bitwise_left_shift_.Tensor_Scalar"),
    (lambda x: x.clamp_(max=2.0), "clamp_"),
    (lambda x: x.clamp_(torch.ones(2)), "clamp_.Tensor"),
    (lambda x: x.lerp_(x, 0.5), "lerp_.Scalar"),
    (lambda x: x.masked_fill_(x > 0, 2.0), "masked_fill_.Scalar"),
    (lambda x: x.scatter_(0, torch.tensor([0, 1]), x), "scatter_.src"),
    (lambda x: x.xlogy_(2), "xlogy_.Scalar_Other"),
])  # fmt: skip
def test_a_write_to_a_captured_tensor_is_named_by_its_overload(call, variant):
    captured = torch.ones(2)

    def writes(x):
        call(captured)
        return x.sum()

    with pytest.raises(RuntimeError, match=re.escape(f"in-place operation (aten::{variant}) that would")):
        grad(writes)(torch.ones(2))


@pytest.mark.parametrize("transform", [grad, torch.func.grad_and_value, jacrev, jacfwd])
@pytest.mark.parametrize("aux", [1, None, {"count": 2.0}])
def test_what_is_passed_through_is_of_tensors(transform, aux):
    with pytest.raises(RuntimeError, match="Expected tensors, got unsupported type <class '"):
        transform(lambda x: (x.sum(), aux), has_aux=True)(torch.ones(3))
    for transformed in (lambda f, x: vjp(f, x, has_aux=True), lambda f, x: jvp(f, (x,), (x,), has_aux=True)):
        with pytest.raises(RuntimeError, match="Expected tensors, got unsupported type <class '"):
            transformed(lambda x: (x.sum(), aux), torch.ones(3))


def test_hessian_of_a_softmax() -> None:
    found = hessian(lambda x: x.softmax(0)[0] ** 2)(torch.zeros(2, dtype=torch.float64))
    assert torch.allclose(found, torch.tensor([[0.125, -0.125], [-0.125, 0.125]], dtype=torch.float64))


def test_results_are_views_of_what_was_written_to() -> None:
    def written(x: torch.Tensor) -> torch.Tensor:
        y = (x * 2).unsqueeze(-1).squeeze(-1)
        y[1:] = torch.tensor([10.0, 20.0])
        return y

    x, ones = torch.tensor([1.0, 2.0, 3.0]), torch.ones(3)
    value, slope = [2.0, 10.0, 20.0], [2.0, 0.0, 0.0]
    assert [t.tolist() for t in jvp(written, (x,), (ones,))] == [value, slope]
    found, pull = vjp(written, x)
    assert found.tolist() == value and pull(ones)[0].tolist() == slope
    assert grad(lambda x: (x.sum(), written(x)), has_aux=True)(x)[1].tolist() == value
    assert grad(lambda x: written(x)[0])(x).tolist() == slope
    assert vmap(written)(x.expand(2, 3)).tolist() == [value, value]
    assert vmap(jacrev(written))(x.expand(2, 3)).sum(2).tolist() == [slope, slope]
