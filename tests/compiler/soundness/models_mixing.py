"""Networks that mix places and channels by turns, without attention."""

from __future__ import annotations

from typing import Any

import pullback as torch
from pullback import nn
from tests.compiler.soundness.training import Training, case, training

F = nn.functional


def classify(model: Any, x: Any, target: Any) -> Any:
    return F.cross_entropy(model(x), target)


class Mixer(nn.Module):
    """A layer that mixes places, then channels."""

    def __init__(self, places: int, width: int) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.places = nn.Sequential(nn.Linear(places, 2 * places), nn.GELU(), nn.Linear(2 * places, places))
        self.channels = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: Any) -> Any:
        x = x + self.places(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channels(self.norm2(x))


class MLPMixer(nn.Module):
    """Patches, layers that mix, and the mean of what is left."""

    def __init__(self, places: int, width: int, layers: int) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, width, 4, 4)
        self.layers = nn.Sequential(*(Mixer(places, width) for _ in range(layers)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 10)

    def forward(self, x: Any) -> Any:
        x = self.patches(x).flatten(2).transpose(1, 2)
        return self.head(self.norm(self.layers(x)).mean(1))


@case("mlp_mixer", ci="float32")
def mlp_mixer() -> Training:
    batch = lambda: (torch.randn(8, 3, 32, 32), torch.randint(0, 10, (8,)))
    return training(MLPMixer(64, 64, 2), classify, batch)


@case("mlp_mixer_narrow")
def mlp_mixer_narrow() -> Training:
    batch = lambda: (torch.randn(3, 3, 12, 20), torch.randint(0, 10, (3,)))
    return training(MLPMixer(15, 13, 2), classify, batch)


@case("gated_mlp_of_places")
def gated_mlp_of_places() -> Training:
    class Gate(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm, self.up, self.down = nn.LayerNorm(7), nn.Linear(7, 26), nn.Linear(13, 7)
            self.norm_of_gate, self.places = nn.LayerNorm(13), nn.Conv1d(9, 9, 1)

        def forward(self, x: Any) -> Any:
            u, v = F.gelu(self.up(self.norm(x))).chunk(2, -1)
            return x + self.down(u * self.places(self.norm_of_gate(v)))

    batch = lambda: (torch.randn(2, 9, 7), torch.randn(2, 9, 7))
    return training(nn.Sequential(Gate(), Gate()), lambda m, x, y: F.mse_loss(m(x), y), batch)


@case("convnext")
def convnext() -> Training:
    """Norms over the channels of images, which are turned for it and back."""

    class Layer(nn.Module):
        def __init__(self, width: int) -> None:
            super().__init__()
            self.deep, self.norm = nn.Conv2d(width, width, 5, padding=2, groups=width), nn.LayerNorm(width)
            self.up, self.down = nn.Linear(width, 3 * width), nn.Linear(3 * width, width)
            self.scale = nn.Parameter(torch.full((width,), 0.1))

        def forward(self, x: Any) -> Any:
            y = self.norm(self.deep(x).permute(0, 2, 3, 1))
            return x + (self.scale * self.down(F.gelu(self.up(y)))).permute(0, 3, 1, 2)

    model = nn.Sequential(
        nn.Conv2d(3, 9, 2, 2), Layer(9), Layer(9), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(9, 3)
    )
    return training(model, classify, lambda: (torch.randn(3, 3, 14, 14), torch.randint(0, 3, (3,))))
