"""Sparse tensors of coordinates: parts, products, sums, gradients, optimizers."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

T = Any


def _failing(function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    try:
        print(function(*args, **kwargs))
    except Exception as error:  # noqa: BLE001  # the text is what is looked at
        print(type(error).__name__, str(error).split(". This could")[0])


def _matrix(torch: T) -> T:
    places = torch.tensor([[0, 1, 1, 0], [2, 0, 2, 2]])
    return torch.sparse_coo_tensor(places, torch.tensor([3.0, 4.0, 5.0, 1.0]), (2, 3))


def parts(torch: T) -> None:
    s = _matrix(torch)
    print(s, s.coalesce(), s.to_dense())
    print(s.is_sparse, s.layout, s.is_coalesced(), s.coalesce().is_coalesced(), s.requires_grad, s.device)
    print(s._indices(), s._values(), s._nnz(), s.coalesce().indices(), s.coalesce().values())
    print(s.shape, s.size(0), s.dim(), s.sparse_dim(), s.dense_dim(), s.dtype, s.numel(), len(s))
    print(isinstance(s, torch.Tensor), type(s), torch.is_tensor(s), torch.ones(1).is_sparse)
    _failing(s.indices)
    _failing(s.values)
    _failing(s.numpy)
    _failing(s.item)
    _failing(bool, s)
    print(copy.deepcopy(s).to_dense(), s.double(), s.float() is s, s.to(torch.float64).dtype, s.cpu() is s)


def construction(torch: T) -> None:
    make = torch.sparse_coo_tensor
    places = torch.tensor([[0, 1, 1, 0], [2, 0, 2, 2]])
    print(make(places, torch.ones(4)).shape, make([[0, 1]], [1, 2], dtype=torch.float32), make((2, 3)))
    rows = make(places[:1], torch.ones(4, 2), (2, 2))
    print(rows, rows.coalesce().to_dense(), rows.dense_dim())
    _failing(make, places, torch.ones(4), (2, 3, 4))
    _failing(make, places, torch.ones(2), (2, 3))
    print(torch.sparse.FloatTensor(places, torch.ones(4), torch.Size([2, 3])).to_dense())
    dense = torch.tensor([[0.0, 1.0], [2.0, 0.0]])
    print(dense.to_sparse(), dense.to_sparse(1), dense.to_sparse().to_dense(), dense.to_dense() is dense)


def products(torch: T) -> None:
    s, d = _matrix(torch), torch.arange(6.0).view(3, 2)
    print(torch.sparse.mm(s, d), s @ d, torch.mm(s, d), torch.spmm(s, d), torch.matmul(s, d[:, 0]))
    print(torch.mv(s, d[:, 0]), torch.sparse.addmm(torch.ones(2, 2), s, d))
    print(torch.addmm(torch.ones(2, 2), s, d, beta=2), torch.ones(4, 2) @ s)
    print(torch.nn.functional.linear(s, d.t(), torch.ones(2)), torch.sparse.mm(s, s.t()).to_dense())


def arithmetic(torch: T) -> None:
    s, e = _matrix(torch), torch.ones(2, 3)
    print(s * 2, 2 * s, s / 2, -s, s.t(), s.transpose(0, 1), s.T.shape, s.clone(), s.detach())
    print((s + s).to_dense(), (s - s).to_dense(), e + s, e.add(s, alpha=2), e.add_(s), s * e)
    print(s.abs(), s.pow(2), s.relu(), torch.sqrt(s), s.sum(), torch.sparse.sum(s), torch.sparse.sum(s, 0))
    print(torch.sparse.sum(s, dim=1).to_dense(), torch.sparse.sum(s, (0, 1)), s.clone().zero_())
    _failing(lambda: s + e)
    _failing(s.exp)
    _failing(lambda: s.view(3, 2))


def gradients(torch: T) -> None:
    places = torch.tensor([[0, 1, 1, 0], [2, 0, 2, 2]])
    w = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    x = torch.arange(6.0).view(3, 2).requires_grad_()
    s = torch.sparse_coo_tensor(places, w, (2, 3))
    torch.sparse.mm(s, x).pow(2).sum().backward()
    print(s.requires_grad, w.grad, x.grad)
    w.grad = None
    (torch.sparse_coo_tensor(places, w, (2, 3)).coalesce() * 2).to_dense().sin().sum().backward()
    print(w.grad)


def optimizers(torch: T) -> None:
    def gradient() -> T:
        return torch.sparse_coo_tensor([[0, 2]], torch.ones(2, 3), (3, 3))

    for name, options in (
        ("SparseAdam", {}), ("SGD", {}), ("SGD", {"momentum": 0.9}), ("Adam", {}), ("AdamW", {}),
        ("RMSprop", {}), ("Rprop", {}), ("Muon", {}),
    ):  # fmt: skip
        p = torch.nn.Parameter(torch.ones(3, 3))
        optimizer = getattr(torch.optim, name)([p], lr=0.1, **options)

        def steps(p: T = p, optimizer: T = optimizer) -> T:
            for _ in range(3):
                p.grad = gradient()
                optimizer.step()
            return p.detach()

        _failing(steps)
    optimizer = torch.optim.SparseAdam([p])
    p.grad = torch.ones(3, 3)
    _failing(optimizer.step)
    print(optimizer.state_dict()["state"])
    p.grad = gradient()
    optimizer.step()
    print(optimizer.state_dict()["state"])
    optimizer.zero_grad(set_to_none=False)
    print(p.grad._nnz())
    _failing(torch.optim.SparseAdam, [gradient()])
