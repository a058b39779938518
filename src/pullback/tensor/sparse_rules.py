"""Say how covectors are pulled back through functions of sparse tensors, as torch's table of derivatives has
it.

A rule gives for each argument by place what maps the covector of the result to its own; None where it has
none.
"""

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from ..core.op import torch_node_name
from ..core.value import wrap
from ..ops.embedding_bag import entries_product
from .compressed import entries
from .constants import layout_title
from .sparse_graph import Pullback, Rule, is_of_values
from .sparse_refusals import refusal

Pulls = Sequence[Pullback | None]


def _t(x: Any) -> Any:
    """Return the transposed, conjugated where it is complex."""
    return x.t().conj() if x.is_complex() else x.t()


def _adjoint_product(x: Any, g: Any) -> Any:
    """Return ``xᴴ @ g``, by the entries of x where g is dense."""
    if not x._sparse or g._sparse or x.dtype is not g.dtype or not (x.is_sparse or not x._kind.in_blocks):
        return _t(x) @ g
    rows, columns, values = entries(x)
    where = (wrap(v.astype(np.int64, copy=False)) for v in (rows, columns))
    return entries_product(g, values.conj() if x.is_complex() else values, *where, x.shape[1])


def _dense(out: Any, x: Any, dtype: Any = None, *, masked_grad: Any = None) -> Pulls:
    if masked_grad is False:
        return (lambda g: _in_layout(g, x),)
    return (lambda g: g.sparse_mask(x.coalesce() if x.is_sparse else x),)


def _in_layout(g: Any, x: Any) -> Any:
    """Return a covector in the layout of an input."""
    if not x._sparse:
        return g.to_dense()
    if x.is_sparse:
        return g.to_sparse(x.sparse_dim()) if not g._sparse else g.to_sparse()
    block = x._block() if x._kind.in_blocks else None
    return g.to_sparse(layout=x.layout, blocksize=block)


def _mm(out: Any, x: Any, y: Any, **_: Any) -> Pulls:
    if y.dim() == 1:
        return _mv(out, x, y)
    if x._sparse and not y._sparse and is_of_values(x) and (x.is_sparse or not x._kind.in_blocks):
        # Only its values want the covector: at other places torch computes what is then left out.
        return lambda g: _at_entries(g, y, x), lambda g: _adjoint_product(x, g)
    return lambda g: g @ _t(y), lambda g: _adjoint_product(x, g)


def _mv(out: Any, x: Any, y: Any, **_: Any) -> Pulls:
    return lambda g: g.outer(y.conj() if y.is_complex() else y), lambda g: _t(x).mv(g)


def _addmm(out: Any, mat: Any, x: Any, y: Any, *, beta: Any = 1, alpha: Any = 1, **_: Any) -> Pulls:
    return (lambda g: _times(g, beta), lambda g: _times(g @ _t(y), alpha), lambda g: _times(_t(x) @ g, alpha))


def _times(g: Any, factor: Any) -> Any:
    return g if factor == 1 else g * factor


def _sparse_addmm(out: Any, mat: Any, x: Any, y: Any, *, beta: Any = 1, alpha: Any = 1) -> Pulls:
    """Return the rule of `torch.sparse.addmm` and, with an unrecorded `mat`, of `torch.sparse.mm`."""
    return (
        lambda g: _times(g, beta), lambda g: _masked_product(g, x, y, alpha),
        lambda g: _times(_adjoint_product(x, g), alpha),
    )  # fmt: skip


def _masked_product(g: Any, x: Any, y: Any, alpha: Any) -> Any:
    if not x._sparse:
        return _times(g @ _t(y), alpha)
    if g._sparse or y._sparse or not (x.is_sparse or x.is_sparse_csr):
        raise RuntimeError(
            f"sparse_addmm_sparse_backward: unsupported combination of layouts, grad: {title(g)}, mat1: "
            f"{title(x)}, mat2: {title(y)}"
        )
    return _times(_at_entries(g, y, x.coalesce() if x.is_sparse else x), alpha)


def _at_entries(g: Any, y: Any, x: Any) -> Any:
    """Return ``g @ yᵀ`` where x has entries, without the product elsewhere, which may be too large."""
    rows, columns, _ = entries(x.detach())
    mine = g.index_select(0, wrap(rows.astype(np.int64)))
    found = mine * (y.conj() if y.is_complex() else y).index_select(0, wrap(columns.astype(np.int64)))
    return x._spread(found.sum(1))


def title(x: Any) -> str:
    """Return what torch's errors call the layout of a tensor."""
    return layout_title(x.layout)


def _sparse_sparse(out: Any, x: Any, y: Any) -> Pulls:
    """Return the rule of the product of two tensors of coordinates."""
    return (lambda g: (g @ _t(y)).sparse_mask(x.coalesce()), lambda g: (_t(x) @ g).sparse_mask(y.coalesce()))


def _sampled(out: Any, x: Any, a: Any, b: Any, *, beta: Any = 1, alpha: Any = 1, **_: Any) -> Pulls:
    """Return the rule of `torch.sparse.sampled_addmm`."""
    return (
        lambda g: _times(g, beta), lambda g: _times(g.sparse_mask(x) @ _t(b), alpha),
        lambda g: _times(_t(a) @ g.sparse_mask(x), alpha),
    )  # fmt: skip


def _sum(out: Any, x: Any, dim: Any = None, *_: Any, **__: Any) -> Pulls:
    return (lambda g: g.expand(tuple(x.shape)),)


def _same(g: Any) -> Any:
    return g


def _unary(derive: Callable[[Any, Any, Any], Any]) -> Rule:
    return lambda out, x, *_, **__: (lambda g: derive(g, x, out),)


def _transposed(out: Any, x: Any, *dims: Any, **_: Any) -> Pulls:
    return (lambda g: g.transpose(*(dims or (0, 1))),)


def _permuted(out: Any, x: Any, *dims: Any) -> Pulls:
    order = dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims
    back = sorted(range(len(order)), key=lambda place: order[place] % len(order))
    return (lambda g: g.permute(back),)


def _masked(out: Any, x: Any, mask: Any) -> Pulls:
    return (lambda g: g.sparse_mask(mask) if x._sparse else g.to_dense(), None)


def _where_positive(g: Any, out: Any) -> Any:
    """Return the covector where the result is positive; where it has an entry all the same, 0."""
    if not g._sparse:
        return g * (out.to_dense() > 0)
    return g.sparse_mask(out) * out.sgn() if not g.is_sparse else _along(g, out)


def _along(g: Any, out: Any) -> Any:
    """Return entries of a covector, 0 where those of the result at their places are."""
    found = out.detach().to_dense()[tuple(g._indices())]
    return g._spread(g._values() * (found > 0))


def _no_kernel(x: Any, name: str) -> NoReturn:
    if x.is_sparse:
        raise refusal(name, "coo", ())
    raise RuntimeError(f"unsupported tensor layout: {title(x)}")


def _reformed(out: Any, x: Any, *_: Any, **__: Any) -> Pulls:
    return (lambda g: _in_layout(g, x),)


def _summed_over(out: Any, x: Any, dims: Any) -> Pulls:
    """Return the rule of `torch.sparse.sum` over axes: entries have what arrives where they were added up."""
    x = x.coalesce()

    def pull(g: Any) -> Any:
        g = g.to_dense()
        for axis in sorted(dims):
            g = g.unsqueeze(axis)
        g = g.expand(tuple(x.shape))
        return x._spread(g[tuple(x._where)] if x.sparse_dim() else g.unsqueeze(0))

    return (pull,)


#: Functions -> their rule; their node has the name of the first.
_RULES: dict[str, Rule] = {
    "to_dense": _dense, "mm spmm": _mm, "mv": _mv, "addmm": _addmm, "sum": _sum,
    "mul __mul__ __rmul__": lambda out, x, y: (lambda g: g * y, lambda g: g * x),
    "div true_divide": lambda out, x, y, **_: (lambda g: g / y, None),
    "neg": _unary(lambda g, x, out: -g),
    "add __add__ __radd__": lambda out, x, y, alpha=1: (_same, lambda g: _times(g, alpha)),
    "sub": lambda out, x, y, alpha=1: (_same, lambda g: _times(-g, alpha)),
    "t": _unary(lambda g, x, out: g.t()), "transpose": _transposed, "permute": _permuted,
    "clone": _unary(lambda g, x, out: g), "sparse_mask": _masked,
    "abs": _unary(lambda g, x, out: g * x.sgn()), "sin": _unary(lambda g, x, out: g * x.cos()),
    "sqrt": _unary(lambda g, x, out: g / (out * 2)),
    "relu": _unary(lambda g, x, out: _where_positive(g, out)),
    "tanh": _unary(lambda g, x, out: _no_kernel(x, "tanh_backward")),
    "pow": lambda out, x, n: (lambda g: g * (x.pow(n - 1) * n) if n != 1 else g, None),
    "to_copy to float double half bfloat16 cfloat cdouble": _unary(lambda g, x, out: g.to(x.dtype)),
    "to_sparse to_sparse_coo": _reformed,
    **dict.fromkeys(("to_sparse_csr", "to_sparse_csc", "to_sparse_bsr", "to_sparse_bsc"), _reformed),
}  # fmt: skip
RULES = {
    name: (torch_node_name(names.split()[0]), rule)
    for names, rule in _RULES.items() for name in names.split()
}  # fmt: skip

#: Those of functions of `torch.sparse`.
SPARSE_ADDMM = ("SparseAddmmBackward0", _sparse_addmm)
SPARSE_SPARSE = ("SparseSparseMatmulBackward0", _sparse_sparse)
SAMPLED = ("SparseSampledAddmmBackward0", _sampled)
SUMMED_OVER = ("SparseSumBackward0", _summed_over)
