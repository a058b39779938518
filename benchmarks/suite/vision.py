"""Steps of networks over images: residual, dense prediction, warping, adversarial, diffusion, inference."""

from __future__ import annotations

from typing import Any

from benchmarks.case import Case, Library
from benchmarks.suite.in_jax import vision as in_jax
from benchmarks.suite.steps import step, training, whole


@step("Residual network of 3 blocks on 16×3×32×32, SGD with momentum")
def residual_network(library: Library) -> Case:
    torch = library.module
    nn, functional = torch.nn, torch.nn.functional

    class Block(nn.Module):  # type: ignore[name-defined,misc]  # the base class is the peer's
        def __init__(self, a: int, b: int, stride: int) -> None:
            super().__init__()
            self.conv1, self.conv2 = nn.Conv2d(a, b, 3, stride, 1), nn.Conv2d(b, b, 3, 1, 1)
            self.norm1, self.norm2 = nn.BatchNorm2d(b), nn.BatchNorm2d(b)
            self.skip = nn.Identity() if stride == 1 and a == b else nn.Conv2d(a, b, 1, stride)

        def forward(self, x: Any) -> Any:
            h = functional.relu(self.norm1(self.conv1(x)))
            return functional.relu(self.norm2(self.conv2(h)) + self.skip(x))

    net = nn.Sequential(
        nn.Conv2d(3, 16, 3, 1, 1), Block(16, 16, 1), Block(16, 32, 2), Block(32, 64, 2),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10),
    )  # fmt: skip
    x, target = torch.randn(16, 3, 32, 32), torch.randint(10, (16,))
    loss = lambda: functional.cross_entropy(net(x), target)  # noqa: E731  # as users write it
    return training(library, net.parameters(), loss, "SGD", momentum=0.9)


@step("U-Net of depth 2 segments 4×3×48×48")
def u_net(library: Library) -> Case:
    torch = library.module
    nn = torch.nn

    def double(a: int, b: int) -> Any:
        return nn.Sequential(nn.Conv2d(a, b, 3, 1, 1), nn.ReLU(), nn.Conv2d(b, b, 3, 1, 1), nn.ReLU())

    down1, down2, bottom = double(3, 16), double(16, 32), double(32, 64)
    up2, up1 = nn.ConvTranspose2d(64, 32, 2, 2), nn.ConvTranspose2d(32, 16, 2, 2)
    join2, join1, head = double(64, 32), double(32, 16), nn.Conv2d(16, 2, 1)
    x, target = torch.randn(4, 3, 48, 48), torch.randint(2, (4, 48, 48))

    def loss() -> Any:
        a = down1(x)
        b = down2(nn.functional.max_pool2d(a, 2))
        c = bottom(nn.functional.max_pool2d(b, 2))
        b = join2(torch.cat([up2(c), b], 1))
        a = join1(torch.cat([up1(b), a], 1))
        return nn.functional.cross_entropy(head(a), target)

    parts = (down1, down2, bottom, up2, up1, join2, join1, head)
    return training(library, [p for m in parts for p in m.parameters()], loss)


@step("Spatial transformer: affine grids and bilinear samples of 16×1×28×28")
def spatial_transformer(library: Library) -> Case:
    torch = library.module
    nn, functional = torch.nn, torch.nn.functional
    locate = nn.Sequential(nn.Flatten(), nn.Linear(784, 32), nn.ReLU(), nn.Linear(32, 6))
    classify = nn.Sequential(
        nn.Conv2d(1, 8, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(1152, 10)
    )
    x, target = torch.randn(16, 1, 28, 28), torch.randint(10, (16,))
    identity = torch.tensor([1.0, 0, 0, 0, 1, 0])

    def loss() -> Any:
        theta = (locate(x) * 0.1 + identity).reshape(-1, 2, 3)
        grid = functional.affine_grid(theta, [16, 1, 28, 28], align_corners=False)
        warped = functional.grid_sample(x, grid, align_corners=False)
        return functional.cross_entropy(classify(warped), target)

    return training(library, [*locate.parameters(), *classify.parameters()], loss)


@step("Depthwise separable network with hardswish and squeeze, 8×3×40×40")
def depthwise_network(library: Library) -> Case:
    torch = library.module
    nn = torch.nn

    class Separable(nn.Module):  # type: ignore[name-defined,misc]  # the base class is the peer's
        def __init__(self, a: int, b: int, stride: int) -> None:
            super().__init__()
            self.depth = nn.Conv2d(a, a, 3, stride, 1, groups=a, bias=False)
            self.norm, self.point = nn.BatchNorm2d(a), nn.Conv2d(a, b, 1)
            self.squeeze, self.excite = nn.Linear(b, b // 4), nn.Linear(b // 4, b)

        def forward(self, x: Any) -> Any:
            x = self.point(nn.functional.hardswish(self.norm(self.depth(x))))
            gate = self.excite(torch.relu(self.squeeze(x.mean((2, 3)))))
            return x * nn.functional.hardsigmoid(gate)[:, :, None, None]

    net = nn.Sequential(
        nn.Conv2d(3, 16, 3, 2, 1), nn.Hardswish(), Separable(16, 24, 1), Separable(24, 40, 2),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(40, 10),
    )  # fmt: skip
    x, target = torch.randn(8, 3, 40, 40), torch.randint(10, (8,))
    return training(library, net.parameters(), lambda: nn.functional.cross_entropy(net(x), target), "AdamW")


@step("Adversarial networks: both updates, 16×1×32×32")
def adversarial(library: Library) -> Case:
    torch = library.module
    nn = torch.nn
    make = nn.Sequential(
        nn.ConvTranspose2d(32, 32, 4), nn.BatchNorm2d(32), nn.ReLU(),
        nn.ConvTranspose2d(32, 16, 4, 2, 1), nn.BatchNorm2d(16), nn.ReLU(),
        nn.ConvTranspose2d(16, 8, 4, 2, 1), nn.ReLU(), nn.ConvTranspose2d(8, 1, 4, 2, 1), nn.Tanh(),
    )  # fmt: skip
    judge = nn.Sequential(
        nn.Conv2d(1, 16, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(16, 32, 4, 2, 1), nn.BatchNorm2d(32),
        nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(2048, 1),
    )  # fmt: skip
    real = torch.randn(16, 1, 32, 32)
    update_make = torch.optim.Adam(make.parameters(), lr=2e-4, betas=(0.5, 0.999))
    update_judge = torch.optim.Adam(judge.parameters(), lr=2e-4, betas=(0.5, 0.999))
    bce = nn.functional.binary_cross_entropy_with_logits

    def learn() -> Any:
        fake = make(torch.randn(16, 32, 1, 1))
        update_judge.zero_grad()
        wrong, right = judge(fake.detach()), judge(real)
        loss = bce(right, torch.ones_like(right)) + bce(wrong, torch.zeros_like(wrong))
        loss.backward()
        update_judge.step()
        update_make.zero_grad()
        judged = judge(fake)
        bce(judged, torch.ones_like(judged)).backward()
        update_make.step()
        return loss

    return whole(library, learn, backward=True)


@step("Diffusion: noise at a random time, small network with time embedding, 8×1×28×28")
def diffusion(library: Library) -> Case:
    torch = library.module
    nn = torch.nn
    first, time, last = nn.Conv2d(1, 32, 3, 1, 1), nn.Linear(32, 32), nn.Conv2d(32, 1, 3, 1, 1)
    middle = nn.Sequential(
        nn.GroupNorm(8, 32), nn.SiLU(), nn.Conv2d(32, 32, 3, 1, 1), nn.GroupNorm(8, 32), nn.SiLU()
    )
    x = torch.randn(8, 1, 28, 28)
    kept = torch.cumprod(1 - torch.linspace(1e-4, 0.02, 200), 0)
    waves = torch.exp(-torch.arange(16) * 0.5)

    def loss() -> Any:
        t = torch.randint(200, (8,))
        noise = torch.randn_like(x)
        a = kept[t][:, None, None, None]
        noisy = a.sqrt() * x + (1 - a).sqrt() * noise
        angle = t[:, None] * waves
        embedded = time(torch.cat([angle.sin(), angle.cos()], 1))[:, :, None, None]
        return ((last(middle(first(noisy) + embedded)) - noise) ** 2).mean()

    parts = (first, time, middle, last)
    return training(library, [p for m in parts for p in m.parameters()], loss)


@step("Inference of a small convolutional network, one image of 28×28", in_jax.one_image)
def one_image(library: Library) -> Case:
    torch = library.module
    nn = torch.nn
    net = nn.Sequential(
        nn.Conv2d(1, 8, 3, 1, 1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, 1, 1), nn.ReLU(),
        nn.MaxPool2d(2), nn.Flatten(), nn.Linear(784, 10),
    ).eval()  # fmt: skip
    x = torch.randn(1, 1, 28, 28)

    def infer() -> Any:
        with torch.no_grad():
            return net(x).softmax(1)

    return whole(library, infer)


@step("Style loss: Gram matrices of three convolutions, gradient to a 1×3×64×64 image", in_jax.style_loss)
def style_loss(library: Library) -> Case:
    torch = library.module
    nn = torch.nn
    layers = [nn.Conv2d(3, 16, 3, 1, 1), nn.Conv2d(16, 32, 3, 2, 1), nn.Conv2d(32, 64, 3, 2, 1)]
    image = torch.rand(1, 3, 64, 64, requires_grad=True)
    targets = [torch.randn(c, c) * 0.01 for c in (16, 32, 64)]

    def loss() -> Any:
        h, total = image, 0.0
        for layer, target in zip(layers, targets):
            h = torch.relu(layer(h))
            flat = h.flatten(2)[0]
            total = total + ((flat @ flat.T / flat.shape[1] - target) ** 2).mean()
        return total + 1e-3 * (image[..., 1:] - image[..., :-1]).abs().mean()

    return training(library, [image], loss, lr=1e-2)


@step("Registration: a 2×1×56×56 image warped by a field, difference and smoothness, gradient to the field")
def warp_field(library: Library) -> Case:
    torch = library.module
    functional = torch.nn.functional
    moving, fixed = torch.rand(2, 1, 56, 56), torch.rand(2, 1, 56, 56)
    field = torch.zeros(2, 14, 14, 2, requires_grad=True)
    line = torch.linspace(-1, 1, 56)
    y, x = torch.meshgrid(line, line, indexing="ij")
    identity = torch.stack([x, y], -1)[None]

    def loss() -> Any:
        coarse = field.permute(0, 3, 1, 2)
        smooth = functional.interpolate(coarse, (56, 56), mode="bilinear", align_corners=True)
        grid = identity + smooth.permute(0, 2, 3, 1)
        warped = functional.grid_sample(moving, grid, padding_mode="border", align_corners=True)
        down, right = field[:, 1:] - field[:, :-1], field[:, :, 1:] - field[:, :, :-1]
        return ((warped - fixed) ** 2).mean() + 0.1 * ((down**2).mean() + (right**2).mean())

    return training(library, [field], loss, lr=1e-2)
