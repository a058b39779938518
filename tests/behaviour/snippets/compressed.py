"""Compressed sparse tensors: construction, checks, conversions, products, gradients; parts of coordinates."""

from __future__ import annotations

from typing import Any

from .sparse import _failing

T = Any

LAYOUTS = ("coo", "csr", "csc", "bsr", "bsc")


def _dense(torch: T) -> T:
    return torch.tensor(
        [[1.0, 0, 2, 0, 0, 0], [0, 3, 0, 0, 0, -1], [0, 0, 0, 0, 0, 0], [4, 0, 0, 0, 5, 6]]
    )


def _sparse(torch: T, x: T, name: str) -> T:
    block = {"blocksize": (2, 2)} if name.startswith("b") else {}
    return x.to_sparse(layout=getattr(torch, f"sparse_{name}"), **block)


def construction(torch: T) -> None:
    rows, columns, values = torch.tensor([0, 2, 3]), torch.tensor([0, 2, 1]), torch.tensor([1.0, 2.0, 3.0])
    a = torch.sparse_csr_tensor(rows, columns, values, (2, 3))
    print(a, a.to_dense(), a.shape, a.layout, a.is_sparse, a.is_sparse_csr, a.dtype, a.device, a._nnz())
    print(a.crow_indices(), a.col_indices(), a.values(), a.sparse_dim(), a.dense_dim(), a.numel(), a.dim())
    print(torch.sparse_csr_tensor(rows, columns, values), torch.sparse_csr_tensor([0, 1], [1], [2]))
    print(torch.sparse_csr_tensor(rows.int(), columns.int(), values, (2, 3), dtype=torch.float64))
    print(torch.sparse_csc_tensor(rows, columns, values))
    print(torch.sparse_csc_tensor(rows, columns, values, (3, 2)))
    blocks = torch.arange(8.0).view(2, 2, 2)
    print(torch.sparse_bsr_tensor(torch.tensor([0, 1, 2]), torch.tensor([0, 1]), blocks).to_dense())
    print(torch.sparse_bsc_tensor(torch.tensor([0, 1, 2]), torch.tensor([1, 0]), blocks))
    print(torch.sparse_compressed_tensor(rows, columns, values, (2, 3), layout=torch.sparse_csr))
    _failing(torch.sparse_compressed_tensor, rows, columns, values, (2, 3))
    for name in ("ccol_indices", "row_indices", "indices", "coalesce", "is_coalesced", "tolist", "stride"):
        _failing(getattr(a, name))
    for name in ("crow_indices", "col_indices", "ccol_indices", "row_indices"):
        _failing(getattr(a.to_sparse(), name))
        _failing(getattr(a.to_dense(), name))
    _failing(a.numpy)
    _failing(a.is_contiguous)
    _failing(a.unsqueeze, 0)
    _failing(lambda: a.T)
    _failing(lambda: a.cos())


def checks(torch: T) -> None:
    csr, csc, bsr = torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr
    t = torch.tensor
    rows, columns, values = t([0, 2, 3]), t([0, 2, 1]), t([1.0, 2.0, 3.0])
    for layout, *given in (
        (csr, rows, columns, values, (2, 2)), (csr, rows, columns, values, (3, 3)),
        (csr, t([1, 2, 3]), columns, values, (2, 3)), (csr, t([0, 2, 4]), columns, values, (2, 3)),
        (csr, t([0, 4, 3]), columns, values, (2, 3)), (csr, rows, t([2, 0, 1]), values, (2, 3)),
        (csr, rows, columns, values[:2], (2, 3)), (csr, rows, t([0, -1, 1]), values, (2, 3)),
        (csr, rows.float(), columns, values, (2, 3)), (csr, rows.int(), columns, values, (2, 3)),
        (csr, rows, columns, values, (2,)), (csr, rows[None], columns, values, (2, 3)),
        (csr, rows[None], columns[None], values, (2, 3)), (csr, rows, columns, values[None], (2, 3)),
        (csr, rows.float(), columns.float(), values, (2, 3)), (csr, t(0), t(0), values, (2, 3)),
        (csr, rows, columns, t(1.0), (2, 3)), (bsr, t([0, 1]), t([0]), torch.ones(1), (2, 2)),
        (bsr, t([0, 1]), t([0]), torch.ones(1, 2, 2), (3, 2)),
        (bsr, t([0, 1]), t([0]), torch.ones(1, 2, 2), (2, 3)),
        (bsr, t([0, 1]), t([1]), torch.ones(1, 2, 2), (2, 2)), (csc, rows, columns, values, (2, 3)),
        (csc, t([0, 1, 2, 3]), t([0, 1, 5]), values, (2, 3)),
        (csc, t([0, 3, 3, 3]), t([0, 1, 0]), values, (2, 3)), (csr, rows, columns, values, (2, 3)),
    ):  # fmt: skip
        _failing(torch.sparse_compressed_tensor, *given, layout=layout, check_invariants=True)
    print(torch.sparse.check_sparse_tensor_invariants.is_enabled())
    with torch.sparse.check_sparse_tensor_invariants():
        print(torch.sparse.check_sparse_tensor_invariants.is_enabled())
        _failing(torch.sparse_csr_tensor, rows, columns, values, (2, 2))


def conversion(torch: T) -> None:
    d = _dense(torch)
    for one in LAYOUTS:
        x = _sparse(torch, d, one)
        print(x, torch.equal(x.to_dense(), d), x.t(), x.mT.shape, x.to_sparse_coo())
        for other in LAYOUTS:
            if not (one.startswith("b") and other.startswith("c") and other != "coo"):
                print(_sparse(torch, x, other))
    print(d.long().to_sparse_csr().double(), d.to_sparse_csc(), d.to_sparse_bsr(2), d.to_sparse_bsc((1, 3)))
    print((d[:, :, None] * torch.ones(2)).to_sparse_csr(dense_dim=1), torch.ones(2, 2, 3).to_sparse_csr())
    print(torch.zeros(2, 3).to_sparse_csr(), torch.zeros(2, 3, dtype=torch.int32).to_sparse_csr())
    _failing(d.to_sparse_csr().to_sparse_bsr, (3, 2))
    a = d.to_sparse_csr()
    print(a.to_sparse_csr() is a, a.float() is a, a.to(torch.int64), a.to_sparse(layout=torch.strided))
    rows = torch.tensor([0, 0, 1, 3])
    print(torch._convert_indices_from_coo_to_csr(rows, 5), a[0], a[1, 1], a.select(0, 3))
    print(torch._convert_indices_from_coo_to_csr(rows, 5, out_int32=True))
    print(torch._convert_indices_from_csr_to_coo(a.crow_indices(), a.col_indices()))
    print(torch._convert_indices_from_csr_to_coo(a.crow_indices(), a.col_indices(), transpose=True))


def products(torch: T) -> None:
    d, y = _dense(torch), torch.arange(12.0).view(6, 2)
    for name in ("csr", "csc", "bsr"):
        a = _sparse(torch, d, name)
        print(a @ y, torch.mm(a, y), a @ y[:, 0], torch.mv(a, y[:, 1]), torch.sparse.mm(a, y))
        print(torch.addmm(torch.ones(4, 2), a, y, beta=2, alpha=3), a.sum(), (a * 2).values())
    a = d.to_sparse_csr()
    print(a + a, a * a, d * a, d + a, a + d, -a, a.abs(), a.sin(), a.clone().relu_())
    print((a @ a.t().to_sparse_csr()).to_dense())
    print(torch.addmv(torch.ones(4), a, y[:, 0]), torch.ones_like(a), torch.zeros_like(a))
    print(torch.nn.functional.linear(a, y.t(), torch.ones(2)), y.t() @ d.t().to_sparse_csr())
    print(*(torch.sparse.mm(a, y, reduce) for reduce in ("sum", "mean", "amax", "amin")))
    print(torch.sparse.sampled_addmm(a, torch.ones(4, 2), y.t(), beta=0.5, alpha=2))
    _failing(lambda: a @ d)
    _failing(lambda: a @ y[:2, 0])
    _failing(lambda: a - a)
    _failing(lambda: a.sum(1))
    _failing(lambda: torch.sparse.mm(d.to_sparse_csc(), y, "mean"))


def gradients(torch: T) -> None:
    a = _dense(torch).to_sparse_csr()
    for name in ("csr", "csc"):
        values = a.values().clone().requires_grad_()
        y = torch.arange(12.0).view(6, 2).requires_grad_()
        x = torch.sparse_csr_tensor(a.crow_indices(), a.col_indices(), values, a.shape)
        x = _sparse(torch, x, name)
        ((x @ y) * torch.arange(8.0).view(4, 2)).sum().backward()
        print(x.requires_grad, values.grad, y.grad)
        values.grad = None
        x = torch.sparse_csr_tensor(a.crow_indices(), a.col_indices(), values, a.shape)
        (torch.sparse.mm(x * 2, y.detach()).pow(2).sum() + x.to_dense().pow(3).sum()).backward()
        print(values.grad)
    d = _dense(torch).requires_grad_()
    d.to_sparse_csr().to_dense().pow(2).sum().backward()
    print(d.grad)


def coordinates(torch: T) -> None:
    d = _dense(torch)
    s = d.to_sparse()
    index = torch.tensor([3, 0, 3])
    print(s[0], s[1, 1], s.select(1, 0), s.narrow_copy(1, 0, 2), s.index_select(0, index), torch.cat([s, s]))
    print(torch.cat([s, s], 1), s.permute(1, 0), s.unsqueeze(0), s.unsqueeze(-1), s.mT)
    print(s.to_sparse_coo() is s)
    print(d.sparse_mask(s), torch.ones(4, 6).sparse_mask(d.to_sparse_csr()), s.sparse_mask(s), list(s)[3])
    print(torch.sparse.softmax(s, 1), torch.sparse.log_softmax(s, 0), torch.hspmm(s, torch.ones(6, 2)))
    print(s.index_select(0, index).is_coalesced(), s.narrow_copy(0, 0, 1).is_coalesced(), s.clone().sin_())
    rows = torch.sparse_coo_tensor([[0, 2]], [[1.0, 2], [3, 4]], (3, 2))
    print(rows.select(1, 0), rows.narrow_copy(1, 1, 1), torch.sparse.softmax(rows, 1), rows.unsqueeze(2))
    diagonals = torch.arange(6.0).view(2, 3)
    print(torch.sparse.spdiags(diagonals, torch.tensor([0, 1]), (3, 3)))
    print(torch.sparse.spdiags(diagonals, torch.tensor([-1, 2]), (4, 3), layout=torch.sparse_csr).to_dense())
    _failing(d.sparse_mask, d)
    _failing(s.select, 0, 7)
    _failing(s.narrow_copy, 0, 3, 2)


def leaves(torch: T) -> None:
    x = torch.tensor([[1.0, 0, 2], [0, 3, 0]])
    for make in (x.to_sparse, x.to_sparse_csr):
        a = make().requires_grad_()
        print(a, a.is_leaf, a.grad, a.grad_fn)
        y = a * 2
        print(y.is_leaf, torch.autograd.grad(y.to_dense().sum(), a, retain_graph=True))
        print(torch.autograd.grad(y, a, make(), retain_graph=True))
        print(torch.autograd.grad(y, a, x, retain_graph=True)[0].to_dense())
        _failing(torch.autograd.grad, y, a)
        _failing(torch.autograd.grad, y, a, x[0])
        _failing(y.requires_grad_, False)
        print(torch.autograd.grad(y, make().requires_grad_(), make(), retain_graph=True, allow_unused=True))
        y.backward(make(), inputs=[a], retain_graph=True)
        y.backward(make())
        print(a.grad, a.detach())
        a.grad = None
        _failing(setattr, a, "grad", x)
        a.grad = make()
        print(a.grad, a.requires_grad_(False).requires_grad)
        _failing(make().long().requires_grad_)
    print(torch.sparse_coo_tensor([[0, 1]], [1.0, 2.0], (3,), requires_grad=True))
    print(torch.sparse_csr_tensor([0, 1, 2], [0, 1], [1.0, 2.0], (2, 2), requires_grad=True))
    weight, dense = x.to_sparse_csr().requires_grad_(), torch.arange(6.0).view(3, 2).requires_grad_()
    for reduce in ("sum", "mean", "amax", "amin"):
        found = torch.sparse.mm(weight, dense, reduce)
        print(found.detach(), torch.autograd.grad(found, [weight, dense], torch.ones(2, 2)))
    sampled = torch.sparse.sampled_addmm(weight, torch.ones(2, 4), torch.ones(4, 3), alpha=0.5, beta=2)
    print(sampled.detach(), torch.autograd.grad(sampled, weight, x.to_sparse_csr()))
    out = torch.zeros(2, 2)
    for result in (
        torch.mm(weight.detach(), dense.detach(), out=out),
        torch.addmm(out.clone(), weight.detach(), dense.detach(), out=out),
    ):
        print(result is out, out)
