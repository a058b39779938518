"""The ops of common models need no array kernel, forward and backward."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pullback as torch
from pullback import nn
from tests.compiler.agreement import agree

pytest.importorskip("llvmlite")
from pullback.compiler.lower import routines

pytestmark = pytest.mark.usefixtures("in_haste")
F = nn.functional
attend = F.scaled_dot_product_attention


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


def x(*shape: int) -> Any:
    return torch.randn(*shape)


def classes(count: int, *shape: int) -> Any:
    return torch.randint(0, count, shape)


def heads(count: int) -> tuple[Any, ...]:
    return tuple(x(2, 3, 8, 4) for _ in range(count))


CASES: dict[str, tuple[Callable[..., Any], Callable[[], tuple[Any, ...]]]] = {
    "layer_norm": (lambda x, w, b: F.layer_norm(x, (12,), w, b), lambda: (x(5, 7, 12), x(12), x(12))),
    "layer_norm_two_axes": (lambda x: F.layer_norm(x, (7, 12)), lambda: (x(5, 7, 12),)),
    "layer_norm_of_all": (lambda x: F.layer_norm(x, x.shape), lambda: (x(5, 12),)),
    "group_norm": (lambda x, w, b: F.group_norm(x, 2, w, b), lambda: (x(3, 6, 4, 5), x(6), x(6))),
    "rms_norm": (lambda x, w: F.rms_norm(x, (12,), w), lambda: (x(5, 7, 12), x(12))),
    "attention": (lambda q, k, v: attend(q, k, v), lambda: heads(3)),
    "causal": (lambda q, k, v: attend(q, k, v, is_causal=True), lambda: heads(3)),
    "causal_in_stretches": (
        lambda q, k, v: attend(q, k, v, is_causal=True), lambda: (x(1, 512, 4), x(1, 400, 4), x(1, 400, 3))
    ),
    "attention_mask": (lambda q, k, v, m: attend(q, k, v, m), lambda: (*heads(3), x(8, 8))),
    "attention_bool": (lambda q, k, v, m: attend(q, k, v, m), lambda: (*heads(3), x(8, 8) > 0.9)),
    "cat": (lambda x, y: torch.cat([x, y * 2, x], 1), lambda: (x(3, 4, 2), x(3, 5, 2))),
    "stack": (lambda x, y: torch.stack([x, y.exp()], 1), lambda: (x(3, 4), x(3, 4))),
    "chunk": (lambda x: torch.cat([p * n for n, p in enumerate(x.chunk(3, 1))]), lambda: (x(4, 9),)),
    "slices": (lambda x: x[1:, 2] * x[:-1, 0] + x[1:, -1].exp(), lambda: (x(5, 4),)),
    "inner_slices": (lambda x: x[:, 1:] * x[:, :-1], lambda: (x(5, 8),)),
    "pad": (lambda x: F.pad(x, (1, 2, -1, 1), value=3.0).exp(), lambda: (x(4, 5),)),
    "tril": (lambda x: torch.tril(x @ x.t(), 1) + torch.triu(x, 2), lambda: (x(6, 6),)),
    "masked_fill": (lambda x: x.masked_fill(x < 0, -1e9).softmax(-1), lambda: (x(4, 6),)),
    "lerp": (lambda x, y, w: x.lerp(y, w), lambda: (x(5), x(5), torch.rand(5))),
    "copied": (lambda x, y: x.clone().copy_(y) * x, lambda: (x(4, 5), x(5))),
    "one_hot": (lambda x, i: x @ F.one_hot(i, 9).float(), lambda: (x(6, 4), classes(9, 4))),
    "cross_entropy": (lambda x, t: F.cross_entropy(x, t), lambda: (x(4, 6), classes(6, 4))),
    "smoothed": (
        lambda x, t: F.cross_entropy(x, t, label_smoothing=0.1), lambda: (x(4, 6), classes(6, 4))
    ),
    "weighed": (
        lambda x, t, w: F.cross_entropy(x, t, w.detach()), lambda: (x(4, 6), classes(6, 4), torch.rand(6))
    ),
    "each": (lambda x, t: F.cross_entropy(x, t, reduction="none"), lambda: (x(4, 6), classes(6, 4))),
    "of_planes": (lambda x, t: F.cross_entropy(x, t), lambda: (x(4, 6, 5), classes(6, 4, 5))),
    "of_a_vector": (lambda x, t: F.cross_entropy(x, t), lambda: (x(6), classes(6))),
    "ignored": (lambda x, t: F.cross_entropy(x, t, ignore_index=2), lambda: (x(9, 4), classes(4, 9))),
    "mse": (lambda x, y: F.mse_loss(x, y), lambda: (x(4, 6), x(4, 6))),
    "huber": (lambda x, y: F.huber_loss(x, y, delta=0.5), lambda: (x(4, 6), x(4, 6))),
    "smooth_l1": (lambda x, y: F.smooth_l1_loss(x, y, reduction="none"), lambda: (x(4, 6), x(4, 6))),
    "binary": (lambda x, y: F.binary_cross_entropy(x.sigmoid(), y), lambda: (x(4, 6), torch.rand(4, 6))),
    "logits": (
        lambda x, y, w: F.binary_cross_entropy_with_logits(x, y, pos_weight=w.detach(), reduction="sum"),
        lambda: (x(4, 6), torch.rand(4, 6), torch.rand(6)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_needs_no_array_kernel(name):
    function, inputs = CASES[name]
    agree(function, *inputs())


def test_a_query_that_sees_no_key_gets_zeros():
    mask = torch.tensor([[True, False], [False, False]])
    query, key, value = (x(1, 1, 2, 3) for _ in range(3))
    out = torch.compile(lambda: attend(query, key, value, mask), backend="native")()
    torch.testing.assert_close(out, attend(query, key, value, mask))
    assert out[0, 0, 1].tolist() == [0, 0, 0]


def test_stretches_of_causal_attention_give_what_a_mask_gives():
    query, key, value = (x(1, n, 4).double().requires_grad_() for n in (600, 500, 500))
    mask = torch.ones(600, 500, dtype=torch.bool).tril()
    found, expected = attend(query, key, value, is_causal=True), attend(query, key, value, mask)
    torch.testing.assert_close(found, expected)
    weight = x(1, 600, 4).double()
    covectors = (torch.autograd.grad(out, (query, key, value), weight) for out in (found, expected))
    torch.testing.assert_close(*covectors)


def test_losses_of_ignored_classes_only_are_nan_without_gradient():
    scores = x(2, 3).requires_grad_()
    target = torch.tensor([-100, -100])
    loss = torch.compile(F.cross_entropy, backend="native")(scores, target)
    loss.backward()
    assert loss.isnan()
    assert scores.grad.tolist() == [[0, 0, 0], [0, 0, 0]]


def test_axes_that_lie_in_a_row_are_joined_in_one_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is read with other strides than it is written keeps a loop for each axis."""
    nests: list[list[int]] = []
    nest = routines.nest

    def counted(ops: Any, variables: Any, independent: bool = True) -> Any:
        nests.append([v.extent for v in variables])
        return nest(ops, variables, independent)

    monkeypatch.setattr(routines, "nest", counted)
    x, y = torch.randn(2, 3, 5, 7), torch.randn(2, 3, 7, 5)

    def step(x: Any, y: Any) -> Any:
        return torch.cat([x * 2, y.mT + 1, x[:, :1] - x.sum(1, keepdim=True)], 1)

    torch.testing.assert_close(torch.compile(step)(x, y), step(x, y))
    assert nests == [[2, 105], [2, 3, 5, 7], [2, 35]]
