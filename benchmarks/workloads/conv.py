"""(g) and (h): convolutional networks, one training step.

(g) LeNet-5 with ReLU and max pooling on 64×1×32×32, SGD with momentum 0.9.
(h) Three 3×3 convolutions (16, 32, 64 channels) with batch norm, ReLU and max pooling, then a linear head, on
32×3×32×32, SGD.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.case import Case, Library, Row
from benchmarks.workloads import training

LENET_IMAGES, CONVNET_IMAGES = (64, 1, 32, 32), (32, 3, 32, 32)
NORM_EPSILON, NORM_MOMENTUM = 1e-5, 0.1


def torch_lenet(library: Library) -> Case:
    torch = library.module
    nn, functional = torch.nn, torch.nn.functional

    class LeNet(nn.Module):  # type: ignore[name-defined]  # the base class is the peer's
        def __init__(self) -> None:
            super().__init__()
            self.conv1, self.conv2 = nn.Conv2d(1, 6, 5), nn.Conv2d(6, 16, 5)
            self.fc1, self.fc2, self.fc3 = nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, 10)

        def forward(self, x: Any) -> Any:
            x = functional.max_pool2d(functional.relu(self.conv1(x)), 2)
            x = functional.max_pool2d(functional.relu(self.conv2(x)), 2)
            x = functional.relu(self.fc1(x.flatten(1)))
            return self.fc3(functional.relu(self.fc2(x)))

    model = LeNet()
    x, target = (
        torch.from_numpy(data.normal(*LENET_IMAGES)),
        torch.from_numpy(data.labels(LENET_IMAGES[0], 10)),
    )
    return training.torch_step(
        library, model, data.lenet(), lambda: functional.cross_entropy(model(x), target), "SGD with momentum"
    )


def torch_convnet(library: Library) -> Case:
    torch = library.module
    nn, functional = torch.nn, torch.nn.functional
    channels = data.CONVNET_CHANNELS

    class ConvNet(nn.Module):  # type: ignore[name-defined]  # the base class is the peer's
        def __init__(self) -> None:
            super().__init__()
            for number in (1, 2, 3):
                setattr(
                    self, f"conv{number}", nn.Conv2d(channels[number - 1], channels[number], 3, padding=1)
                )
                setattr(self, f"norm{number}", nn.BatchNorm2d(channels[number]))
            self.head = nn.Linear(channels[-1], 10)

        def forward(self, x: Any) -> Any:
            x = functional.max_pool2d(functional.relu(self.norm1(self.conv1(x))), 2)
            x = functional.max_pool2d(functional.relu(self.norm2(self.conv2(x))), 2)
            x = functional.relu(self.norm3(self.conv3(x)))
            return self.head(x.mean((2, 3)))

    model = ConvNet()
    x, target = (
        torch.from_numpy(data.normal(*CONVNET_IMAGES)),
        torch.from_numpy(data.labels(CONVNET_IMAGES[0], 10)),
    )
    return training.torch_step(
        library, model, data.convnet(), lambda: functional.cross_entropy(model(x), target), "SGD"
    )


def _jax_conv(jax: Any, x: Any, parameters: Any, name: str, padding: str) -> Any:
    y = jax.lax.conv_general_dilated(
        x, parameters[f"{name}.weight"], (1, 1), padding, dimension_numbers=("NCHW", "OIHW", "NCHW")
    )
    return y + parameters[f"{name}.bias"][:, None, None]


def _jax_pool(jax: Any, x: Any) -> Any:
    return jax.lax.reduce_window(x, -jax.numpy.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")


def _jax_cross_entropy(jax: Any, logits: Any, target: Any) -> Any:
    return -jax.numpy.mean(jax.numpy.take_along_axis(jax.nn.log_softmax(logits), target[:, None], 1))


def jax_lenet(library: Library) -> Case:
    jax = library.module

    def loss(parameters: Any, x: Any, target: Any) -> Any:
        def linear(x: Any, name: str) -> Any:
            return x @ parameters[f"{name}.weight"].T + parameters[f"{name}.bias"]

        for name in ("conv1", "conv2"):
            x = _jax_pool(jax, jax.nn.relu(_jax_conv(jax, x, parameters, name, "VALID")))
        x = x.reshape(x.shape[0], -1)
        x = jax.nn.relu(linear(jax.nn.relu(linear(x, "fc1")), "fc2"))
        return _jax_cross_entropy(jax, linear(x, "fc3"), target)

    batch = data.normal(*LENET_IMAGES), data.labels(LENET_IMAGES[0], 10)
    return training.jax_step(library, data.lenet(), loss, "SGD with momentum", *batch)


def jax_convnet(library: Library) -> Case:
    jax, jnp = library.module, library.module.numpy

    def loss(parameters: Any, running: Any, x: Any, target: Any) -> Any:
        new = {}
        for name, norm in (("conv1", "norm1"), ("conv2", "norm2"), ("conv3", "norm3")):
            x = _jax_conv(jax, x, parameters, name, "SAME")
            mean, variance = x.mean((0, 2, 3)), x.var((0, 2, 3))
            size = x.size // x.shape[1]
            old_mean, old_variance = running[norm]
            new[norm] = (
                (1 - NORM_MOMENTUM) * old_mean + NORM_MOMENTUM * mean,
                (1 - NORM_MOMENTUM) * old_variance + NORM_MOMENTUM * variance * (size / (size - 1)),
            )
            scale = parameters[f"{norm}.weight"] / jnp.sqrt(variance + NORM_EPSILON)
            x = (x - mean[:, None, None]) * scale[:, None, None] + parameters[f"{norm}.bias"][:, None, None]
            x = jax.nn.relu(x)
            if name != "conv3":
                x = _jax_pool(jax, x)
        logits = x.mean((2, 3)) @ parameters["head.weight"].T + parameters["head.bias"]
        return _jax_cross_entropy(jax, logits, target), new

    def advance(parameters: Any, running: Any, x: Any, target: Any) -> Any:
        (value, running), gradients = jax.value_and_grad(loss, has_aux=True)(parameters, running, x, target)
        return jax.tree.map(lambda p, g: p - 1e-3 * g, parameters, gradients), running, value

    compiled = jax.jit(advance, donate_argnums=(0, 1))
    parameters = jax.tree.map(jnp.array, data.convnet())
    running = {
        f"norm{number}": (jnp.zeros(width), jnp.ones(width))
        for number, width in enumerate(data.CONVNET_CHANNELS[1:], 1)
    }
    batch = jnp.asarray(data.normal(*CONVNET_IMAGES)), jnp.asarray(data.labels(CONVNET_IMAGES[0], 10))

    def step() -> Any:
        nonlocal parameters, running
        parameters, running, value = jax.block_until_ready(compiled(parameters, running, *batch))
        return value

    return Case(step, float)


def _autograd_conv(convolve: Any, x: Any, parameters: Any, name: str) -> Any:
    # The peer's convolve flips its kernel as SciPy's does; flipping it back gives the correlation that the
    # others compute.
    kernel = parameters[f"{name}.weight"][:, :, ::-1, ::-1]
    y = convolve(x, kernel, axes=([2, 3], [2, 3]), dot_axes=([1], [1]), mode="valid")
    return y + parameters[f"{name}.bias"][:, None, None]


def _autograd_pool(anp: Any, x: Any) -> Any:
    count, channels, height, width = x.shape
    return anp.max(anp.max(anp.reshape(x, (count, channels, height // 2, 2, width // 2, 2)), axis=5), axis=3)


def autograd_lenet(library: Library) -> Case:
    import autograd.numpy as anp
    from autograd.scipy.signal import convolve

    def loss(parameters: Any, x: Any, one_hot: Any) -> Any:
        def linear(x: Any, name: str) -> Any:
            return anp.dot(x, parameters[f"{name}.weight"].T) + parameters[f"{name}.bias"]

        for name in ("conv1", "conv2"):
            x = _autograd_pool(anp, anp.maximum(_autograd_conv(convolve, x, parameters, name), 0.0))
        x = anp.reshape(x, (x.shape[0], -1))
        x = anp.maximum(linear(anp.maximum(linear(x, "fc1"), 0.0), "fc2"), 0.0)
        return training.numpy_cross_entropy(anp, linear(x, "fc3"), one_hot)

    batch = data.normal(*LENET_IMAGES), data.one_hot(data.labels(LENET_IMAGES[0], 10), 10)
    return training.autograd_step(library, data.lenet(), loss, "SGD with momentum", *batch)


def mygrad_lenet(library: Library) -> Case:
    from mygrad.nnet.activations import relu
    from mygrad.nnet.layers import conv_nd, max_pool
    from mygrad.nnet.losses import softmax_crossentropy

    def loss(parameters: Any, x: Any, target: Any) -> Any:
        def linear(x: Any, name: str) -> Any:
            return x @ parameters[f"{name}.weight"].T + parameters[f"{name}.bias"]

        for name in ("conv1", "conv2"):
            x = conv_nd(x, parameters[f"{name}.weight"], stride=1) + parameters[f"{name}.bias"].reshape(
                1, -1, 1, 1
            )
            x = max_pool(relu(x), (2, 2), 2)
        x = relu(linear(relu(linear(x.reshape(x.shape[0], -1), "fc1")), "fc2"))
        return softmax_crossentropy(linear(x, "fc3"), target)

    batch = data.normal(*LENET_IMAGES), data.labels(LENET_IMAGES[0], 10)
    return training.mygrad_step(library, data.lenet(), loss, "SGD with momentum", *batch)


def mygrad_convnet(library: Library) -> Case:
    from mygrad.nnet.activations import relu
    from mygrad.nnet.layers import batchnorm, conv_nd, max_pool
    from mygrad.nnet.losses import softmax_crossentropy

    running = {
        f"norm{number}": (np.zeros(width, "float32"), np.ones(width, "float32"))
        for number, width in enumerate(data.CONVNET_CHANNELS[1:], 1)
    }

    def loss(parameters: Any, x: Any, target: Any) -> Any:
        for name, norm in (("conv1", "norm1"), ("conv2", "norm2"), ("conv3", "norm3")):
            x = conv_nd(x, parameters[f"{name}.weight"], stride=1, padding=1)
            x = x + parameters[f"{name}.bias"].reshape(1, -1, 1, 1)
            mean, variance = x.data.mean((0, 2, 3)), x.data.var((0, 2, 3), ddof=1)
            old_mean, old_variance = running[norm]
            running[norm] = (
                (1 - NORM_MOMENTUM) * old_mean + NORM_MOMENTUM * mean,
                (1 - NORM_MOMENTUM) * old_variance + NORM_MOMENTUM * variance,
            )
            gamma, beta = parameters[f"{norm}.weight"], parameters[f"{norm}.bias"]
            x = relu(batchnorm(x, gamma=gamma, beta=beta, eps=NORM_EPSILON))
            if name != "conv3":
                x = max_pool(x, (2, 2), 2)
        logits = x.mean(axis=(2, 3)) @ parameters["head.weight"].T + parameters["head.bias"]
        return softmax_crossentropy(logits, target)

    batch = data.normal(*CONVNET_IMAGES), data.labels(CONVNET_IMAGES[0], 10)
    return training.mygrad_step(library, data.convnet(), loss, "SGD", *batch)


def tinygrad_lenet(library: Library) -> Case:
    tg = library.module
    from tinygrad import nn

    conv1, conv2 = nn.Conv2d(1, 6, 5), nn.Conv2d(6, 16, 5)
    fc1, fc2, fc3 = nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, 10)
    layers = {"conv1": conv1, "conv2": conv2, "fc1": fc1, "fc2": fc2, "fc3": fc3}
    x = tg.Tensor(data.normal(*LENET_IMAGES)).realize()
    target = tg.Tensor(data.labels(LENET_IMAGES[0], 10)).realize()

    def loss() -> Any:
        hidden = conv2(conv1(x).relu().max_pool2d(2)).relu().max_pool2d(2).flatten(1)
        return fc3(fc2(fc1(hidden).relu()).relu()).sparse_categorical_crossentropy(target)

    return training.tinygrad_step(library, _named(layers), data.lenet(), loss, "SGD with momentum")


def tinygrad_convnet(library: Library) -> Case:
    tg = library.module
    from tinygrad import nn

    channels = data.CONVNET_CHANNELS
    convs = [nn.Conv2d(inputs, outputs, 3, padding=1) for inputs, outputs in pairwise(channels)]
    norms = [nn.BatchNorm(outputs) for outputs in channels[1:]]
    head = nn.Linear(channels[-1], 10)
    layers: dict[str, Any] = {"head": head}
    for number in (1, 2, 3):
        layers |= {f"conv{number}": convs[number - 1], f"norm{number}": norms[number - 1]}
    x = tg.Tensor(data.normal(*CONVNET_IMAGES)).realize()
    target = tg.Tensor(data.labels(CONVNET_IMAGES[0], 10)).realize()

    def loss() -> Any:
        hidden = x
        for number in range(3):
            hidden = norms[number](convs[number](hidden)).relu()
            if number < 2:
                hidden = hidden.max_pool2d(2)
        return head(hidden.mean((2, 3))).sparse_categorical_crossentropy(target)

    return training.tinygrad_step(library, _named(layers), data.convnet(), loss, "SGD")


def _named(layers: dict[str, Any]) -> dict[str, Any]:
    return {
        f"{name}.{kind}": getattr(layer, kind)
        for name, layer in layers.items()
        for kind in ("weight", "bias")
    }


ROWS = [
    Row(
        "g",
        "LeNet 32×32, batch 64, SGD with momentum",
        {
            "torch": torch_lenet,
            "jax": jax_lenet,
            "autograd": autograd_lenet,
            "mygrad": mygrad_lenet,
            "tinygrad": tinygrad_lenet,
        },
        target=2.0,
    ),
    Row(
        "h",
        "ConvNet, three 3×3 with batch norm, 32×3×32×32, SGD",
        {"torch": torch_convnet, "jax": jax_convnet, "mygrad": mygrad_convnet, "tinygrad": tinygrad_convnet},
        target=2.0,
    ),
]
