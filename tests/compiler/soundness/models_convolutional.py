"""Convolutional networks: images, sequences and volumes."""

from __future__ import annotations

from typing import Any

import pullback as torch
from pullback import nn
from tests.compiler.soundness.training import Training, case, training

F = nn.functional


def labelled(classes: int, *shape: int) -> Any:
    """What draws inputs of a shape and a class for each."""
    return lambda: (torch.randn(*shape), torch.randint(0, classes, (shape[0],)))


def classify(model: Any, x: Any, target: Any) -> Any:
    return F.cross_entropy(model(x), target)


def reconstruct(model: Any, x: Any) -> Any:
    return F.mse_loss(model(x), x)


@case("lenet", ci="float32")
def lenet() -> Training:
    class LeNet(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv1, self.conv2 = nn.Conv2d(1, 4, 5, padding=2), nn.Conv2d(4, 8, 3)
            self.fc1, self.fc2 = nn.Linear(8 * 5 * 5, 33), nn.Linear(33, 10)

        def forward(self, x: Any) -> Any:
            x = F.max_pool2d(F.relu(self.conv1(x)), 2)
            x = F.max_pool2d(F.relu(self.conv2(x)), 2)
            return self.fc2(F.relu(self.fc1(x.flatten(1))))

    model = LeNet()
    optimizer = torch.optim.SGD(model.parameters(), 0.05, 0.9)
    return training(model, classify, labelled(10, 7, 1, 24, 24), optimizer)


class Residual(nn.Module):
    def __init__(self, inner: int, outer: int, stride: int = 1) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inner, outer, 3, stride, 1, bias=False)
        self.conv2 = nn.Conv2d(outer, outer, 3, 1, 1, bias=False)
        self.norm1, self.norm2 = nn.BatchNorm2d(outer), nn.BatchNorm2d(outer)
        self.short = nn.Sequential()
        if stride != 1 or inner != outer:
            self.short = nn.Sequential(nn.Conv2d(inner, outer, 1, stride, bias=False), nn.BatchNorm2d(outer))

    def forward(self, x: Any) -> Any:
        y = self.norm2(self.conv2(F.relu(self.norm1(self.conv1(x)))))
        return F.relu(y + self.short(x))


@case("resnet", ci="float64")
def resnet() -> Training:
    model = nn.Sequential(
        nn.Conv2d(3, 7, 3, padding=1), nn.BatchNorm2d(7), nn.ReLU(),
        Residual(7, 7), Residual(7, 13, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(13, 5),
    )  # fmt: skip
    return training(model, classify, labelled(5, 6, 3, 13, 13))


@case("resnet_evaluated")
def resnet_evaluated() -> Training:
    """Fine-tuning with frozen statistics."""
    model = nn.Sequential(
        nn.Conv2d(3, 6, 3), nn.BatchNorm2d(6), nn.ReLU(), Residual(6, 6), nn.Flatten(), nn.Linear(6 * 49, 3)
    )
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.running_mean.normal_(0, 0.1)
            module.running_var.uniform_(0.5, 1.5)
    model.eval()
    return training(model, classify, labelled(3, 4, 3, 9, 9))


@case("batch_norm_relu_amax", ci="float32 float64")
def batch_norm_relu_amax() -> Training:
    """Maxima over places, some of which are zeros of a ramp."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv, self.norm, self.head = nn.Conv2d(1, 6, 3), nn.BatchNorm2d(6), nn.Linear(6, 3)

        def forward(self, x: Any) -> Any:
            return self.head(F.relu(self.norm(self.conv(x))).amax((2, 3)))

    return training(Net(), classify, labelled(3, 5, 1, 7, 7))


@case("mobilenet")
def mobilenet() -> Training:
    def block(inner: int, outer: int, stride: int) -> Any:
        wide = 2 * inner
        return nn.Sequential(
            nn.Conv2d(inner, wide, 1, bias=False), nn.BatchNorm2d(wide), nn.ReLU6(),
            nn.Conv2d(wide, wide, 3, stride, 1, groups=wide, bias=False), nn.BatchNorm2d(wide), nn.ReLU6(),
            nn.Conv2d(wide, outer, 1, bias=False), nn.BatchNorm2d(outer),
        )  # fmt: skip

    head = nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(7, 4)
    model = nn.Sequential(block(3, 5, 1), block(5, 7, 2), *head)
    return training(model, classify, labelled(4, 5, 3, 13, 9))


@case("transposed_autoencoder")
def transposed_autoencoder() -> Training:
    model = nn.Sequential(
        nn.Conv2d(1, 5, 3, 2, 1), nn.ELU(), nn.Conv2d(5, 7, 3, 2, 1), nn.Tanh(),
        nn.ConvTranspose2d(7, 5, 3, 2, 1, output_padding=1), nn.ELU(),
        nn.ConvTranspose2d(5, 1, 3, 2, 1, output_padding=1),
    )  # fmt: skip
    optimizer = torch.optim.Adam(model.parameters())
    return training(model, reconstruct, lambda: (torch.randn(3, 1, 12, 12),), optimizer)


@case("u_net", ci="float32")
def u_net() -> Training:
    class UNet(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.down1, self.down2 = nn.Conv2d(1, 4, 3, padding=1), nn.Conv2d(4, 8, 3, padding=1)
            self.bottom = nn.Conv2d(8, 8, 3, padding=1)
            self.up2, self.up1 = nn.ConvTranspose2d(8, 8, 2, 2), nn.ConvTranspose2d(8, 4, 2, 2)
            self.merge2, self.merge1 = nn.Conv2d(16, 8, 3, padding=1), nn.Conv2d(8, 4, 3, padding=1)
            self.head = nn.Conv2d(4, 3, 1)

        def forward(self, x: Any) -> Any:
            first = F.relu(self.down1(x))
            second = F.relu(self.down2(F.max_pool2d(first, 2)))
            x = F.relu(self.bottom(F.max_pool2d(second, 2)))
            x = F.relu(self.merge2(torch.cat([self.up2(x), second], 1)))
            return self.head(F.relu(self.merge1(torch.cat([self.up1(x), first], 1))))

    def batch() -> tuple[Any, Any]:
        return torch.randn(2, 1, 16, 12), torch.randint(0, 3, (2, 16, 12))

    return training(UNet(), classify, batch)


@case("upsampling_segmenter")
def upsampling_segmenter() -> Training:
    model = nn.Sequential(
        nn.Conv2d(2, 5, 3, 2, 1), nn.GroupNorm(5, 5), nn.SiLU(), nn.Conv2d(5, 6, 3, 2, 1), nn.SiLU(),
        nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False), nn.Conv2d(6, 4, 3, padding=1),
        nn.Upsample(scale_factor=2, mode="nearest"), nn.Conv2d(4, 2, 1),
    )  # fmt: skip
    batch = lambda: (torch.randn(2, 2, 12, 12), torch.randint(0, 2, (2, 12, 12)))
    return training(model, classify, batch)


class Chomp(nn.Module):
    """A causal convolution of two layers beside a shortcut."""

    def __init__(self, inner: int, outer: int, dilation: int) -> None:
        super().__init__()
        self.pad = 2 * dilation
        self.conv1 = nn.utils.parametrizations.weight_norm(nn.Conv1d(inner, outer, 3, dilation=dilation))
        self.conv2 = nn.Conv1d(outer, outer, 3, dilation=dilation)
        self.short = nn.Conv1d(inner, outer, 1) if inner != outer else nn.Identity()
        self.drop = nn.Dropout(0.2)

    def forward(self, x: Any) -> Any:
        y = self.drop(F.relu(self.conv1(F.pad(x, (self.pad, 0)))))
        return F.relu(self.conv2(F.pad(y, (self.pad, 0))) + self.short(x))


@case("dilated_tcn", ci="float32")
def dilated_tcn() -> Training:
    model = nn.Sequential(Chomp(3, 7, 1), Chomp(7, 7, 2), Chomp(7, 5, 4), nn.Conv1d(5, 1, 1))
    batch = lambda: (torch.randn(4, 3, 33), torch.randn(4, 1, 33))
    return training(model, lambda m, x, y: F.smooth_l1_loss(m(x), y), batch)


@case("volumes_3d")
def volumes_3d() -> Training:
    model = nn.Sequential(
        nn.Conv3d(1, 4, 3), nn.BatchNorm3d(4), nn.ReLU(), nn.MaxPool3d(2), nn.Conv3d(4, 5, 2), nn.ReLU(),
        nn.AdaptiveAvgPool3d(1), nn.Flatten(), nn.Linear(5, 3),
    )  # fmt: skip
    return training(model, classify, labelled(3, 3, 1, 8, 9, 7))


@case("volumes_transposed")
def volumes_transposed() -> Training:
    model = nn.Sequential(nn.Conv3d(2, 3, 3, 2, 1), nn.GELU(), nn.ConvTranspose3d(3, 2, 4, 2, 1))
    return training(model, reconstruct, lambda: (torch.randn(2, 2, 4, 6, 4),))


@case("squeeze_and_excite")
def squeeze_and_excite() -> Training:
    class Excite(nn.Module):
        def __init__(self, width: int) -> None:
            super().__init__()
            self.conv = nn.Conv2d(width, width, 3, padding=1)
            self.squeeze, self.excite = nn.Linear(width, 2), nn.Linear(2, width)

        def forward(self, x: Any) -> Any:
            x = self.conv(x)
            scale = torch.sigmoid(self.excite(F.relu(self.squeeze(x.mean((2, 3))))))
            return x * scale[:, :, None, None]

    model = nn.Sequential(
        nn.Conv2d(3, 7, 3), nn.Hardswish(), Excite(7), nn.Hardswish(), Excite(7), nn.Flatten(),
        nn.Linear(7 * 49, 5),
    )  # fmt: skip
    return training(model, classify, labelled(5, 3, 3, 9, 9))


@case("densenet_inception")
def densenet_inception() -> Training:
    class Mixed(nn.Module):
        def __init__(self, inner: int) -> None:
            super().__init__()
            self.one, self.three = nn.Conv2d(inner, 3, 1), nn.Conv2d(inner, 3, 3, padding=1)
            self.five, self.pool = nn.Conv2d(inner, 2, 5, padding=2), nn.Conv2d(inner, 2, 1)
            self.norm = nn.BatchNorm2d(10)

        def forward(self, x: Any) -> Any:
            pooled = self.pool(F.avg_pool2d(x, 3, 1, 1))
            parts = torch.cat([self.one(x), self.three(x), self.five(x), pooled], 1)
            return torch.cat([x, F.leaky_relu(self.norm(parts), 0.1)], 1)

    model = nn.Sequential(Mixed(3), Mixed(13), nn.AdaptiveMaxPool2d(2), nn.Flatten(), nn.Linear(23 * 4, 4))
    return training(model, classify, labelled(4, 7, 3, 8, 8))


@case("pixel_shuffle_super_resolution")
def pixel_shuffle_super_resolution() -> Training:
    model = nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2, padding_mode="replicate"), nn.Tanh(),
        nn.Conv2d(6, 9, 3, padding=1, padding_mode="reflect"), nn.PixelShuffle(3),
    )  # fmt: skip
    batch = lambda: (torch.randn(2, 1, 7, 5), torch.randn(2, 1, 21, 15))
    return training(model, lambda m, x, y: F.l1_loss(m(x), y), batch)


@case("shuffled_groups")
def shuffled_groups() -> Training:
    model = nn.Sequential(
        nn.Conv2d(4, 8, 1, groups=2), nn.ChannelShuffle(2), nn.Conv2d(8, 8, 3, padding=1, groups=4),
        nn.BatchNorm2d(8), nn.PReLU(8), nn.Conv2d(8, 4, 3, dilation=2), nn.AvgPool2d(3, 2), nn.Flatten(),
        nn.LazyLinear(3),
    )  # fmt: skip
    model(torch.zeros(2, 4, 11, 11))
    return training(model, classify, labelled(3, 2, 4, 11, 11))


@case("batch_of_one_pixel")
def batch_of_one_pixel() -> Training:
    model = nn.Sequential(nn.Conv2d(1, 1, 1), nn.Tanh(), nn.Conv2d(1, 7, 1), nn.Flatten(), nn.Linear(7, 2))
    return training(model, classify, labelled(2, 1, 1, 1, 1))


@case("unfolded_patches")
def unfolded_patches() -> Training:
    """A convolution by hand, and its image put together again."""

    class Patches(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.encode, self.decode = nn.Linear(18, 13), nn.Linear(13, 18)

        def forward(self, x: Any) -> Any:
            patches = F.unfold(x, 3, stride=2).transpose(1, 2)
            patches = self.decode(F.gelu(self.encode(patches), approximate="tanh"))
            return F.fold(patches.transpose(1, 2), x.shape[2:], 3, stride=2)

    return training(Patches(), reconstruct, lambda: (torch.randn(2, 2, 9, 7),))


@case("switches_of_maxima", eager="numbers")
def switches_of_maxima() -> Training:
    """An autoencoder that puts maxima back where they were."""

    class Switches(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv, self.back = nn.Conv2d(2, 3, 3, padding=1), nn.ConvTranspose2d(3, 2, 3, padding=1)

        def forward(self, x: Any) -> Any:
            y, places = F.max_pool2d(F.softplus(self.conv(x)), 2, return_indices=True)
            return self.back(F.max_unpool2d(y.square(), places, 2))

    return training(Switches(), reconstruct, lambda: (torch.randn(2, 2, 6, 8),))


@case("pools_of_a_sequence")
def pools_of_a_sequence() -> Training:
    model = nn.Sequential(
        nn.Conv1d(1, 5, 5, padding=2, padding_mode="circular"), nn.LocalResponseNorm(3), nn.LPPool1d(2, 2),
        nn.Conv1d(5, 5, 3, groups=5), nn.ReLU(), nn.MaxPool1d(3, 2), nn.AdaptiveAvgPool1d(4), nn.Flatten(),
        nn.Linear(20, 2),
    )  # fmt: skip
    return training(model, classify, labelled(2, 7, 1, 65))
