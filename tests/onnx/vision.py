"""Models of images, in small."""

from __future__ import annotations

import math
from typing import Any

import pullback as torch
import pullback.nn.functional as F
from pullback import nn

from .cases import case, image

BATCH = {"x": {0: "batch"}}
WHOLE = {"x": {0: "batch", 2: "height", 3: "width"}}
MORE = {"batch": 3}
LARGER = {"batch": 1, "height": 16, "width": 32}


class Bottleneck(nn.Module):
    def __init__(self, inner: int, outer: int, stride: int = 1, groups: int = 1) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inner, outer, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outer)
        self.conv2 = nn.Conv2d(outer, outer, 3, stride, 1, groups=groups, bias=False)
        self.bn2 = nn.BatchNorm2d(outer)
        self.down = nn.Sequential(nn.Conv2d(inner, outer, 1, stride, bias=False), nn.BatchNorm2d(outer))

    def forward(self, x: Any) -> Any:
        out = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)), inplace=True)))
        out += self.down(x)
        return F.relu(out)


@case(image(2, 3, 32, 32), WHOLE, LARGER)
class ResNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 8, 7, 2, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU(inplace=True),
            nn.MaxPool2d(3, 2, 1),
        )  # fmt: skip
        self.layers = nn.Sequential(Bottleneck(8, 8), Bottleneck(8, 16, 2))
        self.pool, self.fc = nn.AdaptiveAvgPool2d((1, 1)), nn.Linear(16, 10)

    def forward(self, x: Any) -> Any:
        return self.fc(torch.flatten(self.pool(self.layers(self.stem(x))), 1))


@case(image(1, 3, 16, 16), BATCH, MORE)
def resnext() -> Any:
    return nn.Sequential(nn.Conv2d(3, 8, 3), Bottleneck(8, 16, 2, groups=4), nn.AdaptiveMaxPool2d(1))


@case(image(2, 3, 32, 32), WHOLE, LARGER)
class MobileNetV2(nn.Module):
    class Block(nn.Module):
        def __init__(self, width: int, out: int, stride: int, factor: int) -> None:
            super().__init__()
            inner = width * factor
            self.residual = stride == 1 and width == out
            self.conv = nn.Sequential(
                nn.Conv2d(width, inner, 1, bias=False), nn.BatchNorm2d(inner), nn.ReLU6(inplace=True),
                nn.Conv2d(inner, inner, 3, stride, 1, groups=inner, bias=False), nn.BatchNorm2d(inner),
                nn.ReLU6(inplace=True), nn.Conv2d(inner, out, 1, bias=False), nn.BatchNorm2d(out),
            )  # fmt: skip

        def forward(self, x: Any) -> Any:
            return x + self.conv(x) if self.residual else self.conv(x)

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 8, 3, 2, 1), self.Block(8, 8, 1, 1), self.Block(8, 12, 2, 4),
            self.Block(12, 12, 1, 4)
        )
        self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(12, 10))

    def forward(self, x: Any) -> Any:
        return self.classifier(self.features(x).mean([2, 3]))


class SqueezeExcitation(nn.Module):
    def __init__(self, width: int, gate: Any) -> None:
        super().__init__()
        self.fc1, self.fc2, self.gate = nn.Conv2d(width, 4, 1), nn.Conv2d(4, width, 1), gate

    def forward(self, x: Any) -> Any:
        return x * self.gate(self.fc2(F.silu(self.fc1(F.adaptive_avg_pool2d(x, 1)))))


@case(image(2, 3, 32, 32), WHOLE, LARGER)
def mobilenet_v3() -> Any:
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, 2, 1), nn.Hardswish(), nn.Conv2d(8, 8, 5, 1, 2, groups=8),
        SqueezeExcitation(8, nn.Hardsigmoid()), nn.Conv2d(8, 12, 1), nn.Hardswish(),
    )  # fmt: skip


@case(image(2, 3, 32, 32), WHOLE, LARGER)
def efficientnet() -> Any:
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.SiLU(), nn.Conv2d(8, 8, 3, 1, 1, groups=8),
        nn.BatchNorm2d(8), nn.SiLU(), SqueezeExcitation(8, nn.Sigmoid()), nn.AdaptiveAvgPool2d(1),
        nn.Flatten(), nn.Dropout(0.1), nn.Linear(8, 5),
    )  # fmt: skip


@case(image(2, 3, 32, 32), WHOLE, LARGER)
class ConvNeXt(nn.Module):
    class LayerNorm2d(nn.LayerNorm):
        def forward(self, x: Any) -> Any:
            return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 4, 4), self.LayerNorm2d(8, eps=1e-6))
        self.dwconv = nn.Conv2d(8, 8, 7, padding=3, groups=8)
        self.norm = nn.LayerNorm(8, eps=1e-6)
        self.pwconv1, self.pwconv2 = nn.Linear(8, 32), nn.Linear(32, 8)
        self.gamma = nn.Parameter(torch.full((8,), 0.1))

    def forward(self, x: Any) -> Any:
        x = self.stem(x)
        y = self.dwconv(x).permute(0, 2, 3, 1)
        y = self.gamma * self.pwconv2(F.gelu(self.pwconv1(self.norm(y))))
        return x + y.permute(0, 3, 1, 2)


@case(image(2, 3, 32, 32), WHOLE, LARGER)
class UNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.down1, self.down2 = nn.Conv2d(3, 8, 3, padding=1), nn.Conv2d(8, 16, 3, padding=1)
        self.up = nn.ConvTranspose2d(16, 8, 2, 2)
        self.last = nn.Conv2d(16, 2, 3, padding=1)

    def forward(self, x: Any) -> Any:
        a = F.relu(self.down1(x))
        b = F.relu(self.down2(F.max_pool2d(a, 2)))
        return self.last(torch.cat([a, self.up(b)], dim=1))


@case(image(2, 3, 16, 16), WHOLE, LARGER)
class UNetBilinear(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.down = nn.Conv2d(3, 8, 3, stride=2, padding=1)
        self.norm = nn.GroupNorm(2, 8)

    def forward(self, x: Any) -> Any:
        y = F.silu(self.norm(self.down(x)))
        up = F.interpolate(y, size=x.shape[2:], mode="bilinear", align_corners=True)
        nearest = F.interpolate(y, scale_factor=2, mode="nearest")
        return torch.cat([x, up, nearest, F.interpolate(y, scale_factor=2.0, mode="bicubic")], 1)


@case(image(2, 3, 32, 32), BATCH, MORE)
class ViT(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.patch = nn.Conv2d(3, 16, 8, 8)
        self.cls = nn.Parameter(torch.randn(1, 1, 16))
        self.pos = nn.Parameter(torch.randn(1, 17, 16))
        layer = nn.TransformerEncoderLayer(16, 4, 32, activation="gelu", batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(16, 10)

    def forward(self, x: Any) -> Any:
        x = self.patch(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(x.shape[0], -1, -1), x], 1) + self.pos
        return self.head(self.encoder(x)[:, 0])


@case(image(2, 3, 16, 16), BATCH, MORE)
class Swin(nn.Module):
    """One block with shifted windows."""

    window, shift = 4, 2

    def __init__(self) -> None:
        super().__init__()
        self.patch, self.norm = nn.Conv2d(3, 8, 2, 2), nn.LayerNorm(8)
        self.qkv, self.proj = nn.Linear(8, 24), nn.Linear(8, 8)
        self.merge = nn.Linear(32, 16, bias=False)
        self.table = nn.Parameter(torch.randn(49, 2))
        place = torch.stack(torch.meshgrid(torch.arange(4), torch.arange(4), indexing="ij")).flatten(1)
        gap = (place[:, :, None] - place[:, None, :]).permute(1, 2, 0) + 3
        self.register_buffer("places", gap[..., 0] * 7 + gap[..., 1])

    def forward(self, x: Any) -> Any:
        x = self.norm(self.patch(x).permute(0, 2, 3, 1))
        b, h, w, c = x.shape
        n = self.window
        shifted = torch.roll(x, shifts=(-self.shift, -self.shift), dims=(1, 2))
        parts = shifted.view(b, h // n, n, w // n, n, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, n * n, c)
        q, k, v = self.qkv(parts).reshape(-1, n * n, 3, 2, c // 2).permute(2, 0, 3, 1, 4)
        bias = self.table[self.places.view(-1)].view(n * n, n * n, -1).permute(2, 0, 1)
        scores = q @ k.transpose(-2, -1) / math.sqrt(c // 2) + bias.unsqueeze(0)
        out = self.proj((scores.softmax(-1) @ v).transpose(1, 2).reshape(-1, n * n, c))
        out = out.view(b, h // n, w // n, n, n, c).permute(0, 1, 3, 2, 4, 5).reshape(b, h, w, c)
        x = x + torch.roll(out, shifts=(self.shift, self.shift), dims=(1, 2))
        corners = [x[:, i::2, j::2, :] for j in (0, 1) for i in (0, 1)]
        return self.merge(torch.cat(corners, -1))


@case(image(2, 8, 16, 16), WHOLE, LARGER)
class FeaturePyramid(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lateral = nn.ModuleList(nn.Conv2d(8, 4, 1) for _ in range(3))

    def forward(self, x: Any) -> Any:
        levels = [x, F.max_pool2d(x, 2), F.avg_pool2d(x, 4)]
        out = None
        found = []
        for layer, level in zip(reversed(self.lateral), reversed(levels), strict=True):
            top = layer(level)
            out = top if out is None else top + F.interpolate(out, size=top.shape[-2:], mode="nearest")
            found.append(out)
        return tuple(found[::-1])


@case(lambda: (torch.randn(2, 12, 6, 6), torch.randn(2, 8, 6, 6)), {
    "scores": {0: "batch"}, "deltas": {0: "batch"}}, MORE)  # fmt: skip
class DetectionPostProcessing(nn.Module):
    """Anchors, boxes from deltas, the best by topk: what stands before the suppression of overlaps."""

    def __init__(self) -> None:
        super().__init__()
        y, x = torch.meshgrid(torch.arange(6), torch.arange(6), indexing="ij")
        centers = torch.stack([x, y], -1).reshape(-1, 1, 2).float() * 8 + 4
        sizes = torch.tensor([[16.0, 16.0], [32.0, 24.0]])
        self.register_buffer("anchors", torch.cat([centers - sizes / 2, centers + sizes / 2], -1).view(-1, 4))

    def forward(self, scores: Any, deltas: Any) -> Any:
        b, _, h, w = scores.shape
        scores = scores.view(b, 2, 6, h, w).permute(0, 3, 4, 1, 2).reshape(b, -1, 6).sigmoid()
        deltas = deltas.view(b, 2, 4, h, w).permute(0, 3, 4, 1, 2).reshape(b, -1, 4)
        size = self.anchors[:, 2:] - self.anchors[:, :2]
        center = self.anchors[:, :2] + 0.5 * size
        d = torch.clamp(deltas[..., 2:], max=math.log(1000 / 16))
        middle, extent = deltas[..., :2] * size + center, d.exp() * size
        boxes = torch.cat([middle - extent / 2, middle + extent / 2], -1).clamp(min=0, max=47)
        best, label = scores.max(dim=-1)
        top, index = best.topk(10, dim=1)
        chosen = boxes.gather(1, index.unsqueeze(-1).expand(-1, -1, 4))
        area = (chosen[..., 2] - chosen[..., 0]) * (chosen[..., 3] - chosen[..., 1])
        return chosen, top, label.gather(1, index), torch.where(area > 4, top, torch.zeros_like(top))


@case(lambda: (torch.rand(5, 4), torch.rand(7, 4)), {"a": {0: "n"}, "b": {0: "m"}}, {"n": 2, "m": 3})
class BoxOverlap(nn.Module):
    def forward(self, a: Any, b: Any) -> Any:
        a, b = (torch.cat([v[:, :2], v[:, :2] + v[:, 2:]], 1) for v in (a, b))
        area = [(v[:, 2] - v[:, 0]) * (v[:, 3] - v[:, 1]) for v in (a, b)]
        low = torch.max(a[:, None, :2], b[None, :, :2])
        high = torch.min(a[:, None, 2:], b[None, :, 2:])
        inner = (high - low).clamp(min=0).prod(-1)
        return inner / (area[0][:, None] + area[1][None] - inner)


@case(image(2, 3, 16, 16), WHOLE, LARGER)
class Segmentation(nn.Module):
    """Atrous convolutions side by side, as in DeepLab."""

    def __init__(self) -> None:
        super().__init__()
        self.branches = nn.ModuleList(nn.Conv2d(3, 4, 3, padding=d, dilation=d) for d in (1, 2, 4))
        self.whole, self.last = nn.Conv2d(3, 4, 1), nn.Conv2d(16, 5, 1)

    def forward(self, x: Any) -> Any:
        pooled = F.relu(self.whole(F.adaptive_avg_pool2d(x, 1)))
        spread = F.interpolate(pooled, size=x.shape[-2:], mode="bilinear", align_corners=False)
        y = self.last(torch.cat([*(F.relu(b(x)) for b in self.branches), spread], 1))
        return {"out": y, "classes": y.argmax(1)}


@case(image(2, 3, 16, 16), WHOLE, LARGER)
def autoencoder() -> Any:
    return nn.Sequential(
        nn.Conv2d(3, 8, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(8, 16, 4, 2, 1), nn.PReLU(16), nn.ELU(),
        nn.ConvTranspose2d(16, 8, 4, 2, 1), nn.SELU(), nn.ConvTranspose2d(8, 3, 3, 2, 1, output_padding=1),
        nn.Tanh(),
    )  # fmt: skip


@case(image(2, 4), BATCH, MORE)
class Generator(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 8 * 4 * 4)
        self.conv = nn.Conv2d(8, 12, 3, padding=1)

    def forward(self, x: Any) -> Any:
        y = self.fc(x).view(-1, 8, 4, 4)
        return F.pixel_shuffle(self.conv(F.interpolate(y, scale_factor=2)), 2).sigmoid()


@case(image(2, 8, 12, 12), WHOLE, LARGER)
def superresolution() -> Any:
    return nn.Sequential(
        nn.ReflectionPad2d(1), nn.Conv2d(8, 12, 3), nn.InstanceNorm2d(12, affine=True), nn.Mish(),
        nn.ReplicationPad2d((1, 0, 2, 1)), nn.PixelShuffle(2), nn.ZeroPad2d(1), nn.Softplus(),
    )  # fmt: skip


@case(image(2, 12, 8, 8), BATCH, MORE)
class ShuffleNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(6, 6, 3, padding=1, groups=6)

    def forward(self, x: Any) -> Any:
        left, right = x.chunk(2, dim=1)
        y = F.channel_shuffle(torch.cat([left, self.conv(right)], 1), 2)
        b, c, h, w = y.shape
        return y.view(b, 3, c // 3, h, w).transpose(1, 2).reshape(b, -1, h, w)


@case(image(2, 3, 12, 12), BATCH, MORE)
class SpatialTransformer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.place = nn.Linear(3, 2)

    def forward(self, x: Any) -> Any:
        shift = self.place(x.mean((2, 3))).view(-1, 1, 1, 2) * 0.1
        line = torch.linspace(-1, 1, 12)
        grid = torch.stack(torch.meshgrid(line, line, indexing="xy"), -1).unsqueeze(0) + shift
        return F.grid_sample(x, grid, align_corners=False, padding_mode="border")


@case(image(2, 3, 9, 9), BATCH, MORE)
class MlpMixer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.patch = nn.Linear(27, 8)
        self.tokens, self.channels = nn.Linear(9, 9), nn.Linear(8, 8)
        self.norm = nn.LayerNorm(8, elementwise_affine=False)

    def forward(self, x: Any) -> Any:
        x = self.patch(F.unfold(x, 3, stride=3).transpose(1, 2))
        x = x + self.tokens(self.norm(x).transpose(1, 2)).transpose(1, 2)
        return (x + self.channels(self.norm(x))).mean(1)


@case(image(2, 3, 14, 10))
def pools() -> Any:
    class Pools(nn.Module):
        def forward(self, x: Any) -> Any:
            values, places = F.max_pool2d(x, 2, return_indices=True)
            return (
                values, places, F.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
                F.adaptive_avg_pool2d(x, 3),
                F.adaptive_max_pool2d(x, (7, 5)), F.lp_pool2d(x.abs(), 2, 2),
                F.max_pool2d(x, 3, ceil_mode=True),
            )  # fmt: skip

    return Pools()


@case(image(2, 4, 6, 8, 8), {"x": {0: "batch"}}, MORE)
def video() -> Any:
    return nn.Sequential(
        nn.Conv3d(4, 8, 3, padding=1), nn.BatchNorm3d(8), nn.ReLU(), nn.MaxPool3d(2),
        nn.Conv3d(8, 4, (1, 3, 3)), nn.AdaptiveAvgPool3d(1), nn.Flatten(),
    )  # fmt: skip
