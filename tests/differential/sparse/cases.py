"""What is tried with sparse tensors: expressions by family, and the operands that they name.

In an expression ``s`` is the sparse tensor of the case, ``d`` its elements as a dense one, ``q`` another
sparse tensor of the same layout and shape, ``r`` one whose product with `s` there is; ``y``, ``v``, ``m`` and
``k`` are a dense matrix, a vector, a dense tensor of the shape of `s` and a number of indices.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

LAYOUTS = ("coo", "repeated", "csr", "csc", "bsr", "bsc")
#: With axes that are dense, or with a third one.
OTHERS = ("rows", "cube", "csr batch", "csr dense", "bsr batch", "long", "double", "complex", "bool", "empty")

_ONE_OPERAND = (
    "abs", "acos", "acosh", "angle", "asin", "asinh", "atan", "atanh", "bool", "ceil", "conj",
    "conj_physical", "cos", "cosh", "deg2rad", "digamma", "double", "erf", "erfc", "erfinv", "exp",
    "exp2", "expm1", "float", "floor", "frac", "half", "int", "isfinite", "isinf", "isnan", "isneginf",
    "isposinf", "isreal", "lgamma", "log", "log1p", "logical_not", "long", "mean", "neg", "positive",
    "rad2deg", "reciprocal", "relu", "resolve_conj", "resolve_neg", "round", "rsqrt", "sgn", "sigmoid",
    "sign", "signbit", "sin", "sinh", "sqrt", "square", "sum", "tan", "tanh", "trunc",
)  # fmt: skip
_IN_PLACE = (
    "abs", "asin", "atan", "ceil", "deg2rad", "erf", "expm1", "floor", "frac", "log1p", "neg",
    "rad2deg", "relu", "round", "sgn", "sign", "sin", "sinh", "sqrt", "tan", "tanh", "trunc", "zero",
    "cos", "exp",
)  # fmt: skip

FAMILIES: dict[str, tuple[str, ...]] = {
    "parts": (
        "s", "repr(s.requires_grad_())", "s.layout", "s.is_sparse", "s.is_sparse_csr", "s._nnz()",
        "s.sparse_dim()", "s.dense_dim()", "s.shape", "s.size(0)", "s.numel()", "s.dim()", "s.dtype",
        "s.indices()", "s.values()", "s._indices()", "s._values()", "s.crow_indices()", "s.col_indices()",
        "s.ccol_indices()", "s.row_indices()", "s.is_coalesced()", "s.coalesce()", "s.stride()", "s.strides",
        "s.is_contiguous()", "s.contiguous()", "s.storage_offset()", "s.untyped_storage()", "s.data_ptr()",
        "s.numpy()", "s.tolist()", "s.item()", "bool(s)", "len(s)", "s.element_size()", "s.is_leaf",
        "s.is_floating_point()", "s.is_complex()", "s.device", "s.T", "s.mT", "s.H", "s.nbytes",
        "list(s)", "hash(s) == hash(s)", "s.is_nonzero()", "s.real", "s.imag", "s.data", "s.itemsize",
        "s.is_signed()", "s.ndim", "s.grad", "s.retain_grad()", "s.names", "s.has_names()", "s.is_meta",
        "s.is_inference()", "s.output_nr", "s._version", "torch.is_tensor(s)", "float(s)", "int(s)", "str(s)",
        "s._is_view()", "s.is_pinned()", "s.nelement()", "s.type()", "s.dense_dim() + s.sparse_dim()",
        "format(s)", "s.dim_order()", "'a' in s", "1 in s",
    ),
    "conversion": (
        "s.to_dense()", "s.to_sparse()", "s.to_sparse(1)", "s.to_sparse(2)", "s.to_sparse_coo()",
        "s.to_sparse_csr()", "s.to_sparse_csc()", "s.to_sparse_bsr((2, 2))", "s.to_sparse_bsc((2, 2))",
        "s.to_sparse_bsr((2, 3))", "s.to_sparse_bsc((4, 1))", "s.to_sparse_bsr((3, 2))", "s.to_sparse_bsc(5)",
        "s.to_sparse_bsr((0, 2))", "s.to_sparse_csr(dense_dim=1)", "s.to_sparse(layout=torch.strided)",
        *(f"s.to_sparse(layout=torch.sparse_{name})" for name in ("coo", "csr", "csc", "bsr", "bsc")),
        "s.to_sparse(layout=torch.sparse_bsr, blocksize=(2, 2))", "s.to_sparse(blocksize=(2, 2))",
        "s.to_sparse(layout=torch.sparse_csr, blocksize=(2, 2))", "s.to_sparse(1, layout=torch.sparse_coo)",
        "s.to_dense(torch.float64)", "s.to_dense(dtype=torch.int64)", "s.to_dense(masked_grad=False)",
        "s.to(torch.float64)", "s.to(torch.int32)", "s.to('cpu')", "s.to(s)", "s.to(m)", "s.cpu()",
        "s.to(torch.float32) is s", "s.to(torch.float32, copy=True) is s", "s.type(torch.float64)",
        "s.type(torch.int8)", "s.type_as(m.double())", "s.clone()", "s.detach()", "copy.deepcopy(s)",
        "copy.copy(s)", "saved(s)", "pickle.loads(pickle.dumps(s))", "saved({'a': s, 'b': m})['a']",
        "torch.zeros_like(s)", "torch.ones_like(s)", "torch.empty_like(s).shape", "torch.rand_like(s).shape",
        "torch.full_like(s, 2)", "torch.zeros_like(s, dtype=torch.float64)", "s.new_zeros(2, 3)",
        "torch.zeros_like(s, layout=torch.strided)", "s.new_empty((0, 3)).shape", "s.new_ones(2)",
        "s.new_tensor([1., 2])", "s.new_full((2,), 1.)", "torch.as_tensor(s)", "torch.tensor(s)",
        "s.resize_((8, 6))", "s.requires_grad_().detach().requires_grad", "s.bfloat16()", "s.chalf()",
        "s.cfloat()", "s.char()", "s.short()", "s.byte()", "torch.zeros((2, 3), layout=s.layout)",
        "torch.empty((2, 3), layout=s.layout)._nnz()",
        "torch.zeros_like(m, layout=s.layout)", "m.to_sparse(layout=s.layout)", "d.sparse_mask(s)",
        "m.sparse_mask(s)", "s.sparse_mask(s)", "q.sparse_mask(s)", "m.t().sparse_mask(s)",
        "m.double().sparse_mask(s)", "s.sparse_mask(m)", "s.copy_(q)", "s.copy_(m)", "m.copy_(s)",
        "s.masked_fill(m > 3, 0.)", "torch.equal(s, s)", "torch.equal(s, q)",
        "torch.allclose(s, s)", "torch.testing.assert_close(s, s)", "torch.testing.assert_close(s, q)",
    ),
    "products": (
        "s @ y", "torch.mm(s, y)", "s.mm(y)", "torch.matmul(s, v)", "torch.mv(s, v)", "s.mv(v)",
        "torch.sparse.mm(s, y)", "torch.sparse.mm(s, r)", "torch.smm(s, y)", "torch.spmm(s, y)",
        "torch.dsmm(s, y)", "torch.hspmm(s, y)", "torch.hsmm(s, y)", "s @ r", "torch.mm(s, r)", "y.t() @ r",
        "torch.mm(y.t(), r)", "torch.sparse.mm(y.t(), r)", "torch.addmm(w, s, y)", "w.addmm(s, y)",
        "torch.addmm(w, s, y, beta=2, alpha=3)", "torch.addmm(w, s, y, beta=0)", "w.addmm_(s, y)",
        "torch.sparse.addmm(w, s, y)", "torch.sparse.addmm(w, s, y, beta=2, alpha=0.5)",
        "torch.addmv(w[:, 0], s, v)", "torch.addmv(w[:, 0], s, v, beta=2, alpha=3)",
        "torch.sspaddmm(s, s, y)",
        "torch.sparse.sampled_addmm(s, w, y.t())", "torch.sparse.sampled_addmm(s, w, y.t(), beta=2, alpha=3)",
        "torch.sparse.sampled_addmm(s, w, y.t(), beta=0)", "torch.sparse.sampled_addmm(s, w, y)",
        "torch.sparse.sampled_addmm(s, w.double(), y.t())", "torch.sparse.sampled_addmm(m, w, y.t())",
        *(f"torch.sparse.mm(s, y, '{name}')" for name in ("sum", "mean", "amax", "amin", "prod", "max")),
        *(f"torch.sparse.mm(s, r, '{name}')" for name in ("sum", "mean")),
        "torch.sparse.mm(m, y, 'mean')", "torch.sparse.mm(m, y)", "s @ m", "s @ v[:3]", "torch.mm(s, v)",
        "torch.mv(s, y)", "torch.addmm(w[:3], s, y)", "torch.addmm(v, s, y)", "s @ 2", "s @ y.double()",
        "torch.bmm(s, y)", "torch.nn.functional.linear(s, y.t())", "torch.nn.functional.linear(y.t(), s)",
        "torch.nn.functional.linear(s, y.t(), torch.ones(2))", "torch.dot(s, s)", "torch.baddbmm(w, s, y)",
        "torch.nn.functional.linear(y.t(), s, torch.ones(4))", "v[:4] @ s", "torch.einsum('ij,jk', s, y)",
        "torch.mm(s, y, out=torch.empty(4, 2))", "torch.addmm(w, s, y, out=torch.empty(4, 2))",
        "s.t() @ w", "torch.mm(s.t(), w)", "torch.sparse.mm(s.t(), w)", "s.T @ w", "s.mT @ w", "s @ y.t()",
        "torch.tensordot(s, y, 1)", "torch.outer(s, v)", "torch.kron(s, s)", "torch.inner(s, m)",
        "torch.chain_matmul(s, y)", "torch.linalg.multi_dot([s, y])", "s.matmul(y)", "torch.vdot(v, s)",
    ),
    "elementwise": (
        *(f"s.{name}()" for name in _ONE_OPERAND), *(f"s.{name}_()" for name in _IN_PLACE),
        "s + q", "s - q", "s * q", "s / q", "s // q", "s + m", "m + s", "s - m", "m - s", "s * m", "m * s",
        "s / m", "m / s", "s + 2", "2 + s", "s - 2", "2 - s", "s * 2", "2 * s", "s / 2", "2 / s", "s // 2",
        "s ** 2", "2 ** s", "s % 2", "-s", "s * torch.tensor(2.)", "s / torch.tensor(2.)", "s * True",
        "torch.add(s, q, alpha=2)", "torch.sub(s, q, alpha=2)", "torch.add(m, s, alpha=2)", "s.add_(q)",
        "s.add_(q, alpha=2)", "s.sub_(q)", "s.mul_(q)", "s.mul_(2)", "s.div_(2)", "s.div_(q)", "m.add_(s)",
        "m.sub_(s)", "m.mul_(s)", "m.div_(s)", "s.floor_divide_(2)", "s.pow(2)", "s.pow(-1)", "s.pow(0)",
        "s.pow_(2)", "s.pow(q)", "torch.div(s, 2, rounding_mode='floor')", "s.add_(m)", "s.mul_(m)",
        "torch.div(s, 2, rounding_mode='trunc')", "torch.true_divide(s, 2)", "torch.multiply(s, 3)",
        "s == q", "s != q", "s < q", "s == 0", "s > 0", "s & q", "torch.maximum(s, q)",
        "torch.where(s > 0, s, s)",
        "s.clamp(0, 1)", "s.clamp(min=0)", "s.threshold(1., 0.)", "torch.nn.functional.relu(s)",
        "torch.nn.functional.threshold(s, 1., 0.)", "torch.nn.functional.gelu(s)", "s.round(decimals=1)",
        "torch.nn.functional.dropout(s, 0.)", "torch.nn.functional.leaky_relu(s)", "s.nan_to_num()",
        "s + q.double()", "s * q.double()", "s + s.to_sparse()", "s * s.to_sparse()", "s + d.to_sparse_csr()",
        "s * m[0]", "s + m[0]", "s * torch.ones(2, 4, 6)", "s + s.t()", "s * s.t()", "s * m[:2]", "s * y",
        "torch.abs(s, out=s.clone())", "torch.add(s, q, out=s.clone())", "torch.sin(s, out=m)", "s * 1j",
        "s.addcmul(q, q)", "torch.lerp(s, q, 0.5)", "s.float_power(2)", "s.copysign(q)", "s.fill_(2)",
        "torch.logical_and(s, q)", "s.bool() * q", "s * 2.5", "s.int() * 2.5", "s.int() + q", "s.mul(q)",
    ),
    "reductions": (
        "s.sum()", "s.sum(0)", "s.sum(1)", "s.sum(-1)", "s.sum((0, 1))", "s.sum(0, keepdim=True)",
        "s.sum(1, keepdim=True)", "s.sum((0, 1), keepdim=True)", "s.sum(dtype=torch.float64)", "s.sum(5)",
        "s.sum(0, dtype=torch.float64)", "torch.sparse.sum(s)", "torch.sparse.sum(s, 0)", "s.mean(0)",
        "torch.sparse.sum(s, 1)", "torch.sparse.sum(s, (0, 1))", "torch.sparse.sum(s, dtype=torch.float64)",
        "torch.sparse.sum(s, 0, dtype=torch.float64)", "torch.sparse.sum(s, -1)", "torch.sparse.sum(s, 7)",
        "torch.sparse.sum(m)", "torch.sparse.sum(m, 0)", "s.norm()", "s.norm(2)", "s.norm(1)", "s.norm(2, 0)",
        "torch.norm(s)", "torch.linalg.norm(s)", "torch.linalg.vector_norm(s)", "s.prod()",
        "s.prod(0, keepdim=True)",
        "s.max()", "s.min()", "s.amax()", "s.any()", "s.all()", "s.argmax()", "s.var()", "s.std()",
        "s.nansum()",
        "s.any(0)", "s.count_nonzero()", "s.cumsum(0)", "s.logsumexp(0)", "s.median()", "s.sort()",
        "s.unique()",
        "s.softmax(0)", "s.softmax(1)", "torch.softmax(s, 0)", "torch.sparse.softmax(s, 0)",
        "torch.sparse.softmax(s, 1)", "torch.sparse.softmax(s, -1)", "torch.sparse.softmax(s, 2)",
        "torch.sparse.softmax(s, 1, dtype=torch.float64)", "torch.sparse.log_softmax(s, 0)", "s.nonzero()",
        "torch.sparse.log_softmax(s, 1)", "torch.sparse.log_softmax(s, 1, dtype=torch.float64)",
        "torch.sparse.softmax(m, 0)", "s.log_softmax(1)", "torch.trace(s)", "s.diagonal()", "torch.diag(s)",
        "torch.isclose(s, q)", "torch.dist(s, q)", "s.topk(1)", "torch.nn.functional.softmax(s, 1)",
        "torch.nn.functional.normalize(s)", "torch.nn.functional.mse_loss(s, q)", "torch.cdist(s, q)",
    ),
    "indexing": (
        "s[0]", "s[1]", "s[-1]", "s[9]", "s[0, 1]", "s[0][2]", "s[1, 5]", "s[:, 0]", "s[0:2]", "s[k]",
        "s[None]",
        "s[...]", "s[m > 3]", "s[[0, 1]]", "s[0, :]", "s[True]", "s[1:, 1]", "s.select(0, 1)",
        "s.select(1, 2)",
        "s.select(-1, -1)", "s.select(0, 9)", "s.select(4, 0)", "torch.select(s, 1, 0)", "s.narrow(0, 0, 2)",
        "s.narrow_copy(0, 1, 2)", "s.narrow_copy(1, 0, 2)", "s.narrow_copy(0, 0, 9)",
        "s.narrow_copy(3, 0, 1)",
        "torch.narrow_copy(s, 0, 0, 1)", "s.index_select(0, k)", "s.index_select(1, k)",
        "s.index_select(-1, k)",
        "torch.index_select(s, 0, k)", "s.index_select(0, k + 9)", "s.index_select(0, k.int())",
        "s.index_select(0, m)", "s.index_select(5, k)", "s.index_select(0, k[:0])", "s.take(k)",
        "s.gather(0, k)",
        "s.index_add(0, k, m)", "s.masked_select(m > 3)", "s.unbind()", "s.split(2)", "s.chunk(2)",
        "s.flip(0)",
        "torch.cat([s, q])", "torch.cat([s, q], 1)", "torch.cat([s, q], -1)", "torch.cat([s, m])", "s.tril()",
        "torch.cat([m, s])", "torch.cat([s, q], 5)", "torch.cat([s])", "torch.cat([s, s, q], 0)", "s.triu()",
        "torch.cat([s, q.double()])", "torch.vstack([s, q])", "torch.hstack([s, q])", "torch.stack([s, q])",
        "torch.stack([s, q], 1)", "torch.stack([s, q], -1)", "torch.cat([s, s[:2]])", "torch.cat([s, s.t()])",
        "s.t()", "s.transpose(0, 1)", "s.transpose(-1, 0)", "s.transpose(0, 0)", "s.transpose(0, 3)",
        "s.t_()",
        "s.transpose_(0, 1)", "s.permute(1, 0)", "s.permute((0, 1))", "s.permute(0)", "s.permute(0, 0)",
        "s.permute(0, 2)", "torch.permute(s, (1, 0))", "s.swapaxes(0, 1)", "s.movedim(0, 1)", "s.adjoint()",
        "s.unsqueeze(0)", "s.unsqueeze(1)", "s.unsqueeze(-1)", "s.unsqueeze(5)", "s.squeeze()",
        "s.squeeze(0)",
        "s.unsqueeze(0).squeeze(0)", "s.view(2, 12)", "s.reshape(2, 12)", "s.flatten()", "s.expand(2, 4, 6)",
        "s.repeat(2, 1)", "s.unflatten(0, (2, 2))", "s.ravel()", "s.diff()", "s.roll(1)",
        "s.as_strided((2,), (1,))",
        "s.index_fill(0, k, 1.)", "s.__setitem__(0, 1.)", "torch.numel(s)",
        "torch.broadcast_to(s, (2, 4, 6))",
        "torch.tile(s, (2,))", "torch.rot90(s)", "s.view_as(s)", "s.reshape_as(s)", "s.expand_as(s)", "s.mH",
        "torch.transpose_copy(s, 0, 1)", "torch.t_copy(s)", "torch.squeeze_copy(s)",
        "torch.unsqueeze_copy(s, 0)",
        "s.coalesce().indices()", "s.coalesce().values()", "s.is_coalesced()",
        "s._coalesced_(True).is_coalesced()",
        "s.coalesce() is s", "s.t().is_coalesced()", "s.clone().is_coalesced()", "(s * 2).is_coalesced()",
        "(s + q).is_coalesced()", "s.permute(0, 1).is_coalesced()", "s.index_select(0, k).is_coalesced()",
        "torch.cat([s, q]).is_coalesced()", "s.values().data_ptr() == s._values().data_ptr()",
        "s.indices() + 0",
        "s.sparse_resize_((5, 7), 2, 0)", "s.sparse_resize_and_clear_((5, 7), 2, 0)",
        "s.resize_as_sparse_(q)",
        "s.crow_indices().dtype", "torch.crow_indices_copy(s)", "torch.values_copy(s)",
        "torch.indices_copy(s)",
        "torch.col_indices_copy(s)", "torch.ccol_indices_copy(s)", "torch.row_indices_copy(s)",
    ),
}  # fmt: skip

#: Made without a sparse operand.
CONSTRUCTION = (
    *(
        f"torch.sparse_coo_tensor({given})"
        for given in (
            "[[0, 1], [1, 0]], [1., 2.]", "[[0, 1], [1, 0]], [1., 2.], (2, 3)", "[[0, 5]], [1., 2.], (2,)",
            "[[0, 1], [1, 0]], [1, 2]", "[[0, 1], [1, 0]], [1., 2.], dtype=torch.float64", "(2, 3)",
            "[[0, 1]], [[1., 2], [3, 4]]", "[[0, 1]], [[1., 2], [3, 4]], (3, 2)", "[0, 1], [1., 2.]",
            "[[0, -1]], [1., 2.], (2,)", "[[0, 1]], [1.], (2,)", "[[0, 1]], [1., 2.], (2, 2)",
            "[[0, 1]], [1., 2.]",
            "[[0.5, 1]], [1., 2.], (2,)", "[[0, 1]], [1., 2.], (2,), requires_grad=True", "[[]], [], (2,)",
            "torch.zeros(2, 0, dtype=torch.int64), torch.zeros(0), (2, 3)", "size=(2, 3)",
            "[[0, 1]], 1., (2,)",
            "[[0, 0]], [1., 2.], (2,), is_coalesced=True", "[[0, 1]], [1., 2.], (2,), is_coalesced=True",
            "[[0, 5]], [1., 2.], (2,), check_invariants=True",
            "[[0, 5]], [1., 2.], (2,), check_invariants=False",
            "[[0, 0]], [1., 2.], (2,), is_coalesced=True, check_invariants=True", "1., 2., (2,)", "[[0]]",
            "torch.zeros((1, 0)), torch.zeros(0, 2), (3, 2)", "[[0, 1], [1, 0]], [1., 2.], (2,)", "",
            "torch.zeros((1, 0)), torch.zeros(0, 2)", "[[0, 1]], [1., 2.], 3", "[[0, 1]], [True, False]",
            "(2, 3), dtype=torch.int64", "(2, -3)", "[[0, 1]], ['a', 'b']", "None, [1.]",
            "[[0, 1]], [1., 2.], ()",
            "torch.zeros((0, 2), dtype=torch.int64), torch.ones(2), ()", "[[1, 0, 1]], [1., 2., 3.]",
            "[[0, 1]], torch.tensor([1., 2.]).to_sparse(), (2,)",
            "[[2, 1]], torch.ones(2, requires_grad=True)",
            "indices=[[0, 1]], values=[1., 2.], size=[3]", "[[0, 1]], [1., 2.], device='meta'",
            "[[0, 1]], [1j, 2.]",
        )
    ),
    *(
        f"torch.sparse_{name}_tensor({given})"
        for name in ("csr", "csc")
        for given in (
            "[0, 1, 2], [0, 1], [1., 2.]", "[0, 1, 2], [0, 1], [1., 2.], (2, 2)", "[0, 1, 2], [0, 1], [1, 2]",
            "[0, 1, 2], [0, 1], [1., 2.], dtype=torch.float64",
            "[0, 1, 2], [0, 1], [1., 2.], requires_grad=True",
            "torch.tensor([0, 1, 2]).int(), torch.tensor([0, 1]).int(), [1., 2.]", "[0, 1, 2], [0, 1]", "",
            "[0, 1, 2], [0, 1], [1.], (2, 2), check_invariants=True", "[0, 1, 2], [0, 1], [[1., 2], [3, 4]]",
            "[[0, 1, 2], [0, 1, 2]], [[0, 1], [1, 0]], [[1., 2.], [3., 4.]]", "[0, 0], [], [], (1, 3)",
            "[0, 1, 2], [0, 5], [1., 2.], (2, 2), check_invariants=True", "[0., 1, 2], [0, 1], [1., 2.]",
            "[0, 2, 1], [0, 1], [1., 2.], (2, 2), check_invariants=True", "[0, 1, 2], [0, 1], [1., 2.], (2,)",
            "[0, 1, 2], [1, 0], [1., 2.], (2, 2), layout=torch.sparse_coo", "[0, 1, 2], [0, 1], [1j, 2.]",
            "[0, 2], [1, 0], [1., 2.], (1, 2), check_invariants=True", "[0, 1, 2], [0, 1], [1., 2.], (-2, 2)",
            "torch.tensor([0, 1, 2]), torch.tensor([0, 1]).int(), torch.ones(2), check_invariants=True",
        )
    ),
    *(
        f"torch.sparse_{name}_tensor({given})"
        for name in ("bsr", "bsc")
        for given in (
            "[0, 1, 2], [0, 1], torch.ones(2, 2, 3)", "[0, 1, 2], [0, 1], torch.ones(2, 2, 2), (4, 4)",
            "[0, 1, 2], [0, 1], [1., 2.]",
            "[0, 1, 2], [0, 1], torch.ones(2, 2, 2), (3, 4), check_invariants=True",
            "[0, 1, 2], [0, 1], torch.ones(2, 1, 2).long()", "[0, 1, 2], [0, 1], torch.ones(2, 1, 2, 3)",
        )
    ),
    *(
        f"torch.sparse_compressed_tensor([0, 1, 2], [0, 1], [1., 2.]{rest})"
        for rest in (
            "", ", layout=torch.sparse_csr", ", (2, 2), layout=torch.sparse_csc", ", layout=torch.strided",
            ", layout=torch.sparse_coo", ", (2, 2), dtype=torch.int64, layout=torch.sparse_csr",
            ", layout=None",
        )
    ),
    *(
        f"torch.sparse.spdiags({given})"
        for given in (
            "m[:2], torch.tensor([0, 1]), (3, 3)", "m[:2], torch.tensor([0, -1]), (3, 5)",
            "v, torch.tensor(1), (6, 6)",
            "m[:1], torch.tensor([2]), (3, 4), layout=torch.sparse_csr",
            "m[:2], torch.tensor([0, 0]), (3, 3)",
            "m[:1], torch.tensor([2]), (3, 4), torch.sparse_csc", "m[:3], torch.tensor([0, 1]), (3, 3)",
            "m, v, (3, 3)",
            "m[:2], torch.tensor([0, 9]), (3, 3)", "m[:2], torch.tensor([0, 1]), (3, 3, 3)",
            "m[:2], [0, 1], (3, 3)",
            "m[:2].long(), torch.tensor([0, 1]), (3, 3)", "m[:2], torch.tensor([0, 1]).int(), (3, 3)",
            "m[:1], torch.tensor([0]), (3, 3), layout=torch.strided",
            "v[None, None], torch.tensor([0]), (3, 3)",
            "m[:1], torch.tensor([0]), (3, 3), layout=torch.sparse_bsr",
            "m[:2], torch.tensor([1, -1]), (7, 7)",
        )
    ),
    "torch.sparse.check_sparse_tensor_invariants.is_enabled()",
    "torch.sparse.check_sparse_tensor_invariants()",
    "torch.sparse.check_sparse_tensor_invariants.enable()",
    "torch.sparse.check_sparse_tensor_invariants.disable()",
    "torch.zeros(0, 5).to_sparse()", "torch.zeros(2, 3).to_sparse()", "torch.tensor(3.).to_sparse()",
    "torch.tensor(0.).to_sparse()", "m.to_sparse(0)", "m.to_sparse(3)", "m.to_sparse(-1)", "m.to_sparse('a')",
    "m.to_sparse_csr(dense_dim=1)", "m.to_sparse_csr(3)", "v.to_sparse_csr()", "m.to_sparse_bsr(2)",
    "torch.ones(2, 2, 2).to_sparse_csr()", "torch.ones(2, 2, 3).to_sparse_csr(dense_dim=1)",
    "m.to_sparse_bsr((2, 4))",
    "torch.ones(2, 2, 2).to_sparse_bsr((1, 2))",
    "torch.eye(2)[None].mul(torch.tensor([1., 0])).to_sparse_csr()",
    "torch.stack([torch.eye(2), torch.ones(2, 2)]).to_sparse_csr()", "m.to_sparse_bsr()",
    "m.to_sparse_bsr((2,))",
    "m.coalesce()", "m.indices()", "m.values()", "m._indices()", "m._nnz()", "m.crow_indices()",
    "m.is_coalesced()",
    "m.to_dense() is m", "m.to_dense(torch.float64)", "m.sparse_dim()", "m.dense_dim()", "m.sparse_mask(m)",
    "torch._convert_indices_from_coo_to_csr(torch.tensor([0, 0, 2]), 3)", "m.ccol_indices()", "m._values()",
    "torch._convert_indices_from_csr_to_coo(torch.tensor([0, 2, 3]), torch.tensor([0, 1, 1]))",
    "m.row_indices()",
    "torch._validate_sparse_coo_tensor_args(torch.tensor([[0, 5]]), torch.ones(2), (2,))",
    "torch._sparse_coo_tensor_unsafe(torch.tensor([[0, 1]]), torch.ones(2), (2,))", "torch.sparse.mm(1, 2)",
    "torch.sparse.FloatTensor(torch.tensor([[0, 1]]), torch.ones(2), torch.Size([2]))",
    "torch.sparse.softmax(1, 2)",
)  # fmt: skip

#: Of which gradients are taken: by `s`, a leaf, and by the dense operands.
DERIVED = (
    "s.to_dense()", "s.to_dense(masked_grad=True)", "s.to_dense(masked_grad=False)", "s.clone().to_dense()",
    "s @ y", "torch.mm(s, y)", "torch.sparse.mm(s, y)", "s @ v", "torch.mv(s, v)", "torch.addmm(w, s, y)",
    "torch.sparse.addmm(w, s, y)", "torch.sparse.addmm(w, s, y, beta=2, alpha=3)", "(s @ r).to_dense()",
    "torch.sparse.mm(s, r).to_dense()", "s.sum()", "torch.sparse.sum(s)", "torch.sparse.sum(s, 0).to_dense()",
    "torch.sparse.sum(s, 1).to_dense()", "torch.sparse.sum(s, (0, 1))", "s.values()", "s.coalesce().values()",
    "(s * 2).to_dense()", "(s / 2).to_dense()", "(-s).to_dense()", "(s + q).to_dense()", "(s - q).to_dense()",
    "(s * q).to_dense()", "m + s", "torch.add(m, s, alpha=2)", "(s * m).to_dense()", "s.sin().to_dense()",
    "s.abs().to_dense()", "s.relu().to_dense()", "s.tanh().to_dense()", "s.sqrt().to_dense()",
    "s.t().to_dense()", "s.transpose(0, 1).to_dense()", "s.to_sparse().to_dense()", "s.double().to_dense()",
    "s.to_sparse_csr().to_dense()", "s.to_sparse_csc().to_dense()", "s.to_sparse_bsr((2, 2)).to_dense()",
    "torch.sparse.softmax(s, 1).to_dense()", "torch.sparse.log_softmax(s, 0).to_dense()", "s.norm()",
    "s.pow(2).to_dense()",
    "s[0].to_dense()", "s.index_select(0, k).to_dense()", "torch.cat([s, q]).to_dense()",
    "s.narrow_copy(0, 0, 2).to_dense()",
    "s.unsqueeze(0).to_dense()", "s.permute(1, 0).to_dense()",
    "torch.sparse.sampled_addmm(s, w, y.t()).to_dense()",
    "torch.sparse.mm(s, y, 'mean')", "torch.sparse.mm(s, y, 'sum')", "torch.sparse.mm(s, y, 'amax')",
    "torch.sparse.mm(s, y, 'amin')", "y.t() @ r", "m.sparse_mask(s).to_dense()", "m.to_sparse().to_dense()",
    "m.to_sparse(layout=s.layout).to_dense()", "m.to_sparse_csr().values()",
    "m.to_sparse_bsr((2, 2)).values()",
    "torch.nn.functional.linear(y.t(), s)", "torch.nn.functional.linear(s, y.t())", "(s @ y).relu() @ y.t()",
    "made @ y", "torch.sparse.mm(made, y)", "made.to_dense()", "(made * 2).to_dense()", "made.sum()",
    "made.values()", "made.t().to_dense()", "made.to_dense(masked_grad=False)", "(made + made).to_dense()",
    "(made * made).to_dense()", "torch.sparse.sum(made)", "torch.sparse.mm(made, y, 'mean')",
    "made.abs().to_dense()",
    "torch.sparse.sampled_addmm(made, w, y.t()).values()", "(made @ made.t()).to_dense()",
    "made.coalesce().values()",
)  # fmt: skip


def cases() -> Iterator[tuple[str, str, str]]:
    """Every case: family, what the sparse tensor is, expression."""
    for expression in CONSTRUCTION:
        yield "construction", "", expression
    for family, expressions in FAMILIES.items():
        for number, expression in enumerate(dict.fromkeys(expressions)):
            for layout in LAYOUTS:
                yield family, layout, expression
            yield family, OTHERS[number % len(OTHERS)], expression
    for expression in DERIVED:
        for layout in LAYOUTS:
            yield "gradients", layout, expression


def operands(layout: str, torch: Any) -> dict[str, Any]:
    """The operands of a case."""
    t = torch.tensor
    d = t([[1.0, 0, 2, 0, 0, 0], [0, 3, 0, 0, 0, -1], [0, 0, 0, 0, 0, 0], [4, 0, 0, 0, 5, 6]])
    other = t([[0.0, 2, 1, 0, 0, 0], [0, 0, 0, 0, 0, 2], [3, 0, 0, 0, 0, 0], [1, 0, 0, 4, 0, 6]])
    found = {
        "d": d, "m": torch.arange(1.0, 25).view(4, 6), "y": torch.arange(12.0).view(6, 2) - 3,
        "v": torch.arange(1.0, 7), "w": torch.arange(8.0).view(4, 2), "k": t([3, 0, 3]),
    }  # fmt: skip
    if layout:
        found |= {"s": sparse(d, layout, torch), "q": sparse(other, layout, torch)}
        found["r"] = sparse(other.t(), layout if layout in LAYOUTS else "coo", torch)
    return found


_DTYPES = {"long": "int64", "double": "float64", "complex": "complex64", "bool": "bool"}


def sparse(x: Any, layout: str, torch: Any) -> Any:
    """The elements of a matrix as a sparse tensor of a kind."""
    kind, _, more = layout.partition(" ")
    if kind in _DTYPES:
        return x.to(getattr(torch, _DTYPES[kind])).to_sparse()
    if kind == "empty":
        return torch.zeros(x.shape).to_sparse()
    if kind == "repeated":
        places = x.nonzero().t()
        places = torch.stack([places[0].flip(0), places[1].flip(0)])
        values = x[places[0], places[1]]
        return torch.sparse_coo_tensor(
            torch.cat([places, places[:, :2]], 1), torch.cat([values, torch.ones(2)]), x.shape
        )
    if kind in ("rows", "cube"):
        cube = torch.stack([x, x * (x > 2)], -1)
        return cube.to_sparse(2 if kind == "rows" else 3)
    if more == "batch":
        x = torch.stack([x, x * 2])
    options = {"blocksize": (2, 2)} if kind.startswith("b") else {}
    if more == "dense":
        x, options = torch.stack([x, x * 2], -1), {"dense_dim": 1}
    return x.to_sparse(layout=getattr(torch, f"sparse_{kind}"), **options)
