"""Embeddings with ``sparse=True`` and gather with ``sparse_grad=True``: their gradients are sparse tensors of
what was picked.
"""

from __future__ import annotations

import pytest

import pullback as torch
from pullback import nn
from pullback.nn import functional as F

PICKED = torch.tensor([[1, 2], [1, 5]])


def table(**options) -> nn.Embedding:
    torch.manual_seed(0)
    return nn.Embedding(6, 3, **options)


def test_a_gradient_holds_the_rows_that_were_picked():
    sparse, dense = table(sparse=True, padding_idx=2), table(padding_idx=2)
    for layer in (sparse, dense):
        out = layer(PICKED)
        assert type(out.grad_fn).__name__ == "EmbeddingBackward0"
        out.pow(2).sum().backward()
    grad = sparse.weight.grad
    assert grad.is_sparse and grad._indices().tolist() == [[1, 1, 5]]
    torch.testing.assert_close(grad.to_dense(), dense.weight.grad)


def test_sums_with_sparse_and_dense_gradients():
    layer = table(sparse=True)
    (layer(PICKED).sum() + layer(PICKED).sum()).backward()
    layer(PICKED).sum().backward()
    assert layer.weight.grad.is_sparse
    assert layer.weight.grad.to_dense()[1].tolist() == [6.0] * 3
    layer.weight.sum().backward()
    assert not layer.weight.grad.is_sparse
    layer(PICKED).sum().backward()
    assert layer.weight.grad[:, 0].tolist() == [1, 9, 5, 1, 1, 5]
    layer.zero_grad()
    (layer.weight.sum() + layer(PICKED).sum()).backward()
    assert layer.weight.grad[:, 0].tolist() == [1, 3, 2, 1, 1, 2]


def test_the_covector_that_was_given_is_not_shared():
    layer, v = table(sparse=True), torch.ones(2, 2, 3)
    layer(PICKED).backward(v)
    layer.weight.grad._values().mul_(2)
    assert v.sum() == 12


def test_derivatives_of_sparse_gradients():
    layer = table(sparse=True)
    (grad,) = torch.autograd.grad(layer(PICKED).pow(3).sum(), layer.weight, create_graph=True)
    assert grad.is_sparse
    grad.to_dense().sum().backward()
    expected = torch.zeros(6, 3).index_add(0, PICKED.reshape(-1), 6 * layer(PICKED).detach().reshape(4, 3))
    torch.testing.assert_close(layer.weight.grad.to_dense(), expected)


def test_hooks_see_and_may_change_it():
    layer = table(sparse=True)
    seen = []
    layer.weight.register_hook(lambda g: seen.append(g.is_sparse) or g * 2)
    layer(PICKED).sum().backward()
    assert seen == [True]
    assert layer.weight.grad.to_dense()[1].tolist() == [4.0] * 3


def test_frequencies_are_refused_in_backward():
    layer = table(sparse=True, scale_grad_by_freq=True)
    with pytest.raises(RuntimeError, match="scale_grad_by_freq not supported with sparse gradients"):
        layer(PICKED).sum().backward()


@pytest.mark.parametrize("mode", ["sum", "mean"])
@pytest.mark.parametrize("padding", [None, 1])
def test_bags(mode: str, padding: int | None):
    torch.manual_seed(0)
    weights = [torch.randn(6, 3, requires_grad=True)]
    weights.append(weights[0].detach().clone().requires_grad_())
    scale = torch.rand(2, 2) if mode == "sum" else None
    for weight, sparse in zip(weights, (True, False), strict=True):
        out = F.embedding_bag(
            PICKED, weight, mode=mode, sparse=sparse, per_sample_weights=scale, padding_idx=padding
        )
        assert type(out.grad_fn).__name__ == "EmbeddingBagBackward0"
        out.pow(2).sum().backward()
    assert weights[0].grad.is_sparse
    torch.testing.assert_close(weights[0].grad.to_dense(), weights[1].grad)


@pytest.mark.parametrize(
    ("sparse", "dense", "options"),
    [
        ("SGD", "SGD", {"lr": 0.1}),
        ("SGD", "SGD", {"lr": 0.1, "momentum": 0.9}),
        ("Adagrad", "Adagrad", {"lr": 0.1, "lr_decay": 0.1}),
        ("LBFGS", "LBFGS", {"lr": 0.1}),
    ],
)
def test_training_goes_as_with_dense_gradients(sparse: str, dense: str, options: dict[str, float]):
    layers = [table(sparse=True).double(), table().double()]
    for layer, name in zip(layers, (sparse, dense), strict=True):
        optimizer = getattr(torch.optim, name)(layer.parameters(), **options)

        def loss(layer=layer, optimizer=optimizer):
            optimizer.zero_grad()
            value = (layer(PICKED) - 1).pow(2).mean()
            value.backward()
            return value

        for _ in range(4):
            optimizer.step(loss)
    torch.testing.assert_close(layers[0].weight, layers[1].weight)


def test_sparse_adam_leaves_other_rows_alone():
    layer = table(sparse=True)
    before = layer.weight.detach().clone()
    optimizer = torch.optim.SparseAdam(layer.parameters(), lr=0.1)
    layer(PICKED).sum().backward()
    optimizer.step()
    moved = (layer.weight.detach() - before)[:, 0]
    torch.testing.assert_close(moved, torch.tensor([0.0, -0.1, -0.1, 0.0, 0.0, -0.1]))


def test_optimizers_without_a_form_for_them_say_so():
    layer = table(sparse=True)
    layer(PICKED).sum().backward()
    with pytest.raises(RuntimeError, match="does not support sparse gradients, please consider SparseAdam"):
        torch.optim.Adam(layer.parameters()).step()
    with pytest.raises(RuntimeError, match="weight_decay option is not compatible with sparse gradients"):
        torch.optim.Adagrad(layer.parameters(), weight_decay=0.1).step()


def test_a_sparse_gradient_is_refused_before_a_step_of_the_others():
    other = torch.nn.Parameter(torch.ones(2))
    layer = table(sparse=True)
    (layer(PICKED).sum() + other.sum()).backward()
    for options in ({}, {"capturable": True}, {"foreach": True, "differentiable": True}):
        optimizer = torch.optim.NAdam([other, layer.weight], **options)
        with pytest.raises(RuntimeError, match=r"^NAdam does not support sparse gradients$"):
            optimizer.step()
        assert other.tolist() == [1, 1]


def test_a_gradient_is_laid_out_like_its_leaf():
    x = torch.randn(2, 3, 4, 4).to(memory_format=torch.channels_last).requires_grad_()
    x.flatten().sum().backward()
    assert x.grad.stride() == x.stride()
    w = torch.randn(3, 4, requires_grad=True)
    (w * 2).backward(torch.randn(4, 3).t())
    assert w.grad.stride() == (4, 1)


def test_gather_gives_the_places_that_were_picked():
    index = torch.tensor([[0, 1], [2, 2], [1, 0]])
    x = torch.arange(12.0).reshape(3, 4).requires_grad_()
    picked = torch.gather(x, 1, index, sparse_grad=True)
    assert type(picked.grad_fn).__name__ == "GatherBackward0"
    picked.pow(2).sum().backward()
    grad = x.grad
    assert grad.is_sparse and not grad.is_coalesced()
    assert grad._indices().tolist() == [[0, 0, 1, 1, 2, 2], [0, 1, 2, 2, 1, 0]]
    x.grad = None
    torch.gather(x, 1, index).pow(2).sum().backward()
    torch.testing.assert_close(grad.to_dense(), x.grad)
    torch.gather(x, 1, index, sparse_grad=True).sum().backward()
    assert not x.grad.is_sparse, "a sum with a dense gradient is dense"


def test_gather_of_nothing_and_of_a_number():
    x = torch.ones(5, requires_grad=True)
    torch.gather(x, 0, torch.tensor([], dtype=torch.int64), sparse_grad=True).sum().backward()
    assert x.grad.is_sparse and x.grad._nnz() == 0
    y = torch.ones((), requires_grad=True)
    torch.gather(y, 0, torch.tensor(0), sparse_grad=True).backward()
    assert y.grad._indices().shape == (0, 1) and y.grad._values().tolist() == [1.0]


def test_second_derivatives_through_sparse_places():
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    picked = torch.gather(x, 0, torch.tensor([2, 0, 2]), sparse_grad=True)
    (grad,) = torch.autograd.grad(picked.pow(3).sum(), x, create_graph=True)
    grad.to_dense().sum().backward()
    assert x.grad.to_dense().tolist() == [6.0, 0.0, 36.0]


def test_rows_of_a_large_covector():
    layer = nn.Embedding(50, 64, sparse=True)
    layer(torch.arange(2048).view(64, 32) % 50).sum().backward()
    assert layer.weight.grad._nnz() == 2048
    assert layer.weight.grad.to_dense()[0].tolist() == [41.0] * 64
