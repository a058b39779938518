"""Steps of networks over images in jax."""

from __future__ import annotations

from typing import Any

from benchmarks.case import Case, Library
from benchmarks.suite.in_jax.cases import dense, layers, names, training, whole


def _convolve(jax: Any, p: Any, name: str, x: Any, stride: int = 1) -> Any:
    h = jax.lax.conv_general_dilated(x, p[f"{name}.weight"], (stride, stride), [(1, 1), (1, 1)])
    return h + p[f"{name}.bias"][:, None, None]


def one_image(library: Library, source: Any) -> Case:
    jax, jnp = names(library)
    nn = source.nn
    net = nn.Sequential(
        nn.Conv2d(1, 8, 3, 1, 1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, 1, 1), nn.ReLU(),
        nn.MaxPool2d(2), nn.Flatten(), nn.Linear(784, 10),
    )  # fmt: skip
    x = source.randn(1, 1, 28, 28)

    def infer(p: Any, x: Any) -> Any:
        for k in (0, 3):
            h = jax.nn.relu(_convolve(jax, p, f"net.{k}", x))
            x = jax.lax.reduce_window(h, -jnp.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")
        return jax.nn.softmax(dense(p, "net.7", x.reshape(1, 784)))

    return whole(library, infer, layers(net=net), x)


def style_loss(library: Library, source: Any) -> Case:
    jax, jnp = names(library)
    nn = source.nn
    stack = [nn.Conv2d(3, 16, 3, 1, 1), nn.Conv2d(16, 32, 3, 2, 1), nn.Conv2d(32, 64, 3, 2, 1)]
    image = source.rand(1, 3, 64, 64)
    targets = [source.randn(c, c) * 0.01 for c in (16, 32, 64)]

    def loss(p: Any, weights: Any, targets: Any) -> Any:
        image, total = p["image"], 0.0
        h = image
        for k, target in enumerate(targets):
            h = jax.nn.relu(_convolve(jax, weights, f"layers.{k}", h, 2 if k else 1))
            flat = h.reshape(h.shape[1], -1)
            total = total + ((flat @ flat.T / flat.shape[1] - target) ** 2).mean()
        return total + 1e-3 * jnp.abs(image[..., 1:] - image[..., :-1]).mean()

    weights = layers(layers=nn.ModuleList(stack))
    return training(library, {"image": image}, loss, [weights, targets], lr=1e-2)
