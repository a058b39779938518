"""Expressions whose results are compared in every order of memory of their operands.

They are written in `x`, `y` and `z` (real numbers of one shape), `p` (numbers in (0, 1)), `m` (a mask), `i`
and `j` (integers) and `o` (what an `out=` is given); `F` is ``torch.nn.functional``.
"""

from __future__ import annotations

UNARY = [
    "abs", "neg", "exp", "exp2", "expm1", "sin", "cos", "tan", "tanh", "sinh", "cosh", "asinh", "atan",
    "sigmoid", "erf", "erfc", "ceil", "floor", "round", "trunc", "frac", "sign", "sgn", "square", "isnan",
    "isfinite", "isinf", "isposinf", "signbit", "nan_to_num", "relu", "logical_not", "lgamma", "digamma",
    "sinc", "i0", "deg2rad", "rad2deg", "reciprocal", "real", "positive", "angle",
]  # fmt: skip

#: Of numbers between 0 and 1.
PROBABILITIES = ["log", "log2", "log10", "log1p", "sqrt", "rsqrt", "acos", "asin", "atanh", "logit", "erfinv"]

BINARY = [
    "add", "sub", "mul", "div", "maximum", "minimum", "fmax", "fmin", "atan2", "hypot", "copysign",
    "nextafter", "logaddexp", "logaddexp2", "eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or",
    "logical_xor", "remainder", "fmod", "floor_divide", "float_power", "heaviside", "isclose", "rsub",
    "xlogy", "clamp", "clamp_min", "clamp_max", "ldexp",
]  # fmt: skip

INTEGERS = [
    "bitwise_and", "bitwise_or", "bitwise_xor", "gcd", "lcm", "bitwise_left_shift", "floor_divide",
    "remainder",
]  # fmt: skip

ACTIVATIONS = [
    "gelu", "silu", "mish", "softplus", "elu", "selu", "celu", "hardtanh", "hardswish", "hardsigmoid",
    "leaky_relu", "relu6", "softsign", "tanhshrink", "softshrink", "hardshrink", "logsigmoid", "rrelu",
    "normalize", "dropout",
]  # fmt: skip

REDUCTIONS = [
    "sum", "mean", "prod", "amax", "amin", "var", "std", "all", "any", "logsumexp", "argmax", "argmin",
    "median", "mode", "max", "min", "nansum", "nanmean", "count_nonzero", "norm", "aminmax",
]  # fmt: skip

#: Of any rank from 2 on.
GENERAL = [
    *[f"torch.{name}(x)" for name in UNARY],
    *[f"torch.{name}(p)" for name in PROBABILITIES],
    *[f"torch.{name}(x, y)" for name in BINARY],
    *[f"torch.{name}(i, j)" for name in INTEGERS],
    *[f"F.{name}(x)" for name in ACTIVATIONS],
    *[f"torch.{name}(x, dim=0)" for name in REDUCTIONS],
    *[f"torch.{name}(x, dim=-1, keepdim=True)" for name in REDUCTIONS if name != "count_nonzero"],
    "torch.argmax(x, 1)", "torch.var_mean(x, 0)", "torch.std_mean(x, 1)", "x.sum((0, 1))", "x.norm(3, 0)",
    # With numbers and with operands of other shapes.
    "x + 1", "2 * x", "1 - x", "x / 3", "x ** 2", "2.0 ** x", "x > 0", "x + y[0]", "y[0] * x", "x[:1] - y",
    "x + y[..., :1]", "x[..., :1] + y", "x + y.double()", "i + x", "x * i", "x + m", "-x", "abs(x)", "x % 2",
    "x + torch.tensor(2.0)", "torch.tensor(2.0) - x", "x.add(y, alpha=2)", "x.sub(y, alpha=2)",
    "torch.rsub(x, 1)", "torch.rsub(x, y, alpha=2)", "torch.div(x, y, rounding_mode='floor')",
    "torch.clamp(x, -1, 1)", "torch.clamp(x, y, z)", "torch.clamp(x, min=y)", "torch.true_divide(i, j)",
    "x.pow(y.abs())", "~m",
    # Of three operands.
    "torch.lerp(x, y, 0.3)", "torch.lerp(x, y, z)", "torch.addcmul(x, y, z)",
    "torch.addcmul(x, y, z, value=2)", "torch.addcdiv(x, y, z.abs() + 1)", "torch.where(m, x, y)",
    "torch.where(m, x, 0.0)", "torch.where(m, 1.0, y)", "x.masked_fill(m, 1.0)",
    "x.masked_fill(m, torch.tensor(1.0))", "torch.complex(x, y)", "torch.polar(p, y)",
    "torch.mvlgamma(p + 3, 2)", "torch.polygamma(1, p)", "torch.special.xlog1py(x, p)",
    "torch.special.zeta(p + 2, p)", "torch.special.chebyshev_polynomial_t(x, y)", "torch.igamma(p, p)",
    "torch.bucketize(x, torch.tensor([0.0, 1.0]))",
    # Along an axis.
    "x.cumsum(0)", "x.cumprod(1)", "x.cummax(0)", "x.cummin(-1)", "x.logcumsumexp(0)", "x.softmax(0)",
    "x.softmax(-1)", "x.log_softmax(1)", "F.softmin(x, 0)", "x.sort(0)", "x.sort(-1, descending=True)",
    "x.argsort(1)", "torch.msort(x)", "x.topk(2, 0)", "x.kthvalue(2, 1)", "x.quantile(0.4, 0)",
    "x.diff(dim=0)", "x.renorm(2, 1, 0.5)", "x.unfold(0, 2, 1) * 2", "torch.trapezoid(x)",
    "x.cumsum(0, dtype=torch.float64)", "F.glu(x[..., :2])", "F.layer_norm(x, x.shape[-1:])",
    "F.rms_norm(x, x.shape[-1:])", "F.cosine_similarity(x, y)", "x.softmax(1, dtype=torch.float64)",
    "x.prod(0, dtype=torch.float64)", "torch.cdist(x, y)",
    # Rearranged.
    "x.flip(0)", "x.flip((0, 1))", "torch.fliplr(x)", "torch.flipud(x)", "torch.rot90(x)",
    "torch.rot90(x, 2)", "x.roll(1, 0)", "x.roll((1, 1), (0, 1))", "x.roll(1)", "x.roll(0, 0)",
    "torch.fft.fftshift(x)", "torch.fft.ifftshift(x)", "x.repeat(*(2,) * x.dim())",
    "x.repeat(*(1,) * x.dim())", "x.tile((2,))", "x.tril()", "x.triu()", "torch.cat((x, y))",
    "torch.cat((x, y), -1)", "torch.stack((x, y))", "torch.stack((x, y), 1)", "torch.stack((x, y), -1)",
    "torch.hstack((x, y))", "torch.vstack((x, y))", "x.repeat_interleave(2, 0)", "F.pad(x, (1, 1))",
    "x.reshape(-1)", "x.reshape(x.shape[0], -1)", "x.flatten()", "x.ravel()", "x.contiguous()",
    "x.movedim(0, 1)", "x.split(1)", "x.unbind(1)", "x.chunk(2)",
    # At places.
    "x[[0, 1]]", "x[:, [1, 0]]", "x[..., [0, 1]]", "x[[0, 1], [1, 0]]", "x[[0, 1], ..., [1, 0]]", "x[m]",
    "x[m[:, 0] if m.dim() == 2 else m[:, 0, 0]] if m.dim() < 4 else x", "x[torch.tensor([[0, 1], [1, 0]])]",
    "x[1:, ::2]", "x[None]", "x.index_select(0, torch.tensor([1, 0]))",
    "x.index_add(0, torch.tensor([1, 0]), y[:2])", "x.index_copy(0, torch.tensor([1, 0]), y[:2])",
    "x.index_fill(0, torch.tensor([1]), 2.0)", "x.index_put((torch.tensor([1]),), y[0])",
    "x.gather(0, i % 2)", "x.scatter(0, i % 2, y)", "x.scatter(0, i % 2, 1.0)", "x.scatter_add(0, i % 2, y)",
    "x.take(i % 2)", "x.scatter_reduce(0, i % 2, y, 'amax')", "x.put(torch.tensor([0, 1]), torch.ones(2))",
    "x.take_along_dim(i % x.shape[0], 0)", "x.masked_scatter(m, y)", "x.masked_select(m)",
    "x.select_scatter(y[0], 0, 0)", "x.slice_scatter(y[:1], 0, 0, 1)", "x.diagonal_scatter(y.diagonal())",
    "x.nonzero()", "x.unique()", "F.one_hot(i)", "F.embedding(i, torch.ones(9, 2))",
    # Conversions and what is made like a tensor.
    "x.double()", "x.to(torch.float16)", "x.long()", "x.bool()", "x.clone()", "x.float()",
    "x.type(torch.float64)", "x.float(memory_format=torch.contiguous_format)",
    "x.clone(memory_format=torch.contiguous_format)", "torch.zeros_like(x)",
    "torch.ones_like(x, dtype=torch.int64)", "torch.empty_like(x) * 0", "x.new_zeros(x.shape)",
    # Losses that reduce nothing.
    "F.mse_loss(x, y, reduction='none')", "F.l1_loss(x, y, reduction='none')",
    "F.huber_loss(x, y, reduction='none')", "F.smooth_l1_loss(x, y, reduction='none')",
    "F.binary_cross_entropy(p, m.float(), reduction='none')",
    "F.binary_cross_entropy_with_logits(x, p, reduction='none')", "F.kl_div(x, p, reduction='none')",
    "F.poisson_nll_loss(x, p, reduction='none')", "F.soft_margin_loss(x, y, reduction='none')",
    "F.hinge_embedding_loss(x, y.sign(), reduction='none')",
    "F.margin_ranking_loss(x, y, z.sign(), reduction='none')",
    # In place, and with a tensor for the result.
    "x.clone().add_(y)", "x.clone().mul_(y[0])", "x.clone().sub_(1)", "x.clone().masked_fill_(m, 1.0)",
    "x.clone().lerp_(y, z)", "x.clone().addcmul_(y, z)", "x.clone().clamp_(y, z)", "x.clone().copy_(y)",
    "x.clone().cumsum_(0)", "x.clone().exp_()", "x.clone().gt_(y)",
    "x.clone().index_add_(0, torch.tensor([0]), y[:1])", "x.clone().scatter_(0, i % 2, y)",
    "x.clone().zero_()", "x.clone().fill_(2)", "x.clone().renorm_(2, 0, 0.5)",
    "torch.add(x.detach(), y.detach(), out=o)", "torch.add(x.detach(), y.detach(), out=torch.empty(0))",
    "torch.exp(x.detach(), out=o)", "torch.exp(x.detach(), out=torch.empty(0))",
    "torch.cumsum(x.detach(), 0, out=o)", "torch.cumsum(x.detach(), 0, out=torch.empty(0))",
    "torch.clamp(x.detach(), y.detach(), out=torch.empty(0))", "torch.sum(x.detach(), 0, out=torch.empty(0))",
    "torch.softmax(x.detach(), 0, out=torch.empty(0))",
    "torch.where(m, x.detach(), y.detach(), out=torch.empty(0))", "torch.mul(x.detach(), 2, out=o)",
    "torch.cat((x.detach(), y.detach()), out=torch.empty(0))",
    "torch.lt(x.detach(), y.detach(), out=torch.empty(0, dtype=torch.bool))",
    # Chains of them.
    "(x + y).relu().sum(0) * 2", "(x.t() if x.dim() == 2 else x.transpose(0, -1)) + 1",
    "(x * y).contiguous()", "((x - x.mean(0)) / (x.std(0) + 1)) * y",
    "torch.exp(x - x.amax(1, keepdim=True))",
]  # fmt: skip

#: Matrices.
MATRICES = [
    "x @ y.t()", "x.t() @ y", "torch.mm(x.t(), y)", "torch.addmm(x[:, :4], x, y.t())",
    "torch.outer(x[0], y[0])", "torch.addr(x, x[:, 0], y[0])", "torch.cov(x)", "torch.corrcoef(x)",
    "torch.linalg.qr(x)[1].abs()", "torch.linalg.matrix_power(x[:, :4], 0)",
    "torch.linalg.matrix_power(x[:, :4], 3)", "torch.mv(x, y[0])", "torch.tensordot(x, y, dims=([1], [1]))",
    "torch.einsum('ij,kj->ki', x, y)", "F.linear(x, y)", "torch.inner(x, y)", "torch.chain_matmul(x)",
    "torch.nn.functional.bilinear(x, y, torch.ones(2, 6, 6))", "x.t()", "torch.diag(x)",
    "torch.nn.functional.cross_entropy(x, x.argmax(1), reduction='none')",
]  # fmt: skip

#: Of images (N, C, H, W).
IMAGES = [
    "F.conv2d(x, torch.ones(2, 4, 3, 3))", "F.conv2d(x, torch.ones(4, 1, 3, 3), groups=4)",
    "F.conv2d(x, y[..., :3, :3])", "F.conv2d(torch.ones(2, 4, 5, 5), y[..., :3, :3])",
    "F.conv_transpose2d(x, torch.ones(4, 2, 3, 3))", "F.conv2d(x, torch.ones(2, 4, 3, 3), torch.ones(2))",
    "F.max_pool2d(x, 2)", "F.max_pool2d(x, 2, return_indices=True)", "F.avg_pool2d(x, 2)",
    "F.lp_pool2d(x, 2, 2)", "F.adaptive_avg_pool2d(x, 2)", "F.adaptive_max_pool2d(x, 2)",
    "F.interpolate(x, scale_factor=2)", "F.interpolate(x, scale_factor=2, mode='bilinear')",
    "F.interpolate(x, scale_factor=2, mode='area')", "F.interpolate(x, scale_factor=2, mode='bicubic')",
    "F.batch_norm(x, None, None, training=True)", "F.batch_norm(x, torch.zeros(4), torch.ones(4))",
    "F.group_norm(x, 2)", "F.instance_norm(x)", "F.local_response_norm(x, 2)", "F.layer_norm(x, x.shape[1:])",
    "F.pad(x, (1, 1, 1, 1))", "F.pad(x, (1, 1, 1, 1), 'reflect')", "F.pad(x, (1, 1, 1, 1), 'replicate')",
    "F.pad(x, (1, 1, 1, 1), 'circular')", "F.channel_shuffle(x, 2)", "F.channel_shuffle(x, 1)",
    "F.pixel_shuffle(x, 2)", "F.pixel_unshuffle(x[..., :2, :2], 2)", "F.unfold(x, 2)", "F.unfold(x, 1)",
    "F.prelu(x, torch.ones(4))", "x + torch.ones(4, 1, 1)", "F.dropout2d(x)", "torch.ones(4, 1, 1) * x",
    "x.contiguous(memory_format=torch.channels_last)", "x.to(memory_format=torch.channels_last)",
    "x.double().contiguous(memory_format=torch.channels_last)",
    "torch.empty_like(x, memory_format=torch.channels_last) * 0", "F.max_unpool2d(x.detach(), i * 0, 2)",
    "F.conv2d(x[0], torch.ones(2, 4, 3, 3))", "F.max_pool2d(x[0], 2)", "F.avg_pool2d(x[0], 2)",
    "F.nll_loss(x.detach(), i[:, 0] % 4, reduction='none')",
    "F.cross_entropy(x.detach(), i[:, 0] % 4, reduction='none')", "F.conv1d(x[0], torch.ones(2, 6, 3))",
    "F.conv1d(torch.ones(2, 4, 5), y[..., 0])", "F.max_pool1d(x[0], 2)", "F.avg_pool1d(x[0], 2)",
    "F.adaptive_avg_pool1d(x[0], 2)", "F.conv3d(x, torch.ones(2, 2, 2, 2, 2))", "F.avg_pool3d(x, 2)",
    "F.adaptive_avg_pool3d(x, 2)", "F.interpolate(x[0], scale_factor=2)",
    "F.conv3d(x[:, :, None], torch.ones(2, 4, 1, 2, 2))", "F.grid_sample(x, torch.zeros(2, 3, 3, 2))",
]  # fmt: skip

#: (expression, shape) of every case.
CASES: list[tuple[str, tuple[int, ...]]] = [
    *[(expression, shape) for expression in GENERAL for shape in ((4, 6), (2, 4, 3), (2, 4, 6, 5))],
    *[(expression, (4, 6)) for expression in MATRICES],
    *[(expression, (2, 4, 6, 5)) for expression in IMAGES],
    *[
        (expression, shape)
        for expression in GENERAL[::7]
        for shape in ((1, 3, 4), (3, 1, 4), (4, 1), (2, 0, 3))
    ],
]
