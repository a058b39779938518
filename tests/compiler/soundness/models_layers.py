"""Norms and activations: every one that nn has, trained and evaluated."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pullback as torch
from pullback import nn
from tests.compiler.soundness.training import Training, case, training

F = nn.functional


def classify(model: Any, x: Any, target: Any) -> Any:
    return F.cross_entropy(model(x), target)


def labelled(classes: int, *shape: int) -> Callable[[], tuple[Any, Any]]:
    """What draws inputs of a shape and a class for each."""
    return lambda: (torch.randn(*shape), torch.randint(0, classes, (shape[0],)))


#: By name: what makes a norm of 6 channels, and the shape of its inputs behind batch and channels.
NORMS: dict[str, tuple[Callable[[], Any], tuple[int, ...], str]] = {
    "batch_norm_1d": (lambda: nn.BatchNorm1d(6), (13,), ""),
    "batch_norm_of_rows": (lambda: nn.BatchNorm1d(6, eps=1e-3), (), "float64"),
    "batch_norm_cumulative": (lambda: nn.BatchNorm1d(6, momentum=None), (), ""),
    "batch_norm_2d": (lambda: nn.BatchNorm2d(6, momentum=0.3), (5, 7), "float32"),
    "batch_norm_3d": (lambda: nn.BatchNorm3d(6, affine=False), (3, 2, 5), ""),
    "batch_norm_of_the_batch": (lambda: nn.BatchNorm2d(6, track_running_stats=False), (7, 3), ""),
    "layer_norm": (lambda: nn.LayerNorm([6, 7]), (7,), ""),
    "layer_norm_of_last": (lambda: nn.LayerNorm(33, bias=False), (33,), ""),
    "rms_norm": (lambda: nn.RMSNorm(65), (65,), ""),
    "group_norm": (lambda: nn.GroupNorm(3, 6), (5, 5), "float64"),
    "group_norm_of_one": (lambda: nn.GroupNorm(1, 6, affine=False), (7,), ""),
    "instance_norm_1d": (lambda: nn.InstanceNorm1d(6), (13,), ""),
    "instance_norm_2d": (lambda: nn.InstanceNorm2d(6, affine=True, track_running_stats=True), (5, 7), ""),
    "instance_norm_3d": (lambda: nn.InstanceNorm3d(6, affine=True), (3, 3, 2), ""),
    "local_response_norm": (lambda: nn.LocalResponseNorm(3), (5, 5), ""),
    "cross_map_norm": (lambda: nn.CrossMapLRN2d(3), (5, 5), ""),
}  # fmt: skip


class Normed(nn.Module):
    """A linear map of the channels before a norm and a mean behind it."""

    def __init__(self, norm: Any) -> None:
        super().__init__()
        self.mix, self.norm, self.head = nn.Linear(4, 6), norm, nn.Linear(6, 3)

    def forward(self, x: Any) -> Any:
        x = F.silu(self.norm(self.mix(x).movedim(-1, 1).contiguous()))
        return self.head(x.flatten(2).square().mean(-1) if x.ndim > 2 else x)


def normed(norm: Callable[[], Any], shape: tuple[int, ...], train: bool) -> Callable[[], Training]:
    def make() -> Training:
        model = Normed(norm())
        for name, buffer in model.named_buffers():
            if name.endswith("running_var"):
                buffer.uniform_(0.5, 1.5)
        return training(model.train(train), classify, labelled(3, 5, *shape, 4))

    return make


#: Norms whose training step is not compiled: a share of the mean that is the number of batches so far, and a
#: derivative that is a Function of the user's kind.
EAGER = {"batch_norm_cumulative": "numbers", "cross_map_norm": "history"}

for name, (norm, shape, ci) in NORMS.items():
    case(name, ci=ci, eager=EAGER.get(name, ""))(normed(norm, shape, True))
    if name.startswith(("batch", "instance_norm_2d")):
        case(f"{name}_evaluated", dtypes=("float32",))(normed(norm, shape, False))

#: Every activation of nn, those with numbers of their own once more with other numbers.
ACTIVATIONS: dict[str, list[Callable[[], Any]]] = {
    "ramps": [
        nn.ReLU, nn.ReLU6, nn.LeakyReLU, lambda: nn.LeakyReLU(0.3), nn.PReLU, lambda: nn.PReLU(13),
        lambda: nn.Threshold(-0.1, 0.2), nn.Hardtanh, lambda: nn.Hardtanh(-0.5, 0.25),
    ],
    "exponentials": [nn.ELU, lambda: nn.ELU(0.5), nn.CELU, lambda: nn.CELU(2.0), nn.SELU, nn.Softplus,
                     lambda: nn.Softplus(3.0, 2.0), nn.LogSigmoid],
    "sigmoids": [nn.Sigmoid, nn.Tanh, nn.Softsign, nn.Tanhshrink, nn.Hardsigmoid],
    "self_gated": [nn.SiLU, nn.Mish, nn.GELU, lambda: nn.GELU("tanh"), nn.Hardswish],
    "shrinking": [nn.Softshrink, lambda: nn.Softshrink(0.1), nn.Hardshrink, lambda: nn.Hardshrink(0.1)],
    "of_rows": [lambda: nn.Softmax(-1), lambda: nn.Softmin(-1), lambda: nn.LogSoftmax(-1)],
}  # fmt: skip


def activated(activations: list[Callable[[], Any]]) -> Callable[[], Training]:
    """Each activation between linear maps, with a shortcut around it so that none starves the others."""

    class Around(nn.Module):
        def __init__(self, activation: Any) -> None:
            super().__init__()
            self.linear, self.activation = nn.Linear(13, 13), activation

        def forward(self, x: Any) -> Any:
            return x + self.activation(2 * self.linear(x))

    def make() -> Training:
        model = nn.Sequential(nn.Linear(7, 13), *(Around(each()) for each in activations), nn.Linear(13, 3))
        # So small that the loss goes down: one that jumps about makes a rounding a hundred times larger.
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        return training(model, classify, labelled(3, 9, 7), optimizer)

    return make


for name, activations in ACTIVATIONS.items():
    case(f"activations_{name}", ci="float64" if name == "ramps" else "")(activated(activations))


@case("activations_gated_and_planes")
def activations_gated_and_planes() -> Training:
    model = nn.Sequential(
        nn.Conv2d(2, 12, 3), nn.GLU(1), nn.Conv2d(6, 5, 3), nn.Softmax2d(), nn.Conv2d(5, 4, 3), nn.PReLU(4),
        nn.Flatten(), nn.Linear(36, 3),
    )  # fmt: skip
    return training(model, classify, labelled(3, 4, 2, 9, 9))


@case("activation_of_random_slope")
def activation_of_random_slope() -> Training:
    model = nn.Sequential(nn.Linear(7, 33), nn.RReLU(), nn.Linear(33, 3))
    return training(model, classify, labelled(3, 9, 7))


@case("dropouts", ci="float32")
def dropouts() -> Training:
    """Every dropout, of elements and of channels."""
    model = nn.Sequential(
        nn.Unflatten(1, (3, 9)), nn.Dropout1d(0.2), nn.Conv1d(3, 5, 3, padding=1), nn.SELU(),
        nn.AlphaDropout(0.1), nn.Unflatten(2, (3, 3)), nn.Dropout2d(0.2), nn.FeatureAlphaDropout(0.1),
        nn.Unflatten(2, (1, 3)), nn.Dropout3d(0.2), nn.Flatten(), nn.Dropout(0.3), nn.Linear(45, 3),
    )  # fmt: skip
    return training(model, classify, labelled(3, 6, 27))


@case("residual_mlp_of_odd_sizes", ci="float64")
def residual_mlp_of_odd_sizes() -> Training:
    class Layer(nn.Module):
        def __init__(self, inner: int, outer: int) -> None:
            super().__init__()
            self.norm, self.linear = nn.LayerNorm(inner), nn.Linear(inner, outer)
            self.short = nn.Linear(inner, outer, bias=False)

        def forward(self, x: Any) -> Any:
            return self.short(x) + F.gelu(self.linear(self.norm(x)))

    sizes = [13, 1, 33, 129, 7, 65]
    model = nn.Sequential(*(Layer(a, b) for a, b in pairwise(sizes)))
    batch = lambda: (torch.randn(33, 13), torch.randn(33, 65))
    return training(model, lambda m, x, y: F.mse_loss(m(x), y), batch)


@case("wide_mlp_of_129_rows", ci="float32")
def wide_mlp_of_129_rows() -> Training:
    """Large enough that its rows are shared among threads."""
    model = nn.Sequential(
        nn.Linear(65, 129), nn.ReLU(), nn.LayerNorm(129), nn.Linear(129, 129), nn.Tanh(), nn.Linear(129, 13)
    )
    return training(model, classify, labelled(13, 513, 65))


@case("mlp_of_one_row")
def mlp_of_one_row() -> Training:
    model = nn.Sequential(
        nn.Linear(129, 65), nn.Tanh(), nn.RMSNorm(65), nn.Linear(65, 33), nn.SiLU(), nn.Linear(33, 7)
    )
    return training(model, classify, labelled(7, 1, 129))


@case("bilinear_and_distances")
def bilinear_and_distances() -> Training:
    class Pairs(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.left, self.right, self.both = nn.Linear(5, 7), nn.Linear(5, 6), nn.Bilinear(7, 6, 4)
            self.cosine, self.distance = nn.CosineSimilarity(), nn.PairwiseDistance(p=2)

        def forward(self, x: Any, y: Any) -> Any:
            both = self.both(torch.tanh(self.left(x)), torch.tanh(self.right(y)))
            return torch.stack([both.sum(1), self.cosine(x, both[:, :1]), self.distance(both, y[:, :4])], 1)

    batch = lambda: (torch.randn(7, 5), torch.randn(7, 5), torch.randint(0, 3, (7,)))
    return training(Pairs(), lambda m, x, y, target: F.cross_entropy(m(x, y), target), batch)


@case("weights_normed_in_training")
def weights_normed_in_training() -> Training:
    """Spectral and weight norms, and weights that are orthogonal."""
    norms = nn.utils.parametrizations
    model = nn.Sequential(
        norms.spectral_norm(nn.Linear(7, 13)), nn.LeakyReLU(0.2), norms.weight_norm(nn.Linear(13, 9)),
        nn.Tanh(), nn.Linear(9, 3),
    )  # fmt: skip
    return training(model, classify, labelled(3, 5, 7))


@case("orthogonal_weights")
def orthogonal_weights() -> Training:
    model = nn.Sequential(nn.utils.parametrizations.orthogonal(nn.Linear(7, 7)), nn.Tanh(), nn.Linear(7, 3))
    return training(model, classify, labelled(3, 5, 7))
