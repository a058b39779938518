"""The names of nodes: one per function."""

from __future__ import annotations

from typing import Any

T = Any


def _name(node: Any) -> str:
    return "None" if node is None else type(node).__name__


def arithmetic_names(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    y = torch.ones(2, requires_grad=True)
    for z in (x + y, x - y, x * y, x / y, -x, x**2, x**y, 2**x, 1 - x, 1 / x, x % 2, x + 1, x * 2, x / 2):
        print(_name(z.grad_fn))


def elementwise_names(torch: T) -> None:
    x = torch.full((2,), 0.5, requires_grad=True)
    for name in (
        "exp",
        "log",
        "sin",
        "cos",
        "tan",
        "tanh",
        "sigmoid",
        "sqrt",
        "rsqrt",
        "abs",
        "neg",
        "relu",
        "erf",
        "floor",
        "round",
        "sign",
        "square",
        "reciprocal",
        "log1p",
        "expm1",
        "asin",
        "acos",
        "atan",
        "sinh",
        "cosh",
        "log2",
        "log10",
        "exp2",
        "trunc",
        "frac",
        "ceil",
        "asinh",
        "atanh",
        "lgamma",
        "digamma",
        "sinc",
        "logit",
        "deg2rad",
    ):
        print(name, getattr(torch, name)(x).grad_fn.name())


def reduction_names(torch: T) -> None:
    x = torch.rand(2, 3, requires_grad=True)
    for z in (
        x.sum(),
        x.sum(0),
        x.mean(),
        x.mean(1),
        x.prod(),
        x.prod(0),
        x.max(),
        x.max(0)[0],
        x.amax(),
        x.amin(1),
        x.std(),
        x.var(0),
        x.norm(),
        x.logsumexp(0),
        x.cumsum(0),
        x.cumprod(0),
        x.softmax(0),
        x.log_softmax(1),
        x.median(),
        x.median(0)[0],
        x.sort()[0],
        x.topk(1)[0],
        x.kthvalue(1)[0],
        x.nansum(),
        x.min(1)[0],
        x.cummax(0)[0],
        x.logcumsumexp(0),
        x.mode()[0],
        x.min(),
        x.norm(dim=1),
        x.norm(1),
        x.diff(),
    ):
        print(_name(z.grad_fn))


def view_names(torch: T) -> None:
    x = torch.ones(2, 3, requires_grad=True)
    for z in (
        x[0],
        x[:, 1:],
        x[None],
        x[...],
        x[0, 1],
        x.view(6),
        x.reshape(3, 2),
        x.t(),
        x.T,
        x.transpose(0, 1),
        x.permute(1, 0),
        x.unsqueeze(0),
        x.unsqueeze(0).squeeze(0),
        x.unsqueeze(0).squeeze(),
        x.expand(2, 2, 3),
        x.flatten(),
        x.narrow(0, 0, 1),
        x.select(1, 0),
        x.diagonal(),
        x.as_strided((2,), (1,)),
        x.unbind()[1],
        x.split(1)[0],
        x.chunk(2)[0],
        x.movedim(0, 1),
        x.unfold(1, 2, 1),
        x.view_as(x),
        x.mT,
        x.swapaxes(0, 1),
        x.ravel(),
        x.unflatten(1, (3, 1)),
        x.expand_as(x),
        x.tensor_split(2)[0],
        x.split([1, 1])[1],
    ):
        print(_name(z.grad_fn))


def rearrangement_names(torch: T) -> None:
    x = torch.ones(2, 3, requires_grad=True)
    for z in (
        x.clone(),
        x.contiguous(),
        x.t().contiguous(),
        x.flip(0),
        x.roll(1),
        x.roll(1, 0),
        x.repeat(2, 1),
        x.tile((2,)),
        x.repeat_interleave(2),
        x.tril(),
        x.triu(),
        torch.cat([x, x]),
        torch.stack([x, x]),
        torch.hstack([x, x]),
        torch.vstack([x, x]),
        x.double(),
        x.to(torch.float64),
        x.diag(),
        torch.diag_embed(x),
        x.rot90(),
        torch.block_diag(x, x),
        torch.where(x > 0, x, 0),
        x.masked_fill(x > 0, 1),
        x.clamp(0, 1),
        x.clamp(min=0),
        torch.nn.functional.pad(x, (1, 1)),
        x.t().reshape(6),
        torch.maximum(x, x),
        torch.lerp(x, x, 0.5),
    ):
        print(_name(z.grad_fn))


def index_names(torch: T) -> None:
    x = torch.ones(3, 3, requires_grad=True)
    i = torch.tensor([0, 2])
    for z in (
        x[i],
        x[[0, 1]],
        x[i, i],
        x[x > 0],
        x[:, i],
        x[0, i],
        x.index_select(0, i),
        x.gather(0, i[None]),
        x.take(i),
        x.masked_select(x > 0),
        x.index_add(0, i, x[:2]),
        x.index_copy(0, i, x[:2]),
        x.index_fill(0, i, 1.0),
        x.scatter(0, i[None], x),
        x.scatter_add(0, i[None], x),
        x.index_put((i,), x[:2]),
        x.take_along_dim(x.long(), 0),
        x.scatter(0, i[None], 1.0),
        x.masked_scatter(x > 0, x),
        x.scatter_reduce(0, i[None], x, "amax"),
        x.select_scatter(x[0], 0, 0),
        x.slice_scatter(x[:1], 0, 0, 1),
        torch.nn.functional.embedding(i, x),
    ):
        print(_name(z.grad_fn))


def product_names(torch: T) -> None:
    m = torch.ones(2, 2, requires_grad=True)
    v = torch.ones(2, requires_grad=True)
    b = torch.ones(2, 2, 2, requires_grad=True)
    for z in (
        m @ m,
        m @ v,
        v @ m,
        v @ v,
        b @ b,
        b @ m,
        b @ v,
        m @ b,
        torch.mm(m, m),
        torch.mv(m, v),
        torch.dot(v, v),
        torch.bmm(b, b),
        torch.addmm(m, m, m),
        torch.outer(v, v),
        torch.einsum("ij,jk->ik", m, m),
        torch.nn.functional.linear(m, m, v),
        torch.nn.functional.linear(m, m),
        torch.nn.functional.linear(b, m, v),
        torch.nn.functional.linear(v, m),
        torch.baddbmm(b, b, b),
        torch.addmv(v, m, v),
        torch.kron(m, m),
        torch.linalg.inv(m + torch.eye(2)),
        torch.linalg.det(m),
        torch.trace(m),
        torch.inner(v, v),
        torch.linalg.solve(m + torch.eye(2), v),
        torch.linalg.cholesky(m + 3 * torch.eye(2)),
        torch.tensordot(m, m, 1),
    ):
        print(_name(z.grad_fn))


def layer_names(torch: T) -> None:
    F = torch.nn.functional
    x = torch.rand(2, 2, 4, 4, requires_grad=True)
    w = torch.rand(2, 2, 2, 2, requires_grad=True)
    for z in (
        F.conv2d(x, w),
        F.conv_transpose2d(x, w),
        F.max_pool2d(x, 2),
        F.avg_pool2d(x, 2),
        F.adaptive_avg_pool2d(x, 1),
        F.batch_norm(x, None, None, training=True),
        F.layer_norm(x, (4,)),
        F.group_norm(x, 2),
        F.dropout(x, 0.5),
        F.relu(x),
        F.gelu(x),
        F.silu(x),
        F.elu(x),
        F.leaky_relu(x),
        F.softplus(x),
        F.hardtanh(x),
        F.selu(x),
        F.mish(x),
        F.glu(x),
        F.logsigmoid(x),
        F.softmax(x, 1),
        F.normalize(x),
        F.unfold(x, 2),
        F.pixel_shuffle(x[:, :1], 1),
        F.interpolate(x, scale_factor=2),
        F.hardswish(x),
        F.relu6(x),
        F.threshold(x, 0, 0),
        F.max_pool1d(x[0], 2),
        F.avg_pool1d(x[0], 2),
        F.conv1d(x[0], w[0].repeat(1, 2, 1)),
        F.adaptive_max_pool2d(x, 1),
        F.celu(x),
        F.hardsigmoid(x),
        F.softsign(x),
        F.tanhshrink(x),
        F.softshrink(x),
        F.hardshrink(x),
        F.instance_norm(x),
        F.dropout(x, 0.0),
        F.dropout(x, 0.5, training=False),
        F.adaptive_avg_pool1d(x[0], 1),
        F.rms_norm(x, (4,)),
    ):
        print(_name(z.grad_fn))


def loss_names(torch: T) -> None:
    F = torch.nn.functional
    x = torch.rand(2, 3, requires_grad=True)
    y = torch.rand(2, 3)
    c = torch.tensor([0, 2])
    for z in (
        F.mse_loss(x, y),
        F.l1_loss(x, y),
        F.smooth_l1_loss(x, y),
        F.huber_loss(x, y),
        F.cross_entropy(x, c),
        F.nll_loss(x, c),
        F.binary_cross_entropy(x, y),
        F.binary_cross_entropy_with_logits(x, y),
        F.kl_div(x, y),
        F.cross_entropy(x, y),
        F.cosine_similarity(x, y),
        F.hinge_embedding_loss(x, y.sign()),
        F.poisson_nll_loss(x, y),
        F.soft_margin_loss(x, y),
        F.mse_loss(x, y, reduction="none"),
        F.cross_entropy(x, c, label_smoothing=0.1),
        F.multi_margin_loss(x, c),
        F.multilabel_soft_margin_loss(x, y),
        F.gaussian_nll_loss(x, y, y + 1),
    ):
        print(_name(z.grad_fn))


def in_place_names(torch: T) -> None:
    for update in (
        lambda a: a.add_(1),
        lambda a: a.mul_(2),
        lambda a: a.exp_(),
        lambda a: a.zero_(),
        lambda a: a.fill_(3),
        lambda a: a.copy_(torch.ones(2)),
        lambda a: a.clamp_(0, 1),
        lambda a: a.masked_fill_(a > 0, 1),
        lambda a: a.relu_(),
        lambda a: a.pow_(2),
        lambda a: a.neg_(),
        lambda a: a.sqrt_(),
        lambda a: a.t_(),
        lambda a: a.unsqueeze_(0),
        lambda a: a.index_fill_(0, torch.tensor([0]), 1),
        lambda a: a.uniform_(),
        lambda a: a.normal_(),
        lambda a: a.sub_(a),
        lambda a: a.div_(2),
        lambda a: a.cumsum_(0),
        lambda a: a.lerp_(a, 0.5),
    ):
        print(update(torch.ones(2, requires_grad=True) * 2).grad_fn.name())


def assignment_names(torch: T) -> None:
    for index in (
        0,
        slice(1),
        ...,
        None,
        [0],
        torch.tensor([0]),
        torch.tensor([True, False]),
        (0,),
        slice(None),
    ):
        a = torch.ones(2, requires_grad=True) * 2
        a[index] = 5
        print(a.grad_fn.name(), a.tolist(), a._version)


def comparisons_have_no_node(torch: T) -> None:
    x = torch.ones(2, requires_grad=True)
    for z in (
        x > 0,
        x == x,
        x.argmax(),
        x.isnan(),
        x.long(),
        x.bool(),
        x.sort()[1],
        x.nonzero(),
        x.sign() > 0,
    ):
        print(z.dtype, z.requires_grad, z.grad_fn, z.is_leaf)
