"""Every loss of nn, behind a small network."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pullback as torch
from pullback import nn
from tests.compiler.soundness.training import Training, case, training

F = nn.functional
ROWS = 7


def classes(count: int = 5) -> Any:
    return torch.randint(0, count, (ROWS,))


def signs(*shape: int) -> Any:
    return torch.randint(0, 2, shape or (ROWS,)) * 2.0 - 1


def values() -> Any:
    return torch.randn(ROWS, 5)


def shares() -> Any:
    return torch.rand(ROWS, 5)


def of_logs(loss: Any) -> Callable[[Any, Any], Any]:
    """A loss of the logarithms of shares."""
    return lambda y, t: loss(y.log_softmax(1), t)


#: By name: the loss of the network's five outputs and a target, and what draws the target.
LOSSES: dict[str, tuple[Callable[[], Callable[[Any, Any], Any]], Callable[[], Any]]] = {
    "l1": (nn.L1Loss, values),
    "mse_summed": (lambda: nn.MSELoss(reduction="sum"), values),
    "smooth_l1": (lambda: nn.SmoothL1Loss(beta=0.5), values),
    "huber": (lambda: nn.HuberLoss(delta=0.7), values),
    "cross_entropy": (nn.CrossEntropyLoss, classes),
    "cross_entropy_smoothed": (lambda: nn.CrossEntropyLoss(torch.rand(5), label_smoothing=0.1), classes),
    "cross_entropy_ignoring": (lambda: nn.CrossEntropyLoss(ignore_index=2, reduction="sum"), classes),
    "cross_entropy_of_shares": (nn.CrossEntropyLoss, lambda: values().softmax(1)),
    "negative_log_likelihood": (
        lambda: of_logs(nn.NLLLoss(torch.rand(5))), classes
    ),
    "binary": (lambda: lambda y, t: nn.BCELoss()(y.sigmoid(), t), shares),
    "binary_of_logits": (lambda: nn.BCEWithLogitsLoss(torch.rand(5), pos_weight=torch.rand(5)), shares),
    "divergence": (
        lambda: of_logs(nn.KLDivLoss(reduction="batchmean")),
        lambda: values().softmax(1),
    ),
    "divergence_of_logs": (
        lambda: of_logs(nn.KLDivLoss(reduction="sum", log_target=True)),
        lambda: values().log_softmax(1),
    ),
    "poisson": (nn.PoissonNLLLoss, lambda: shares().mul(4).floor()),
    "poisson_whole": (
        lambda: lambda y, t: nn.PoissonNLLLoss(log_input=False, full=True)(F.softplus(y), t),
        lambda: shares().mul(4).floor(),
    ),
    "gaussian": (
        lambda: lambda y, t: nn.GaussianNLLLoss(full=True)(y[:, :2], t[:, :2], F.softplus(y[:, 2:4])), values
    ),
    "hinge_embedding": (lambda: nn.HingeEmbeddingLoss(0.8), lambda: signs(ROWS, 5)),
    "soft_margin": (nn.SoftMarginLoss, lambda: signs(ROWS, 5)),
    "margin_ranking": (lambda: lambda y, t: nn.MarginRankingLoss(0.2)(y[:, 0], y[:, 1], t), signs),
    "multi_margin": (lambda: nn.MultiMarginLoss(p=2, margin=0.5), classes),
    "multi_label_margin": (nn.MultiLabelMarginLoss, lambda: torch.rand(ROWS, 5).argsort(1)),
    "multi_label_soft_margin": (nn.MultiLabelSoftMarginLoss, lambda: shares().round()),
    "cosine_embedding": (
        lambda: lambda y, t: nn.CosineEmbeddingLoss(0.1)(y, y.roll(1, 0) + 1, t), signs
    ),
    "triplet": (
        lambda: lambda y, t: nn.TripletMarginLoss(swap=True)(y, y.roll(1, 0), t), values
    ),
    "triplet_of_a_distance": (
        lambda: lambda y, t: nn.TripletMarginWithDistanceLoss(
            distance_function=lambda a, b: 1 - F.cosine_similarity(a, b)
        )(y, t, y.flip(0)),
        values,
    ),
    "focal": (
        lambda: lambda y, t: (
            (1 - y.softmax(1).gather(1, t[:, None])[:, 0]) ** 2 * F.cross_entropy(y, t, reduction="none")
        ).mean(),
        classes,
    ),
    "dice": (
        lambda: lambda y, t: (
            1 - (2 * (y.sigmoid() * t).sum(0) + 1).div(y.sigmoid().sum(0) + t.sum(0) + 1).mean()
        ),
        lambda: shares().round(),
    ),
    "quantiles": (
        lambda: lambda y, t: torch.maximum(
            (q := torch.linspace(0.1, 0.9, 5)) * (t - y), (q - 1) * (t - y)
        ).mean(),
        values,
    ),
    "ordinal": (
        lambda: lambda y, t: F.binary_cross_entropy_with_logits(
            y, (torch.arange(5) < t[:, None]).to(y.dtype)
        ),
        classes,
    ),
    "log_cosh": (lambda: lambda y, t: torch.log(torch.cosh(y - t)).mean(), values),
    "distances_of_all": (
        lambda: lambda y, t: F.mse_loss(torch.cdist(y, y + 1), torch.cdist(t, t + 1)), values
    ),
    "correlation": (
        lambda: lambda y, t: ((torch.corrcoef(y.t()) - torch.corrcoef(t.t())) ** 2).mean(), values
    ),
    "ranked_lists": (
        lambda: lambda y, t: -(y.gather(1, t).flip(1).logcumsumexp(1).flip(1) - y.gather(1, t)).mean().neg(),
        lambda: torch.rand(ROWS, 5).argsort(1),
    ),
}  # fmt: skip


def losing(
    make_loss: Callable[[], Callable[[Any, Any], Any]], target: Callable[[], Any]
) -> Callable[[], Training]:
    def make() -> Training:
        model = nn.Sequential(nn.Linear(13, 9), nn.Tanh(), nn.Linear(9, 5))
        loss = make_loss()
        return training(model, lambda m, x, t: loss(m(x), t), lambda: (torch.randn(ROWS, 13), target()))

    return make


for name, (loss, target) in LOSSES.items():
    # The loss looks whether a variance is negative.
    case(f"loss_{name}", eager="numbers" if name == "gaussian" else "")(losing(loss, target))


@case("loss_of_adaptive_softmax", eager="numbers")
def loss_of_adaptive_softmax() -> Training:
    class Words(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.token, self.loss = nn.Embedding(33, 8), nn.AdaptiveLogSoftmaxWithLoss(8, 33, [5, 13])

        def forward(self, x: Any, target: Any) -> Any:
            return self.loss(torch.tanh(self.token(x)), target).loss

    batch = lambda: (torch.randint(0, 33, (9,)), torch.randint(0, 33, (9,)))
    return training(Words(), lambda m, x, t: m(x, t), batch)


@case("loss_of_several_heads", ci="float32")
def loss_of_several_heads() -> Training:
    """Tasks weighed by uncertainties that are trained."""

    class Tasks(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.Sequential(nn.Linear(7, 13), nn.ReLU())
            self.classes, self.value, self.mask = nn.Linear(13, 3), nn.Linear(13, 1), nn.Linear(13, 4)
            self.scales = nn.Parameter(torch.zeros(3))

        def forward(self, x: Any) -> dict[str, Any]:
            h = self.body(x)
            return {"classes": self.classes(h), "value": self.value(h).squeeze(-1), "mask": self.mask(h)}

    def loss(model: Any, x: Any, target: dict[str, Any]) -> Any:
        out = model(x)
        parts = torch.stack([
            F.cross_entropy(out["classes"], target["classes"]), F.mse_loss(out["value"], target["value"]),
            F.binary_cross_entropy_with_logits(out["mask"], target["mask"]),
        ])  # fmt: skip
        return (parts * torch.exp(-model.scales) + model.scales).sum()

    def batch() -> tuple[Any, Any]:
        target = {"classes": torch.randint(0, 3, (5,)), "value": torch.randn(5)}
        return torch.randn(5, 7), {**target, "mask": torch.rand(5, 4).round()}

    return training(Tasks(), loss, batch)


@case("loss_of_boxes")
def loss_of_boxes() -> Training:
    """Overlaps of boxes, as a detector is trained."""

    def boxes(x: Any) -> Any:
        center, size = x[:, :2], F.softplus(x[:, 2:])
        return torch.cat([center - size / 2, center + size / 2], 1)

    def loss(model: Any, x: Any, target: Any) -> Any:
        a, b = boxes(model(x)), boxes(target)
        low, high = torch.maximum(a[:, :2], b[:, :2]), torch.minimum(a[:, 2:], b[:, 2:])
        common = (high - low).clamp(min=0).prod(1)
        areas = [(box[:, 2:] - box[:, :2]).prod(1) for box in (a, b)]
        union = areas[0] + areas[1] - common
        hull = torch.maximum(a[:, 2:], b[:, 2:]) - torch.minimum(a[:, :2], b[:, :2])
        return (1 - common / union + (hull.prod(1) - union) / hull.prod(1)).mean()

    model = nn.Sequential(nn.Linear(7, 9), nn.ReLU(), nn.Linear(9, 4))
    return training(model, loss, lambda: (torch.randn(13, 7), torch.randn(13, 4)))
