"""Expressions at the edge of what a dtype holds: signs of zeros, wrapping, rounding, refusals."""

from __future__ import annotations

EXPRESSIONS = [
    # Signs of zero, and nan.
    "torch.sign(torch.tensor([float('nan'), -0.0, 0.0, -2.0])).tolist()",
    "torch.sgn(torch.tensor([float('nan'), -0.0])).tolist()",
    "torch.remainder(torch.tensor([-2.0, -0.0, 2.0, 0.0, -3.0]), 2).tolist()",
    "torch.remainder(torch.tensor([2.0, -2.0, 0.0]), torch.tensor([-2.0, 2.0, -1.0])).tolist()",
    "(torch.tensor([-4.0]) % 2).tolist()",
    "torch.fmax(torch.tensor([0.0, -0.0]), torch.tensor([-0.0, 0.0])).tolist()",
    "torch.fmin(torch.tensor([0.0, -0.0]), torch.tensor([-0.0, 0.0])).tolist()",
    "torch.erfinv(torch.tensor([-0.0])).tolist()",
    "torch.nn.functional.celu(torch.tensor([-0.0])).tolist()",
    "torch.fft.fft(torch.tensor([1.0, 2.0, 3.0])).imag[0].item()",
    "torch.fft.fft(torch.zeros(2)).imag.tolist()",
    "torch.nextafter(torch.tensor([0.0]).half(), torch.tensor([-0.0]).half()).tolist()",
    # The dtype that is asked for.
    "torch.tensor([200, 200], dtype=torch.uint8).prod(dtype=torch.uint8)",
    "torch.tensor([True, False]).prod(dtype=torch.bool)",
    "torch.tensor([[100, 2], [3, 2]], dtype=torch.int8).prod(0, dtype=torch.int8)",
    "torch.tensor([True, True]).sum(dtype=torch.bool)",
    "torch.tensor([100, 100], dtype=torch.int8).nansum(dtype=torch.int8)",
    "torch.tensor([True, True]).nansum(dtype=torch.bool)",
    "torch.tensor([1.0]).nansum(dtype=torch.complex64)",
    "torch.tensor([1.0]).nanmean(dtype=torch.int32)",
    "torch.linalg.vector_norm(torch.ones(2), dtype=torch.complex64)",
    # Numbers beyond a dtype.
    "torch.tensor([5, 200], dtype=torch.uint8) % -1",
    "torch.tensor([5, 200], dtype=torch.uint8) % 300",
    "torch.fmod(torch.tensor([5, 200], dtype=torch.uint8), 300)",
    "torch.clamp(torch.tensor([5, 200], dtype=torch.uint8), min=-1)",
    "torch.clamp(torch.tensor([5, 200], dtype=torch.uint8), max=-300)",
    "torch.tensor([5], dtype=torch.int8) ** 300",
    # Numbers and halves.
    "(torch.tensor([7.0, 3.0], dtype=torch.bfloat16) * 0.3).tolist()",
    "(torch.tensor([7.0, 3.0], dtype=torch.bfloat16) / 0.3).tolist()",
    "(torch.tensor([7.0, 3.0], dtype=torch.bfloat16) * torch.tensor(0.3)).tolist()",
    "(torch.tensor(0.3) * torch.tensor([7.0, 3.0], dtype=torch.bfloat16)).tolist()",
    "(torch.tensor([7.0, 3.0], dtype=torch.bfloat16) % 0.3).tolist()",
    "(torch.tensor([7.0, 3.0], dtype=torch.bfloat16) ** 0.3).tolist()",
    "(0.3 ** torch.tensor([7.0, 3.0], dtype=torch.bfloat16)).tolist()",
    "torch.ldexp(torch.tensor([0.0]).half(), torch.tensor([127.0]).half()).tolist()",
    "torch.nn.functional.rms_norm(torch.full((2,), 1e-4, dtype=torch.bfloat16), (2,)).tolist()",
    # Shapes and dtypes at the edge.
    "torch.dist(torch.tensor([1, 2]), torch.tensor([1.0, 3.0]))",
    "torch.dist(torch.tensor([1.0, 2.0]), torch.tensor([1, 3]))",
    "torch.dist(torch.tensor([True]), torch.tensor([1.0]))",
    "torch.nn.functional.nll_loss(torch.tensor([1.0, 2.0, 3.0]), torch.tensor([1]))",
    "torch.nn.functional.nll_loss(torch.tensor([1.0, 2.0, 3.0]), torch.tensor([1, 2]))",
    (
        "torch.nn.functional.max_unpool2d(torch.zeros(0, 2, 3, 3), torch.zeros(0, 2, 3, 3, "
        "dtype=torch.int64), 2).shape"
    ),
    (
        "torch.nn.functional.max_unpool2d(torch.zeros(2, 0, 3, 3), torch.zeros(2, 0, 3, 3, "
        "dtype=torch.int64), 2).shape"
    ),
    (
        "(torch.full((2, 2), 1.5).to(torch.float8_e4m3fn) @ torch.ones(2, "
        "2).to(torch.float8_e4m3fn)).float()"
    ),
    "(torch.full((2,), 1.5).to(torch.float8_e5m2) * torch.full((2,), 1.5).to(torch.float8_e5m2)).float()",
    "torch.ones(2).to(torch.float8_e5m2) * 2",
    "torch.inner(torch.ones(2), 2)",
    "torch.sub(torch.ones(2), torch.tensor([True, True]), alpha=2)",
    "torch.binomial(torch.ones(2).bfloat16(), torch.ones(2).bfloat16())",
    # In place the shape comes first, then the dtype, then the kernel.
    "torch.ones(()).bool().add_(torch.ones(3))",
    "torch.ones(3, dtype=torch.bool).bitwise_and_(torch.ones(3))",
    "torch.ones(3, dtype=torch.int32).remainder_(torch.ones(3, dtype=torch.complex64))",
    "torch.ones(3, dtype=torch.int32).lt_(torch.ones(3, dtype=torch.complex64))",
    # Derivatives of norms at zero.
    (
        "torch.func.jvp(lambda x: torch.linalg.vector_norm(x, 1), (torch.zeros(2),), "
        "(torch.ones(2),))[1].item()"
    ),
    (
        "torch.func.jvp(lambda x: torch.linalg.vector_norm(x, 2), (torch.zeros(2),), "
        "(torch.ones(2),))[1].item()"
    ),
    (
        "torch.func.jvp(lambda x: torch.linalg.vector_norm(x, 3), (torch.zeros(2),), "
        "(torch.ones(2),))[1].item()"
    ),
    (
        "torch.func.jvp(lambda x: torch.linalg.vector_norm(x, 4), (torch.zeros(2),), "
        "(torch.ones(2),))[1].item()"
    ),
    (
        "torch.func.jvp(torch.func.grad(lambda x: torch.linalg.vector_norm(x, 3)), (torch.zeros(2),), "
        "(torch.ones(2),))[1].tolist()"
    ),
    (
        "torch.func.jvp(torch.func.grad(lambda x: torch.linalg.vector_norm(x, 4)), (torch.zeros(2),), "
        "(torch.ones(2),))[1].tolist()"
    ),
    "torch.func.jvp(torch.std, (torch.ones(2),), (torch.ones(2),))[1].item()",
    "torch.func.jvp(torch.linalg.matrix_norm, (torch.zeros(2, 2),), (torch.ones(2, 2),))[1].item()",
    # Draws with probabilities in another order of memory.
    (
        "(torch.manual_seed(3), torch.bernoulli((torch.arange(15).reshape(3, 5) * 37 % 11 / "
        "11).t()).int().tolist())[1]"
    ),
    "torch.bernoulli(torch.ones(3, 5).t()).stride()",
    # Squares that float32 does not hold.
    "torch.tensor([1e30, 2e30, 3e30]).std().item()",
    "torch.tensor([1e30, 2e30, 3e30]).var().item()",
    "torch.tensor([[1e-30, 2e-30, 3e-30]] * 2).std(1).tolist()",
    "torch.std_mean(torch.tensor([1e30, 2e30, 3e30]).bfloat16())[0].item()",
    "torch.func.grad(torch.std)(torch.tensor([1e30, 2e30, 3e30])).tolist()",
    # Limits that halves do not hold.
    "torch.nn.functional.threshold(torch.tensor([0.3, 0.1]).bfloat16(), 0.3, 0.7).tolist()",
    "torch.nn.functional.threshold(torch.tensor([0.3, 0.1]).half(), 0.3, 0.7).tolist()",
    "torch.nn.functional.hardshrink(torch.tensor([0.3, -0.3, 0.1]).bfloat16(), 0.3).tolist()",
    "torch.nn.functional.hardshrink(torch.tensor([0.3, -0.3, 0.1]).half(), 0.3).tolist()",
    (
        "torch.func.grad(lambda x: torch.nn.functional.threshold(x, 0.3, 0.7).sum())(torch.tensor([0.3, "
        "0.1]).half()).tolist()"
    ),
    # Slopes at the edge of a domain.
    (
        "torch.autograd.grad(torch.logit(x := torch.tensor([-0.0, 0.0, 1.0, 2.0], requires_grad=True)), x, "
        "torch.ones(4))[0].tolist()"
    ),
    (
        "torch.autograd.grad(torch.logit(x := torch.tensor([0.0, float('nan')], requires_grad=True), 0.1), "
        "x, torch.ones(2))[0].tolist()"
    ),
    "torch.nn.functional.threshold(torch.ones(2).bfloat16(), 1.0, 1e39)",
    "torch.nn.functional.threshold(torch.ones(2).half(), 1e39, 1.0)",
    (
        "torch.autograd.grad(torch.special.xlog1py(x := torch.ones(1, requires_grad=True), "
        "torch.tensor([float('inf')])), x, torch.zeros(1))"
    ),
    # Tangents at a tie, and at nan.
    *(
        f"[v.tolist() for v in torch.func.jvp(torch.{name}, (torch.tensor([1.0, float('nan'), 1.0]), "
        "torch.tensor([1.0, 1.0, float('nan')])), (torch.ones(3), torch.full((3,), 5.0)))]"
        for name in ("maximum", "minimum", "fmax", "fmin")
    ),
    # Differences that are no integers of the dtype, and functions far out.
    "torch.isclose(torch.tensor([-(2**63), 2**53 + 1]), torch.tensor([2**63 - 1, 2**53])).tolist()",
    "torch.isclose(torch.tensor([True, False]), torch.tensor([True, True])).tolist()",
    "torch.isclose(torch.tensor([2, 3]).byte(), torch.tensor([3, 3]).byte(), atol=1.0).tolist()",
    "torch.special.airy_ai(torch.tensor([1e10, 104.0, float('inf')])).tolist()",
    (
        "torch.autograd.grad(torch.exp2(x := torch.tensor(127.9, requires_grad=True)), x, "
        "torch.tensor(1.3))[0].item()"
    ),
    # Integrals of bytes, and of nothing; quantiles of nothing.
    "torch.trapezoid(torch.tensor([126, 2, 127, 3, -128], dtype=torch.int8))",
    "torch.trapezoid(torch.ones(2, 0, dtype=torch.bool))",
    "torch.trapezoid(torch.ones(0, requires_grad=True))",
    "torch.quantile(torch.ones(0, 3), 0.5, 1)",
    "torch.quantile(torch.ones(0, dtype=torch.int64), 0.5)",
    # A factor of a matrix with NaN ends at the first minor that holds it.
    "torch.linalg.cholesky(torch.tensor([[4.0, 1.0], [1.0, float('nan')]]))",
    "torch.linalg.cholesky(torch.full((70, 70), float('nan')))",
    "torch.linalg.cholesky(torch.stack([torch.eye(2), torch.full((2, 2), float('nan'))]))",
    "torch.linalg.cholesky_ex(torch.tensor([[4.0, 1.0, 2.0], [1.0, float('nan'), 3.0], [2.0, 3.0, 9.0]]))",
    (
        "torch.linalg.cholesky_ex(torch.tensor([[float('nan'), 1.0], [1.0, 9.0]], dtype=torch.float64), "
        "upper=True)"
    ),
    # A number that a half does not hold, where one of two is chosen.
    "torch.where(torch.tensor([True, False]), torch.ones(2).half(), 1e30)",
    "torch.where(torch.tensor([True, False]), -70000, torch.ones(2).bfloat16())",
    "torch.where(torch.tensor([True, False]), torch.ones(2), 1e300)",
    "torch.where(torch.tensor([True, False]), torch.ones(2, dtype=torch.int8), 1000)",
    # One value for a mask of bytes, and several.
    "torch.arange(4.0).index_put((torch.tensor([1, 0, 1, 0]).byte(),), torch.tensor(7.0))",
    "torch.arange(4.0).index_put((torch.tensor([1, 0, 1, 0]).byte(),), torch.tensor([7.0, 8.0]))",
    "torch.arange(4.0).__setitem__(torch.tensor([1, 0, 1, 0]).byte(), 7.0)",
    "torch.zeros(2, 4).__setitem__((slice(None), torch.tensor([1, 0, 1, 0]).byte()), torch.ones(1))",
    # Sizes below 0 that meet no axis, or one of size 1.
    "torch.ones(()).expand(-1, 2)",
    "torch.ones(()).expand(2, -1)",
    "torch.ones(2).expand(-2, 2)",
    "torch.ones(2).expand(-1, 2)",
    "torch.ones(1).expand(2, -2)",
    "torch.ones(2).expand(2, -2)",
    # What sparse tensors answer to Python.
    "bool(torch.zeros(0, 3).to_sparse())",
    "bool(torch.ones(2).to_sparse())",
    "[1, 2][torch.ones(1).to_sparse()]",
    # Methods that errors name.
    "torch.nn.Linear(1, 1).register_forward_hook(None, bogus=1)",
    "torch.nn.Linear(1, 1).state_dict(bogus=1)",
    "torch.nn.Linear(1, 1).train(True, False)",
    # No dim is none, and needs one to be kept.
    "torch.max(torch.ones(2, 3), None)",
    "torch.ones(2, 3).max(dim=None)",
    "torch.ones(2, 3).max(keepdim=True)",
    "torch.min(torch.ones(2, 3), None)",
    "torch.ones(2, 3).min(dim=None)",
    "torch.ones(2, 3).min(keepdim=True)",
    "torch.median(torch.ones(2, 3), None)",
    "torch.ones(2, 3).median(dim=None)",
    "torch.ones(2, 3).median(keepdim=True)",
    "torch.nanmedian(torch.ones(2, 3), None)",
    "torch.ones(2, 3).nanmedian(dim=None)",
    "torch.ones(2, 3).nanmedian(keepdim=True)",
    "torch.squeeze(torch.ones(2, 1), None)",
    "torch.ones(2, 1).squeeze(dim=None)",
    "torch.ones(2, 1).squeeze_(None)",
    "torch.ones(2, 1).squeeze()",
    # An operator with other arguments has no answer.
    "torch.ones(2).__add__(torch.ones(2), torch.ones(2))",
    "torch.ones(2).__rsub__()",
    "torch.ones(2).__eq__(1, 2)",
    "torch.ones(2).__and__(bogus=1)",
    # A component's number is drawn once for each of the batch that a mixture is expanded to.
    (
        "torch.distributions.MixtureSameFamily(torch.distributions.Categorical(torch.tensor([[0.5, 0.5], "
        "[0.1, 0.9]])), torch.distributions.Normal(torch.tensor([0.0, 2.0]), 1.0)).expand((3, 2)).mean"
    ),
    "list(vars(torch.nn.Buffer(torch.ones(2))).items())",
    # A number of NumPy's that a dtype does not hold.
    "torch.tensor(__import__('numpy').float64('nan'), dtype=torch.int8)",
    "torch.tensor(__import__('numpy').int64(300), dtype=torch.uint8)",
    "torch.tensor(__import__('numpy').float64(1.5), dtype=torch.int32)",
    "torch.tensor(__import__('numpy').float32(1.5), dtype=torch.int32)",
    "torch.tensor([__import__('numpy').float16(1.5)], dtype=torch.bool)",
    "torch.tensor([__import__('numpy').True_], dtype=torch.int64)",
    "torch.tensor([__import__('numpy').True_], dtype=torch.bool)",
    "torch.tensor(__import__('numpy').complex64(1.5), dtype=torch.float32)",
    "torch.as_tensor(__import__('numpy').float64(1e10), dtype=torch.int32)",
    "torch.ones(2, dtype=torch.int8).copy_(__import__('numpy').float32(2.5))",
    "torch.ones(2).copy_(__import__('numpy').uint16(3))",
    "torch.ones(2).copy_(__import__('numpy').str_('x'))",
]
