"""Models of other kinds, and functions that models are made of."""

from __future__ import annotations

from typing import Any

import pullback as torch
import pullback.nn.functional as F
from pullback import nn

from .cases import case, image

ROWS = {"x": {0: "batch"}}
MORE = {"batch": 3}


@case(image(3, 4), ROWS, MORE)
def perceptron() -> Any:
    return nn.Sequential(
        nn.Linear(4, 8), nn.BatchNorm1d(8), nn.GELU(), nn.Linear(8, 8), nn.CELU(), nn.Softshrink(),
        nn.Hardshrink(), nn.Tanhshrink(), nn.Softsign(), nn.LogSigmoid(), nn.Softmin(dim=1), nn.Linear(8, 2),
    )  # fmt: skip


@case(lambda: (torch.randint(0, 9, (3, 4)), torch.randn(3, 5)), {"x": {0: "batch"}, "dense": {0: "batch"}},
    MORE)
class Recommender(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(9, 6) for _ in range(4))
        self.bottom, self.top = nn.Linear(5, 6), nn.Linear(16, 1)

    def forward(self, x: Any, dense: Any) -> Any:
        parts = [self.bottom(dense)] + [t(x[:, n]) for n, t in enumerate(self.tables)]
        z = torch.stack(parts, 1)
        pairs = torch.bmm(z, z.transpose(1, 2))
        rows, columns = torch.tril_indices(5, 5, offset=-1)
        return torch.sigmoid(self.top(torch.cat([parts[0], pairs[:, rows, columns]], 1)))


@case(image(2, 6), ROWS, MORE)
class VariationalDecoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.mean, self.spread = nn.Linear(6, 3), nn.Linear(6, 3)
        self.bilinear = nn.Bilinear(3, 3, 2)

    def forward(self, x: Any) -> Any:
        mean, spread = self.mean(x), F.softplus(self.spread(x))
        return self.bilinear(mean, spread), -0.5 * torch.sum(1 + spread.log() - mean**2 - spread, dim=1)


@case(image(2, 3, 5), ROWS, MORE)
class CopiedViews(nn.Module):
    def forward(self, x: Any) -> Any:
        whole = [torch.transpose_copy(x, 1, 2), torch.permute_copy(x, (0, 2, 1)), torch.t_copy(x[0])]
        parts = [torch.select_copy(x, 1, 0), torch.slice_copy(x, 2, 1, 4), torch.unsqueeze_copy(x, 0)]
        return *whole, *parts, *torch.split_copy(x, 2, 2), *torch.unbind_copy(x, 1)


@case(image(2, 3, 5), ROWS, MORE)
class Elementwise(nn.Module):
    def forward(self, x: Any) -> Any:
        y = x.abs() + 0.5
        found = [
            y.rsqrt(), y.log1p(), y.log2(), x.expm1(), x.exp2(), y.pow(1.7), 2.0**x, x.sign(), x.floor(),
            x.ceil(),
            x.round(), x.trunc(), x.frac(), torch.atan2(x, y), torch.hypot(x, y), torch.fmod(x, 0.4),
            torch.remainder(x, 0.4), torch.lerp(x, y, 0.3), torch.addcmul(x, y, y, value=2), torch.erf(x),
            torch.erfc(x), x.clamp(-0.5, 0.5), torch.maximum(x, y), torch.minimum(x, y.mean()), x.sinh(),
            F.hardtanh(x), F.threshold(x, 0.1, 0.2), F.relu6(x * 9), F.rrelu(x), F.selu(x), F.mish(x),
            F.silu(x),
            torch.div(x, 0.3, rounding_mode="floor"), torch.div(x, 0.3, rounding_mode="trunc"),
            x.nan_to_num(),
            torch.logaddexp(x, y), x.square(), torch.where(x > 0, x, 0.0), x.reciprocal(), torch.rsub(x, 2),
        ]  # fmt: skip
        return torch.stack(found)


@case(lambda: (torch.randint(-9, 9, (3, 4)), torch.randint(1, 5, (3, 4))), {"x": {0: "n"}, "y": {0: "n"}},
    {"n": 2})
class Integers(nn.Module):
    def forward(self, x: Any, y: Any) -> Any:
        truths = [x > y, x == y, x != 2, (x > 0) & (y > 2), (x > 0) | (y > 2), (x > 0) ^ (y > 2), ~(x > 0)]
        numbers = [x // y, x % y, x + y, x * 2, -x, x.abs(), x.clamp(-3, 3), torch.div(x, y,
            rounding_mode="trunc")]
        return (
            torch.stack(truths).sum(0), torch.stack(numbers), x / y, x.sum(), (x > 0).any(1),
            (x > -99).all(1),
            x.float().mean(0), F.one_hot(y, 6), x.amax(1), x.argmin(0), (x > 0).float(), x & y, x.bool(),
        )  # fmt: skip


@case(image(3, 4, 5), {"x": {0: "batch"}}, MORE)
class Reductions(nn.Module):
    def forward(self, x: Any) -> Any:
        return (
            x.sum(1), x.mean((1, 2), keepdim=True), x.prod(2), x.var(1), x.std((0, 2)), torch.var_mean(x, 2),
            x.norm(dim=2), x.norm(p=1, dim=1), x.amax((1, 2)), x.argmax(), x.argmin(1, keepdim=True),
            x.logsumexp(1), torch.linalg.vector_norm(x, 3.0, 2), F.normalize(x, dim=1),
            F.cosine_similarity(x, x + 1),
            x.min(), x.max(2), x.count_nonzero(1), torch.linalg.vector_norm(x, float("inf"), 1),
        )  # fmt: skip


@case(image(4, 6, 5), {"x": {0: "batch"}}, MORE)
class Shapes(nn.Module):
    def forward(self, x: Any) -> Any:
        first, *rest = x.unbind(1)
        a, b = x.split([2, 4], 1)
        y = x.clone()
        y[:, 1] = 7
        y[:, 2:4, ::2] += 1
        return (
            first + sum(rest), a, b, x.tile(1, 2, 1), x.repeat_interleave(2, dim=1), x.roll(1, 2),
            x.roll((1, -2), (1, 2)),
            x.flip((1, 2)), torch.triu(x), torch.tril(x, -1), y, x[:, [0, 2]], x[:, torch.tensor([1, 3]), 2:],
            x[..., -1], x[::2], x.movedim(1, 2), x.swapaxes(1, 2).reshape(-1, 6), x[:, None],
            x.chunk(3, 1)[1],
            F.pad(x, (1, 2), value=3.0), F.pad(x, (1, 1), mode="reflect"), torch.cat([x, x * 2], 2),
            x.unflatten(1, (2, 3)),
            x.select(1, -1), x.narrow(2, 1, 3), torch.stack([x, x], -1), x.T if x.dim() == 2 else x.mT,
            x.expand(2, -1, -1, -1), x.unfold(2, 2, 1) if False else x.squeeze(),
        )  # fmt: skip


@case(image(3, 4, 5))
class FixedShapes(nn.Module):
    def forward(self, x: Any) -> Any:
        y = torch.zeros_like(x)
        y[torch.arange(3), torch.tensor([1, 0, 2])] = x[:, 0]
        return (
            x.unfold(2, 2, 1), x.diagonal(dim1=1, dim2=2), x.rot90(1, (1, 2)), x.roll(2), y,
            x.index_select(1, torch.tensor([2, 0])), torch.take(x, torch.tensor([3, 5])), x.sort(2)[0],
            x.sort(1, True)[1],
            x.index_copy(1, torch.tensor([0, 3]), x[:, :2]),
            x.scatter(1, torch.zeros(3, 1, 5, dtype=torch.long), 5.0),
            F.fold(F.unfold(x[None], 2), (4, 5), 2), torch.cdist(x, x + 1), F.layer_norm(x, (4, 5)),
            F.group_norm(x, 2),
            x.index_put((torch.tensor([0, 1]),), torch.tensor(2.0)), x.masked_fill(x > 0, -1.0),
            F.local_response_norm(x, 2),
        )  # fmt: skip


@case(lambda: (torch.randn(3, 4, dtype=torch.float64),), ROWS, MORE)
class DoublePrecision(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 3).double()

    def forward(self, x: Any) -> Any:
        return self.fc(x).softmax(1), x.to(torch.float32), x.to(torch.int64)


@case(image(2, 5), ROWS, MORE)
class Ensemble(nn.Module):
    """The same weights twice, parametrised and shared."""

    def __init__(self) -> None:
        super().__init__()
        self.one = nn.utils.parametrizations.weight_norm(nn.Linear(5, 5))
        self.two = nn.Linear(5, 5)
        self.two.weight = self.one.parametrizations.weight.original1
        self.scale = nn.Parameter(torch.tensor(0.5))

    def forward(self, x: Any) -> Any:
        return [self.one(x) * self.scale, {"two": self.two(x), "none": None}]
